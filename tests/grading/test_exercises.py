"""The exercises to read, to hand out and to solve."""

import json
import tomllib

import pytest

from dense_cli.grading.handouts.handout import Handout, template
from dense_cli.grading.handouts.pages import asked, listing, one_paragraph
from dense_cli.grading.handouts.solution import solved
from dense_cli.grading.intake.sheets import FieldNames, sheet
from dense_cli.grading.marks.marked import Marked
from dense_cli.lang import LANGUAGES, say_in
from dense_cli.render.plain import write
from tests.cli.calling import call
from tests.grading.marked import MARKER, QUESTIONS, SET


def shown(derivation, language):
    return write(derivation, say_in(language), 6, 80, False)


def test_the_chapters_set_has_its_fields_and_points():
    """Order and points are part of the interface."""
    assert SET.id == "chapter-25"
    assert [(field.key, field.kind, int(field.points)) for field in SET.fields] == [
        ("1.query", "vector", 1), ("1.key", "vector", 1), ("1.dot", "number", 1), ("1.visible", "yes-no", 1),
        ("2.output", "vector", 2), ("2.denominator", "number", 1), ("2.zero_row", "choice", 1),
        ("3.same", "yes-no", 1), ("3.output", "vector", 2), ("3.layernorm", "vector", 1),
        ("4.output", "vector", 3), ("4.cross_token", "yes-no", 1),
        ("5.hidden", "whole", 1), ("5.relu", "whole", 1), ("5.swiglu", "whole", 1), ("5.growth", "number", 1),
        ("6.conclusion", "choice", 2), ("6.test", "text", 2),
    ]  # fmt: skip


def test_the_right_answers_are_those_of_the_chapter():
    """Worked by hand: the second witness beside what the core computes."""
    right = {one.field.key: one.right for one in QUESTIONS.questions if one.field.kind != "text"}
    assert right.pop("2.output") == pytest.approx((0, 2**0.5), abs=1e-15)
    assert right.pop("2.denominator") == pytest.approx(2**0.5, abs=1e-15)
    assert right.pop("3.output") == pytest.approx((0.9623031732568868, 1.0363264942766473), abs=1e-15)
    assert right.pop("3.layernorm") == pytest.approx((-1, 1), abs=1e-15)
    assert right.pop("4.output") == pytest.approx((1.4621171572600098, -0.8068242641099853), abs=1e-15)
    assert right == {
        "1.query": (-1, 0), "1.key": (0, -1), "1.dot": 0, "1.visible": False, "2.zero_row": "undefined",
        "3.same": False, "4.cross_token": False, "5.hidden": 64, "5.relu": 4608, "5.swiglu": 4608,
        "5.growth": 0.5, "6.conclusion": "buffer",
    }  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_template_is_a_sheet_with_every_field_blank(language):
    for document in (
        tomllib.loads(template(Handout(SET), language)),
        json.loads(template(Handout(SET), language, as_json=True)),
    ):
        found = sheet(document, "answers.toml", "answers", FieldNames.of(SET))
        assert set(found.answers) == {field.key for field in SET.fields}
        assert (found.warnings, found.student) == ((), "answers")
        assert {mark.verdict for mark in MARKER.sheet(found.answers)} == {"blank"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_shown_whole(language):
    for one in SET.exercises:
        text = one_paragraph(one.text[language])
        assert text in shown(asked(one, language), language)
        solution = shown(solved(one, QUESTIONS.questions, language), language)
        assert text in solution
        assert one_paragraph(one.remarks[language]) in solution


@pytest.mark.parametrize(
    ("lines", "paragraph"),
    [
        ("one\ntwo", "one two"),
        ("[1, 0].\n  The query", "[1, 0]. The query"),
        ("查询在\n位置", "查询在位置"),
        ("位置\n2 与", "位置 2 与"),
        ("位置 2\n与", "位置 2 与"),
        ("在位置 2，\n键在", "在位置 2，键在"),
        ("写出 RMSNorm\n（缩放", "写出 RMSNorm（缩放"),
        ("（缩放）\nRMSNorm", "（缩放）RMSNorm"),
        ("一行\n\n二行", "一行二行"),
        ("", ""),
    ],
)
def test_lines_are_joined_without_losing_or_adding_a_blank(lines, paragraph):
    assert one_paragraph(lines) == paragraph


def test_a_solution_tells_the_calculators_story_then_the_answers_then_the_remark():
    text = shown(solved(SET.exercise("1"), QUESTIONS.questions, "en"), "en")
    places = [
        text.index(part) for part in ("The task", "q′₁ = q₁ · cos α", "query = [-1, 0]", "the causal mask")
    ]
    assert places == sorted(places)


def test_a_story_within_another_is_told_once():
    """LayerNorm's story holds RMSNorm's of the same row."""
    text = shown(solved(SET.exercise("3"), QUESTIONS.questions, "en"), "en")
    assert text.count("13² = 169") == 1


def test_an_exercise_without_numbers_is_solved_by_its_remark():
    derivation = solved(SET.exercise("6"), QUESTIONS.questions, "zh")
    assert derivation.result["answers"] == {"conclusion": "buffer"}
    assert "conclusion：缓冲区" in shown(derivation, "zh")
    assert derivation.result["remarks"] in shown(derivation, "zh")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_names_every_exercise(language):
    derivation = listing(SET, language)
    text = shown(derivation, language)
    assert all(one.title[language] in text for one in SET.exercises)
    assert [one["id"] for one in derivation.result["list"]] == list("123456")
    json.dumps(derivation.result)


def test_a_set_without_points_has_no_percent():
    assert Marked("s", "a.json", ()).percent is None


EXERCISE = """\
format = 1
id = "m"
calculation = "{calculation}"
title = {{ en = "M", zh = "一" }}
text = {{ en = "t", zh = "一" }}
[given]
{given}
[[fields]]
name = "f"
kind = "{kind}"
points = 1
quantity = "{quantity}"
answer = "{answer}"
ask = {{ en = "f", zh = "一" }}
{more}
"""


def own_set(folder, **said):
    (folder / "set.toml").write_text(
        'format = 1\nid = "own"\nexercises = ["m"]\ntitle = { en = "O", zh = "一" }\n'
    )
    (folder / "m.toml").write_text(EXERCISE.format(**{"more": "", **said}))
    return str(folder)


NORM = {"calculation": "rmsnorm", "given": 'x = "3, 4"'}
HUGE = {"calculation": "rmsnorm", "given": 'x = "1e200, 1e200"'}
CHOICE = 'options = { a = ["x"], b = [] }'


@pytest.mark.parametrize(
    "said",
    [
        {**HUGE, "kind": "number", "quantity": "mean-square", "answer": "1"},  # infinite in float64
        {**NORM, "kind": "number", "quantity": "zero-row", "answer": "1"},
        {**NORM, "kind": "number", "quantity": "output", "answer": "1"},
        {**NORM, "kind": "whole", "quantity": "same", "answer": "1"},
        {**NORM, "kind": "vector", "quantity": "same", "answer": "1"},
        {**NORM, "kind": "yes-no", "quantity": "denominator", "answer": "yes"},
        {**NORM, "kind": "choice", "quantity": "denominator", "answer": "a", "more": CHOICE},
        {**NORM, "kind": "choice", "quantity": "zero-row", "answer": "a", "more": CHOICE},
    ],
)
def test_what_cannot_answer_a_field_is_a_fault_of_the_exercise(tmp_path, said):
    folder = own_set(tmp_path, **said)
    sheets = tmp_path / "class.csv"
    sheets.write_text("student,m.f\ns1,1\ns2,yes\ns3,a\n")
    for words in (
        ("exercise", "lint", folder),
        ("exercise", "solve", "m", "--exercises", folder),
        ("check", str(sheets), "--exercises", folder, "--to", "csv"),
        ("check", "--exercise", "m", "--answer", "f=1", "--exercises", folder),
    ):
        called = call(*words)
        assert called.exit in (1, 2), words
        assert f"m.toml: f has the kind {said['kind']}, but {said['quantity']} of these" in called.err, words


@pytest.mark.parametrize(
    ("angle", "right"),
    [
        ("1/4turn", "[-1, -2, -3, -4]"),  # two quarters are a half
        ("1/4turn, 1/8turn", "[-1, -2, -4, 3]"),  # two eighths are a quarter: (3, 4) becomes (-4, 3)
        ("pi/2, 0", "[-1, -2, 3, 4]"),
    ],
)
def test_every_pair_may_have_an_angle_of_its_own(tmp_path, angle, right):
    given = f'query = "1, 2, 3, 4"\nkey = "1, 0, 1, 0"\npositions = "2, 3"\nangle = "{angle}"'
    said = {"calculation": "rope", "given": given, "kind": "vector", "quantity": "query", "answer": right}
    folder = own_set(tmp_path, **said)
    called = call("exercise", "lint", folder)
    assert "the computed one" not in called.err
    assert call("check", "--exercise", "m", "--answer", f"f={right}", "--exercises", folder).exit == 0
