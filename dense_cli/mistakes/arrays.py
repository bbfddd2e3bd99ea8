"""Which convention does an array of rotated heads follow? The catalogue for one query and key, on arrays.

Each mistake is first tried on a few pairs of a few rows, one angle at a time, as for hand-sized input. What
makes these numbers is then calculated for the whole array and compared with all of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dense_cli.core.angles import Position
from dense_cli.core.kernels.rms import square_sums
from dense_cli.core.kernels.rotation import turned_blocks
from dense_cli.core.kernels.tables import Directions, directions
from dense_cli.core.kernels.walking import Array, Index, Scratch, working_dtype
from dense_cli.core.rope import Rope, pairs
from dense_cli.errors import DenseError
from dense_cli.mistakes import Mistake
from dense_cli.mistakes.array_tables import MADE, Making, table_of
from dense_cli.mistakes.diagnosis import FAILURES, Found
from dense_cli.mistakes.rope import ROPE

OF_QUERY_AND_KEY = {"swapped", "exchanged", "key-only", "query-only", "offset-both"}
"""Mistakes in how query and key stand to each other; of one array they are others or none."""

HEAD_AS_POSITION = Mistake("head-as-position", "rope", "slip", lambda given: ())
"""Head h added to the position, or used as the position: only an array with heads knows it."""

ANGLE_IN_FLOAT32 = 2.0**-22
"""The error of an angle calculated in float32, per radian: of the frequency, and of the product."""

MOST_SLACK = 0.01
"""Beyond it an angle in float32 is no excuse: other ways would be taken for the right one."""

OTHER_LENGTH = 0.02
"""Squares of lengths that differ by more than this share are not kept."""

Place = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RotationReport:
    """What was found out about an array that should be the rotated input.

    `matches`: every number is within the tolerance. `close`: it is so, or would be with angles calculated in
    float32, whose error grows with the position. `first_difference` is the first place that is not close:
    its index, the number found there and the one expected. `followed` are the mistakes and conventions that
    make all of the numbers, with the largest error left.
    """

    matches: bool
    close: bool
    max_abs_error: float | None
    first_difference: tuple[Place, float, float] | None
    lengths_kept: bool
    followed: tuple[Found, ...]


def rotation_report(
    given: Rope, x: Array, y: Array, start: int = 0, atol: float = 5e-5, rtol: float = 0.0
) -> RotationReport:
    """Is y the input x [..., T, D] rotated as `given` says, and if not, which known mistake makes it?

    Positions run from `start` along the last axis but one; heads are the axis before. Of `given`, the vectors
    and positions are left aside. Raises `DenseError`: "array-shapes", "rotary-dim-out-of-range".

    >>> from dense_cli.core.kernels.rotation import table, turned
    >>> from dense_cli.core.schedule import Schedule
    >>> rates = Schedule(10000, 4)
    >>> x = np.arange(1.0, 25.0).reshape(2, 3, 4)
    >>> y = turned(x, table(rates, range(3), "half"))
    >>> report = rotation_report(Rope((), (), (), rates, rotary_dim=4), x, y)
    >>> report.matches, report.first_difference[0], [found.id for found in report.followed]
    (False, (0, 1, 0), ['other-layout'])
    """
    if x.shape != y.shape or x.ndim < 2:
        raise DenseError("array-shapes", input=str(x.shape), output=str(y.shape))
    zeros = (0.0,) * x.shape[-1]
    right = replace(given, query=zeros, key=zeros, positions=())
    question = _Question(x, y, start, atol, rtol)
    found = question.compared(_Way((), right, directions))
    if found.close:
        return replace(found, followed=())
    followed: dict[str, Found] = {}
    for way in question.likely(ways(right, x.shape)):
        error = question.error(way)
        (mistake,) = way.mistakes
        known = followed.get(mistake.id)
        if error is not None and (known is None or error < known.max_abs_error):
            followed[mistake.id] = Found((mistake,), error)
    return replace(found, followed=tuple(followed.values()))


@dataclass(frozen=True, slots=True)
class _Way:
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


def ways(right: Rope, shape: tuple[int, ...]) -> Iterator[_Way]:
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
                yield _Way((mistake,), rope, making[number] if making else directions)
    if len(shape) > 2 and shape[-3] > 1:
        for heads in ("added", "alone"):
            yield _Way((HEAD_AS_POSITION,), right, directions, heads)


def _turns_otherwise(rope: Rope, right: Rope) -> bool:
    """Not only in its score or mask."""
    return replace(rope, score_width=right.score_width, visible=right.visible) != right


class _Question:
    """The two arrays, where they begin, and what counts as the same number."""

    def __init__(self, x: Array, y: Array, start: int, atol: float, rtol: float) -> None:
        self.x, self.y, self.start, self.atol, self.rtol = x, y, start, atol, rtol
        self._dtype = working_dtype(x, y)
        short = x.dtype.itemsize <= 4 or y.dtype.itemsize <= 4
        largest = np.abs(x[..., -1:, :].astype(np.float64)).max(initial=0.0) if short else 0.0
        self._largest = float(largest)

    # --- all numbers

    def compared(self, way: _Way) -> RotationReport:
        """Everything that can be told of this way, on the whole array."""
        largest, kept, beyond, first = 0.0, True, False, None
        for index, block, difference in self._differences(way):
            y, error = self.y[index], float(difference.max())
            largest = max(largest, error, key=_size)
            kept = kept and _lengths_agree(block, y.astype(self._dtype, copy=False))
            if error <= self.atol or (beyond and first is not None):
                continue
            beyond = beyond or not (difference <= self.atol + self.rtol * np.abs(block)).all()
            wrong = ~(difference <= self._tolerance(block, index))
            if first is None and wrong.any():
                inside = tuple(int(each) for each in np.argwhere(wrong)[0])
                first = (_place(index, inside), float(y[inside]), float(block[inside]))
        known = largest if math.isfinite(largest) else None
        return RotationReport(not beyond, first is None, known, first, kept, ())

    def error(self, way: _Way) -> float | None:
        """The largest difference from what this way makes, or None where one is beyond the tolerance."""
        largest = 0.0
        for index, block, difference in self._differences(way):
            error = float(difference.max())
            if not error <= self.atol and not (difference <= self._tolerance(block, index)).all():
                return None
            largest = max(largest, error)
        return largest

    def _differences(self, way: _Way) -> Iterator[tuple[Index, Array, Array]]:
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

    def likely(self, all_ways: Iterator[_Way]) -> Iterator[_Way]:
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

    def _makes(self, way: _Way, index: Place) -> bool:
        """Whether it makes some coordinates of this row; the first wrong one decides."""
        given, row, found = way.rope, self.x[index], self.y[index]
        position = self.start + index[-1]
        place = way.place(position, index[-2] if len(index) > 1 else 0)
        slack = self.atol + min(ANGLE_IN_FLOAT32 * abs(position), MOST_SLACK) * self._largest
        read, written = given.pairs, pairs(given.output_layout or given.layout, given.rotary_dim)
        looked_up = pairs(given.table_layout or given.layout, given.rotary_dim)
        column = {c: i for i, pair in enumerate(looked_up) for c in pair}

        def direction(coordinate: int) -> tuple[float, float]:
            if place is None:
                return 1.0, 0.0
            cosine, sine = given.table(given.rates[column[coordinate]], place)
            return cosine * given.attention_factor, sine * given.attention_factor

        def same(coordinate: int, value: float) -> bool:
            return abs(value - float(found[coordinate])) <= slack + self.rtol * abs(value)

        count = len(read)
        for i in dict.fromkeys((0, 1 % count, count // 2, count - 1)):
            (a, b), (c, d) = read[i], written[i]
            first, second = float(row[a]), float(row[b])
            cosine, sine = direction(a)
            if not same(c, first * cosine - second * sine):
                return False
            cosine, sine = direction(b)
            if not same(d, first * sine + second * cosine):
                return False
        return given.rotary_dim == len(row) or same(len(row) - 1, float(row[-1]))


def _size(error: float) -> float:
    """NaN counts as larger than every number."""
    return math.inf if math.isnan(error) else error


def _place(index: Index, inside: Place) -> Place:
    """The index in the array of a place in one of its blocks."""
    rest = iter(inside)
    known = tuple(each if isinstance(each, int) else each.start + next(rest) for each in index)
    return (*known, *rest)


def _lengths_agree(a: Array, b: Array) -> bool:
    ours, theirs = square_sums(a), square_sums(b)
    return bool((np.abs(ours - theirs) <= OTHER_LENGTH * ours).all())
