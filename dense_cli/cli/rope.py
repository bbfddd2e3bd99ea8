"""`dense rope`: the options of a rotation; `rope_call` calculates."""

from __future__ import annotations

from collections.abc import Sequence
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
    joined,
    option,
    required,
    typed_options,
    unused,
)
from dense_cli.cli.page import Page
from dense_cli.errors import DenseError

EXAMPLES = {
    "rope": (
        Example("first", "rope --q 1,0 --k 1,0 --pos 1 2"),
        Example("table", "rope --q 1,0 --k 1,0 --pos 0 0 --pos 0 1 --pos 1 2 --pos 0 2"),
        Example("wide", "rope --q 1,2,3,4 --k 1,2,3,4 --pos 3 5 --layout half"),
    )
}
WORKED = "--q 1,0 --k 1,0 --pos 0 0 --pos 0 1 --pos 1 2 --pos 0 2"
"""Table 25.1."""


def arrange(arguments: Sequence[str]) -> list[str]:
    """`--pos M N` as one word, as Typer wants it."""
    return joined(arguments, "--pos", 2)


def rope(
    page: Page,
    q: Annotated[str | None, option("--q", metavar="VEC")] = None,
    k: Annotated[str | None, option("--k", metavar="VEC")] = None,
    pos: Annotated[tuple[str, ...], option("--pos", metavar="M N")] = (),
    pos_range: Annotated[str | None, option("--pos-range", metavar="START:STOP")] = None,
    angle: Annotated[str | None, option("--angle", metavar="A")] = None,
    rope_theta: Annotated[str | None, option("--rope-theta", metavar="B")] = None,
    layout: Annotated[str | None, option("--layout", metavar="LAYOUT")] = None,
    rotary_dim: Annotated[str | None, option("--rotary-dim", metavar="R")] = None,
    config: Annotated[str | None, option("--config", metavar="CONFIG")] = None,
    layer_type: Annotated[str | None, option("--layer-type", metavar="T")] = None,
    seq_len: Annotated[str | None, option("--seq-len", metavar="N")] = None,
    as_: Annotated[str | None, option("--as", metavar="FAMILY")] = None,
    frequencies: Annotated[bool, option("--frequencies")] = False,
    head_dim: Annotated[str | None, option("--head-dim", metavar="D")] = None,
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
    """Rotate a query and a key by their positions and compare them."""
    from dense_cli.cli.rope_call import asked, model_of, rotated, speeds

    typed = typed_options(
        angle=angle,
        rope_theta=rope_theta,
        layout=layout,
        rotary_dim=rotary_dim,
        config=config,
        layer_type=layer_type,
        seq_len=seq_len,
        head_dim=head_dim,
    )
    model = model_of(config, layer_type, seq_len, as_)
    wanted = expected(expect, atol, rtol)
    if frequencies:
        unused("option-excludes", "--frequencies", q=q, k=k, pos=pos, pos_range=pos_range, dtype=dtype)
        if model is not None:
            own = {"angle": angle, "rope_theta": rope_theta, "rotary_dim": rotary_dim, "head_dim": head_dim}
            unused("option-excludes", "--config", **own)
        told, given = speeds(typed, model)
    else:
        unused("option-needs", "--frequencies", head_dim=head_dim)
        if pos_range is not None or (wanted is not None and not pos and _are_files(q, k)):
            unused("option-excludes", "--pos-range", pos=pos, dtype=dtype)
            if wanted is None:
                raise DenseError("pos-range-without-expect", option="--pos-range", typed=pos_range)
            from dense_cli.cli.rope_arrays import array_comparison

            return array_comparison({"q": q, "k": k}, pos_range, typed, model, wanted, page.say)
        required("rope", q=q, k=k, pos=pos)
        told, given = rotated(q, k, pos, dtype, typed, model)
        typed = {"q": q or "", "k": k or "", **typed}
    return against(Outcome(told, Exit.DONE), wanted, lambda: asked(given, model, typed), page.say)


def _are_files(*typed: str | None) -> bool:
    """Whether one of the vectors is in a file, where it may be an array of any size."""
    from dense_cli.reading.given import is_source  # help reads no numbers

    return any(text is not None and is_source(text) for text in typed)
