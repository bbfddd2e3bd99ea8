"""Sheets to hand out: they read back as empty, mark themselves, and have safe names."""

import json
import shutil
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.grading.exercises.set_files import builtin_folder, load_set
from dense_cli.grading.handouts.handout import Handout, file_names, paper, template
from dense_cli.grading.intake.sheets import FieldNames, sheet
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.practice.dialogue import Coach
from dense_cli.grading.practice.state import Kept
from dense_cli.grading.variants.variant import variant_set
from dense_cli.lang import LANGUAGES, say_in
from dense_cli.render import FORMATS, show
from tests.cli.calling import call
from tests.grading.marked import SET

DRAWN = variant_set(SET, "7").set


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("student", ["s01", 'a"b\\c', "张三\t\x7f\u202e", "x" * 5000])
def test_a_sheet_reads_back_with_its_student_and_seed(language, student):
    for text, load in (
        (template(Handout(DRAWN, student, "7"), language), tomllib.loads),
        (template(Handout(DRAWN, student, "7"), language, as_json=True), json.loads),
    ):
        found = sheet(load(text), "a.toml", "a", FieldNames.of(SET))
        assert (found.error, found.warnings, found.variant) == (None, (), "7")
        assert found.student == student if student == "s01" else found.student
        assert len(found.answers) == 18


def test_a_sheet_of_drawn_numbers_has_the_tasks():
    assert "[-4, 6, 2, 5]" in template(Handout(DRAWN, "", "7"), "en")
    assert "variant" not in template(Handout(SET), "en")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("format", FORMATS)
def test_paper_has_every_task_and_question(language, format):
    page = paper(Handout(DRAWN, "s01", "7"), language)
    text = show(page, format=format, say=say_in(language), digits=6, width=100, colour=False)
    assert "s01" in text
    if format in ("plain", "html"):
        assert text.index("[-4, 6, 2, 5]") < text.index("zero_row")
        assert all(field.name in text for field in SET.fields)


@pytest.mark.parametrize(("students", "names"), [
    (["s01", "s02"], ["s01.toml", "s02.toml"]),
    (["../../etc/passwd"], ["etc-passwd.toml"]),
    (["a b", "A-B"], ["a-b.toml", "A-B-2.toml"]),
    (["张三"], ["张三.toml"]),
    (["CON", "lpt1.x"], ["CON_.toml", "lpt1.x_.toml"]),
    ([".hidden", "x."], ["hidden.toml", "x.toml"]),
    (["s01", "s01-2", "s01"], ["s01.toml", "s01-2.toml", "s01-3.toml"]),
])  # fmt: skip
def test_names_of_files(students, names):
    assert list(file_names(students, ".toml")) == names


@given(st.lists(st.text(max_size=80), max_size=6))
@settings(max_examples=60, deadline=None)
def test_names_are_safe_and_none_comes_twice(students):
    names = list(file_names(students, ".toml"))
    assert len({name.casefold() for name in names}) == len(students)
    for name in names:
        assert name.isprintable()
        assert not set(name) & set('/\\:*?"<>|\0')
        assert not name.startswith((".", "-"))
        assert len(name.encode()) < 100


@pytest.mark.parametrize("language", LANGUAGES)
def test_how_to_mark_names_the_set_unless_it_is_our_own(tmp_path, language):
    folder = tmp_path / "my set"
    shutil.copytree(builtin_folder() / "chapter-25", folder)
    assert "--exercises" not in template(Handout(SET), language)
    assert f"--exercises '{folder}'" in template(Handout(load_set(folder)), language)
    coach = Coach(load_set(folder), Teller(SET, language))
    state, _ = coach.begin(Kept())
    for line in ("[9, 9]", "h", "h", "h"):
        state, out = coach.reply(state, line)
    assert f"dense exercise solve 1 --exercises '{folder}'" in out[0]


@pytest.mark.parametrize(("content", "held"), [
    (template(Handout(SET), "en"), False),
    (template(Handout(SET, "s01"), "zh"), False),
    (template(Handout(SET), "en", as_json=True), False),
    (template(Handout(SET), "en").replace('query   = ""', 'query   = "[-1, 0]"'), True),
    (template(Handout(SET), "en").replace('query   = ""', "query   = [-1, 0]"), True),
    (template(Handout(SET), "en").replace('query   = ""', "query   = [-1, 0"), True),
    (template(Handout(SET), "en", as_json=True).replace('"query": ""', '"query": 0'), True),
    ("", False),
    ("[1", True),
])  # fmt: skip
def test_a_sheet_with_answers_is_not_written_over(content, held, tmp_path):
    path = tmp_path / "answers.toml"
    path.write_text(content, encoding="utf-8")
    called = call("exercise", "template", "--output", str(path))
    assert called.exit == (2 if held else 0)
    assert path.read_text(encoding="utf-8") == (content if held else template(Handout(SET), "en"))
