"""Wrong totals of whole models that people reported, each explained by what was counted otherwise."""

from __future__ import annotations

import json

import pytest

from dense_cli.mistakes import catalogue
from dense_cli.mistakes.diagnosis import diagnose
from dense_cli.mistakes.params_models import ModelQuestion, model_answer
from dense_cli.models.config import read_config
from dense_cli.models.counting import count
from dense_cli.models.shape import model_shape


def config(model_type, vocab, hidden, ffn, layers, heads, kv_heads=None, **more):
    return read_config(
        json.dumps(
            {
                "model_type": model_type,
                "vocab_size": vocab,
                "hidden_size": hidden,
                "intermediate_size": ffn,
                "num_hidden_layers": layers,
                "num_attention_heads": heads,
                "num_key_value_heads": heads if kv_heads is None else kv_heads,
                **more,
            }
        )
    )


SMALL = ("llama", 100, 12, 32, 2, 3)
TIED, UNTIED = {"tie_word_embeddings": True}, {"tie_word_embeddings": False}
GPT2 = read_config('{"model_type": "gpt2"}')

# right and wrong totals from the reports; the right ones are those of the model library
REPORTS = [
    ("tied-twice", config(*SMALL, **TIED), 4716, 5916),
    ("embedding-missing", config(*SMALL, **TIED), 4716, 3516),
    ("tied-twice", GPT2, 124439808, 163037184),
    ("ffn-four-times", config(*SMALL, **UNTIED), 5916, 7068),
    ("kv-as-heads", config("llama", 128256, 4096, 14336, 32, 32, 8, **UNTIED), 8030261248, 8835567616),
    (
        "head-dim-quotient",
        config("gemma", 256000, 3072, 24576, 28, 16, 16, head_dim=256),
        8537680896,
        8185359360,
    ),
    ("qkv-bias-missing", config("qwen2", 151936, 896, 4864, 24, 14, 2, **TIED), 494032768, 494005120),
    ("tied-twice", config("llama", 32000, 288, 768, 6, 6, **TIED), 15191712, 24407712),
    ("dense-reading-of-experts", config("mixtral", 32000, 4096, 14336, 32, 32, 8), 46702792704, 7241732096),
    ("dense-reading-of-experts", config("mixtral", 32000, 4096, 14336, 32, 32, 8), 46702792704, 57933856768),
    ("layer-matrices-alone", GPT2, 124439808, 84934656),
    (
        "layer-matrices-alone+two-matrices",
        config("llama", 32000, 4096, 11008, 32, 32, **UNTIED),
        6738415616,
        5033164800,
    ),
    (
        "plain-block",
        config("gemma3_text", 262144, 640, 2048, 18, 4, 1, head_dim=256, **TIED),
        268098176,
        257006720,
    ),
]

# hand counts on the small model: V·d = 1200, a matrix of the FFN 12·32 in 2 layers, 5 norms of 12
BY_HAND = [
    ("head-missing", config(*SMALL, **UNTIED), 5916, 5916 - 1200),
    ("two-matrices", config(*SMALL, **TIED), 4716, 4716 - 2 * 12 * 32),
    ("norms-missing", config(*SMALL, **TIED), 4716, 4716 - 5 * 12),
    ("embedding-missing", config(*SMALL, **UNTIED), 5916, 5916 - 2400),
    ("qk-norm-missing", config("qwen3", 100, 12, 32, 2, 3, head_dim=4), 4716 + 1200 + 16, 4716 + 1200),
    ("position-missing", GPT2, 124439808, 124439808 - 1024 * 768),
    ("biases-missing", GPT2, 124439808, 124439808 - 12 * (4 * 768 + 5 * 768)),
]


@pytest.mark.parametrize(("id", "model", "right", "wrong"), [*REPORTS, *BY_HAND])
def test_a_wrong_total_is_explained_and_the_right_one_agrees(id, model, right, wrong):
    given = ModelQuestion(model_shape(model))
    assert model_answer(given).total == right == count(model).total
    told = diagnose("params-models", given, model_answer, lambda answer: answer.total, wrong, atol=0)
    assert id in {found.id for found in told}


def test_one_parameter_too_many_is_explained_by_nothing():
    """Counts are compared exactly, and no pair of mistakes comes that near."""
    given = ModelQuestion(model_shape(config("llama", 32000, 4096, 11008, 32, 32, **UNTIED)))
    assert model_answer(given).total == 6738415616
    assert (
        diagnose("params-models", given, model_answer, lambda answer: answer.total, 6738415617, atol=0) == ()
    )


def test_two_omissions_together_are_told_as_a_pair():
    """Norms and head left out of the small model: 5916 − 60 − 1200."""
    given = ModelQuestion(model_shape(config(*SMALL, **UNTIED)))
    told = diagnose("params-models", given, model_answer, lambda answer: answer.total, 4656, atol=0)
    assert "head-missing+norms-missing" in {found.id for found in told}


def test_every_mistake_of_a_count_is_shown_by_some_model():
    shown = {id for row in (*REPORTS, *BY_HAND) for id in row[0].split("+")}
    assert shown == {mistake.id for mistake in catalogue("params-models")}


def test_a_block_that_departs_in_one_thing_alone_is_no_plain_block():
    """It has the mistake that leaves this one thing out, and needs no other name."""
    given = ModelQuestion(model_shape(config("qwen3", 100, 12, 32, 2, 3, head_dim=4)))
    told = diagnose("params-models", given, model_answer, lambda answer: answer.total, 5916, atol=0)
    assert [found.id for found in told] == ["qk-norm-missing"]


@pytest.mark.parametrize(("id", "model", "right", "wrong"), REPORTS)
def test_the_right_total_names_no_mistake(id, model, right, wrong):
    given = ModelQuestion(model_shape(model))
    assert diagnose("params-models", given, model_answer, lambda answer: answer.total, right, atol=0) == ()
