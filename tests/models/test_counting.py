"""Counts are those of the model library, part by part, from either spelling, and their terms add up."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.errors import DenseError
from dense_cli.models.config import config_of, read_config
from dense_cli.models.counting import Count, count
from dense_cli.models.families import FAMILIES
from tests.models.reference import cases

PUBLISHED = cases("model_counts.json")
TINY = cases("tiny_model_counts.json")


def told(counted: Count, expected: dict[str, Any]) -> dict[str, Any]:
    """What a count says about everything that a case expects."""
    return {name: getattr(counted, name) for name in expected}


@pytest.mark.parametrize("spelling", ["older", "newer"])
@pytest.mark.parametrize("case", PUBLISHED, ids=lambda case: case["id"])
def test_published_models_are_counted_part_by_part(case: dict[str, Any], spelling: str) -> None:
    if spelling not in case:
        pytest.skip("the chapter's block has one spelling")
    counted = count(read_config(json.dumps(case[spelling])))
    assert told(counted, case["expected"]) == case["expected"]
    assert counted.active == case["expected"].get("active", counted.total)


def test_tiny_models_of_every_family_are_counted_part_by_part() -> None:
    wrong = {}
    for case in TINY:
        counted = told(count(config_of(case["config"], case["id"])), case["expected"])
        if counted != case["expected"]:
            wrong[case["id"]] = counted
    assert wrong == {}


def test_every_counted_family_has_an_outside_count() -> None:
    seen = {case["config"]["model_type"] for case in TINY}
    assert {name for name, row in FAMILIES.items() if row.counted} - seen == {"chapter"}


def llama(**fields: object) -> dict[str, object]:
    """A Llama config."""
    return {"model_type": "llama", "tie_word_embeddings": False, **fields}


@pytest.mark.parametrize(
    ("fields", "total"),
    [
        # totals from the closed form of the field, checked against published files
        (llama(hidden_size=4096, num_attention_heads=32, num_hidden_layers=32), 6738415616),
        (
            llama(
                hidden_size=8192,
                num_attention_heads=64,
                num_key_value_heads=8,
                num_hidden_layers=80,
                intermediate_size=28672,
            ),
            68976648192,
        ),
        (
            {
                "model_type": "qwen2",
                "hidden_size": 8192,
                "num_attention_heads": 64,
                "num_key_value_heads": 8,
                "num_hidden_layers": 80,
                "intermediate_size": 29568,
                "vocab_size": 152064,
            },
            72706203648,
        ),
        (
            {
                "model_type": "gemma",
                "hidden_size": 3072,
                "num_attention_heads": 16,
                "num_hidden_layers": 28,
                "intermediate_size": 24576,
            },
            8537680896,
        ),
        (
            {
                "model_type": "smollm3",
                "hidden_size": 2048,
                "num_attention_heads": 16,
                "num_key_value_heads": 4,
                "num_hidden_layers": 36,
                "intermediate_size": 11008,
                "vocab_size": 128256,
            },
            3075098624,
        ),
        (
            {
                "model_type": "glm",
                "hidden_size": 4096,
                "num_attention_heads": 32,
                "num_hidden_layers": 40,
                "intermediate_size": 13696,
                "vocab_size": 151552,
            },
            9399951360,
        ),
        (
            {
                "model_type": "olmo2",
                "hidden_size": 2048,
                "num_attention_heads": 16,
                "num_hidden_layers": 16,
                "intermediate_size": 8192,
                "vocab_size": 100352,
            },
            1484916736,
        ),
    ],
    ids=["llama-2-7b", "llama-2-70b", "qwen2.5-72b", "gemma-7b", "smollm3-3b", "glm-4-9b", "olmo-2-1b"],
)
def test_totals_that_others_publish(fields: dict[str, object], total: int) -> None:
    assert count(config_of(fields, "model")).total == total


def test_the_chapters_block() -> None:
    """Chapter 25.4: 12 wide, three heads of four, FFN 32: 4·12·12 + 3·12·32 + 2·12."""
    block = count(read_config('{"hidden_size": 12, "query_heads": 3, "head_dim": 4, "ffn_hidden_size": 32}'))
    assert (block.total, block.model_type, block.tied) == (1752, None, None)
    assert block.parts == {"embedding": 0, "attention": 576, "ffn": 1152, "moe": 0, "norms": 24, "lm_head": 0}
    assert block.non_embedding == 1752


def test_bytes_follow_the_dtype_asked_for_then_the_configs_then_bfloat16() -> None:
    fields = llama(hidden_size=12, num_attention_heads=3, num_hidden_layers=2, intermediate_size=32)
    plain = count(config_of(fields, "m"))
    assert plain.weight_bytes == 2 * plain.total
    assert ("config-dtype", {"dtype": "bfloat16"}) in plain.assumed
    said = count(config_of({**fields, "torch_dtype": "float32"}, "m"))
    assert (said.weight_bytes, said.dtype) == (4 * said.total, "float32")
    asked = count(config_of({**fields, "torch_dtype": "float32"}, "m"), dtype="float16")
    assert asked.weight_bytes == 2 * asked.total
    # 2 · 2 layers · 3 heads · 4 · 2 bytes
    assert plain.kv_cache_bytes_per_token == 96
    with pytest.raises(DenseError, match="unknown-dtype"):
        count(config_of(fields, "m"), dtype="float31")


def test_latent_attention_keeps_its_rank_and_the_turned_part() -> None:
    """DeepSeek-V2-Lite: 27 layers of 512 + 64 numbers in bfloat16."""
    case = next(case for case in PUBLISHED if case["id"] == "deepseek-ai/DeepSeek-V2-Lite")
    assert count(config_of(case["older"], "m")).kv_cache_bytes_per_token == 27 * (512 + 64) * 2


def test_no_layers_are_allowed_and_cost_nothing() -> None:
    counted = count(
        config_of(llama(num_hidden_layers=0, vocab_size=7, hidden_size=32, num_attention_heads=4), "m")
    )
    assert counted.total == 7 * 32 * 2 + 32


@settings(max_examples=40, deadline=None)
@given(
    family=st.sampled_from([name for name, row in FAMILIES.items() if row.counted and name != "chapter"]),
    layers=st.integers(0, 10**12),
    heads=st.integers(1, 6),
)
def test_parts_and_terms_add_up_for_any_number_of_layers(family: str, layers: int, heads: int) -> None:
    row = FAMILIES[family]
    sizes = {"layers": layers, "heads": heads, "hidden": heads * 8, "kv_heads": 1, "head_dim": 8, "turned": 8}
    fields = {name: sizes[idea] for idea, names in row.fields.items() if idea in sizes for name in names[:1]}
    counted = count(
        config_of({"model_type": family, "rotary_dim": 8, "num_experts_per_tok": 1, **fields}, "m")
    )
    assert sum(counted.parts.values()) == counted.total
    for part, number in counted.parts.items():
        assert sum(term.product for term in counted.terms if term.part == part) == number
    assert 0 <= counted.active <= counted.total
    assert sum(term.product for term in counted.terms if term.role == "bias") == counted.biases


@pytest.mark.parametrize("layers", [0, 1, 2, 3, 7, 10**30])
def test_layers_with_experts_are_counted_for_any_number_of_layers(layers: int) -> None:
    """Every third layer of a Qwen2-MoE has experts; the two before it are as in a dense one."""

    def total(**fields: object) -> int:
        small = {
            "model_type": "qwen2_moe",
            "hidden_size": 16,
            "num_attention_heads": 2,
            "vocab_size": 5,
            "num_key_value_heads": 2,
        }
        kind = {"model_type": "qwen2_moe", "decoder_sparse_step": 3}
        return count(config_of({**kind, **small, **fields}, "m")).total

    none, one, three = (total(num_hidden_layers=number) for number in (0, 1, 3))
    dense, sparse = one - none, three - one - (one - none)
    expected = none + (layers - layers // 3) * dense + layers // 3 * sparse
    assert sparse != dense
    assert total(num_hidden_layers=layers) == expected


@settings(max_examples=30, deadline=None)
@given(layers=st.integers(0, 50), more=st.integers(1, 50))
def test_every_layer_costs_the_same(layers: int, more: int) -> None:
    def total(number: int) -> int:
        return count(
            config_of(llama(hidden_size=24, num_attention_heads=4, num_hidden_layers=number), "m")
        ).total

    assert total(layers + more) - total(layers) == more * (total(1) - total(0))
