"""A field of an exercise ready for marking: its right answer computed, its wrong ones at hand.

Everything that does not depend on a student is worked out once here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import fsum
from typing import Any

from dense_cli.errors import DenseError
from dense_cli.grading.calculations import CALCULATIONS, Answer, Calculation
from dense_cli.grading.exercise import Exercise, ExerciseSet, Field
from dense_cli.mistakes import Mistake, catalogue
from dense_cli.mistakes.diagnosis import Found, WrongPaths
from dense_cli.reading import answers as reading


@dataclass(frozen=True)
class Worked:
    """One calculation of an exercise: the given numbers as typed and as the core takes them."""

    exercise: Exercise
    calculation: Calculation

    @cached_property
    def asked(self) -> Any:
        """The core's input. Raises DenseError where the given text is none."""
        return self.calculation.read(self.exercise.given)

    @cached_property
    def paths(self) -> WrongPaths:
        """What each catalogued mistake makes of the given numbers, and each of the exercise's own."""
        own = tuple(self._own(one.id, one.given) for one in self.exercise.mistakes)
        return WrongPaths(own + catalogue(self.calculation.topic), self.asked, self._results)

    def _own(self, name: str, given: Mapping[str, str]) -> Mistake:
        other = {**self.exercise.given, **given}
        return Mistake(name, "exercises", "slip", lambda _: (self.calculation.read(other),))

    def _results(self, asked: Any) -> tuple[Any, Any]:
        return asked, self.calculation.compute(asked)

    def pick(self, quantity: str) -> Callable[[tuple[Any, Any]], Answer]:
        """What a quantity takes from an input and its results."""
        take = self.calculation.quantities[quantity]
        return lambda result: take(self.exercise.given, *result)


@dataclass(frozen=True)
class Question:
    """A field with what it is computed from, if anything."""

    field: Field
    exercise: Exercise
    worked: Worked | None

    @cached_property
    def right(self) -> Answer:
        """The right answer: computed where there is a calculation, else as written by hand."""
        if self.worked is None or self.field.quantity is None:
            return self.by_hand
        return self.worked.pick(self.field.quantity)(self.worked.paths.right[0])

    @cached_property
    def by_hand(self) -> Answer:
        """The answer that stands in the exercise."""
        assert self.field.answer is not None
        read: dict[str, Callable[[str], Any]] = {
            "vector": lambda text: reading.read_vector(text, 0),
            "number": reading.read_number,
            "whole": reading.read_whole,
            "yes-no": reading.read_yes_no,
            "choice": lambda text: reading.read_choice(text, self.field.options),
        }
        found = read[self.field.kind](self.field.answer)
        if found is None:
            raise DenseError("exercise-text-missing", source=self.exercise.source, key=self.field.name)
        value: Answer = found.value
        return value

    @cached_property
    def width(self) -> int:
        """How many numbers the right answer has."""
        if self.field.kind != "vector":
            return 1
        return len(self.right) if isinstance(self.right, tuple) else 1

    @property
    def topic(self) -> str | None:
        """Whose catalogue explains wrong answers."""
        return self.worked.calculation.topic if self.worked and self.field.quantity else None

    def mistakes(
        self, found: Answer, atol: Fraction, rtol: Fraction, pairs: bool
    ) -> tuple[Found, ...]:
        """All mistakes that make exactly `found`, the exercise's own first."""
        if self.worked is None or self.field.quantity is None or isinstance(found, str):
            return ()
        # Whole counts are exact: a tolerance would let a wrong width pass for another one's.
        tolerance = (0.0, 0.0) if self.field.kind not in ("vector", "number") else (float(atol), float(rtol))
        pick = self.worked.pick(self.field.quantity)
        return self.worked.paths.diagnose(pick, _plain(found), *tolerance, pairs=pairs)

    def following(self, earlier: Mapping[str, Any]) -> Answer | None:
        """What the answer should be after the student's own earlier answers; None where they gave none."""
        follows = self.field.follows
        if follows is None:
            return None
        own = [earlier.get(f"{self.exercise.id}.{name}") for name in follows.sources]
        if any(value is None for value in own):
            return None
        return FOLLOW_RULES[follows.rule](self.exercise.given, *own)


def _dot(_: Mapping[str, str], query: tuple[float, ...], key: tuple[float, ...]) -> Answer | None:
    if len(query) != len(key):
        return None
    return fsum(float(a) * float(b) for a, b in zip(query, key, strict=True))


def _gated_count(given: Mapping[str, str], hidden: Fraction) -> Answer | None:
    """Three matrices of the given width and the student's own hidden width, whole or not."""
    return 3 * int(given["width"]) * Fraction(hidden)


FOLLOW_RULES: Mapping[str, Callable[..., Answer | None]] = {"dot": _dot, "gated-count": _gated_count}


@dataclass(frozen=True)
class SetQuestions:
    """A whole set, worked out once for any number of students."""

    set: ExerciseSet
    questions: tuple[Question, ...]


def questions_of(exercises: ExerciseSet) -> SetQuestions:
    """Every field of the set with its calculation. Raises DenseError where an exercise names none of ours."""
    return SetQuestions(exercises, tuple(one for each in exercises.exercises for one in _questions(each)))


def _questions(exercise: Exercise) -> tuple[Question, ...]:
    worked: dict[str, Worked] = {}
    questions = []
    for field in exercise.fields:
        name = field.calculation
        if name is not None and name not in CALCULATIONS:
            known = tuple(CALCULATIONS)
            raise DenseError(
                "exercise-calculation", source=exercise.source, field=field.name, typed=name, known=known
            )
        if field.quantity is not None and (
            name is None or field.quantity not in CALCULATIONS[name].quantities
        ):
            known = tuple(CALCULATIONS[name].quantities) if name else ()
            raise DenseError(
                "exercise-quantity",
                source=exercise.source,
                field=field.name,
                typed=field.quantity,
                known=known,
            )
        if field.follows and field.follows.rule not in FOLLOW_RULES:
            raise DenseError(
                "exercise-rule", source=exercise.source, field=field.name, typed=field.follows.rule,
                known=tuple(FOLLOW_RULES),
            )  # fmt: skip
        if name is not None:
            worked.setdefault(name, Worked(exercise, CALCULATIONS[name]))
        questions.append(Question(field, exercise, worked.get(name) if name else None))
    return tuple(questions)


def _plain(value: Answer) -> Answer:
    """Floats for comparison with the core's, whole numbers as they are."""
    if isinstance(value, tuple):
        return tuple(float(entry) for entry in value)
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value
