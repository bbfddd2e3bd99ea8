"""Long headers, long answers, tables without answers: block by block as at once, in bounded memory."""

import errno
import io

import pytest

from dense_cli.grading.classes import blocks, streaming, usual
from dense_cli.grading.classes.streaming import stream
from dense_cli.grading.export import STREAMED
from dense_cli.grading.marks import marking
from dense_cli.grading.marks.marking import LONGEST, Rules
from tests.cli.calling import call
from tests.grading.marked import QUESTIONS
from tests.grading.test_streaming import job_for, streamed, whole

pytestmark = pytest.mark.usefixtures("questions_once")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("more", [0, 1, 2, 3, 40, 200])
def test_a_header_of_any_length_is_read_whole(tmp_path, end, more):
    """Questions are long, and a form puts them into its header."""
    path = tmp_path / "a.csv"
    header = f'student,"a note{"y" * more}\nand more",5.hidden'
    path.write_text(end.join([header, *(f"s{number},,64" for number in range(9)), ""]), newline="")
    once = whole(path, "csv-wide")[0]
    assert b"\ns0,0,0,0,0,1,0,1," in once
    assert streamed(path, "csv-wide", letters=30)[0] == once


@pytest.mark.parametrize("note", ["note" * 30, '"note' + "\n" * 120])
def test_a_header_without_end_is_left_to_reading_all(tmp_path, monkeypatch, note):
    monkeypatch.setattr(streaming, "LARGEST_SHEET", 100)
    path = tmp_path / "a.csv"
    path.write_text(f"student,5.hidden,{note}\ns1,64,\n")
    with pytest.raises(usual.Unusual):
        streamed(path, "csv", letters=30)


@pytest.mark.parametrize("to", STREAMED)
@pytest.mark.parametrize(("header", "row"), [("student", "s{}"), ("student,odd", "s{},1")])
def test_a_table_without_a_field_is_all_blank(tmp_path, to, header, row):
    path = tmp_path / "a.csv"
    path.write_text("\n".join([header, *map(row.format, range(5))]))
    assert streamed(path, to)[0] == whole(path, to)[0]


@pytest.mark.parametrize("field", ["6.test", "1.query"])
def test_long_answers_are_not_kept(tmp_path, field):
    """Memory is one block's, however much a class writes."""
    path = tmp_path / "a.jsonl"
    line = f'{{"student": "s%d", "1.key": "[1, 2]", "{field}": "[%d, {" " * LONGEST}1]", "1.dot": "%d"}}\n'
    path.write_text("".join(line % (number, number, number) for number in range(9)))
    blocks._desk.cache_clear()
    assert streamed(path, "csv")[0] == whole(path, "csv")[0]
    desk = blocks._desk(job_for(path, "csv").packed())
    columns = [column for rows in desk._rows.values() for column in rows._columns]
    assert sorted(column.question.field.key for column in columns) == sorted({"1.key", field, "1.dot"})
    given = [
        text for column in columns for key in column._known for text in ((key,) if type(key) is str else key)
    ]
    known = [text for marker in desk.markers._known.values() for _, text in marker._known if text is not None]
    assert given
    assert all(len(text) <= LONGEST for text in given + known)


def test_why_an_answer_could_not_be_read_does_not_keep_it():
    """An error with its frames is a ring that only the collector frees, and it holds the whole text."""
    question = next(one for one in QUESTIONS.questions if one.field.key == "1.query")
    mark, _ = marking.mark_alone(question, "[1, x]", Rules())
    assert mark.verdict == "invalid"
    error = mark.message
    assert (error.__traceback__, error.__cause__, error.__context__) == (None, None, None)


FIELDS = [one.field.key for one in QUESTIONS.questions]


def _desk_after(path, shapes, times):
    lines = [
        f'{{"student": "s{turn}-{place}", ' + ", ".join(f'"{key}": "1"' for key in shape) + "}\n"
        for turn in range(times)
        for place, shape in enumerate(shapes)
    ]
    path.write_text("".join(lines))
    blocks._desk.cache_clear()
    assert streamed(path, "csv-wide")[0] == whole(path, "csv-wide")[0]
    return blocks._desk(job_for(path, "csv-wide").packed())


def test_lines_that_all_differ_are_no_shape_worth_learning(tmp_path):
    """To learn how a line looks costs as much as reading many."""
    shapes = [(one, other) for one in FIELDS[:6] for other in FIELDS[6:]]
    assert not _desk_after(tmp_path / "a.jsonl", shapes, 1).shapes._known


def test_of_many_shapes_in_turn_the_first_are_looked_for(tmp_path):
    shapes = [("student", key) for key in FIELDS[:12]]
    desk = _desk_after(tmp_path / "a.jsonl", [shape[1:] for shape in shapes], 6)
    assert list(desk.shapes._known) == shapes[: usual.MOST_SHAPES]


def test_shapes_of_another_part_of_a_file_take_the_places(tmp_path, monkeypatch):
    monkeypatch.setattr(usual, "WORTH_IT", 20)
    monkeypatch.setattr(usual, "MOST_SHAPES", 2)
    path = tmp_path / "a.jsonl"
    shapes = [[(key,)] * 40 for key in FIELDS[:4]]
    desk = _desk_after(path, [one for part in shapes for one in part], 1)
    assert list(desk.shapes._known) == [("student", key) for key in FIELDS[2:4]]
    assert desk.shapes._saved == 40 - 2  # of the last part, without those it was learnt from


class Full(io.BytesIO):
    """A file on a disk without room."""

    def write(self, data):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_told_without_reading_all(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_text('{"student": "s1", "5.hidden": "64"}\n')
    with pytest.raises(OSError, match="No space"):
        stream(job_for(path, "csv"), path, "error", Full())
    monkeypatch.setattr("os.fdopen", lambda *rest: Full())
    monkeypatch.setattr("dense_cli.cli.check_call._of_sheets", None)
    called = call("check", str(path), "--output", str(tmp_path / "marks.csv"))
    assert (called.exit, called.out) == (2, "")
    assert "there is no room" in called.err
    assert [one.name for one in tmp_path.iterdir()] == ["a.jsonl"]


def test_a_full_disk_for_what_is_put_aside_does_not_matter(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_text('{"student": "s1", "5.hidden": "64"}\n')
    usual = call("check", str(path), "--to", "csv-wide")
    monkeypatch.setattr("tempfile.TemporaryFile", Full)
    assert call("check", str(path), "--to", "csv-wide") == usual
