"""The gated network in short formats against what a library returns at every stage."""

import json
import math
from pathlib import Path

import pytest

from dense_cli.core.ffn import Ffn
from dense_cli.core.ffn_precision import ffn_in
from dense_cli.core.precision import BFLOAT16, FLOAT16, FORMATS

CASES = json.loads((Path(__file__).parents[1] / "data" / "ffn_precision.json").read_text())["cases"]
STAGES = ("gate", "up", "activated", "product", "output")


def matrix(rows):
    return tuple(map(tuple, rows))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_stage_is_what_the_library_returns(case):
    weights = {name: matrix(case[name]) for name in ("wg", "wu", "wd")}
    biases = {name: tuple(case[name]) for name in ("bg", "bu", "bd") if case[name]}
    of = Ffn(x=matrix(case["x"]), **weights, **biases, activation=case["activation"])
    for number, row in enumerate(ffn_in(of, FORMATS[case["dtype"]])):
        for stage in STAGES:
            assert getattr(row, stage) == tuple(case[stage][number]), stage


def test_example_25_3_in_bfloat16():
    """silu(1) = 0.731059 is 187/256 in bfloat16, silu(-1) = -0.268941 is -69/256; the rest is exact or
    rounded by hand: 374/256, -207/256 and their sum 167/256, of eight bits all three."""
    identity, up, down = ((1.0, 0.0), (0.0, 1.0)), ((2.0, 0.0), (0.0, -3.0)), ((1.0, 0.0), (1.0, 1.0))
    (row,) = ffn_in(Ffn(x=((1.0, -1.0),), wg=identity, wu=up, wd=down), BFLOAT16)
    assert row.activated == (187 / 256, -69 / 256)
    assert row.product == (374 / 256, -207 / 256)
    assert row.output == (167 / 256, -207 / 256)


def test_weights_are_rounded_before_they_are_used():
    """257 becomes 256, and 255 · 256 = 65280 has eight bits; 255 · 257 would be rounded to 65536."""
    (row,) = ffn_in(Ffn(x=((255.0,),), wg=((257.0,),), wu=((1.0,),), activation="identity"), BFLOAT16)
    assert row.gate == (65280.0,)


def test_input_is_rounded_before_it_is_used():
    (row,) = ffn_in(Ffn(x=((257.0,),), wg=((255.0,),), wu=((1.0,),), activation="identity"), BFLOAT16)
    assert (row.x, row.gate) == ((256.0,), (65280.0,))


def test_the_clamped_form_rounds_the_offset_sum():
    """up + 1 is 257 for an up of 256: half a unit, rounded to even."""
    of = Ffn(x=((1.0,),), wg=((9.0,),), wu=((256.0,),), limit=300.0, alpha=1.702, up_offset=1.0)
    (row,) = ffn_in(of, BFLOAT16)
    assert (row.gate_used, row.up_used) == ((9.0,), (256.0,))


def test_the_clamp_stops_both_branches():
    of = Ffn(x=((1.0, 1.0),), wg=((9.0, -9.0), (0.0, 0.0)), wu=((9.0, -9.0), (0.0, 0.0)), limit=7.0)
    (row,) = ffn_in(of, FLOAT16)
    assert (row.gate_used, row.up_used) == ((7.0, -9.0), (7.0, -7.0))


def test_overflow_is_infinite_and_its_difference_is_not_a_number():
    of = Ffn(
        x=((300.0,),), wg=((300.0, -300.0),), wu=((1.0, 1.0),), wd=((1.0,), (1.0,)), activation="identity"
    )
    (row,) = ffn_in(of, FLOAT16)
    assert row.gate == (math.inf, -math.inf)
    assert row.product == (math.inf, -math.inf)
    assert math.isnan(row.output[0])


@pytest.mark.parametrize(("name", "left", "right"), [("silu", 0.0, math.inf), ("sigmoid", 0.0, 1.0)])
def test_activations_at_the_infinities(name, left, right):
    of = Ffn(x=((300.0,),), wg=((-300.0, 300.0),), wu=((0.0, 0.0),), activation=name)
    (row,) = ffn_in(of, FLOAT16)
    assert row.activated == (left, right)
