"""One row a student: the points of each exercise, the totals, and how many answers need a look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from dense_cli.grading.export.cells import line
from dense_cli.grading.export.gradebook import Gradebook, decimal
from dense_cli.grading.export.pieces import NAME, Pieces
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import BLANK, INVALID, REVIEW, Mark
from dense_cli.grading.marks.telling import Teller
from dense_cli.lang.refusal import message

COUNTED = (INVALID, BLANK, REVIEW)
TOTALS = ("total", "max", "percent", *COUNTED)


def write(book: Gradebook) -> str:
    """A sheet that could not be read has its reason in the last column and no points."""
    rows = Rows(book.teller)
    return rows.header + "".join(rows.text(one) for one in book.students)


class Rows(Pieces):
    """One row for each sheet, which the name begins."""

    def __init__(self, teller: Teller) -> None:
        super().__init__(teller)
        self._exercises = [one.id for one in teller.set.exercises]
        self.header = line(("student", *_columns(self._exercises), *TOTALS, "error"))

    def answer(self, mark: Mark) -> str:
        return ""

    def wrong(self, mark: Mark) -> None:
        return None

    def rest(self, one: Marked) -> str:
        return f"{NAME}," + line(_cells(one, self._exercises, self.teller))

    def spelled(self, student: str) -> str:
        return line((student, "")).removesuffix(",\n")


def _columns(exercises: Iterable[str]) -> list[str]:
    """A column for each exercise, whatever they are called: no two columns have one name.

    >>> _columns(["5", "total", "q5"])
    ['q5', 'exercise-total', 'exercise-q5']
    """
    taken, found = {"student", *TOTALS, "error"}, []
    for column in map(_column, exercises):
        while column in taken:
            column = f"exercise-{column}"
        taken.add(column)
        found.append(column)
    return found


def _column(exercise: str) -> str:
    """An exercise with a number is a question with this number: a column named ``5`` would read as one.

    >>> _column("5"), _column("warm-up")
    ('q5', 'warm-up')
    """
    return f"q{exercise}" if exercise.isdecimal() else exercise


def _cells(one: Marked, exercises: Sequence[str], teller: Teller) -> tuple[str, ...]:
    if one.error is not None:
        return *[""] * (len(exercises) + 3 + len(COUNTED)), message(one.error, teller.say)
    points = dict.fromkeys(exercises, Fraction(0))
    for mark in one.marks:
        points[mark.field.exercise] += mark.points
    verdicts = [mark.verdict for mark in one.marks if not mark.reviewed]
    return (
        *map(decimal, points.values()),
        decimal(one.score),
        decimal(one.max_score),
        "" if one.percent is None else decimal(one.percent),
        *(str(verdicts.count(verdict)) for verdict in COUNTED),
        "",
    )
