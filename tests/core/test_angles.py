"""Cosines, sines and angles against mpmath's, and the laws of the circle."""

import hashlib
import math
import struct
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core.angles import Rate, angle, cos_sin

# Each row: p, q, cosine and sine of p/q of a turn, by mpmath with 400 bits, rounded to float64.
PARTS_OF_A_TURN = [
    (1, 5, 0.30901699437494745, 0.9510565162951535),
    (2, 7, -0.2225209339563144, 0.9749279121818236),
    (1, 8, 0.7071067811865476, 0.7071067811865476),
    (3, 8, -0.7071067811865476, 0.7071067811865476),
    (5, 8, -0.7071067811865476, -0.7071067811865476),
    (7, 8, 0.7071067811865476, -0.7071067811865476),
    (5, 9, -0.9396926207859084, -0.3420201433256687),
    (7, 11, -0.6548607339452851, -0.7557495743542583),
    (1, 16, 0.9238795325112867, 0.3826834323650898),
    (11, 13, 0.5680647467311558, -0.8229838658936564),
    (1, 360, 0.9998476951563913, 0.01745240643728351),
    (89, 360, 0.01745240643728351, 0.9998476951563913),
    (91, 360, -0.01745240643728351, 0.9998476951563913),
    (179, 360, -0.9998476951563913, 0.01745240643728351),
    (359, 360, 0.9998476951563913, -0.01745240643728351),
    (100, 359, -0.1784338887889857, 0.9839519029564605),
    (46, 357, 0.6897894633454882, 0.7240100111583703),
]

# SHA-256 of cosine and sine (little-endian float64, exact zeros as 0.0) of every reduced p/q of a
# turn with q from 1 to 360 and p from 0 to q - 1, q by q, made by mpmath with 400 bits.
ALL_PARTS_UP_TO_360 = "9d0bde116e6901ec869918e5a7b7fd1c2c07a9a4debb229f4f080f0cc30b2988"

ROOT_3_HALVES = 0.8660254037844386

TWELFTHS = [
    (1.0, 0.0),
    (ROOT_3_HALVES, 0.5),
    (0.5, ROOT_3_HALVES),
    (0.0, 1.0),
    (-0.5, ROOT_3_HALVES),
    (-ROOT_3_HALVES, 0.5),
    (-1.0, 0.0),
    (-ROOT_3_HALVES, -0.5),
    (-0.5, -ROOT_3_HALVES),
    (0.0, -1.0),
    (0.5, -ROOT_3_HALVES),
    (ROOT_3_HALVES, -0.5),
]

# Each row: rate, position, cosine, sine, by mpmath with 1200 bits, rounded to float64.
OTHER_ANGLES = [
    (Rate.radians(1), 1, 0.5403023058681398, 0.8414709848078965),
    (Rate.radians(1), 10**12, 0.7914463018528902, -0.6112387023768895),
    (Rate.radians(1), 10**22, 0.523214785395139, -0.8522008497671888),
    (Rate.radians(1), 10**40, -0.8218988919070239, -0.5696334009536363),
    (Rate.radians(1), -355, -0.999999999545659, 3.014435335948845e-05),
    (Rate.radians(0.1), 1000003, -0.9652903373108876, -0.2611791812036953),
    (Rate.radians(Fraction(1, 10)), 1000003, -0.9652903373123375, -0.2611791811983369),
    (Rate.radians(Fraction(1, 3)), 10**12 - 1, 0.02893877011721487, 0.9995811860895056),
    (Rate.radians(math.pi / 2), 1, 6.123233995736766e-17, 1.0),
    (Rate.radians(math.pi / 2), 10**12 + 3, -6.123233991928727e-05, -0.9999999981253003),
    (Rate.radians(1), 11, 0.004425697988050785, -0.9999902065507035),
    (Rate.radians(1), 5419351, -0.9999999999999992, -3.8200475070896605e-08),
    (Rate.radians(1), Fraction(5, 2), -0.8011436155469337, 0.5984721441039565),
    (Rate.radians(1), Fraction(1, 10**9), 1.0, 1e-09),
    (Rate.turns(Fraction(1, 4)), Fraction(1, 3), 0.8660254037844386, 0.5),
    (Rate.turns(Fraction(1, 7)), -(10**40), -0.9009688679024191, 0.4338837391175581),
    (Rate.power(10000, Fraction(-2, 64)), 10**12, 0.00719165906238419, 0.9999741396855872),
    (Rate.power(10000, Fraction(-2, 64)), 10**40, 0.26735235823708614, 0.9635988358985645),
    (Rate.power(10000, Fraction(-2, 64)), 10**60, 0.2949048775909306, 0.9555266156277795),
    (Rate.power(10000, Fraction(-2, 64)), 131071, 0.05461793093792512, 0.9985073267733492),
    (Rate.power(500000, Fraction(-126, 128)), 10**12 - 7, 0.2662504245904675, -0.9639038911662281),
    (Rate.power(500000, Fraction(-2, 5)), 10**15, -0.4526239142060671, 0.8917015152441868),
    (Rate.power(1000000.5, Fraction(-4, 96)), 999999999989, -0.5152057792700011, 0.8570665114253332),
    (Rate.power(10000, Fraction(2, 3)), 10**12, 0.6721100197837433, -0.7404512957016796),
    (
        Rate.power(10000, Fraction(-2, 8)).scaled(Fraction(1, 8)),
        10**12,
        -0.5944156882323565,
        -0.8041579382081943,
    ),
    (-Rate.power(10000, Fraction(-6, 8)), 12345678, 0.7101193587161447, 0.704081313753299),
    (
        Rate.power(Fraction(1, 2), Fraction(-1, 3)),
        Fraction(10**9, 7),
        -0.22575792844428588,
        -0.974183431261559,
    ),
    (Rate.power(10000, Fraction(-1, 2)), 0, 1.0, 0.0),
    (Rate.turns(Fraction(1, 12 * 10**400)), -(10**400), 0.8660254037844386, -0.5),
    (Rate.turns(Fraction(1, 4 * 10**400)), -(10**400), 0.0, -1.0),
    # Smaller than any float64, and than the first widths of the sum: sin x is x, cos x is 1.
    (Rate.radians(Fraction(1, 10**400)), 1, 1.0, 0.0),
    (Rate.radians(Fraction(-1, 10**310)), 1, 1.0, -1e-310),
]

FAR = [0, 1, -1, 10**12, 10**40, -(10**40)]

exact_turns = st.fractions(min_value=-3, max_value=3, max_denominator=720).map(Rate.turns)
plain_radians = st.floats(-10, 10).map(Rate.radians)
powers = st.builds(
    Rate.power,
    st.sampled_from([100, 10000, 500000, 12345.678]),
    st.fractions(min_value=-1, max_value=0, max_denominator=64),
)
rates = exact_turns | plain_radians | powers
places = st.integers(-(10**12), 10**12) | st.integers(-9, 9) | st.fractions(-1000, 1000, max_denominator=100)


def signs_and_values(pair):
    """Told apart by the sign of a zero as well, which == does not see."""
    return tuple((math.copysign(1, value), value) for value in pair)


@pytest.mark.parametrize(("p", "q", "cosine", "sine"), PARTS_OF_A_TURN)
def test_parts_of_a_turn_are_correctly_rounded(p, q, cosine, sine):
    assert cos_sin(Rate.turns(Fraction(p, q)), 1) == (cosine, sine)


def test_every_part_of_a_turn_up_to_360_is_correctly_rounded():
    digest = hashlib.sha256()
    for q in range(1, 361):
        for p in range(q):
            if math.gcd(p, q) == 1:
                digest.update(struct.pack("<2d", *cos_sin(Rate.turns(Fraction(1, q)), p)))
    assert digest.hexdigest() == ALL_PARTS_UP_TO_360


@pytest.mark.parametrize("whole", FAR)
@pytest.mark.parametrize(
    ("quarters", "expected"), [(0, (1.0, 0.0)), (1, (0.0, 1.0)), (2, (-1.0, 0.0)), (3, (0.0, -1.0))]
)
def test_quarter_turns_are_exact_and_never_minus_zero(quarters, expected, whole):
    position = 4 * whole + quarters
    for rate, at in ((Rate.turns(Fraction(1, 4)), position), (Rate.turns(Fraction(-1, 4)), -position)):
        assert signs_and_values(cos_sin(rate, at)) == signs_and_values(expected)


@pytest.mark.parametrize("whole", FAR)
@pytest.mark.parametrize(("twelfths", "expected"), list(enumerate(TWELFTHS)))
def test_twelfths_give_exactly_one_half_where_it_is_due(twelfths, expected, whole):
    assert cos_sin(Rate.turns(Fraction(1, 12)), 12 * whole + twelfths) == expected


@pytest.mark.parametrize(("rate", "position", "cosine", "sine"), OTHER_ANGLES)
def test_other_angles_are_correctly_rounded_at_any_position(rate, position, cosine, sine):
    assert signs_and_values(cos_sin(rate, position)) == signs_and_values((cosine, sine))


@pytest.mark.parametrize(
    ("rate", "theta"),
    [
        (Rate.turns(Fraction(1, 4)), 1.5707963267948966),
        (Rate.turns(Fraction(1, 7)), 0.8975979010256552),
        (-Rate.turns(Fraction(1, 4)), -1.5707963267948966),
        (Rate.radians(0.1), 0.1),
        (Rate.power(10000, 0), 1.0),
        (Rate.power(10000, Fraction(-1, 2)), 0.01),
        (Rate.power(10000, Fraction(-2, 6)), 0.04641588833612779),
        (Rate.power(10000, Fraction(-4, 6)), 0.002154434690031884),
        (Rate.power(500000, Fraction(-2, 5)), 0.005253055608807534),
        (Rate.power(10000, Fraction(1, 2)).scaled(Fraction(1, 8)), 12.5),
        (Rate.radians(0), 0.0),
        (Rate.radians(Fraction(10**400)), math.inf),
        (Rate.radians(Fraction(-(10**400))), -math.inf),
    ],
)
def test_theta_is_the_angle_per_position_rounded_once(rate, theta):
    assert rate.theta == theta


def test_an_angle_is_position_times_rate_without_reduction():
    """Three quarter turns are 3π/2 = 4.71238898038469 radians, and a radian a position is the position."""
    assert angle(Rate.turns(Fraction(1, 4)), 3) == 4.71238898038469
    assert angle(Rate.radians(1), Fraction(5, 2)) == 2.5
    assert angle(Rate.turns(1), 0) == 0.0


@pytest.mark.parametrize(
    ("rate", "turn"),
    [
        (Rate.turns(Fraction(3, 8)), Fraction(3, 8)),
        (Rate.turns(Fraction(3, 8)).scaled(2), Fraction(3, 4)),
        (Rate.radians(0), 0),
        (Rate.radians(1), None),
        (Rate.power(10000, Fraction(-1, 2)), None),
    ],
)
def test_only_rational_parts_of_a_turn_have_a_turn(rate, turn):
    assert rate.turn == turn


@pytest.mark.parametrize(
    ("rate", "wavelength"),
    [
        (Rate.turns(Fraction(-3, 8)), 8 / 3),
        (Rate.radians(1), 6.283185307179586),
        (Rate.power(10000, Fraction(-1, 3)), 135.36712389686338),
        (Rate.radians(0), None),
    ],
)
def test_the_wavelength_is_positions_per_full_turn(rate, wavelength):
    assert rate.wavelength == wavelength


def test_a_float_and_the_decimal_it_was_typed_as_are_different_angles():
    """0.1 is not a tenth: at 10**17 the two stand half a radian apart."""
    float_angle, typed_angle = Rate.radians(0.1), Rate.radians(Fraction(1, 10))
    assert float_angle != typed_angle
    assert abs(angle(float_angle, 10**17) - angle(typed_angle, 10**17)) == pytest.approx(0.5551115, abs=2)
    assert cos_sin(float_angle, 10**17) != cos_sin(typed_angle, 10**17)


@settings(max_examples=50, deadline=None)
@given(rates, places)
def test_cosine_and_sine_lie_on_the_unit_circle(rate, position):
    cosine, sine = cos_sin(rate, position)
    assert abs(Fraction(cosine) ** 2 + Fraction(sine) ** 2 - 1) <= Fraction(math.ulp(1.0))


@settings(max_examples=50, deadline=None)
@given(rates, places)
def test_cosine_is_even_and_sine_is_odd(rate, position):
    cosine, sine = cos_sin(rate, position)
    assert cos_sin(rate, -position) == cos_sin(-rate, position) == (cosine, -sine)


@settings(max_examples=50, deadline=None)
@given(exact_turns, places, st.integers(-(10**40), 10**40))
def test_whole_and_quarter_turns_more_change_nothing_but_the_axes(rate, position, whole):
    turns = rate.factor * position
    cosine, sine = cos_sin(Rate.turns(1), turns)
    assert cos_sin(Rate.turns(1), turns + whole) == (cosine, sine)
    assert cos_sin(Rate.turns(1), turns + whole + Fraction(1, 4)) == (-sine, cosine)


@settings(max_examples=50, deadline=None)
@given(rates, places, places)
def test_angles_add_by_the_addition_theorem(rate, one, other):
    (a, b), (c, d) = cos_sin(rate, one), cos_sin(rate, other)
    expected = pytest.approx((a * c - b * d, b * c + a * d), rel=0, abs=4e-16)
    assert cos_sin(rate, one + other) == expected


@settings(max_examples=50, deadline=None)
@given(st.floats(-1e5, 1e5))
def test_one_position_of_plain_radians_agrees_with_the_math_library(radians):
    cosine, sine = cos_sin(Rate.radians(radians), 1)
    assert abs(cosine - math.cos(radians)) <= math.ulp(cosine)
    assert abs(sine - math.sin(radians)) <= math.ulp(sine)
