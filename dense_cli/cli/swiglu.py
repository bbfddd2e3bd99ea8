"""`dense swiglu`: the options of a gated feed-forward network; `swiglu_call` calculates."""

from __future__ import annotations

from typing import Annotated

from dense_cli.cli.exits import Exit
from dense_cli.cli.expect import AtolOption, ExpectOption, RtolOption, against, expected
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
from dense_cli.cli.page import Page
from dense_cli.errors import DenseError

EXAMPLES = {
    "swiglu": (
        Example("first", "swiglu --x 1,-1 --wg 1,0:0,1 --wu 2,0:0,-3 --wd 1,0:1,1"),
        Example("identity", "swiglu --x 1,-1 --wg 1,0:0,1 --wu 2,0:0,-3 --wd 1,0:0,1"),
    )
}
WORKED = "--x 1,-1 --wg 1,0:0,1 --wu 2,0:0,-3 --wd 1,0:1,1"
"""Example 25.3."""


def swiglu(
    page: Page,
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
    expect: ExpectOption = (),
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
    from dense_cli.cli.swiglu_call import asked, network

    if packed is None and wgu is None:
        required("swiglu", x=x, wg=wg, wu=wu)
    else:
        required("swiglu", x=x, packed=packed, wgu=wgu)
        _only_packed(wg=wg, wu=wu)
    told, given, rows = network(
        x=x,
        wg=wg,
        wu=wu,
        wd=wd,
        bg=bg,
        bu=bu,
        bd=bd,
        activation=activation,
        weights_layout=weights_layout,
        beta=beta,
        limit=limit,
        alpha=alpha,
        up_offset=up_offset,
        packed=packed,
        wgu=wgu,
        dtype=dtype,
    )
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
    wanted = expected(expect, atol, rtol)
    return against(Outcome(told, Exit.DONE), wanted, lambda: asked(given, rows, typed), page.say)


def _only_packed(**separate: str | None) -> None:
    for name, typed in separate.items():
        if typed is not None:
            raise DenseError("packed-and-separate", option=f"--{name}", typed=typed)
