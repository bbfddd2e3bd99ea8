"""Activations against mpmath, at ordinary numbers and far out."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core.activations import ACTIVATIONS, activation, silu, swish
from dense_cli.errors import DenseError

CASES = json.loads((Path(__file__).parents[1] / "data" / "activations.json").read_text())["cases"]
NAMES = {"gelu_pytorch_tanh": "gelu-tanh", "quick_gelu": "quick-gelu", "linear": "identity"}
few = settings(max_examples=50, deadline=None)


def ulps(got, expected):
    return abs(got - expected) / math.ulp(expected)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_activations_are_what_the_reference_says(case):
    act = ACTIVATIONS[NAMES.get(case["activation"], case["activation"])]
    for x, expected in zip(case["x"], case["output"], strict=True):
        assert ulps(act(x), expected) <= 2 or abs(act(x) - expected) < 1e-300


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("silu", 0.1, 0.052497918747894),
        ("silu", -0.1, -0.047502081252106004),
        ("silu", 5.5, 5.477614242562571),
        ("silu", -36.9, -3.4798456729763914e-15),
        ("silu", -36.921153331324966, -3.408961540685607e-15),
        ("silu", -300.25, -1.2038290649780128e-128),
        ("silu", -708.5, -1.42134473832723e-305),
        ("silu", -720.0, -1.46320617774547e-310),
        ("silu", 700.0, 700.0),
        ("sigmoid", 0.1, 0.52497918747894),
        ("sigmoid", -0.1, 0.47502081252106),
        ("sigmoid", -36.9, 9.430476078526807e-17),
        ("sigmoid", -700.5, 5.980196118639791e-305),
        ("sigmoid", 40.0, 1.0),
        ("gelu", 0.1, 0.053982783727702904),
        ("gelu", -3.25, -0.0018753313877699928),
        ("gelu", -10.1, -2.789730566482162e-23),
        ("gelu", -30.3, -1.736712221504595e-200),
        ("gelu", 8.5, 8.5),
        ("gelu-tanh", 0.1, 0.053982751045435165),
        ("gelu-tanh", -3.9, -0.00011219769187022598),
        ("gelu-tanh", -10.1, -1.1931087180459457e-38),
        ("gelu-tanh", 6.5, 6.499999999999372),
        ("quick-gelu", 0.1, 0.05424475808361819),
        ("quick-gelu", -37.6, -6.0593441080895046e-27),
        ("quick-gelu", -37.57699179613314, -6.297479138662668e-27),
        ("quick-gelu", -415.3, -4.379149440309845e-305),
        ("quick-gelu", -247.7, -2.0031484513039672e-181),
        ("quick-gelu", 12.5, 12.499999992800623),
    ],
)
def test_activations_are_good_to_the_last_digits(name, x, expected):
    """Expected values by mpmath with 60 digits; `gelu` is as good as the platform's erfc."""
    assert ulps(ACTIVATIONS[name](x), expected) <= (4 if name == "gelu" else 1)


@pytest.mark.parametrize(
    ("slope", "x", "expected"),
    [
        (0.5, -3.25, -0.5346785044138302),
        (-1.0, 2.0, 0.23840584404423512),
        (20.0, -30.125, -6.553928646860117e-261),
    ],
)
def test_swish_has_its_slope_inside(slope, x, expected):
    """Expected values by mpmath with 60 digits."""
    assert ulps(swish(x, slope), expected) <= 2


def test_the_chapter_prints_silu_of_plus_and_minus_one():
    assert (f"{silu(1.0):.6f}", f"{silu(-1.0):.6f}") == ("0.731059", "-0.268941")


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_nothing_overflows_anywhere(name):
    """At both ends of the floats every activation has its limit, and zero is never negative."""
    act = ACTIVATIONS[name]
    largest = 1.7976931348623157e308
    ends = {"sigmoid": (0.0, 1.0), "identity": (-largest, largest)}.get(name, (0.0, largest))
    assert (act(-largest), act(largest)) == ends
    assert name == "identity" or math.copysign(1, act(-largest)) == 1
    assert act(-1000.0) == (-1000.0 if name == "identity" else 0.0)


@few
@given(st.floats(-800, 800))
def test_silu_of_a_minus_silu_of_minus_a_is_a(a):
    assert silu(a) - silu(-a) == pytest.approx(a, rel=1e-15, abs=1e-323)


@few
@given(st.floats(-1e3, 1e3), st.sampled_from([Fraction(1), Fraction(0), Fraction(1702, 1000)]))
def test_swish_knows_its_special_slopes(x, slope):
    special = {Fraction(1): silu(x), Fraction(0): x / 2}.get(slope, ACTIVATIONS["quick-gelu"](x))
    assert swish(x, slope) == special


def test_an_unknown_activation_is_refused_with_the_nearest():
    with pytest.raises(DenseError) as caught:
        activation("slu")
    assert (caught.value.key, caught.value.facts["nearest"]) == ("unknown-activation", ("silu",))
