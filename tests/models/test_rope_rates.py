"""The rates of a config stay a rule: with another base or exponent they are scaled as the config says."""

import json
from fractions import Fraction

import pytest

from dense_cli.core.schedule import unscaled
from dense_cli.frozen import replace
from dense_cli.models.config import read_config
from dense_cli.models.rope_rates import RULES, schedule_of
from dense_cli.models.rope_settings import rope_settings

BASE = {"model_type": "llama", "hidden_size": 16, "num_attention_heads": 1, "max_position_embeddings": 64}
SCALINGS = {
    "default": {},
    "linear": {"factor": 4.0},
    "dynamic": {"factor": 2.0},
    "yarn": {"factor": 8.0, "original_max_position_embeddings": 4096, "beta_fast": 16},
    "longrope": {
        "short_factor": [1.0] * 8,
        "long_factor": [1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5],
        "original_max_position_embeddings": 32,
    },
    "llama3": {
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 512,
    },
    "proportional": {"partial_rotary_factor": 0.5, "factor": 2.0},
}
LENGTH = 200
"""Beyond the trained length, so that the types that look at it scale."""


def settings(kind, base=10000.0):
    parameters = {"rope_type": kind, "rope_theta": base, **SCALINGS[kind]}
    return rope_settings(read_config(json.dumps({**BASE, "rope_parameters": parameters})), seq_len=LENGTH)


def thetas(rates):
    return [rate.theta for rate in rates]


@pytest.mark.parametrize("kind", SCALINGS)
def test_the_rates_are_those_of_the_settings(kind):
    found = settings(kind)
    assert thetas(schedule_of(found)) == pytest.approx(found.theta, rel=1e-15)


@pytest.mark.parametrize("kind", SCALINGS)
def test_another_base_gives_what_the_config_with_that_base_gives(kind):
    other = replace(schedule_of(settings(kind)), base=Fraction(500000))
    assert thetas(other) == pytest.approx(settings(kind, 500000.0).theta, rel=1e-14)


@pytest.mark.parametrize("kind", SCALINGS)
def test_without_its_scaling_it_is_the_plain_schedule(kind):
    found = settings(kind)
    plain = replace(schedule_of(found), scale=unscaled)
    pairs = 4 if kind == "proportional" else 8  # those that turn
    assert thetas(plain)[:pairs] == pytest.approx([10000.0 ** (-2 * i / 16) for i in range(pairs)], rel=1e-14)


def test_another_exponent_is_scaled_too():
    odd = replace(schedule_of(settings("linear")), exponent=lambda i, width: Fraction(-2 * i - 1, width))
    assert thetas(odd) == pytest.approx([10000.0 ** (-(2 * i + 1) / 16) / 4 for i in range(8)], rel=1e-14)


def test_every_type_has_a_rule_but_the_one_that_scales_nothing():
    assert {*RULES, "default"} == set(SCALINGS)
