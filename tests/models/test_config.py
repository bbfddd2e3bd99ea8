"""What is read, what is refused and how, and what a config leaves to its family."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.errors import DenseError, DenseErrors
from dense_cli.models.block_settings import block_settings
from dense_cli.models.config import config_of, read_config
from dense_cli.models.counting import count
from dense_cli.models.families import FAMILIES
from dense_cli.models.norm_settings import norm_settings
from dense_cli.models.rope_settings import rope_settings
from dense_cli.models.shape import model_shape

CHAPTER = (
    '{"hidden_size": 12, "query_heads": 3, "head_dim": 4, "pre_norm": true, "bias": false,'
    ' "ffn_hidden_size": 32, "rope_theta": 10000, "max_sequence_slots": 2048}'
)
SOUND: dict[str, object] = {
    "model_type": "llama",
    "hidden_size": 12,
    "num_attention_heads": 3,
    "num_key_value_heads": 3,
    "head_dim": 4,
    "intermediate_size": 32,
    "num_hidden_layers": 1,
    "vocab_size": 16,
    "rope_theta": 10000.0,
}


def keys(caught: pytest.ExceptionInfo[DenseError]) -> set[str]:
    """The keys of one refusal or several."""
    error = caught.value
    return {one.key for one in error.errors} if isinstance(error, DenseErrors) else {error.key}


@pytest.mark.parametrize(
    "data",
    [
        CHAPTER.encode(),
        codecs.BOM_UTF8 + CHAPTER.encode(),
        CHAPTER.encode("utf-16"),
        CHAPTER.encode("utf-16-be"),
    ],
    ids=["utf-8", "utf-8 with mark", "utf-16", "utf-16-be"],
)
def test_a_file_is_read_in_any_encoding_of_json(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(data)
    for source in (str(path), str(tmp_path)):
        config = read_config(source)
        assert (config.name, count(config).total) == (source, 1752)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("{", "config-not-json"),
        ('{"hidden_size": 12,}', "config-not-json"),
        ('{"hidden_size": 12, "hidden_size": 13, "query_heads": 3}', "config-duplicate-key"),
        ('{"eps": NaN}', "config-not-finite"),
        ('{"eps": -Infinity}', "config-not-finite"),
        ('{"eps": 1e999}', "config-not-finite"),
        ('{"hidden_size": ' + "9" * 40 + "}", "config-huge-number"),
        ('{"a": ' + "[" * 2000 + "]" * 2000 + "}", "config-too-deep"),
        ('{"a": ' + "[" * 2000, "config-too-deep"),
        ('{"hidden_size": 12}', "config-no-model-type"),
        ('{"model_type": "lama"}', "config-unknown-model-type"),
        ('{"model_type": 3}', "config-wrong-type"),
        ('{"model_type": null}', "config-no-model-type"),
    ],
)
def test_unusable_json_is_refused(text: str, key: str) -> None:
    with pytest.raises(DenseError) as caught:
        read_config(text)
    assert caught.value.key == key


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"", "config-not-json"),
        (b"[1, 2]", "config-not-an-object"),
        (b"3", "config-not-an-object"),
        (b"\xff\xfe\xff", "config-encoding"),
        (b"\x80\x02}q\x00.", "config-encoding"),
        (b'{"a": "' + b"x" * (9 * 2**20) + b'"}', "config-too-large"),
    ],
    ids=["empty", "list", "number", "half a character", "pickle", "too large"],
)
def test_unusable_files_are_refused(tmp_path: Path, data: bytes, key: str) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(data)
    with pytest.raises(DenseError) as caught:
        read_config(str(path))
    assert (caught.value.key, caught.value.facts["typed"]) == (key, str(path))


def test_paths_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    for source, key in [
        (str(tmp_path), "config-not-in-folder"),
        (str(tmp_path / "none.json"), "config-not-found"),
        ("bad\0path", "config-unreadable"),
        ("x" * 5000, "config-unreadable"),
        ("", "config-not-found"),
    ]:
        with pytest.raises(DenseError) as caught:
            read_config(source)
        assert caught.value.key == key


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        model_shape(read_config("{" + text))
    except DenseError as error:
        assert error.key.startswith("config-")  # noqa: PT017 - either outcome is right, no other exception


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**6) | st.floats(-1e6, 1e6) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FIELD_NAMES = sorted({name for row in FAMILIES.values() for names in row.fields.values() for name in names})
OTHER_NAMES = [
    "rope_scaling",
    "rope_parameters",
    "layer_types",
    "text_config",
    "mlp_only_layers",
    "torch_dtype",
]


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(sorted(FAMILIES)),
    st.dictionaries(st.sampled_from(FIELD_NAMES + OTHER_NAMES), json_values, max_size=5),
)
def test_any_field_of_any_family_is_used_or_refused(family: str, fields: dict[str, object]) -> None:
    config = config_of(fields, "m", as_family=family)
    for question in (count, rope_settings, norm_settings, block_settings):
        try:
            question(config)
        except DenseError as error:
            assert error.facts  # noqa: PT017 - either outcome is right, no other exception


def test_an_unknown_family_is_refused_with_the_nearest_and_may_be_read_as_one() -> None:
    with pytest.raises(DenseError) as caught:
        read_config('{"model_type": "lama"}')
    assert "llama" in caught.value.facts["nearest"]  # type: ignore[operator]
    config = read_config('{"model_type": "my_llama", "hidden_size": 12}', as_family="llama")
    assert ("config-read-as", {"typed": "my_llama", "family": "llama"}) in config.assumed
    with pytest.raises(DenseError, match="config-unknown-family"):
        read_config("{}", as_family="lama")


def test_everything_wrong_is_told_together() -> None:
    fields = {**SOUND, "hidden_size": "12", "num_key_value_heads": 2, "vocab_size": 16.5, "rope_theta": 0}
    with pytest.raises(DenseErrors) as caught:
        model_shape(config_of({**fields, "hidden_act": "sillu", "tie_word_embeddings": "no"}, "m"))
    assert keys(caught) == {
        "config-not-whole",
        "config-kv-heads-do-not-divide",
        "config-not-positive",
        "config-unknown-activation",
        "config-wrong-type",
    }
    assert len(caught.value.errors) == 6


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"hidden_size": 13, "head_dim": None}, "config-heads-do-not-divide"),
        ({"num_key_value_heads": 2}, "config-kv-heads-do-not-divide"),
        ({"num_key_value_heads": 6}, "config-more-kv-heads"),
        ({"hidden_size": 21, "head_dim": 7}, "rope-odd-head-dim"),
        ({"rope_theta": 0}, "config-not-positive"),
        ({"rope_theta": -3.5}, "config-not-positive"),
        ({"rope_theta": "10000"}, "config-not-a-number"),
        ({"rope_parameters": {"rope_theta": -1}}, "config-not-positive"),
        ({"rope_parameters": [1]}, "config-wrong-type"),
        ({"hidden_size": 12.5}, "config-not-whole"),
        ({"hidden_size": True}, "config-not-whole"),
        ({"num_attention_heads": 0}, "config-too-small"),
        ({"num_hidden_layers": -1}, "config-too-small"),
        ({"intermediate_size": [32, 48]}, "config-not-whole"),
        ({"hidden_act": "sillu"}, "config-unknown-activation"),
        ({"attention_bias": "yes"}, "config-wrong-type"),
        ({"num_local_experts": 8}, "config-foreign-experts"),
        ({"kv_lora_rank": 8}, "config-foreign-latent"),
        ({"layer_types": ["full_attention", "linear_attention"]}, "config-foreign-layers"),
        ({"mamba_d_state": 16}, "config-foreign-layers"),
        ({"is_encoder_decoder": True}, "config-foreign-encoder"),
    ],
)
def test_a_model_that_cannot_be_is_refused(changed: dict[str, object], key: str) -> None:
    assert count(config_of(SOUND, "m")).total == 2148
    with pytest.raises(DenseError) as caught:
        count(config_of({**SOUND, **changed}, "m"))
    assert keys(caught) == {key}
    assert caught.value.facts["typed"] == "m"


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"model_type": "helium", "head_dim": 64}, "config-heads-not-hidden"),
        ({"model_type": "mixtral", "num_experts_per_tok": 9}, "config-too-many-experts"),
        ({"model_type": "mixtral", "num_local_experts": 0}, "config-too-small"),
        ({"model_type": "deepseek_v2"}, "config-field-missing"),
        ({"model_type": "deepseek_v3", "moe_layer_freq": 2}, "config-foreign-experts"),
        ({"model_type": "qwen3_moe", "mlp_only_layers": ["0"]}, "config-wrong-type"),
        ({"model_type": "gemma4_text"}, "config-rope-only"),
        ({"query_heads": 3, "head_dim": 4}, "config-field-missing"),
    ],
)
def test_other_kinds_of_blocks_that_cannot_be(fields: dict[str, object], key: str) -> None:
    with pytest.raises(DenseError) as caught:
        count(config_of(fields, "m"))
    assert keys(caught) == {key}


def test_a_negative_epsilon_is_refused_and_zero_is_not() -> None:
    assert norm_settings(config_of({"model_type": "llama", "rms_norm_eps": 0}, "m")).eps == 0
    with pytest.raises(DenseError, match="config-negative"):
        norm_settings(config_of({"model_type": "llama", "rms_norm_eps": -1e-6}, "m"))


def test_one_expert_is_no_mixture_and_head_dim_is_free() -> None:
    assert count(config_of({**SOUND, "num_local_experts": 1, "q_lora_rank": None}, "m")).total == 2148
    assert model_shape(config_of({**SOUND, "head_dim": 6}, "m")).head_dim == 6


def test_two_names_of_one_size_must_agree() -> None:
    agreeing = {"model_type": "gpt2", "n_embd": 12, "hidden_size": 12, "n_head": 3}
    assert model_shape(config_of(agreeing, "m")).hidden == 12
    with pytest.raises(DenseError, match="config-two-names"):
        model_shape(config_of({**agreeing, "hidden_size": 24}, "m"))


def test_what_is_left_out_is_the_familys_and_said() -> None:
    shape = model_shape(config_of({"model_type": "gemma3_text", "hidden_size": 2560}, "m"))
    assert (shape.heads, shape.vocabulary, shape.tied) == (8, 262208, True)
    facts = {"field": "vocab_size", "value": 262208, "family": "gemma3_text"}
    assert ("config-default", facts) in shape.assumed
    given_null = model_shape(config_of({"model_type": "mistral", "num_key_value_heads": None}, "m"))
    assert given_null.kv_heads == given_null.heads == 32
    assert model_shape(config_of({"model_type": "mistral"}, "m")).kv_heads == 8


def test_a_text_part_is_found_and_said() -> None:
    inner = {"model_type": "llama", "hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 32}
    outer = {"model_type": "llava", "text_config": inner, "vision_config": {}, "torch_dtype": "float16"}
    counted = count(config_of(outer, "m"))
    assert counted.dtype == "float16"
    assert ("config-text-part", {"field": "text_config"}) in counted.assumed
    assert counted.total == count(config_of(inner, "m")).total
    gemma = {"model_type": "gemma3", "text_config": {"hidden_size": 2560, "num_hidden_layers": 34}}
    assert model_shape(config_of(gemma, "m")).family.model_type == "gemma3_text"


def test_a_question_asks_for_no_more_than_it_needs() -> None:
    norm = norm_settings(read_config('{"model_type": "llama", "hidden_size": 2, "rms_norm_eps": 1e-05}'))
    assert (norm.eps, norm.kind, norm.unit_offset, norm.hidden) == (1e-5, "rms", False, 2)
    broken_elsewhere = config_of({"model_type": "llama", "num_attention_heads": "x"}, "m")
    assert norm_settings(broken_elsewhere).eps == 1e-6
    assert norm_settings(read_config(CHAPTER)).eps == 1e-6


@pytest.mark.parametrize(
    ("family", "eps", "kind", "unit_offset", "cast"),
    [
        ("gemma2", 1e-6, "rms", True, "after-gain"),
        ("olmo", 1e-5, "layer", False, "before-gain"),
        ("olmo2", 1e-5, "rms", False, "after-gain"),
        ("glm4", 1.5625e-07, "rms", False, "before-gain"),
        ("nemotron", 1e-5, "layer", True, "after-gain"),
        ("helium", 1e-8, "rms", False, "after-gain"),
        ("opt", 1e-5, "layer", False, "before-gain"),
    ],
)
def test_norms_of_families(family: str, eps: float, kind: str, unit_offset: bool, cast: str) -> None:
    norm = norm_settings(config_of({"model_type": family}, "m"))
    assert (norm.eps, norm.kind, norm.unit_offset, norm.cast) == (eps, kind, unit_offset, cast)


@pytest.mark.parametrize(
    ("config", "departures"),
    [
        ({"model_type": "llama"}, set()),
        ({"model_type": "qwen3"}, set()),
        ({"model_type": "gemma"}, set()),
        ({"model_type": "gemma2"}, {"sandwich-norms", "soft-cap"}),
        ({"model_type": "gemma2", "query_pre_attn_scalar": 144, "attn_logit_softcapping": None},
         {"sandwich-norms", "attention-scale"}),
        ({"model_type": "granite"}, {"attention-scale"}),
        ({"model_type": "granite", "attention_multiplier": 128**-0.5, "residual_multiplier": 0.22},
         {"multipliers"}),
        ({"model_type": "olmo2"}, {"post-norms"}),
        ({"model_type": "cohere"}, {"layer-norm", "parallel-residual"}),
        ({"model_type": "gpt2"}, {"layer-norm", "learned-positions", "plain-ffn"}),
        ({"model_type": "gpt_oss"}, {"experts", "sinks", "clamped-ffn"}),
        ({"model_type": "deepseek_v3"}, {"experts", "latent-attention"}),
    ],
)  # fmt: skip
def test_how_a_block_departs_from_the_chapters(config: dict[str, object], departures: set[str]) -> None:
    assert {key for key, _ in block_settings(config_of(config, "m")).departures} == departures


def test_a_block_of_other_head_widths_departs_from_the_chapters_rule() -> None:
    fields = {**json.loads(CHAPTER), "head_dim": 6}
    facts = {"hidden": 12, "heads": 3, "head_dim": 6}
    assert ("config-departs", facts) in model_shape(config_of(fields, "m")).assumed
