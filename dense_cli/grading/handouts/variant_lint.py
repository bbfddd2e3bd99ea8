"""Are the variants of an exercise sound? Some are drawn and looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dense_cli.errors import DenseError
from dense_cli.grading.exercises.calculations import CALCULATIONS, Calculation
from dense_cli.grading.exercises.drawing import drawn_numbers, words
from dense_cli.grading.exercises.entries import within
from dense_cli.grading.exercises.exercise import NUMERIC, Exercise
from dense_cli.grading.exercises.placeholders import drawn_given, empty_places, places
from dense_cli.grading.variants.separating import OF_METHOD, hidden_ids
from dense_cli.grading.variants.variant import variant
from dense_cli.mistakes.diagnosis import FAILURES

SEEDS = tuple(map(str, range(1, 13)))
"""Variants that are drawn for a look."""

MOST_LOOKED_AT = 50
"""Choices of one number that are read."""

FEWEST = 6
"""Different ones that there must be among them: else neighbours have the same numbers."""


def variant_faults(one: Exercise) -> Iterator[DenseError]:
    """What is wrong with the variants of an exercise; nothing where it has none."""
    if one.variation is None:
        return
    yield from _static_faults(one)
    try:
        yield from _choice_faults(one)
    except DenseError as error:  # a place that no number fills
        yield error
        return
    seen, hidden = set[tuple[str, ...]](), set[str]()
    for seed in SEEDS:
        try:
            drawn = variant(one, seed)
        except DenseError as error:
            yield error
            return
        seen.add(tuple(drawn[0].exercise.given.values()))
        hidden |= hidden_ids(drawn, OF_METHOD)
    if len(seen) < FEWEST:
        yield DenseError("variant-few", source=one.source, count=len(seen), seeds=len(SEEDS))
    for name in sorted(set(one.variation.unseen) - hidden):
        yield DenseError("variant-unseen", source=one.source, typed=name)


def calculations_of(one: Exercise) -> tuple[Calculation, ...]:
    """The calculations that the fields of an exercise name."""
    names = dict.fromkeys(field.calculation for field in one.fields if field.calculation)
    return tuple(CALCULATIONS[name] for name in names)


def unreadable(calculation: Calculation, given: Mapping[str, str]) -> DenseError | None:
    """Why a calculation cannot read these given numbers; None where it can, or where one is missing."""
    try:
        calculation.read(given)
    except DenseError as error:
        return error
    except (*FAILURES, KeyError):
        return None
    return None


def _choice_faults(one: Exercise) -> Iterator[DenseError]:
    """Choices of a list that cannot be read beside any other numbers: they would never be drawn."""
    assert one.variation is not None
    numbers = one.variation.numbers
    calculations = calculations_of(one)
    others = [drawn_numbers(numbers, words(seed, one.id)) for seed in SEEDS]
    for name, choices in numbers.items():
        for choice in choices[:MOST_LOOKED_AT]:
            tried = [drawn_given(one, {**other, name: choice}) for other in others]
            for calculation in calculations:
                faults = [unreadable(calculation, given) for given in tried]
                if faults[0] is not None and None not in faults:
                    yield faults[0].about(source=within(one.source, f"[variant.numbers] {name}"))
                    break


def _static_faults(one: Exercise) -> Iterator[DenseError]:
    """Numbers that are drawn for nothing, and answers that would not follow the numbers."""
    assert one.variation is not None
    used = {name for text in one.variation.given.values() for name in places(text)}
    for name in one.variation.numbers:
        if name not in used:
            yield DenseError("variant-number-unused", source=one.source, typed=name)
    for place in dict.fromkeys(empty_places(one)):
        yield DenseError("exercise-place", source=one.source, typed=place, known=tuple(one.given))
    for field in one.fields:
        if field.kind in NUMERIC and field.quantity is None:
            yield DenseError("variant-answer", source=one.source, field=field.name)
