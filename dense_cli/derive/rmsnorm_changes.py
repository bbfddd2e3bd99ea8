"""What adding a number to every coordinate, or multiplying each by one, changes and what it does not."""

from __future__ import annotations

from math import ulp

from dense_cli.core import Row
from dense_cli.core.norms import LayerNormRow, Norm, NormRow
from dense_cli.derivation import Fact, Note, Step, Table
from dense_cli.derive import symbols
from dense_cli.derive.stating import WRITTEN_OUT, Given, more
from dense_cli.expression import Expression
from dense_cli.frozen import dataclass

SHIFT, SCALE = "shift", "scale"

ROUNDING = 1e-12
"""Results that differ by less, relative to the larger, differ by rounding alone."""

VISIBLE = 5e-7
"""A difference that six decimals show."""

Cells = tuple[Fact, Fact, Fact, Fact]


@dataclass(frozen=True, slots=True)
class Change:
    """The rows after `amount` was added to every coordinate ("shift"), or multiplied it ("scale").

    `layer` is None where LayerNorm was not asked for or has no value.
    """

    kind: str
    amount: Given
    rows: tuple[NormRow, ...]
    layer: tuple[LayerNormRow, ...] | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """One row before and after, by both norms."""

    before: NormRow
    after: NormRow
    layer_before: LayerNormRow | None
    layer_after: LayerNormRow | None


def change_step(
    norm: Norm, change: Change, rows: tuple[NormRow, ...], layer: tuple[LayerNormRow, ...] | None
) -> Step:
    """A table of each row before and after, and what it shows."""
    title = Note(f"rmsnorm.{change.kind}", {"amount": change.amount})
    pairs = [
        Pair(
            before,
            change.rows[index],
            *((None, None) if layer is None or change.layer is None else (layer[index], change.layer[index])),
        )
        for index, before in enumerate(rows[:WRITTEN_OUT])
    ]
    steps = tuple(_row_step(norm, change, pair, number) for number, pair in enumerate(pairs, start=1))
    if len(rows) == 1:
        return Step(change.kind, title, table=steps[0].table, notes=steps[0].notes)
    return Step(change.kind, title, steps=steps, notes=more("rmsnorm.rows", len(rows)))


def _row_step(norm: Norm, change: Change, pair: Pair, number: int) -> Step:
    columns = tuple(Note(f"rmsnorm.{name}") for name in ("quantity", "before", "after", "changes"))
    told = _shift_notes(change, pair) if change.kind == SHIFT else _scale_notes(norm, change, pair)
    return Step(
        f"{change.kind}-{number}",
        Note("rmsnorm.row", {"row": number}),
        table=Table(columns, _cells(change, pair)),
        notes=(*more("rmsnorm", len(pair.before.x)), *told),
    )


def _cells(change: Change, pair: Pair) -> tuple[Cells, ...]:
    before, after = pair.before, pair.after
    cells = [
        _vectors(symbols.X, before.x, after.x),
        _numbers(symbols.RMS, before.denominator, after.denominator),
        _vectors(Note("rmsnorm.y-of-rmsnorm"), before.output, after.output),
    ]
    if pair.layer_before is None or pair.layer_after is None:
        return tuple(cells)
    layer_before, layer_after = pair.layer_before, pair.layer_after
    allowed = _rounding_of_shift(layer_after) if change.kind == SHIFT else ROUNDING
    return (
        *cells,
        _numbers(symbols.MEAN, layer_before.mean, layer_after.mean),
        _numbers(symbols.STD, layer_before.denominator, layer_after.denominator, allowed),
        _vectors(Note("rmsnorm.z-of-layernorm"), layer_before.output, layer_after.output, allowed),
    )


def _vectors(name: Note | Expression, before: Row, after: Row, allowed: float = ROUNDING) -> Cells:
    return name, before[:WRITTEN_OUT], after[:WRITTEN_OUT], _differs(before, after, allowed)


def _numbers(name: Expression, before: float, after: float, allowed: float = ROUNDING) -> Cells:
    return name, before, after, _differs((before,), (after,), allowed)


def _differs(before: Row, after: Row, allowed: float = ROUNDING) -> bool:
    size = max(map(abs, (*before, *after)))
    return _difference(before, after) > allowed * size


def _difference(before: Row, after: Row) -> float:
    return max(abs(one - other) for one, other in zip(before, after, strict=True))


def _rounding_of_shift(after: LayerNormRow) -> float:
    """What rounding x + S to floats does to deviations, relative to their size."""
    return ROUNDING + 8 * ulp(max(map(abs, after.x))) / after.denominator


def _shift_notes(change: Change, pair: Pair) -> tuple[Note, ...]:
    if change.amount == 0:
        return (Note("rmsnorm.shift-by-zero"),)
    changed = _differs(pair.before.output, pair.after.output)
    notes = [Note("rmsnorm.shift-changes-rmsnorm" if changed else "rmsnorm.shift-of-equal-coordinates")]
    if pair.layer_before is None or pair.layer_after is None:
        return (*notes, Note("rmsnorm.no-layernorm"))
    notes.append(Note("rmsnorm.shift-keeps-layernorm"))
    difference = _difference(pair.layer_before.output, pair.layer_after.output)
    if difference > VISIBLE:
        notes.append(Note("rmsnorm.shift-rounded", {"difference": difference}))
    return tuple(notes)


def _scale_notes(norm: Norm, change: Change, pair: Pair) -> tuple[Note, ...]:
    factor = float(change.amount)
    if factor == 0:
        return (Note("rmsnorm.scale-by-zero"),)
    signed = tuple(value if factor > 0 else -value for value in pair.after.output)
    sign = (Note("rmsnorm.scale-flips-sign"),) if factor < 0 else ()
    if norm.eps:
        largest = _difference(pair.before.output, signed)
        return (*sign, Note("rmsnorm.scale-nearly-cancels", {"difference": largest, "eps": norm.eps}))
    return (*sign, Note("rmsnorm.scale-cancels"))
