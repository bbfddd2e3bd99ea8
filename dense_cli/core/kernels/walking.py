"""How arrays are walked through: in blocks of whole rows, each brought into working order first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dense_cli.errors import DenseError

Array = NDArray[Any]
Index = tuple[int | slice, ...]

BLOCK = 1 << 17
"""The most numbers in a block: half a megabyte of float32, so that it stays in the cache with its result."""

SMALL = 1 << 15
"""Blocks need not be smaller than this, whatever the size of the array."""

SHARE = 128
"""Room for a block is less than 1 % of an array, unless the array is small."""


SHORT_ROW = 1 << 10
"""Rows of fewer numbers are copied by NumPy, so many numbers at once, which fit the nearest cache."""


def working_dtype(*arrays: Array) -> np.dtype[Any]:
    """The type in which arrays are calculated: float32 if all are float32 or float16, else float64.

    >>> working_dtype(np.zeros(1, ">f4"), np.zeros(1, "f2")).name
    'float32'
    """
    short = all(array.dtype.kind == "f" and array.dtype.itemsize <= 4 for array in arrays)
    return np.dtype(np.float32 if short else np.float64)


def result_dtype(x: Array) -> np.dtype[Any]:
    """The type of what is made of `x`: its own without the byte order if it is a float, else float64."""
    short = x.dtype.kind == "f" and x.dtype.itemsize <= 8
    return x.dtype.newbyteorder("=") if short else np.dtype(np.float64)


def is_large(x: Array) -> bool:
    """Whether an array is worth being worked on in blocks.

    >>> is_large(np.zeros(1000)), is_large(np.zeros(1000_000))
    (False, True)
    """
    return x.size > SMALL


def block_size(size: int, most: int = BLOCK) -> int:
    """Numbers in a block of an array of so many numbers.

    >>> block_size(100), block_size(2**23), block_size(2**30)
    (32768, 65536, 131072)
    """
    return min(max(size // SHARE, SMALL), most)


@contextmanager
def rows_where_they_stand() -> Iterator[None]:
    """NumPy copies at most SHORT_ROW numbers at once of an operand that it repeats or puts in another order.

    It copies what it can into its buffers, to have fewer calls of its loops. That is worth it for short rows;
    with buffers of the usual size it also copies a gain or a table beside rows of thousands of numbers.
    """
    usual = np.setbufsize(SHORT_ROW)
    try:
        yield
    finally:
        np.setbufsize(usual)


def blocks(shape: tuple[int, ...], most: int) -> Iterator[Index]:
    """Indices that cut an array of this shape into blocks of whole rows, of at most `most` numbers.

    A row, along the last axis, is never cut; an array without numbers has no blocks.

    >>> list(blocks((2, 3, 4), most=8))
    [(0, slice(0, 2, None)), (0, slice(2, 3, None)), (1, slice(0, 2, None)), (1, slice(2, 3, None))]
    """
    if 0 in shape:
        return
    if len(shape) < 2:
        yield ()
        return
    length = shape[0]
    inside = int(np.prod(shape[1:], dtype=object))
    if inside <= most or len(shape) == 2:
        step = max(1, most // inside)
        yield from ((slice(first, min(first + step, length)),) for first in range(0, length, step))
        return
    for first in range(length):
        yield from ((first, *rest) for rest in blocks(shape[1:], most))


def merged(*arrays: Array) -> tuple[Array, ...]:
    """The same arrays as [rows, width] where all are contiguous: blocks can then be as large as allowed."""
    if all(array.ndim > 2 and array.flags.c_contiguous for array in arrays):
        width = arrays[0].shape[-1]
        rows = arrays[0].size // width if width else 0
        return tuple(array.reshape(rows, width) for array in arrays)
    return arrays


def flat(*arrays: Array) -> tuple[Array, ...]:
    """The same arrays cut between any two numbers: as one column where all are contiguous."""
    if all(array.flags.c_contiguous for array in arrays):
        return tuple(array.reshape(-1, 1) for array in arrays)
    return tuple(array[..., None] for array in arrays)


def check_out(out: object, shape: tuple[int, ...]) -> None:
    """Refuse what cannot take a result of this shape, before anything is calculated.

    Raises `DenseError`: "out-kind" for what is no array of floats, "out-read-only", "out-shape".

    >>> check_out(np.empty((2, 3)), (2, 3))
    """
    if not isinstance(out, np.ndarray):
        raise DenseError("out-kind", kind=type(out).__name__)
    if out.dtype.kind != "f":  # whole numbers would lose the fractions
        raise DenseError("out-kind", kind=out.dtype.name)
    if not out.flags.writeable:
        raise DenseError("out-read-only")
    if out.shape != shape:
        raise DenseError("out-shape", found=str(out.shape), wanted=str(shape))


def is_ready(array: Array, dtype: DTypeLike) -> bool:
    """Whether NumPy's fast loops take each row of the array as it stands."""
    return array.dtype == dtype and array.dtype.isnative and array.flags.aligned and _rows_contiguous(array)


def _rows_contiguous(array: Array) -> bool:
    return not array.ndim or array.shape[-1] == 1 or array.strides[-1] == array.itemsize


class Scratch:
    """Room for one block, made once and used for every block."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._room: Array = np.empty(0, dtype)
        self._last: Array = self._room

    def like(self, block: Array) -> Array:
        """An array of the block's shape, with anything in it."""
        if self._last.shape != block.shape:
            if self._room.size < block.size:
                self._room = np.empty(block.size, self._room.dtype)
            self._last = self._room[: block.size].reshape(block.shape)
        return self._last

    def copy(self, block: Array) -> Array:
        """The block's numbers in working order."""
        room = self.like(block)
        np.copyto(room, block, casting="unsafe")
        return room


def overlaps(out: Array, *inputs: Array) -> bool:
    """Whether writing to `out` might change an input that is still to be read.

    An input that is `out` itself, number by number, is read before it is written, and does not count.

    >>> x = np.zeros(4)
    >>> overlaps(x, x), overlaps(x[1:], x[:-1])
    (False, True)
    """
    return any(not same(out, x) and np.may_share_memory(out, x) for x in inputs)


def same(a: Array, b: Array) -> bool:
    """Whether two arrays are one and the same memory, number by number."""
    return a.__array_interface__["data"] == b.__array_interface__["data"] and (
        (a.shape, a.strides, a.dtype) == (b.shape, b.strides, b.dtype)
    )
