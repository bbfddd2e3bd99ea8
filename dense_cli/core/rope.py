"""Rotary position embeddings: turn the pairs of a query and a key by their positions, then compare.

Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021), sections 3.1 to 3.2:
theta_i = base**(-2i/r) and (R_m q)·(R_n k) = q·(R_(n-m) k).

Everything that a convention or a mistake may change is a field of `Rope`; a variant is
`dataclasses.replace(given, field=...)`:

=====================================  ==========================================================
read, look up or write in another way  `layout`; `table_layout`; `output_layout`
turn by other positions                `query_turn`, `key_turn` (None from them: left as it was)
turn by other angles                   `rates`; of a `Schedule`: `exponent`, `width`, `scale`
turn other coordinates                 `rotary_dim` together with `rates`
cosines and sines of less precision    `table`; without their factor: `attention_factor`
score and mask                         `score_width`; `visible`
=====================================  ==========================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from dense_cli.core import Row
from dense_cli.core.angles import Position, Rate, angle, cos_sin
from dense_cli.core.schedule import QUARTER_TURN, Schedule, default_rates, schedule
from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass

Pairs = tuple[tuple[int, int], ...]
"""Which two coordinates turn together, counted from 0; pair i turns by rate i."""

Directions = tuple[tuple[float, float], ...]
"""Cosine and sine of each pair's angle."""

__all__ = [
    "LAYOUTS",
    "QUARTER_TURN",
    "Pairs",
    "Rope",
    "RopeRow",
    "Schedule",
    "causal",
    "default_rates",
    "pairs",
    "rope",
    "schedule",
]

LAYOUTS = ("interleaved", "half")


def pairs(layout: str, rotary_dim: int) -> Pairs:
    """The coordinates that turn together: (2i, 2i+1) when interleaved, (i, i+r/2) when half.

    Raises `odd-width` and `unknown-layout`.

    >>> pairs("interleaved", 4), pairs("half", 4)
    (((0, 1), (2, 3)), ((0, 2), (1, 3)))
    """
    if rotary_dim % 2:
        raise DenseError("odd-width", width=rotary_dim)
    half = rotary_dim // 2
    if layout == "interleaved":
        return tuple((2 * i, 2 * i + 1) for i in range(half))
    if layout == "half":
        return tuple((i, i + half) for i in range(half))
    raise DenseError(
        "unknown-layout", typed=layout, nearest=nearest(str(layout), LAYOUTS), known=tuple(LAYOUTS)
    )


def own_position_of_query(query_position: Position, key_position: Position) -> Position | None:
    """A query is turned by its own position m."""
    return query_position


def own_position_of_key(query_position: Position, key_position: Position) -> Position | None:
    """A key is turned by its own position n."""
    return key_position


def causal(query_position: Position, key_position: Position) -> bool:
    """A query may use its own key and earlier ones: n ≤ m."""
    return key_position <= query_position


@dataclass(frozen=True, slots=True)
class Rope:
    """One query and one key, where they stand, and each part of how they are turned and compared.

    `query` and `key` have one width d, the first `rotary_dim` coordinates turn, `rates` holds one
    angle per pair (a tuple or a `Schedule`), `positions` the pairs (m, n). Cosines and sines are
    multiplied by `attention_factor`. The fields below it are parts that a variant replaces.
    """

    query: Row
    key: Row
    positions: tuple[tuple[Position, Position], ...]
    rates: Sequence[Rate]
    rotary_dim: int
    layout: str = "interleaved"
    attention_factor: float = 1.0

    table_layout: str | None = None
    """The layout whose table gives each coordinate its cosine and sine; None: `layout`."""
    output_layout: str | None = None
    """Where pair i is written; None: where it was read."""
    query_turn: Callable[[Position, Position], Position | None] = own_position_of_query
    """The position by which the query turns, from (m, n); None from it: left as it was."""
    key_turn: Callable[[Position, Position], Position | None] = own_position_of_key
    table: Callable[[Rate, Position], tuple[float, float]] = cos_sin
    score_width: int | None = None
    """The score is the product over the root of this; None: d."""
    visible: Callable[[Position, Position], bool] = causal

    @property
    def pairs(self) -> Pairs:
        """The coordinates that turn together."""
        return pairs(self.layout, self.rotary_dim)


@dataclass(frozen=True, slots=True)
class RopeRow:
    """A query at position m against a key at position n.

    Angles are radians, not reduced, one per pair; `*_cos_sin` are without the attention factor,
    `query` and `key` (width d) with it. `relative_*` belong to the other route, q·R((n−m)θ)k:
    `relative_key` is the key turned by the offset alone, without the factor.
    """

    query_position: Position
    key_position: Position
    offset: Position
    query_angles: Row
    key_angles: Row
    relative_angles: Row
    query_cos_sin: Directions
    key_cos_sin: Directions
    relative_cos_sin: Directions
    query: Row
    key: Row
    relative_key: Row
    products: Row
    dot: float
    relative_dot: float
    scaled_score: float
    visible: bool


def rope(given: Rope) -> tuple[RopeRow, ...]:
    """Turn query and key at each pair of positions and compare them, also by their offset alone.

    Raises `no-coordinates`, `width-mismatch`, `rotary-dim-out-of-range`, `odd-width`,
    `unknown-layout`, `rate-count`, `rope-overflow`.

    >>> row, = rope(Rope((1.0, 0.0), (1.0, 0.0), ((2, 3),), (QUARTER_TURN,), rotary_dim=2))
    >>> row.query, row.key, row.dot, row.visible
    ((-1.0, 0.0), (0.0, -1.0), 0.0, False)
    """
    _refuse_unusable(given)
    return tuple(_compared(given, m, n) for m, n in given.positions)


def _refuse_unusable(given: Rope) -> None:
    width = len(given.query)
    if len(given.key) != width:
        raise DenseError("width-mismatch", query_width=width, key_width=len(given.key))
    if not width:
        raise DenseError("no-coordinates")
    if not 2 <= given.rotary_dim <= width:
        # One coordinate alone is a width without pairs; the rest is a wrong --rotary-dim.
        if given.rotary_dim == width:
            raise DenseError("odd-width", width=width)
        raise DenseError("rotary-dim-out-of-range", typed=given.rotary_dim, width=width)
    if len(given.pairs) != len(given.rates):
        raise DenseError("rate-count", rates=len(given.rates), pairs=len(given.pairs))


def _compared(given: Rope, m: Position, n: Position) -> RopeRow:
    query_turn, key_turn = given.query_turn(m, n), given.key_turn(m, n)
    between = (key_turn or 0) - (query_turn or 0)
    query_cos_sin = _directions(given, query_turn)
    key_cos_sin = _directions(given, key_turn)
    relative_cos_sin = _directions(given, between)
    query = _turned(given, given.query, query_turn, query_cos_sin)
    key = _turned(given, given.key, key_turn, key_cos_sin)
    relative_key = _rotated(given.key, given.pairs, given.pairs, relative_cos_sin, relative_cos_sin)
    products = tuple(a * b + 0.0 for a, b in zip(query, key, strict=True))
    dot = _sum(products)
    return RopeRow(
        query_position=m,
        key_position=n,
        offset=n - m,
        query_angles=_angles(given, query_turn),
        key_angles=_angles(given, key_turn),
        relative_angles=_angles(given, between),
        query_cos_sin=query_cos_sin,
        key_cos_sin=key_cos_sin,
        relative_cos_sin=relative_cos_sin,
        query=query,
        key=key,
        relative_key=relative_key,
        products=products,
        dot=dot,
        relative_dot=_relative_dot(given, relative_key, (query_turn, key_turn)),
        scaled_score=dot / math.sqrt(given.score_width or len(given.query)),
        visible=given.visible(m, n),
    )


def _relative_dot(given: Rope, relative_key: Row, turns: tuple[Position | None, ...]) -> float:
    """q·R((n−m)θ)k: a factor for each side that turns, on the turned coordinates alone."""
    factor = math.prod(given.attention_factor for turn in turns if turn is not None)
    products = [a * b for a, b in zip(given.query, relative_key, strict=True)]
    r = given.rotary_dim
    return _sum([factor * product for product in products[:r]] + products[r:])


def _angles(given: Rope, position: Position | None) -> Row:
    return tuple(angle(rate, position or 0) for rate in given.rates)


def _directions(given: Rope, position: Position | None) -> Directions:
    """Cosine and sine of each pair at a position; of a zero angle for a side that is not turned."""
    if position is None:
        return ((1.0, 0.0),) * len(given.rates)
    return tuple(given.table(rate, position) for rate in given.rates)


def _turned(given: Rope, row: Row, position: Position | None, directions: Directions) -> Row:
    """The row at its position: attention factor, table layout and output layout applied."""
    if position is None:
        return tuple(value + 0.0 for value in row)
    factor = given.attention_factor
    table = tuple((cosine * factor, sine * factor) for cosine, sine in directions)
    if given.table_layout in (None, given.layout):
        firsts = seconds = table
    else:
        place = {c: i for i, pair in enumerate(pairs(given.table_layout, given.rotary_dim)) for c in pair}
        firsts = tuple(table[place[a]] for a, _ in given.pairs)
        seconds = tuple(table[place[b]] for _, b in given.pairs)
    return _rotated(
        row, given.pairs, pairs(given.output_layout or given.layout, given.rotary_dim), firsts, seconds
    )


def _rotated(row: Row, read: Pairs, written: Pairs, firsts: Directions, seconds: Directions) -> Row:
    """(x cos − y sin, x sin + y cos) of each pair; each of the two has its own cosine and sine."""
    output = [value + 0.0 for value in row]
    for (a, b), (c, d), (cos_a, sin_a), (cos_b, sin_b) in zip(read, written, firsts, seconds, strict=True):
        output[c] = row[a] * cos_a - row[b] * sin_a + 0.0
        output[d] = row[a] * sin_b + row[b] * cos_b + 0.0
    return tuple(output)


def _sum(terms: Sequence[float]) -> float:
    """The terms' exact sum, rounded once."""
    try:
        total = math.fsum(terms) + 0.0
    except (OverflowError, ValueError):  # beyond float64, or infinity less infinity
        total = math.inf
    if not math.isfinite(total):
        raise DenseError("rope-overflow")
    return total
