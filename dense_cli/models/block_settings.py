"""How the parts of a family's block are put together, and where that departs from the chapter's block."""

from __future__ import annotations

from dense_cli.frozen import dataclass
from dense_cli.models.config import Config
from dense_cli.models.fields import Fields
from dense_cli.models.rope_parameters import turns
from dense_cli.models.shape import ModelShape, model_shape

Departure = tuple[str, str]
"""What is otherwise, and the config field that says so (or the family's name)."""


@dataclass(frozen=True, slots=True)
class BlockSettings:
    """`attention_scale` multiplies scores before the softmax. `departures` are all ways in which a block is
    not pre-norm, gated, with RMSNorm, RoPE and 1/√head_dim; none for Llama and its kin.
    """

    shape: ModelShape
    attention_scale: float
    departures: tuple[Departure, ...]


def block_settings(config: Config) -> BlockSettings:
    """What a block needs beside its shape. Raises what `model_shape` raises.

    >>> from dense_cli.models.config import read_config
    >>> block_settings(read_config('{"model_type": "llama"}')).departures
    ()
    """
    shape = model_shape(config)
    fields = Fields(config)
    scale, scaled_by = _scale(fields, shape)
    found = [
        *_norm_departures(fields, shape),
        *_residual_departures(fields),
        *_attention_departures(fields, shape),
        *_ffn_departures(fields, shape),
    ]
    if scaled_by is not None:
        found.append(("attention-scale", scaled_by))
    fields.check()
    return BlockSettings(shape, scale, tuple(found))


def _scale(fields: Fields, shape: ModelShape) -> tuple[float, str | None]:
    block = fields.family.block
    usual: float = shape.head_dim**-0.5
    if shape.latent is not None:
        usual = (shape.latent.unturned + shape.latent.turned) ** -0.5
    if block.scale == "none":
        return 1.0, fields.family.model_type
    if block.scale_field is None:
        return usual, None
    default = fields.family.defaults.get(block.scale_field, 1.0)
    number = fields.number(block.scale_field, float(default) if isinstance(default, int | float) else 1.0)
    scale = number**-0.5 if block.scale == "field-root" else number
    return scale, None if scale == usual else block.scale_field


def _norm_departures(fields: Fields, shape: ModelShape) -> list[Departure]:
    family = fields.family
    found = []
    if family.norms.kind != "rms":
        found.append(("layer-norm", family.model_type))
    if family.block.placement != "pre":
        key = "sandwich-norms" if family.block.placement == "sandwich" else "post-norms"
        found.append((key, family.model_type))
    for field in ("pre_norm", "do_layer_norm_before"):
        found += [("post-norms", field)] if fields.config.data.get(field) is False else []
    return found


def _residual_departures(fields: Fields) -> list[Departure]:
    block = fields.family.block
    found = []
    if fields.switch(block.parallel):
        found.append(("parallel-residual", fields.family.model_type))
    for field in ("residual_multiplier", "scale_depth"):
        value = fields.config.data.get(field, 1.0 if field == "residual_multiplier" else 1.4)
        if field in block.multipliers and value != 1:
            found.append(("multipliers", field))
    return found


def _attention_departures(fields: Fields, shape: ModelShape) -> list[Departure]:
    family, data = fields.family, fields.config.data
    found = []
    if turns(fields) is None:
        found.append(
            ("alibi" if fields.switch(family.block.alibi) else "learned-positions", family.model_type)
        )
    if shape.latent is not None:
        found.append(("latent-attention", "kv_lora_rank"))
    if family.attention.sinks:
        found.append(("sinks", family.model_type))
    cap = family.block.soft_cap
    if cap is not None and data.get(cap, family.defaults.get(cap)) is not None:
        found.append(("soft-cap", cap))
    if data.get("clip_qkv") is not None:
        found.append(("clipped-projections", "clip_qkv"))
    return found


def _ffn_departures(fields: Fields, shape: ModelShape) -> list[Departure]:
    family = shape.family
    found = []
    if shape.experts is not None:
        found.append(("experts", fields.named("experts")[0]))
    if not family.ffn.gated:
        found.append(("plain-ffn", family.model_type))
    if family.block.clamped:
        found.append(("clamped-ffn", family.model_type))
    return found
