"""One row an answer, nothing left out."""

from __future__ import annotations

from collections.abc import Iterator

from dense_cli.grading.calculations import Answer
from dense_cli.grading.export.cells import written
from dense_cli.grading.export.gradebook import Gradebook, decimal
from dense_cli.grading.marking import Mark
from dense_cli.grading.report import Marked
from dense_cli.lang.refusal import message
from dense_cli.reading.answers import told

HEADER = (
    "student", "exercise", "field", "verdict", "points", "max_points", "given", "read_as", "expected",
    "abs_error", "misconception", "message",
)  # fmt: skip

UNREAD = "sheet-error"
"""What stands for a verdict in the one row of a sheet that could not be read."""


def write(book: Gradebook) -> str:
    """Every answer of every student; several mistakes that make one answer are separated by blanks."""
    return written(HEADER, (row for one in book.students for row in _rows(one, book)))


def _rows(one: Marked, book: Gradebook) -> Iterator[tuple[str, ...]]:
    if one.error is not None:
        reason = message(one.error, book.teller.say)
        yield one.student, "", "", UNREAD, "", "", "", "", "", "", "", reason
    for mark in one.marks:
        yield one.student, *_answer(mark), book.teller.message(mark) or ""


def _answer(mark: Mark) -> tuple[str, ...]:
    return (
        mark.field.exercise,
        mark.field.name,
        mark.verdict,
        decimal(mark.points),
        decimal(mark.field.points),
        mark.given or "",
        mark.read_as or "",
        _expected(mark.right),
        _distance(mark),
        " ".join(found.id for found in mark.mistakes),
    )


def _expected(right: Answer | None) -> str:
    if right is None or isinstance(right, str):
        return right or ""
    if isinstance(right, bool):
        return "yes" if right else "no"
    return told(right)


def _distance(mark: Mark) -> str:
    """How far off the worst entry is, in the shortest digits that name the float; empty beyond floats."""
    try:
        return "" if mark.off is None else repr(float(mark.off)).removesuffix(".0")
    except OverflowError:
        return ""
