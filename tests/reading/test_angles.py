"""Angles keep what is exact about them."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.errors import DenseError
from dense_cli.reading.angles import angle, angles


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("90deg", Fraction(1, 4)),
        ("90°", Fraction(1, 4)),
        ("90 degrees", Fraction(1, 4)),
        ("90度", Fraction(1, 4)),
        ("-22.5deg", Fraction(-1, 16)),
        ("1/4turn", Fraction(1, 4)),
        ("1/4 turn", Fraction(1, 4)),
        ("1/3 TURN", Fraction(1, 3)),
        ("pi/2", Fraction(1, 4)),
        ("2π/3", Fraction(1, 3)),
        ("-pi/4", Fraction(-1, 8)),
        ("2pi", 1),
        ("pi/2 rad", Fraction(1, 4)),
        ("（１／２）π", Fraction(1, 4)),
        ("0.5pi", Fraction(1, 4)),
        ("0", 0),
        ("0deg", 0),
    ],
)
def test_a_rational_part_of_a_turn_is_exact(text, turns):
    assert angle(text) == ("turn", turns)


def test_radians_stay_radians():
    assert angle("0.5") == ("radian", Fraction(1, 2))
    assert angle("1.5707963267948966") == ("radian", Fraction("1.5707963267948966"))
    assert angle("√2") == ("radian", 2**0.5)
    unit, value = angle("√2deg")
    assert unit == "radian"
    assert value == pytest.approx(math.radians(2**0.5), rel=1e-15)


@given(st.integers(-720, 720), st.integers(1, 360))
@settings(max_examples=100)
def test_degrees_turns_and_multiples_of_pi_agree(over, under):
    assert angle(f"{over}/{under}*360deg") == angle(f"{over}/{under}turn") == angle(f"2*({over}/{under})*pi")


@pytest.mark.parametrize(
    ("text", "count"),
    [("pi/2,1/4 turn", 2), ("1/4 turn 90 deg", 2), ("[pi/2; 1]", 2), ("90°、45°", 2), ("1", 1), ("1 2 3", 3)],
)
def test_a_list_of_angles_is_separated_as_a_vector_is(text, count):
    assert len(angles(text)) == count


@pytest.mark.parametrize(
    "text", ["", "deg", "°", "1e400", "1e400deg", "1e-400", "90degree s", "x", "1/2π", "nan"]
)
def test_what_is_no_angle_is_refused(text):
    with pytest.raises(DenseError) as refused:
        angle(text)
    assert refused.value.facts["typed"] == text


@given(st.text(max_size=30))
@settings(max_examples=100)
def test_any_text_is_angles_or_a_refusal(text):
    try:
        found = angles(text)
    except DenseError:
        return
    assert {unit for unit, _ in found} <= {"turn", "radian"}
