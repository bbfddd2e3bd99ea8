"""Single coordinates of a rotated row, as `core.rope` makes them: a few of them rule most wrong paths out."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum, sqrt

from dense_cli.core import Row
from dense_cli.core.angles import Position
from dense_cli.core.rope import Rope

Coordinate = tuple[int, float]
"""Where a number is written, and the number."""


def turned_pair(given: Rope, row: Row, place: Position | None, i: int) -> tuple[Coordinate, Coordinate]:
    """Both coordinates of pair i of a row at a position; None: the row is not turned.

    >>> from dense_cli.core.schedule import QUARTER_TURN
    >>> given = Rope((), (), (), (QUARTER_TURN,), rotary_dim=2)
    >>> turned_pair(given, (3.0, 4.0), 1, 0)
    ((0, -4.0), (1, 3.0))
    """
    a, b = _members(given.layout, given.rotary_dim, i)
    if place is None:
        return (a, row[a] + 0.0), (b, row[b] + 0.0)
    c, d = _members(given.output_layout or given.layout, given.rotary_dim, i)
    factor = given.attention_factor
    looked_up = given.table_layout or given.layout
    first = second = given.rates[_pair_of(looked_up, given.rotary_dim, a)]
    if looked_up != given.layout:
        second = given.rates[_pair_of(looked_up, given.rotary_dim, b)]
    cosine, sine = given.table(first, place)
    one = row[a] * (cosine * factor) - row[b] * (sine * factor) + 0.0
    if second is not first:
        cosine, sine = given.table(second, place)
    return (c, one), (d, row[a] * (sine * factor) + row[b] * (cosine * factor) + 0.0)


def _members(layout: str, rotary_dim: int, i: int) -> tuple[int, int]:
    """Pair i of `core.rope.pairs`, without the others."""
    return (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + rotary_dim // 2)


def _pair_of(layout: str, rotary_dim: int, coordinate: int) -> int:
    return coordinate // 2 if layout == "interleaved" else coordinate % (rotary_dim // 2)


def first_of_query(given: Rope) -> float:
    """The first coordinate of the rotated query, at the first pair of positions."""
    return turned_pair(given, given.query, given.query_turn(*given.positions[0]), 0)[0][1]


def first_of_key(given: Rope) -> float:
    """The same of the key."""
    return turned_pair(given, given.key, given.key_turn(*given.positions[0]), 0)[0][1]


def dot(given: Rope) -> float:
    """The product of the rotated query and key, and nothing else of their comparison."""
    m, n = given.positions[0]
    query = _turned(given, given.query, given.query_turn(m, n))
    key = _turned(given, given.key, given.key_turn(m, n))
    return fsum(a * b for a, b in zip(query, key, strict=True))


def score(given: Rope) -> float:
    """The product over the root of the width."""
    return dot(given) / sqrt(given.score_width or len(given.query))


def _turned(given: Rope, row: Row, place: Position | None) -> list[float]:
    turned = list(row)
    for i in range(len(given.rates)):
        for where, value in turned_pair(given, row, place, i):
            turned[where] = value
    return turned


GLANCES: dict[str, Callable[[Rope], float]] = {
    "query": first_of_query,
    "key": first_of_key,
    "dot": dot,
    "score": score,
}
"""For quantities of a rotation, their first number alone."""
