"""Are the variants of an exercise sound? Some are drawn and looked at."""

from __future__ import annotations

from collections.abc import Iterator

from dense_cli.errors import DenseError
from dense_cli.grading.exercise import NUMERIC, Exercise
from dense_cli.grading.placeholders import empty_places, places
from dense_cli.grading.separating import OF_METHOD, hidden_ids
from dense_cli.grading.variants import variant

SEEDS = tuple(map(str, range(1, 13)))
"""Variants that are drawn for a look."""

FEWEST = 6
"""Different ones that there must be among them: else neighbours have the same numbers."""


def variant_faults(one: Exercise) -> Iterator[DenseError]:
    """What is wrong with the variants of an exercise; nothing where it has none."""
    if one.variation is None:
        return
    yield from _static_faults(one)
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
