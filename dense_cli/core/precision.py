"""The number formats that models are run in, and rounding to them without an array library.

A value is rounded to the nearest number of the format, ties to the even one (IEEE 754-2019, section 4.3.1);
subnormals are kept and what lies beyond the largest number becomes infinite. One operation in float32 is the
same operation in float64, rounded: float64 has more than twice its digits, so rounding twice is harmless
for a sum, product, quotient or root (Figueroa, When is double rounding innocuous?, 1995).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import copysign, frexp, inf, isfinite, ldexp

from dense_cli.core import Row
from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """A binary floating-point format: `bits` significant bits, the leading one included; its normal numbers
    lie between 2**`lowest` and 2**`beyond`."""

    name: str
    bits: int
    lowest: int
    beyond: int

    @property
    def largest(self) -> float:
        """The largest finite number.

        >>> FLOAT16.largest
        65504.0
        """
        return ldexp(2.0**self.bits - 1, self.beyond - self.bits)

    @property
    def smallest(self) -> float:
        """The smallest positive number, a subnormal one."""
        return ldexp(1.0, self.lowest - self.bits + 1)

    def rounded(self, value: float) -> float:
        """The number of this format nearest to `value`; infinities, NaN and the sign of zero stay.

        >>> BFLOAT16.rounded(257.0), BFLOAT16.rounded(259.0), FLOAT16.rounded(65520.0)
        (256.0, 260.0, inf)
        """
        if not value or not isfinite(value):
            return value
        if abs(value) >= 2.0**self.beyond:
            return copysign(inf, value)
        unit = self._unit(value)
        result = ldexp(round(ldexp(value, -unit)), unit)
        return copysign(result if abs(result) <= self.largest else inf, value)

    def row(self, values: Iterable[float]) -> Row:
        """Every value rounded.

        >>> FLOAT16.row((0.1, 2049.0))
        (0.0999755859375, 2048.0)
        """
        return tuple(map(self.rounded, values))

    def spacing(self, value: float) -> float:
        """The distance between neighbouring numbers of this format around a finite `value`: one unit in its
        last place.

        >>> BFLOAT16.spacing(257.0), FLOAT16.spacing(0.0) == FLOAT16.smallest
        (2.0, True)
        """
        return ldexp(1.0, self._unit(value)) if value else self.smallest

    def _unit(self, value: float) -> int:
        # Below the normal numbers the spacing no longer shrinks.
        return max(frexp(value)[1], self.lowest + 1) - self.bits


FLOAT32 = Format("float32", bits=24, lowest=-126, beyond=128)
FLOAT16 = Format("float16", bits=11, lowest=-14, beyond=16)
BFLOAT16 = Format("bfloat16", bits=8, lowest=-126, beyond=128)

FORMATS = {dtype.name: dtype for dtype in (FLOAT32, FLOAT16, BFLOAT16)}
"""The formats in which model code runs, by name."""


def number_format(name: str) -> Format:
    """The format of that name. Raises `DenseError` "unknown-dtype".

    >>> number_format("float16").bits
    11
    """
    if name not in FORMATS:
        raise DenseError("unknown-dtype", typed=name, known=tuple(FORMATS))
    return FORMATS[name]


def to_float32(value: float) -> float:
    """The float32 nearest to `value`.

    >>> to_float32(0.1)
    0.10000000149011612
    """
    return FLOAT32.rounded(value)


def to_float16(value: float) -> float:
    """The float16 nearest to `value`; infinite from 65520 on.

    >>> to_float16(2049.0), to_float16(65519.0), to_float16(65520.0)
    (2048.0, 65504.0, inf)
    """
    return FLOAT16.rounded(value)


def to_bfloat16(value: float) -> float:
    """The bfloat16 nearest to `value`.

    >>> to_bfloat16(257.0), to_bfloat16(259.0)
    (256.0, 260.0)
    """
    return BFLOAT16.rounded(value)


LANES = 8
"""Numbers that one vector register adds side by side: eight float32."""

CHAINS = 4
"""Running sums that each lane keeps side by side."""

LEVELS = 4
"""Sums of sums: a full running sum is added to the next level and starts again at zero."""


def total_in_float32(values: Sequence[float]) -> float:
    """The sum of float32 numbers, each addition rounded to float32, in the order in which PyTorch sums a row
    on an x86 processor: up to seven numbers in four running sums, longer rows in eight lanes of such sums.

    Source: PyTorch 2.13, aten/src/ATen/native/cpu/SumKernel.cpp, vectorized_inner_sum and multi_row_sum.

    >>> total_in_float32((2.0**24, 1.0, 1.0))  # in turn: each 1 is lost
    16777216.0
    >>> total_in_float32((2.0**24, *(1.0,) * 15))  # in lanes: the ones meet each other first
    16777230.0
    """
    whole = len(values) - len(values) % LANES
    if not whole:
        return _lane(values)
    return _in_turn((*values[whole:], *(_lane(values[lane:whole:LANES]) for lane in range(LANES))))


def _lane(values: Sequence[float]) -> float:
    whole = len(values) - len(values) % CHAINS
    first, *others = (_chain(values[chain:whole:CHAINS]) for chain in range(CHAINS))
    return _in_turn((first, *values[whole:], *others))


def _chain(values: Sequence[float]) -> float:
    block = 1 << max(4, max(len(values) - 1, 0).bit_length() // LEVELS)
    sums = [0.0] * LEVELS
    for count, value in enumerate(values, start=1):
        sums[0] = to_float32(sums[0] + value)
        for level in range(1, LEVELS):
            if count % block**level:
                break
            sums[level] = to_float32(sums[level] + sums[level - 1])
            sums[level - 1] = 0.0
    return _in_turn(sums)


def _in_turn(values: Iterable[float]) -> float:
    total = 0.0
    for value in values:
        total = to_float32(total + value)
    return total
