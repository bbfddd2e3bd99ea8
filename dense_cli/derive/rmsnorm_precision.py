"""The story of RMSNorm in a short number format, told after that of float64."""

from __future__ import annotations

from math import isfinite

from dense_cli.core.norms import Norm, NormRow
from dense_cli.core.norms_precision import BEFORE_GAIN, PrecisionRow, all_finite
from dense_cli.core.precision import FLOAT32, Format
from dense_cli.derivation import Data, Derivation, Line, Note, Step
from dense_cli.derive import symbols
from dense_cli.derive.precision import (
    answers,
    beside_truth,
    cast,
    cast_from_float32,
    held,
    held_row,
    line,
    stated,
    stated_row,
)
from dense_cli.derive.stating import WIDEST_ANSWER, WRITTEN_OUT, array, more, scalar, shown
from dense_cli.expression import Constant, Expression, Quotient, Root, Sum, Symbol, product
from dense_cli.frozen import replace


def rmsnorm_in(
    before: Derivation,
    given: Norm,
    rows: tuple[NormRow, ...],
    found: tuple[PrecisionRow, ...],
    dtype: Format,
    cast_order: str,
    assumed: tuple[Note, ...] = (),
) -> Derivation:
    """`before`, the story in float64, with what the arithmetic of `dtype` gives as its result.

    `rows` is what `norm` gives and `found` what `norm_in` gives. Each row of the result has the numbers of
    that arithmetic, None where they are not finite, and those of float64 under "float64".

    >>> from dense_cli.core.norms import norm
    >>> from dense_cli.core.norms_precision import norm_in
    >>> from dense_cli.core.precision import BFLOAT16
    >>> from dense_cli.derive.rmsnorm import rmsnorm
    >>> given = Norm(x=((3.0, 4.0),))
    >>> rows, found = norm(given), norm_in(given, BFLOAT16)
    >>> told = rmsnorm_in(rmsnorm(given, rows), given, rows, found, BFLOAT16, "before-gain")
    >>> told.result["rows"][0]["output"]
    [0.84765625, 1.1328125]
    """
    settings: dict[str, Data] = {"dtype": dtype.name, "cast": cast_order}
    inner = tuple(
        _row_step(given, truth, row, number, dtype, cast_order, len(rows))
        for number, (truth, row) in enumerate(zip(rows[:WRITTEN_OUT], found, strict=False))
    )
    step = Step(
        "precision",
        Note("precision.rmsnorm", {"format": dtype.name}),
        steps=inner if len(rows) > 1 else inner[0].steps,
        notes=(*more("rmsnorm.rows", len(rows)), *_elsewhere(before)),
    )
    return replace(
        before,
        given={**before.given, **settings},
        result={**before.result, **settings, "rows": _result(before, found)},
        assumed=(*before.assumed, *assumed, Note("precision.sum-order")),
        answer=answers(dtype, before, _answer(found)),
        steps=(*before.steps, step),
    )


def _row_step(
    given: Norm,
    truth: NormRow,
    row: PrecisionRow,
    number: int,
    dtype: Format,
    cast_order: str,
    rows: int,
) -> Step:
    rest = more("rmsnorm", len(row.x))
    statistic_lines, reciprocal = _statistics(given, row)
    at_once = given.gain is None
    early = dtype if at_once or cast_order == BEFORE_GAIN else FLOAT32
    name, results = (symbols.Y, row.output) if at_once else (symbols.NORMALIZED, row.normalized)
    coordinates = zip(held_row(symbols.X, row.x), results, strict=False)
    multiplied = [
        line(name.at(place), cast_from_float32(early, product(value, reciprocal)), result)
        for place, (value, result) in enumerate(coordinates, start=1)
    ]
    key = "output" if at_once else f"normalized-{cast_order}"
    steps = (
        Step("input", Note("precision.input", {"format": dtype.name}), lines=_input(given, row, dtype)),
        Step("statistics", Note("precision.statistics"), lines=statistic_lines, notes=_beyond(row)),
        Step(
            "reciprocal",
            Note(f"precision.{key}", {"format": dtype.name}),
            lines=tuple(told for told, _ in multiplied),
            notes=rest,
        ),
        *_gain_step(given, row, tuple(symbol for _, symbol in multiplied), dtype),
        Step(
            "beside-truth",
            Note("precision.beside-truth"),
            table=beside_truth(truth.output, row.output, dtype),
            notes=rest,
        ),
    )
    return Step(f"row-{number + 1}", Note("rmsnorm.row", {"row": number + 1}), steps=steps)


def _input(given: Norm, row: PrecisionRow, dtype: Format) -> tuple[Line, ...]:
    lines = [Line(symbols.X, None, shown(row.x))]
    if given.gain is not None:
        lines.append(Line(symbols.GAIN, None, shown(dtype.row(given.gain))))
    return tuple(lines)


def _statistics(given: Norm, row: PrecisionRow) -> tuple[tuple[Line, ...], Symbol]:
    total = held(symbols.SQUARE_SUM, row.square_sum)
    width = symbols.COORDINATES.bound(len(row.x))
    label = Note("precision.square-sum", {"symbol": symbols.SQUARE_SUM})
    mean_line, mean = line(symbols.MEAN_SQUARE, cast(FLOAT32, Quotient(total, width)), row.mean_square)
    under: Expression = mean
    if given.eps:
        eps = symbols.EPS.bound(given.eps)
        under = cast(FLOAT32, Sum((mean, cast(FLOAT32, eps))))
    root_line, root = line(symbols.RMS, cast(FLOAT32, Root(under)), row.denominator)
    over = cast(FLOAT32, Quotient(Constant(1), root))
    reciprocal_line, reciprocal = line(symbols.RECIPROCAL, over, row.reciprocal)
    lines = (Line(label, None, stated(row.square_sum)), mean_line, root_line, reciprocal_line)
    return lines, reciprocal


def _beyond(row: PrecisionRow) -> tuple[Note, ...]:
    """What happened where a number left the range of its format."""
    if not all(map(isfinite, row.x)):
        return (Note("precision.input-overflow"),)
    if not row.denominator:
        return (Note("precision.squares-vanish"),)
    if not row.reciprocal:
        return (Note("precision.squares-overflow"),)
    return () if all_finite(row) else (Note("precision.not-finite"),)


def _gain_step(
    given: Norm, row: PrecisionRow, normalized: tuple[Symbol, ...], dtype: Format
) -> tuple[Step, ...]:
    if given.gain is None:
        return ()
    gains: tuple[Expression, ...] = held_row(symbols.GAIN, dtype.row(given.gain))
    if given.unit_offset:
        gains = tuple(cast(FLOAT32, Sum((Constant(1), gain))) for gain in gains)
    lines = tuple(
        line(symbols.Y.at(place), cast_from_float32(dtype, product(gain, value)), result)[0]
        for place, (gain, value, result) in enumerate(
            zip(gains, normalized, row.output[:WRITTEN_OUT], strict=True), start=1
        )
    )
    key = "precision.gain-offset" if given.unit_offset else "precision.gain"
    title = Note(key, {"format": dtype.name})
    return (Step("gain", title, lines=lines, notes=more("rmsnorm", len(row.x))),)


def _elsewhere(before: Derivation) -> tuple[Note, ...]:
    """LayerNorm and changed rows stay in float64, and that is said."""
    names = {*before.result, *(name for row in _rows(before) for name in row)}
    beside = any(name == "layernorm" or name.startswith("after_") for name in names)
    return (Note("precision.only-rmsnorm"),) if beside else ()


def _answer(found: tuple[PrecisionRow, ...]) -> list[Line]:
    kind = ("row-" if len(found) > 1 else "") + ("start-" if len(found[0].x) > WIDEST_ANSWER else "")
    return [
        Line(
            Note(f"rmsnorm.{kind}rmsnorm-is", {"row": number, "count": WRITTEN_OUT}),
            None,
            stated_row(row.output),
        )
        for number, row in enumerate(found[:WRITTEN_OUT], start=1)
    ]


def _rows(before: Derivation) -> list[dict[str, Data]]:
    rows = before.result["rows"]
    assert isinstance(rows, list)
    return [row for row in rows if isinstance(row, dict)]


def _result(before: Derivation, found: tuple[PrecisionRow, ...]) -> list[Data]:
    return [
        {
            **truth,
            "x": array(row.x),
            "mean_square": scalar(row.mean_square),
            "denominator": scalar(row.denominator),
            "normalized": array(row.normalized),
            "output": array(row.output),
            "float64": {name: value for name, value in truth.items() if name not in ("x", "layernorm")},
        }
        for truth, row in zip(_rows(before), found, strict=True)
    ]
