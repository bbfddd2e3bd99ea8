"""Pre-norm families with RMSNorm and a gated FFN: Llama and those that change little."""

from __future__ import annotations

from dense_cli.frozen import replace
from dense_cli.models.family import (
    ATTENTION_BIAS,
    MLP_BIAS,
    USE_BIAS,
    Attention,
    Block,
    Derived,
    Family,
    FeedForward,
    Flag,
    Norms,
    QueryKeyNorm,
    Rope,
)

ALL_HEADS = Derived("heads")
QUOTIENT = Derived("hidden", over="heads")

LLAMA = Family(
    model_type="llama",
    defaults={
        "vocabulary": 32000,
        "hidden": 4096,
        "layers": 32,
        "heads": 32,
        "kv_heads": ALL_HEADS,
        "head_dim": QUOTIENT,
        "ffn": 11008,
        "positions": 2048,
        "activation": "silu",
        "eps": 1e-6,
        "tied": False,
    },
    attention=Attention(qkv_bias=ATTENTION_BIAS, output_bias=ATTENTION_BIAS),
    ffn=FeedForward(bias=MLP_BIAS),
)
NO_BIAS = replace(LLAMA, attention=Attention(), ffn=FeedForward())

MISTRAL = replace(
    NO_BIAS,
    model_type="mistral",
    defaults={**LLAMA.defaults, "kv_heads": 8, "ffn": 14336, "positions": 131072},
)
MINISTRAL_3 = replace(
    NO_BIAS,
    model_type="ministral3",
    defaults={
        **LLAMA.defaults,
        "vocabulary": 131072,
        "layers": 34,
        "kv_heads": 8,
        "head_dim": 128,
        "ffn": 14336,
        "positions": 262144,
        "eps": 1e-5,
    },
    rope=Rope(
        default={
            "rope_type": "yarn",
            "rope_theta": 1e6,
            "factor": 16.0,
            "original_max_position_embeddings": 16384,
            "beta_fast": 32.0,
            "beta_slow": 1.0,
            "mscale_all_dim": 1.0,
            "mscale": 1.0,
        }
    ),
)
QWEN_2 = replace(
    NO_BIAS,
    model_type="qwen2",
    defaults={**LLAMA.defaults, "vocabulary": 151936, "kv_heads": 32, "ffn": 22016, "positions": 32768},
    attention=Attention(qkv_bias=True),
)
QWEN_3 = replace(
    QWEN_2,
    model_type="qwen3",
    defaults={**QWEN_2.defaults, "head_dim": 128},
    attention=Attention(
        qkv_bias=ATTENTION_BIAS, output_bias=ATTENTION_BIAS, query_key_norm=QueryKeyNorm("head")
    ),
)
SEED_OSS = replace(
    LLAMA,
    model_type="seed_oss",
    defaults={
        **LLAMA.defaults,
        "vocabulary": 155136,
        "layers": 64,
        "heads": 80,
        "kv_heads": 8,
        "head_dim": 128,
        "ffn": 27648,
        "positions": 524288,
    },
    attention=Attention(
        qkv_bias=Flag(("attention_bias",), True), output_bias=Flag(("attention_out_bias",), False)
    ),
)
SMOLLM_3 = replace(
    LLAMA,
    model_type="smollm3",
    defaults={
        **LLAMA.defaults,
        "vocabulary": 128256,
        "hidden": 2048,
        "layers": 36,
        "heads": 16,
        "kv_heads": 4,
        "positions": 32768,
        "tied": True,
    },
    rope=Rope(theta=2e6, unless="no_rope_layers"),
)
GRANITE = replace(
    LLAMA,
    model_type="granite",
    block=Block(
        scale="field",
        scale_field="attention_multiplier",
        multipliers=("embedding_multiplier", "residual_multiplier", "logits_scaling"),
    ),
)
HELIUM = replace(
    LLAMA,
    model_type="helium",
    defaults={
        **LLAMA.defaults,
        "vocabulary": 48000,
        "hidden": 2560,
        "layers": 24,
        "heads": 20,
        "kv_heads": 20,
        "head_dim": 128,
        "ffn": 7040,
        "positions": 4096,
        "eps": 1e-8,
    },
    attention=Attention(qkv_bias=ATTENTION_BIAS, out_of="hidden"),
    norms=Norms(cast="after-gain"),
    rope=Rope(layout="interleaved", theta=1e5),
)
INTERNLM_3 = replace(
    LLAMA,
    model_type="internlm3",
    defaults={
        **LLAMA.defaults,
        "vocabulary": 128512,
        "layers": 48,
        "kv_heads": 2,
        "head_dim": 128,
        "ffn": 10240,
        "positions": 32768,
        "eps": 1e-5,
    },
    attention=Attention(
        qkv_bias=Flag(("attention_bias", "qkv_bias"), False),
        output_bias=Flag(("mlp_bias", "bias"), False),
    ),
    ffn=FeedForward(bias=Flag(("mlp_bias", "bias"), False)),
)
ERNIE_4_5 = replace(
    LLAMA,
    model_type="ernie4_5",
    defaults={
        **LLAMA.defaults,
        "vocabulary": 103424,
        "hidden": 1024,
        "layers": 18,
        "heads": 16,
        "kv_heads": 2,
        "head_dim": 128,
        "ffn": 3072,
        "positions": 131072,
        "eps": 1e-5,
        "tied": True,
    },
    attention=Attention(qkv_bias=USE_BIAS, output_bias=USE_BIAS),
    ffn=FeedForward(bias=USE_BIAS),
    rope=Rope(layout="interleaved", theta=5e5),
)
PHI_3 = replace(
    NO_BIAS,
    model_type="phi3",
    defaults={
        **LLAMA.defaults,
        "vocabulary": 32064,
        "hidden": 3072,
        "ffn": 8192,
        "positions": 4096,
        "eps": 1e-5,
    },
    ffn=FeedForward(fused=True),
    rope=Rope(partial=1.0, honoured=True, renamed={"yarn": "longrope"}),
)
GLM = replace(
    NO_BIAS,
    model_type="glm",
    defaults={
        **LLAMA.defaults,
        "vocabulary": 151552,
        "layers": 40,
        "kv_heads": 2,
        "head_dim": 128,
        "ffn": 13696,
        "positions": 131072,
        "eps": 1.5625e-07,
    },
    attention=Attention(qkv_bias=Flag(("attention_bias",), True)),
    ffn=FeedForward(fused=True),
    rope=Rope(layout="interleaved", partial=0.5, honoured=True),
)
GLM_4 = replace(
    GLM,
    model_type="glm4",
    norms=Norms(layer=("input", "post_self_attn", "post_attention", "post_mlp")),
    block=Block(placement="sandwich"),
)
ARCEE = replace(
    LLAMA,
    model_type="arcee",
    defaults={
        **LLAMA.defaults,
        "hidden": 2560,
        "ffn": 18432,
        "positions": 4096,
        "eps": 1e-5,
        "activation": "relu2",
    },
    ffn=FeedForward(gated=False, bias=MLP_BIAS),
)
APERTUS = replace(
    LLAMA,
    model_type="apertus",
    defaults={
        **LLAMA.defaults,
        "vocabulary": 131072,
        "ffn": 14336,
        "positions": 65536,
        "eps": 1e-5,
        "activation": "xielu",
    },
    attention=Attention(
        qkv_bias=ATTENTION_BIAS, output_bias=ATTENTION_BIAS, query_key_norm=QueryKeyNorm("head")
    ),
    norms=Norms(layer=("attention", "feedforward")),
    ffn=FeedForward(gated=False, scalars={"xielu": 2}),
    rope=Rope(
        theta=1.2e7,
        default={
            "rope_type": "llama3",
            "rope_theta": 1.2e7,
            "factor": 8.0,
            "original_max_position_embeddings": 8192,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
        },
    ),
)
ROWS = (
    LLAMA,
    MISTRAL,
    MINISTRAL_3,
    QWEN_2,
    QWEN_3,
    SEED_OSS,
    SMOLLM_3,
    GRANITE,
    HELIUM,
    INTERNLM_3,
    ERNIE_4_5,
    PHI_3,
    GLM,
    GLM_4,
    ARCEE,
    APERTUS,
)
