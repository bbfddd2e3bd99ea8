"""A field of an exercise ready for marking: its right answer computed, its wrong ones at hand.

Everything that does not depend on a student is worked out once here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import Any

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.grading.documents import written
from dense_cli.grading.exercises.calculations import CALCULATIONS, Answer, Calculation, Vector
from dense_cli.grading.exercises.exercise import NUMERIC, Exercise, ExerciseSet, Field
from dense_cli.mistakes import Mistake, catalogue
from dense_cli.mistakes.diagnosis import FAILURES, Found, WrongPaths
from dense_cli.reading import answers as reading
from dense_cli.reading.answers import Reading

MOST_DIGITS = 20
"""More are never counted."""


@dataclass(frozen=True)
class Worked:
    """One calculation of an exercise: the given numbers as typed and as the core takes them."""

    exercise: Exercise
    calculation: Calculation

    @cached_property
    def asked(self) -> Any:
        """The core's input. Raises DenseError with the exercise's file where the given text is none."""
        return self._solved(lambda: self.calculation.read(self.exercise.given))

    @cached_property
    def right(self) -> Any:
        """What the core makes of it. Raises DenseError where it refuses."""
        return self._solved(lambda: self.calculation.compute(self.asked))

    @cached_property
    def paths(self) -> WrongPaths:
        """What each catalogued mistake makes of the given numbers, and each of the exercise's own."""
        own = tuple(self._own(one.id, one.given) for one in self.exercise.mistakes)
        return WrongPaths(own + catalogue(self.calculation.topic), self.asked, self._results)

    def answer(self, quantity: str) -> Answer:
        """A quantity of the right result."""
        found: Answer = self._solved(lambda: self.pick(quantity)((self.asked, self.right)))
        return found

    def _solved(self, part: Callable[[], Any]) -> Any:
        """What `part` gives; whatever it comes to instead is a fault of the exercise, told with its file."""
        source = self.exercise.source
        try:
            return part()
        except DenseError as error:
            raise error.about(source=source) from error
        except KeyError as error:
            raise DenseError("exercise-given-missing", source=source, key=str(error.args[0])) from error
        except FAILURES as error:
            raise DenseError("exercise-unsolvable", source=source, reason=type(error).__name__) from error

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
        found = self.worked.answer(self.field.quantity)
        if not _answers(self.field, found):
            facts = {"field": self.field.name, "typed": self.field.quantity, "kind": self.field.kind}
            raise DenseError("exercise-quantity-kind", source=self.exercise.source, **facts)
        return found

    @cached_property
    def entries(self) -> tuple[Fraction, ...]:
        """The numbers of the right answer, exactly."""
        right: Any = self.right
        return tuple(map(Fraction, right if isinstance(right, tuple) else (right,)))

    @cached_property
    def by_hand(self) -> Answer:
        """The answer that stands in the exercise."""
        found = read_answer(self.field, self.field.answer)
        if isinstance(found, DenseError):
            raise found.about(source=self.exercise.source)
        if found is None:
            raise DenseError("exercise-text-missing", source=self.exercise.source, key=self.field.name)
        return found.value

    @cached_property
    def width(self) -> int:
        """How many numbers the right answer has."""
        if self.field.kind != "vector":
            return 1
        return len(self.right) if isinstance(self.right, tuple) else 1

    @property
    def paths(self) -> WrongPaths | None:
        """What known mistakes make of this question; None where nothing is calculated."""
        return self.worked.paths if self.worked is not None and self.field.quantity is not None else None

    @cached_property
    def pick(self) -> Callable[[tuple[Any, Any]], Answer]:
        """What the field takes from a result of `paths`."""
        assert self.worked is not None
        assert self.field.quantity is not None
        return self.worked.pick(self.field.quantity)

    def mistakes(self, found: Reading, atol: Fraction, rtol: Fraction) -> tuple[Found, ...]:
        """All mistakes that make exactly this answer, the exercise's own first."""
        if self.paths is None or isinstance(found.value, str):
            return ()
        # Whole counts are exact: a tolerance would let a wrong width pass for another one's.
        close = (float(atol), float(rtol)) if self.field.kind in ("vector", "number") else (0.0, 0.0)
        digits = _digits(found) if self.field.kind == "number" else None
        return self.paths.diagnose(self.pick, _plain(found.value), *close, digits=digits)

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The keys of the fields from whose answers this one may follow."""
        follows = self.field.follows
        return () if follows is None else tuple(f"{self.exercise.id}.{name}" for name in follows.sources)

    def following(self, earlier: Mapping[str, Any]) -> Answer | None:
        """What the answer should be after the student's own earlier answers; None where they gave none."""
        follows = self.field.follows
        if follows is None:
            return None
        own = [earlier.get(source) for source in self.sources]
        if any(value is None for value in own):
            return None
        return FOLLOW_RULES[follows.rule](self.exercise.given, *own)


def _answers(field: Field, found: Any) -> bool:
    """Whether what was computed can be the right answer to a field of this kind."""
    if field.kind not in NUMERIC:
        return found in field.options if field.kind == "choice" else isinstance(found, bool)
    entries = found if isinstance(found, tuple) else (found,)
    # A mean square may be too large for float64: nobody can write it down.
    return isinstance(found, tuple) <= (field.kind == "vector") and all(
        isinstance(entry, int | Fraction | float) and not isinstance(entry, bool) and isfinite(entry)
        for entry in entries
    )


def _dot(_: Mapping[str, str], query: Vector, key: Vector) -> Answer | None:
    if len(query) != len(key):
        return None
    # Exactly: products of what students write may be too large for float64.
    return sum((Fraction(a) * Fraction(b) for a, b in zip(query, key, strict=True)), Fraction(0))


def _gated_count(given: Mapping[str, str], hidden: Fraction) -> Answer | None:
    """Three matrices of the given width and the student's own hidden width, whole or not."""
    return 3 * int(given["width"]) * Fraction(hidden)


FOLLOW_RULES: Mapping[str, Callable[..., Answer | None]] = {"dot": _dot, "gated-count": _gated_count}


def read_answer(field: Field, given: object, width: int = 0) -> Reading | DenseError | None:
    """An answer as a value: None for a blank one, the reason where it cannot be read.

    `width` is how many numbers a vector should have; it only helps to recognise decimal commas.
    """
    try:
        match field.kind:
            case "vector":
                return reading.read_vector(given, width)
            case "number":
                return reading.read_number(given)
            case "whole":
                return reading.read_whole(given)
            case "yes-no":
                return reading.read_yes_no(given)
            case "choice":
                return reading.read_choice(given, field.options)
        return _open_text(given)
    except DenseError as error:
        return error.about()  # without the frames that it came through, which hold the answer


def _open_text(given: object) -> Reading | None:
    """Open text is for a person: it is kept as it is."""
    if reading.is_blank(given):
        return None
    text = written(given)
    return Reading(text, text)


@dataclass(frozen=True)
class SetQuestions:
    """A whole set, worked out once for any number of students."""

    set: ExerciseSet
    questions: tuple[Question, ...]


def questions_of(exercises: ExerciseSet) -> SetQuestions:
    """Every field of the set with its calculation. Raises DenseError where an exercise names none of ours."""
    return SetQuestions(
        exercises, tuple(one for each in exercises.exercises for one in questions_about(each))
    )


def questions_about(exercise: Exercise) -> tuple[Question, ...]:
    """The questions of one exercise. Raises DenseError where it names a calculation that is none of ours."""
    worked: dict[str, Worked] = {}
    questions = []
    for field in exercise.fields:
        name = _calculation(exercise, field)
        if name is not None:
            worked.setdefault(name, Worked(exercise, CALCULATIONS[name]))
        questions.append(Question(field, exercise, worked[name] if name is not None else None))
    return tuple(questions)


def _calculation(exercise: Exercise, field: Field) -> str | None:
    """The calculation of a field. Raises DenseError where the field names something that we do not have."""
    name, quantity = field.calculation, field.quantity
    facts = {"source": exercise.source, "field": field.name}
    if name is not None and name not in CALCULATIONS:
        raise DenseError("exercise-calculation", **facts, typed=name, known=tuple(CALCULATIONS))
    known = tuple(CALCULATIONS[name].quantities) if name is not None else ()
    if quantity is not None and quantity not in known:
        raise DenseError("exercise-quantity", **facts, typed=quantity, known=known)
    if field.follows and field.follows.rule not in FOLLOW_RULES:
        raise DenseError("exercise-rule", **facts, typed=field.follows.rule, known=tuple(FOLLOW_RULES))
    return name


def _digits(found: Reading) -> int | None:
    """The significant digits that were written, zeros at the end included; None for an expression."""
    if len(found.decimals) != 1 or found.decimals[0] is None:
        return None
    assert not isinstance(found.value, tuple | str)
    return len(str(int(abs(Fraction(found.value)) * 10 ** min(found.decimals[0], MOST_DIGITS))))


def _plain(value: Answer) -> Answer:
    """Floats for comparison with the core's, whole numbers as they are."""
    if isinstance(value, tuple):
        return tuple(float(entry) for entry in value)
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return value
