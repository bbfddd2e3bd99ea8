"""Angles whose parts are held in short formats, against the numbers of reports."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core.angles import Rate, angle, cos_sin
from dense_cli.core.angles_precision import HELD, held_angles
from dense_cli.core.precision import BFLOAT16, FLOAT16, FLOAT32, FORMATS


def by_name(rate, position, dtype):
    return dict(zip(HELD, held_angles(rate, position, dtype), strict=True))


def test_a_position_in_bfloat16_as_reported():
    """diffusers issue 13920: 257 becomes 256."""
    found = by_name(Rate.radians(1), 257, BFLOAT16)["positions"]
    assert (found.position, found.angle) == (256.0, 256.0)
    assert found.cosine == pytest.approx(-0.0397907599, abs=5e-11)


def test_a_product_in_float16_as_reported():
    """gpt-neox issue 1003: 1501 · 0.7 becomes 1051."""
    found = by_name(Rate.radians(Fraction(7, 10)), 1501, FLOAT16)["product"]
    assert (found.theta, found.angle) == (0.7001953125, 1051.0)
    assert found.cosine == pytest.approx(-0.136826801, abs=5e-10)


def test_a_frequency_in_bfloat16_as_reported():
    """sglang-jax issue 1472: pair 1 of 64, base 10000, position 4000 is 4.892707 radians off."""
    rate = Rate.power(10000, Fraction(-1, 64))
    found = by_name(rate, 4000, BFLOAT16)["frequencies"]
    assert (found.theta, found.angle) == (0.8671875, 3468.75)
    assert found.cosine == pytest.approx(0.908251389, abs=5e-10)
    assert found.angle - angle(rate, 4000) == pytest.approx(4.892707, abs=5e-7)


def test_a_position_beyond_float16_has_no_direction():
    found = by_name(Rate.radians(1), 65520, FLOAT16)
    assert found["positions"].angle == found["product"].angle == math.inf
    assert math.isnan(found["positions"].cosine)
    assert math.isnan(found["product"].sine)
    assert found["frequencies"].angle == 65520.0
    assert found["frequencies"].cosine == cos_sin(Rate.radians(1), 65520)[0]


def test_a_product_beyond_float16_has_no_direction():
    found = by_name(Rate.radians(2), 40000, FLOAT16)
    assert found["positions"].angle == 80000.0
    assert found["product"].angle == math.inf
    assert math.isnan(found["product"].cosine)


def test_a_frequency_beyond_float16_has_no_direction():
    found = by_name(Rate.radians(70000), 1, FLOAT16)
    assert found["positions"].cosine == cos_sin(Rate.radians(70000), 1)[0]
    assert found["frequencies"].angle == math.inf
    assert math.isnan(found["frequencies"].cosine)


@pytest.mark.parametrize("dtype", FORMATS.values(), ids=FORMATS)
@given(position=st.integers(0, 255), quarters=st.integers(1, 255))
@settings(max_examples=50, deadline=None)
def test_what_the_format_can_hold_changes_nothing(dtype, position, quarters):
    """Eight bits for the position and eight for the frequency: only a product may be rounded."""
    rate = Rate.radians(Fraction(quarters, 256))
    found = by_name(rate, position, dtype)
    truth = (angle(rate, position), *cos_sin(rate, position))
    for held in HELD[: None if dtype is FLOAT32 else 2]:
        assert (found[held].angle, found[held].cosine, found[held].sine) == truth
