"""Angles per position, and their cosines and sines right to the last digit at any position.

A far position turns a pair many times over, and a float64 product of position and angle has lost
the part of the last turn by then. So an angle is kept as what it is, an exact multiple of a turn,
of a radian or of a power of the base, and only its cosine and sine are rounded: whole turns are
taken off with integers, and the rest is summed on integers wide enough that both ends of the error
round to the same float64 (Ziv, "Fast evaluation of elementary mathematical functions with correctly
rounded last bit", 1991).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from dense_cli.frozen import dataclass

Position = int | Fraction
"""Where a token stands: an integer of any size, or an exact decimal."""

# Enough for all but about one angle in 2**68; an unlucky one is summed again with twice the bits.
_FIRST_BITS = 128
# A sine this wide is told from every midpoint of two float64, unless it is made to be one.
_MOST_BITS = 16_384
# Holds the unit of a rate (57 decimal digits) for every position up to 2**60 turns.
_UNIT_BITS = 192


@dataclass(frozen=True, slots=True)
class Rate:
    """The angle that one pair turns per position, exact: `factor` · 2π, or `factor` · `base`**`exponent`.

    Made by `Rate.turns`, `Rate.radians` or `Rate.power`; angles are in radians, counterclockwise.

    >>> Rate.turns(Fraction(1, 4)).theta
    1.5707963267948966
    >>> Rate.power(10000, Fraction(-1, 2)).theta
    0.01
    """

    factor: Fraction
    in_turns: bool = False
    base: Fraction = Fraction(1)
    exponent: Fraction = Fraction(0)

    @classmethod
    def turns(cls, part: Fraction | int) -> Rate:
        """An exact part of a full turn per position.

        >>> cos_sin(Rate.turns(Fraction(1, 4)), 10**40 + 1)
        (0.0, 1.0)
        """
        return cls(Fraction(part), in_turns=True)

    @classmethod
    def radians(cls, angle: Fraction | float) -> Rate:
        """Exactly this many radians per position; a float is the number it stores.

        >>> cos_sin(Rate.radians(math.pi / 2), 1)  # not quite a quarter turn
        (6.123233995736766e-17, 1.0)
        """
        return cls(Fraction(angle))

    @classmethod
    def power(cls, base: Fraction | float, exponent: Fraction | int) -> Rate:
        """base**exponent radians per position, to as many digits as the position needs; base > 0."""
        return cls(Fraction(1), base=Fraction(base), exponent=Fraction(exponent))

    def scaled(self, factor: Fraction | int) -> Rate:
        """The same angle times an exact factor.

        >>> Rate.turns(Fraction(1, 4)).scaled(2).turn
        Fraction(1, 2)
        """
        return Rate(self.factor * factor, self.in_turns, self.base, self.exponent)

    def __neg__(self) -> Rate:
        return self.scaled(-1)

    @property
    def turn(self) -> Fraction | None:
        """The exact part of a turn per position; None where it is no rational number."""
        return self.factor if self.in_turns or not self.factor else None

    @property
    def theta(self) -> float:
        """Radians per position, rounded to float64; infinite beyond its range."""
        return angle(self, 1)

    @property
    def wavelength(self) -> float | None:
        """Positions per full turn; None for an angle of zero.

        >>> Rate.turns(Fraction(1, 4)).wavelength
        4.0
        """
        if not self.factor:
            return None
        unit, unit_bits = _unit(self, _UNIT_BITS)
        turn, turn_bits = (unit, unit_bits) if self.in_turns else (2 * _pi(_UNIT_BITS), _UNIT_BITS)
        return _ratio(
            turn * self.factor.denominator << unit_bits, abs(self.factor.numerator) * unit << turn_bits
        )


def angle(rate: Rate, position: Position) -> float:
    """position · rate in radians, not reduced, rounded to float64; infinite beyond its range.

    >>> angle(Rate.turns(Fraction(1, 4)), 2)
    3.141592653589793
    """
    unit, unit_bits = _unit(rate, _UNIT_BITS)
    factor = rate.factor
    return _ratio(
        factor.numerator * position.numerator * unit, factor.denominator * position.denominator << unit_bits
    )


def cos_sin(rate: Rate, position: Position) -> tuple[float, float]:
    """Cosine and sine of position · rate, each the float64 nearest to it, at a position of any size.

    Quarter turns give exact 0, 1 and −1 (never −0), twelfths give exact 0.5 where it is due.

    >>> cos_sin(Rate.turns(Fraction(1, 6)), -1)
    (0.5, -0.8660254037844386)
    >>> cos_sin(Rate.radians(1), 10**12)
    (0.7914463018528902, -0.6112387023768895)
    """
    numerator = rate.factor.numerator * position.numerator
    denominator = rate.factor.denominator * position.denominator
    if not numerator:
        return 1.0, 0.0
    if rate.in_turns:
        return _of_turn(numerator % denominator, denominator)
    return _of_radians(rate, numerator, denominator)


@lru_cache(maxsize=4096)
def _of_turn(numerator: int, denominator: int) -> tuple[float, float]:
    """Cosine and sine of numerator/denominator of a turn."""
    quarter = (8 * numerator + denominator) // (2 * denominator)
    rest = 4 * numerator - quarter * denominator  # rest / denominator of a quarter turn, at most half of one
    if not rest:
        return _after_quarters(quarter, 1.0, 0.0)
    bits = _FIRST_BITS
    while True:
        cosine, sine = _rounded(rest * _pi(bits) // (2 * denominator), bits)
        if 3 * abs(rest) == denominator:  # a twelfth of a turn: the one rational sine in between (Niven)
            sine = 0.5 if rest > 0 else -0.5
        if cosine is not None and sine is not None:
            return _after_quarters(quarter, cosine, sine)
        bits *= 2


def _of_radians(rate: Rate, numerator: int, denominator: int) -> tuple[float, float]:
    """Cosine and sine of numerator/denominator · base**exponent radians, not zero."""
    bits = _FIRST_BITS
    while True:
        quarter, rest = _less_quarters(rate, numerator, denominator, bits)
        cosine, sine = _rounded(rest, bits)
        if cosine is not None and sine is not None:
            return _after_quarters(quarter, cosine, sine)
        bits *= 2


def _less_quarters(rate: Rate, numerator: int, denominator: int, bits: int) -> tuple[int, int]:
    """Whole quarter turns of the angle, and the rest in units of 2**-bits radians, off by fewer than 6."""
    unit, unit_bits = _unit(rate, _UNIT_BITS)
    whole_bits = max(0, numerator.bit_length() - denominator.bit_length() + unit.bit_length() - unit_bits + 1)
    wide = _up_to_word(bits + whole_bits + 2)
    if wide > _UNIT_BITS:
        unit, unit_bits = _unit(rate, wide)
    radians = _shifted(numerator * unit, bits, denominator, unit_bits)
    pi = _pi(wide)
    quarter = ((radians << wide - bits + 2) + pi) // (2 * pi)
    return quarter, radians - (quarter * pi >> wide - bits + 1)


def _rounded(rest: int, bits: int) -> tuple[float | None, float | None]:
    """Cosine and sine of an angle of up to an eighth turn in units of 2**-bits; None where undecided.

    The angle is off by fewer than 6 units, each of the fewer than bits/4 terms by fewer than 2.
    """
    size = abs(rest)
    square = size * size >> bits
    cosine, sine = _series(1 << bits, square, 0, bits), _series(size, square, 1, bits)
    return _decided(cosine, bits), _decided(sine if rest > 0 else -sine, bits)


def _series(first: int, square: int, power: int, bits: int) -> int:
    """first − first·x²/((p+1)(p+2)) + ..., until the terms vanish."""
    total = term = first
    while term:
        term = (term * square >> bits) // ((power + 1) * (power + 2))
        power += 2
        total += -term if power & 2 else term
    return total


def _decided(value: int, bits: int) -> float | None:
    """The float64 that both ends of value ± bits units round to, if they do."""
    if bits > _MOST_BITS:
        return _ratio(value, 1 << bits)
    low, high = _ratio(value - bits, 1 << bits), _ratio(value + bits, 1 << bits)
    return low if low == high else None


def _after_quarters(quarter: int, cosine: float, sine: float) -> tuple[float, float]:
    """The direction (cosine, sine) after so many more quarter turns, zeros without a sign."""
    x, y = ((cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine))[quarter % 4]
    return x + 0.0, y + 0.0


def _unit(rate: Rate, bits: int) -> tuple[int, int]:
    """What the rate's factor multiplies, in radians, as (u, b) = u / 2**b, to `bits` significant bits."""
    if rate.in_turns:
        return 2 * _pi(bits), bits
    if not rate.exponent:
        return 1, 0
    base, exponent = rate.base, rate.exponent
    return _power(base.numerator, base.denominator, exponent.numerator, exponent.denominator, bits)


@lru_cache(maxsize=2048)
def _power(base: int, under: int, exponent: int, root: int, bits: int) -> tuple[int, int]:
    """(base/under)**(exponent/root) as (u, b) = u / 2**b, to `bits` significant bits."""
    import decimal

    # 20 spare digits pay for the size of the logarithm, whose error the exponential makes relative.
    context = decimal.Context(
        prec=bits * 3 // 10 + bits // 400 + 20, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX
    )
    logarithm = context.ln(context.divide(decimal.Decimal(base), decimal.Decimal(under)))
    scaled = context.divide(context.multiply(logarithm, decimal.Decimal(exponent)), decimal.Decimal(root))
    above, below = context.exp(scaled).as_integer_ratio()
    unit_bits = max(0, bits + 2 + below.bit_length() - above.bit_length())
    return (above << unit_bits) // below, unit_bits


@lru_cache(maxsize=64)
def _pi(bits: int) -> int:
    """π in units of 2**-bits, off by fewer than one: 4 · (4 arccot 5 − arccot 239) (Machin, 1706)."""
    spare = 32
    one = 1 << bits + spare
    return 4 * (4 * _arccot(5, one) - _arccot(239, one)) >> spare


def _arccot(number: int, one: int) -> int:
    """The angle whose cotangent is the whole number, in units of 1/one."""
    power = total = one // number
    odd = 1
    while power:
        power //= -number * number
        odd += 2
        total += power // odd
    return total


def _shifted(above: int, bits: int, below: int, below_bits: int) -> int:
    """above · 2**bits / (below · 2**below_bits), rounded down."""
    spare = bits - below_bits
    return (above << spare) // below if spare >= 0 else above // (below << -spare)


def _ratio(above: int, below: int) -> float:
    """The float64 nearest to above/below: no −0, infinite beyond the range."""
    try:
        return above / below + 0.0
    except OverflowError:
        return math.inf if above > 0 else -math.inf


def _up_to_word(bits: int) -> int:
    """The next multiple of 64, so that a few widths serve all positions."""
    return -(-bits // 64) * 64
