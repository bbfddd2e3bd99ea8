"""How a found value and the right one differ, exactly: no rounding decides."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import Any

from dense_cli.derivation import Data
from dense_cli.mistakes.agreement import shaped


def measured(
    found: Any, right: Any, atol: Fraction, rtol: Fraction
) -> tuple[bool, float | int | None, dict[str, Data] | None]:
    """Whether every entry is within |a − t| ≤ atol + rtol·|t|, exactly and inclusive; the largest difference
    (None where there is none to speak of), and the first entry that is not within.

    >>> measured((Fraction("0.8485"), 9), (0.848528, 1.131371), Fraction(5, 10**5), Fraction(0))[::2]
    (False, {'index': [1], 'found': 9, 'expected': 1.131371})
    """
    (shape, entries), (right_shape, right_entries) = shaped(found), shaped(right)
    if shape != right_shape:
        shapes: dict[str, Data] = {"found": _shape_data(found), "expected": _shape_data(right)}
        return False, None, {"index": [], **shapes}
    largest: Fraction | int = 0
    finite, first = True, None
    for place, (a, t) in enumerate(zip(entries, right_entries, strict=True)):
        error = difference(a, t)
        if error is None or isinstance(a, bool):
            finite, within = False, a == t
        else:
            largest = max(largest, error)
            within = error <= atol + rtol * abs(Fraction(t))
        if not within and first is None:
            first = {"index": _index(place, shape), "found": plain(a), "expected": plain(t)}
    return first is None, _size(largest) if finite else None, first


def difference(a: Any, t: Any) -> Fraction | None:
    """|a − t| without rounding; None where one of them is no finite number."""
    if a is None or t is None or not (isfinite(a) and isfinite(t)):
        return None
    return abs(Fraction(a) - Fraction(t))


def plain(value: Any) -> Data:
    """One number or truth as JSON has it; None for what is not finite."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return value + 0.0 if isfinite(value) else None
    exact = Fraction(value)
    return exact.numerator if exact.denominator == 1 else float(exact)


def _size(error: Fraction | int) -> float | int:
    return int(error) if error == int(error) else float(error)


def _index(place: int, shape: tuple[int, ...]) -> list[Data]:
    index: list[Data] = []
    for width in reversed(shape):
        place, inner = divmod(place, width)
        index.append(inner)
    return index[::-1]


def _shape_data(value: Any) -> list[Data]:
    """Leading ones left out, as in comparing; a lone number is said to have one entry."""
    return list(shaped(value)[0]) or [1]
