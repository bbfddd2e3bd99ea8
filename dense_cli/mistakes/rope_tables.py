"""What is done otherwise with the cosines and sines of a rotation: each change wraps the table it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf

from dense_cli.core.angles import Position, Rate, angle
from dense_cli.core.rope import Rope
from dense_cli.errors import DenseError
from dense_cli.frozen import replace
from dense_cli.mistakes import Change
from dense_cli.mistakes.halves import HALVES

Table = Callable[[Rate, Position], tuple[float, float]]
Rounding = Callable[[float], float]


def table(change: Callable[[Table], Table]) -> Change:
    """Other cosines and sines, made from those found."""
    return lambda given: (replace(given, table=change(given.table)),)


def mirrored(found: Table) -> Table:
    def clockwise(rate: Rate, position: Position) -> tuple[float, float]:
        cosine, sine = found(rate, position)
        return cosine, -sine

    return clockwise


def sine_with_cosine(found: Table) -> Table:
    return lambda rate, position: found(rate, position)[::-1]


def half_precision_angles(given: Rope) -> Iterator[Rope]:
    """Position, frequency or product rounded, then all three, in each format."""
    for half in HALVES:
        for position, frequency, product in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)):
            roundings = (half if chosen else None for chosen in (position, frequency, product))
            yield replace(given, table=rounded_angles(given.table, *roundings))


def rounded_angles(
    found: Table, position: Rounding | None, frequency: Rounding | None, product: Rounding | None
) -> Table:
    """Cosine and sine of an angle some of whose parts went through a rounding."""

    def rounded(rate: Rate, place: Position) -> tuple[float, float]:
        if position is not None:
            place = Fraction(_finite(position(float(place))))
        if frequency is not None:
            rate = Rate.radians(_finite(frequency(rate.theta)))
        if product is not None:
            rate, place = Rate.radians(_finite(product(angle(rate, place)))), 1
        return found(rate, place)

    return rounded


def half_precision_table(given: Rope) -> Iterator[Rope]:
    for half in HALVES:
        yield replace(given, table=rounded_table(given.table, half))


def rounded_table(found: Table, half: Rounding) -> Table:
    def rounded(rate: Rate, position: Position) -> tuple[float, float]:
        cosine, sine = found(rate, position)
        return half(cosine), half(sine)

    return rounded


def _finite(value: float) -> float:
    if abs(value) == inf:  # an infinite angle has no cosine
        raise DenseError("rope-overflow")
    return value
