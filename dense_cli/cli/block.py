"""`dense block`: a config, weights and rows in, every tensor of one decoder block out."""

from __future__ import annotations

import os
from typing import Annotated

from dense_cli.cli.expect import AtolOption, ExpectOption, RtolOption, expected
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

CHAPTER = (
    '{"hidden_size":12,"query_heads":3,"head_dim":4,"ffn_hidden_size":32,"rope_theta":10000,"bias":false}'
)
"""The block of figure 25.1."""

EXAMPLES = {
    "block": (
        Example("seed", f"block --config '{CHAPTER}' --seed 1 --tokens 4"),
        Example("start", f"block --config '{CHAPTER}' --seed 1 --tokens 4 --start 100"),
    )
}
WORKED = f"--config {CHAPTER} --seed 1 --tokens 4"


def block(
    page: Page | None = None,
    config: Annotated[str | None, option("--config", metavar="CONFIG")] = None,
    weights: Annotated[str | None, option("--weights", metavar="FILE")] = None,
    seed: Annotated[str | None, option("--seed", metavar="S")] = None,
    layer: Annotated[str | None, option("--layer", metavar="L")] = None,
    x: Annotated[str | None, option("--x", metavar="MAT")] = None,
    tokens: Annotated[str | None, option("--tokens", metavar="T")] = None,
    start: Annotated[str | None, option("--start", metavar="N")] = None,
    layout: Annotated[str | None, option("--layout", metavar="LAYOUT")] = None,
    save: Annotated[str | None, option("--save", metavar="FILE")] = None,
    as_: Annotated[str | None, option("--as", metavar="FAMILY")] = None,
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
    """Every tensor of one decoder block."""
    required("block", config=config)
    if weights is None and seed is None:
        raise DenseError("block-no-source")
    if x is not None and tokens is not None:
        raise DenseError("block-x-and-tokens", option="--tokens", typed=tokens)
    # Small matrices do not gain from threads, and starting them costs more than the whole calculation.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from dense_cli.cli.block_call import Call, told

    wanted = expected(expect, atol, rtol)
    typed = typed_options(
        config=config,
        weights=weights,
        seed=seed,
        layer=layer,
        x=x,
        tokens=tokens,
        start=start,
        layout=layout,
    )
    call = Call(
        config=config or "",
        weights=weights,
        seed=seed,
        layer=layer,
        x=x,
        tokens=tokens,
        start=start,
        layout=layout,
        save=save,
        as_family=as_,
    )
    return told(call, typed, wanted, (page or Page.of({}, "en")).say)
