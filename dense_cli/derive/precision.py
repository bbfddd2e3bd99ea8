"""What the stories of a short number format share: rounding in formulas, and the truth beside the value."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite, isnan

from dense_cli.core import Row
from dense_cli.core.exact import rounded
from dense_cli.core.precision import FLOAT32, Format
from dense_cli.derivation import Derivation, Line, Note, Table, Value
from dense_cli.derive.stating import WIDEST_ANSWER, WRITTEN_OUT
from dense_cli.expression import Call, Expression, Function, Symbol
from dense_cli.frozen import replace
from dense_cli.numerals import Exact


def cast(dtype: Format, part: Expression) -> Call:
    """`part` rounded to the format, as bfloat16(x · r)."""
    return Call(_function(dtype), part)


def cast_from_float32(dtype: Format, part: Expression) -> Call:
    """`part` computed in float32, then rounded to the format."""
    inner = cast(FLOAT32, part)
    return inner if dtype is FLOAT32 else cast(dtype, inner)


def _function(dtype: Format) -> Function:
    def exactly(value: Exact) -> Exact | None:
        if not isinstance(value, Fraction):
            return None
        result = dtype.rounded(rounded(value))
        return Fraction(result) if isfinite(result) else None

    return Function(dtype.name, rf"\mathrm{{{dtype.name}}}", dtype.rounded, exactly)


def held(symbol: Symbol, value: float) -> Symbol:
    """`symbol` standing for a number of a format, which is exactly what its float says."""
    return symbol.bound(value + 0.0, Fraction(value) if isfinite(value) else None)


def held_row(symbol: Symbol, row: Sequence[float]) -> tuple[Symbol, ...]:
    """`held` for the coordinates that are written out, counted from 1."""
    return tuple(held(symbol.at(place), value) for place, value in enumerate(row[:WRITTEN_OUT], start=1))


def line(symbol: Symbol, formula: Expression, value: float) -> tuple[Line, Symbol]:
    """The line symbol = formula = value, and the symbol standing for the value; a value that is not finite is
    stated alone."""
    told = Line(symbol, formula if isfinite(value) else None, stated(value))
    return told, held(symbol, value)


def stated(value: float) -> float | None:
    """A value for the page: no negative zero, None where it is not a number."""
    return None if isnan(value) else value + 0.0


def stated_row(row: Sequence[float]) -> Value:
    """A row for the page, cut where a page cuts one."""
    return tuple(map(stated, row if len(row) <= WIDEST_ANSWER else row[:WRITTEN_OUT]))


def beside_truth(truth: Row, found: Row, dtype: Format) -> Table:
    """Coordinate by coordinate: the float64 truth, the value, their difference, and that in units of the
    format's last place."""
    columns = (
        Note("precision.coordinate"),
        Note("precision.truth"),
        Note("precision.value", {"format": dtype.name}),
        Note("precision.difference"),
        Note("precision.units"),
    )
    cells = zip(truth[:WRITTEN_OUT], found, strict=False)
    return Table(columns, tuple((place, *_compared(*cell, dtype)) for place, cell in enumerate(cells, 1)))


def _compared(truth: float, found: float, dtype: Format) -> tuple[float | None, ...]:
    if not isfinite(found):
        return truth, stated(found), None, None
    difference = found - truth
    return truth, found + 0.0, difference + 0.0, difference / dtype.spacing(truth) + 0.0


def answers(dtype: Format, before: Derivation, found: Sequence[Line]) -> tuple[Line, ...]:
    """What the format gives, then what float64 gave, each said to be so."""
    return (
        *(_in_format(told, dtype.name) for told in found),
        *(_in_format(told, "float64") for told in before.answer),
    )


def _in_format(told: Line, name: str) -> Line:
    return replace(told, symbol=Note("precision.in-format", {"quantity": told.symbol, "format": name}))
