"""Families with LayerNorm and a plain FFN, most with other field names: GPT-2, GPT-NeoX, Falcon, BLOOM, MPT,
OPT.
"""

from __future__ import annotations

from dense_cli.frozen import replace
from dense_cli.models.families.llama_like import ALL_HEADS, QUOTIENT
from dense_cli.models.family import (
    LLAMA_FIELDS,
    Attention,
    Block,
    Derived,
    Embedding,
    Family,
    FeedForward,
    Flag,
    Norms,
    Rope,
)

FOUR_TIMES = Derived("hidden", times=4)
GPT_FIELDS = {
    **LLAMA_FIELDS,
    "hidden": ("n_embd", "hidden_size"),
    "layers": ("n_layer", "num_hidden_layers"),
    "heads": ("n_head", "num_attention_heads"),
    "ffn": ("n_inner",),
    "positions": ("n_positions", "max_position_embeddings"),
    "activation": ("activation_function",),
    "eps": ("layer_norm_epsilon",),
}
ALL_BIASED = Attention(qkv_bias=True, output_bias=True, kv_rule="all", head_dim="quotient")
LAYER_NORM = Norms(kind="layer", bias=True)
PLAIN = FeedForward(gated=False, bias=True)

GPT_2 = Family(
    model_type="gpt2",
    fields=GPT_FIELDS,
    defaults={
        "vocabulary": 50257,
        "hidden": 768,
        "layers": 12,
        "heads": 12,
        "kv_heads": ALL_HEADS,
        "head_dim": QUOTIENT,
        "ffn": FOUR_TIMES,
        "positions": 1024,
        "activation": "gelu_new",
        "eps": 1e-5,
        "tied": True,
    },
    attention=ALL_BIASED,
    norms=LAYER_NORM,
    ffn=PLAIN,
    embedding=Embedding(positions=True),
    rope=None,
)
GPT_BIGCODE = replace(
    GPT_2,
    model_type="gpt_bigcode",
    defaults={**GPT_2.defaults, "activation": "gelu_pytorch_tanh"},
    attention=replace(ALL_BIASED, kv_rule="bigcode"),
)
GPT_NEO = replace(
    GPT_2,
    model_type="gpt_neo",
    fields={
        **GPT_FIELDS,
        "hidden": ("hidden_size",),
        "layers": ("num_layers", "num_hidden_layers"),
        "heads": ("num_heads", "num_attention_heads"),
        "ffn": ("intermediate_size",),
        "positions": ("max_position_embeddings",),
    },
    defaults={**GPT_2.defaults, "hidden": 2048, "layers": 24, "heads": 16, "positions": 2048},
    attention=replace(ALL_BIASED, qkv_bias=False),
    block=Block(scale="none"),
)
GPT_J = replace(
    GPT_2,
    model_type="gptj",
    defaults={
        **GPT_2.defaults,
        "vocabulary": 50400,
        "hidden": 4096,
        "layers": 28,
        "heads": 16,
        "positions": 2048,
        "rotary_dim": 64,
        "tied": False,
    },
    attention=replace(ALL_BIASED, qkv_bias=False, output_bias=False),
    norms=replace(LAYER_NORM, layer=("input",)),
    embedding=Embedding(head_bias=True),
    rope=Rope(layout="interleaved", width="rotary_dim"),
    block=Block(parallel=True),
)
CODEGEN = replace(GPT_J, model_type="codegen")
GPT_NEOX = replace(
    GPT_2,
    model_type="gpt_neox",
    fields={
        **LLAMA_FIELDS,
        "eps": ("layer_norm_eps",),
        "theta": ("rotary_emb_base", "rope_theta"),
        "partial": ("rotary_pct", "partial_rotary_factor"),
    },
    defaults={
        **GPT_2.defaults,
        "vocabulary": 50432,
        "hidden": 6144,
        "layers": 44,
        "heads": 64,
        "ffn": 24576,
        "positions": 2048,
        "activation": "gelu",
        "tied": False,
    },
    attention=replace(
        ALL_BIASED,
        qkv_bias=Flag(("attention_bias",), True),
        output_bias=Flag(("attention_bias",), True),
    ),
    embedding=Embedding(),
    rope=Rope(partial=0.25, honoured=True),
    block=Block(parallel=Flag(("use_parallel_residual",), True)),
)
BIAS = Flag(("bias",), False)
FALCON = replace(
    GPT_2,
    model_type="falcon",
    also_called=("RefinedWeb", "RefinedWebModel"),
    fields={
        **LLAMA_FIELDS,
        "hidden": ("hidden_size", "n_embed"),
        "layers": ("num_hidden_layers", "n_layer"),
        "heads": ("num_attention_heads", "n_head"),
        "kv_heads": ("num_kv_heads", "n_head_kv"),
        "ffn": ("ffn_hidden_size",),
        "activation": ("activation",),
        "eps": ("layer_norm_epsilon",),
    },
    defaults={
        **GPT_2.defaults,
        "vocabulary": 65024,
        "hidden": 4544,
        "layers": 32,
        "heads": 71,
        "positions": 2048,
        "activation": "gelu",
    },
    attention=Attention(qkv_bias=BIAS, output_bias=BIAS, kv_rule="falcon", head_dim="quotient"),
    norms=replace(LAYER_NORM, rule="falcon"),
    ffn=FeedForward(gated=False, bias=BIAS),
    embedding=Embedding(),
    rope=Rope(unless="alibi"),
    block=Block(parallel=Flag(("parallel_attn",), True), alibi=Flag(("alibi",), False)),
)
BLOOM = replace(
    GPT_2,
    model_type="bloom",
    fields={
        **GPT_FIELDS,
        "hidden": ("hidden_size", "n_embed"),
        "ffn": (),
        "activation": (),
        "positions": ("seq_length",),
    },
    defaults={
        **GPT_2.defaults,
        "vocabulary": 250880,
        "hidden": 64,
        "layers": 2,
        "heads": 8,
        "positions": 2048,
        "activation": "gelu_pytorch_tanh",
    },
    norms=replace(LAYER_NORM, embedding=True),
    embedding=Embedding(),
    block=Block(alibi=True),
)
MPT = replace(
    GPT_2,
    model_type="mpt",
    fields={
        **LLAMA_FIELDS,
        "hidden": ("d_model", "hidden_size"),
        "layers": ("n_layers", "num_hidden_layers"),
        "heads": ("n_heads", "num_attention_heads"),
        "ffn": (),
        "positions": ("max_seq_len",),
        "activation": (),
        "eps": ("layer_norm_epsilon",),
    },
    defaults={
        **GPT_2.defaults,
        "vocabulary": 50368,
        "hidden": 2048,
        "layers": 24,
        "heads": 16,
        "positions": 2048,
        "activation": "gelu",
        "expansion_ratio": 4,
    },
    attention=Attention(kv_rule="all", head_dim="quotient"),
    norms=Norms(kind="layer"),
    ffn=FeedForward(gated=False),
    embedding=Embedding(),
    block=Block(alibi=True),
)
ENABLE_BIAS = Flag(("enable_bias",), True)
OPT = replace(
    GPT_2,
    model_type="opt",
    fields={
        **LLAMA_FIELDS,
        "ffn": ("ffn_dim",),
        "activation": ("activation_function",),
        "eps": (),
    },
    defaults={
        **GPT_2.defaults,
        "vocabulary": 50272,
        "ffn": 3072,
        "positions": 2048,
        "activation": "relu",
    },
    attention=replace(ALL_BIASED, qkv_bias=ENABLE_BIAS, output_bias=ENABLE_BIAS),
    norms=replace(
        LAYER_NORM, affine=Flag(("layer_norm_elementwise_affine",), True), final="opt", fixed_eps=1e-5
    ),
    ffn=FeedForward(gated=False, bias=ENABLE_BIAS),
    embedding=Embedding(positions=True, extra_rows=2, projected=True),
    block=Block(),
)

ROWS = (GPT_2, GPT_BIGCODE, GPT_NEO, GPT_J, CODEGEN, GPT_NEOX, FALCON, BLOOM, MPT, OPT)
