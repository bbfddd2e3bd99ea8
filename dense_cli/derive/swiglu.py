"""The story of the gated feed-forward network."""

from __future__ import annotations

from dense_cli.core import Matrix
from dense_cli.core.ffn import Ffn, FfnRow, branches
from dense_cli.derivation import Data, Derivation, Line, Note, Step
from dense_cli.derive import symbols
from dense_cli.derive.stating import WIDEST_ANSWER, WRITTEN_OUT, array, more, said_once, scalar, shown
from dense_cli.derive.swiglu_rows import activation_name, row_steps

MOST_GIVEN = 10_000
"""So many numbers of a matrix are repeated among the givens; of a larger one its shape is."""


def swiglu(given: Ffn, rows: tuple[FfnRow, ...], assumed: tuple[Note, ...] = ()) -> Derivation:
    """How each row of `given` became what the core made of it.

    `rows` is what `ffn` gives. `assumed` are further settings that were chosen and not typed.

    Source: Shazeer, GLU Variants Improve Transformer, equations 5 and 6.

    >>> from dense_cli.core.ffn import ffn
    >>> given = Ffn(x=((1.0,),), wg=((1.0,),), wu=((2.0,),))
    >>> round(swiglu(given, ffn(given)).result["rows"][0]["product"][0], 6)
    1.462117
    """
    wg, wu = branches(given)
    told = [row_steps(given, wg, wu, row, given.x[index]) for index, row in enumerate(rows[:WRITTEN_OUT])]
    if len(rows) == 1:
        steps = told[0]
    else:
        steps = tuple(
            Step(f"row-{number}", Note("swiglu.row", {"row": number, "x": shown(row.x)}), steps=inner)
            for number, (row, inner) in enumerate(zip(rows, told, strict=False), start=1)
        )
    return Derivation(
        command="swiglu",
        title=Note("swiglu.title", {"activation": activation_name(given)}),
        given=_given(given),
        result={"activation": given.activation, "rows": [_row(row) for row in rows]},
        assumed=(*_assumed(given), *assumed),
        answer=_answer(rows),
        steps=(
            *_split(given, wg, wu),
            *said_once(steps),
            *(Step("more-rows", note) for note in more("swiglu.rows", len(rows))),
        ),
        cautions=(Note("swiglu.row-alone" if len(rows) == 1 else "swiglu.rows-alone"),),
    )


def _split(given: Ffn, wg: Matrix, wu: Matrix) -> tuple[Step, ...]:
    """How a packed matrix came apart."""
    if given.packed is None:
        return ()
    small = len(wg) <= WRITTEN_OUT and len(wg[0]) <= WRITTEN_OUT
    parts = ((symbols.GATE_WEIGHT, wg), (symbols.UP_WEIGHT, wu))
    lines = tuple(Line(symbol, None, matrix) for symbol, matrix in parts) if small else ()
    how = Note(f"swiglu.packed.{given.order}", {"columns": len(given.packed[0]), "half": len(wg[0])})
    return (Step("split", Note("swiglu.split"), lines=lines, notes=(how,)),)


def _assumed(given: Ffn) -> tuple[Note, ...]:
    notes = []
    if given.bg is None and given.bu is None and given.bd is None:
        notes.append(Note("swiglu.no-bias"))
    if given.wd is None:
        notes.append(Note("swiglu.no-down"))
    return tuple(notes)


def _answer(rows: tuple[FfnRow, ...]) -> tuple[Line, ...]:
    start = "start-" if len(rows[0].output) > WIDEST_ANSWER else ""
    key = f"swiglu.{'row-' if len(rows) > 1 else ''}{start}output"
    return tuple(
        Line(Note(key, {"row": number, "count": WRITTEN_OUT}), None, shown(row.output))
        for number, row in enumerate(rows[:WRITTEN_OUT], start=1)
    )


def _given(given: Ffn) -> dict[str, Data]:
    matrices = {"x": given.x, "wg": given.wg, "wu": given.wu, "wgu": given.packed, "wd": given.wd}
    told: dict[str, Data] = {name: _matrix(matrix) for name, matrix in matrices.items() if matrix is not None}
    if given.packed is not None:
        told["packed"] = given.order
    biases = {"bg": given.bg, "bu": given.bu, "bd": given.bd}
    told |= {name: array(bias) for name, bias in biases.items() if bias is not None}
    told["activation"] = given.activation
    settings = {"beta": given.beta, "limit": given.limit, "alpha": given.alpha}
    told |= {name: scalar(float(value)) for name, value in settings.items() if value is not None}
    return told | ({"up_offset": scalar(float(given.up_offset))} if given.up_offset else {})


def _matrix(matrix: Matrix) -> Data:
    if len(matrix) * len(matrix[0]) > MOST_GIVEN:
        return {"shape": [len(matrix), len(matrix[0])]}
    return [array(row) for row in matrix]


def _row(row: FfnRow) -> dict[str, Data]:
    return {
        "x": array(row.x),
        "gate": array(row.gate),
        "up": array(row.up),
        "activated": array(row.activated),
        "product": array(row.product),
        "output": array(row.output),
    }
