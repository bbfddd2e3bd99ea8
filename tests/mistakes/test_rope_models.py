"""What can be done otherwise with a config's rotation: by rules written out here, where it applies."""

from __future__ import annotations

import json
from dataclasses import replace
from math import log, sqrt

import pytest

from dense_cli.core.angles import Rate
from dense_cli.core.rope import Rope, rope
from dense_cli.core.schedule import Schedule
from dense_cli.mistakes.diagnosis import diagnose
from dense_cli.mistakes.rope import ROPE
from dense_cli.mistakes.rope_models import of_model
from dense_cli.models.config import read_config
from dense_cli.models.rope_settings import rope_settings

WIDTH = 8
BASE = {"model_type": "llama", "hidden_size": WIDTH, "num_attention_heads": 1, "rope_theta": 10000}
DYNAMIC = {
    **BASE,
    "max_position_embeddings": 64,
    "rope_scaling": {"rope_type": "dynamic", "factor": 2},
}
GEMMA3 = {
    "model_type": "gemma3_text",
    "hidden_size": 16,
    "num_attention_heads": 2,
    "head_dim": WIDTH,
    "rope_theta": 1000000,
    "rope_local_base_freq": 10000,
    "rope_scaling": {"rope_type": "linear", "factor": 8},
}
YARN = {
    **BASE,
    "max_position_embeddings": 4096,
    "rope_scaling": {"rope_type": "yarn", "factor": 16, "mscale": 1.0, "mscale_all_dim": 0.5},
}
LONGROPE = {
    **BASE,
    "max_position_embeddings": 64,
    "original_max_position_embeddings": 16,
    "rope_scaling": {"rope_type": "longrope", "short_factor": [1.0] * 4, "long_factor": [2.0] * 4},
}


def applying(fields, layer_type=None, seq_len=None):
    """The ids of the mistakes that change something."""
    config = read_config(json.dumps(fields))
    given = turning(config, layer_type, seq_len)
    return {one.id for one in of_model(config, layer_type, seq_len) if list(one.change(given))}


def turning(config, layer_type=None, seq_len=None, row=(1.0,) * WIDTH):
    settings = rope_settings(config, layer_type, seq_len)
    rates = Schedule(settings.base, WIDTH, scale=lambda rates: tuple(map(Rate.radians, settings.theta)))
    return Rope(row, row, ((3, 5),), rates, WIDTH, settings.layout, settings.attention_factor)


def named(fields, thetas, **asked):
    config = read_config(json.dumps(fields))
    given = turning(config, **asked)
    mistakes = (*of_model(config, **asked), *ROPE)
    own = {mistake.id for mistake in mistakes[: len(mistakes) - len(ROPE)]}
    told = diagnose(
        mistakes, given, lambda one: tuple(rate.theta for rate in one.rates), tuple, thetas, atol=1e-12
    )
    return [found.id for found in told if found.id in own or "+" in found.id]


def powers(base, exponents=range(0, WIDTH, 2)):
    return tuple(base ** (-exponent / WIDTH) for exponent in exponents)


def other_bases(own=10_000):
    return {f"base-{base}" for base in (10_000, 500_000, 1_000_000) if base != own}


def test_what_does_not_apply_is_not_made():
    assert applying(BASE) == other_bases()
    assert applying(DYNAMIC) == other_bases() | {"dynamic-length-fixed"}
    assert applying(DYNAMIC, seq_len=48) == other_bases() | {"dynamic-length-fixed", "dynamic-below-trained"}
    assert applying(GEMMA3, "full_attention") == other_bases(1_000_000) | {"other-layer-type"}
    assert applying(GEMMA3, "sliding_attention") == other_bases() | {
        "other-layer-type",
        "scaling-of-other-layers",
    }
    assert applying(LONGROPE) == other_bases() | {"longrope-other-list"}
    assert applying(YARN) >= {"yarn-scales-ignored", "softmax-multiplier", "multiplier-from-mscale"}


def test_the_scaling_of_others_with_their_own_base_is_their_whole_rotation():
    same = {**GEMMA3, "rope_local_base_freq": 1000000}
    assert applying(same, "sliding_attention") == other_bases(1_000_000) | {"other-layer-type"}


@pytest.mark.parametrize("length", [16, 32])
def test_no_base_below_the_trained_length_where_the_bracket_has_no_power(length):
    """2 · 32/64 − 1 is 0, and less for shorter sequences."""
    assert "dynamic-below-trained" not in applying(DYNAMIC, seq_len=length)


@pytest.mark.parametrize(
    ("id", "fields", "asked", "thetas"),
    [
        ("base-500000", BASE, {}, powers(500_000)),
        ("base-1000000", GEMMA3, {"layer_type": "sliding_attention"}, powers(1_000_000)),
        (
            "base-10000",
            GEMMA3,
            {"layer_type": "full_attention"},
            tuple(theta / 8 for theta in powers(10_000)),
        ),
        (
            "scaling-of-other-layers",
            GEMMA3,
            {"layer_type": "sliding_attention"},
            tuple(theta / 8 for theta in powers(10_000)),
        ),
        (
            "other-layer-type",
            GEMMA3,
            {"layer_type": "sliding_attention"},
            tuple(theta / 8 for theta in powers(1_000_000)),
        ),
        ("dynamic-length-fixed", DYNAMIC, {"seq_len": 200}, powers(10_000 * 3 ** (8 / 6))),
        ("dynamic-below-trained", DYNAMIC, {"seq_len": 60}, powers(10_000 * (2 * 60 / 64 - 1) ** (8 / 6))),
        ("longrope-other-list", LONGROPE, {}, tuple(theta / 2 for theta in powers(10_000))),
    ],
)
def test_frequencies_by_hand_are_named(id, fields, asked, thetas):
    assert id in named(fields, thetas, **asked)


def test_the_plain_attention_factor_and_the_multipliers_by_hand():
    """0.1 · ln 16 + 1 on each of two vectors; and the two scales, squared, on their score."""
    config = read_config(json.dumps(YARN))
    row = (1.0, 0.5, -2.0, 0.25, 3.0, -1.0, 0.75, 1.5)
    given = replace(turning(config, row=row), positions=((0, 0),))
    square = sum(value * value for value in row)
    plain, half = 0.1 * log(16) + 1, 0.05 * log(16) + 1
    score = square * (plain / half) ** 2 / sqrt(WIDTH)
    assert rope(given)[0].scaled_score == pytest.approx(score, rel=1e-12)
    for id, wrong in {
        "yarn-scales-ignored": square * plain**2 / sqrt(WIDTH),
        "softmax-multiplier": score * half**2,
        "multiplier-from-mscale": score * plain**2,
    }.items():
        told = diagnose(of_model(config), given, rope, lambda rows: rows[0].scaled_score, wrong, atol=1e-9)
        assert id in {found.id for found in told}


def test_a_mistake_of_the_config_and_another_are_told_together():
    """The base 500000 and the exponent −(2i + 1)/r."""
    assert "base-500000+exponent-odd" in named(BASE, powers(500_000, range(1, WIDTH, 2)))
