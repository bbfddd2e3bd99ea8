"""A count as people write it: exact, with grouped thousands, or rounded as ``6.74B``, ``124M``, ``67亿``."""

from __future__ import annotations

import re
from fractions import Fraction

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.reading.characters import fold
from dense_cli.reading.grouping import whole_entry
from dense_cli.reading.numbers import MAX_LENGTH

UNITS = {
    **dict.fromkeys(("k", "thousand"), 3),
    **dict.fromkeys(("m", "million"), 6),
    **dict.fromkeys(("b", "bn", "g", "billion"), 9),
    **dict.fromkeys(("t", "trillion"), 12),
    "万": 4,
    "亿": 8,
    "万亿": 12,
}
_ROUNDED = re.compile(r"[~≈]?\s*([0-9]+)(?:\.([0-9]*))?\s*(?:([A-Za-z万亿]+)|[eE]\+?([0-9]{1,2}))")


@dataclass(frozen=True, slots=True)
class RoundedCount:
    """A count, and half a unit of its last digit where it was written rounded (None: it is meant exactly)."""

    value: Fraction
    slack: Fraction | None
    digits: int | None = None


def count(text: str) -> RoundedCount:
    """The count that `text` says; a rounded one stands for every count that rounds to it.

    >>> count("4,716").value, count("6.74B").value, count("6.74B").slack
    (Fraction(4716, 1), Fraction(6740000000, 1), Fraction(5000000, 1))

    Raises DenseError for what is no number.
    """
    if len(text) > MAX_LENGTH:
        raise DenseError("number-too-long", typed=text, length=len(text), limit=MAX_LENGTH)
    written = fold(text.replace("≈", "~")).strip()
    found = _ROUNDED.fullmatch(written)
    if found is None:
        return RoundedCount(Fraction(_exact(written.lstrip("~ "), text)), None)
    before, after, unit, exponent = found[1], found[2] or "", found[3], found[4]
    power = int(exponent) if unit is None else UNITS.get(unit.casefold())
    if power is None:
        raise DenseError("count-unit", typed=text, part=unit)
    scale = Fraction(10) ** (power - len(after))
    digits = len((before + after).lstrip("0"))
    value = int(before + after) * scale
    return RoundedCount(value, scale / 2 if scale > 1 else None, digits)


def _exact(written: str, typed: str) -> Fraction | float:
    try:
        return whole_entry(written).value
    except DenseError as error:
        raise error.about(**{"part": written, **error.facts, "typed": typed}) from None
