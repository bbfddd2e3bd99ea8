"""RMSNorm and LayerNorm, each row alone, exact until the last rounding.

Every step is a part of `Norm` that can be replaced: a variant, a convention or a mistake is
``dataclasses.replace(given, part=...)``. Parts work on exact rationals; only the records hold floats.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isfinite

from dense_cli.core import Matrix, Row
from dense_cli.core.exact import (
    ExactMatrix,
    ExactRow,
    Number,
    exact_row,
    mean,
    root,
    rounded,
    square_sum,
)
from dense_cli.core.linear import check_matrix, check_row
from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass, replace


def uncentred(row: ExactRow) -> ExactRow:
    """The row itself: RMSNorm subtracts nothing."""
    return row


def centred(row: ExactRow) -> ExactRow:
    """The row's deviations from its mean: LayerNorm's first step.

    >>> [str(deviation) for deviation in centred(exact_row((3.0, 4.0)))]
    ['-1/2', '1/2']
    """
    middle = mean(row)
    return tuple(value - middle for value in row)


def own_rows(matrix: ExactMatrix) -> tuple[tuple[ExactRow, ...], ...]:
    """Each row's statistic reads that row."""
    return tuple((row,) for row in matrix)


def mean_square(row: ExactRow) -> Number:
    """The mean of the squares; of a centred row, the population variance.

    >>> mean_square(exact_row((3.0, 4.0)))
    Fraction(25, 2)
    """
    return square_sum(row) / len(row)


def root_of_sum(statistic: Number, eps: Fraction) -> Number:
    """√(statistic + eps): epsilon stands under the root."""
    return root(statistic + eps)


def quotient(value: Fraction, denominator: Number) -> Number:
    """value / denominator."""
    return value / denominator


def acting_gain(stored: Fraction, unit_offset: bool) -> Fraction:
    """The factor that a stored gain stands for: itself, or 1 + itself."""
    return 1 + stored if unit_offset else stored


def times_gain(value: Number, gain: Fraction) -> Number:
    """gain · value."""
    return gain * value


@dataclass(frozen=True, slots=True)
class Norm:
    """What is normalised and how: the given numbers, then the parts of the calculation.

    `x` is [T, C], a batch of rows; `gain` is [C] or None for no gain; `eps` is 0 or positive. With
    `unit_offset` a stored gain g acts as 1 + g. `pools` names for each row the numbers that its statistic
    reads: one row of them for the whole row, or one for each of its coordinates.
    """

    x: Matrix
    gain: Row | None = None
    eps: float = 0.0
    unit_offset: bool = False
    centre: Callable[[ExactRow], ExactRow] = uncentred
    pools: Callable[[ExactMatrix], tuple[tuple[ExactRow, ...], ...]] = own_rows
    statistic: Callable[[ExactRow], Number] = mean_square
    denominator: Callable[[Number, Fraction], Number] = root_of_sum
    combine: Callable[[Fraction, Number], Number] = quotient
    full_gain: Callable[[Fraction, bool], Fraction] = acting_gain
    apply_gain: Callable[[Number, Fraction], Number] = times_gain


@dataclass(frozen=True, slots=True)
class NormRow:
    """One row of RMSNorm. `mean_square` is 0 or infinite where the exact one is beyond the floats."""

    x: Row
    mean_square: float
    denominator: float
    normalized: Row
    output: Row


@dataclass(frozen=True, slots=True)
class LayerNormRow:
    """One row of LayerNorm. `variance` is the population variance, 0 or infinite beyond the floats."""

    x: Row
    mean: float
    variance: float
    denominator: float
    normalized: Row
    output: Row


def norm(given: Norm) -> tuple[NormRow, ...]:
    """RMSNorm of every row: g_i · x_i / √(Σ x_j² / C + eps).

    Results are within one unit in the last place, whatever the size of the numbers. Raises `DenseError`:
    "zero-row" for a zero denominator, "negative-eps", "gain-width", "ragged-rows", "empty-matrix",
    "value-not-finite", "output-overflow".

    Source: Zhang and Sennrich, Root Mean Square Layer Normalization, equation 4, with epsilon added.

    >>> row, = norm(Norm(x=((3.0, 4.0),)))
    >>> row.mean_square, row.denominator, row.output
    (12.5, 3.5355339059327378, (0.848528137423857, 1.131370849898476))
    """
    return _normalised(given, refusal="zero-row")


def layer_norm(given: Norm) -> tuple[LayerNormRow, ...]:
    """LayerNorm of every row, with the same gain and epsilon and no bias: RMSNorm of the centred row.

    Raises `DenseError` as `norm` does, but "constant-row" for a zero denominator.

    Source: Ba, Kiros and Hinton, Layer Normalization, equation 4, with epsilon under the root.

    >>> row, = layer_norm(Norm(x=((4.0, 5.0),)))
    >>> row.mean, row.variance, row.output
    (4.5, 0.25, (-1.0, 1.0))
    """
    rows = _normalised(replace(given, centre=centred), refusal="constant-row")
    return tuple(
        LayerNormRow(
            x=row.x,
            mean=rounded(mean(exact_row(row.x))),
            variance=row.mean_square,
            denominator=row.denominator,
            normalized=row.normalized,
            output=row.output,
        )
        for row in rows
    )


def _normalised(given: Norm, refusal: str) -> tuple[NormRow, ...]:
    _check(given)
    matrix = tuple(given.centre(exact_row(row)) for row in given.x)
    gain = None if given.gain is None else exact_row(given.gain)
    eps = Fraction(given.eps)
    divisors: dict[int, tuple[tuple[Number, ...], tuple[Number, ...]]] = {}
    rows = []
    for number, (row, pool) in enumerate(zip(matrix, given.pools(matrix), strict=True)):
        if id(pool) not in divisors:  # of one pool for all rows the statistics are taken once
            statistics = tuple(map(given.statistic, pool))
            divisors[id(pool)] = statistics, tuple(given.denominator(each, eps) for each in statistics)
        rows.append(_row(given, row, gain, number, divisors[id(pool)], refusal))
    return tuple(rows)


def _row(
    given: Norm,
    row: ExactRow,
    gain: ExactRow | None,
    number: int,
    divisors: tuple[tuple[Number, ...], tuple[Number, ...]],
    refusal: str,
) -> NormRow:
    statistics, denominators = divisors
    if 0 in denominators:
        raise DenseError(refusal, row=number + 1)
    shared = denominators * len(row) if len(denominators) == 1 else denominators
    normalized = tuple(map(given.combine, row, shared))
    output = tuple(map(rounded, _gained(given, normalized, gain)))
    if not all(map(isfinite, output)):
        raise DenseError("output-overflow", row=number + 1)
    return NormRow(
        x=tuple(map(float, given.x[number])),
        mean_square=rounded(statistics[0]),
        denominator=rounded(denominators[0]),
        normalized=tuple(map(rounded, normalized)),
        output=output,
    )


def _gained(given: Norm, normalized: tuple[Number, ...], gain: ExactRow | None) -> tuple[Number, ...]:
    if gain is None:
        return normalized
    factors = (given.full_gain(stored, given.unit_offset) for stored in gain)
    return tuple(map(given.apply_gain, normalized, factors))


def _check(given: Norm) -> None:
    check_matrix("x", given.x)
    if not (isfinite(given.eps) and given.eps >= 0):
        raise DenseError("negative-eps", eps=given.eps)
    if given.gain is None:
        return
    if len(given.gain) != len(given.x[0]):
        raise DenseError("gain-width", gain=len(given.gain), width=len(given.x[0]))
    check_row("gain", given.gain)


def shifted(x: Matrix, shift: float) -> Matrix:
    """`shift` added to every coordinate. Raises `DenseError` "shift-overflow".

    >>> shifted(((3.0, 4.0),), 10.0)
    ((13.0, 14.0),)
    """
    moved = tuple(tuple(value + shift for value in row) for row in x)
    if not all(isfinite(value) for row in moved for value in row):
        raise DenseError("shift-overflow", shift=shift)
    return moved


def scaled(x: Matrix, scale: float) -> Matrix:
    """Every coordinate multiplied by `scale`. Raises `DenseError` "scale-overflow".

    >>> scaled(((3.0, 4.0),), 2.0)
    ((6.0, 8.0),)
    """
    stretched = tuple(tuple(value * scale for value in row) for row in x)
    if not all(isfinite(value) for row in stretched for value in row):
        raise DenseError("scale-overflow", scale=scale)
    return stretched
