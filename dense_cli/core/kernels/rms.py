"""RMSNorm of every row of an array, read from memory once and written once.

The squares of a row are summed in its own type. Rows whose sum leaves the range in which that is exact
enough are calculated again, scaled by a power of two, in float64.
"""

from __future__ import annotations

from math import isfinite, sqrt
from typing import Any

import numpy as np

from dense_cli.core.kernels.walking import (
    Array,
    Scratch,
    block_size,
    blocks,
    check_out,
    is_ready,
    merged,
    overlaps,
    result_dtype,
    rows_where_they_stand,
    working_dtype,
)
from dense_cli.errors import DenseError

ROWS_AT_ONCE = 1 << 18
"""Numbers in a block that is worked on where it stands: 64 rows of 4096."""

SAFE = {
    dtype: (float(np.finfo(dtype).tiny / np.finfo(dtype).eps), float(np.finfo(dtype).max))
    for dtype in ("float32", "float64")
}
"""Between these the mean of squares has lost no digits by underflow and is no overflow."""


def rms_norm(
    x: Array,
    gain: Array | None = None,
    eps: float = 0.0,
    unit_offset: bool = False,
    out: Array | None = None,
) -> Array:
    """g_i · x_i / √(Σ x_j² / C + eps) of every row of x [..., C], into `out` or a new array.

    `gain` is [C]; with `unit_offset` a stored gain g acts as 1 + g. `out` may be x. No square overflows or
    vanishes, whatever the size of the numbers. Raises `DenseError`: "zero-row" for a row of zeros with eps
    0 (rows counted from 1 through all leading axes), "array-no-coordinates", "gain-width",
    "negative-eps", and what `check_out` refuses.

    Source: Zhang and Sennrich, Root Mean Square Layer Normalization, equation 4, with epsilon added.

    >>> rms_norm(np.array([[3.0, 4.0], [3e200, 4e200]])).round(6).tolist()
    [[0.848528, 1.131371], [0.848528, 1.131371]]
    """
    _refuse_unusable(x, gain, eps)
    if out is None:
        out = np.empty(x.shape, result_dtype(x))
    else:
        check_out(out, x.shape)
        if overlaps(out, *((x,) if gain is None else (x, gain))):
            np.copyto(out, rms_norm(x, gain, eps, unit_offset), casting="same_kind")
            return out
    dtype = working_dtype(x)
    factors = _factors(gain, unit_offset, dtype)
    rows, into = merged(x, out)
    ready, writable = is_ready(rows, dtype), is_ready(into, dtype)
    read, write = Scratch(dtype), Scratch(dtype)
    most = ROWS_AT_ONCE if ready and writable else block_size(x.size)  # a block needs no room of its own
    try:
        with np.errstate(all="ignore"), rows_where_they_stand():
            for index in blocks(rows.shape, most):
                source = rows[index] if ready else read.copy(rows[index])
                result = into[index] if writable else write.like(into[index])
                _normalise(source, factors, eps, result)
                if not writable:
                    np.copyto(into[index], result, casting="same_kind")
    except DenseError:
        first = np.flatnonzero(~x.any(axis=-1).reshape(-1))[0]
        raise DenseError("zero-row", row=int(first) + 1) from None
    return out


def _refuse_unusable(x: Array, gain: Array | None, eps: float) -> None:
    width = x.shape[-1] if x.ndim else 0
    if not width:
        raise DenseError("array-no-coordinates", name="x")
    if gain is not None and gain.shape != (width,):
        raise DenseError("gain-width", gain="×".join(map(str, gain.shape)) or 1, width=width)
    if not (isfinite(eps) and eps >= 0):
        raise DenseError("negative-eps", eps=eps)


def _factors(gain: Array | None, unit_offset: bool, dtype: np.dtype[Any]) -> Array | None:
    if gain is None:
        return None
    acting = gain.astype(np.float64)
    return (1 + acting if unit_offset else acting).astype(dtype)


def _normalise(x: Array, factors: Array | None, eps: float, out: Array) -> None:
    """One block, ready for fast loops, into `out`, which may be x. A row of zeros raises "zero-row"."""
    statistic = square_sums(x)
    statistic /= x.shape[-1]
    statistic += eps
    lowest, largest = SAFE[x.dtype.name]
    # NaN is in no range.
    safe = (statistic > lowest) & (statistic <= largest)
    rescaled = None if safe.all() else _rescaled(x[~safe], factors, eps)
    np.sqrt(statistic, out=statistic)
    np.divide(1, statistic, out=statistic)
    np.multiply(x, statistic[..., None], out=out)
    if factors is not None:
        np.multiply(out, factors, out=out)
    if rescaled is not None:
        out[~safe] = rescaled


def square_sums(x: Array) -> Array:
    """Σ x_j² of every row.

    >>> square_sums(np.array([[3.0, 4.0]])).tolist()
    [25.0]
    """
    if hasattr(np, "vecdot"):  # NumPy 2.0
        sums: Array = np.vecdot(x, x)
        return np.asarray(sums)
    return np.asarray(np.einsum("...i,...i->...", x, x))


def _rescaled(x: Array, factors: Array | None, eps: float) -> Array:
    """The same of rows [N, C] in float64, each divided by a power of two near its largest value."""
    wide = x.astype(np.float64)
    size = np.maximum(np.abs(wide).max(axis=-1, keepdims=True), sqrt(eps))
    if not size.all():
        raise DenseError("zero-row")
    exponent = np.frexp(size)[1]
    np.ldexp(wide, -exponent, out=wide)
    statistic = np.square(wide).mean(axis=-1, keepdims=True) + np.ldexp(eps, -2 * exponent)
    wide /= np.sqrt(statistic)
    if factors is not None:
        wide *= factors
    return wide.astype(x.dtype)
