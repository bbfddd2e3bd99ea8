"""Marks for other systems: which format, our own tables, and what holds for all."""

from dataclasses import replace
from fractions import Fraction
from xml.etree import ElementTree

import pytest

from dense_cli.errors import DenseError
from dense_cli.grading.export import FORMATS, chosen
from dense_cli.grading.export.cells import cell
from dense_cli.grading.export.gradebook import decimal
from dense_cli.grading.marks.marked import Marked
from tests.cli.calling import call
from tests.grading.exported import CANVAS, HALF, HOSTILE, cautions, marked, rows, strict, unread, written
from tests.grading.marked import MARKER
from tests.grading.test_report import RIGHT

# --- which format


@pytest.mark.parametrize(
    ("to", "output", "found"),
    [
        ("canvas", None, "canvas"), ("csv-wide", "x.csv", "csv-wide"), (None, "x.csv", "csv"),
        (None, "a/x.JSONL", "jsonl"), (None, "x.xml", "junit"), (None, "x.json", None), (None, None, None),
    ],
)  # fmt: skip
def test_the_format_is_named_or_told_by_the_suffix(to, output, found):
    assert chosen(to, output) == found


def test_a_format_that_is_none_is_refused_with_the_nearest():
    with pytest.raises(DenseError) as refused:
        chosen("canvass", None)
    assert refused.value.facts["nearest"] == ("canvas",)


# --- our own


def test_json_lines_hold_the_data_of_the_interface_with_sorted_keys():
    first, second = written("jsonl", marked(HOSTILE, HALF), unread()).splitlines()
    student = strict(first)
    assert (student["student"], student["score"], student["to_review"]) == (HOSTILE, 2.5, 2)
    assert list(student) == sorted(student)
    assert strict(second)["error"].startswith("s09.toml: no valid TOML")


def test_a_row_an_answer_loses_nothing():
    header, *body = rows(written("csv", marked("s01", HALF), unread()))
    assert header == [
        "student", "exercise", "field", "verdict", "points", "max_points", "given", "read_as", "expected",
        "abs_error", "misconception", "message",
    ]  # fmt: skip
    assert len(body) == 18 + 1
    answers = {f"{row[1]}.{row[2]}": dict(zip(header, row, strict=True)) for row in body}
    four = answers["4.output"]
    assert [four[name] for name in ("verdict", "points", "max_points")] == ["partial", "1.5", "3"]
    assert four["given"] == four["read_as"] == "[1.462117, 5]"
    assert four["expected"] == "[1.4621171572600098, -0.8068242641099853]"
    assert float(four["abs_error"]) == pytest.approx(5.806824264)
    assert answers["6.test"]["verdict"] == "review"
    assert answers["1.visible"]["expected"] == "no"
    assert body[-1][:4] == ["s09", "", "", "sheet-error"]


def test_mistakes_stand_in_the_table_of_answers():
    header, *body = rows(written("csv", marked("s01", {"1.query": "[0, 1]"})))
    assert dict(zip(header, body[0], strict=True))["misconception"] == "position-minus-one offset-both"


def test_a_row_a_student_has_points_and_counts():
    header, first, second = rows(written("csv-wide", marked("s01", {**HALF, "1.dot": "6 4"}), unread()))
    assert header == [
        "student", "q1", "q2", "q3", "q4", "q5", "q6", "total", "max", "percent", "invalid", "blank",
        "review", "error",
    ]  # fmt: skip
    assert first[:9] == ["s01", "0", "0", "0", "1.5", "1", "0", "2.5", "24"]
    assert first[10:] == ["1", "14", "1", ""]
    assert set(second[1:-1]) == {""}
    assert "no valid TOML" in second[-1]


# --- what holds for every format


def test_json_keeps_every_character_and_hides_none():
    text = written("jsonl", marked("=1+1\u202e", {"5.hidden": "\x1b[2J\x9b"}))
    assert not {"\x1b", "\x9b", "\u202e"} & set(text)
    assert strict(text)["student"] == "=1+1\u202e"
    assert [one["given"] for one in strict(text)["answers"] if one["field"] == "hidden"] == ["\x1b[2J\x9b"]


@pytest.mark.parametrize("to", ["jsonl", "csv", "csv-wide", "gradescope", "canvas", "moodle", "junit"])
def test_exercises_without_points_have_no_percent_and_divide_by_nothing(to):
    marks = tuple(
        replace(mark, points=Fraction(0), field=replace(mark.field, points=Fraction(0)))
        for mark in MARKER.sheet(HALF)
    )
    text = written(to, Marked("s01", "a.csv", marks), members=CANVAS)
    if to == "jsonl":
        student = strict(text)
        assert [student[name] for name in ("score", "max_score", "percent")] == [0, 0, None]
        assert [one["verdict"] for one in student["answers"] if one["field"] == "hidden"] == ["correct"]
    if to == "csv-wide":
        assert rows(text)[1][7:10] == ["0", "0", ""]


def test_points_of_a_person_count_like_any_other():
    marks = tuple(
        replace(mark, points=Fraction(3, 2), reviewed=True) if mark.verdict == "review" else mark
        for mark in MARKER.sheet(HALF)
    )
    one = Marked("s01", "a.csv", marks)
    (test,) = [each for each in strict(written("gradescope", one))["tests"] if each["name"] == "6.test"]
    assert (test["score"], test["status"]) == (1.5, "failed")
    assert rows(written("csv-wide", one))[1][6:9] == ["1.5", "4", "24"]
    assert rows(written("csv-wide", one))[1][-2] == "0"
    suite = ElementTree.fromstring(written("junit", one))[0]
    assert suite.find("testcase[@name='6.test']/failure") is not None
    assert cautions("moodle", one) == []


ALONE = [to for to in FORMATS if to not in ("html",)]


@pytest.mark.parametrize("to", ALONE)
def test_every_format_has_the_same_total(to):
    """1.5 of exercise 4 and 0.5 of exercise 2 make 2 exactly, everywhere."""
    one = marked("s01", {"4.output": "[1.462117, 5]", "2.denominator": "1.414", "5.hidden": "64"})
    assert one.score == 3
    totals = {
        "jsonl": lambda text: strict(text)["score"],
        "csv": lambda text: sum(Fraction(row[4]) for row in rows(text)[1:]),
        "csv-wide": lambda text: float(rows(text)[1][7]),
        "gradescope": lambda text: strict(text)["score"],
        "canvas": lambda text: float(rows(text)[2][5]),
        "moodle": lambda text: float(rows(text)[1][2]),
        "junit": lambda text: float(
            ElementTree.fromstring(text).find("testsuite/properties/property").get("value")
        ),
    }
    if to == "github-classroom":
        with pytest.raises(DenseError) as refused:
            written(to, one)
        assert refused.value.facts["score"] == 3
    else:
        assert totals[to](written(to, one, members=CANVAS)) == 3


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("to", ALONE)
def test_the_same_marks_give_the_same_bytes_without_carriage_returns_or_nan(to, language):
    def once():
        return written(
            to, marked("s01", {**RIGHT, "1.query": "nan", "1.dot": "1\r2"}), members=CANVAS, language=language
        )

    text = once()
    assert text == once()
    assert text.endswith("\n")
    assert "\r" not in text
    assert not {"\x1b", "\x00"} & set(text)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ('=HYPERLINK("http://x.example","y")', '\'=HYPERLINK("http://x.example","y")'),
        ("@SUM(1)", "'@SUM(1)"),
        ("+1+1", "'+1+1"), ("-2+3", "'-2+3"), ("  =1", "'  =1"), ("\uff1d1+1", "'\uff1d1+1"), ("-A1", "'-A1"),
        ("-0.806824", "-0.806824"), ("[-1, 0]", "[-1, 0]"), ("-1, 0", "-1, 0"), ("+1e-3", "+1e-3"),
        ("-50%", "-50%"),
        ("a\tb\x1b\u202e", "a\\tb\\x1b\\u202e"), ("a\r\nb\rc", "a\nb\\rc"), ("", ""), ("-", "'-"),
    ],
)  # fmt: skip
def test_a_cell_runs_nothing_and_hides_nothing(text, safe):
    assert cell(text) == safe


@pytest.mark.parametrize("to", ["csv", "csv-wide", "moodle"])
def test_commas_quotes_and_line_breaks_in_names_come_back(to):
    body = rows(written(to, marked(HOSTILE, RIGHT)))
    assert body[1][0] == HOSTILE


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction("1234.5"), "1234.5"), (Fraction(1, 10) * 3, "0.3"), (sum([Fraction(1, 10)] * 7), "0.7"),
        (Fraction(10**18), "1" + "0" * 18), (Fraction(1, 10**7), "0.0000001"), (Fraction(0), "0"),
    ],
)  # fmt: skip
def test_numbers_have_a_point_and_nothing_else(value, text):
    assert decimal(value) == text


# --- the command


def test_a_file_is_written_instead_of_the_page(tmp_path):
    sheet, out = tmp_path / "a.csv", tmp_path / "marks.jsonl"
    sheet.write_text("student,5.hidden,6.test\ns01,64,swap\ns02,,\n")
    called = call("check", str(sheet), "--output", str(out))
    assert (called.exit, called.out) == (0, "")
    assert called.err == f"written to {out}: 2 students\n"
    assert [strict(line)["student"] for line in out.read_text().splitlines()] == ["s01", "s02"]
    assert call("check", str(sheet), "--to", "jsonl").out == out.read_text()


def test_a_sheet_that_was_not_read_ends_the_call_with_2_and_the_rest_is_written(tmp_path):
    (tmp_path / "s01.toml").write_text('"5.hidden" = 64')
    (tmp_path / "s02.toml").write_text("x = [")
    called = call("check", str(tmp_path), "--to", "csv-wide")
    assert called.exit == 2
    assert [row[0] for row in rows(called.out)] == ["student", "s01", "s02"]


def test_single_answers_can_be_exported():
    called = call("check", "--exercise", "4", "--answer", "output=2,0", "--to", "gradescope")
    assert called.exit == 1
    assert strict(called.out)["tests"][0]["tags"] == ["relu"]


@pytest.mark.parametrize("other", [["--json"], ["--format", "plain"], ["--statistics"]])
def test_a_page_and_an_export_at_once_are_refused(tmp_path, other):
    (tmp_path / "s01.toml").write_text('"5.hidden" = 64')
    called = call("check", str(tmp_path), "--to", "csv", *other)
    assert called.exit == 2
    assert other[0] in called.err


def test_json_beats_the_suffix(tmp_path):
    (tmp_path / "s01.toml").write_text('"5.hidden" = 64')
    out = tmp_path / "marks.csv"
    call("check", str(tmp_path / "s01.toml"), "--json", "--output", str(out))
    assert strict(out.read_text())["schema"] == "dense/1"
