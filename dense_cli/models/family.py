"""What a model family is made of, as data: the shape of one row of ``families``.

A *family* is what the field calls a ``model_type``. A row says which config fields hold what, what the family
takes where a field is left out, and which parts one block has. Nothing here computes a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from dense_cli.frozen import dataclass, field


@dataclass(frozen=True, slots=True)
class Derived:
    """A default that follows from another field: `of` · `times`, or `of` / `over`."""

    of: str
    times: int = 1
    over: str | None = None


@dataclass(frozen=True, slots=True)
class Flag:
    """A yes or no that the first of `fields` in the config decides; `default` where none is there."""

    fields: tuple[str, ...]
    default: bool


Default = bool | int | float | str | Derived
Switch = bool | Flag
"""A constant of the family, or what a config field says."""

ATTENTION_BIAS = Flag(("attention_bias",), False)
MLP_BIAS = Flag(("mlp_bias",), False)
USE_BIAS = Flag(("use_bias",), False)


@dataclass(frozen=True, slots=True)
class QueryKeyNorm:
    """A norm on queries and keys before they turn.

    `over`: one gain of head_dim shared by all heads ("head"), one over the whole projection ("projection"),
    or one of head_dim for every head ("each-head").
    """

    over: Literal["head", "projection", "each-head"]
    when: Switch = True
    bias: bool = False


@dataclass(frozen=True, slots=True)
class Attention:
    """`kv_rule`: how many key/value heads there are: what the config says ("field"), as many as queries
    ("all"), or the rules of Falcon and BigCode. `out_of`: what the output projection reads."""

    qkv_bias: Switch = False
    output_bias: Switch = False
    kv_rule: Literal["field", "all", "falcon", "bigcode"] = "field"
    head_dim: Literal["field", "quotient"] = "field"
    out_of: Literal["heads", "hidden"] = "heads"
    query_key_norm: QueryKeyNorm | None = None
    sinks: bool = False
    latent: bool = False


@dataclass(frozen=True, slots=True)
class Norms:
    """`layer`: the norms of one block, in order. `rule`: which of them are there, where that depends on a
    field.

    `unit_offset`: the stored gain g acts as 1 + g. `cast`: whether half precision is reached before or after
    the gain.
    """

    kind: Literal["rms", "layer"] = "rms"
    affine: Switch = True
    bias: Switch = False
    layer: tuple[str, ...] = ("input", "post_attention")
    rule: Literal["all", "falcon", "second-if-sequential"] = "all"
    embedding: bool = False
    final: Literal["yes", "no", "opt"] = "yes"
    unit_offset: bool = False
    cast: Literal["before-gain", "after-gain"] = "before-gain"
    fixed_eps: float | None = None


@dataclass(frozen=True, slots=True)
class FeedForward:
    """`fused`: gate and up are stored as one matrix. `scalars`: learned numbers of one activation, by its
    name.
    """

    gated: bool = True
    fused: bool = False
    bias: Switch = False
    scalars: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Experts:
    """A mixture of experts in place of the FFN of some layers.

    `width`: the idea that holds an expert's hidden width. `layers`: all of them, those after the first k, or
    every n-th without those listed. `shared`: experts every token passes: as wide as a field says, or n times
    the width.
    """

    width: str = "ffn"
    layers: Literal["all", "after-first", "every"] = "all"
    biases: bool = False
    shared: Literal["no", "width", "number"] = "no"
    shared_gate: bool = False


@dataclass(frozen=True, slots=True)
class Embedding:
    """`positions`: rows of a learned position table are the positions plus `extra_rows`. `projected`: tokens
    may be embedded in another width (OPT). `head_bias`: a bias on the logits.
    """

    present: bool = True
    positions: bool = False
    extra_rows: int = 0
    projected: bool = False
    head_bias: Switch = False


@dataclass(frozen=True, slots=True)
class Rope:
    """How a family turns queries and keys.

    `layout`: which coordinates pair up; `writes`: where the turned ones are put. `partial`: the fraction of a
    head that turns where the config says none; `honoured`: whether the default type, too, heeds it.
    `default`: the parameters of a config without any. `by_type`: parameters per kind of layer, always.
    `only`: kinds of layers that turn at all. `unless`: a field that says which layers do not. `width`: a
    field that holds the rotary width itself. `renamed`: types read as another. `head_dims`: kinds of layers
    whose heads are as wide as another field says.
    """

    layout: Literal["half", "interleaved"] = "half"
    writes: Literal["half", "interleaved"] | None = None
    theta: float = 10000.0
    partial: float | None = None
    honoured: bool = False
    default: Mapping[str, object] | None = None
    by_type: Mapping[str, Mapping[str, object]] | None = None
    only: tuple[str, ...] = ()
    unless: str | None = None
    width: str | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    head_dims: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Block:
    """How the parts of a block are put together, where that is not pre-norm with 1/√d scores.

    `scale`: "head" is 1/√head_dim, "none" no scaling; else the field that holds the number, as it stands
    ("field") or under a root ("field-root"). `multipliers`: fields that multiply embeddings, residuals or
    logits.
    """

    parallel: Switch = False
    placement: Literal["pre", "post", "sandwich"] = "pre"
    scale: str = "head"
    scale_field: str | None = None
    multipliers: tuple[str, ...] = ()
    embedding_scaled: bool = False
    soft_cap: str | None = None
    clamped: bool = False
    alibi: Switch = False


LLAMA_FIELDS: Mapping[str, tuple[str, ...]] = {
    "vocabulary": ("vocab_size",),
    "hidden": ("hidden_size",),
    "layers": ("num_hidden_layers",),
    "heads": ("num_attention_heads",),
    "kv_heads": ("num_key_value_heads",),
    "head_dim": ("head_dim",),
    "ffn": ("intermediate_size",),
    "positions": ("max_position_embeddings",),
    "activation": ("hidden_act",),
    "eps": ("rms_norm_eps",),
    "tied": ("tie_word_embeddings",),
    "theta": ("rope_theta",),
    "partial": ("partial_rotary_factor",),
    "experts": ("num_experts", "num_local_experts"),
    "experts_per_token": ("num_experts_per_tok",),
    "expert_width": ("moe_intermediate_size",),
}


@dataclass(frozen=True, slots=True)
class Family:
    """One row. `fields`: which config fields hold an idea, the first that is there wins. `counted`: false
    where only the RoPE of a family is known.
    """

    model_type: str
    defaults: Mapping[str, Default]
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: LLAMA_FIELDS)
    also_called: tuple[str, ...] = ()
    attention: Attention = Attention()
    norms: Norms = Norms()
    ffn: FeedForward = FeedForward()
    experts: Experts | None = None
    embedding: Embedding = Embedding()
    rope: Rope | None = Rope()
    block: Block = Block()
    counted: bool = True
