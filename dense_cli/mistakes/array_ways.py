"""The ways in which an array of heads may have been rotated: the catalogue of one rotation, on arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dense_cli.core.angles import Position
from dense_cli.core.kernels.tables import Directions, directions
from dense_cli.core.rope import Rope
from dense_cli.frozen import dataclass, replace
from dense_cli.mistakes import Catalogue, Mistake
from dense_cli.mistakes.array_tables import Making, making
from dense_cli.mistakes.pairing import changed

OF_QUERY_AND_KEY = {"swapped", "exchanged", "key-only", "query-only", "offset-both"}
"""Mistakes in how query and key stand to each other; of one array they are others or none."""

HEAD_AS_POSITION = Mistake("head-as-position", "rope", "slip", lambda given: ())
"""Head h added to the position, or used as the position: only an array with heads knows it."""

HEADS = ("added", "alone")


@dataclass(frozen=True, slots=True)
class Way:
    """A way to rotate: what was changed, how it turns, and how its table is made for many positions."""

    mistakes: tuple[Mistake, ...]
    rope: Rope
    making: Making = directions
    heads: str = ""
    """What the head is for the position: "", "added" or "alone"."""

    def place(self, position: int, head: int) -> Position | None:
        """The position by which a row turns; None: it does not."""
        place = {"": position, "added": position + head, "alone": head}[self.heads]
        return self.rope.query_turn(place, place)

    def table(self, shape: tuple[int, ...], start: int) -> Directions:
        """cos + i·sin for an array of this shape, with the attention factor: [..., T, r/2]."""
        places = np.arange(start, start + shape[-2])
        if self.heads:
            heads = np.arange(shape[-3])[:, None]
            places = heads + places if self.heads == "added" else heads
        turns = [self.rope.query_turn(place, place) for place in places.reshape(-1).tolist()]
        if None in turns:
            return np.ones((1, len(self.rope.rates)), complex)
        return (
            self.making(self.rope.rates, np.array(turns).reshape(places.shape)) * self.rope.attention_factor
        )


def ways(right: Rope, shape: tuple[int, ...], mistakes: Catalogue) -> Iterator[Way]:
    """Every mistake that can be made with an array of this shape, each of its settings by itself."""
    for mistake in _of_one_array(mistakes):
        for number, rope in enumerate(changed(mistake, right)):
            if _turns_otherwise(rope, right):
                yield Way((mistake,), rope, making([(mistake.id, number)]))
    if _has_heads(shape):
        for heads in HEADS:
            yield Way((HEAD_AS_POSITION,), right, heads=heads)


def two_ways(right: Rope, shape: tuple[int, ...], mistakes: Catalogue) -> Iterator[Way]:
    """Every two of them together: what the second makes of what the first made, or the other way round
    where it applies only so."""
    made = [
        (mistake, ropes)
        for mistake in _of_one_array(mistakes)
        for ropes in [changed(mistake, right)]
        if not ropes or any(_turns_otherwise(rope, right) for rope in ropes)
    ]
    for number, one in enumerate(made):
        for other in made[number + 1 :]:
            yield from _both(one, other) or _both(other, one)
    if _has_heads(shape):
        for mistake, ropes in made:
            for setting, rope in enumerate(ropes):
                for heads in HEADS:
                    yield Way((mistake, HEAD_AS_POSITION), rope, making([(mistake.id, setting)]), heads)


Made = tuple[Mistake, tuple[Rope, ...]]


def _both(one: Made, other: Made) -> list[Way]:
    (first, ropes), (second, _) = one, other
    return [
        Way((first, second), twice, making([(first.id, number), (second.id, again)]))
        for number, once in enumerate(ropes)
        for again, twice in enumerate(changed(second, once))
    ]


def _of_one_array(mistakes: Catalogue) -> Iterator[Mistake]:
    return (mistake for mistake in mistakes if mistake.id not in OF_QUERY_AND_KEY)


def _has_heads(shape: tuple[int, ...]) -> bool:
    return len(shape) > 2 and shape[-3] > 1


def _turns_otherwise(rope: Rope, right: Rope) -> bool:
    """Not only in its score or mask."""
    return replace(rope, score_width=right.score_width, visible=right.visible) != right
