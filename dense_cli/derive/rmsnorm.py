"""The story of RMSNorm, with LayerNorm beside it where it is asked for."""

from __future__ import annotations

from dense_cli.core.norms import LayerNormRow, Norm, NormRow
from dense_cli.derivation import Data, Derivation, Line, Note, Step
from dense_cli.derive import symbols
from dense_cli.derive.rmsnorm_changes import Change, change_step
from dense_cli.derive.rmsnorm_rows import layer_steps, rms_steps, side_by_side
from dense_cli.derive.stating import WIDEST_ANSWER, WRITTEN_OUT, array, more, said_once, scalar, shown
from dense_cli.expression import Constant, Expression, Quotient, Root, Sum, product


def rmsnorm(
    given: Norm,
    rows: tuple[NormRow, ...],
    layer: tuple[LayerNormRow, ...] | None = None,
    changes: tuple[Change, ...] = (),
    assumed: tuple[Note, ...] = (),
) -> Derivation:
    """How each row of `given` became what the core made of it.

    `rows` is what `norm` gives, `layer` what `layer_norm` gives, each one record a row of x; `changes` are
    the same rows shifted or scaled. `assumed` are further settings that were chosen and not typed.

    Source: Zhang and Sennrich, Root Mean Square Layer Normalization, equation 4.

    >>> from dense_cli.core.norms import norm
    >>> given = Norm(x=((3.0, 4.0),))
    >>> rmsnorm(given, norm(given)).result["rows"][0]["mean_square"]
    12.5
    """
    layers = layer or (None,) * len(rows)
    told = [
        (row, _row_steps(given, row, beside, index, len(rows)))
        for index, (row, beside) in enumerate(zip(rows[:WRITTEN_OUT], layers, strict=False))
    ]
    if len(rows) == 1:
        steps = told[0][1]
    else:
        steps = tuple(
            Step(f"row-{number}", Note("rmsnorm.row-of-x", {"row": number, "x": shown(row.x)}), steps=inner)
            for number, (row, inner) in enumerate(told, start=1)
        )
    return Derivation(
        command="rmsnorm",
        title=Note("rmsnorm.title" if layer is None else "rmsnorm.title-layernorm"),
        given=_given(given),
        result=_result(given, rows, layer, changes),
        assumed=(*(() if given.gain else (Note("rmsnorm.gain-one"),)), *assumed),
        answer=_answer(rows, layer),
        steps=(
            _definition(given),
            *said_once(steps),
            *(Step("more-rows", note) for note in more("rmsnorm.rows", len(rows))),
            *(change_step(given, change, rows, layer) for change in changes),
        ),
        cautions=(Note("rmsnorm.no-guarantee"),),
    )


def _definition(given: Norm) -> Step:
    """The whole formula at once, for one coordinate."""
    under: Expression = symbols.MEAN_SQUARE
    if given.eps:
        under = Sum((under, symbols.EPS))
    top: Expression = symbols.X
    if given.gain is not None:
        gain = symbols.GAIN
        top = product(Sum((Constant(1), gain)) if given.unit_offset else gain, symbols.X)
    return Step("definition", Note("rmsnorm.definition"), formula=(symbols.Y, Quotient(top, Root(under))))


def _row_steps(
    given: Norm, row: NormRow, layer: LayerNormRow | None, index: int, rows: int
) -> tuple[Step, ...]:
    steps = rms_steps(given, row, rows, index)
    if layer is None:
        return steps
    return (
        Step("rmsnorm", Note("rmsnorm.by-rmsnorm"), steps=steps),
        Step("layernorm", Note("rmsnorm.by-layernorm"), steps=layer_steps(given, layer, index)),
        side_by_side(row, layer),
    )


def _answer(rows: tuple[NormRow, ...], layer: tuple[LayerNormRow, ...] | None) -> tuple[Line, ...]:
    cut = WRITTEN_OUT if len(rows[0].x) > WIDEST_ANSWER else None
    lines: list[Line] = []
    for number, row in enumerate(rows[:WRITTEN_OUT], start=1):
        place = {"row": number, "count": WRITTEN_OUT}
        kind = ("row-" if len(rows) > 1 else "") + ("start-" if cut else "")
        lines.append(Line(Note(f"rmsnorm.{kind}rmsnorm-is", place), None, shown(row.output)))
        if layer is not None:
            lines.append(
                Line(Note(f"rmsnorm.{kind}layernorm-is", place), None, shown(layer[number - 1].output))
            )
    return tuple(lines)


def _given(given: Norm) -> dict[str, Data]:
    told: dict[str, Data] = {"x": [array(row) for row in given.x]}
    if given.gain is not None:
        told |= {"gain": array(given.gain)}
    told |= {"eps": scalar(float(given.eps))}
    return told | ({"unit_offset": True} if given.unit_offset else {})


def _result(
    given: Norm,
    rows: tuple[NormRow, ...],
    layer: tuple[LayerNormRow, ...] | None,
    changes: tuple[Change, ...],
) -> dict[str, Data]:
    told: dict[str, Data] = {
        "eps": scalar(float(given.eps)),
        "unit_offset": given.unit_offset,
        "rows": _rows(rows, layer),
    }
    for change in changes:
        amount = {change.kind: scalar(float(change.amount))}
        told[f"after_{change.kind}"] = {**amount, "rows": _rows(change.rows, change.layer)}
    return told


def _rows(rows: tuple[NormRow, ...], layer: tuple[LayerNormRow, ...] | None) -> list[Data]:
    told = [_row(row) for row in rows]
    for data, beside in zip(told, layer or (), strict=False):
        data["layernorm"] = {
            "mean": scalar(beside.mean),
            "variance": scalar(beside.variance),
            "output": array(beside.output),
        }
    return list(told)


def _row(row: NormRow) -> dict[str, Data]:
    return {
        "x": array(row.x),
        "mean_square": scalar(row.mean_square),
        "denominator": scalar(row.denominator),
        "normalized": array(row.normalized),
        "output": array(row.output),
    }
