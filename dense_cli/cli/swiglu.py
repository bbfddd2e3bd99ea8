"""`dense swiglu`: options in, a gated feed-forward network on each row out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from dense_cli.cli.exits import Exit
from dense_cli.cli.expect import Asked, AtolOption, ExpectOption, RtolOption, against, expected
from dense_cli.cli.options import (
    DigitsOption,
    Example,
    ExampleOption,
    FormatOption,
    JsonOption,
    LangOption,
    Outcome,
    OutputOption,
    option,
    required,
    typed_options,
)
from dense_cli.cli.values import floats, matrix, named, one_float
from dense_cli.core import Matrix
from dense_cli.core.ffn import Ffn, FfnRow, ffn
from dense_cli.core.linear import transpose
from dense_cli.derivation import Derivation, Note
from dense_cli.derive.swiglu import swiglu as story
from dense_cli.errors import DenseError, nearest

EXAMPLES = {
    "swiglu": (
        Example("first", "swiglu --x 1,-1 --wg 1,0:0,1 --wu 2,0:0,-3 --wd 1,0:1,1"),
        Example("identity", "swiglu --x 1,-1 --wg 1,0:0,1 --wu 2,0:0,-3 --wd 1,0:0,1"),
    )
}
WORKED = "--x 1,-1 --wg 1,0:0,1 --wu 2,0:0,-3 --wd 1,0:1,1"
"""Example 25.3."""

IN_OUT, OUT_IN = "in-out", "out-in"


def swiglu(
    ctx: typer.Context,
    x: Annotated[str | None, option("--x", metavar="VEC|MAT")] = None,
    wg: Annotated[str | None, option("--wg", metavar="MAT")] = None,
    wu: Annotated[str | None, option("--wu", metavar="MAT")] = None,
    wd: Annotated[str | None, option("--wd", metavar="MAT")] = None,
    bg: Annotated[str | None, option("--bg", metavar="VEC")] = None,
    bu: Annotated[str | None, option("--bu", metavar="VEC")] = None,
    bd: Annotated[str | None, option("--bd", metavar="VEC")] = None,
    activation: Annotated[str | None, option("--activation", metavar="A")] = None,
    weights_layout: Annotated[str | None, option("--weights-layout", metavar="LAYOUT")] = None,
    beta: Annotated[str | None, option("--beta", metavar="B")] = None,
    limit: Annotated[str | None, option("--limit", metavar="L")] = None,
    alpha: Annotated[str | None, option("--alpha", metavar="A")] = None,
    up_offset: Annotated[str | None, option("--up-offset", metavar="N")] = None,
    packed: Annotated[str | None, option("--packed", metavar="ORDER")] = None,
    wgu: Annotated[str | None, option("--wgu", metavar="MAT")] = None,
    dtype: Annotated[str | None, option("--dtype", metavar="T")] = None,
    expect: ExpectOption = None,
    atol: AtolOption = None,
    rtol: RtolOption = None,
    example: ExampleOption = False,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """A gated feed-forward network on one or more rows."""
    if packed is None and wgu is None:
        required("swiglu", x=x, wg=wg, wu=wu)
    else:
        required("swiglu", x=x, packed=packed, wgu=wgu)
        _only_packed(wg=wg, wu=wu)
    layout = _layout(weights_layout)

    def weights(option: str, typed: str | None) -> Matrix | None:
        if typed is None:
            return None
        rows = matrix(option, typed)
        return rows if layout == IN_OUT else transpose(rows)

    given = Ffn(
        x=matrix("--x", x),
        wg=weights("--wg", wg),
        wu=weights("--wu", wu),
        wd=weights("--wd", wd),
        packed=weights("--wgu", wgu),
        order=packed or "gate-up",
        bg=floats("--bg", bg) if bg is not None else None,
        bu=floats("--bu", bu) if bu is not None else None,
        bd=floats("--bd", bd) if bd is not None else None,
        activation=activation or "silu",
        beta=one_float("--beta", beta) if beta is not None else None,
        limit=one_float("--limit", limit) if limit is not None else None,
        alpha=one_float("--alpha", alpha) if alpha is not None else None,
        up_offset=one_float("--up-offset", up_offset) if up_offset is not None else 0.0,
    )
    rows = ffn(given)
    told = story(given, rows, (Note(f"swiglu.layout-{layout}"),))
    if dtype is not None:
        told = _in_format(told, given, rows, dtype)
    typed = typed_options(
        activation=activation,
        weights_layout=weights_layout,
        beta=beta,
        limit=limit,
        alpha=alpha,
        up_offset=up_offset,
        packed=packed,
        dtype=dtype,
    )
    outcome = Outcome(told, Exit.DONE)
    return against(outcome, expected(expect, atol, rtol), lambda: _asked(given, rows, typed), ctx.obj.say)


def _asked(given: Ffn, rows: tuple[FfnRow, ...], typed: Mapping[str, str | bool]) -> Asked:
    from dense_cli.cli.expect_topics import asked_of_ffn

    return asked_of_ffn(given, rows, typed)


def _in_format(told: Derivation, given: Ffn, rows: tuple[FfnRow, ...], dtype: str) -> Derivation:
    """What the arithmetic of `dtype` gives."""
    from dense_cli.core.ffn_precision import ffn_in
    from dense_cli.core.precision import number_format
    from dense_cli.derive.swiglu_precision import swiglu_in

    precise = named("--dtype", lambda: number_format(dtype))
    return swiglu_in(told, given, rows, ffn_in(given, precise), precise)


def _layout(typed: str | None) -> str:
    layouts = (IN_OUT, OUT_IN)
    if typed is not None and typed not in layouts:
        close = nearest(typed, layouts) or layouts
        raise DenseError("unknown-weights-layout", option="--weights-layout", typed=typed, layouts=close)
    return typed or IN_OUT


def _only_packed(**separate: str | None) -> None:
    for name, typed in separate.items():
        if typed is not None:
            raise DenseError("packed-and-separate", option=f"--{name}", typed=typed)
