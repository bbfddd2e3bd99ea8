"""`dense block --expect` from the command on: the slips that only a model's own rates can show."""

import json

import numpy as np
import pytest

from tests.cli.calling import call

CONFIG = {
    "model_type": "llama",
    "hidden_size": 16,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "num_hidden_layers": 1,
    "vocab_size": 8,
    "max_position_embeddings": 64,
    "rope_theta": 10000.0,
}
WIDTH, START, TOKENS = 8, 3, 5
LINEAR = {"rope_scaling": {"rope_type": "linear", "factor": 4.0}}


def block(*options, **fields):
    asked = ("--seed", "1", "--tokens", str(TOKENS), "--start", str(START), *options)
    return call("block", "--config", json.dumps({**CONFIG, **fields}), *asked, "--json")


def turned(heads, thetas):
    """Halves of [H, T, D] turned by hand, counterclockwise."""
    angles = np.arange(START, START + TOKENS)[:, None] * thetas
    first, second = heads[..., : WIDTH // 2], heads[..., WIDTH // 2 :]
    cosine, sine = np.cos(angles), np.sin(angles)
    return np.concatenate((first * cosine - second * sine, first * sine + second * cosine), axis=-1)


OTHER_RATES = {
    "exponent-without-two": lambda i: 10000.0 ** (-i / WIDTH),
    "exponent-odd": lambda i: 10000.0 ** (-(2 * i + 1) / WIDTH),
    "exponent-sign": lambda i: 10000.0 ** (2 * i / WIDTH),
    "base-500000": lambda i: 500000.0 ** (-2 * i / WIDTH),
}


@pytest.mark.parametrize("id", OTHER_RATES)
@pytest.mark.parametrize("factor", [1.0, 4.0])
def test_rates_by_another_rule_are_named(tmp_path, id, factor):
    fields = LINEAR if factor != 1 else {}
    q = np.array(block(**fields).json["result"]["tensors"]["q"])
    np.save(tmp_path / "mine.npy", turned(q, OTHER_RATES[id](np.arange(WIDTH // 2)) / factor))
    told = block("--expect", f"q_rotated=@{tmp_path}/mine.npy", **fields)
    assert told.exit == 1
    assert [one["id"] for one in told.json["comparison"]["mistakes"]] == [id]


def test_the_output_of_a_block_that_does_not_scale_is_named(tmp_path):
    plain = block().json["result"]["tensors"]["output"]
    np.save(tmp_path / "mine.npy", np.array(plain))
    told = block("--expect", f"output=@{tmp_path}/mine.npy", **LINEAR).json["comparison"]
    assert [one["id"] for one in told["mistakes"]] == ["scaling-ignored"]


def test_another_epsilon_of_a_block_is_told_by_its_value(tmp_path):
    right = block(rms_norm_eps=0.5).json["result"]["tensors"]
    x, norm1 = np.array(right["x"]), np.array(right["norm1"])
    square = np.square(x).mean(axis=-1, keepdims=True)
    np.save(tmp_path / "mine.npy", norm1 * np.sqrt((square + 0.5) / (square + 1e-5)))
    told = block("--expect", f"norm1=@{tmp_path}/mine.npy", "--atol", "1e-9", rms_norm_eps=0.5)
    (found,) = told.json["comparison"]["mistakes"]
    assert found["id"] == "eps-other"
    assert "Here it is 1e-5." in found["explanation"]
