"""The story of the gated feed-forward network in a short number format, told after that of float64."""

from __future__ import annotations

from math import isfinite

from dense_cli.core.ffn import Ffn, FfnRow
from dense_cli.core.precision import Format
from dense_cli.derivation import Data, Derivation, Line, Note, Step
from dense_cli.derive import symbols
from dense_cli.derive.precision import answers, beside_truth, stated_row
from dense_cli.derive.stating import WIDEST_ANSWER, WRITTEN_OUT, array, more
from dense_cli.expression import Symbol
from dense_cli.frozen import replace

STAGES = ("gate", "up", "activated", "product", "output")


def swiglu_in(
    before: Derivation,
    given: Ffn,
    rows: tuple[FfnRow, ...],
    found: tuple[FfnRow, ...],
    dtype: Format,
) -> Derivation:
    """`before`, the story in float64, with what the arithmetic of `dtype` gives as its result.

    `rows` is what `ffn` gives and `found` what `ffn_in` gives. Each row of the result has the numbers of that
    arithmetic, None where they are not finite, and those of float64 under "float64".

    >>> from dense_cli.core.ffn import ffn
    >>> from dense_cli.core.ffn_precision import ffn_in
    >>> from dense_cli.core.precision import FLOAT16
    >>> from dense_cli.derive.swiglu import swiglu
    >>> given = Ffn(x=((1.0,),), wg=((1.0,),), wu=((2.0,),))
    >>> rows, found = ffn(given), ffn_in(given, FLOAT16)
    >>> swiglu_in(swiglu(given, rows), given, rows, found, FLOAT16).result["rows"][0]["product"]
    [1.4619140625]
    """
    inner = tuple(
        _row_step(given, truth, row, number, dtype)
        for number, (truth, row) in enumerate(zip(rows[:WRITTEN_OUT], found, strict=False), start=1)
    )
    step = Step(
        "precision",
        Note("precision.swiglu", {"format": dtype.name}),
        steps=inner if len(rows) > 1 else inner[0].steps,
        notes=more("swiglu.rows", len(rows)),
    )
    return replace(
        before,
        given={**before.given, "dtype": dtype.name},
        result={**before.result, "dtype": dtype.name, "rows": _result(before, found)},
        assumed=(*before.assumed, Note("precision.product-order")),
        answer=answers(dtype, before, _answer(found)),
        steps=(*before.steps, step),
    )


def _row_step(given: Ffn, truth: FfnRow, row: FfnRow, number: int, dtype: Format) -> Step:
    stages: list[tuple[Symbol, tuple[float, ...]]] = [
        (symbols.X, row.x),
        (symbols.GATE, row.gate),
        (symbols.UP, row.up),
    ]
    if row.gate_used != row.gate:
        stages.append((symbols.GATE_USED, row.gate_used))
    if row.up_used != row.up:
        stages.append((symbols.UP_USED, row.up_used))
    stages += [(symbols.ACTIVATED, row.activated), (symbols.PRODUCT, row.product)]
    if given.wd is not None:
        stages.append((symbols.Y, row.output))
    finite = all(isfinite(value) for _, values in stages for value in values)
    steps = (
        Step(
            "stages",
            Note("precision.stages", {"format": dtype.name}),
            lines=tuple(Line(symbol, None, stated_row(values)) for symbol, values in stages),
            notes=() if finite else (Note("precision.not-finite"),),
        ),
        Step(
            "beside-truth",
            Note("precision.beside-truth"),
            table=beside_truth(truth.output, row.output, dtype),
            notes=more("swiglu", len(row.output)),
        ),
    )
    return Step(f"row-{number}", Note("rmsnorm.row", {"row": number}), steps=steps)


def _answer(found: tuple[FfnRow, ...]) -> list[Line]:
    kind = ("row-" if len(found) > 1 else "") + ("start-" if len(found[0].output) > WIDEST_ANSWER else "")
    return [
        Line(
            Note(f"swiglu.{kind}output", {"row": number, "count": WRITTEN_OUT}),
            None,
            stated_row(row.output),
        )
        for number, row in enumerate(found[:WRITTEN_OUT], start=1)
    ]


def _result(before: Derivation, found: tuple[FfnRow, ...]) -> list[Data]:
    rows = before.result["rows"]
    assert isinstance(rows, list)
    told: list[Data] = []
    for truth, row in zip(rows, found, strict=True):
        assert isinstance(truth, dict)
        numbers: dict[str, Data] = {name: array(getattr(row, name)) for name in ("x", *STAGES)}
        told.append({**truth, **numbers, "float64": {name: truth[name] for name in STAGES}})
    return told
