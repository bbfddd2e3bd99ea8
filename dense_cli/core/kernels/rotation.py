"""Rotation of all heads and positions at once, by a table made once for a layout and a number type.

Interleaved pairs are complex numbers as they lie in memory, so their rotation is one complex product. Halves
take three operations a block: x·cos, the exchanged halves times [−sin, sin], and their sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dense_cli.core.angles import Rate
from dense_cli.core.kernels.tables import Directions, directions
from dense_cli.core.kernels.walking import (
    Array,
    Index,
    Scratch,
    block_size,
    blocks,
    check_out,
    is_ready,
    overlaps,
    result_dtype,
    rows_where_they_stand,
    same,
)
from dense_cli.core.rope import pairs
from dense_cli.errors import DenseError


class Interleaved:
    """Pairs (2i, 2i+1): cos + i·sin, [..., T, r/2]."""

    def __init__(self, table: Directions) -> None:
        self.parts: tuple[Array, ...] = (table,)
        self.rotary_dim = 2 * table.shape[-1]
        self.dtype = table.real.dtype

    def room(self, size: int, ready: bool) -> int:
        """Numbers in a block: all at once where nothing has to be copied."""
        return size if ready else block_size(size)

    def turn(self, x: Array, out: Array, parts: Sequence[Array], scratch: Scratch) -> None:
        """x [..., T, r] turned by these parts of the table, into `out`, which may be x."""
        (table,) = parts
        np.multiply(x.view(table.dtype), table, out=out.view(table.dtype))


class Half:
    """Pairs (i, i+r/2): cos and cos, −sin and sin for the two halves, [..., T, r] each."""

    def __init__(self, table: Directions) -> None:
        cosine, sine = table.real, table.imag
        self.parts: tuple[Array, ...] = (
            np.concatenate((cosine, cosine), axis=-1),
            np.concatenate((-sine, sine), axis=-1),
        )
        self.rotary_dim = 2 * table.shape[-1]
        self.dtype = cosine.dtype

    def room(self, size: int, ready: bool) -> int:
        """Numbers in a block: x times the sines needs room."""
        return block_size(size, LARGE)

    def turn(self, x: Array, out: Array, parts: Sequence[Array], scratch: Scratch) -> None:
        """x [..., T, r] turned by these parts of the table, into `out`, which may be x."""
        cosines, sines = parts
        crossed = scratch.like(x)
        if out is not x:  # the sooner the better: memory is read fastest from end to end
            np.multiply(x, cosines, out=out)
        halves = (*x.shape[:-1], 2, x.shape[-1] // 2)  # views: one axis is only cut in two
        exchanged = x.reshape(halves)[..., ::-1, :]
        np.multiply(exchanged, sines.reshape(halves), out=crossed.reshape(halves))
        if out is x:
            np.multiply(x, cosines, out=out)
        np.add(out, crossed, out=out)


class Rearranged:
    """Pairs read in one layout, written in another, their cosines and sines looked up in a third."""

    def __init__(self, table: Directions, read: str, written: str, looked_up: str) -> None:
        self.rotary_dim = 2 * table.shape[-1]
        self.dtype = table.real.dtype
        column = {c: i for i, pair in enumerate(pairs(looked_up, self.rotary_dim)) for c in pair}
        firsts, seconds = (
            [column[c] for c in side] for side in zip(*pairs(read, self.rotary_dim), strict=True)
        )
        first, second = table[..., firsts], table[..., seconds]
        self.parts: tuple[Array, ...] = (first.real, first.imag, second.real, second.imag)
        self._read, self._written = (_members(layout, self.rotary_dim) for layout in (read, written))

    def room(self, size: int, ready: bool) -> int:
        """Numbers in a block."""
        return block_size(size)

    def turn(self, x: Array, out: Array, parts: Sequence[Array], scratch: Scratch) -> None:
        """x [..., T, r] turned by these parts of the table, into `out`, which may be x."""
        first, second = (x[..., members] for members in self._read)
        cos_first, sin_first, cos_second, sin_second = parts
        turned_first = first * cos_first - second * sin_first
        turned_second = first * sin_second + second * cos_second
        out[..., self._written[0]], out[..., self._written[1]] = turned_first, turned_second


def _members(layout: str, rotary_dim: int) -> tuple[slice, slice]:
    """Where the first and the second members of all pairs stand."""
    if layout == "half":
        return slice(rotary_dim // 2), slice(rotary_dim // 2, rotary_dim)
    return slice(0, rotary_dim, 2), slice(1, rotary_dim, 2)


class Table(Protocol):
    """What `turned` turns by: its parts are arrays [..., T, any], cut as the rows are."""

    parts: tuple[Array, ...]
    rotary_dim: int
    dtype: np.dtype[Any]

    def room(self, size: int, ready: bool) -> int:
        """Numbers in a block of an array of so many; `ready` where nothing has to be brought into order."""

    def turn(self, x: Array, out: Array, parts: Sequence[Array], scratch: Scratch) -> None:
        """x [..., T, r] turned by these parts of the table, into `out`, which may be x."""


LARGE = 1 << 18
"""The most numbers in a block of halves: its three operations are short, so each call should do more."""

LAYOUTS: dict[str, Callable[[Directions], Table]] = {"interleaved": Interleaved, "half": Half}


def table(
    rates: Sequence[Rate],
    positions: ArrayLike | range,
    layout: str = "interleaved",
    dtype: DTypeLike = np.float64,
    factor: float = 1.0,
    written: str | None = None,
) -> Table:
    """What `turned` needs for numbers of this type at these positions [..., T]; see `tables.directions`.

    One pair for each rate; `written` is the layout of the result where that is another. Raises `DenseError`
    "unknown-layout".
    """
    pairs(layout, 2 * len(rates))  # refuses what is no layout
    wide = np.result_type(dtype, np.complex64)
    return arranged(directions(rates, positions, wide, factor), layout, written)


def arranged(
    directions: Directions, layout: str, written: str | None = None, looked_up: str | None = None
) -> Table:
    """Directions [..., T, r/2] for pairs of a layout; written, or looked up, in another one where said."""
    if {written, looked_up} <= {None, layout}:
        return LAYOUTS[layout](directions)
    return Rearranged(directions, layout, written or layout, looked_up or layout)


def turned(x: Array, by: Table, out: Array | None = None) -> Array:
    """Each pair of x [..., T, D] turned by its direction in the table, into `out` or a new array.

    The first r coordinates turn, r the width of the table; the others are copied. The table's leading axes
    are the last of x's, as NumPy broadcasts. `out` may be x. Numbers are calculated in the table's type.
    Raises `DenseError`: "rotary-dim-out-of-range", "position-count", and what `check_out` refuses.

    Source: Su et al., RoFormer, equation 34.

    >>> from dense_cli.core.rope import QUARTER_TURN
    >>> x = np.array([[[1.0, 2.0], [3.0, 4.0]]])
    >>> turned(x, table([QUARTER_TURN], range(1, 3))).tolist()
    [[[-2.0, 1.0], [-3.0, -4.0]]]
    """
    width = by.rotary_dim
    _refuse_unfit(by, x)
    if out is None:
        out = np.empty(x.shape, result_dtype(x))
    else:
        check_out(out, x.shape)
        if overlaps(out, x):
            np.copyto(out, turned(x, by), casting="same_kind")
            return out
    turning, into = x[..., :width], out[..., :width]
    ready, writable = is_ready(turning, by.dtype), is_ready(into, by.dtype)
    read, write, crossed = Scratch(by.dtype), Scratch(by.dtype), Scratch(by.dtype)
    spread = [np.broadcast_to(part, (*x.shape[:-1], part.shape[-1])) for part in by.parts]
    in_place = same(turning, into)
    with rows_where_they_stand():
        for index in blocks(turning.shape, by.room(x.size, ready and writable)):
            source = turning[index]
            target = source if in_place else into[index]
            source = source if ready else read.copy(source)
            result = target if writable else write.like(target)
            by.turn(source, result, [part[index] for part in spread], crossed)
            if not writable:
                np.copyto(target, result, casting="same_kind")
    if width < x.shape[-1] and not same(out, x):
        np.copyto(out[..., width:], x[..., width:], casting="same_kind")
    return out


def turned_blocks(x: Array, by: Table) -> Iterator[tuple[Index, Array]]:
    """Block after block of x [..., T, D] turned: where it stands in x, and its numbers until the next one."""
    _refuse_unfit(by, x)
    width = by.rotary_dim
    read, write, crossed = Scratch(by.dtype), Scratch(by.dtype), Scratch(by.dtype)
    spread = [np.broadcast_to(part, (*x.shape[:-1], part.shape[-1])) for part in by.parts]
    ready = is_ready(x, by.dtype)
    for index in blocks(x.shape, block_size(x.size)):
        source = x[index] if ready else read.copy(x[index])
        result = write.like(source)
        with rows_where_they_stand():
            by.turn(source[..., :width], result[..., :width], [part[index] for part in spread], crossed)
        result[..., width:] = source[..., width:]
        yield index, result


def _refuse_unfit(by: Table, x: Array) -> None:
    if x.ndim < 1 or by.rotary_dim > x.shape[-1]:
        raise DenseError("rotary-dim-out-of-range", typed=by.rotary_dim, width=x.shape[-1] if x.ndim else 0)
    own = by.parts[0].shape[:-1]
    try:
        fits = np.broadcast_shapes(own, x.shape[:-1]) == x.shape[:-1]
    except ValueError:
        fits = False
    if not fits:
        raise DenseError("position-count", positions=str(own), rows=str(x.shape[:-1]))
