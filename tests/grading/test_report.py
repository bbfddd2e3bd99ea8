"""What comes out: the data of the interface, and a page in both languages."""

import json

import pytest

from dense_cli.errors import DenseError
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import VERDICTS, Rules
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.reports.report import report
from dense_cli.lang import LANGUAGES, topic_texts
from dense_cli.render.plain import write
from tests.cli.calling import call
from tests.grading.marked import MARKER, SET, mark_of

STUDENT_KEYS = ["student", "source", "error", "score", "max_score", "to_review", "percent", "answers"]
ANSWER_KEYS = [
    "exercise", "field", "given", "read_as", "verdict", "points", "max_points", "mistakes", "message",
]  # fmt: skip
RIGHT = {
    "1.query": "[-1, 0]", "1.key": "[0, -1]", "1.dot": "0", "1.visible": "no", "2.output": "[0, √2]",
    "2.denominator": "√2", "2.zero_row": "undefined", "3.same": "no", "3.output": "[0.962303, 1.036326]",
    "3.layernorm": "[-1, 1]", "4.output": "[1.462117, -0.806824]", "4.cross_token": "no", "5.hidden": "64",
    "5.relu": "4608", "5.swiglu": "4608", "5.growth": "1/2", "6.conclusion": "buffer",
}  # fmt: skip


def told(*sheets, language="en", names=None):
    names = names or [f"s{place:02}" for place in range(1, len(sheets) + 1)]
    students = [
        Marked(name, "a.json", MARKER.sheet(sheet)) for name, sheet in zip(names, sheets, strict=True)
    ]
    return report(students, Teller(SET, language), Rules())


def page(*sheets, language="en", **options):
    teller = Teller(SET, language)
    return write(told(*sheets, language=language, **options), teller.say, 6, 80, False)


# --- data


def test_the_data_has_the_keys_of_the_interface():
    derivation = told({"1.query": "[1, 0]", "6.test": "swap red and blue"})
    assert derivation.command == "check"
    assert list(derivation.result) == ["exercises", "students"]
    (student,) = derivation.result["students"]
    assert list(student) == STUDENT_KEYS
    assert [list(answer) for answer in student["answers"]] == [ANSWER_KEYS] * 18
    assert [f"{one['exercise']}.{one['field']}" for one in student["answers"]] == [
        one.key for one in SET.fields
    ]
    json.dumps(derivation.result, allow_nan=False)


def test_the_score_leaves_out_what_a_person_must_read():
    (student,) = told({**RIGHT, "6.test": "swap red and blue"}).result["students"]
    totals = [student[name] for name in ("score", "to_review", "max_score", "percent")]
    assert totals == [22, 2, 24, 100]
    (student,) = told(RIGHT).result["students"]
    totals = [student[name] for name in ("score", "to_review", "max_score", "percent")]
    assert totals == [22, 0, 24, pytest.approx(100 * 22 / 24)]


def test_a_sheet_that_was_not_read_has_no_percent_and_its_reason():
    error = DenseError("broken-toml", source="a.toml", reason="Invalid value (at line 1, column 11)")
    derivation = report([Marked("a", "a.toml", error=error)], Teller(SET, "en"), Rules())
    (student,) = derivation.result["students"]
    assert (student["percent"], student["answers"], student["score"]) == (None, [], 0)
    assert student["error"] == "a.toml: no valid TOML: Invalid value (at line 1, column 11)"


def test_parts_of_points_are_added_exactly():
    (student,) = told({"2.denominator": "1.414", "4.output": "[1.46, -0.81]"}).result["students"]
    assert student["score"] == 2
    assert [answer["points"] for answer in student["answers"] if answer["points"]] == [0.5, 1.5]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_messages_are_plain_text_of_one_line(language):
    sheet = {
        "1.query": "[1, 0]",
        "1.dot": "6 4",
        "2.denominator": "1.414",
        "3.layernorm": "[-1, 5]",
        "5.relu": "4,608",
    }
    (student,) = told(sheet, language=language).result["students"]
    for answer in student["answers"]:
        if answer["given"] is not None:
            assert answer["message"]
            assert not set("{}\n") & set(answer["message"])
    assert [answer["message"] for answer in student["answers"] if answer["given"] is None] == [None] * 13


def test_a_convention_is_told_as_one_and_a_slip_is_not():
    message = Teller(SET, "en").message(mark_of("1.key", "[0, 1]"))
    assert "turned the other way, a convention that is right elsewhere" in message
    assert "both turned by the distance: " in message
    assert message.count("convention") == 1


def test_several_mistakes_are_said_to_look_alike():
    assert "cannot be told apart" in Teller(SET, "en").message(mark_of("2.output", "[0, 1]"))
    one_is_a_convention = mark_of("1.key", "[0, 1]")
    assert "2 different explanations" in Teller(SET, "en").message(one_is_a_convention)
    assert "cannot be told apart" not in Teller(SET, "en").message(mark_of("4.output", "[2, 0]"))


# --- page


def test_a_mistake_is_told_with_title_explanation_and_how_to_tell():
    text, words = page({"4.output": "[2, 0]"}), topic_texts("en", "mistakes")
    for name in ("title", "explanation", "tell"):
        assert words[f"swiglu.relu.{name}"] in text


def test_blank_fields_are_summed_in_one_line():
    text = page({key: answer for key, answer in RIGHT.items() if key not in ("1.dot", "3.same")})
    assert "Not answered: 1.dot, 3.same, 6.test." in text
    assert "blank" not in text
    assert "Nothing was answered." in page({})


def test_points_are_decimals():
    assert "s01: 1.5 of 24 points" in page({"4.output": "[1.46, -0.81]"})


def test_a_student_without_a_name_has_no_empty_title():
    assert "1. 0 of 24 points\n" in page({"1.dot": "3"}, names=[""])
    assert "1. 0 of 24 points so far, 2 to be read by a person\n" in page({"6.test": "x"}, names=[""])


def test_an_open_answer_is_shown_whole():
    answer = "swap red and blue at every distance, " * 20
    assert answer.strip() in page({"6.test": answer})


def test_what_was_typed_cannot_command_the_screen():
    text = page({"5.hidden": "\x1b[2J\u202e46", "6.test": "[red]\x07[/red]"}, names=["\x1b]0;x\x07"])
    assert not any(mark in text for mark in "\x1b\x07\u202e")
    assert r"\x1b[2J\u202e46" in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_class_is_told_by_tables(language):
    wrong = {"2.output": "[0, 1]", "5.hidden": "sixty-four"}
    derivation = told(*[wrong] * 5, RIGHT, language=language)
    assert [step.name for step in derivation.steps] == ["class", "mistakes", "unreadable"]
    rows = {row[0]: row[2] for row in derivation.steps[1].table.rows}
    assert rows == {"2.output": 5}
    assert len(derivation.steps[2].table.rows) == 5
    assert page(*[wrong] * 5, RIGHT, language=language)


def test_every_verdict_has_a_word_in_both_languages():
    for language in ("en", "zh"):
        words = topic_texts(language, "check")
        assert all(words[f"verdict-{verdict}"] for verdict in VERDICTS)


# --- the command


def test_a_broken_sheet_stops_no_other_and_is_told_twice(tmp_path):
    (tmp_path / "a.toml").write_text("student = \n")
    (tmp_path / "b.toml").write_text("[5]\nhidden = 64\n")
    (tmp_path / "c.pdf").write_text("")
    called = call("check", str(tmp_path), "--json")
    assert called.exit == 2
    first, second = called.json["result"]["students"]
    assert "line 1" in first["error"]
    assert (second["student"], second["score"], second["error"]) == ("b", 1, None)
    assert "a.toml" in called.err
    assert "c.pdf" in called.err


def test_the_same_warning_is_given_once_and_twenty_are_enough(tmp_path):
    lines = [json.dumps({"student": f"s{place}", f"9.x{place % 30}": 1, "1.dot": 0}) for place in range(90)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    called = call("check", str(tmp_path / "a.jsonl"))
    assert called.exit == 0
    assert called.err.count("warning: ") == 21
    assert called.err.count("hint: ") == 1


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        (["query=-1,0"], 0),
        (["query=-1,0", "dot="], 0),
        (["query=-1,0", "visible=yes"], 1),
        (["query=1,0", "key=0,-1", "dot=0"], 1),
        (["query=abc"], 1),
    ],
)
def test_single_answers_end_with_1_unless_all_is_right(answers, code):
    words = [word for answer in answers for word in ("--answer", answer)]
    assert call("check", "--exercise", "1", *words).exit == code


def test_single_answers_list_the_fields_of_their_exercise_only():
    called = call("check", "--exercise", "chapter-25.5", "--answer", "5.hidden=64", "--json")
    assert [one["field"] for one in called.json["result"]["students"][0]["answers"]] == [
        "hidden", "relu", "swiglu", "growth",
    ]  # fmt: skip


def test_the_tolerance_is_taken_from_the_call_and_printed():
    called = call("check", "--exercise", "5", "--answer", "growth=0.6", "--atol", "0", "--rtol", "1/5")
    assert (called.exit, "0.2 times" in called.out) == (0, True)
    assert call("check", "--exercise", "5", "--answer", "growth=0.6").exit == 1


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_answer_is_cut_off_on_a_narrow_page(width, language):
    called = call(
        "check", "--exercise", "4", "--answer", "output=[1.761594, -2.857722]",
        "--format", "rich", "--lang", language, COLUMNS=str(width),
    )  # fmt: skip
    words = called.out.split()
    assert all(word in words for word in ("4.output", "[1.761594,", "-2.857722]"))
    assert "…" not in called.out


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_mistakes_together_are_called_by_their_names(language):
    (mark,) = [one for one in MARKER.sheet({"1.query": "[0.540302, 0.841471]"}) if one.mistakes]
    teller = Teller(SET, language)
    pairs = [found for found in mark.mistakes if len(found.mistakes) == 2]
    assert pairs
    for found in pairs:
        one, other = (teller.say(mistake.words("title")) for mistake in found.mistakes)
        assert teller.name(found) == f"{one} + {other}"
