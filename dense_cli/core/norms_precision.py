"""RMSNorm as model code computes it: numbers of one format in and out, statistics in float32."""

from __future__ import annotations

from math import inf, isfinite, sqrt

from dense_cli.core import Row
from dense_cli.core.norms import Norm
from dense_cli.core.precision import Format, to_float32, total_in_float32
from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass

BEFORE_GAIN, AFTER_GAIN = "before-gain", "after-gain"

CASTS = (BEFORE_GAIN, AFTER_GAIN)
"""When the normalized row leaves float32: before it meets the gain, as in LlamaRMSNorm, or after it, as in
GemmaRMSNorm and in `rms_norm` of PyTorch."""


@dataclass(frozen=True, slots=True)
class PrecisionRow:
    """One row on its way. `x`, `gain` and `output` are numbers of the format, the statistics float32;
    `normalized` is float32, or of the format where the cast comes before the gain. `gain` is what acts: with
    a unit offset 1 + g, added in float32. Anything may be infinite, and from there on not a number.
    """

    x: Row
    gain: Row | None
    square_sum: float
    mean_square: float
    under_root: float
    denominator: float
    reciprocal: float
    normalized: Row
    output: Row


def norm_in(given: Norm, dtype: Format, cast: str = BEFORE_GAIN) -> tuple[PrecisionRow, ...]:
    """RMSNorm of every row in the arithmetic of `dtype`, to the last digit.

    Input and gain are rounded to the format. In float32, each step rounded: squares, their sum (in the order
    of `total_in_float32`), mean, epsilon added, root, reciprocal, coordinate times reciprocal. The format
    comes back before or after the gain. Parts of `given` that a variant replaces are not looked at.

    `given` must be sound: `norm` raises what is wrong with it. Raises `DenseError` "unknown-cast".

    Source: PyTorch 2.13, torch.nn.functional.rms_norm; transformers 5.24, LlamaRMSNorm and GemmaRMSNorm.

    >>> from dense_cli.core.precision import BFLOAT16
    >>> given = Norm(x=((1.0, 1.0625),), gain=(1.375, 1.375))
    >>> [norm_in(given, BFLOAT16, cast)[0].output for cast in CASTS]
    [(1.328125, 1.421875), (1.3359375, 1.4140625)]
    """
    if cast not in CASTS:
        raise DenseError("unknown-cast", typed=cast, nearest=nearest(cast, CASTS), known=CASTS)
    gain = None if given.gain is None else dtype.row(given.gain)
    if gain is not None and given.unit_offset:
        gain = tuple(to_float32(1 + stored) for stored in gain)
    return tuple(_row(dtype.row(row), gain, given.eps, dtype, cast) for row in given.x)


def _row(x: Row, gain: Row | None, eps: float, dtype: Format, cast: str) -> PrecisionRow:
    square_sum = total_in_float32([to_float32(value * value) for value in x])
    mean_square = to_float32(square_sum / len(x))
    under_root = to_float32(mean_square + to_float32(eps))
    denominator = to_float32(sqrt(under_root))
    reciprocal = to_float32(1 / denominator) if denominator else inf
    normalized = tuple(to_float32(value * reciprocal) for value in x)
    if cast == BEFORE_GAIN:
        normalized = dtype.row(normalized)
    gained = normalized if gain is None else times_in_float32(gain, normalized)
    return PrecisionRow(
        x=x,
        gain=gain,
        square_sum=square_sum,
        mean_square=mean_square,
        under_root=under_root,
        denominator=denominator,
        reciprocal=reciprocal,
        normalized=normalized,
        output=dtype.row(gained),
    )


def times_in_float32(row: Row, other: Row) -> Row:
    """Two rows multiplied coordinate by coordinate, each product rounded to float32."""
    return tuple(to_float32(value * factor) for value, factor in zip(row, other, strict=True))


def all_finite(row: PrecisionRow) -> bool:
    """Whether nothing on the way left the finite numbers."""
    return all(map(isfinite, (row.mean_square, row.reciprocal, *row.output)))
