"""Every family's count is a page in both languages: no piece of a model is without its words."""

import json

import pytest

from dense_cli.lang import LANGUAGES
from dense_cli.models.families import FAMILIES
from tests.cli.calling import call

SIZES = {
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "num_hidden_layers": 2,
    "vocab_size": 100,
    "intermediate_size": 128,
    "ffn_hidden_size": 128,
    "query_heads": 4,
    "head_dim": 16,
    "num_experts_per_tok": 2,
}
ONLY_ROPE = {"gemma4_text"}
OTHERWISE = {
    "falcon": ({"new_decoder_architecture": True}, {"num_ln_in_parallel_attn": 2}, {"parallel_attn": False}),
    "gpt_neox": ({"use_parallel_residual": False},),
    "apertus": ({"attention_bias": True},),
}
CASES = [
    pytest.param(name, fields, id=f"{name}-{number}")
    for name in sorted(FAMILIES.keys() - ONLY_ROPE)
    for number, fields in enumerate(({}, *OTHERWISE.get(name, ())))
]


@pytest.mark.parametrize(("name", "fields"), CASES)
def test_the_count_of_a_family_is_told_in_both_languages(name, fields):
    config = json.dumps({"model_type": name, **SIZES, **fields})
    for language in LANGUAGES:
        told = call("params", config, "--lang", language)
        assert told.exit == 0, told.err
    assert call("params", config, "--json").json["result"]["models"][0]["total"] > 0


def test_the_width_that_turns_of_latent_attention_is_the_family_s_own():
    """As in the configurations of transformers 5.24."""
    for name, width in (("deepseek_v2", 64), ("deepseek_v3", 64), ("minicpm3", 32)):
        config = json.dumps({"model_type": name, "hidden_size": 64, "num_attention_heads": 4})
        assert (
            call("rope", "--frequencies", "--config", config, "--json").json["result"]["rotary_dim"] == width
        )
