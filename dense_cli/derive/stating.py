"""How a story states a number: a line that defines a symbol, and data for scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isfinite

from dense_cli.derivation import Data, Line, Note, Step, Value
from dense_cli.expression import Constant, Expression, Symbol
from dense_cli.frozen import replace
from dense_cli.numerals import Number, exact_value

Given = int | float | Fraction
"""A finite number that someone gave."""

WRITTEN_OUT = 8
"""So many coordinates, entries or rows are written out; the rest go the same way."""

WIDEST_ANSWER = 64
"""Up to this width an answer is shown whole; beyond it only the data has all of it."""


def known(value: Given) -> Fraction:
    """The exact value of a finite number that was given: the decimal that was meant, else the float itself.

    >>> known(0.1), known(0.5)
    (Fraction(1, 10), Fraction(1, 2))
    """
    exact = exact_value(value)
    return exact if isinstance(exact, Fraction) else Fraction(value)


def given(symbol: Symbol, value: Given) -> Symbol:
    """`symbol` standing for a number that was given."""
    return symbol.bound(value, known(value))


def given_row(symbol: Symbol, row: Sequence[Given]) -> tuple[Symbol, ...]:
    """One symbol a coordinate, counted from 1."""
    return tuple(given(symbol.at(index), value) for index, value in enumerate(row, start=1))


def number(symbol: Symbol) -> Constant:
    """The number that a symbol stands for, without its name."""
    if symbol.value is None:
        raise ValueError(f"{symbol.text} stands for no number")
    return Constant(symbol.value if symbol.known is None else symbol.known)


def define(symbol: Symbol, formula: Expression, value: Number) -> tuple[Line, Symbol]:
    """The line symbol = formula = value, and the symbol standing for that value from here on."""
    # Not `bound`: that takes few digits for the decimal someone meant, and this value is computed.
    return Line(symbol, formula, value), replace(symbol, value=value, known=formula.exact())


def define_each(
    symbol: Symbol, formulas: Iterable[Expression], values: Iterable[Number]
) -> tuple[tuple[Line, ...], tuple[Symbol, ...]]:
    """`define` for every coordinate of a row, counted from 1."""
    pairs = [
        define(symbol.at(index), formula, value)
        for index, (formula, value) in enumerate(zip(formulas, values, strict=True), start=1)
    ]
    return tuple(line for line, _ in pairs), tuple(defined for _, defined in pairs)


def evaluated(symbol: Symbol, formula: Expression) -> tuple[Line, Symbol]:
    """`define` where the formula alone says the value: exactly where it can, so that nothing cancels."""
    exact = formula.exact()
    return define(symbol, formula, float(exact) if exact is not None else formula.evaluate())


def evaluated_each(
    symbol: Symbol, formulas: Iterable[Expression]
) -> tuple[tuple[Line, ...], tuple[Symbol, ...]]:
    """`evaluated` for every coordinate of a row, counted from 1."""
    pairs = [evaluated(symbol.at(index), formula) for index, formula in enumerate(formulas, start=1)]
    return tuple(line for line, _ in pairs), tuple(defined for _, defined in pairs)


def scalar(value: float) -> Data:
    """A number for JSON: None where it is not finite, no negative zero."""
    return value + 0.0 if isfinite(value) else None


def array(row: Iterable[float]) -> list[Data]:
    """A row for JSON."""
    return [scalar(float(value)) for value in row]


def shown(row: Sequence[float]) -> Value:
    """A row for the page: whole up to `WIDEST_ANSWER`, else its first coordinates."""
    return tuple(row if len(row) <= WIDEST_ANSWER else row[:WRITTEN_OUT])


def more(topic: str, count: int) -> tuple[Note, ...]:
    """The note that the rest goes the same way, where there is a rest; `topic` has its words."""
    return (Note(f"{topic}.more", {"count": count - WRITTEN_OUT}),) if count > WRITTEN_OUT else ()


def said_once(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps, without notes that an earlier one has said; how much is left out is said each time."""
    told: list[Note] = []

    def new(note: Note) -> bool:
        if note in told:
            return False
        if not note.key.endswith(".more"):
            told.append(note)
        return True

    def walk(inner: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(
            replace(step, notes=tuple(filter(new, step.notes)), steps=walk(step.steps)) for step in inner
        )

    return walk(steps)
