"""How a value is written, and whether what is written is the value itself.

A page may print ``=`` only where every number shown is exact, so writing a number and knowing
whether digits were dropped are one question.
"""

from __future__ import annotations

import math
import sys
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from dense_cli.frozen import dataclass

KNOWN_DIGITS = 15
"""A float with at most this many significant digits is taken for the decimal a person meant."""

SMALLEST_FIXED, LARGEST_FIXED = 1e-4, 1e16
"""Outside these bounds a rounded number is written with a power of ten, so that no digit is lost."""


@dataclass(frozen=True, slots=True)
class PiMultiple:
    """A rational multiple of π: an angle in radians that is an exact part of a turn.

    >>> float(PiMultiple(Fraction(1, 2)))
    1.5707963267948966
    """

    factor: Fraction

    def __float__(self) -> float:
        return float(self.factor) * math.pi

    def __neg__(self) -> PiMultiple:
        return PiMultiple(-self.factor)


Exact = Fraction | PiMultiple
Number = int | float | Fraction | PiMultiple


@dataclass(frozen=True, slots=True)
class Numeral:
    """Digits as they are shown, and whether they are the whole truth."""

    text: str
    exact: bool


def exact_value(value: Number) -> Exact | None:
    """The exact rational (or multiple of π) behind `value`, or None where only the float is known.

    A float counts as the decimal of its shortest digits when those are few: 0.1 is a tenth, while
    the digits of √2 are not √2.

    >>> exact_value(0.1), exact_value(1.4142135623730951)
    (Fraction(1, 10), None)
    """
    if isinstance(value, PiMultiple | Fraction):
        return value
    if isinstance(value, int):
        return Fraction(value)
    if not math.isfinite(value) or 0 < abs(value) < sys.float_info.min:
        # Subnormal numbers have few bits, so that few digits name them and yet are far from their value.
        return None
    digits = Decimal(repr(value)).normalize()
    return Fraction(digits) if len(digits.as_tuple().digits) <= KNOWN_DIGITS else None


def numeral(value: Number, digits: int, exact: Exact | None = None, factor: bool = False) -> Numeral:
    """`value` with at most `digits` decimals; zeros of a rounded value are kept, −0 is 0.

    A `factor` is never rounded to zero, which would make nothing of what it multiplies or divides.

    `exact` is the exact value where the caller knows more than the float says: a float that is off
    in its last place by rounding is still written as the number it stands for.

    >>> numeral(12.5, 6), numeral(3.5355339059327378, 6), numeral(0.1 + 0.2, 6, Fraction(3, 10))
    (Numeral(text='12.5', exact=True), Numeral(text='3.535534', exact=False), Numeral(text='0.3', exact=True))
    >>> numeral(0.00123, 2).text, numeral(0.00123, 2, factor=True).text
    ('0.00', '1.23e-3')
    """
    known = exact if exact is not None else exact_value(value)
    if isinstance(known, PiMultiple):
        return Numeral(_pi_text(known.factor), True)
    if isinstance(value, int):
        return Numeral(str(value), True)
    is_known = known is not None
    if known is None:
        inexact = float(value)
        if not math.isfinite(inexact):
            return Numeral(_endless(inexact), False)
        known = Fraction(inexact)
    elif (short := _short_decimal(known, digits)) is not None:
        return Numeral(short, True)
    if factor and 0 < 2 * abs(known) < Fraction(1, 10**digits):
        text = _mantissa_and_power(known, digits)
        return Numeral(text, is_known and Fraction(text) == known)
    return Numeral(_rounded(known, digits), False)


def _short_decimal(value: Fraction, digits: int) -> str | None:
    """`value` as a decimal that is exactly it, if one of at most `digits` decimals is."""
    if value.denominator == 1 and abs(value) < LARGEST_FIXED:
        return str(value.numerator)
    scaled = value * 10**digits
    if scaled.denominator == 1 and abs(value) < LARGEST_FIXED:
        return _fixed(scaled.numerator, digits).rstrip("0")
    if abs(value) >= LARGEST_FIXED or abs(value) < SMALLEST_FIXED:
        return _short_power(value, digits)
    return None


def _short_power(value: Fraction, digits: int) -> str | None:
    """`value` as mantissa and power of ten, if few digits of mantissa are exactly it."""
    text = _mantissa_and_power(value, digits)
    return text if Fraction(text) == value else None


def _endless(value: float) -> str:
    return {math.inf: "∞", -math.inf: "-∞"}.get(value, "?")


def _rounded(value: Fraction, digits: int) -> str:
    """`value` rounded; halfway cases go away from zero, as they do by hand."""
    if value == 0 or SMALLEST_FIXED <= abs(value) < LARGEST_FIXED:
        nearest = math.floor(abs(value) * 10**digits + Fraction(1, 2))
        return _fixed(-nearest if value < 0 else nearest, digits)
    return _mantissa_and_power(value, digits)


def _fixed(scaled: int, digits: int) -> str:
    """The decimal of a whole number of units in the last place; no sign before a zero."""
    whole, part = divmod(abs(scaled), 10**digits)
    sign = "-" if scaled < 0 else ""
    return f"{sign}{whole}.{part:0{digits}d}" if digits else f"{sign}{whole}"


def _mantissa_and_power(value: Fraction, digits: int) -> str:
    by_hand = Context(prec=digits + 1, rounding=ROUND_HALF_UP)
    rounded = by_hand.divide(Decimal(value.numerator), Decimal(value.denominator))
    mantissa, power = format(rounded, f".{digits}e").split("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{int(power)}"


def _pi_text(factor: Fraction) -> str:
    if factor == 0:
        return "0"
    sign = "-" if factor < 0 else ""
    top = "π" if abs(factor.numerator) == 1 else f"{abs(factor.numerator)}π"
    return sign + top + (f"/{factor.denominator}" if factor.denominator != 1 else "")


def plain_number(value: Fraction) -> int | float:
    """A whole number where it is one, else the nearest float.

    >>> plain_number(Fraction(4, 2)), plain_number(Fraction(3, 2))
    (2, 1.5)
    """
    return int(value) if value.denominator == 1 else float(value)
