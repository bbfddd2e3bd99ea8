"""One row an answer, nothing left out."""

from __future__ import annotations

from dense_cli.grading.calculations import Answer
from dense_cli.grading.export.cells import line
from dense_cli.grading.export.gradebook import Gradebook, decimal
from dense_cli.grading.export.pieces import OfMarks, Parts, Pieces
from dense_cli.grading.marking import Mark
from dense_cli.grading.report import Marked
from dense_cli.grading.telling import Teller
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

    def __init__(self, teller: Teller) -> None:
        super().__init__(teller)
        self._answers = OfMarks(lambda mark: "," + line((*_answer(mark), teller.message(mark) or "")))

    def of(self, one: Marked) -> Parts:
        rows = list(map(self._answers.of, one.marks))
        if one.error is not None:
            reason = message(one.error, self.teller.say)
            rows.insert(0, "," + line(("", "", UNREAD, "", "", "", "", "", "", "", reason)))
        return Parts((), ("", *rows) if rows else ())

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
