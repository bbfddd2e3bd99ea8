"""What `dense rmsnorm` calculates: each row divided by its root mean square, and what changes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dense_cli.cli.values import floats, matrix, named, one_float, one_number
from dense_cli.core.norms import LayerNormRow, Norm, NormRow, layer_norm, norm, scaled, shifted
from dense_cli.derivation import Derivation, Note
from dense_cli.derive.rmsnorm import rmsnorm as story
from dense_cli.derive.rmsnorm_changes import SCALE, SHIFT, Change
from dense_cli.errors import DenseError
from dense_cli.frozen import replace

if TYPE_CHECKING:
    from dense_cli.cli.expect_asked import Asked


def normalized(
    x: str | None,
    *,
    gain: str | None,
    eps: str | None,
    config: str | None,
    as_family: str | None,
    unit_offset: bool,
    layernorm: bool,
    shift: str | None,
    scale: str | None,
    dtype: str | None,
    cast: str | None,
) -> tuple[Derivation, Norm]:
    """The norm of each row, told, and what was normalized."""
    given = Norm(x=matrix("--x", x), unit_offset=unit_offset)
    assumed: tuple[Note, ...] = ()
    if config is not None:
        given, assumed = _with_config(given, config, as_family)
    elif eps is None:
        assumed = (Note("rmsnorm.eps-zero"),)
    if gain is not None:
        given = replace(given, gain=floats("--gain", gain))
    if eps is not None:
        given = replace(given, eps=one_float("--eps", eps))
    layer = layer_norm(given) if layernorm else None
    changes = tuple(
        _change(given, kind, amount, layer is not None)
        for kind, amount in ((SHIFT, shift), (SCALE, scale))
        if amount is not None
    )
    if shift is not None and layer is None:
        layer = _layer_where_defined(given)
    rows = norm(given)
    told = story(given, rows, layer, changes, assumed)
    if dtype is not None:
        own = None if config is None else _model_cast(config, as_family)
        told = _in_format(told, given, rows, dtype, cast, own)
    elif cast is not None:
        raise DenseError("cast-without-dtype", option="--cast", typed=cast)
    return told, given


def asked(given: Norm, told: Derivation, typed: Mapping[str, str | bool]) -> Asked:
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
    told: Derivation, given: Norm, rows: tuple[NormRow, ...], dtype: str, cast: str | None, own: str | None
) -> Derivation:
    """What the arithmetic of `dtype` gives, with the order that was typed, the model's, or the usual one."""
    from dense_cli.core.norms_precision import BEFORE_GAIN, norm_in
    from dense_cli.core.precision import FLOAT32, number_format
    from dense_cli.derive.rmsnorm_precision import rmsnorm_in

    precise = named("--dtype", lambda: number_format(dtype))
    order = cast or own or BEFORE_GAIN
    found = named("--cast", lambda: norm_in(given, precise, order))
    unsaid = cast is None and given.gain is not None and precise is not FLOAT32
    source = "usual" if own is None else "model"
    assumed = (Note(f"precision.{source}-{order}"),) if unsaid else ()
    return rmsnorm_in(told, given, rows, found, precise, order, assumed)


def _model_cast(config: str, as_family: str | None) -> str:
    from dense_cli.models.config import read_config
    from dense_cli.models.norm_settings import norm_settings

    return norm_settings(read_config(config, as_family)).cast


def _with_config(given: Norm, config: str, as_family: str | None) -> tuple[Norm, tuple[Note, ...]]:
    from dense_cli.cli.configs import norm_of

    return norm_of(given, config, as_family)
