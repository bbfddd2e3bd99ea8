"""Numbers that were kept in a short format: how far rounding to it may have moved them.

What is known is the values alone. A file in float32 may hold numbers that were bfloat16 before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import frexp, isfinite

from dense_cli.core.precision import BFLOAT16, FLOAT16, FLOAT32, Format
from dense_cli.derivation import Note
from dense_cli.mistakes import Mistake

SLACK = 4
"""So many units in the last place of a short format a calculation in it may be off."""

LONGEST_BITS = 6
"""Numbers of no more significant bits, as 0.5 and 3, may well have been typed."""

MOST_TITLES = 3
"""Where more mistakes lie within the rounding, it tells nothing."""


def short_format(values: Iterable[float]) -> Format | None:
    """The shortest format that holds all of these numbers; None where they need float64, or no digits.

    >>> short_format((0.1, 0.25)), short_format((0.5, 3.0))
    (None, None)
    >>> short_format((0.0999755859375, 2048.0)).name, short_format((0.10009765625,)).name
    ('float16', 'bfloat16')
    """
    finite = [float(value) for value in values if isfinite(value)]
    if not any(value and _bits(value) > LONGEST_BITS for value in finite):
        return None
    for kind in (BFLOAT16, FLOAT16, FLOAT32):
        if all(kind.rounded(value) == value for value in finite):
            return kind
    return None


def _bits(value: float) -> int:
    """Significant bits."""
    whole = int(abs(frexp(value)[0]) * 2**53)
    return whole.bit_length() - ((whole & -whole).bit_length() - 1)


def room(kind: Format, largest: float) -> float:
    """How far numbers up to this size may be off, to one digit, as it is told."""
    return float(f"{SLACK * 2.0 ** (1 - kind.bits) * largest:.0e}")


def nearly(kind: Format, atol: float, mistakes: Sequence[Mistake]) -> Iterable[Note]:
    """That these mistakes make the numbers, as nearly as the format can tell."""
    if 0 < len(mistakes) <= MOST_TITLES:
        first, *others = (Note(mistake.words("title")) for mistake in mistakes)
        for other in others:
            first = Note("expect.list", {"first": first, "second": other})
        yield Note("expect.short-nearly", {"format": kind.name, "title": first, "atol": atol})
