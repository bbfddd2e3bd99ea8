"""One row on its way through the gated network, entry by entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dense_cli.core import Matrix, Row
from dense_cli.core.ffn import Ffn, FfnRow
from dense_cli.derivation import Line, Note, Step
from dense_cli.derive import symbols
from dense_cli.derive.activations import FORMS, sloped
from dense_cli.derive.stating import WRITTEN_OUT, define_each, given, given_row, known, more
from dense_cli.expression import Constant, Expression, Negative, Product, Sum, Symbol, product
from dense_cli.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Projection:
    """A row times a matrix, plus a bias where there is one."""

    name: str
    result: Symbol
    weight: Symbol
    weights: Matrix
    bias: Symbol
    biases: Row | None

    def step(self, source: Symbol, row: tuple[Symbol, ...], values: Row) -> tuple[Step, tuple[Symbol, ...]]:
        """The entries of the result, each as a sum of products of row and column.

        `row` has the entries that are written out; where it has fewer than the matrix has rows, the sums are
        too long to write and only their values stand.
        """
        formulas = [self._entry(row, column) for column in range(min(len(values), WRITTEN_OUT))]
        lines, defined = define_each(self.result, formulas, values[:WRITTEN_OUT])
        notes = [Note(f"swiglu.{self.name}-entries")]
        if len(row) < len(self.weights):
            lines = tuple(Line(line.symbol, None, line.value) for line in lines)
            defined = given_row(self.result, values[:WRITTEN_OUT])
            notes = [Note("swiglu.long-sums", {"terms": len(self.weights)})]
        whole: Expression = product(source, self.weight)
        if self.biases is not None:
            whole = Sum((whole, self.bias))
        step = Step(
            self.name,
            Note(f"swiglu.{self.name}"),
            formula=(self.result, whole),
            lines=lines,
            notes=(*notes, *more("swiglu", len(values))),
        )
        return step, defined

    def _entry(self, row: tuple[Symbol, ...], column: int) -> Expression:
        terms: list[Expression] = [
            product(value, given(self.weight.at(place, column + 1), self.weights[place - 1][column]))
            for place, value in enumerate(row, start=1)
        ]
        if self.biases is not None:
            terms.append(given(self.bias.at(column + 1), self.biases[column]))
        return Sum(tuple(terms))


def row_steps(ffn: Ffn, wg: Matrix, wu: Matrix, row: FfnRow, x: Sequence[float]) -> tuple[Step, ...]:
    """Both projections, what limits them, activation, product and down projection."""
    source = given_row(symbols.X, x[:WRITTEN_OUT])
    gate_way = Projection("gate", symbols.GATE, symbols.GATE_WEIGHT, wg, symbols.GATE_BIAS, ffn.bg)
    up_way = Projection("up", symbols.UP, symbols.UP_WEIGHT, wu, symbols.UP_BIAS, ffn.bu)
    gate_step, gate = gate_way.step(symbols.X, source, row.gate)
    up_step, up = up_way.step(symbols.X, source, row.up)
    limit_steps, gate, up = _limited(ffn, row, gate, up)
    activation_step, activated = _activated(ffn, row, gate)
    product_step, multiplied = _multiplied(row, activated, up, symbols.UP_USED if limit_steps else symbols.UP)
    steps = (gate_step, up_step, *limit_steps, activation_step, product_step)
    if ffn.wd is None:
        return steps
    down_way = Projection("down", symbols.Y, symbols.DOWN_WEIGHT, ffn.wd, symbols.DOWN_BIAS, ffn.bd)
    return (*steps, down_way.step(symbols.PRODUCT, multiplied, row.output)[0])


def _limited(
    ffn: Ffn, row: FfnRow, gate: tuple[Symbol, ...], up: tuple[Symbol, ...]
) -> tuple[tuple[Step, ...], tuple[Symbol, ...], tuple[Symbol, ...]]:
    """The clamped form: gate at most L, up within ±L, then the offset."""
    if ffn.limit is None and not ffn.up_offset:
        return (), gate, up
    gate_lines: tuple[Line, ...] = ()
    if ffn.limit is not None:
        at_most = (_within(value, ffn.limit, below=False) for value in gate)
        gate_lines, gate = define_each(symbols.GATE_USED, at_most, row.gate_used[:WRITTEN_OUT])
    offset = Constant(known(ffn.up_offset))
    within = (value if ffn.limit is None else _within(value, ffn.limit, below=True) for value in up)
    formulas = (Sum((value, offset)) if ffn.up_offset else value for value in within)
    up_lines, up = define_each(symbols.UP_USED, formulas, row.up_used[:WRITTEN_OUT])
    notes: list[Note] = []
    if ffn.limit is not None:
        notes.append(Note("swiglu.limits", {"limit": ffn.limit, "lowest": -ffn.limit}))
    if ffn.up_offset:
        notes.append(Note("swiglu.offset", {"offset": ffn.up_offset}))
    step = Step(
        "limit",
        Note("swiglu.limit" if ffn.limit is not None else "swiglu.offset-alone"),
        lines=(*gate_lines, *up_lines),
        notes=(*notes, *more("swiglu", len(row.gate))),
    )
    return (step,), gate, up


def _within(value: Symbol, limit: float, below: bool) -> Expression:
    """The value itself, or the limit that it exceeds."""
    number = 0 if value.value is None else float(value.value)
    bound = given(symbols.LIMIT, limit)
    if number > limit:
        return bound
    return Negative(bound) if below and number < -limit else value


def _activated(ffn: Ffn, row: FfnRow, gate: tuple[Symbol, ...]) -> tuple[Step, tuple[Symbol, ...]]:
    name = symbols.GATE if ffn.limit is None else symbols.GATE_USED
    lines, activated = define_each(
        symbols.ACTIVATED, (activation(ffn, value) for value in gate), row.activated[:WRITTEN_OUT]
    )
    step = Step(
        "activation",
        Note("swiglu.activate", {"activation": activation_name(ffn)}),
        formula=(symbols.ACTIVATED, activation(ffn, name, bound=False)),
        lines=lines,
        notes=(Note(f"swiglu.about.{ffn.activation}"), *more("swiglu", len(row.gate))),
    )
    return step, activated


def activation(ffn: Ffn, value: Expression, bound: bool = True) -> Expression:
    """The activation of a value; `bound` puts the number of the slope in."""
    slope = ffn.beta if ffn.alpha is None else ffn.alpha
    if slope is None:
        return FORMS[ffn.activation](value)
    symbol = symbols.BETA if ffn.alpha is None else symbols.ALPHA
    return sloped(value, given(symbol, slope) if bound else symbol)


def activation_name(ffn: Ffn) -> Note:
    """What the activation is called."""
    sloping = ffn.beta is not None or ffn.alpha is not None
    return Note("swiglu.activation.swish" if sloping else f"swiglu.activation.{ffn.activation}")


def _multiplied(
    row: FfnRow, activated: tuple[Symbol, ...], up: tuple[Symbol, ...], name: Symbol
) -> tuple[Step, tuple[Symbol, ...]]:
    products: Iterable[Expression] = (
        Product((left, right)) for left, right in zip(activated, up, strict=True)
    )
    lines, multiplied = define_each(symbols.PRODUCT, products, row.product[:WRITTEN_OUT])
    step = Step(
        "product",
        Note("swiglu.product"),
        formula=(symbols.PRODUCT, symbols.entrywise(symbols.ACTIVATED, name)),
        lines=lines,
        notes=(Note("swiglu.entrywise"), *more("swiglu", len(row.product))),
    )
    return step, multiplied
