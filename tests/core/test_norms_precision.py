"""RMSNorm in short formats against what libraries return, to the last bit, and against reports."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core.norms import Norm, norm
from dense_cli.core.norms_precision import AFTER_GAIN, BEFORE_GAIN, CASTS, all_finite, norm_in
from dense_cli.core.precision import BFLOAT16, FLOAT16, FLOAT32, FORMATS
from dense_cli.errors import DenseError

CASES = json.loads((Path(__file__).parents[1] / "data" / "norms_precision.json").read_text())["cases"]


def given_of(case):
    gain = None if case["gain"] is None else tuple(case["gain"])
    return Norm(tuple(map(tuple, case["x"])), gain, case["eps"], case["unit_offset"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_bit_is_what_the_library_returns(case):
    found = norm_in(given_of(case), FORMATS[case["dtype"]], case["cast"])
    for row, expected in zip(found, case["output"], strict=True):
        for value, wanted in zip(row.output, map(float, expected), strict=True):
            assert value == wanted or (math.isnan(value) and math.isnan(wanted))


def test_both_orders_of_the_cast_differ_as_reported():
    """lmdeploy pull request 2842: two rules are in use, and the last bit tells them apart."""
    of = Norm(x=((1.0, 1.0625),), gain=(1.375, 1.375))
    outputs = {cast: norm_in(of, BFLOAT16, cast)[0].output for cast in CASTS}
    assert outputs == {BEFORE_GAIN: (1.328125, 1.421875), AFTER_GAIN: (1.3359375, 1.4140625)}


def test_the_unit_offset_is_added_in_float32():
    """vllm pull request 29810: 1 + 7.03125 would be 8 in bfloat16."""
    of = Norm(x=((3.0, 4.0),), gain=(7.03125, 7.03125), unit_offset=True)
    (row,) = norm_in(of, BFLOAT16, AFTER_GAIN)
    assert row.gain == (8.03125, 8.03125)
    assert row.output == (6.8125, 9.0625)


def test_float16_squares_do_not_overflow():
    """pytorch pull request 133085: 400² is no float16, but the statistic is float32."""
    (row,) = norm_in(Norm(x=((300.0, 400.0),)), FLOAT16)
    assert (row.square_sum, row.mean_square) == (250000.0, 125000.0)
    assert row.output == (1738 / 2048, 1159 / 1024)  # next to 0.848528 and 1.131371


def test_example_25_2_in_bfloat16():
    """3 and 4 over the root of 12.5, by hand: 0.848528 lies between 217/256 and 218/256, 1.131371 between
    144/128 and 145/128."""
    (row,) = norm_in(Norm(x=((3.0, 4.0),)), BFLOAT16)
    assert row.output == (217 / 256, 145 / 128)


def test_squares_beyond_float32_give_zeros():
    (row,) = norm_in(Norm(x=((1e19, -2e19),)), FLOAT32)
    assert (row.mean_square, row.denominator, row.reciprocal) == (math.inf, math.inf, 0.0)
    assert row.output == (0.0, 0.0)
    assert not all_finite(row)


def test_squares_below_float32_give_infinities_and_nothing():
    (row,) = norm_in(Norm(x=((1e-23, -2e-23, 0.0),)), FLOAT32)
    assert (row.mean_square, row.denominator, row.reciprocal) == (0.0, 0.0, math.inf)
    assert row.output[:2] == (math.inf, -math.inf)
    assert math.isnan(row.output[2])
    assert not all_finite(row)


def test_squares_are_rounded_before_they_are_added():
    """4097² is 2**24 + 2**13 + 1, no float32: its last 1 is lost, and so is the other 1."""
    (row,) = norm_in(Norm(x=((1.0, 4097.0),)), FLOAT32)
    assert row.square_sum == 2**24 + 2**13


def test_input_and_gain_are_rounded_first():
    (row,) = norm_in(Norm(x=((0.1, 70000.0),), gain=(0.7, 1.0)), FLOAT16)
    assert row.x == (0.0999755859375, math.inf)
    assert row.gain == (0.7001953125, 1.0)


def test_an_unknown_cast_is_refused():
    with pytest.raises(DenseError) as caught:
        norm_in(Norm(x=((3.0, 4.0),)), FLOAT32, "between")
    assert (caught.value.key, caught.value.facts["known"]) == ("unknown-cast", CASTS)


NUMBERS = st.floats(0.01, 100) | st.floats(-100, -0.01)


@pytest.mark.parametrize("dtype", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("cast", CASTS)
@given(pairs=st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=20), eps=st.sampled_from((0.0, 1e-6)))
@settings(max_examples=30, deadline=None)
def test_output_is_within_two_units_of_the_truth_for_these_numbers(dtype, cast, pairs, eps):
    """At most the float32 steps and two roundings stand between the value and the exact one."""
    x, gain = zip(*pairs, strict=True)
    of = Norm((dtype.row(x),), dtype.row(gain), eps)
    (truth,) = norm(of)
    (row,) = norm_in(of, dtype, cast)
    slack = (4 + len(x)) if dtype is FLOAT32 else 2
    for value, exact in zip(row.output, truth.output, strict=True):
        assert dtype.rounded(value) == value
        assert abs(value - exact) <= slack * dtype.spacing(exact)


@given(row=st.lists(NUMBERS, min_size=1, max_size=20), power=st.integers(-20, 20))
@settings(max_examples=50, deadline=None)
def test_a_power_of_four_cancels_to_the_last_bit(row, power):
    """Scaling by 4 scales every float32 on the way exactly, the root and reciprocal included."""
    x = FLOAT32.row(row)
    scaled = tuple(value * 4.0**power for value in x)
    assert norm_in(Norm(x=(x,)), FLOAT32)[0].output == norm_in(Norm(x=(scaled,)), FLOAT32)[0].output
