"""Cosines and sines of every pair at many positions, off by about one unit in the last place of float64.

An angle is kept in turns, as a sum of two float64 numbers, until its whole quarter turns are taken off, so
a far position is as good as a near one. A long run of positions is made of two short ones, by
e^(i(a+b)θ) = e^(iaθ)·e^(ibθ), multiplied in complex128 and rounded last.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import tau
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from dense_cli.core.angles import Rate, cos_sin
from dense_cli.core.kernels.walking import SHORT_ROW, Array, rows_where_they_stand

Directions = NDArray[Any]
"""cos + i·sin, complex64 or complex128: [..., T, r/2] for positions [..., T]."""

WHOLE_TURN = Fraction("6.28318530717958647692528676655900576839433879875021164194988918461563281257")
TAU_REST = float(WHOLE_TURN - Fraction(tau))
DIGITS = 50
"""Decimal digits to which a rate is known: two float64 numbers hold 32."""

NEAR = 256
"""So many positions in a row are turned together from the first of them."""

REMEMBERED = 1 << 16
"""So many numbers of a run's parts are kept for the next table, a megabyte; and those of eight runs."""

BESIDE = 16
"""So many runs of NEAR positions are one call."""

SHORT_RUN = 64
"""Up to so many positions in a row, each angle is calculated by itself."""

AT_ONCE = 1 << 13
"""So many angles at once: a dozen arrays of them stay in the cache."""

FARTHEST_TURN = 2.0**50
"""Up to so many turns, and positions up to eight times as many, are float64 arithmetic; beyond, integers."""

WHOLE = 2**53
"""Up to here every whole number is a float64."""

LONGEST_PERIOD = 4096
"""A rational part of a turn that is back after so few positions is looked up, each entry rounded once."""

QUARTERS = np.array([1, 1j, -1, -1j])
SPLIT = 2.0**27 + 1


def directions(
    rates: Sequence[Rate], positions: ArrayLike | range, dtype: DTypeLike = np.complex128, factor: float = 1.0
) -> Directions:
    """cos + i·sin of each rate at each of the positions [..., T], times the attention factor: [..., T, r/2].

    Positions are a range, or numbers of any size and shape: integers, floats as the numbers they store, or
    exact Python numbers. Rational parts of a turn give exact zeros and ones at quarter turns.

    The parts of a long run are kept: the next table of the same rates and start takes half the time. The
    first of some rates also works out their turns to DIGITS digits, which takes some milliseconds.

    Source: Su et al., RoFormer, equation 15.

    >>> directions([Rate.turns(Fraction(1, 4))], range(1, 4)).ravel().tolist()
    [1j, (-1+0j), -1j]
    """
    run = _run(positions)
    if run is not None and len(run) > SHORT_RUN:
        table = np.empty((len(run), len(rates)), dtype)
        _fill(table, rates, run, factor)
        return table
    places = _places(positions if run is None else run)
    table = np.empty((places.size, len(rates)), dtype)
    columns, flat = _periodic(rates), places.reshape(-1)
    step = max(1, AT_ONCE // max(len(rates), 1))
    for first in range(0, len(flat), step):
        some = flat[first : first + step]
        part = _exact_or_not(rates, some)
        _look_up(part, columns, some)
        np.multiply(part, factor, out=table[first : first + step], casting="same_kind")
    return table.reshape(*places.shape, len(rates))


def _run(positions: ArrayLike | range) -> range | None:
    """The positions as a range if each is the one before plus one."""
    if isinstance(positions, range):
        return positions if positions.step == 1 else None
    places = _places(positions)
    if places.ndim != 1 or not places.size or places.dtype.kind not in "iu":
        return None
    first = int(places[0])
    if int(places[-1]) - first != places.size - 1 or not (np.diff(places) == 1).all():
        return None
    return range(first, first + places.size)


def _places(positions: ArrayLike | range) -> Array:
    """Whole numbers as such: of some that are beyond its integers NumPy makes floats."""
    places = np.asarray(positions)
    if places.dtype.kind != "f" or isinstance(positions, np.ndarray):
        return places
    exact = np.asarray(positions, object)
    beyond = any(isinstance(place, int) and abs(place) > WHOLE for place in exact.flat)
    return exact if beyond else places


def _fill(table: Directions, rates: Sequence[Rate], run: range, factor: float) -> None:
    """Write the table of many positions in a row: of each NEAR of them, the first is turned further."""
    rates, firsts = tuple(rates) if isinstance(rates, list) else rates, run[::NEAR]
    near, far, columns = _remembered(_parts, (NEAR + len(firsts)) * len(rates))(rates, firsts)
    if factor != 1:
        far = far * factor
    whole = len(run) // NEAR
    together = _rows_together(len(rates))
    rows = table[: whole * NEAR].reshape(whole, NEAR // together, together * len(rates))
    rest = table[whole * NEAR :]
    with rows_where_they_stand():  # calculated in complex128, and rounded while in the nearest cache
        for first in range(0, whole, BESIDE):
            into = rows[first : first + BESIDE]
            beside = np.tile(far[first : first + len(into), None], together)
            np.multiply(near.reshape(into.shape[1:]), beside, out=into, casting="same_kind")
        np.multiply(near[: len(rest)], far[whole:], out=rest, casting="same_kind")
    for i, trip in columns:
        _go_round(table[:, i], np.roll(trip, -(run[0] % len(trip))) * factor)


def _rows_together(pairs: int) -> int:
    """So many positions are one row, for NumPy is slow at short rows."""
    together = 1
    while together < NEAR and together * pairs < SHORT_ROW:
        together *= 2
    return together


def _go_round(column: Directions, trip: NDArray[np.complex128]) -> None:
    whole = len(column) // len(trip) * len(trip)
    column[:whole].reshape(-1, len(trip))[...] = trip  # a view: one axis is only cut in two
    column[whole:] = trip[: len(column) - whole]


Parts = tuple[NDArray[np.complex128], NDArray[np.complex128], "Columns"]


@lru_cache(maxsize=8)
def _parts(rates: Sequence[Rate], firsts: range) -> Parts:
    """What a run is made of: directions at the first NEAR positions of all, and at the first of each NEAR of
    the run; and what is looked up instead."""
    near = _remembered(_near, NEAR * len(rates))(rates)
    return near, _exact_or_not(rates, _places(firsts)), _periodic(rates)


@lru_cache(maxsize=8)
def _near(rates: Sequence[Rate]) -> NDArray[np.complex128]:
    """The same for every run."""
    return _exact_or_not(rates, np.arange(NEAR))


def _remembered(calculation: Any, numbers: int) -> Any:
    """A cached calculation, or itself where its result is too large to be kept."""
    return calculation if numbers <= REMEMBERED else calculation.__wrapped__


# --- one angle at a time


def _exact_or_not(rates: Sequence[Rate], places: Array) -> NDArray[np.complex128]:
    """[N, r/2] at positions [N]: in float64 where it is exact enough, else with integers."""
    high, low = _turns_per_position(rates)
    if places.dtype.kind == "O" or not _near_enough(places, high):
        return np.array(
            [[complex(*cos_sin(rate, place)) for rate in rates] for place in map(Fraction, places.tolist())],
            np.complex128,
        ).reshape(len(places), len(rates))
    position = places.astype(np.float64)[:, None]
    turns, lost = _product(position, high)
    lost += position * low
    quarters = np.rint(4 * turns)
    turns -= quarters / 4  # exact: both are multiples of the last digit of the larger
    turns, lost = _sum(turns, lost)
    radians, rest = _product(turns, tau)
    rest += turns * TAU_REST + lost * tau
    cosine, sine = np.cos(radians), np.sin(radians)
    result = np.empty(radians.shape, np.complex128)
    np.subtract(cosine, rest * sine, out=result.real)
    np.add(sine, rest * cosine, out=result.imag)
    result *= QUARTERS[quarters.astype(np.int64) & 3]
    result += 0.0  # no −0
    return result


def _near_enough(places: Array, high: Array) -> bool:
    # As a float: compared in a short type, what is far beyond it would overflow.
    farthest = max(abs(float(places.min())), abs(float(places.max())))
    fastest = float(np.abs(high).max(initial=0.0))
    return bool(farthest <= 8 * FARTHEST_TURN and farthest * fastest <= FARTHEST_TURN)


def _product(a: Array, b: Array | float) -> tuple[Array, Array]:
    """a·b rounded, and what rounding took from it (Dekker, 1971)."""
    product = a * b
    a_high, b_high = _upper_half(a), _upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _upper_half(a: Array | float) -> Array | float:
    wide = a * SPLIT
    half: Array | float = wide - (wide - a)
    return half


def _sum(a: Array, b: Array) -> tuple[Array, Array]:
    """a + b rounded, and what rounding took from it (Knuth, 1969)."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


@lru_cache(maxsize=64)
def _turns_of(rates: Sequence[Rate]) -> tuple[Array, Array]:
    exact = [_turns(rate) for rate in rates]
    high = np.array([float(turns) for turns in exact])
    low = np.array([float(turns - Fraction(rounded)) for turns, rounded in zip(exact, high, strict=True)])
    return high, low


def _turns_per_position(rates: Sequence[Rate]) -> tuple[Array, Array]:
    return _turns_of(tuple(rates) if isinstance(rates, list) else rates)


def _turns(rate: Rate) -> Fraction:
    """Turns per position to DIGITS digits."""
    if rate.turn is not None:
        return rate.turn
    import decimal

    context = decimal.Context(prec=DIGITS + 10)
    base = context.divide(decimal.Decimal(rate.base.numerator), decimal.Decimal(rate.base.denominator))
    above, below = decimal.Decimal(rate.exponent.numerator), decimal.Decimal(rate.exponent.denominator)
    power = context.exp(context.divide(context.multiply(context.ln(base), above), below))
    return rate.factor * Fraction(power) / WHOLE_TURN


# --- rational parts of a turn

Columns = tuple[tuple[int, NDArray[np.complex128]], ...]
"""Which rates come back soon, and their directions at 0, 1, 2, ... until then."""


def _periodic(rates: Sequence[Rate]) -> Columns:
    return tuple(
        (i, _round_trip(rate))
        for i, rate in enumerate(rates)
        if rate.turn is not None and rate.turn.denominator <= LONGEST_PERIOD
    )


@lru_cache(maxsize=256)
def _round_trip(rate: Rate) -> NDArray[np.complex128]:
    assert rate.turn is not None
    return np.array([complex(*cos_sin(rate, place)) for place in range(rate.turn.denominator)])


def _look_up(part: NDArray[np.complex128], columns: Columns, places: Array, factor: float = 1.0) -> None:
    """Put the exact directions in, times the factor, where the positions are whole."""
    if not columns or places.dtype.kind == "O" or (places % 1).any():
        return  # exact numbers were calculated exactly
    for i, trip in columns:
        part[:, i] = trip[(places % len(trip)).astype(np.int64)] * factor
