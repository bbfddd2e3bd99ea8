"""Half precision by outside witnesses: values that torch's casts give."""

from __future__ import annotations

import struct
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dense_cli.mistakes.halves import to_bfloat16, to_float16


@pytest.mark.parametrize(
    ("value", "bfloat16"),
    [
        (255.0, 255.0),
        (256.0, 256.0),
        (257.0, 256.0),  # a tie goes to the even neighbour
        (259.0, 260.0),
        (65537.0, 65536.0),
        (0.865964323, 0.8671875),
        (-8.03125, -8.0),
        (0.0, 0.0),
        (3.39e38, 3.3895313892515355e38),
        (3.4e38, inf),
        (2.0**-133, 2.0**-133),  # the smallest
        (2.0**-135, 0.0),
    ],
)
def test_bfloat16_as_model_code_rounds_to_it(value, bfloat16):
    assert to_bfloat16(value) == bfloat16


@pytest.mark.parametrize(
    ("value", "float16"),
    [(2047.0, 2047.0), (2049.0, 2048.0), (2051.0, 2052.0), (65519.0, 65504.0), (65520.0, inf), (-7e4, -inf)],
)
def test_float16_as_model_code_rounds_to_it(value, float16):
    assert to_float16(value) == float16


@given(st.floats(-1e38, 1e38))
def test_a_bfloat16_is_a_float32_whose_last_sixteen_bits_are_zero(value):
    (bits,) = struct.unpack("<I", struct.pack("<f", to_bfloat16(value)))
    assert bits & 0xFFFF == 0
    assert abs(to_bfloat16(value) - value) <= max(abs(value) * 2.0**-8, 2.0**-134)
