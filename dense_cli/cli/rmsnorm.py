"""`dense rmsnorm`: options in, each row divided by its root mean square out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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
from dense_cli.cli.values import floats, matrix, named, one_float, one_number
from dense_cli.core.norms import LayerNormRow, Norm, NormRow, layer_norm, norm, scaled, shifted
from dense_cli.derivation import Derivation, Note
from dense_cli.derive.rmsnorm import rmsnorm as story
from dense_cli.derive.rmsnorm_changes import SCALE, SHIFT, Change
from dense_cli.errors import DenseError

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
    ctx: typer.Context,
    x: Annotated[str | None, option("--x", metavar="VEC|MAT")] = None,
    gain: Annotated[str | None, option("--gain", metavar="VEC")] = None,
    eps: Annotated[str | None, option("--eps", metavar="E")] = None,
    config: Annotated[str | None, option("--config", metavar="CONFIG")] = None,
    unit_offset: Annotated[bool, option("--unit-offset")] = False,
    layernorm: Annotated[bool, option("--layernorm")] = False,
    shift: Annotated[str | None, option("--shift", metavar="S")] = None,
    scale: Annotated[str | None, option("--scale", metavar="S")] = None,
    dtype: Annotated[str | None, option("--dtype", metavar="T")] = None,
    cast: Annotated[str | None, option("--cast", metavar="ORDER")] = None,
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
    """Divide each row by its root mean square."""
    required("rmsnorm", x=x)
    typed = typed_options(
        gain=gain,
        eps=eps,
        config=config,
        unit_offset=unit_offset,
        layernorm=layernorm,
        dtype=dtype,
        cast=cast,
    )
    given = Norm(x=matrix("--x", x), unit_offset=unit_offset)
    assumed: tuple[Note, ...] = ()
    if config is not None:
        given, assumed = _with_config(given, config)
    elif eps is None:
        assumed = (Note("rmsnorm.eps-zero"),)
    if gain is not None:
        given = replace(given, gain=floats("--gain", gain))
    if eps is not None:
        given = replace(given, eps=one_float("--eps", eps))
    layer = layer_norm(given) if layernorm else None
    changes = tuple(
        _change(given, kind, typed, layer is not None)
        for kind, typed in ((SHIFT, shift), (SCALE, scale))
        if typed is not None
    )
    if shift is not None and layer is None:
        layer = _layer_where_defined(given)
    rows = norm(given)
    told = story(given, rows, layer, changes, assumed)
    if dtype is not None:
        told = _in_format(told, given, rows, dtype, cast, config)
    elif cast is not None:
        raise DenseError("cast-without-dtype", option="--cast", typed=cast)
    outcome = Outcome(told, Exit.DONE)
    return against(outcome, expected(expect, atol, rtol), lambda: _asked(given, told, typed), ctx.obj.say)


def _asked(given: Norm, told: Derivation, typed: Mapping[str, str | bool]) -> Asked:
    from dense_cli.cli.expect_topics import asked_of_norm

    cast = told.result.get("cast")
    return asked_of_norm(given, typed, cast if isinstance(cast, str) else None)


def _change(given: Norm, kind: str, typed: str, with_layer: bool) -> Change:
    """The rows after the change; a shift is always seen by both norms, where LayerNorm has a value."""
    amount = one_number(f"--{kind}", typed)
    try:
        changed = (shifted if kind == SHIFT else scaled)(given.x, float(amount))
    except DenseError as error:
        raise error.about(option=f"--{kind}") from error
    after = replace(given, x=changed)
    layer = _layer_where_defined(after) if with_layer or kind == SHIFT else None
    return Change(kind, amount, norm(after), layer)


def _layer_where_defined(given: Norm) -> tuple[LayerNormRow, ...] | None:
    try:
        return layer_norm(given)
    except DenseError:
        return None


def _in_format(
    told: Derivation, given: Norm, rows: tuple[NormRow, ...], dtype: str, cast: str | None, config: str | None
) -> Derivation:
    """What the arithmetic of `dtype` gives, with the order that was typed, the model's, or the usual one."""
    from dense_cli.core.norms_precision import BEFORE_GAIN, norm_in
    from dense_cli.core.precision import FLOAT32, number_format
    from dense_cli.derive.rmsnorm_precision import rmsnorm_in

    precise = named("--dtype", lambda: number_format(dtype))
    order = cast or (_model_cast(config) if config is not None else BEFORE_GAIN)
    found = named("--cast", lambda: norm_in(given, precise, order))
    unsaid = cast is None and given.gain is not None and precise is not FLOAT32
    source = "usual" if config is None else "model"
    assumed = (Note(f"precision.{source}-{order}"),) if unsaid else ()
    return rmsnorm_in(told, given, rows, found, precise, order, assumed)


def _model_cast(config: str) -> str:
    from dense_cli.models.config import read_config
    from dense_cli.models.norm_settings import norm_settings

    return norm_settings(read_config(config)).cast


def _with_config(given: Norm, config: str) -> tuple[Norm, tuple[Note, ...]]:
    from dense_cli.cli.configs import norm_of

    return norm_of(given, config)
