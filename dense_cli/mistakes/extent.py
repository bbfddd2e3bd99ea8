"""How much a value says: the digits of a number, the numbers of a given value."""

from __future__ import annotations

from typing import Any

MANY = 10**100
"""A number this long has digits enough, and is not written out to count them."""


def significant(number: Any) -> int:
    """The significant digits that a number shows when nothing is known of how it was typed.

    >>> from fractions import Fraction
    >>> [significant(number) for number in (0.5, 100, -0.0123, 4608.0, Fraction(1, 3))]
    [1, 3, 3, 4, 16]
    """
    if number is None:
        return 0
    if abs(number) >= MANY or number == number // 1:
        return len(str(min(abs(int(number)), MANY)))
    return len(repr(abs(float(number))).partition("e")[0].replace(".", "").lstrip("0"))


def numbers_in(value: Any) -> int:
    """How many numbers stand in a given value or in records.

    >>> numbers_in(((1.0, 2.0), (3.0, 4.0)))
    4
    """
    if isinstance(value, tuple):
        return sum(map(numbers_in, value))
    fields: tuple[str, ...] = getattr(type(value), "__match_args__", ())
    return sum(numbers_in(getattr(value, name)) for name in fields) or 1
