"""What can still be said of a wrong value that no known mistake makes: seen in the two values alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

from dense_cli.derivation import Fact
from dense_cli.frozen import dataclass
from dense_cli.mistakes.agreement import shaped


@dataclass(frozen=True, slots=True)
class Seen:
    """One observation: its id, and the facts that its sentence speaks of."""

    id: str
    facts: Mapping[str, Fact]


def observed(
    found: Any, right: Any, decimals: Sequence[int | None], atol: Fraction, rtol: Fraction
) -> tuple[Seen, ...]:
    """What the two values have to do with each other, the most telling first.

    >>> [seen.id for seen in observed((2.0, 6.0), (1.0, 3.0), (), Fraction(1, 10**6), Fraction(0))]
    ['factor']
    """
    (shape, entries), (right_shape, right_entries) = shaped(found), shaped(right)
    if any(isinstance(value, bool) or not _finite(value) for value in (*entries, *right_entries)):
        return ()
    pairs = _Pairs(tuple(map(Fraction, entries)), tuple(map(Fraction, right_entries)), atol, rtol)
    if shape != right_shape:
        return tuple(_of_other_shape(pairs, shape, right_shape))
    if _rounded(pairs, decimals):
        fewest = min(places for places in decimals if places is not None)
        return (Seen("rounded", {"decimals": fewest, "atol": float(Fraction(1, 2 * 10**fewest))}),)
    return tuple(_of_one_shape(pairs))


OF_ARRAYS = ("negative", "permuted", "factor", "added")
"""What is said of many numbers as well; where they differ is told otherwise."""


def observed_of_many(found: Any, right: Any, atol: Fraction, rtol: Fraction) -> tuple[Seen, ...]:
    """The same of arrays of one shape as nested tuples or lists.

    >>> [seen.id for seen in observed_of_many([[2.0, 6.0]], [[1.0, 3.0]], Fraction(0), Fraction(0))]
    ['factor']
    """
    return tuple(seen for seen in observed(found, right, (), atol, rtol) if seen.id in OF_ARRAYS)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Entries found and right, side by side."""

    found: tuple[Fraction, ...]
    right: tuple[Fraction, ...]
    atol: Fraction
    rtol: Fraction

    def within(self, a: Fraction, t: Fraction, slope: Fraction = Fraction(1)) -> bool:
        return abs(a - t) <= (self.atol + self.rtol * abs(t)) * max(abs(slope), Fraction(1))

    def all_within(self, values: Sequence[Fraction], slope: Fraction = Fraction(1)) -> bool:
        return all(self.within(a, t, slope) for a, t in zip(self.found, values, strict=True))


def _of_one_shape(pairs: _Pairs) -> Iterator[Seen]:
    count = len(pairs.right)
    right = [place for place in range(count) if pairs.within(pairs.found[place], pairs.right[place])]
    if right and count > 1:
        yield Seen("some-right", {"right": len(right), "all": count})
    flipped = tuple(-t if (a < 0) != (t < 0) else t for a, t in zip(pairs.found, pairs.right, strict=True))
    if pairs.all_within(tuple(-t for t in pairs.right)):
        yield Seen("negative", {})
    elif count > 1 and pairs.all_within(flipped):
        places = tuple(place + 1 for place in range(count) if flipped[place] != pairs.right[place])
        yield Seen("signs", {"places": places})
    elif count > 1 and _permuted(pairs):
        yield Seen("permuted", {})
    elif count > 1 and (factor := _factor(pairs)) is not None:
        yield Seen("factor", {"factor": float(factor)})
    elif count > 1 and (added := _added(pairs)) is not None:
        yield Seen("added", {"added": float(added)})
    elif count == 1 and (zeros := _zeros(pairs)):
        yield Seen("rounded-whole", {"digits": len(str(abs(int(pairs.found[0])))) - zeros})
    elif count == 1 and (ratio := _simple_ratio(pairs)) is not None:
        yield Seen("ratio", {"factor": ratio})


def _of_other_shape(pairs: _Pairs, shape: tuple[int, ...], right_shape: tuple[int, ...]) -> Iterator[Seen]:
    if len(pairs.found) == len(pairs.right):
        if pairs.all_within(pairs.right):
            yield Seen("other-shape", {})
        elif len(right_shape) == 2 and shape == right_shape[::-1]:
            rows, columns = right_shape
            turned = tuple(
                pairs.right[row * columns + column] for column in range(columns) for row in range(rows)
            )
            if pairs.all_within(turned):
                yield Seen("turned-shape", {})
    elif len(pairs.found) < len(pairs.right) and all(map(pairs.within, pairs.found, pairs.right)):
        yield Seen("beginning", {"count": len(pairs.found)})
    elif len(pairs.found) > len(pairs.right) and all(map(pairs.within, pairs.found, pairs.right)):
        yield Seen("too-many", {"count": len(pairs.right)})


def _rounded(pairs: _Pairs, decimals: Sequence[int | None]) -> bool:
    """Whether each entry is the right one, rounded to the decimals that were written (one at least)."""
    if len(decimals) != len(pairs.right):
        return False
    for a, t, places in zip(pairs.found, pairs.right, decimals, strict=True):
        if places is None or places < 1:
            # A whole number or an expression says nothing of rounding; it must simply be right.
            if not pairs.within(a, t):
                return False
        elif abs(a - t) > Fraction(1, 2 * 10**places):
            return False
    return any(places is not None and places >= 1 for places in decimals)


def _permuted(pairs: _Pairs) -> bool:
    ordered = zip(sorted(pairs.found), sorted(pairs.right), strict=True)
    return all(pairs.within(a, t) for a, t in ordered)


def _factor(pairs: _Pairs) -> Fraction | None:
    """The one number that makes every found entry of the right one."""
    size, largest = max((abs(t), t) for t in pairs.right)
    place = pairs.right.index(largest)
    if not size or not pairs.found[place]:
        return None
    factor = pairs.found[place] / largest
    return factor if pairs.all_within(tuple(factor * t for t in pairs.right), factor) else None


def _added(pairs: _Pairs) -> Fraction | None:
    added = pairs.found[0] - pairs.right[0]
    return added if pairs.all_within(tuple(t + added for t in pairs.right), Fraction(2)) else None


LARGEST_IN_RATIO = 12
"""With larger numbers some ratio fits everything."""


def _simple_ratio(pairs: _Pairs) -> Fraction | None:
    """A fraction of small numbers that one value is of the other."""
    found, right = pairs.found[0], pairs.right[0]
    if not right or not found:
        return None
    ratio = (found / right).limit_denominator(LARGEST_IN_RATIO)
    small = 0 < abs(ratio.numerator) <= LARGEST_IN_RATIO
    return ratio if small and ratio != 1 and pairs.within(found, ratio * right, ratio) else None


def _zeros(pairs: _Pairs) -> int:
    """The zeros at the end of a whole number that is the right one, rounded."""
    found, right = pairs.found[0], pairs.right[0]
    if found.denominator > 1 or right.denominator > 1 or found < 100:
        return 0
    digits = str(int(found))
    zeros = len(digits) - len(digits.rstrip("0"))
    return zeros if zeros and 2 * abs(found - right) <= 10**zeros else 0


def _finite(value: Any) -> bool:
    return value is not None and isfinite(value)
