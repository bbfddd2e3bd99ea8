"""A set of exercises is sound, or every fault in it is told with its file."""

import re
import shutil
from functools import cache
from inspect import signature

import pytest

from dense_cli.derivation import Prose
from dense_cli.errors import DenseError
from dense_cli.grading.exercises.follow_rules import SOURCES
from dense_cli.grading.exercises.set_files import builtin_folder, load_set
from dense_cli.grading.handouts import lint as lint_module
from dense_cli.grading.handouts.lint import lint
from dense_cli.grading.handouts.solution import solved
from dense_cli.grading.marks.marking import Marker
from dense_cli.grading.marks.questions import FOLLOW_RULES, questions_of
from dense_cli.grading.marks.telling import Teller
from dense_cli.lang import say_in, topic_texts
from dense_cli.lang.refusal import hint, message
from dense_cli.render.plain import write
from tests.cli.calling import call


@pytest.fixture
def folder(tmp_path):
    """A copy of the shipped set, to be spoilt."""
    shutil.copytree(builtin_folder() / "chapter-25", tmp_path / "set")
    return tmp_path / "set"


def spoil(folder, name, old, new):
    path = folder / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@cache
def shipped():
    """What lint finds in the shipped set."""
    return lint(None)


def test_the_shipped_set_is_sound():
    assert shipped().faults == ()
    assert call("exercise", "lint").exit == 0


def test_what_the_shipped_numbers_hide():
    """Dividing by √C gives √2 too; two coordinates know no layout; an ignored mask shows in its own field."""
    hidden = dict(shipped().hidden)
    assert list(hidden) == ["1", "2", "3", "4", "5"]
    assert "width-alone" in hidden["2"]
    assert {"other-layout", "mixed-table"} <= set(hidden["1"])
    assert not {"mask-ignored", "one-based"} & set(hidden["1"])
    assert "down-missing" in hidden["4"]
    assert "old-matrix" not in hidden["4"]


FAULTS = [
    # file, what is changed, into what, the fault
    ("set.toml", "format = 1", "format = 2", "exercise-format"),
    ("set.toml", "format = 1", "format = ", "broken-toml"),
    ("set.toml", "id = ", "ids = ", "exercise-key"),
    ("set.toml", 'en = "RoPE', 'de = "RoPE', "exercise-words"),
    ("set.toml", 'zh = "RoPE', 'de = "RoPE', "exercise-language"),
    ("set.toml", '"1", "2"', '"1", "1"', "exercise-ids"),
    ("set.toml", '["1", "2", "3", "4", "5", "6"]', "[]", "exercise-none"),
    ("set.toml", '"1", "2"', '"../1", "2"', "exercise-name"),
    ("set.toml", '"1", "2"', '"1", "7"', "exercise-file-missing"),
    ("set.toml", '"1", "2"', '1, "2"', "exercise-entry-kind"),
    ("1.toml", "format = 1", "format = 1.0", "exercise-format"),
    ("1.toml", 'id = "1"', 'id = "a.b"', "exercise-name"),
    ("1.toml", 'id = "1"', 'id = "student"', "exercise-name"),
    ("1.toml", 'id = "1"', 'id = "2"', "exercise-ids"),
    ("1.toml", 'id = "1"', "", "exercise-entry-missing"),
    ("1.toml", 'calculation = "rope"', "calculation = []", "exercise-entry-kind"),
    ("1.toml", 'calculation = "rope"', 'calculation = "ropes"', "exercise-calculation"),
    ("1.toml", 'quantity = "query"', 'quantity = "querry"', "exercise-quantity"),
    ("1.toml", 'calculation = "rope"', "", "exercise-quantity"),
    ("1.toml", 'rule = "dot"', 'rule = "dots"', "exercise-rule"),
    ("1.toml", 'from = ["query", "key"]', 'from = ["visible"]', "exercise-follows"),
    ("1.toml", '{ rule = "dot", from = ["query", "key"] }', '"dot"', "exercise-entry-kind"),
    ("1.toml", '["query", "key"] }', '["query", "key"], credit = 2 }', "exercise-share"),
    ("1.toml", 'kind = "vector"', 'kind = "vektor"', "exercise-kind"),
    ("1.toml", "points = 1", "points = -1", "exercise-points"),
    ("1.toml", "points = 1", 'points = "1e999999999"', "exercise-points"),
    ("1.toml", "points = 1", "points = true", "exercise-points"),
    ("1.toml", "points = 1", "punkte = 1", "exercise-key"),
    ("1.toml", "points = 1", "points = 1\nimprecise = -0.5", "exercise-share"),
    ("1.toml", "points = 1", "points = 1\ndecimals = 99", "exercise-decimals"),
    ("1.toml", 'name = "key"', 'name = "Query"', "exercise-fields"),
    ("1.toml", 'name = "key"', 'name = "键"', "exercise-name"),
    ("1.toml", 'answer = "0"', "answer = 0", "exercise-entry-kind"),
    ("1.toml", 'answer = "0"', 'answer = "1"', "exercise-answer"),
    ("1.toml", 'answer = "no"', 'answer = "yes"', "exercise-answer"),
    ("1.toml", 'answer = "no"', 'answer = "nope"', "not-yes-or-no"),
    ("1.toml", 'ask.zh = "旋转后的查询"', "", "exercise-language"),
    ("1.toml", 'ask.en = "the rotated query"', "", "exercise-words"),
    ("1.toml", 'query = "1, 0"', "query = 1", "exercise-given"),
    ("1.toml", 'query = "1, 0"', 'queery = "1, 0"', "exercise-given-name"),
    ("1.toml", 'positions = "2, 3"', 'positions = "2"', "two-positions"),
    ("1.toml", 'positions = "2, 3"', "", "exercise-given-missing"),
    ("1.toml", 'key = "1, 0"', 'key = "1, 0, 0"', None),
    ("2.toml", 'x = "0, 2"', 'x = "0, 0"', "zero-row"),
    ("2.toml", 'x = "0, 2"', 'x = "zero"', None),
    ("2.toml", '"无定义", "没有定义"', '"ZERO"', "exercise-option-twice"),
    ("2.toml", "options = {", 'options = "x" # {', "exercise-entry-kind"),
    ("3.toml", 'id = "unshifted"', 'id = "upside-down"', "exercise-mistake-words"),
    ("3.toml", 'given = { shift = "0" }', 'given = { wd = "0" }', "exercise-given-name"),
    ("3.toml", 'given = { shift = "0" }', 'given = { shift = "0" }\ntitle.en = "no shift"', "exercise-words"),
    ("4.toml", 'wd = "1, 0 : 0, 1"', 'wd = "1, 0"', None),
    ("4.toml", "[mistakes]", "[mistake]", "exercise-key"),
    ("5.toml", 'width = "24"', 'width = "0"', None),
    ("6.toml", "[[fields]]", '[given]\nx = "1"\n\n[[fields]]', "exercise-given-name"),
    ("1.toml", "format = 1\n", "", "exercise-entry-missing"),
    ("1.toml", "points = 1", "", "exercise-entry-missing"),
    ("1.toml", '["query", "key"] }', '["query"] }', "exercise-follows-kinds"),
    ("1.toml", '["query", "key"] }', '["query", "key", "key"] }', "exercise-follows-kinds"),
    ("1.toml", '"dot", from = ["query", "key"]', '"gated-count", from = ["query"]', "exercise-follows-kinds"),
    ("5.toml", 'calculation = "budget"', 'calculation = "rope"', "exercise-follows-calculation"),
    ("6.toml", "[[fields]]\nname = \"test\"", "[fields.test]", "exercise-key"),
    ("3.toml", 'given = { shift = "0" }', 'given = { shift = "none" }', "not-numeric"),
    ("3.toml", 'id = "unshifted"', 'id = "no-root"', "exercise-mistake-id"),
    ("6.toml", 'kind = "text"', 'kind = "text"\nanswer = "swap"', "exercise-entry-unused"),
    ("6.toml", 'kind = "text"', 'kind = "text"\noptions = { a = [], b = [] }', "exercise-entry-unused"),
    ("6.toml", "options = {", "options = { buffer = [] } # {", "exercise-options-few"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "key"), FAULTS)
def test_a_fault_is_told_with_its_place_and_repair(folder, monkeypatch, name, old, new, key):
    spoil(folder, name, old, new)
    found = lint(folder)
    assert found.faults
    assert key is None or key in {fault.key for fault in found.faults}
    for fault in found.faults:
        assert re.search(r"\.toml|set", str(fault.facts["source"])), fault
        for language in ("en", "zh"):
            say = say_in(language)
            assert not re.search(r"\{[a-z_]+\}", message(fault, say) + hint(fault, say))
    monkeypatch.setattr(lint_module, "lint", {folder: found}.__getitem__)
    called = call("exercise", "lint", str(folder))
    assert called.exit == 2
    assert "hint:" in called.err


def test_faults_of_several_files_are_told_at_once(folder):
    for name in ("1.toml", "2.toml", "3.toml"):
        spoil(folder, name, "format = 1", "format = 9")
    assert len(lint(folder).faults) == 3


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"a = " + b"[" * 5000, b"x" * (1 << 21)])
def test_a_hostile_file_is_a_fault(folder, content):
    (folder / "3.toml").write_bytes(content)
    (fault,) = lint(folder).faults
    assert fault.facts["source"] == "3.toml"


def test_marking_with_an_unsolvable_set_is_refused(folder):
    spoil(folder, "2.toml", 'x = "0, 2"', 'x = "0, 0"')
    with pytest.raises(DenseError, match="zero-row") as refused:
        Marker(questions_of(load_set(folder))).sheet({"2.output": "[0, 1]"})
    assert refused.value.facts["source"] == "2.toml"


def test_a_teachers_own_mistakes_and_choices_bring_their_words(folder):
    """Nothing in the package has to be edited for an own set."""
    spoil(folder, "3.toml", 'id = "unshifted"', '''id = "forgotten"
title.en = "ten forgotten"
title.zh = "忘了加十"
explanation.en = "The ten was not added."
explanation.zh = "没有加上 10。"''')  # fmt: skip
    spoil(folder, "6.toml", "buffer = ", 'room = ["空间"], buffer = ')
    spoil(folder, "6.toml", 'answer = "buffer"', 'answer = "空间"')
    assert lint(folder).faults == ()
    chosen = load_set(folder)
    questions = questions_of(chosen)
    (mark,) = (one for one in Marker(questions).sheet({"3.output": "[0.848528, 1.131371]"}) if one.mistakes)
    assert Teller(chosen, "zh").message(mark) == "忘了加十：没有加上 10。"
    assert Teller(chosen, "en").title(mark.mistakes[0]) == "ten forgotten"
    derivation = solved(chosen.exercise("6"), questions.questions, "zh")
    assert derivation.result["answers"] == {"conclusion": "room"}
    assert "conclusion：空间" in write(derivation, say_in("zh"), 6, 80, False)


def test_shipped_mistakes_of_exercises_have_words_in_both_languages():
    for language in ("en", "zh"):
        words = topic_texts(language, "mistakes")
        for name in ("old-matrix", "unshifted", "shifted-by-one", "ratio-for-growth", "percent-for-fraction"):
            assert all(words[f"exercises.{name}.{part}"] for part in ("title", "explanation", "tell"))


def test_places_for_given_numbers_are_filled_without_variants_too(folder):
    text = (folder / "2.toml").read_text(encoding="utf-8")
    for table in ("variant", "variant.numbers", "variant.given", "variant.remarks"):
        text = re.sub(rf"(?ms)^\[{re.escape(table)}\]\n.*?(?=^\[)", "", text)
    (folder / "2.toml").write_text(
        text.replace('ask.en = "', 'ask.en = "{other} {x.9} ', 1), encoding="utf-8"
    )
    one = load_set(folder).exercise("2")
    assert one.variation is None
    assert "[0, 2]" in one.title["en"]
    assert one.fields[0].ask["en"].startswith("{other} {x.9} ")  # nothing given is called so


def test_every_rule_of_following_says_what_it_takes():
    """As many fields as the rule has arguments behind the given numbers."""
    assert SOURCES.keys() == FOLLOW_RULES.keys()
    for name, rule in FOLLOW_RULES.items():
        assert len(signature(rule).parameters) == 1 + len(SOURCES[name])


def test_a_fault_of_a_field_names_the_field(folder):
    spoil(folder, "6.toml", 'answer = "buffer"', 'answer = "bufer"')
    (fault,) = lint(folder).faults
    assert message(fault, say_in("en")).startswith("6.toml, conclusion: ")


def test_the_computed_answer_is_told_whole(folder):
    """To correct what was written by hand, every digit is needed."""
    spoil(folder, "1.toml", 'answer = "0"', 'answer = "1"')
    (found,) = lint(folder).faults
    assert isinstance(found.facts["computed"], Prose)
    long = "[" + ", ".join(["2.8954896674646875"] * 9) + "]"
    fault = DenseError("exercise-answer", source="x", field="f", typed="1", computed=Prose(long))
    assert all(long in message(fault, say_in(language)) for language in ("en", "zh"))
