"""Whether two values agree: shapes first, then entry by entry; and many values ordered for being compared."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

from dense_cli.frozen import dataclass

Shape = tuple[int, ...]
Steps = tuple[int, ...]
Shaped = tuple[Shape, tuple[Any, ...]]

SLACK = 1e-9
"""By how much of itself a window is opened further, so that rounding at its ends loses nothing."""


def agreement(found: Any, value: Any, atol: float, rtol: float = 0.0) -> float | None:
    """The largest difference of two entries, or None where the two do not agree within the tolerance.

    Shapes come first; a matrix of one row is a vector, and a vector of one entry a number. NaN agrees with
    nothing; whole numbers of any size are compared exactly.

    >>> agreement((0.8485, 1.1314), ((0.848528, 1.131371),), atol=5e-5) is not None
    True
    >>> agreement(float("nan"), float("nan"), atol=1.0) is None
    True
    """
    return shaped_agreement(shaped(found), shaped(value), atol, rtol)


def shaped_agreement(found: Shaped, value: Shaped, atol: float, rtol: float) -> float | None:
    """The same of values whose shapes are known."""
    return difference(found[1], value[1], atol, rtol) if found[0] == value[0] else None


def difference(found: tuple[Any, ...], entries: tuple[Any, ...], atol: float, rtol: float) -> float | None:
    """The largest difference of the entries of two values of one shape; None where one is too large."""
    largest = 0.0
    for a, t in zip(found, entries, strict=True):
        if a is None or t is None:
            if a is not t:
                return None
            continue
        try:
            apart = abs(a - t)
            within = apart <= (atol + rtol * abs(t) if rtol else atol)
        except OverflowError:  # a whole number beyond every float beside a float
            return None
        if not within:
            return None
        largest = max(largest, float(apart))
    return largest


def shaped(value: Any) -> Shaped:
    """The shape without leading ones, and the entries in a row; −1 stands for rows of different lengths.

    >>> shaped(((1.0, 2.0), (3.0, 4.0))), shaped(((5,),))
    (((2, 2), (1.0, 2.0, 3.0, 4.0)), ((), (5,)))
    """
    shape, entries = _nested(value)
    ones = next((place for place, length in enumerate(shape) if length != 1), len(shape))
    return shape[ones:], entries


def _nested(value: Any) -> Shaped:
    if not isinstance(value, tuple | list):
        return (), (value,)
    if not any(isinstance(part, tuple | list) for part in value):
        return (len(value),), tuple(value)
    inside = [_nested(part) for part in value]
    shapes = {shape for shape, _ in inside}
    shape = shapes.pop() if len(shapes) == 1 else ((-1,) if shapes else ())
    return (len(value), *shape), tuple(entry for _, entries in inside for entry in entries)


@dataclass(frozen=True, slots=True)
class _Alike:
    """Values of one shape: those that begin with a finite number in its order, and the others."""

    firsts: list[float]
    ordered: list[tuple[Steps, tuple[Any, ...]]]
    others: list[tuple[Steps, tuple[Any, ...]]]

    @classmethod
    def of(cls, values: Iterable[tuple[Steps, tuple[Any, ...]]]) -> _Alike:
        begun = [(first_number(entries), steps, entries) for steps, entries in values]
        ordered = sorted((one for one in begun if one[0] is not None), key=lambda one: one[0] or 0.0)
        return cls(
            [first for first, _, _ in ordered if first is not None],
            [(steps, entries) for _, steps, entries in ordered],
            [(steps, entries) for first, steps, entries in begun if first is None],
        )

    def near(self, first: float | None, atol: float) -> Iterator[tuple[Steps, tuple[Any, ...]]]:
        """All values that may agree with one that begins so, and some more."""
        yield from self.others
        if first is None:
            yield from self.ordered
            return
        reach = atol + SLACK * (abs(first) + atol)
        begin = bisect_left(self.firsts, first - reach)
        yield from self.ordered[begin : bisect_right(self.firsts, first + reach)]


class WrongValues:
    """What wrong paths make of one question, shaped once and ordered, for any number of found values."""

    def __init__(self, values: Iterable[tuple[Steps, Shaped]]) -> None:
        groups: dict[Shape, list[tuple[Steps, tuple[Any, ...]]]] = {}
        for steps, (shape, entries) in values:
            groups.setdefault(shape, []).append((steps, entries))
        self._groups = {shape: _Alike.of(group) for shape, group in groups.items()}

    def firsts(self, shape: Shape) -> list[float] | None:
        """What the values of a shape begin with, in order; None where one begins with no finite number."""
        alike = self._groups.get(shape)
        if alike is None:
            return []
        return None if alike.others else alike.firsts

    def fitting(self, found: Any, atol: float, rtol: float) -> dict[Steps, float]:
        """The paths whose value agrees with `found`, with the least difference of each."""
        shape, entries = shaped(found)
        alike = self._groups.get(shape)
        if alike is None:
            return {}
        errors: dict[Steps, float] = {}
        # With a relative tolerance the window would depend on the value: all are looked at then.
        for steps, value in alike.near(None if rtol else first_number(entries), atol):
            error = difference(entries, value, atol, rtol)
            if error is not None:
                errors[steps] = min(error, errors.get(steps, error))
        return errors


def first_number(entries: tuple[Any, ...]) -> float | None:
    """The first entry as a float; None where it is no finite one."""
    try:
        first = float(entries[0])
    except (TypeError, IndexError, OverflowError):
        return None
    return first if isfinite(first) else None
