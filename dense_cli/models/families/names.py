"""What the tensors of a family are called in model code: a module for each piece, or for several stored as
one.
"""

from __future__ import annotations

from collections.abc import Mapping

from dense_cli.frozen import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Names:
    """`base` stands before everything but the head, `layer` before what every layer has; {i} is the layer's
    number.

    `modules`: part and piece → module. Pieces that are stored as one tensor are joined by a plus, in their
    order. `in_out`: parts whose matrices are stored [in, out].
    """

    modules: Mapping[str, str]
    base: str = "model."
    layer: str = "layers.{i}."
    in_out: frozenset[str] = field(default_factory=frozenset)


EXPERTS = {
    "moe.router": "mlp.gate",
    "moe.experts.gate+experts.up": "mlp.experts.gate_up_proj",
    "moe.experts.down": "mlp.experts.down_proj",
}
LLAMA = Names(
    {
        "embedding.token": "embed_tokens",
        "attention.q": "self_attn.q_proj",
        "attention.k": "self_attn.k_proj",
        "attention.v": "self_attn.v_proj",
        "attention.o": "self_attn.o_proj",
        "norms.q": "self_attn.q_norm",
        "norms.k": "self_attn.k_norm",
        "ffn.gate": "mlp.gate_proj",
        "ffn.up": "mlp.up_proj",
        "ffn.down": "mlp.down_proj",
        "norms.input": "input_layernorm",
        "norms.post_attention": "post_attention_layernorm",
        "norms.pre_feedforward": "pre_feedforward_layernorm",
        "norms.post_feedforward": "post_feedforward_layernorm",
        "norms.final": "norm",
        "lm_head.head": "lm_head",
    }
)


def _pieces(key: str) -> set[str]:
    """Part and piece of each that a name joins."""
    part, joined = key.split(".", 1)
    return {f"{part}.{piece}" for piece in joined.split("+")}


def _with(names: Names, modules: Mapping[str, str]) -> Names:
    """The same names but for these; a fused name replaces those it joins, and the other way round."""
    named = set().union(*(_pieces(key) for key in modules))
    kept = {key: value for key, value in names.modules.items() if not _pieces(key) & named}
    return replace(names, modules={**kept, **modules})


FUSED_QKV = "attention.q+k+v"
MIXTURE = _with(LLAMA, EXPERTS)
LATENT = _with(
    LLAMA,
    {
        "attention.q_a": "self_attn.q_a_proj",
        "norms.q_a": "self_attn.q_a_layernorm",
        "attention.q_b": "self_attn.q_b_proj",
        "attention.kv_a": "self_attn.kv_a_proj_with_mqa",
        "norms.kv_a": "self_attn.kv_a_layernorm",
        "attention.kv_b": "self_attn.kv_b_proj",
    },
)
DEEPSEEK = _with(
    LATENT,
    {
        **EXPERTS,
        "moe.shared.gate": "mlp.shared_experts.gate_proj",
        "moe.shared.up": "mlp.shared_experts.up_proj",
        "moe.shared.down": "mlp.shared_experts.down_proj",
    },
)
GPT_2 = Names(
    {
        "embedding.token": "wte",
        "embedding.position": "wpe",
        FUSED_QKV: "attn.c_attn",
        "attention.o": "attn.c_proj",
        "ffn.up": "mlp.c_fc",
        "ffn.down": "mlp.c_proj",
        "norms.input": "ln_1",
        "norms.post_attention": "ln_2",
        "norms.final": "ln_f",
        "lm_head.head": "lm_head",
    },
    base="transformer.",
    layer="h.{i}.",
)
GPT_J = _with(
    GPT_2,
    {
        "attention.q": "attn.q_proj",
        "attention.k": "attn.k_proj",
        "attention.v": "attn.v_proj",
        "attention.o": "attn.out_proj",
        "ffn.up": "mlp.fc_in",
        "ffn.down": "mlp.fc_out",
    },
)
BLOOM = _with(
    GPT_2,
    {
        "embedding.token": "word_embeddings",
        "norms.embedding": "word_embeddings_layernorm",
        FUSED_QKV: "self_attention.query_key_value",
        "attention.o": "self_attention.dense",
        "ffn.up": "mlp.dense_h_to_4h",
        "ffn.down": "mlp.dense_4h_to_h",
        "norms.input": "input_layernorm",
        "norms.post_attention": "post_attention_layernorm",
    },
)
PERSIMMON = _with(
    LLAMA,
    {
        FUSED_QKV: "self_attn.query_key_value",
        "attention.o": "self_attn.dense",
        "norms.q": "self_attn.q_layernorm",
        "norms.k": "self_attn.k_layernorm",
        "ffn.up": "mlp.dense_h_to_4h",
        "ffn.down": "mlp.dense_4h_to_h",
        "norms.final": "final_layernorm",
    },
)

NAMES: Mapping[str, Names] = {
    "apertus": _with(
        LLAMA,
        {
            "ffn.activation": "mlp.act_fn",
            "norms.attention": "attention_layernorm",
            "norms.feedforward": "feedforward_layernorm",
        },
    ),
    "bloom": BLOOM,
    "codegen": _with(
        GPT_2,
        {
            FUSED_QKV: "attn.qkv_proj",
            "attention.o": "attn.out_proj",
            "ffn.up": "mlp.fc_in",
            "ffn.down": "mlp.fc_out",
        },
    ),
    "deepseek_v2": DEEPSEEK,
    "deepseek_v3": DEEPSEEK,
    "falcon": _with(BLOOM, {"norms.attention": "ln_attn", "norms.mlp": "ln_mlp"}),
    "glm": _with(LLAMA, {"ffn.gate+up": "mlp.gate_up_proj"}),
    "glm4": _with(
        LLAMA,
        {
            "ffn.gate+up": "mlp.gate_up_proj",
            "norms.post_self_attn": "post_self_attn_layernorm",
            "norms.post_mlp": "post_mlp_layernorm",
        },
    ),
    "gpt2": replace(GPT_2, in_out=frozenset({"attention", "ffn"})),
    "gpt_bigcode": GPT_2,
    "gpt_neo": _with(
        GPT_2,
        {
            "attention.q": "attn.attention.q_proj",
            "attention.k": "attn.attention.k_proj",
            "attention.v": "attn.attention.v_proj",
            "attention.o": "attn.attention.out_proj",
        },
    ),
    "gpt_neox": replace(
        _with(
            BLOOM,
            {
                "embedding.token": "embed_in",
                FUSED_QKV: "attention.query_key_value",
                "attention.o": "attention.dense",
                "norms.final": "final_layer_norm",
            },
        ),
        base="gpt_neox.",
        layer="layers.{i}.",
    ),
    "gpt_oss": replace(
        _with(MIXTURE, {"attention.sinks": "self_attn.sinks", "moe.router": "mlp.router"}),
        in_out=frozenset({"moe.experts"}),
    ),
    "gptj": GPT_J,
    "granitemoe": _with(
        LLAMA,
        {
            "moe.router": "block_sparse_moe.router",
            "moe.experts.gate+experts.up": "block_sparse_moe.experts.gate_up_proj",
            "moe.experts.down": "block_sparse_moe.experts.down_proj",
        },
    ),
    "minicpm3": LATENT,
    "mixtral": MIXTURE,
    "mpt": replace(
        _with(
            GPT_2,
            {
                FUSED_QKV: "attn.Wqkv",
                "attention.o": "attn.out_proj",
                "ffn.up": "ffn.up_proj",
                "ffn.down": "ffn.down_proj",
                "norms.input": "norm_1",
                "norms.post_attention": "norm_2",
                "norms.final": "norm_f",
            },
        ),
        layer="blocks.{i}.",
    ),
    "olmoe": MIXTURE,
    "opt": replace(
        _with(
            LLAMA,
            {
                "embedding.position": "embed_positions",
                "embedding.project_in": "project_in",
                "embedding.project_out": "project_out",
                "attention.o": "self_attn.out_proj",
                "ffn.up": "fc1",
                "ffn.down": "fc2",
                "norms.input": "self_attn_layer_norm",
                "norms.post_attention": "final_layer_norm",
                "norms.final": "final_layer_norm",
            },
        ),
        base="model.decoder.",
    ),
    "persimmon": PERSIMMON,
    "phi": _with(
        PERSIMMON,
        {
            "attention.q": "self_attn.q_proj",
            "attention.k": "self_attn.k_proj",
            "attention.v": "self_attn.v_proj",
            "ffn.up": "mlp.fc1",
            "ffn.down": "mlp.fc2",
        },
    ),
    "phi3": _with(LLAMA, {FUSED_QKV: "self_attn.qkv_proj", "ffn.gate+up": "mlp.gate_up_proj"}),
    "phimoe": _with(MIXTURE, {"moe.router": "mlp.router"}),
    "qwen2_moe": _with(
        MIXTURE,
        {
            "moe.shared.gate": "mlp.shared_expert.gate_proj",
            "moe.shared.up": "mlp.shared_expert.up_proj",
            "moe.shared.down": "mlp.shared_expert.down_proj",
            "moe.shared_gate": "mlp.shared_expert_gate",
        },
    ),
    "qwen3_moe": MIXTURE,
    "stablelm": _with(
        LLAMA, {"norms.q": "self_attn.q_layernorm.norms", "norms.k": "self_attn.k_layernorm.norms"}
    ),
    "starcoder2": _with(LLAMA, {"ffn.up": "mlp.c_fc", "ffn.down": "mlp.c_proj"}),
}
"""By model_type; all others are named as Llama's."""


def names_of(model_type: str) -> Names:
    """What the tensors of a family are called."""
    return NAMES.get(model_type, LLAMA)
