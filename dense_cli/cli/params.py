"""`dense params`: counts of feed-forward networks, or of whole models from their configs."""

from __future__ import annotations

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
    positional,
    required,
)
from dense_cli.cli.values import one_whole
from dense_cli.core.budget import Budget, budget
from dense_cli.derive.params import ffn_budget as story
from dense_cli.errors import DenseError

EXAMPLES = {
    "params": (
        Example("first", "params --width 12 --hidden 48"),
        Example("multiple", "params --width 4096 --hidden 16384 --multiple-of 256"),
    )
}
WORKED = "--width 12 --hidden 48"
"""Table 25.2."""


def params(
    ctx: typer.Context,
    config: Annotated[list[str] | None, positional("CONFIG")] = None,
    width: Annotated[str | None, option("--width", metavar="C")] = None,
    hidden: Annotated[str | None, option("--hidden", metavar="F")] = None,
    multiple_of: Annotated[str | None, option("--multiple-of", metavar="M")] = None,
    bias: Annotated[bool, option("--bias")] = False,
    as_: Annotated[str | None, option("--as", metavar="FAMILY")] = None,
    context: Annotated[str | None, option("--context", metavar="N")] = None,
    dtype: Annotated[str | None, option("--dtype", metavar="T")] = None,
    weights: Annotated[str | None, option("--weights", metavar="PATH")] = None,
    values: Annotated[bool, option("--values")] = False,
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
    """Count parameters of feed-forward networks or whole models."""
    if values and weights is None:
        raise DenseError("values-without-weights", typed="--values")
    wanted = expected(expect, atol, rtol)
    if config:
        if width is not None or hidden is not None:
            raise DenseError("config-and-width", typed=config[0])
        from dense_cli.cli.configs import asked_of_models, counted, weighed

        if weights is not None:
            outcome = weighed(
                config, weights, values, ctx.obj.say, as_family=as_, context=context, dtype=dtype
            )
        else:
            outcome = counted(config, as_family=as_, context=context, dtype=dtype)
        return against(outcome, wanted, lambda: asked_of_models(config, as_, dtype), ctx.obj.say)
    if weights is not None:
        raise DenseError("weights-without-config", typed=weights)
    if width is None and hidden is None:
        raise DenseError("nothing-to-count", command="params")
    required("params", width=width, hidden=hidden)
    found = budget(
        one_whole("--width", width or ""),
        one_whole("--hidden", hidden or ""),
        one_whole("--multiple-of", multiple_of) if multiple_of is not None else None,
        bias,
    )
    outcome = Outcome(story(found), Exit.DONE)
    return against(outcome, wanted, lambda: _asked(found), ctx.obj.say)


def _asked(found: Budget) -> Asked:
    from dense_cli.cli.expect_topics import asked_of_budget

    return asked_of_budget(found)
