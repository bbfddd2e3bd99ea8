"""One row an answer, nothing left out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dense_cli.grading.exercises.calculations import Answer
from dense_cli.grading.export.cells import line
from dense_cli.grading.export.gradebook import Gradebook, decimal
from dense_cli.grading.export.pieces import NAME, Pieces, Wrong
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import Mark, numbers_of
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
    rows = Rows(book.teller)
    return rows.header + "".join(rows.text(one) for one in book.students)


class Rows(Pieces):
    """The rows of each sheet; the name begins every one."""

    header = line(HEADER)
    names_answers = True

    def before(self, one: Marked) -> str:
        if one.error is None:
            return ""
        reason = message(one.error, self.teller.say)
        return f"{NAME}," + line(("", "", UNREAD, "", "", "", "", "", "", "", reason))

    def answer(self, mark: Mark) -> str:
        return f"{NAME}," + line((*_answer(mark), self.teller.message(mark) or ""))

    def wrong(self, mark: Mark) -> Wrong:
        cells = (*_answer(mark), self.teller.message(mark) or "")
        before, between, after = (line(cells[begin:end])[:-1] for begin, end in ((0, 5), (7, 8), (9, None)))
        rights = tuple(map(Fraction, numbers_of(mark.right)))

        def written(
            given: Sequence[str], read_as: Sequence[str], numbers: Sequence[Sequence[str]]
        ) -> list[str]:
            return [
                f"{NAME},{before},{_both(own, told)},{between},{_worst(values, rights)},{after}\n"
                for own, told, values in zip(given, read_as, numbers, strict=True)
            ]

        return written

    def rest(self, one: Marked) -> str:
        return ""

    def spelled(self, student: str) -> str:
        return line((student, "")).removesuffix(",\n")


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


def _both(given: str, read_as: str) -> str:
    return f'"{given}","{read_as}"' if "," in given else f"{given},{read_as}"


def _worst(numbers: Sequence[str], rights: Sequence[Fraction]) -> str:
    return repr(max(map(_apart, numbers, rights))).removesuffix(".0")


def _apart(number: str, right: Fraction) -> float:
    """How far a plain decimal is from a value, rounded once."""
    whole, _, behind = number.partition(".")
    unit = 10 ** len(behind)
    top = int(whole + behind) * right.denominator - right.numerator * unit
    apart: float = abs(top) / (unit * right.denominator)
    return apart
