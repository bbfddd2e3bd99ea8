"""Arithmetic on typed numbers: exact while the value is rational or a rational multiple of pi.

Every operation is bounded before it is carried out, so that no typed power can use up time or memory.
Raised errors have no `typed`; the reader that knows it adds it.
"""

from __future__ import annotations

import math
from fractions import Fraction

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass

BITS = 4096  # of a numerator or denominator: float64 needs 1075, the rest is room for steps between
PI = Fraction(31415926535897932384626433832795028841971693993751058209749445923, 10**64)
_ROOTS = 64  # the highest root that is looked for among the rational numbers


@dataclass(frozen=True, slots=True)
class OfPi:
    """A rational multiple of pi, never zero."""

    times: Fraction


Value = Fraction | float | OfPi


def real(value: Value) -> float:
    """The nearest float64. Refused where that would be infinite, or zero for a value that is not."""
    if isinstance(value, float):
        return value
    exact = value.times * PI if isinstance(value, OfPi) else value
    try:
        nearest = float(exact)
    except OverflowError:
        raise DenseError("number-too-large") from None
    if nearest == 0 and exact != 0:
        raise DenseError("number-too-small")
    return nearest


def decimal(digits: str, exponent: int) -> Fraction:
    """``digits`` · 10**exponent, both as typed."""
    whole = int(digits)
    if whole == 0:
        return Fraction(0)
    if abs(exponent) > BITS // 3:
        raise DenseError("number-too-large" if exponent > 0 else "number-too-small")
    return _bounded(Fraction(whole * 10**exponent) if exponent >= 0 else Fraction(whole, 10**-exponent))


def negated(value: Value) -> Value:
    return OfPi(-value.times) if isinstance(value, OfPi) else -value


def plus(left: Value, right: Value) -> Value:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return _bounded(left + right)
    if isinstance(left, OfPi) and isinstance(right, OfPi):
        return _of_pi(left.times + right.times)
    if left == 0 or right == 0:
        return right if left == 0 else left
    return _finite(real(left) + real(right))


def times(left: Value, right: Value) -> Value:
    if left == 0 or right == 0:
        return Fraction(0)
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return _bounded(left * right)
    if isinstance(left, OfPi) and isinstance(right, Fraction):
        return _of_pi(left.times * right)
    if isinstance(left, Fraction) and isinstance(right, OfPi):
        return _of_pi(left * right.times)
    return _nonzero(_finite(real(left) * real(right)))


def divided(left: Value, right: Value) -> Value:
    if right == 0:
        raise DenseError("division-by-zero")
    if isinstance(left, OfPi) and isinstance(right, OfPi):
        return _bounded(left.times / right.times)
    if isinstance(right, Fraction):
        return times(left, _bounded(1 / right))
    if left == 0:
        return Fraction(0)
    return _nonzero(_finite(real(left) / real(right)))


def square_root(value: Value) -> Value:
    """Exact for the square of a rational number, else the float64 nearest to the root."""
    if isinstance(value, Fraction):
        if value < 0:
            raise DenseError("root-of-negative")
        top, under = value.numerator, value.denominator
        if math.isqrt(top) ** 2 == top and math.isqrt(under) ** 2 == under:
            return Fraction(math.isqrt(top), math.isqrt(under))
        shift = 128  # bits more than float64 keeps, also where top and under alone have none
        return real(Fraction(math.isqrt(top * under << 2 * shift), under << shift))
    if real(value) < 0:
        raise DenseError("root-of-negative")
    return math.sqrt(real(value))


def power(base: Value, exponent: Value) -> Value:
    if base == 0:
        return _power_of_zero(real(exponent))
    if not isinstance(exponent, Fraction) or not isinstance(base, Fraction):
        if isinstance(exponent, Fraction) and exponent == 1:
            return base
        return _float_power(real(base), real(exponent))
    if exponent.denominator == 1:
        return _whole_power(base, exponent.numerator)
    if base < 0:
        raise DenseError("root-of-negative")
    if exponent.denominator == 2:
        return power(square_root(base), Fraction(exponent.numerator))
    root = _exact_root(base, exponent.denominator) if exponent.denominator <= _ROOTS else None
    if root is not None:
        return _whole_power(root, exponent.numerator)
    return _float_power(real(base), real(exponent))


def _power_of_zero(exponent: float) -> Fraction:
    if exponent == 0:
        raise DenseError("zero-to-the-zero")
    if exponent < 0:
        raise DenseError("division-by-zero")
    return Fraction(0)


def _whole_power(base: Fraction, exponent: int) -> Fraction:
    if exponent == 0 or abs(base) == 1:
        return base if exponent % 2 else Fraction(1)
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if size * abs(exponent) > 2 * BITS:
        raise DenseError("number-too-large" if (abs(base) > 1) == (exponent > 0) else "number-too-small")
    return _bounded(base**exponent)


def _float_power(base: float, exponent: float) -> float:
    if base < 0 and not exponent.is_integer():
        raise DenseError("root-of-negative")
    try:
        return _nonzero(_finite(math.pow(base, exponent)))
    except OverflowError:
        raise DenseError("number-too-large") from None


def _exact_root(value: Fraction, degree: int) -> Fraction | None:
    top = _whole_root(value.numerator, degree)
    under = _whole_root(value.denominator, degree)
    return Fraction(top, under) if top and under else None


def _whole_root(number: int, degree: int) -> int | None:
    """The whole root of a positive whole number, by Newton's method from above, or None."""
    guess = 1 << -(-number.bit_length() // degree)
    while True:
        nearer = ((degree - 1) * guess + number // guess ** (degree - 1)) // degree
        if nearer >= guess:
            return guess if guess**degree == number else None
        guess = nearer


def _of_pi(factor: Fraction) -> Value:
    return OfPi(_bounded(factor)) if factor else Fraction(0)


def _bounded(value: Fraction) -> Fraction:
    if value.numerator.bit_length() > BITS:
        raise DenseError("number-too-large")
    if value.denominator.bit_length() > BITS:
        raise DenseError("number-too-small")
    return value


def _finite(value: float) -> float:
    if math.isinf(value):
        raise DenseError("number-too-large")
    return value


def _nonzero(value: float) -> float:
    if value == 0:
        raise DenseError("number-too-small")
    return value
