"""Exact rationals between the floats that come in and the floats that go out.

A float is a rational number, so sums, products and means of floats have exact values. Keeping them exact
until the last step leaves one rounding in a result, and squares can neither overflow nor vanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, isqrt, lcm, sqrt
from operator import mul

Number = Fraction | float
"""An exact value; a float only where something is infinite."""

ExactRow = tuple[Fraction, ...]
ExactMatrix = tuple[ExactRow, ...]

ROOT_BITS = 128
"""Significant bits of an irrational root: over twice a float's, so rounding it once more is harmless."""


def exact_row(row: Sequence[float]) -> ExactRow:
    """The exact values of finite floats."""
    return tuple(map(Fraction, row))


def rounded(value: Number) -> float:
    """The float nearest to `value` (ties to even); infinite where it is beyond the largest float.

    >>> rounded(Fraction(1, 3)), rounded(Fraction(10) ** 400), rounded(-Fraction(10) ** 400)
    (0.3333333333333333, inf, -inf)
    """
    try:
        return float(value) + 0.0  # no negative zero
    except OverflowError:
        return inf if value > 0 else -inf


def root(value: Number) -> Number:
    """The square root: exact where it is rational, else its first 128 bits.

    >>> root(Fraction(9, 4)), float(root(Fraction(2)))
    (Fraction(3, 2), 1.4142135623730951)
    """
    if not isinstance(value, Fraction):
        return sqrt(value)
    above, below = value.numerator, value.denominator
    top, bottom = isqrt(above), isqrt(below)
    if top * top == above and bottom * bottom == below:
        return Fraction(top, bottom)
    shift = max(0, ROOT_BITS - (above.bit_length() - below.bit_length()) // 2)
    return Fraction(isqrt((above << 2 * shift) // below), 1 << shift)


def square_sum(row: ExactRow) -> Fraction:
    """The exact sum of the squares.

    >>> square_sum((Fraction(3), Fraction(1, 2)))
    Fraction(37, 4)
    """
    whole, common = _over_one_denominator(row)
    return Fraction(sum(map(mul, whole, whole)), common * common)


def mean(row: ExactRow) -> Fraction:
    """The exact mean.

    >>> mean((Fraction(3), Fraction(4)))
    Fraction(7, 2)
    """
    whole, common = _over_one_denominator(row)
    return Fraction(sum(whole), common * len(row))


def _over_one_denominator(row: ExactRow) -> tuple[list[int], int]:
    # Adding fractions one by one reduces each time; over one denominator it is whole numbers.
    common = lcm(*(value.denominator for value in row))
    return [value.numerator * (common // value.denominator) for value in row], common
