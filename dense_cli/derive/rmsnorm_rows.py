"""One row of RMSNorm, and of LayerNorm beside it, coordinate by coordinate."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor, log10, sqrt

from dense_cli.core import Row
from dense_cli.core.exact import ExactRow, exact_row, rounded, square_sum
from dense_cli.core.norms import LayerNormRow, Norm, NormRow, centred
from dense_cli.derivation import Line, Note, Step, Table
from dense_cli.derive import symbols
from dense_cli.derive.stating import (
    WRITTEN_OUT,
    define,
    define_each,
    evaluated,
    evaluated_each,
    given,
    given_row,
    known,
    more,
    number,
)
from dense_cli.expression import Constant, Expression, Negative, Quotient, Root, Sum, Symbol, product, square
from dense_cli.frozen import dataclass

LARGEST_PLAIN, SMALLEST_PLAIN = 1e150, 1e-120
"""Between these, squares of coordinates and of their deviations are ordinary floats."""

LOST = 1e-60
"""An epsilon that is smaller beside squares of about 1 changes no digit of any float."""

SMALLEST_POWER = -300
"""Smaller powers of ten are no ordinary floats themselves."""


@dataclass(frozen=True, slots=True)
class Source:
    """The coordinates that the steps work on: x itself, or u = x / s where squares of x are no floats.

    `row` has those that are written out, `whole` the exact values of all. `eps` is what stands beside the
    mean square under the root, None where epsilon is 0 or too small to be seen beside such numbers
    (`lost_eps`); `power` is s, None where the steps work on x.
    """

    row: tuple[Symbol, ...]
    whole: ExactRow
    eps: Symbol | None
    lost_eps: bool = False
    power: Symbol | None = None
    steps: tuple[Step, ...] = ()

    @property
    def width(self) -> Symbol:
        return given(symbols.COORDINATES, len(self.whole))

    def define(self, statistic: Symbol, formula: Expression, value: float) -> tuple[Line, Symbol]:
        """A statistic of x with the core's value, or the same statistic of u."""
        if self.power is None:
            return define(statistic, formula, value)
        return evaluated(symbols.of(statistic, symbols.RESCALED), formula)


def rms_steps(norm: Norm, row: NormRow, rows: int, index: int) -> tuple[Step, ...]:
    """Squares, mean, root, division, gain, and what the mean square is in the end."""
    source = _source(norm, index)
    rest = more("rmsnorm", len(row.x))
    square_lines, squares = _squares(source.row)
    formula, sum_lines = _mean_of(squares, source, symbols.SQUARE_SUM, square_sum(source.whole))
    mean_line, mean = source.define(symbols.MEAN_SQUARE, formula, row.mean_square)
    root_line, root = source.define(symbols.RMS, Root(_with_eps(mean, source.eps)), row.denominator)
    name = symbols.Y if norm.gain is None else symbols.NORMALIZED
    divided_lines, divided = define_each(
        name, (Quotient(value, root) for value in source.row), row.normalized[:WRITTEN_OUT]
    )
    divisor = Note(
        "rmsnorm.divisor" if rows == 1 else "rmsnorm.divisor-of-rows", {"rows": rows, "width": len(row.x)}
    )
    divide = Note("rmsnorm.divide" if norm.gain is None else "rmsnorm.divide-before-gain")
    return (
        *source.steps,
        Step("squares", Note("rmsnorm.squares"), lines=square_lines, notes=rest),
        Step(
            "mean-square",
            Note("rmsnorm.mean-square"),
            lines=(*sum_lines, mean_line),
            notes=(divisor,),
        ),
        *_eps_steps(mean, source.eps),
        Step("root", Note("rmsnorm.root"), lines=(root_line, *_back(source, root, row.denominator))),
        Step("divide", divide, lines=divided_lines, notes=rest),
        *_gain_steps(norm, divided, row),
        _check(source, mean, name, divided),
    )


def layer_steps(norm: Norm, row: LayerNormRow, index: int) -> tuple[Step, ...]:
    """Mean, deviations, variance, root and division of the same row."""
    source = _centred_source(norm, index)
    rest = more("rmsnorm", len(row.x))
    formula, total_lines = _mean_of(source.row, source, symbols.TOTAL, sum(source.whole, Fraction(0)))
    mean_line, mean = source.define(symbols.MEAN, formula, row.mean)
    deviation_lines, deviations = define_each(
        symbols.DEVIATION,
        (Sum((value, Negative(mean))) for value in source.row),
        _deviations(source, norm.x[index]),
    )
    square_lines, squares = _squares(deviations)
    formula, sum_lines = _mean_of(squares, source, symbols.SQUARE_SUM, square_sum(centred(source.whole)))
    variance_line, variance = source.define(symbols.VARIANCE, formula, row.variance)
    std_line, std = source.define(symbols.STD, Root(_with_eps(variance, source.eps)), row.denominator)
    quotients = (Quotient(top, std) for top in _gained(norm, deviations))
    output, _ = define_each(symbols.LAYERNORM, quotients, row.output[:WRITTEN_OUT])
    return (
        *source.steps,
        Step("mean", Note("rmsnorm.mean"), lines=(*total_lines, mean_line)),
        Step(
            "deviations",
            Note("rmsnorm.deviations"),
            lines=deviation_lines,
            notes=rest,
        ),
        Step("variance", Note("rmsnorm.variance"), lines=(*square_lines, *sum_lines, variance_line)),
        Step("std", Note("rmsnorm.std"), lines=(std_line,)),
        Step("layernorm-output", Note("rmsnorm.layernorm-output"), lines=output, notes=rest),
    )


def _deviations(source: Source, x: Row) -> Row:
    """Deviations of the written coordinates, as exact as the core takes them: nothing cancels."""
    unit = Fraction(1) if source.power is None else Fraction(number(source.power).evaluate())
    return tuple(rounded(deviation / unit) for deviation in centred(exact_row(x))[:WRITTEN_OUT])


def side_by_side(row: NormRow, layer: LayerNormRow) -> Step:
    """Both results, coordinate by coordinate."""
    columns = (
        Note("rmsnorm.coordinate"),
        symbols.X,
        Note("rmsnorm.y-of-rmsnorm"),
        Note("rmsnorm.z-of-layernorm"),
    )
    cells = zip(row.x, row.output, layer.output, strict=True)
    table = Table(columns, tuple((place, *cell) for place, cell in enumerate(cells, start=1))[:WRITTEN_OUT])
    return Step(
        "side-by-side",
        Note("rmsnorm.side-by-side"),
        table=table,
        notes=(*more("rmsnorm", len(row.x)), Note("rmsnorm.centred")),
    )


def _source(norm: Norm, index: int) -> Source:
    """The coordinates themselves, or divided by a power of ten."""
    return _rescaled(norm, index, _power_of_ten([abs(float(value)) for value in norm.x[index]], norm.eps))


def _centred_source(norm: Norm, index: int) -> Source:
    """Likewise for deviations: where all are 0 there is no square to be afraid of, and epsilon counts."""
    return _rescaled(norm, index, None) if len(set(norm.x[index])) == 1 else _source(norm, index)


def _rescaled(norm: Norm, index: int, power: float | None) -> Source:
    whole = tuple(Fraction(known(value)) for value in norm.x[index])
    row = given_row(symbols.X, norm.x[index][:WRITTEN_OUT])
    eps = given(symbols.EPS, norm.eps) if norm.eps else None
    if power is None:
        return Source(row, whole, eps)
    ten = given(symbols.POWER_OF_TEN, power)
    eps_lines: tuple[Line, ...] = ()
    lost = False
    if eps is not None:
        eps_line, rescaled_eps = evaluated(symbols.RESCALED_EPS, Quotient(Quotient(eps, ten), ten))
        lost = rescaled_eps.evaluate() < LOST
        eps, eps_lines = (None, ()) if lost else (rescaled_eps, (eps_line,))
    lines, rescaled = evaluated_each(symbols.RESCALED, (Quotient(value, ten) for value in row))
    why = Note("rmsnorm.squares-too-large" if power > 1 else "rmsnorm.squares-too-small")
    step = Step(
        "rescale",
        Note("rmsnorm.rescale"),
        lines=(Line(symbols.POWER_OF_TEN, None, power), *lines, *eps_lines),
        notes=(*more("rmsnorm", len(whole)), why, *((Note("rmsnorm.epsilon-lost"),) if lost else ())),
    )
    return Source(rescaled, tuple(value / known(power) for value in whole), eps, lost, ten, (step,))


def _power_of_ten(sizes: Sequence[float], eps: float) -> float | None:
    """What to divide by so that squares are ordinary floats; None where they are already."""
    size = max(*sizes, sqrt(eps))
    if size == 0 or SMALLEST_PLAIN <= size <= LARGEST_PLAIN:
        return None
    return float(f"1e{max(floor(log10(size)), SMALLEST_POWER)}")


def _squares(row: tuple[Symbol, ...]) -> tuple[tuple[Line, ...], tuple[Symbol, ...]]:
    pairs = [evaluated(symbols.squared(value), square(number(value))) for value in row]
    return tuple(line for line, _ in pairs), tuple(symbol for _, symbol in pairs)


def _mean_of(
    values: tuple[Symbol, ...], source: Source, name: Symbol, whole: Fraction
) -> tuple[Expression, tuple[Line, ...]]:
    """The mean as a formula; that of a wide row by way of its sum, which then has a line of its own."""
    if len(source.whole) <= WRITTEN_OUT:
        return Quotient(Sum(values), source.width), ()
    total = name.bound(rounded(whole), whole)
    label = Note(f"rmsnorm.sum-{name.text}", {"symbol": name, "count": len(source.whole)})
    return Quotient(total, source.width), (Line(label, None, rounded(whole)),)


def _with_eps(statistic: Symbol, eps: Symbol | None) -> Expression:
    """What stands under the root."""
    return statistic if eps is None else Sum((statistic, eps))


def _eps_steps(statistic: Symbol, eps: Symbol | None) -> tuple[Step, ...]:
    if eps is None:
        return ()
    under = Sum((statistic, eps))
    numbers = Sum((number(statistic), number(eps)))
    return (Step("epsilon", Note("rmsnorm.epsilon"), lines=(Line(under, numbers, under.evaluate()),)),)


def _back(source: Source, root: Symbol, denominator: float) -> tuple[Line, ...]:
    """The denominator of x from that of u."""
    if source.power is None:
        return ()
    return (Line(symbols.RMS, product(source.power, root), denominator),)


def _gained(norm: Norm, row: tuple[Symbol, ...]) -> tuple[Expression, ...]:
    """Each coordinate with its gain: g times it, or 1 + g times it."""
    if norm.gain is None:
        return row
    gains = given_row(symbols.GAIN, norm.gain[:WRITTEN_OUT])
    factors = tuple(Sum((Constant(1), gain)) for gain in gains) if norm.unit_offset else gains
    return tuple(product(factor, value) for factor, value in zip(factors, row, strict=True))


def _gain_steps(norm: Norm, normalized: tuple[Symbol, ...], row: NormRow) -> tuple[Step, ...]:
    if norm.gain is None:
        return ()
    lines, _ = define_each(symbols.Y, _gained(norm, normalized), row.output[:WRITTEN_OUT])
    title = Note("rmsnorm.gain-offset" if norm.unit_offset else "rmsnorm.gain")
    return (Step("gain", title, lines=lines, notes=more("rmsnorm", len(row.x))),)


def _check(source: Source, mean: Symbol, name: Symbol, written: tuple[Symbol, ...]) -> Step:
    """The mean square after the division: 1, or how near."""
    after = symbols.of(symbols.MEAN_SQUARE, name)
    by_hand = Quotient(Sum(tuple(map(square, written))), source.width)
    under = _with_eps(mean, source.eps)
    lines = [evaluated(after, Quotient(mean, under))[0]]
    if len(written) == len(source.whole):
        lines.insert(0, evaluated(after, by_hand)[0])
    note = "rmsnorm.one-but-for-epsilon" if source.lost_eps else "rmsnorm.exactly-one"
    if source.eps is not None:
        lines.append(evaluated(symbols.short_of_one(after), Quotient(source.eps, under))[0])
        note = "rmsnorm.nearly-one"
    return Step("check", Note("rmsnorm.check"), lines=tuple(lines), notes=(Note(note),))
