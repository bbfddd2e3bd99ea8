"""What a class shows, as values in a fixed order and as data for scripts.

`statistics` of the JSON: `formulas`, `students`, `unread`, `max_score`, `mean`, `median`, `sd`, `skewness`,
`kurtosis`, `cronbach_alpha`, `error_ratio`, `standard_error`, and lists:

- `questions` (every field an item) and `exercises` (every exercise an item): `max_points`, `facility` (0 to
  1), `sd`, and in percent `discrimination`, `efficiency`, `intended_weight`, `effective_weight`; of questions
  also `verdicts`, how often each came;
- `mistakes`: for each exercise and mistake the number of `students`, and of each of its `fields` the number
  of students and their most frequent `answers`;
- `unexplained`: wrong values no known mistake makes, by field, with the number of students;
- `to_look_at`: every answer to be read by a person, or not readable at all.

While an open answer waits for a person's marks, open fields are left out of the sums: their points are not
known yet, and are not 0. Their numbers are null.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

from dense_cli.derivation import Data
from dense_cli.grading.exercises.exercise import Exercise, ExerciseSet, Field
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import VERDICTS
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.reports.items import Item, Statistics, statistics
from dense_cli.grading.reports.tally import Tally, Waiting, tally
from dense_cli.mistakes.diagnosis import Found
from dense_cli.numerals import plain_number

FORMULAS = "Moodle"
MOST_ANSWERS = 3
"""Example answers of a mistake."""

TEST = ("mean", "median", "sd", "skewness", "kurtosis", "cronbach_alpha", "error_ratio", "standard_error")
ITEM = ("facility", "sd", "discrimination", "efficiency", "intended_weight", "effective_weight")


@dataclass(frozen=True, slots=True)
class Made:
    """A mistake in an exercise: how many students made it, in which fields, with which answers."""

    exercise: str
    found: Found
    students: int
    fields: tuple[tuple[Field, int, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Unexplained:
    """A wrong value that no known mistake makes."""

    field: Field
    value: str
    students: int


@dataclass(frozen=True)
class ClassStatistics:
    """A tally, read with the formulas of `statistics`."""

    set: ExerciseSet
    tally: Tally

    @property
    def waits(self) -> bool:
        """Whether open answers still wait for marks, so that open fields are left out."""
        return self.tally.pending > 0

    @cached_property
    def test(self) -> Statistics:
        """The whole test, every counted field an item."""
        return statistics((self.tally.closed if self.waits else self.tally.whole).fields)

    @cached_property
    def questions(self) -> tuple[tuple[Field, Item | None], ...]:
        """Every field of the set, with None for one that is left out."""
        items = iter(self.test.items)
        return tuple(
            (one, None if self.waits and one.kind == "text" else next(items)) for one in self.set.fields
        )

    @cached_property
    def exercises(self) -> tuple[tuple[Exercise, Item], ...]:
        marks = self.tally.closed if self.waits else self.tally.whole
        return tuple(zip(self.set.exercises, statistics(marks.exercises).items, strict=True))

    def verdicts(self, field: Field) -> Mapping[str, int]:
        """How often each verdict came, in the order of VERDICTS, those that did not left out."""
        counts = {verdict: self.tally.verdicts[field.key, verdict] for verdict in VERDICTS}
        return {verdict: count for verdict, count in counts.items() if count}

    @cached_property
    def mistakes(self) -> tuple[Made, ...]:
        """Most students first."""
        order = {one.id: place for place, one in enumerate(self.set.exercises)}
        counts = sorted(
            self.tally.mistakes.items(), key=lambda made: (-made[1], order[made[0][0]], made[0][1])
        )
        return tuple(self._made(exercise, mistake, students) for (exercise, mistake), students in counts)

    def _made(self, exercise: str, mistake: str, students: int) -> Made:
        fields = tuple(
            (one, count, self._answers(one, mistake))
            for one in self.set.fields
            if one.exercise == exercise and (count := self.tally.by_field[one.key, mistake])
        )
        return Made(exercise, self.tally.found[exercise, mistake], students, fields)

    def _answers(self, field: Field, mistake: str) -> tuple[str, ...]:
        found = self._examples.get((field.key, mistake), [])
        return tuple(answer for _, answer in sorted(found)[:MOST_ANSWERS])

    @cached_property
    def _examples(self) -> Mapping[tuple[str, str], Sequence[tuple[int, str]]]:
        examples: dict[tuple[str, str], list[tuple[int, str]]] = {}
        for (key, mistake, answer), count in self.tally.answers.items():
            examples.setdefault((key, mistake), []).append((-count, answer))
        return examples

    @cached_property
    def unexplained(self) -> tuple[Unexplained, ...]:
        """Most students first: the next mistake to look for."""
        fields = self.set.fields
        order = {one.key: place for place, one in enumerate(fields)}
        counts = sorted(
            self.tally.unexplained.items(), key=lambda value: (-value[1], order[value[0][0]], value[0][1])
        )
        return tuple(Unexplained(fields[order[key]], value, count) for (key, value), count in counts)

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """The answers that a person must look at, in the order of the sheets."""
        return self.tally.waiting


def class_statistics(students: Iterable[Marked], exercises: ExerciseSet) -> ClassStatistics:
    """The statistics of marked sheets of one set."""
    return ClassStatistics(exercises, tally(students, exercises))


def statistics_data(found: ClassStatistics, teller: Teller) -> dict[str, Data]:
    """The statistics as JSON has them."""
    test = asdict(found.test)
    return {
        "formulas": FORMULAS,
        "students": found.test.students,
        "unread": found.tally.unread,
        "max_score": plain_number(found.test.maximum),
        **{name: test[name] for name in TEST},
        "questions": [
            {
                "exercise": one.exercise,
                "field": one.name,
                "max_points": plain_number(one.points),
                **_item(item),
                "verdicts": dict(found.verdicts(one)),
            }
            for one, item in found.questions
        ],
        "exercises": [
            {"exercise": one.id, "max_points": plain_number(item.maximum), **_item(item)}
            for one, item in found.exercises
        ],
        "mistakes": [_mistake(made, teller) for made in found.mistakes],
        "unexplained": [
            {
                "exercise": one.field.exercise,
                "field": one.field.name,
                "value": one.value,
                "students": one.students,
            }
            for one in found.unexplained
        ],
        "to_look_at": [_waiting(one, teller) for one in found.waiting],
    }


def _item(item: Item | None) -> dict[str, Data]:
    return {name: None if item is None else getattr(item, name) for name in ITEM}


def _mistake(made: Made, teller: Teller) -> dict[str, Data]:
    return {
        "exercise": made.exercise,
        "id": made.found.id,
        "kind": made.found.kind,
        "title": teller.name(made.found),
        "students": made.students,
        "fields": [
            {"field": one.name, "students": count, "answers": list(answers)}
            for one, count, answers in made.fields
        ],
    }


def _waiting(one: Waiting, teller: Teller) -> dict[str, Data]:
    return {
        "student": one.student,
        "source": one.source,
        "exercise": one.mark.field.exercise,
        "field": one.mark.field.name,
        "verdict": one.mark.verdict,
        "given": one.mark.given,
        "message": teller.message(one.mark),
    }
