"""One layer of a config: what it turns by, how far it sees, and which blocks are refused by name."""

import json
from fractions import Fraction

import pytest

from dense_cli.core.angles import Rate
from dense_cli.errors import DenseError, DenseErrors
from dense_cli.lang import LANGUAGES, topic_texts
from dense_cli.models.block_layer import block_shape, layer_settings
from dense_cli.models.config import read_config
from dense_cli.models.families import FAMILIES

SMALL = {
    "hidden_size": 16,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 4,
    "intermediate_size": 24,
    "num_hidden_layers": 8,
    "vocab_size": 16,
}
LIKE_THE_FIGURE = {
    *("llama", "mistral", "ministral3", "qwen2", "qwen3", "seed_oss", "smollm3", "helium"),
    *("internlm3", "ernie4_5", "phi3", "glm", "gemma", "chapter"),
}
NEEDED = {
    "moe": {"num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 8}
}


def config(model_type="llama", **fields):
    return read_config(json.dumps({"model_type": model_type, **SMALL, **fields}))


def settings(model_type="llama", layer=0, length=5, layout=None, **fields):
    found = config(model_type, **fields)
    return layer_settings(found, block_shape(found), layer, length, layout)


def refusals(call):
    with pytest.raises(DenseError) as caught:
        call()
    return caught.value.errors if isinstance(caught.value, DenseErrors) else [caught.value]


# --- which blocks


@pytest.mark.parametrize("model_type", sorted(FAMILIES))
def test_each_family_is_supported_or_refused_by_name(model_type):
    """With the family's own defaults; a refusal has words in every language."""
    row = FAMILIES[model_type]
    if not row.counted:
        assert [error.key for error in refusals(lambda: block_shape(config(model_type)))]
        return
    defaults = read_config("{}", as_family=model_type)
    if model_type == "chapter":
        return
    try:
        block_shape(defaults)
    except DenseError as error:
        assert model_type not in LIKE_THE_FIGURE
        errors = error.errors if isinstance(error, DenseErrors) else [error]
        assert all(one.key.startswith(("block-", "config-")) for one in errors), errors
        for one in errors:
            for language in LANGUAGES:
                assert f"{one.key}.message" in topic_texts(language, "errors"), one.key
                assert f"{one.hint}.hint" in topic_texts(language, "errors"), one.hint
    else:
        assert model_type in LIKE_THE_FIGURE


@pytest.mark.parametrize(
    ("model_type", "keys"),
    [
        ("olmo", {"block-layer-norm"}),
        ("olmo2", {"block-post-norms"}),
        ("glm4", {"block-sandwich-norms"}),
        ("arcee", {"block-plain-ffn"}),
        ("cohere", {"block-layer-norm", "block-parallel-residual"}),
        ("gemma2", {"block-sandwich-norms", "block-soft-cap", "block-attention-scale"}),
        ("starcoder2", {"block-layer-norm", "block-plain-ffn"}),
    ],
)
def test_all_departures_are_told_at_once(model_type, keys):
    found = {error.key for error in refusals(lambda: block_shape(config(model_type)))}
    assert found == keys


def test_multipliers_of_one_are_none():
    plain = {"residual_multiplier": 1.0, "attention_multiplier": 0.5}
    assert block_shape(config("granite", **plain)).hidden == 16
    found = refusals(lambda: block_shape(config("granite", **{**plain, "residual_multiplier": 0.22})))
    assert [error.key for error in found] == ["block-multipliers"]


def test_a_post_norm_block_of_the_chapter_s_fields_is_refused():
    text = '{"hidden_size": 12, "query_heads": 3, "ffn_hidden_size": 32, "pre_norm": false, "bias": false}'
    found = refusals(lambda: block_shape(read_config(text)))
    assert [(error.key, error.facts["field"]) for error in found] == [("block-post-norms", "pre_norm")]


def test_a_model_without_layers_has_no_block():
    assert refusals(lambda: block_shape(config(num_hidden_layers=0)))[0].key == "block-no-layers"


# --- what turns


def test_plain_rates_are_exact_powers():
    found = settings(rope_theta=500000.0)
    powers = (Rate.power(Fraction(500000), 0), Rate.power(Fraction(500000), Fraction(-1, 2)))
    assert tuple(found.rates) == powers
    assert (found.layout, found.rotary_dim, found.attention_factor) == ("half", 4, 1.0)


def test_scaled_rates_are_the_config_s():
    found = settings(rope_scaling={"rope_type": "linear", "factor": 4.0})
    assert [rate.theta for rate in found.rates] == [0.25, 0.0025]


def test_the_layout_typed_beats_the_family_s():
    assert settings("helium", num_key_value_heads=4).layout == "interleaved"
    assert settings("helium", num_key_value_heads=4, layout="half").layout == "half"


def test_norms_are_the_family_s():
    found = settings("gemma", rms_norm_eps=1e-5)
    assert (found.eps, found.unit_offset) == (1e-5, True)


def test_some_layers_of_smollm3_turn_nothing():
    """Every fourth by default; a list says 1 where a layer turns; an interval counts otherwise."""
    turning = [settings("smollm3", layer).rates is not None for layer in range(8)]
    assert turning == [True, True, True, False] * 2
    listed = [settings("smollm3", layer, no_rope_layers=[0, 1, 1, 1, 1, 1, 1, 1]).rates for layer in range(2)]
    assert listed[0] is None
    assert listed[1] is not None
    assert settings("smollm3", 1, no_rope_layer_interval=2).rates is None


# --- how far a layer sees


@pytest.mark.parametrize(
    ("model_type", "layer", "fields", "window"),
    [
        ("llama", 0, {}, None),
        ("mistral", 0, {}, 4096),
        ("mistral", 0, {"sliding_window": None}, None),
        ("mistral", 0, {"sliding_window": 3}, 3),
        ("phi3", 0, {"sliding_window": 2047}, 2047),
        ("qwen2", 0, {"sliding_window": 3}, None),
        ("qwen2", 0, {"sliding_window": 3, "use_sliding_window": False}, None),
        ("qwen2", 1, {"sliding_window": 3, "use_sliding_window": True, "max_window_layers": 2}, None),
        ("qwen2", 2, {"sliding_window": 3, "use_sliding_window": True, "max_window_layers": 2}, 3),
        ("qwen3", 0, {"sliding_window": 3, "layer_types": ["sliding_attention"] * 8}, 3),
        ("qwen3", 0, {"sliding_window": 3, "layer_types": ["full_attention"] * 8}, None),
    ],
)
def test_window(model_type, layer, fields, window):
    assert settings(model_type, layer, **fields).window == window


def test_a_window_is_told_only_where_it_is_felt():
    def told(length):
        found = settings("mistral", length=length, sliding_window=4).assumed
        return ("block-window", {"window": 4}) in found

    assert told(5)
    assert not told(4)


# --- refusals


@pytest.mark.parametrize(
    ("layer", "fields", "key"),
    [
        (8, {}, "block-layer-range"),
        (-1, {}, "block-layer-range"),
        (1, {"layer_types": ["full_attention"]}, "block-layer-types"),
        (0, {"layer_types": [3] * 8}, "config-foreign-layers"),
        (0, {"layer_types": ["chunked_attention"] * 8}, "block-chunked"),
        (0, {"sliding_window": "4"}, "config-not-whole"),
        (0, {"sliding_window": 0}, "config-too-small"),
        (0, {"sliding_window": True}, "config-not-whole"),
    ],
)
def test_refusals(layer, fields, key):
    assert refusals(lambda: settings(layer=layer, **fields))[0].key == key


@pytest.mark.parametrize("listed", [[], [1], "1", [1, 2], [1, None], {"0": 1}])
def test_a_broken_list_of_layers_is_refused(listed):
    found = refusals(lambda: settings("smollm3", layer=1, no_rope_layers=listed))
    assert found[0].key == "block-layer-list"
