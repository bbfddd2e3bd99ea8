"""Rounding to the three formats, against NumPy, the bits of float32, reports and its own laws."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dense_cli.core.precision import (
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    FORMATS,
    number_format,
    to_bfloat16,
    to_float16,
    to_float32,
    total_in_float32,
)
from dense_cli.errors import DenseError

MANY = settings(max_examples=200, deadline=None)
EACH = pytest.mark.parametrize("dtype", FORMATS.values(), ids=FORMATS)

NUMPY = {"float32": np.float32, "float16": np.float16}

AROUND_TIES = st.builds(
    lambda whole, exponent, nudge: math.ldexp(2 * whole + 1 + nudge, exponent),
    st.integers(-(2**25), 2**25),
    st.integers(-175, 130),
    st.sampled_from((0.0, 2.0**-20, -(2.0**-20))),
)
"""Halfway between neighbours of some format, at any size from subnormal to overflow, or just beside."""

ANY = st.floats() | AROUND_TIES | st.floats(-1e5, 1e5)


def same(one, other):
    return (math.isnan(one) and math.isnan(other)) or (
        one == other and math.copysign(1, one) == math.copysign(1, other)
    )


@pytest.mark.parametrize("name", NUMPY)
@given(value=ANY)
@example(value=65519.99).via("largest float16")
@example(value=65520.0).via("tie to infinity")
@example(value=2.0**-25).via("tie to zero")
@example(value=3 * 2.0**-25).via("tie of subnormals")
@example(value=2.0**-149 * 1.5).via("tie of subnormals")
@example(value=-1.7e308).via("beyond every format")
@MANY
def test_rounding_is_that_of_numpy(name, value):
    with np.errstate(over="ignore", under="ignore"):
        expected = float(NUMPY[name](value))
    assert same(FORMATS[name].rounded(value), expected)


def bfloat16_by_bits(value):
    """A float32 without its last 16 bits, rounded to nearest even on the integers."""
    bits = int(np.float32(value).view(np.uint32))
    bits += 0x7FFF + (bits >> 16 & 1)
    return float(np.array(bits & 0xFFFF0000, dtype=np.uint64).astype(np.uint32).view(np.float32))


@given(st.floats(width=32, allow_nan=False))
@example(257.0)
@example(259.0)
@example(3.3961775292304957e38)
@example(2.0**-134)
@example(2.0**-133 * 1.5)
@example(-0.0)
@MANY
def test_bfloat16_is_float32_with_sixteen_bits_rounded_off(value):
    assert same(to_bfloat16(value), bfloat16_by_bits(value))


@EACH
@given(value=ANY)
@MANY
def test_rounding_twice_changes_nothing(dtype, value):
    once = dtype.rounded(value)
    assert same(dtype.rounded(once), once)


@EACH
@given(one=ANY.filter(lambda value: value == value), other=ANY.filter(lambda value: value == value))
@MANY
def test_rounding_keeps_order_and_sign(dtype, one, other):
    low, high = sorted((one, other))
    assert dtype.rounded(low) <= dtype.rounded(high)
    assert same(dtype.rounded(-one), -dtype.rounded(one))


@EACH
@given(value=st.floats(-60000, 60000))
@MANY
def test_no_number_of_the_format_is_nearer(dtype, value):
    found = dtype.rounded(value)
    error = abs(Fraction(found) - Fraction(value))
    assert error <= Fraction(dtype.spacing(value)) / 2
    for step in (-1, 1):
        neighbour = found + step * dtype.spacing(found)
        assert dtype.rounded(neighbour) == neighbour
        assert error <= abs(Fraction(neighbour) - Fraction(value))


@pytest.mark.parametrize(
    ("dtype", "largest", "smallest"),
    [
        (FLOAT32, np.finfo(np.float32).max, np.finfo(np.float32).smallest_subnormal),
        (FLOAT16, np.finfo(np.float16).max, np.finfo(np.float16).smallest_subnormal),
        (BFLOAT16, 3.3895313892515355e38, 9.183549615799121e-41),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_ends_of_each_format(dtype, largest, smallest):
    """The largest number and the smallest subnormal; half a unit beyond them lie infinity and zero."""
    assert (dtype.largest, dtype.smallest) == (float(largest), float(smallest))
    beyond = dtype.largest + dtype.spacing(dtype.largest) / 2
    assert dtype.rounded(math.nextafter(beyond, 0)) == dtype.largest
    assert dtype.rounded(beyond) == math.inf
    assert dtype.rounded(dtype.smallest / 2) == 0
    assert dtype.rounded(math.nextafter(dtype.smallest / 2, 1)) == dtype.smallest


def test_positions_in_bfloat16_collapse_as_reported():
    positions = [255, 256, 257, 258, 259, 65537]
    assert [to_bfloat16(float(each)) for each in positions] == [255, 256, 256, 258, 260, 65536]


def test_positions_in_float16_collapse_as_reported():
    positions = [2047, 2048, 2049, 2051, 65519, 65520]
    assert [to_float16(float(each)) for each in positions] == [2047, 2048, 2048, 2052, 65504, math.inf]


def test_an_unknown_format_is_refused_with_the_known_ones():
    with pytest.raises(DenseError) as caught:
        number_format("float8")
    assert caught.value.key == "unknown-dtype"
    assert caught.value.facts == {"typed": "float8", "known": ("float32", "float16", "bfloat16")}


FLOAT32_ROWS = st.lists(st.floats(0, 1e6, width=32), max_size=40)


@given(FLOAT32_ROWS)
@settings(max_examples=50, deadline=None)
def test_a_float32_sum_is_near_the_exact_one(values):
    """The law of every order of summation: at most one rounding for each addition."""
    exact = math.fsum(values)
    assert abs(total_in_float32(values) - exact) <= len(values) * 2.0**-24 * exact


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((2.0**24, 1.0, 1.0), 2.0**24),  # in turn: each 1 is lost
        ((1.0, 1.0, 2.0**24), 2.0**24 + 2),
        ((2.0**24, 1.0, 0.0, 0.0, 1.0), 2.0**24),  # the fifth is added to the first
        # the fifth is added to the first, then come the second and the third
        ((0.0, 1.0, 2.0**24, 0.0, 1.0), 2.0**24 + 2),
        ((1.0, 1.0, *(0.0,) * 6, 2.0**24), 2.0**24),  # the rest of a wide row comes before its lanes
        ((2.0**24, *(1.0,) * 7), 2.0**24),  # eight lanes, then in turn
        ((2.0**24, *(0.0,) * 7, 1.0, *(0.0,) * 7, 1.0, *(0.0,) * 7), 2.0**24),  # one lane, three chains
        ((1.0, *(0.0,) * 7, 1.0, *(0.0,) * 7, 2.0**24, *(0.0,) * 7), 2.0**24 + 2),
    ],
)
def test_the_order_of_a_float32_sum(values, expected):
    """Sums that tell one order of addition from another, worked out by hand: 2**24 + 1 is no float32."""
    assert total_in_float32(values) == expected


def test_a_long_chain_begins_again_after_sixteen():
    """2**24 and fifteen ones in the first lane's first chain are lost, later ones add up beside it."""
    chain = [2.0**24, *(1.0,) * 31]
    values = [0.0] * (len(chain) * 32)
    values[::32] = chain
    assert total_in_float32(values) == 2.0**24 + 16


def test_sums_of_sums_begin_again_after_two_hundred_and_fifty_six():
    """Sixteen is half a unit of 2**28 and lost when it comes alone, but sixteen sixteens come together."""
    chain = [2.0**28, *(0.0,) * 255, *(1.0,) * 256]
    values = [0.0] * (len(chain) * 32)
    values[::32] = chain
    assert total_in_float32(values) == 2.0**28 + 256


def test_a_sum_beyond_float32_is_infinite():
    assert total_in_float32((3e38, 3e38)) == math.inf
    assert to_float32(3.5e38) == math.inf
