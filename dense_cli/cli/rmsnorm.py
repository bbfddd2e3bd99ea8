"""`dense rmsnorm`: the options of a norm; `rmsnorm_call` calculates."""

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
    unused,
)
from dense_cli.cli.page import Page

EXAMPLES = {
    "rmsnorm": (
        Example("first", "rmsnorm --x 3,4"),
        Example("layernorm", "rmsnorm --x 3,4:4,5 --layernorm"),
        Example("shift", "rmsnorm --x 3,4 --shift 10"),
    )
}
WORKED = "--x 3,4:4,5 --layernorm"
"""Example 25.2 and the shifted row after it."""


def rmsnorm(
    page: Page,
    x: Annotated[str | None, option("--x", metavar="VEC|MAT")] = None,
    gain: Annotated[str | None, option("--gain", metavar="VEC")] = None,
    eps: Annotated[str | None, option("--eps", metavar="E")] = None,
    config: Annotated[str | None, option("--config", metavar="CONFIG")] = None,
    as_: Annotated[str | None, option("--as", metavar="FAMILY")] = None,
    unit_offset: Annotated[bool, option("--unit-offset")] = False,
    layernorm: Annotated[bool, option("--layernorm")] = False,
    shift: Annotated[str | None, option("--shift", metavar="S")] = None,
    scale: Annotated[str | None, option("--scale", metavar="S")] = None,
    dtype: Annotated[str | None, option("--dtype", metavar="T")] = None,
    cast: Annotated[str | None, option("--cast", metavar="ORDER")] = None,
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
    """Divide each row by its root mean square."""
    from dense_cli.cli.rmsnorm_call import asked, normalized

    required("rmsnorm", x=x)
    if config is None:
        unused("option-needs", "--config", as_=as_)
    typed = typed_options(
        gain=gain,
        eps=eps,
        config=config,
        unit_offset=unit_offset,
        layernorm=layernorm,
        dtype=dtype,
        cast=cast,
    )
    told, given = normalized(
        x,
        gain=gain,
        eps=eps,
        config=config,
        as_family=as_,
        unit_offset=unit_offset,
        layernorm=layernorm,
        shift=shift,
        scale=scale,
        dtype=dtype,
        cast=cast,
    )
    wanted = expected(expect, atol, rtol)
    return against(Outcome(told, Exit.DONE), wanted, lambda: asked(given, told, typed), page.say)
