"""One row a student: the points of each exercise, the totals, and how many answers need a look."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dense_cli.grading.export.cells import written
from dense_cli.grading.export.gradebook import Gradebook, decimal
from dense_cli.grading.marking import BLANK, INVALID, REVIEW
from dense_cli.grading.report import Marked
from dense_cli.lang.refusal import message

COUNTED = (INVALID, BLANK, REVIEW)


def write(book: Gradebook) -> str:
    """A sheet that could not be read has its reason in the last column and no points."""
    exercises = [one.id for one in book.teller.set.exercises]
    header = ("student", *map(_column, exercises), "total", "max", "percent", *COUNTED, "error")
    return written(header, (_row(one, exercises, book) for one in book.students))


def _column(exercise: str) -> str:
    """An exercise with a number is a question with this number: a column named ``5`` would read as one.

    >>> _column("5"), _column("warm-up")
    ('q5', 'warm-up')
    """
    return f"q{exercise}" if exercise.isdecimal() else exercise


def _row(one: Marked, exercises: Sequence[str], book: Gradebook) -> tuple[str, ...]:
    if one.error is not None:
        return one.student, *[""] * (len(exercises) + 3 + len(COUNTED)), message(one.error, book.teller.say)
    points = dict.fromkeys(exercises, Fraction(0))
    for mark in one.marks:
        points[mark.field.exercise] += mark.points
    verdicts = [mark.verdict for mark in one.marks if not mark.reviewed]
    return (
        one.student,
        *map(decimal, points.values()),
        decimal(one.score),
        decimal(one.max_score),
        "" if one.percent is None else decimal(one.percent),
        *(str(verdicts.count(verdict)) for verdict in COUNTED),
        "",
    )
