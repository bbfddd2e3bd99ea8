"""A sheet with its marks, and the little of it that a large class keeps."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.grading.marks.marking import BLANK, FULL, REVIEW, Mark


@dataclass(frozen=True, slots=True)
class Standing:
    """How a student stands: the points, or why the sheet could not be read."""

    student: str
    source: str
    score: Fraction
    max_score: Fraction
    to_review: Fraction
    error: DenseError | None = None

    @property
    def percent(self) -> Fraction | None:
        """Score per hundred of what could be scored so far; None where that is nothing."""
        return _percent(self.score, self.max_score - self.to_review)


@dataclass(frozen=True)
class Marked:
    """One student's sheet: its marks, or why it could not be read. Empty `student`: nobody is named.

    Nothing was `submitted` where a person or folder is there and no sheet: every field is blank then.
    `variant` is the seed of the numbers that were asked; empty for the printed ones.
    """

    student: str
    source: str
    marks: tuple[Mark, ...] = ()
    error: DenseError | None = None
    submitted: bool = True
    variant: str = ""

    @property
    def graded(self) -> bool:
        """Whether there is a mark to hand on: a sheet that came and was read."""
        return self.submitted and self.error is None

    @cached_property
    def score(self) -> Fraction:
        """Points so far; answers that a person must read are not in it."""
        return _total(mark.points for mark in self.marks)

    @cached_property
    def to_review(self) -> Fraction:
        """Points of the answers that a person must still read."""
        waiting = (mark for mark in self.marks if mark.verdict == REVIEW and not mark.reviewed)
        return _total(mark.field.points for mark in waiting)

    @cached_property
    def max_score(self) -> Fraction:
        return _total(mark.field.points for mark in self.marks)

    @property
    def percent(self) -> Fraction | None:
        """Score per hundred of what could be scored so far; None where that is nothing."""
        return _percent(self.score, self.max_score - self.to_review)

    @property
    def standing(self) -> Standing:
        """What a large class keeps of it."""
        return Standing(self.student, self.source, self.score, self.max_score, self.to_review, self.error)

    @property
    def all_right(self) -> bool:
        """Whether everything that was answered is right."""
        answered = [mark for mark in self.marks if mark.verdict != BLANK]
        return self.error is None and all(mark.verdict in FULL for mark in answered)


def _total(points: Iterable[Fraction]) -> Fraction:
    """The sum; whole points, as most are, are added as integers."""
    whole, parts = 0, Fraction(0)
    for each in points:
        if each.denominator == 1:
            whole += each.numerator
        else:
            parts += each
    return parts + whole


def _percent(score: Fraction, possible: Fraction) -> Fraction | None:
    return 100 * score / possible if possible else None
