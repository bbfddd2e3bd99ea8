"""The angle of a rotation as people write it: ``90deg``, ``1/4turn``, ``pi/2``, ``2π/3``, ``0.5``."""

from __future__ import annotations

import re
from fractions import Fraction

from dense_cli.errors import DenseError
from dense_cli.reading.arithmetic import OfPi, real
from dense_cli.reading.characters import fold, spaced
from dense_cli.reading.numbers import Number, evaluated
from dense_cli.reading.vectors import vector_entries

Angle = tuple[str, Number]

# how many of a unit make one turn; None: the number is in radians as it stands
_UNITS: dict[str, Fraction | None] = {
    **dict.fromkeys(("deg", "degs", "degree", "degrees", "°", "度"), Fraction(360)),
    **dict.fromkeys(("turn", "turns", "rev", "圈"), Fraction(1)),
    **dict.fromkeys(("rad", "rads", "radian", "radians", "弧度"), None),
}


def angle(text: str) -> Angle:
    """The unit and value of one typed angle: exact turns where it is a rational part of a turn.

    >>> angle("90deg"), angle("-pi/4"), angle("0.5")
    (('turn', Fraction(1, 4)), ('turn', Fraction(-1, 8)), ('radian', Fraction(1, 2)))

    The unit is "turn" (the value is then a Fraction) or "radian" (a Fraction for a rational number of
    radians, else a float64). Zero is no turn. Raises DenseError for what is no angle.
    """
    amount, unit = _split(fold(text).strip())
    if unit and not amount:
        raise DenseError("angle-without-number", typed=text, part=unit)
    try:
        found = evaluated(amount)
        per_turn = _UNITS[unit] if unit else None
        if found == 0:
            return "turn", Fraction(0)
        real(found)  # refuses what no calculation could use
        if per_turn is not None:
            if isinstance(found, Fraction):
                return "turn", found / per_turn
            return "radian", real(found) * (real(OfPi(Fraction(2))) / float(per_turn))
        if isinstance(found, OfPi):
            return "turn", found.times / 2
        return "radian", found
    except DenseError as error:
        raise error.about(**{"part": amount, **error.facts, "typed": text}) from None


def angles(text: str) -> tuple[Angle, ...]:
    """One angle for each entry of a list, which is separated as a vector is.

    >>> angles("pi/2, 45 deg")
    (('turn', Fraction(1, 4)), ('turn', Fraction(1, 8)))
    """
    units = "|".join(sorted(_UNITS, key=len, reverse=True))
    joined = re.sub(rf"\s(?=(?:{units})(?![^\W\d]))", "", spaced(text), flags=re.IGNORECASE)
    try:
        return tuple(map(angle, vector_entries(joined)))
    except DenseError as error:
        raise error.about(typed=text) from None


def _split(text: str) -> tuple[str, str]:
    """What stands before the unit, and the unit, "" where there is none."""
    lower = text.lower()
    for unit in sorted(_UNITS, key=len, reverse=True):
        if lower.endswith(unit):
            return text[: -len(unit)].strip(), unit
    return text, ""
