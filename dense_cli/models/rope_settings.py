"""RoPE of one kind of layer, resolved: width, layout, base, type, and each pair's angle per position."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from dense_cli.core.schedule import check_width
from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass
from dense_cli.models import rope_scaling as scaling
from dense_cli.models.config import Assumption, Config
from dense_cli.models.family import Rope
from dense_cli.models.fields import Fields
from dense_cli.models.rope_numbers import Numbers
from dense_cli.models.rope_parameters import (
    ALL_LAYERS,
    Parameters,
    rope_by_type,
    rotary_width,
    turns,
)


@dataclass(frozen=True, slots=True)
class RopeSettings:
    """What turns, and by how much per position.

    `rotary_dim` coordinates of `head_dim` turn in `len(theta)` pairs; pair i has the exponent `exponents[i]`
    = 2i/r, with r = `exponent_width` (odd for an odd partial width: one coordinate more turns than it says).
    `unscaled_theta` is base^(-exponent); `theta` is what remains after `rope_type` scaled it, in radians per
    position. `attention_factor` multiplies cos and sin. `layout` says which coordinates pair up, `writes`
    where the turned ones are put. `parameters` holds every number that the type used, for a derivation.
    `layer_types` names the kinds of layers this holds for.
    """

    rope_type: str
    base: float
    head_dim: int
    rotary_dim: int
    exponent_width: int
    layout: str
    writes: str
    partial_factor: float
    exponents: tuple[Fraction, ...]
    unscaled_theta: tuple[float, ...]
    theta: tuple[float, ...]
    attention_factor: float
    parameters: Mapping[str, object]
    layer_type: str | None
    layer_types: tuple[str, ...]
    seq_len: int | None
    assumed: tuple[Assumption, ...]


@dataclass(frozen=True, slots=True)
class _Scaled:
    """What one type makes of the frequencies."""

    theta: tuple[float, ...]
    attention_factor: float = 1.0


def rope_settings(config: Config, layer_type: str | None = None, seq_len: int | None = None) -> RopeSettings:
    """The RoPE of a config, for one kind of layer where they differ and for one length where the type asks
    for it.

    Raises DenseError: no RoPE at all, an unknown type, a number missing or unusable, a kind of layer that is
    needed or unknown, an odd width that does not fit or one too wide, dynamic scaling of two coordinates.

    >>> from dense_cli.models.config import read_config
    >>> config = read_config('{"model_type": "llama", "hidden_size": 12, "num_attention_heads": 3}')
    >>> settings = rope_settings(config)
    >>> settings.layout, settings.theta
    ('half', (1.0, 0.01))
    """
    fields = Fields(config)
    rope = turns(fields)
    if rope is None:
        raise DenseError("rope-none", typed=config.name, family=config.family.model_type)
    if seq_len is not None and seq_len < 1:
        raise DenseError("rope-length-below-one", typed=str(seq_len))
    by_type = rope_by_type(fields, rope)
    fields.check()
    chosen, parameters = _choice(fields, rope, by_type, layer_type)
    head_dim = _head_dim(fields, rope, chosen)
    fields.check()
    check_width(head_dim)
    kind = str(parameters["rope_type"])
    numbers = Numbers(fields, parameters, seq_len)
    if kind not in TYPES:
        near = nearest(kind, list(TYPES))
        raise DenseError("rope-unknown-type", typed=kind[:60], known=near or tuple(TYPES))
    base = numbers.base
    width = _width(fields, rope, parameters, head_dim)
    fields.check()
    rotary = head_dim if kind == "proportional" else width + width % 2
    try:
        unscaled = scaling.unscaled(base, width, rotary // 2)
        scaled = TYPES[kind](numbers, unscaled, base, width)
        fields.check()
    except OverflowError:
        raise DenseError("rope-settings-overflow", typed=config.name, base=base) from None
    partial = parameters.get("partial_rotary_factor", 1.0)
    return RopeSettings(
        rope_type=kind,
        base=base,
        head_dim=head_dim,
        rotary_dim=rotary,
        exponent_width=width,
        layout=rope.layout,
        writes=rope.writes or rope.layout,
        partial_factor=float(partial) if isinstance(partial, int | float) else 1.0,
        exponents=tuple(Fraction(2 * i, width) for i in range(rotary // 2)),
        unscaled_theta=unscaled,
        theta=scaled.theta,
        attention_factor=scaled.attention_factor,
        parameters=numbers.used,
        layer_type=None if chosen == ALL_LAYERS else chosen,
        layer_types=tuple(key for key in by_type if key != ALL_LAYERS) or rope.only,
        seq_len=seq_len,
        assumed=tuple(fields.assumed),
    )


def _choice(
    fields: Fields, rope: Rope, by_type: Mapping[str, Parameters], layer_type: str | None
) -> tuple[str, Parameters]:
    """The kind of layer asked for; the only one; any, where they are all alike; else the person must say
    which.
    """
    config = fields.config
    kinds = tuple(key for key in by_type if key != ALL_LAYERS)
    if not by_type:
        raise DenseError("rope-none", typed=config.name, family=config.family.model_type)
    still = _kinds_that_stand(fields, rope)
    if layer_type is not None:
        if layer_type in still:
            raise DenseError("rope-none-in-layer", typed=layer_type, kinds=rope.only)
        known = kinds or rope.only or _declared(fields)
        if known and layer_type not in known:
            raise DenseError("rope-unknown-layer-type", typed=layer_type[:60], kinds=known)
        return layer_type if kinds else ALL_LAYERS, by_type[layer_type if kinds else ALL_LAYERS]
    if still:
        fields.assumes("rope-some-layers", kinds=rope.only)
    if rope.unless == "no_rope_layers":
        fields.assumes("rope-marked-layers", field=rope.unless)
    if not kinds:
        return ALL_LAYERS, by_type[ALL_LAYERS]
    declared = _declared(fields)
    used = [key for key in kinds if not declared or key in declared] or list(kinds)
    first = used[0]
    widths = {_head_dim(fields, rope, key) for key in used} if rope.head_dims else {0}
    if len(widths) > 1 or any(by_type[key] != by_type[first] for key in used):
        raise DenseError("rope-layer-type-needed", typed=config.name, kinds=tuple(used), example=first)
    return first, by_type[first]


def _kinds_that_stand(fields: Fields, rope: Rope) -> tuple[str, ...]:
    """Kinds of layers without rotation in a family that turns only some; none if it has no sliding window."""
    data = fields.config.data
    if not rope.only or ("sliding_window" in data and data["sliding_window"] is None):
        return ()
    return tuple(key for key in ("full_attention",) if key not in rope.only)


def _declared(fields: Fields) -> tuple[str, ...]:
    declared = fields.config.data.get("layer_types")
    return tuple(dict.fromkeys(str(item) for item in declared)) if isinstance(declared, list) else ()


def _head_dim(fields: Fields, rope: Rope, chosen: str) -> int:
    return fields.whole(rope.head_dims.get(chosen, "head_dim"))


def _width(fields: Fields, rope: Rope, parameters: Parameters, head_dim: int) -> int:
    """r, over which exponents run; r + 1 coordinates turn where r is odd, if the head has them."""
    partial = parameters.get("partial_rotary_factor")
    if parameters["rope_type"] == "proportional":
        if head_dim % 2:
            fields.refuse("rope-odd-head-dim", head_dim=head_dim)
        return head_dim
    if rope.width is not None:
        name = rope.width
        if name in fields.config.data and fields.config.data[name] is None:
            return head_dim
        width = fields.whole(name)
        if width % 2 or width > head_dim:
            fields.refuse("rope-width", field=name, width=width, head_dim=head_dim)
        return width
    width = rotary_width(rope, parameters, head_dim)
    if width < 1:
        fields.refuse("rope-nothing-turns", partial=partial, head_dim=head_dim)
        return 2
    if width + width % 2 > head_dim:
        fields.refuse("rope-odd-head-dim", head_dim=head_dim)
    if partial is not None and partial != 1 and width == head_dim and not rope.honoured:
        fields.assumes("rope-partial-ignored", partial=partial, family=fields.family.model_type)
    return width


def _default(numbers: Numbers, thetas: tuple[float, ...], base: float, width: int) -> _Scaled:
    return _Scaled(thetas)


def _linear(numbers: Numbers, thetas: tuple[float, ...], base: float, width: int) -> _Scaled:
    return _Scaled(scaling.linear(thetas, numbers.positive("factor")))


def _dynamic(numbers: Numbers, thetas: tuple[float, ...], base: float, width: int) -> _Scaled:
    factor, trained = numbers.positive("factor"), numbers.positions()
    if width <= 2:
        numbers.refuse("rope-dynamic-two", width=width)
        return _Scaled(thetas)
    grown = scaling.dynamic_base(base, width, factor, numbers.length(trained), trained)
    numbers.used["effective_base"] = grown
    return _Scaled(scaling.unscaled(grown, width))


def _yarn(numbers: Numbers, thetas: tuple[float, ...], base: float, width: int) -> _Scaled:
    factor, trained = numbers.positive("factor"), numbers.trained()
    fast, slow = numbers.or_else("beta_fast", 32.0), numbers.or_else("beta_slow", 1.0)
    truncate = numbers.truth("truncate", True)
    if base == 1:
        numbers.refuse("rope-yarn-base")
    if numbers.broken:
        return _Scaled(thetas)
    low, high = scaling.yarn_range(base, width, trained, fast, slow, truncate)
    numbers.used.update(low=low, high=high)
    attention = numbers.maybe("attention_factor")
    if attention is None:
        attention = scaling.yarn_attention_factor(
            factor, numbers.maybe("mscale"), numbers.maybe("mscale_all_dim")
        )
    return _Scaled(scaling.yarn(thetas, factor, low, high), attention)


def _longrope(numbers: Numbers, thetas: tuple[float, ...], base: float, width: int) -> _Scaled:
    trained, positions = numbers.trained(), numbers.positions()
    long = numbers.longer_than(trained)
    factors = numbers.listed("long_factor", len(thetas)), numbers.listed("short_factor", len(thetas))
    factor = numbers.maybe("factor") or positions / trained
    numbers.used.update(factor=factor, factors_used="long" if long else "short")
    attention = numbers.maybe("attention_factor")
    by_length = numbers.maybe("long_mscale" if long else "short_mscale") if numbers.has_mscale else None
    if by_length is not None:
        attention = by_length
    elif attention is None:
        if trained == 1 and factor > 1:
            numbers.refuse("rope-trained-one")
        attention = 1.0 if numbers.broken else scaling.longrope_attention_factor(factor, trained)
    if numbers.broken:
        return _Scaled(thetas)
    return _Scaled(scaling.longrope(thetas, factors[0] if long else factors[1]), attention)


def _llama3(numbers: Numbers, thetas: tuple[float, ...], base: float, width: int) -> _Scaled:
    factor, trained = numbers.positive("factor"), numbers.trained()
    low, high = numbers.positive("low_freq_factor"), numbers.positive("high_freq_factor")
    if high <= low and not numbers.broken:
        numbers.refuse("rope-llama3-band", low=low, high=high)
    if numbers.broken:
        return _Scaled(thetas)
    return _Scaled(scaling.llama3(thetas, factor, low, high, trained))


def _proportional(numbers: Numbers, thetas: tuple[float, ...], base: float, width: int) -> _Scaled:
    partial, factor = numbers.or_else("partial_rotary_factor", 1.0), numbers.or_else("factor", 1.0)
    return _Scaled(scaling.proportional(base, width, partial, factor))


TYPES: Mapping[str, Callable[[Numbers, tuple[float, ...], float, int], _Scaled]] = {
    "default": _default,
    "linear": _linear,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "longrope": _longrope,
    "llama3": _llama3,
    "proportional": _proportional,
}
"""What each type does, by the name that configs give it."""
