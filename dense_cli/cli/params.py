"""`dense params`: counts of feed-forward networks, or of whole models from their configs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

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
    positional,
    required,
    unused,
)
from dense_cli.cli.page import Page
from dense_cli.errors import DenseError

if TYPE_CHECKING:
    from dense_cli.cli.expect_asked import Asked
    from dense_cli.core.budget import Budget

EXAMPLES = {
    "params": (
        Example("first", "params --width 12 --hidden 48"),
        Example("multiple", "params --width 4096 --hidden 16384 --multiple-of 256"),
    )
}
WORKED = "--width 12 --hidden 48"
"""Table 25.2."""


def params(
    page: Page,
    config: Annotated[tuple[str, ...], positional("CONFIG")] = (),
    width: Annotated[str | None, option("--width", metavar="C")] = None,
    hidden: Annotated[str | None, option("--hidden", metavar="F")] = None,
    multiple_of: Annotated[str | None, option("--multiple-of", metavar="M")] = None,
    bias: Annotated[bool, option("--bias")] = False,
    as_: Annotated[str | None, option("--as", metavar="FAMILY")] = None,
    context: Annotated[str | None, option("--context", metavar="N")] = None,
    dtype: Annotated[str | None, option("--dtype", metavar="T")] = None,
    weights: Annotated[str | None, option("--weights", metavar="PATH")] = None,
    values: Annotated[bool, option("--values")] = False,
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
    """Count parameters of feed-forward networks or whole models."""
    if values and weights is None:
        raise DenseError("values-without-weights", typed="--values")
    wanted = expected(expect, atol, rtol)
    if config:
        if width is not None or hidden is not None:
            raise DenseError("config-and-width", typed=config[0])
        unused("option-needs", "--width", multiple_of=multiple_of, bias=bias)
        from dense_cli.cli.configs import asked_of_models, counted, weighed

        if weights is not None:
            outcome = weighed(config, weights, values, page.say, as_family=as_, context=context, dtype=dtype)
        else:
            outcome = counted(config, as_family=as_, context=context, dtype=dtype)
        return against(outcome, wanted, lambda: asked_of_models(config, as_, dtype), page.say)
    if weights is not None:
        raise DenseError("weights-without-config", typed=weights)
    if width is None and hidden is None:
        raise DenseError("nothing-to-count", command="params")
    unused("option-needs", "CONFIG", as_=as_, context=context, dtype=dtype)
    required("params", width=width, hidden=hidden)
    from dense_cli.cli.values import one_whole
    from dense_cli.core.budget import budget
    from dense_cli.derive.params import ffn_budget

    found = budget(
        one_whole("--width", width or ""),
        one_whole("--hidden", hidden or ""),
        one_whole("--multiple-of", multiple_of) if multiple_of is not None else None,
        bias,
    )
    outcome = Outcome(ffn_budget(found), Exit.DONE)
    return against(outcome, wanted, lambda: _asked(found), page.say)


def _asked(found: Budget) -> Asked:
    from dense_cli.cli.expect_topics import asked_of_budget

    return asked_of_budget(found)
