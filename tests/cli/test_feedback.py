"""`check --into`: a page for each student, and nothing else of anybody else."""

import os

import pytest

from tests.cli.calling import call

TABLE = """\
student,1.query,5.hidden
s1,"[-1, 0]",96
../s2,"[1, 0]",64
张三,,x
s4,one two three,
"""


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "class.csv").write_text(TABLE, encoding="utf-8")
    return tmp_path / "class.csv"


def test_each_student_is_told_of_their_own_sheet_alone(table):
    found = call("check", "class.csv", "--into", "out")
    folder = table.parent / "out"
    assert sorted(os.listdir(folder)) == ["s1.txt", "s2.txt", "s4.txt", "张三.txt"]
    alone = (folder / "s1.txt").read_text(encoding="utf-8")
    assert "s1: 1 of" in alone
    assert "5.hidden" in alone
    assert not any(other in alone for other in ("s2", "s4", "张三"))
    assert found.err.endswith("written to out: 4\n")
    assert found.out == call("check", "class.csv").out


def test_the_page_says_the_same_as_that_of_the_sheet_alone(table):
    call("check", "class.csv", "--into", "out")
    (table.parent / "one.csv").write_text("".join(TABLE.splitlines(keepends=True)[:2]), encoding="utf-8")
    alone = call("check", "one.csv").out
    assert (table.parent / "out" / "s1.txt").read_text(encoding="utf-8") == alone


@pytest.mark.parametrize(("format", "suffix", "begins"), [("markdown", ".md", "# "), ("json", ".json", "{")])
def test_pages_have_the_format_of_the_call(table, format, suffix, begins):
    call("check", "class.csv", "--into", "out", "--format", format, "--lang", "zh")
    assert (table.parent / "out" / f"s1{suffix}").read_text(encoding="utf-8").startswith(begins)


def test_marks_for_a_system_go_along_with_them(table):
    found = call("check", "class.csv", "--into", "out", "--to", "csv-wide")
    assert found.out == call("check", "class.csv", "--to", "csv-wide").out
    assert len(os.listdir(table.parent / "out")) == 4


def test_a_second_call_replaces_what_the_first_one_wrote(table):
    call("check", "class.csv", "--into", "out")
    page = table.parent / "out" / "s1.txt"
    first = page.read_text(encoding="utf-8")
    table.write_text(TABLE.replace("96", "64"), encoding="utf-8")
    call("check", "class.csv", "--into", "out")
    assert page.read_text(encoding="utf-8") != first
    table.write_text(TABLE, encoding="utf-8")
    call("check", "class.csv", "--into", "out")
    assert page.read_text(encoding="utf-8") == first


@pytest.mark.parametrize(
    ("source", "into"),
    [("class.csv", "."), ("sheets", "sheets"), ("sheets", "sheets/out"), ("sheets/a.toml", "sheets")],
)
def test_what_is_handed_back_stays_apart_from_the_sheets(table, source, into):
    (table.parent / "sheets").mkdir()
    (table.parent / "sheets" / "a.toml").write_text('student = "a"')
    found = call("check", source, "--into", into)
    assert found.exit == 2
    assert "--into" in found.err
    assert sorted(os.listdir(table.parent)) == ["class.csv", "sheets"]


@pytest.mark.parametrize(
    "words",
    [("check", "class.csv"), ("exercise", "template", "--variant", "student", "--roster", "class.csv")],
)
def test_a_place_that_is_no_folder_is_refused(table, words):
    (table.parent / "taken").write_text("")
    found = call(*words, "--into", "taken/here")
    assert found.exit == 2
    assert "taken/here" in found.err
    assert "choose another folder with --into" in found.err


def test_typed_answers_have_nobody_to_hand_back_to(table):
    assert "--into" in call("check", "--exercise", "5", "--answer", "hidden=64", "--into", "out").err
