"""Cosines and sines of the catalogue's other tables for all positions of an array at once.

A hand-sized mistake wraps the function of one angle; here the same is done to a whole table. A test holds
the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from dense_cli.core.angles import Rate
from dense_cli.core.kernels.rotation import Table, arranged
from dense_cli.core.kernels.tables import Directions, directions
from dense_cli.core.kernels.walking import Array
from dense_cli.core.precision import BFLOAT16, FLOAT16, Format
from dense_cli.core.rope import Rope

Making = Callable[[Sequence[Rate], Array], Directions]
"""From rates and positions [..., T] to cos + i·sin [..., T, r/2]."""

FORMATS = (BFLOAT16, FLOAT16)


def rounded(values: Array, to: Format) -> Array:
    """The numbers of the format nearest to float64 values; infinite beyond its range.

    >>> rounded(np.array([257.0, 259.0, 0.0]), BFLOAT16).tolist()
    [256.0, 260.0, 0.0]
    """
    unit = np.maximum(np.frexp(values)[1], to.lowest + 1) - to.bits
    nearest = np.ldexp(np.rint(np.ldexp(values, -unit)), unit)
    return np.where(np.abs(nearest) > to.largest, np.copysign(np.inf, values), nearest)


def _mirrored(table: Directions) -> Directions:
    return table.conj()


def _sine_with_cosine(table: Directions) -> Directions:
    return 1j * table.conj()


def _rounded_table(to: Format, table: Directions) -> Directions:
    return rounded(table.real, to) + 1j * rounded(table.imag, to)


def _rounded_angles(
    to: Format, position: bool, frequency: bool, product: bool, rates: Sequence[Rate], places: Array
) -> Directions:
    if position:
        places = rounded(np.asarray(places, np.float64), to)
    if frequency:
        thetas = rounded(np.array([rate.theta for rate in rates]), to)
        rates = [Rate.radians(theta) for theta in thetas.tolist()]
    if not product:
        return directions(rates, places)
    radians = np.asarray(places, np.float64)[..., None] * np.array([rate.theta for rate in rates])
    angles = rounded(radians, to)
    return np.cos(angles) + 1j * np.sin(angles)


OF_ANGLES: Mapping[str, tuple[Making, ...]] = {
    "half-precision-angles": tuple(
        partial(_rounded_angles, to, *chosen)
        for to in FORMATS
        for chosen in ((True, False, False), (False, True, False), (False, False, True), (True, True, True))
    ),
}
"""For each mistake in the angles of a table, its settings in the catalogue's order."""

OF_TABLES: Mapping[str, tuple[Callable[[Directions], Directions], ...]] = {
    "clockwise": (_mirrored,),
    "sine-with-cosine": (_sine_with_cosine,),
    "half-precision-table": tuple(partial(_rounded_table, to) for to in FORMATS),
}
"""For each mistake in cosines and sines already made, its settings."""

Chosen = tuple[str, int]
"""A mistake, and which of its settings."""


def making(chosen: Sequence[Chosen]) -> Making:
    """How the table is made where these mistakes are made in turn: those in the angles come first anyway."""
    made: Making = directions
    for id, setting in chosen:
        made = OF_ANGLES[id][setting] if id in OF_ANGLES else made
    after = [OF_TABLES[id][setting] for id, setting in chosen if id in OF_TABLES]

    def table(rates: Sequence[Rate], places: Array) -> Directions:
        found = made(rates, places)
        for change in after:
            found = change(found)
        return found

    return table if after else made


def table_of(given: Rope, made: Directions) -> Table:
    """What an array is turned by, as `given` reads, looks up and writes."""
    return arranged(made, given.layout, given.output_layout, given.table_layout)
