"""Two arrays, and whether a way to rotate makes the one of the other: on a few rows, and on all of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from dense_cli.core.kernels.rms import square_sums
from dense_cli.core.kernels.rotation import turned, turned_blocks
from dense_cli.core.kernels.walking import Array, Index, Scratch, working_dtype
from dense_cli.frozen import dataclass
from dense_cli.mistakes.array_tables import table_of
from dense_cli.mistakes.array_ways import Way
from dense_cli.mistakes.coordinates import turned_pair
from dense_cli.mistakes.diagnosis import Found
from dense_cli.mistakes.pairing import FAILURES

ANGLE_IN_FLOAT32 = 2.0**-22
"""The error of an angle calculated in float32, per radian: of the frequency, and of the product."""

MOST_SLACK = 0.01
"""Beyond it an angle in float32 is no excuse: other ways would be taken for the right one."""

OTHER_LENGTH = 0.0199
"""Squares of lengths that differ by more than this share are not kept: so lengths that differ by 1 %, which
the page says. Less may be the rounding of a short format."""

Place = tuple[int, ...]
Difference = tuple[Place, float, float]
"""Where, what was found there, and what is expected."""


@dataclass(frozen=True, slots=True)
class RotationReport:
    """What was found out about an array that should be the rotated input.

    `matches`: every number is within the tolerance. `close`: it is so, or would be with angles calculated in
    float32, whose error grows with the position. `first_difference` is the first place that is not close:
    its index, the number found there and the one expected; `first_beyond` the first place that is not within
    the tolerance. `rows_beyond` are all rows that hold such a place: how many, in how many heads, at how many
    tokens. `followed` are the mistakes and conventions that make all of the numbers, with the largest error
    left. `pairs_tried`: two of them together were looked for, since none makes the numbers alone.
    """

    matches: bool
    close: bool
    max_abs_error: float | None
    first_difference: Difference | None
    lengths_kept: bool
    followed: tuple[Found, ...]
    first_beyond: Difference | None = None
    rows_beyond: tuple[int, int, int] = (0, 0, 0)
    pairs_tried: bool = False


class Nearest:
    """Of each mistake, or two together, the way that is nearest."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, ...], Found] = {}

    def keep(self, way: Way, error: float) -> None:
        """Note that this way makes the numbers up to this error."""
        ids = tuple(mistake.id for mistake in way.mistakes)
        known = self._found.get(ids)
        if known is None or error < known.max_abs_error:
            self._found[ids] = Found(way.mistakes, error)

    @property
    def found(self) -> tuple[Found, ...]:
        """In the order in which they were first met."""
        return tuple(self._found.values())


class ArrayQuestion:
    """The two arrays, where they begin, and what counts as the same number; with `close` also what an angle
    in float32 may change."""

    def __init__(self, x: Array, y: Array, start: int, atol: float, rtol: float, close: bool = True) -> None:
        self.x, self.y, self.start, self.atol, self.rtol = x, y, start, atol, rtol
        self._dtype = working_dtype(x, y)
        short = close and (x.dtype.itemsize <= 4 or y.dtype.itemsize <= 4)
        largest = np.abs(x[..., -1:, :].astype(np.float64)).max(initial=0.0) if short else 0.0
        self._largest = float(largest)

    def strictly(self) -> ArrayQuestion:
        """The same, without what an angle in float32 may change."""
        return ArrayQuestion(self.x, self.y, self.start, self.atol, self.rtol, close=False)

    def of(self, way: Way) -> ArrayQuestion:
        """Strictly the same about what this way makes of x."""
        with np.errstate(over="ignore", invalid="ignore"):
            made = way.table(self.x.shape, self.start)
            wide = made.astype(np.result_type(working_dtype(self.x), np.complex64))
            y = turned(self.x, table_of(way.rope, wide))
        return ArrayQuestion(self.x, y, self.start, self.atol, self.rtol, close=False)

    def followed(self, all_ways: Iterable[Way]) -> tuple[Found, ...]:
        """The mistakes that make all of the numbers, each in the way that is nearest."""
        nearest = Nearest()
        for way in self.likely(all_ways):
            error = self.error(way)
            if error is not None:
                nearest.keep(way, error)
        return nearest.found

    # --- all numbers

    def compared(self, way: Way) -> RotationReport:
        """Everything that can be told of this way, on the whole array."""
        largest, kept = 0.0, True
        beyond: Difference | None = None
        first: Difference | None = None
        wrong_rows = np.zeros(self.x.shape[:-1], bool)
        for index, block, difference in self._differences(way):
            y, error = self.y[index], float(difference.max())
            largest = max(largest, error, key=_size)
            kept = kept and _lengths_agree(block, y.astype(self._dtype, copy=False))
            if error <= self.atol:
                continue
            wrong = ~(difference <= self.atol + self.rtol * np.abs(block))
            wrong_rows[index] = wrong.any(axis=-1)
            beyond = beyond or _first(wrong, index, y, block)
            if first is None:
                first = _first(~(difference <= self._tolerance(block, index)), index, y, block)
        return RotationReport(
            matches=beyond is None,
            close=first is None,
            max_abs_error=largest if math.isfinite(largest) else None,
            first_difference=first,
            lengths_kept=kept,
            followed=(),
            first_beyond=beyond,
            rows_beyond=_extent(wrong_rows),
        )

    def error(self, way: Way) -> float | None:
        """The largest difference from what this way makes, or None where one is beyond the tolerance."""
        largest = 0.0
        for index, block, difference in self._differences(way):
            error = float(difference.max())
            if not error <= self.atol and not (difference <= self._tolerance(block, index)).all():
                return None
            largest = max(largest, error)
        return largest

    def _differences(self, way: Way) -> Iterator[tuple[Index, Array, Array]]:
        """Block by block: where it stands, what this way makes, and how far from that y is."""
        if not self.x.size:
            return
        wide = np.result_type(self._dtype, np.complex64)
        with np.errstate(over="ignore", invalid="ignore"):
            made = way.table(self.x.shape, self.start).astype(wide)
            room = Scratch(self._dtype)
            for index, block in turned_blocks(self.x, table_of(way.rope, made)):
                difference = np.subtract(block, self.y[index], out=room.like(block), casting="same_kind")
                yield index, block, np.abs(difference, out=difference)

    def _tolerance(self, block: Array, index: Index) -> Array:
        """What each number of a block may be off: as asked, and what an angle in float32 may change."""
        tokens = index[-1] if len(index) == self.x.ndim - 1 else slice(None)
        places = np.arange(self.start, self.start + self.x.shape[-2], dtype=np.float64)[tokens]
        slack = np.minimum(ANGLE_IN_FLOAT32 * np.abs(places), MOST_SLACK) * self._largest
        return np.asarray(self.atol + self.rtol * np.abs(block) + slack[..., None])

    # --- a few numbers

    def likely(self, all_ways: Iterable[Way]) -> Iterator[Way]:
        """The ways that make the sampled numbers."""
        if not self.x.size:
            return
        rows = self._sample()
        for way in all_ways:
            try:
                if all(self._makes(way, index) for index in rows):
                    yield way
            except FAILURES:
                continue

    def _sample(self) -> tuple[Place, ...]:
        """Indices of rows: some tokens of the first and the last head."""
        tokens = self.x.shape[-2]
        some = dict.fromkeys((tokens - 1, tokens // 3, min(1, tokens - 1)))
        last = tuple(length - 1 for length in self.x.shape[:-2])
        return tuple((*head, token) for token in some for head in dict.fromkeys((last, (0,) * len(last))))

    def _makes(self, way: Way, index: Place) -> bool:
        """Whether it makes some coordinates of this row; the first wrong one decides."""
        given, found = way.rope, self.y[index]
        row = tuple(self.x[index].tolist())
        position = self.start + index[-1]
        place = way.place(position, index[-2] if len(index) > 1 else 0)
        slack = self.atol + min(ANGLE_IN_FLOAT32 * abs(position), MOST_SLACK) * self._largest
        count = len(given.rates)
        return all(
            abs(value - float(found[coordinate])) <= slack + self.rtol * abs(value)
            for i in dict.fromkeys((0, 1 % count, count // 2, count - 1))
            for coordinate, value in turned_pair(given, row, place, i)
        )


def _size(error: float) -> float:
    """NaN counts as larger than every number."""
    return math.inf if math.isnan(error) else error


def _first(wrong: Array, index: Index, y: Array, block: Array) -> Difference | None:
    """The first of the places marked in a block."""
    if not wrong.any():
        return None
    inside = np.unravel_index(int(wrong.argmax()), wrong.shape)
    place = tuple(int(each) for each in inside)
    return _place(index, place), float(y[place]), float(block[place])


def _extent(rows: Array) -> tuple[int, int, int]:
    """Of marked rows [..., H, T]: how many, in how many heads (of all sequences), at how many tokens."""
    if not rows.any():
        return 0, 0, 0
    heads = rows.reshape(-1, rows.shape[-1])
    return int(rows.sum()), int(heads.any(axis=1).sum()), int(heads.any(axis=0).sum())


def _place(index: Index, inside: Place) -> Place:
    """The index in the array of a place in one of its blocks."""
    rest = iter(inside)
    known = tuple(each if isinstance(each, int) else each.start + next(rest) for each in index)
    return (*known, *rest)


def _lengths_agree(a: Array, b: Array) -> bool:
    ours, theirs = square_sums(a), square_sums(b)
    return bool((np.abs(ours - theirs) <= OTHER_LENGTH * ours).all())
