"""The ways in which an array of heads may have been rotated: the catalogue of one rotation, on arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dense_cli.core.angles import Position
from dense_cli.core.kernels.tables import Directions, directions
from dense_cli.core.rope import Rope
from dense_cli.mistakes import Mistake
from dense_cli.mistakes.array_tables import MADE, Making
from dense_cli.mistakes.diagnosis import FAILURES
from dense_cli.mistakes.rope import ROPE

OF_QUERY_AND_KEY = {"swapped", "exchanged", "key-only", "query-only", "offset-both"}
"""Mistakes in how query and key stand to each other; of one array they are others or none."""

HEAD_AS_POSITION = Mistake("head-as-position", "rope", "slip", lambda given: ())
"""Head h added to the position, or used as the position: only an array with heads knows it."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to rotate: what was changed, how it turns, and how its table is made for many positions."""

    mistakes: tuple[Mistake, ...]
    rope: Rope
    making: Making
    heads: str = ""
    """What the head is for the position: "", "added" or "alone"."""

    def place(self, position: int, head: int) -> Position | None:
        """The position by which a row turns; None: it does not."""
        place = {"": position, "added": position + head, "alone": head}[self.heads]
        return self.rope.query_turn(place, place)

    def table(self, shape: tuple[int, ...], start: int) -> Directions:
        """cos + i·sin for an array of this shape, with the attention factor: [..., T, r/2]."""
        tokens = shape[-2]
        if self.heads:
            heads = np.arange(shape[-3])[:, None]
            places = heads + np.arange(start, start + tokens) if self.heads == "added" else heads
            return self.making(self.rope.rates, places) * self.rope.attention_factor
        turns = [self.rope.query_turn(place, place) for place in range(start, start + tokens)]
        if None in turns:
            return np.ones((1, len(self.rope.rates)), complex)
        return self.making(self.rope.rates, np.array(turns)) * self.rope.attention_factor


def ways(right: Rope, shape: tuple[int, ...]) -> Iterator[Way]:
    """Every mistake that can be made with an array of this shape, each of its settings by itself."""
    for mistake in ROPE:
        if mistake.id in OF_QUERY_AND_KEY:
            continue
        making = MADE.get(mistake.id)
        try:
            changed = tuple(mistake.change(right))
        except FAILURES:
            continue
        for number, rope in enumerate(changed):
            if _turns_otherwise(rope, right):
                yield Way((mistake,), rope, making[number] if making else directions)
    if len(shape) > 2 and shape[-3] > 1:
        for heads in ("added", "alone"):
            yield Way((HEAD_AS_POSITION,), right, directions, heads)


def _turns_otherwise(rope: Rope, right: Rope) -> bool:
    """Not only in its score or mask."""
    return replace(rope, score_width=right.score_width, visible=right.visible) != right
