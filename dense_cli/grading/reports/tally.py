"""A class, counted: marks, verdicts, mistakes, wrong values that nobody could name, answers for a person.

Tallies of two parts of a class can be added, so a class of any size can be counted in pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain

from dense_cli.frozen import dataclass, field
from dense_cli.grading.exercises.exercise import NUMERIC, ExerciseSet, Field
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import INVALID, PARTIAL, REVIEW, WRONG, Mark
from dense_cli.grading.reports.items import Sums, in_units, unit_of
from dense_cli.mistakes.diagnosis import Found

Named = tuple[str, str]
"""Where (an exercise, or a field's key) and what (a verdict, the id of a mistake, a value)."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An answer that a person must look at: to be read, or not read as an answer."""

    student: str
    source: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Rows:
    """The different rows of points, of all fields of a set, in whole multiples of 1/`unit`; how many
    students have each."""

    unit: int
    times: Mapping[tuple[int, ...], int]


@dataclass(frozen=True, slots=True)
class Marks:
    """Sums over some of the fields, each field an item, and each exercise an item."""

    fields: Sums
    exercises: Sums

    @classmethod
    def of(cls, rows: Rows, exercises: ExerciseSet, counted: Sequence[Field]) -> Marks:
        """From the points of all fields of a set. Fields that are not `counted` are left out."""
        fields = exercises.fields
        places = [place for place, one in enumerate(fields) if one in counted]
        groups = [
            [place for place in places if fields[place].exercise == one.id] for one in exercises.exercises
        ]
        maxima = [one.points for one in fields]
        return cls(
            Sums.of_units(
                ([row[place] for place in places] for row in rows.times),
                rows.unit,
                [maxima[place] for place in places],
                rows.times.values(),
            ),
            Sums.of_units(
                ([sum([row[place] for place in group]) for group in groups] for row in rows.times),
                rows.unit,
                [sum((maxima[place] for place in group), Fraction(0)) for group in groups],
                rows.times.values(),
            ),
        )

    def __add__(self, other: Marks) -> Marks:
        return Marks(self.fields + other.fields, self.exercises + other.exercises)


@dataclass(frozen=True, slots=True)
class Tally:
    """What a class comes to.

    `whole` sums all fields, `closed` only those that need no person. `mistakes` counts the students who made
    one in an exercise, `by_field` those of each field, `answers` how often each value came of it. One answer
    that several mistakes make counts for each.
    """

    unread: int
    whole: Marks
    closed: Marks
    verdicts: Counter[Named] = field(default_factory=Counter)
    mistakes: Counter[Named] = field(default_factory=Counter)
    by_field: Counter[Named] = field(default_factory=Counter)
    answers: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    unexplained: Counter[Named] = field(default_factory=Counter)
    waiting: tuple[Waiting, ...] = ()
    found: dict[Named, Found] = field(default_factory=dict)

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.unread + other.unread,
            self.whole + other.whole,
            self.closed + other.closed,
            self.verdicts + other.verdicts,
            self.mistakes + other.mistakes,
            self.by_field + other.by_field,
            self.answers + other.answers,
            self.unexplained + other.unexplained,
            self.waiting + other.waiting,
            other.found | self.found,
        )

    @property
    def pending(self) -> int:
        """How many answers still need a person's marks."""
        return sum(one.mark.verdict == REVIEW for one in self.waiting)


class Total:
    """The sum of many tallies in their order, without adding a small one to a large one again and again."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, Tally]] = []
        """The sums of so many tallies each; each of at least twice as many as the next."""

    def add(self, one: Tally) -> None:
        many = 1
        while self._parts and self._parts[-1][0] <= many:
            before, sum_before = self._parts.pop()
            many, one = before + many, sum_before + one
        self._parts.append((many, one))

    def sum(self) -> Tally | None:
        """None where there was nothing to add."""
        total: Tally | None = None
        for _, part in reversed(self._parts):
            total = part if total is None else part + total
        return total


def tally(students: Iterable[Marked], exercises: ExerciseSet) -> Tally:
    """The tally of marked sheets of one set.

    Sheets that were not read are only counted, and who handed in none took no part.
    """
    every = list(students)
    read = [one for one in every if one.graded]
    # Most answers of a class have the same mark, object for object; what it adds is looked at once.
    sheets = [tuple(map(id, one.marks)) for one in read]
    marks = {id(mark): mark for one in read for mark in one.marks}
    rows = _alike(sheets, {number: mark.points for number, mark in marks.items()})
    fields = exercises.fields
    counted = Tally(
        unread=sum(one.error is not None for one in every),
        whole=Marks.of(rows, exercises, fields),
        closed=Marks.of(rows, exercises, [one for one in fields if one.kind != "text"]),
        waiting=tuple(
            Waiting(one.student, one.source, mark) for one in read for mark in one.marks if _waits(mark)
        ),
    )
    times = Counter(chain.from_iterable(sheets))
    for number, mark in marks.items():
        _count(mark, times[number], counted)
    made = {number: _made(mark) for number, mark in marks.items() if mark.mistakes}
    for sheet in sheets:  # a student who makes it in two fields of an exercise counts once
        counted.mistakes.update({name for number in made.keys() & sheet for name in made[number]})
    return counted


def _alike(sheets: Iterable[tuple[int, ...]], points: Mapping[int, Fraction]) -> Rows:
    unit = unit_of(points.values())
    # Whole numbers are quick to look up and to add, which fractions are not.
    whole = {number: in_units(each, unit) for number, each in points.items()}
    return Rows(unit, Counter(tuple([whole[number] for number in sheet]) for sheet in sheets))


def _made(mark: Mark) -> list[Named]:
    return [(mark.field.exercise, found.id) for found in mark.mistakes]


def _waits(mark: Mark) -> bool:
    return mark.verdict == INVALID or (mark.verdict == REVIEW and not mark.reviewed)


def _count(mark: Mark, times: int, counted: Tally) -> None:
    key = mark.field.key
    counted.verdicts[key, mark.verdict] += times
    for found in mark.mistakes:
        counted.by_field[key, found.id] += times
        counted.answers[key, found.id, mark.read_as or ""] += times
        counted.found.setdefault((mark.field.exercise, found.id), found)
    wrong = mark.verdict in (WRONG, PARTIAL) and mark.field.kind in NUMERIC
    if wrong and not mark.mistakes and mark.read_as is not None:
        counted.unexplained[key, mark.read_as] += times
