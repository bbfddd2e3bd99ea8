"""What is done otherwise in RMSNorm. Parts work on exact rationals, as those they stand in for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import chain

from dense_cli.core.exact import ExactMatrix, ExactRow, Number, mean, root, rounded, square_sum
from dense_cli.core.norms import Norm, centred, mean_square
from dense_cli.frozen import replace
from dense_cli.mistakes import Catalogue, Change, Kind, Mistake, always
from dense_cli.mistakes.halves import to_bfloat16, to_float16

EPSILONS = (0.0, 1e-8, 1e-6, 1e-5, 2.0**-23, 1e-12, 2.0**-7)
"""Values in use: none, the common ones, and the machine epsilons of float32 and bfloat16."""


# What the coordinates are divided by


def sum_of_squares_times_width(row: ExactRow) -> Number:
    return square_sum(row) * len(row)


def over_one_less(row: ExactRow) -> Number:
    return square_sum(row) / (len(row) - 1)


def deviation(row: ExactRow) -> Number:
    return mean_square(centred(row))


def mean_absolute(row: ExactRow) -> Number:
    return mean(tuple(map(abs, row)))


def largest_absolute(row: ExactRow) -> Number:
    return max(map(abs, row))


def squared_mean(row: ExactRow) -> Number:
    return mean(row) ** 2


def width(row: ExactRow) -> Number:
    return Fraction(len(row))


def half_precision_squares(row: ExactRow) -> Number:
    squares = [to_float16(rounded(value) ** 2) for value in row]
    total = sum(squares)
    return total if total == float("inf") else Fraction(total) / len(row)


def no_root(statistic: Number, eps: Fraction) -> Number:
    return statistic + eps


def root_twice(statistic: Number, eps: Fraction) -> Number:
    return root(root(statistic + eps))


def eps_outside(statistic: Number, eps: Fraction) -> Number:
    return root(statistic) + eps


def eps_other(given: Norm) -> Iterator[Norm]:
    return (replace(given, eps=eps) for eps in EPSILONS if eps != given.eps)


def times(value: Fraction, denominator: Number) -> Number:
    return value * denominator


# Which numbers the statistic reads


Pools = tuple[tuple[ExactRow, ...], ...]


def columns(matrix: ExactMatrix) -> Pools:
    return (tuple(zip(*matrix, strict=True)),) * len(matrix)


def all_rows(matrix: ExactMatrix) -> Pools:
    return ((tuple(chain(*matrix)),),) * len(matrix)


def of_rows(pools: Callable[[ExactMatrix], Pools]) -> Change:
    """Statistics over several rows, where there are several."""

    def changed(given: Norm) -> Iterator[Norm]:
        if len(given.x) > 1:
            yield replace(given, pools=pools)

    return changed


# Gain


def of_gain(unit_offset: bool | None = None, /, **parts: object) -> Change:
    """The change of parts that a stored gain has: with an offset, without, or either (None)."""

    def changed(given: Norm) -> Iterator[Norm]:
        if given.gain is not None and unit_offset in (None, given.unit_offset):
            yield replace(given, **parts)  # type: ignore[arg-type]

    return changed


def added(value: Number, gain: Fraction) -> Number:
    return value + gain


def offset_twice(stored: Fraction, unit_offset: bool) -> Fraction:
    return 2 + stored


def offset_rounded(stored: Fraction, unit_offset: bool) -> Fraction:
    return Fraction(to_bfloat16(float(1 + stored)))


ENTRIES: Iterable[tuple[str, Kind, Change]] = (
    ("sum-not-mean", "slip", always(statistic=square_sum)),
    ("no-root", "slip", always(denominator=no_root)),
    ("root-twice", "slip", always(denominator=root_twice)),
    ("multiplied", "slip", always(combine=times)),
    ("over-root-width", "slip", always(statistic=sum_of_squares_times_width)),
    ("eps-outside", "convention", always(denominator=eps_outside)),
    ("gain-ignored", "slip", of_gain(gain=None)),
    ("gain-added", "slip", of_gain(apply_gain=added)),
    ("unit-offset-missing", "convention", of_gain(True, unit_offset=False)),
    ("unit-offset-unwanted", "convention", of_gain(False, unit_offset=True)),
    ("unit-offset-twice", "slip", of_gain(True, full_gain=offset_twice)),
    ("centred", "slip", always(centre=centred)),
    ("sample-variance", "slip", always(centre=centred, statistic=over_one_less)),
    ("deviation-only", "slip", always(statistic=deviation)),
    ("degrees-of-freedom", "slip", always(statistic=over_one_less)),
    ("mean-absolute", "slip", always(statistic=mean_absolute, denominator=no_root)),
    ("max-absolute", "slip", always(statistic=largest_absolute, denominator=no_root)),
    ("mean-before-square", "slip", always(statistic=squared_mean)),
    ("width-alone", "slip", always(statistic=width)),
    ("wrong-axis", "slip", of_rows(columns)),
    ("all-rows-together", "convention", of_rows(all_rows)),
    ("half-precision-squares", "precision", always(statistic=half_precision_squares)),
    ("half-precision-offset", "precision", of_gain(True, full_gain=offset_rounded)),
    ("eps-other", "choice", eps_other),
)

SETTINGS = {"eps-other": "eps"}
"""What the families of settings change."""

RMSNORM: Catalogue = tuple(
    Mistake(id, "rmsnorm", kind, change, SETTINGS.get(id, "")) for id, kind, change in ENTRIES
)
