"""Gemma: gains that act as 1 + g, tanh GELU, embeddings times √width; later ones with sandwich norms."""

from __future__ import annotations

from dense_cli.frozen import replace
from dense_cli.models.families.llama_like import LLAMA
from dense_cli.models.family import LLAMA_FIELDS, Block, FeedForward, Norms, QueryKeyNorm, Rope

SANDWICH = ("input", "post_attention", "pre_feedforward", "post_feedforward")

GEMMA = replace(
    LLAMA,
    model_type="gemma",
    defaults={
        **LLAMA.defaults,
        "vocabulary": 256000,
        "hidden": 3072,
        "layers": 28,
        "heads": 16,
        "kv_heads": 16,
        "head_dim": 256,
        "ffn": 24576,
        "positions": 8192,
        "activation": "gelu_pytorch_tanh",
        "tied": True,
    },
    ffn=FeedForward(),
    norms=Norms(unit_offset=True, cast="after-gain"),
    block=Block(embedding_scaled=True),
)
GEMMA_2 = replace(
    GEMMA,
    model_type="gemma2",
    fields={**LLAMA_FIELDS, "activation": ("hidden_activation",)},
    defaults={
        **GEMMA.defaults,
        "hidden": 2304,
        "layers": 26,
        "heads": 8,
        "kv_heads": 4,
        "ffn": 9216,
        "query_pre_attn_scalar": 256,
        "attn_logit_softcapping": 50.0,
    },
    norms=Norms(layer=SANDWICH, unit_offset=True, cast="after-gain"),
    block=Block(
        placement="sandwich",
        scale="field-root",
        scale_field="query_pre_attn_scalar",
        embedding_scaled=True,
        soft_cap="attn_logit_softcapping",
    ),
)
GEMMA_3 = replace(
    GEMMA_2,
    model_type="gemma3_text",
    also_called=("gemma3",),
    defaults={
        **{k: v for k, v in GEMMA_2.defaults.items() if k != "attn_logit_softcapping"},
        "vocabulary": 262208,
        "positions": 131072,
    },
    attention=replace(LLAMA.attention, query_key_norm=QueryKeyNorm("head")),
    rope=Rope(
        theta=1e6,
        by_type={
            "full_attention": {"rope_type": "default", "rope_theta": 1e6},
            "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        },
    ),
)
GEMMA_4 = replace(
    GEMMA_3,
    model_type="gemma4_text",
    also_called=("gemma4",),
    defaults={**GEMMA_3.defaults, "vocabulary": 262144, "layers": 30, "global_head_dim": 512},
    norms=Norms(layer=SANDWICH, cast="after-gain"),
    rope=Rope(
        theta=1e6,
        by_type={
            "full_attention": {
                "rope_type": "proportional",
                "partial_rotary_factor": 0.25,
                "rope_theta": 1e6,
            },
            "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        },
        head_dims={"full_attention": "global_head_dim"},
    ),
    counted=False,
)
VAULTGEMMA = replace(
    GEMMA_2,
    model_type="vaultgemma",
    norms=Norms(layer=("input", "pre_feedforward"), unit_offset=True, cast="after-gain"),
    block=replace(GEMMA_2.block, placement="pre"),
)

ROWS = (GEMMA, GEMMA_2, GEMMA_3, GEMMA_4, VAULTGEMMA)
