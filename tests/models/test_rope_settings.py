"""Frequencies are those of the model library for every type and family, from either spelling."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.errors import DenseError
from dense_cli.models import rope_scaling as scaling
from dense_cli.models.config import config_of, read_config
from dense_cli.models.rope_settings import RopeSettings, rope_settings
from tests.models.reference import cases

REFERENCE = cases("rope_frequencies.json")
FAMILIES = cases("family_frequencies.json")
SPELLINGS = ["rope_scaling", "rope_parameters"]


def resolved(
    fields: dict[str, Any], layer_type: str | None = None, length: int | None = None
) -> RopeSettings:
    """The settings of fields."""
    return rope_settings(config_of(fields, "m"), layer_type, length)


def llama(**fields: object) -> dict[str, Any]:
    """A Llama with heads of 64."""
    return {"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, **fields}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    "case", [case for case in REFERENCE if "derived" in case], ids=lambda case: case["id"]
)
def test_every_type_in_both_spellings(case: dict[str, Any], spelling: str) -> None:
    found = resolved(case["configs"][spelling], case.get("layer_type"), case.get("seq_len"))
    expected, derived = case["expected"], case["derived"]
    assert found.theta == pytest.approx(expected["inv_freq"], rel=1e-12, abs=0)
    assert found.attention_factor == pytest.approx(expected["attention_scaling"], rel=1e-14)
    assert (found.rope_type, found.head_dim, found.base) == (
        derived["rope_type"],
        derived["head_dim"],
        derived["base"],
    )
    assert found.rotary_dim == derived["rotary_dim"]
    for name in {"factors_used", "truncate"} & derived.keys():
        assert found.parameters[name] == derived[name]
    if "effective_base" in derived:
        assert found.parameters["effective_base"] == pytest.approx(derived["effective_base"], rel=1e-12)
    if derived["rope_type"] == "yarn":
        assert (found.parameters["low"], found.parameters["high"]) == pytest.approx(
            (derived["low"], derived["high"]), rel=1e-12
        )


@pytest.mark.parametrize(
    "case", [case for case in REFERENCE if "expected_error" in case], ids=lambda case: case["id"]
)
def test_what_the_library_refuses_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(DenseError):
        resolved(case["configs"]["rope_scaling"], None, case.get("seq_len"))


def test_a_length_decides_for_types_that_depend_on_it() -> None:
    """LongRoPE picks its list afresh for each length, so every call of the sequence is compared."""
    case = next(case for case in REFERENCE if case["id"] == "stateful-longrope-32")
    for step in case["steps"]:
        found = resolved(case["configs"]["rope_scaling"], None, step["seq_len"])
        assert found.theta == pytest.approx(step["inv_freq"], rel=1e-6)
        assert found.attention_factor == pytest.approx(step["attention_scaling"], rel=1e-12)


@pytest.mark.parametrize("case", FAMILIES, ids=lambda case: case["id"])
def test_every_family_turns_as_the_library_builds_it(case: dict[str, Any]) -> None:
    for layer_type, expected in case["expected"].items():
        found = resolved(case["config"], layer_type or None)
        assert found.theta == pytest.approx(expected["inv_freq"], rel=2e-6, abs=0)
        assert found.attention_factor == pytest.approx(expected["attention_scaling"], rel=1e-6)


INTERLEAVED = {"glm", "glm4", "cohere", "cohere2", "gptj", "codegen", "helium", "ernie4_5"}


def test_layouts() -> None:
    turning = {case["config"]["model_type"] for case in FAMILIES} | {"gptj", "codegen", "cohere2"}
    for family in turning:
        kind = "full_attention" if family in ("gemma3_text", "gemma4_text", "olmo3") else None
        found = resolved({"model_type": family}, kind)
        latent = family in ("deepseek_v2", "deepseek_v3")
        assert found.layout == ("interleaved" if family in INTERLEAVED or latent else "half"), family
        assert found.writes == ("half" if family == "deepseek_v3" else found.layout), family


def test_the_chapters_config_turns_neighbours() -> None:
    text = '{"hidden_size": 12, "query_heads": 3, "head_dim": 4, "ffn_hidden_size": 32, "rope_theta": 10000}'
    found = rope_settings(read_config(text))
    assert (found.layout, found.theta, found.rotary_dim) == ("interleaved", (1.0, 0.01), 4)


def test_a_fixed_rotary_width() -> None:
    found = resolved({"model_type": "gptj"})
    assert (found.head_dim, found.rotary_dim, found.theta[1]) == (256, 64, 10000 ** (-2 / 64))


def test_an_odd_partial_width_turns_one_coordinate_more_over_the_odd_width() -> None:
    fields = {"model_type": "gpt_neox", "hidden_size": 80, "num_attention_heads": 4, "rotary_pct": 0.25}
    found = resolved(fields)
    assert (found.exponent_width, found.rotary_dim) == (5, 6)
    assert [str(exponent) for exponent in found.exponents] == ["0", "2/5", "4/5"]


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"model_type": "gpt2"}, "rope-none"),
        ({"model_type": "bloom"}, "rope-none"),
        ({"model_type": "falcon", "alibi": True}, "rope-none"),
        (llama(rope_scaling={"type": "cubic", "factor": 2}), "rope-unknown-type"),
        (llama(rope_scaling={"type": 3}), "config-wrong-type"),
        (llama(rope_scaling={"type": "linear", "factor": 0}), "config-not-positive"),
        (llama(rope_scaling={"type": "linear", "factor": "4"}), "config-not-a-number"),
        (llama(rope_scaling={"type": "linear", "factor": None}), "rope-number-missing"),
        (llama(rope_scaling={"type": "dynamic"}), "rope-number-missing"),
        (llama(rope_scaling={"type": "yarn"}), "rope-number-missing"),
        (llama(rope_scaling={"type": "llama3", "factor": 8.0}), "rope-number-missing"),
        (
            llama(rope_scaling={"type": "longrope", "short_factor": [1.0], "long_factor": [1.0] * 32}),
            "rope-list-length",
        ),
        (
            llama(rope_scaling={"type": "longrope", "short_factor": [0] * 32, "long_factor": [1.0] * 32}),
            "rope-list-numbers",
        ),
        (
            llama(
                rope_scaling={
                    "type": "llama3",
                    "factor": 8.0,
                    "low_freq_factor": 4.0,
                    "high_freq_factor": 4.0,
                    "original_max_position_embeddings": 64,
                }
            ),
            "rope-llama3-band",
        ),
        (
            llama(
                rope_scaling={
                    "type": "longrope",
                    "short_factor": [1.0] * 32,
                    "long_factor": [1.0] * 32,
                    "original_max_position_embeddings": 1,
                }
            ),
            "rope-trained-one",
        ),
        (llama(head_dim=7), "rope-odd-head-dim"),
        (llama(rope_theta=-1), "config-not-positive"),
        (llama(rope_theta=5e-324), "rope-settings-overflow"),
        (llama(rope_theta=1, rope_scaling={"type": "yarn", "factor": 2}), "rope-yarn-base"),
        ({"model_type": "phi", "partial_rotary_factor": 1.5}, "rope-partial-range"),
        ({"model_type": "phi", "partial_rotary_factor": 0.001}, "rope-nothing-turns"),
        ({"model_type": "gptj", "rotary_dim": 63}, "rope-width"),
        ({"model_type": "gemma3_text"}, "rope-layer-type-needed"),
    ],
)
def test_rope_that_cannot_be_is_refused(fields: dict[str, Any], key: str) -> None:
    with pytest.raises(DenseError) as caught:
        resolved(fields)
    assert caught.value.key == key


def test_a_sequence_has_a_token() -> None:
    with pytest.raises(DenseError, match="rope-length-below-one"):
        resolved(llama(), None, 0)


def test_kinds_of_layers() -> None:
    fields = {"model_type": "gemma3_text", "rope_scaling": {"rope_type": "linear", "factor": 8.0}}
    assert resolved(fields, "full_attention").theta[0] == 0.125
    assert resolved(fields, "sliding_attention").base == 10000
    with pytest.raises(DenseError) as caught:
        resolved(fields)
    assert caught.value.facts["kinds"] == ("full_attention", "sliding_attention")
    with pytest.raises(DenseError, match="rope-unknown-layer-type"):
        resolved(fields, "global")
    # OLMo 3 turns both kinds alike until one is scaled
    assert resolved({"model_type": "olmo3"}).base == 500000
    with pytest.raises(DenseError, match="rope-layer-type-needed"):
        resolved({"model_type": "olmo3", "rope_scaling": {"rope_type": "linear", "factor": 2.0}})
    # a config all of whose layers are of one kind needs no choice
    assert resolved({**fields, "layer_types": ["full_attention"]}).rope_type == "linear"
    with pytest.raises(DenseError, match="rope-none-in-layer"):
        resolved({"model_type": "cohere2"}, "full_attention")
    assert resolved({"model_type": "cohere2"}, "sliding_attention").base == 10000
    gemma = {"model_type": "gemma4_text"}
    assert resolved(gemma, "full_attention").head_dim == 512
    assert resolved(gemma, "sliding_attention").head_dim == 256


def test_what_was_read_otherwise_is_said() -> None:
    lists = {"short_factor": [1.0] * 32, "long_factor": [2.0] * 32}
    su = resolved(llama(rope_scaling={"type": "su", **lists}, original_max_position_embeddings=1024))
    assert su.rope_type == "longrope"
    assert ("rope-renamed", {"written": "su", "read": "longrope"}) in su.assumed
    ignored = resolved(llama(partial_rotary_factor=0.5))
    assert ignored.rotary_dim == 64
    assert ("rope-partial-ignored", {"partial": 0.5, "family": "llama"}) in ignored.assumed
    base = resolved({"model_type": "cohere", "hidden_size": 4096, "num_attention_heads": 32})
    assert ("config-default", {"field": "rope_theta", "value": 500000.0, "family": "cohere"}) in base.assumed


@settings(max_examples=50, deadline=None)
@given(
    base=st.floats(2, 1e7),
    pairs=st.integers(2, 64),
    factor=st.floats(1, 64),
    trained=st.integers(16, 100_000),
)
def test_limits_that_define_the_types(base: float, pairs: int, factor: float, trained: int) -> None:
    """Factor 1 is plain; a scaled pair is never faster than plain, nor slower than plain over the factor."""
    width = 2 * pairs
    plain = scaling.unscaled(base, width)
    low, high = scaling.yarn_range(base, width, trained, 32, 1, truncate=True)
    for scaled, unit in (
        (scaling.linear(plain, factor), scaling.linear(plain, 1)),
        (scaling.llama3(plain, factor, 1, 4, trained), scaling.llama3(plain, 1, 1, 4, trained)),
        (scaling.yarn(plain, factor, low, high), scaling.yarn(plain, 1, low, high)),
        (scaling.longrope(plain, [factor] * pairs), plain),
    ):
        assert unit == pytest.approx(plain, rel=1e-12)
        for one, other in zip(scaled, plain, strict=True):
            assert other / factor * (1 - 1e-12) <= one <= other * (1 + 1e-12)
    assert scaling.dynamic_base(base, width, factor, trained, trained) == base
    longer = scaling.dynamic_base(base, width, factor, 2 * trained, trained)
    assert longer >= base
    assert (
        scaling.longrope_attention_factor(1.0, trained) == scaling.yarn_attention_factor(1.0, None, None) == 1
    )
    assert math.isclose(scaling.proportional(base, width, 1.0, factor)[1], plain[1] / factor)
