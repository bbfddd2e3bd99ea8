"""What a config says about RoPE, in either spelling, as one set of parameters per kind of layer."""

from __future__ import annotations

from collections.abc import Mapping

from dense_cli.models.config import kind
from dense_cli.models.family import Rope
from dense_cli.models.fields import Fields

Parameters = dict[str, object]

KINDS = ("full_attention", "sliding_attention", "chunked_attention")
ALL_LAYERS = "*"
"""The key of parameters that hold for every layer."""


def turns(fields: Fields) -> Rope | None:
    """The family's RoPE; None where it has none, or a field of the config says so."""
    rope = fields.family.rope
    if rope is not None and rope.unless is not None and fields.config.data.get(rope.unless) is True:
        return None
    return rope


def rope_by_type(fields: Fields, rope: Rope) -> dict[str, Parameters]:
    """Parameters per kind of layer, or under `ALL_LAYERS`; kinds that do not turn are left out."""
    written = _written(fields)
    base = _base(fields)
    if written is not None and _nested(fields, written):
        found = {key: value for key, value in written.items() if isinstance(value, dict)}
        return {key: _complete(fields, rope, value, base, key) for key, value in found.items()}
    if rope.by_type is not None:
        return {
            key: _of_kind(fields, rope, key, dict(given), written, base)
            for key, given in rope.by_type.items()
        }
    if written is None and rope.default is not None:
        written = rope.default
        shown = fields.named("rope_parameters")[0]
        fields.assumes(
            "config-default", field=shown, value=str(written["rope_type"]), family=fields.family.model_type
        )
        if base is not None:
            written = {**written, "rope_theta": base}
    return {ALL_LAYERS: _complete(fields, rope, written or {}, base, ALL_LAYERS)}


def rotary_width(rope: Rope, parameters: Mapping[str, object], head_dim: int) -> int:
    """r = int(head_dim · partial factor), as model code rounds it; the default type heeds the factor only in
    some families, a scaled one in all.
    """
    factor = parameters.get("partial_rotary_factor")
    if not isinstance(factor, int | float) or isinstance(factor, bool):
        return head_dim
    if parameters["rope_type"] == "default" and not rope.honoured:
        return head_dim
    return int(head_dim * factor)


def check_turning(fields: Fields, head_dim: int) -> None:
    """Note a base that is not positive, and an odd head_dim all of which would turn."""
    rope = turns(fields)
    if rope is None:
        return
    for parameters in rope_by_type(fields, rope).values():
        if rope.width is not None or not fields.sound("head_dim"):
            continue
        width = rotary_width(rope, parameters, head_dim)
        if width + width % 2 > head_dim:
            fields.refuse("rope-odd-head-dim", head_dim=head_dim)
            return


def _written(fields: Fields) -> Mapping[str, object] | None:
    """The dictionary of either spelling; the older name wins, as in model code."""
    for name in ("rope_scaling", "rope_parameters"):
        value = fields.config.data.get(name)
        if value is None or value == {}:
            continue
        if isinstance(value, dict):
            return value
        fields.refuse("config-wrong-type", field=name, value=kind(value), wanted="object")
    return None


def _nested(fields: Fields, written: Mapping[str, object]) -> bool:
    declared = fields.config.data.get("layer_types")
    kinds = (
        {*KINDS, *(item for item in declared if isinstance(item, str))}
        if isinstance(declared, list)
        else KINDS
    )
    return any(key in kinds and (value is None or isinstance(value, dict)) for key, value in written.items())


def _base(fields: Fields) -> float | None:
    if fields.named("theta")[1] is None:
        return None
    return fields.number("theta", None)


def _of_kind(
    fields: Fields,
    rope: Rope,
    key: str,
    given: Parameters,
    written: Mapping[str, object] | None,
    base: float | None,
) -> Parameters:
    """One kind of layer of a family that always tells them apart: scaling is for full attention alone."""
    if key == "full_attention":
        given.update(written or {})
        if "rope_theta" not in (written or {}):
            if base is not None:
                given["rope_theta"] = base
            elif "rope_theta" in given:
                _takes(fields, fields.named("theta")[0], given["rope_theta"])
    elif fields.config.data.get("rope_local_base_freq") is not None:
        given["rope_theta"] = fields.number("rope_local_base_freq", None)
    elif given["rope_theta"] != rope.theta:
        _takes(fields, "rope_local_base_freq", given["rope_theta"])
    elif base is not None:
        given["rope_theta"] = base  # a family with one base for all kinds (OLMo 3)
    return _complete(fields, rope, given, base, key)


def _takes(fields: Fields, name: str, value: object) -> None:
    fields.assumes("config-default", field=name, value=value, family=fields.family.model_type)


def _complete(
    fields: Fields, rope: Rope, written: Mapping[str, object], base: float | None, key: str
) -> Parameters:
    parameters = dict(written)
    typed = parameters.get("rope_type", parameters.get("type"))
    parameters["rope_type"] = _type(fields, rope, "default" if typed is None else typed)
    if parameters.get("rope_theta") is None:
        if base is None:
            by_type = (rope.by_type or {}).get(key, {})
            default = by_type.get("rope_theta", rope.theta)
            base = float(default) if isinstance(default, int | float) else rope.theta
            name = fields.named("theta")[0]
            fields.assumes("config-default", field=name, value=base, family=fields.family.model_type)
        parameters["rope_theta"] = base
    else:
        value = parameters["rope_theta"]
        if isinstance(value, bool) or not isinstance(value, int | float):
            fields.refuse("config-not-a-number", field="rope_theta", value=kind(value))
            parameters["rope_theta"] = rope.theta
        elif value <= 0:
            fields.refuse("config-not-positive", field="rope_theta", value=value)
            parameters["rope_theta"] = rope.theta
    _partial(fields, rope, parameters)
    return parameters


def _type(fields: Fields, rope: Rope, typed: object) -> str:
    if not isinstance(typed, str):
        fields.refuse("config-wrong-type", field="rope_type", value=kind(typed), wanted="string")
        return "default"
    read = {"su": "longrope", **rope.renamed}.get(typed, typed)
    if read != typed:
        fields.assumes("rope-renamed", written=typed, read=read)
    return read


def _partial(fields: Fields, rope: Rope, parameters: Parameters) -> None:
    """Put the partial factor where it belongs: in the dictionary, beside it, or the family's."""
    if parameters.get("partial_rotary_factor") is None:
        if fields.named("partial")[1] is not None:
            parameters["partial_rotary_factor"] = fields.named("partial")[1]
        elif rope.partial is not None:
            parameters["partial_rotary_factor"] = rope.partial
            name = fields.named("partial")[0]
            fields.assumes("config-default", field=name, value=rope.partial, family=fields.family.model_type)
    value = parameters.get("partial_rotary_factor")
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        fields.refuse("config-not-a-number", field="partial_rotary_factor", value=kind(value))
        del parameters["partial_rotary_factor"]
    elif not 0 < value <= 1:
        fields.refuse("rope-partial-range", field="partial_rotary_factor", value=value)
        del parameters["partial_rotary_factor"]
