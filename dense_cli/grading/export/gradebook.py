"""What every export format is given, and what several of them ask of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from dense_cli.derivation import Note
from dense_cli.errors import DenseError
from dense_cli.grading.intake.roster import Roster
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import FULL, Mark
from dense_cli.grading.marks.telling import Teller
from dense_cli.numerals import plain_number

Caution = DenseError | Note


@dataclass(frozen=True, slots=True)
class Gradebook:
    """Marked sheets with the language to tell about them and, where there is one, the class list.

    `column` is the column of the class list that takes the marks, if one was named.
    """

    students: tuple[Marked, ...]
    teller: Teller
    roster: Roster | None = None
    column: str | None = None

    @property
    def graded(self) -> Iterator[Marked]:
        """The students who have a mark to hand on."""
        return (one for one in self.students if one.graded)

    def alone(self, to: str) -> Marked:
        """The one student of a format that holds one. Raises DenseError where there are more."""
        if len(self.students) != 1:
            raise DenseError("export-one-student", option="--to", typed=to, count=len(self.students))
        return self.students[0]

    def left_out(self) -> Iterator[Caution]:
        """Who is left out of a list of marks, and whose marks are not final."""
        without = sum(not one.graded for one in self.students)
        if without:
            yield Note("export.left-out", {"count": without})
        strangers = sum(self.roster.member(one.student) is None for one in self.graded) if self.roster else 0
        if strangers:
            yield Note("export.not-in-list", {"count": strangers})
        unfinished = sum(bool(one.to_review) for one in self.graded)
        if unfinished:
            yield Note("export.unfinished", {"count": unfinished})


def decimal(value: Fraction) -> str:
    """A number as other programs read it: a point, no exponent, no grouping.

    >>> decimal(Fraction("1234.5")), decimal(3 * Fraction(1, 10)), decimal(Fraction(1, 3))
    ('1234.5', '0.3', '0.3333333333333333')
    """
    return format(Decimal(repr(plain_number(value))), "f")


def all_right(mark: Mark) -> bool:
    """Whether an answer has all its points, be it from a person."""
    by_a_person = mark.reviewed and mark.points == mark.field.points
    return mark.verdict in FULL or by_a_person
