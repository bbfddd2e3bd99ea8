"""Blocks that a family does not have but a config names: refused by the fields that say so, never counted as
something else.
"""

from __future__ import annotations

from dense_cli.models.fields import Fields

EXPERT_NUMBERS = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")
EXPERT_WIDTHS = ("moe_intermediate_size", "shared_expert_intermediate_size")
LATENT = ("kv_lora_rank", "q_lora_rank")
RECURRENT = ("ssm_", "mamba_", "linear_num_", "linear_conv_", "hybrid_", "layers_block_type")
ATTENTION_TYPES = frozenset({"full_attention", "sliding_attention", "chunked_attention", "attention"})


def refuse_foreign_blocks(fields: Fields) -> None:
    """Note experts, latent attention, recurrent layers or an encoder where the family has none."""
    data, family = fields.config.data, fields.family
    if family.experts is None:
        found = [name for name in EXPERT_NUMBERS if _more_than(data.get(name), 1)]
        found += [name for name in EXPERT_WIDTHS if _more_than(data.get(name), 0)]
        if isinstance(data.get("mlp_layer_types"), list) and "sparse" in _words(data["mlp_layer_types"]):
            found.append("mlp_layer_types")
        _refuse(fields, "config-foreign-experts", found)
    elif _more_than(data.get("moe_layer_freq"), 1) or isinstance(data.get("moe_layer_freq"), list):
        _refuse(fields, "config-foreign-experts", ["moe_layer_freq"])
    if not family.attention.latent:
        _refuse(fields, "config-foreign-latent", [name for name in LATENT if data.get(name) is not None])
    recurrent = [name for name in data if name.startswith(RECURRENT) and data[name]]
    if not set(_words(data.get("layer_types"))) <= ATTENTION_TYPES:
        recurrent.append("layer_types")
    _refuse(fields, "config-foreign-layers", recurrent)
    encoder = [name for name in ("is_encoder_decoder", "add_cross_attention") if data.get(name) is True]
    _refuse(fields, "config-foreign-encoder", encoder)


def _refuse(fields: Fields, key: str, found: list[str]) -> None:
    if found:
        fields.refuse(key, fields=tuple(found[:6]), family=fields.family.model_type)


def _more_than(value: object, number: int) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > number


def _words(value: object) -> list[str]:
    """The words of a list; anything else in it counts as a word of no known kind."""
    return [item if isinstance(item, str) else "?" for item in value] if isinstance(value, list) else []
