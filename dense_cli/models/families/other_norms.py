"""Families that norm elsewhere, or otherwise: OLMo, Exaone, Cohere, and those with LayerNorm and RoPE."""

from __future__ import annotations

from dense_cli.frozen import replace
from dense_cli.models.families.llama_like import LLAMA, NO_BIAS, QUOTIENT
from dense_cli.models.family import (
    ATTENTION_BIAS,
    LLAMA_FIELDS,
    MLP_BIAS,
    Attention,
    Block,
    Derived,
    Embedding,
    Family,
    FeedForward,
    Flag,
    Norms,
    QueryKeyNorm,
    Rope,
)

POST = ("post_attention", "post_feedforward")
LAYER_NORM_FIELDS = {**LLAMA_FIELDS, "eps": ("layer_norm_eps",)}
QKV_AND_OUTPUT = Attention(qkv_bias=ATTENTION_BIAS, output_bias=ATTENTION_BIAS)

OLMO = replace(
    LLAMA,
    model_type="olmo",
    fields={k: v for k, v in LLAMA_FIELDS.items() if k != "eps"},
    defaults={**{k: v for k, v in LLAMA.defaults.items() if k != "eps"}, "vocabulary": 50304},
    ffn=FeedForward(),
    norms=Norms(kind="layer", affine=False, fixed_eps=1e-5),
)
OLMO_2 = replace(
    LLAMA,
    model_type="olmo2",
    defaults={**LLAMA.defaults, "vocabulary": 50304, "eps": 1e-5},
    attention=replace(QKV_AND_OUTPUT, query_key_norm=QueryKeyNorm("projection")),
    ffn=FeedForward(),
    norms=Norms(layer=POST, cast="after-gain"),
    block=Block(placement="post"),
)
OLMO_3 = replace(
    OLMO_2,
    model_type="olmo3",
    rope=Rope(
        theta=5e5,
        by_type={
            "full_attention": {"rope_type": "default", "rope_theta": 5e5},
            "sliding_attention": {"rope_type": "default", "rope_theta": 5e5},
        },
    ),
)
EXAONE_4 = replace(
    NO_BIAS,
    model_type="exaone4",
    defaults={**LLAMA.defaults, "vocabulary": 102400, "kv_heads": 32, "ffn": 16384, "eps": 1e-5},
    attention=Attention(query_key_norm=QueryKeyNorm("head")),
    norms=Norms(layer=POST),
    rope=Rope(only=("sliding_attention",)),
    block=Block(placement="post"),
)

COHERE = replace(
    LLAMA,
    model_type="cohere",
    fields=LAYER_NORM_FIELDS,
    defaults={
        **LLAMA.defaults,
        "vocabulary": 256000,
        "hidden": 8192,
        "layers": 40,
        "heads": 64,
        "ffn": 22528,
        "positions": 8192,
        "eps": 1e-5,
        "tied": True,
    },
    attention=replace(
        QKV_AND_OUTPUT, query_key_norm=QueryKeyNorm("each-head", when=Flag(("use_qk_norm",), False))
    ),
    ffn=FeedForward(),
    norms=Norms(kind="layer", layer=("input",), cast="after-gain"),
    rope=Rope(layout="interleaved", theta=5e5),
    block=Block(parallel=True, multipliers=("logit_scale",)),
)
COHERE_2 = replace(
    COHERE,
    model_type="cohere2",
    attention=QKV_AND_OUTPUT,
    rope=Rope(layout="interleaved", only=("sliding_attention",)),
)

STABLELM = Family(
    model_type="stablelm",
    fields=LAYER_NORM_FIELDS,
    defaults={
        **LLAMA.defaults,
        "vocabulary": 50304,
        "hidden": 2560,
        "kv_heads": 32,
        "ffn": 6912,
        "positions": 4096,
        "eps": 1e-5,
    },
    attention=Attention(
        qkv_bias=Flag(("use_qkv_bias",), False),
        head_dim="quotient",
        out_of="hidden",
        query_key_norm=QueryKeyNorm("each-head", when=Flag(("qk_layernorm",), False)),
    ),
    norms=Norms(kind="layer", bias=True, rule="second-if-sequential"),
    rope=Rope(partial=0.25, honoured=True),
    block=Block(parallel=Flag(("use_parallel_residual",), False)),
)
STARCODER_2 = Family(
    model_type="starcoder2",
    fields={**LLAMA_FIELDS, "eps": ("norm_epsilon",)},
    defaults={
        **LLAMA.defaults,
        "vocabulary": 49152,
        "hidden": 3072,
        "layers": 30,
        "heads": 24,
        "kv_heads": 2,
        "ffn": 12288,
        "positions": 4096,
        "activation": "gelu_pytorch_tanh",
        "eps": 1e-5,
        "tied": True,
    },
    attention=Attention(qkv_bias=Flag(("use_bias",), True), output_bias=Flag(("use_bias",), True)),
    norms=Norms(kind="layer", bias=True),
    ffn=FeedForward(gated=False, bias=Flag(("use_bias",), True)),
)
NEMOTRON = Family(
    model_type="nemotron",
    fields={**LLAMA_FIELDS, "eps": ("norm_eps",)},
    defaults={
        **LLAMA.defaults,
        "vocabulary": 256000,
        "hidden": 6144,
        "heads": 48,
        "ffn": 24576,
        "positions": 4096,
        "activation": "relu2",
        "eps": 1e-5,
    },
    attention=QKV_AND_OUTPUT,
    norms=Norms(kind="layer", bias=True, unit_offset=True, cast="after-gain"),
    ffn=FeedForward(gated=False, bias=MLP_BIAS),
    rope=Rope(partial=0.5, honoured=True),
)
PERSIMMON = Family(
    model_type="persimmon",
    fields=LAYER_NORM_FIELDS,
    defaults={
        **LLAMA.defaults,
        "vocabulary": 262144,
        "layers": 36,
        "heads": 64,
        "kv_heads": Derived("heads"),
        "head_dim": QUOTIENT,
        "ffn": 16384,
        "positions": 16384,
        "activation": "relu2",
        "eps": 1e-5,
    },
    attention=Attention(
        qkv_bias=True,
        output_bias=True,
        kv_rule="all",
        head_dim="quotient",
        query_key_norm=QueryKeyNorm("head", when=Flag(("qk_layernorm",), True), bias=True),
    ),
    norms=Norms(kind="layer", bias=True),
    ffn=FeedForward(gated=False, bias=True),
    rope=Rope(partial=0.5, honoured=True),
)
PHI = replace(
    PERSIMMON,
    model_type="phi",
    defaults={
        **PERSIMMON.defaults,
        "vocabulary": 51200,
        "hidden": 2048,
        "layers": 24,
        "heads": 32,
        "ffn": 8192,
        "positions": 2048,
        "activation": "gelu_new",
    },
    attention=Attention(
        qkv_bias=True,
        output_bias=True,
        query_key_norm=QueryKeyNorm("head", when=Flag(("qk_layernorm",), False), bias=True),
    ),
    norms=Norms(kind="layer", bias=True, layer=("input",)),
    embedding=Embedding(head_bias=True),
    block=Block(parallel=True),
)

ROWS = (
    OLMO,
    OLMO_2,
    OLMO_3,
    EXAONE_4,
    COHERE,
    COHERE_2,
    STABLELM,
    STARCODER_2,
    NEMOTRON,
    PERSIMMON,
    PHI,
)
