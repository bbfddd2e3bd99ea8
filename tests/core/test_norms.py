"""RMSNorm and LayerNorm against the chapter, reference values and their own laws."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core.exact import mean, root, square_sum
from dense_cli.core.norms import Norm, centred, layer_norm, mean_square, norm, scaled, shifted
from dense_cli.errors import DenseError

CASES = json.loads((Path(__file__).parents[1] / "data" / "norms.json").read_text())["cases"]
RMS_CASES = [case for case in CASES if case["kind"].startswith("rmsnorm") and "must_refuse" not in case]
LAYER_CASES = [case for case in CASES if case["kind"] == "layernorm"]

plain = st.floats(-1e6, 1e6).filter(lambda value: value == 0 or abs(value) > 1e-6)
rows = st.lists(plain, min_size=1, max_size=6).filter(any).map(tuple)
few = settings(max_examples=50, deadline=None)


def close(got, expected, ulps=1):
    return len(got) == len(expected) and all(
        abs(one - other) <= ulps * math.ulp(other) for one, other in zip(got, expected, strict=True)
    )


def matrix(rows_):
    return tuple(map(tuple, rows_))


def outputs(*row, **fields):
    (result,) = norm(Norm(x=(row,), **fields))
    return result.output


def refusal(call, *arguments, **fields):
    with pytest.raises(DenseError) as caught:
        call(*arguments, **fields)
    return caught.value


# The chapter


def test_example_25_2_has_the_printed_numbers():
    (row,) = norm(Norm(x=((3.0, 4.0),)))
    assert row.mean_square == 12.5
    assert f"{row.denominator:.6f}" == "3.535534"
    assert [f"{value:.6f}" for value in row.output] == ["0.848528", "1.131371"]


def test_a_shift_by_one_changes_rmsnorm_as_printed():
    (row,) = norm(Norm(x=shifted(((3.0, 4.0),), 1.0)))
    assert row.mean_square == 20.5
    assert [f"{value:.6f}" for value in row.output] == ["0.883452", "1.104315"]


def test_layernorm_forgets_the_shift_as_printed():
    first, second = layer_norm(Norm(x=((3.0, 4.0), (4.0, 5.0))))
    assert first.output == second.output == (-1.0, 1.0)
    assert (first.mean, second.mean, first.variance) == (3.5, 4.5, 0.25)


def test_exercise_2_divides_by_the_root_of_two():
    (row,) = norm(Norm(x=((0.0, 2.0),)))
    assert (row.denominator, row.output) == (math.sqrt(2), (0.0, math.sqrt(2)))


# Witnesses from outside


@pytest.mark.parametrize("case", RMS_CASES, ids=lambda case: case["id"])
def test_rmsnorm_is_what_the_reference_says(case):
    gain = None if case["gain"] is None else tuple(case["gain"])
    result = norm(Norm(matrix(case["x"]), gain, case["eps"], unit_offset=case["kind"] == "rmsnorm_1p"))
    for row, expected, details in zip(result, case["output"], case["rows"], strict=True):
        assert close(row.output, expected)
        assert close((row.mean_square, row.denominator), (details["mean_square"], details["denominator"]))


@pytest.mark.parametrize("case", LAYER_CASES, ids=lambda case: case["id"])
def test_layernorm_is_what_the_reference_says(case):
    gain = None if case["gain"] is None else tuple(case["gain"])
    result = layer_norm(Norm(matrix(case["x"]), gain, case["eps"]))
    for row, expected in zip(result, case["output"], strict=True):
        assert close(row.output, expected)


@pytest.mark.parametrize(
    ("row", "eps", "denominator", "output"),
    [
        ((3e-200, 4e-200), 0.0, 3.5355339059327375e-200, (0.848528137423857, 1.131370849898476)),
        ((3e200, 4e200), 0.0, 3.5355339059327375e200, (0.848528137423857, 1.131370849898476)),
        ((5e-324, 0.0), 0.0, 5e-324, (1.4142135623730951, 0.0)),
        (
            (5e-324, 1e-323, -2e-323),
            0.0,
            1.5e-323,
            (0.37796447300922725, 0.7559289460184545, -1.511857892036909),
        ),
        (
            (3e200, 1e-05, 5e-324),
            0.0,
            1.7320508075688773e200,
            (1.7320508075688772, 5.773502691896259e-206, 0.0),
        ),
        (
            (1e308, -1.7e308, 1.7e308),
            0.0,
            1.5033296378372908e308,
            (0.6651901052377394, -1.1308231789041567, 1.1308231789041567),
        ),
        ((0.003, 0.004), 1e-05, 0.004743416490252569, (0.6324555320336759, 0.8432740427115678)),
    ],
)
def test_no_square_overflows_or_vanishes(row, eps, denominator, output):
    """Expected values by mpmath with 60 digits."""
    (result,) = norm(Norm(x=(row,), eps=eps))
    assert close((result.denominator,), (denominator,))
    assert close(result.output, output)


@pytest.mark.parametrize(
    ("row", "mean_", "denominator", "output"),
    [
        (
            (1e308, -1.7e308, 1.7e308),
            3.333333333333333e307,
            1.465908895153068e308,
            (0.4547804224880253, -1.387080288588477, 0.9322998661004518),
        ),
        (
            (5e-324, 1e-323, -2e-323),
            0.0,
            1.5e-323,
            (0.508000508000762, 0.8890008890013334, -1.3970013970020956),
        ),
        (
            (1e16, 1e16 + 2, 1e16 + 4),
            1e16 + 2,
            1.632993161855452,
            (-1.224744871391589, 0.0, 1.224744871391589),
        ),
    ],
)
def test_layernorm_is_exact_for_far_and_tiny_rows(row, mean_, denominator, output):
    """Expected values by mpmath with 60 digits."""
    (result,) = layer_norm(Norm(x=(row,)))
    assert close((result.mean, result.denominator), (mean_, denominator))
    assert close(result.output, output)


def test_a_mean_square_beyond_the_floats_is_told_as_such():
    large, tiny = norm(Norm(x=((3e200, 4e200), (3e-200, 4e-200))))
    assert (large.mean_square, tiny.mean_square) == (math.inf, 0.0)


def test_gain_and_unit_offset():
    """[3, 4] / √12.5 by hand: 0.6·√2 and 0.8·√2."""
    unit = (0.6 * math.sqrt(2), 0.8 * math.sqrt(2))
    assert close(outputs(3.0, 4.0, gain=(2.0, 0.5)), (2 * unit[0], unit[1] / 2))
    assert close(outputs(3.0, 4.0, gain=(0.5, -0.25), unit_offset=True), (1.5 * unit[0], 0.75 * unit[1]))
    (row,) = layer_norm(Norm(x=((3.0, 4.0),), gain=(0.5, -0.25), unit_offset=True))
    assert (row.normalized, row.output) == ((-1.0, 1.0), (-1.5, 0.75))


def test_epsilon_stands_under_the_root():
    """√(0² + 10⁻⁶) is 10⁻³, as far as the float nearest to 10⁻⁶ goes."""
    (row,) = norm(Norm(x=((0.0, 0.0),), eps=1e-6))
    assert (row.denominator, row.output) == (0.001, (0.0, 0.0))


def test_a_root_is_exact_where_it_is_rational():
    assert root(Fraction(25, 9)) == Fraction(5, 3)
    assert root(Fraction(2)) ** 2 == pytest.approx(2, rel=1e-15)
    assert root(Fraction(10) ** 800) == Fraction(10) ** 400


def test_zero_is_never_negative():
    """Neither a typed -0 nor a value too small for a float leaves a sign behind."""
    signed = (*outputs(-0.0, 1.0), *outputs(-5e-324, 1.0, eps=9.0))
    assert [math.copysign(1, value) for value in signed if value == 0] == [1, 1]


# Laws


@few
@given(rows, st.sampled_from([0.0, 1e-6, 0.5]))
def test_the_mean_square_becomes_ms_over_ms_plus_eps(row, eps):
    output = tuple(map(Fraction, outputs(*row, eps=eps)))
    before = square_sum(tuple(map(Fraction, row))) / len(row)
    expected = before / (before + Fraction(eps))
    assert float(square_sum(output) / len(row) / expected) == pytest.approx(1, abs=1e-14)


@few
@given(rows, st.integers(-400, 400))
def test_a_positive_factor_cancels_without_epsilon(row, power):
    assert outputs(*(math.ldexp(value, power) for value in row)) == outputs(*row)


@few
@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=6), st.integers(-1000, 1000))
def test_layernorm_ignores_a_shift(row, shift):
    if len(set(row)) == 1:
        row = [*row, row[0] + 1]
    x = (tuple(map(float, row)),)
    assert layer_norm(Norm(x=shifted(x, float(shift))))[0].output == layer_norm(Norm(x=x))[0].output


@few
@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=6))
def test_layernorm_is_rmsnorm_of_the_centred_row(row):
    row = [*row, row[0] + 1]
    middle = sum(row) / len(row)
    by_hand = outputs(*(value * len(row) - sum(row) for value in row))  # the factor cancels
    (layered,) = layer_norm(Norm(x=(tuple(map(float, row)),)))
    assert layered.mean == middle
    assert layered.output == by_hand


@few
@given(rows, rows)
def test_rows_do_not_touch_each_other(first, second):
    width = min(len(first), len(second))
    x = (first[:width], second[:width])
    both = norm(Norm(x=x, eps=1e-5))
    assert both == (*norm(Norm(x=x[:1], eps=1e-5)), *norm(Norm(x=x[1:], eps=1e-5)))


# Refusals


@pytest.mark.parametrize(
    ("fields", "key", "facts"),
    [
        ({"x": ((3.0, 4.0), (0.0, -0.0))}, "zero-row", {"row": 2}),
        ({"x": ((3.0, 4.0),), "eps": -1.0}, "negative-eps", {"eps": -1.0}),
        ({"x": ((3.0, 4.0),), "eps": math.inf}, "negative-eps", {"eps": math.inf}),
        ({"x": ((3.0, 4.0),), "gain": (1.0, 1.0, 1.0)}, "gain-width", {"gain": 3, "width": 2}),
        ({"x": ((3.0, 4.0), (5.0,))}, "ragged-rows", {"name": "x", "row": 2, "width": 1, "expected": 2}),
        ({"x": ()}, "empty-matrix", {"name": "x"}),
        ({"x": ((),)}, "empty-matrix", {"name": "x"}),
        ({"x": ((3.0, math.nan),)}, "value-not-finite", {"name": "x"}),
        ({"x": ((3.0, 4.0),), "gain": (1.0, math.inf)}, "value-not-finite", {"name": "gain"}),
        ({"x": ((0.0, 4.0),), "gain": (1.0, 1.7e308)}, "output-overflow", {"row": 1}),
    ],
)
def test_what_cannot_be_normalised_is_refused(fields, key, facts):
    error = refusal(norm, Norm(**fields))
    assert (error.key, error.facts) == (key, facts)


def test_a_not_a_number_epsilon_is_refused():
    assert refusal(norm, Norm(x=((3.0, 4.0),), eps=math.nan)).key == "negative-eps"


def test_a_constant_row_has_no_layernorm_without_epsilon():
    x = ((1.0, 2.0, 3.0), (0.1, 0.1, 0.1))
    error = refusal(layer_norm, Norm(x=x))
    assert (error.key, error.facts) == ("constant-row", {"row": 2})
    assert layer_norm(Norm(x=x, eps=1e-6))[1].output == (0.0, 0.0, 0.0)


def test_shift_and_scale_are_plain_and_refuse_to_overflow():
    assert shifted(((3.0, 4.0),), 10.0) == ((13.0, 14.0),)
    assert scaled(((3.0, 4.0),), -2.0) == ((-6.0, -8.0),)
    assert refusal(shifted, ((1.7e308,),), 1.7e308).key == "shift-overflow"
    assert refusal(scaled, ((1e200,),), 1e200).key == "scale-overflow"


# One part replaced


def columns(matrix_):
    return (tuple(zip(*matrix_, strict=True)),) * len(matrix_)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"statistic": square_sum}, (0.6, 0.8)),
        ({"denominator": lambda statistic, eps: statistic + eps}, (0.24, 0.32)),
        ({"combine": lambda value, denominator: value * denominator}, (7.5 * 2**0.5, 10 * 2**0.5)),
        ({"centre": centred}, (-1.0, 1.0)),
        ({"statistic": lambda row: mean_square(centred(row))}, (6.0, 8.0)),
        ({"statistic": lambda row: mean(tuple(map(abs, row))) ** 2}, (3 / 3.5, 4 / 3.5)),
        ({"pools": columns}, (1.0, 1.0)),
        ({"statistic": lambda row: math.inf}, (0.0, 0.0)),
    ],
    ids=[
        "sum-not-mean",
        "no-root",
        "multiplied",
        "centred",
        "deviation-only",
        "mean-absolute",
        "wrong-axis",
        "half-precision-squares",
    ],
)
def test_a_wrong_path_is_one_replacement(parts, expected):
    given_ = Norm(x=((3.0, 4.0),))
    assert norm(replace(given_, **parts))[0].output == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"gain": None}, (1.0, 1.0)),
        ({"unit_offset": True}, (3.0, 1.5)),
        ({"unit_offset": True, "full_gain": lambda stored, unit_offset: 2 + stored}, (4.0, 2.5)),
        ({"apply_gain": lambda value, gain: value + gain}, (3.0, 1.5)),
        ({"denominator": lambda statistic, eps: root(statistic) + eps}, (2 / 4, 0.5 / 4)),
    ],
    ids=["gain-ignored", "unit-offset-unwanted", "unit-offset-twice", "gain-added", "eps-outside"],
)
def test_a_wrong_gain_or_epsilon_is_one_replacement(changes, expected):
    """[5, 5] has mean square 25, so that with an epsilon of 0 or outside the root all is whole."""
    eps = 15.0 if "denominator" in changes else 0.0
    given_ = Norm(x=((5.0, 5.0),), gain=(2.0, 0.5), eps=eps)
    assert norm(replace(given_, **changes))[0].output == expected


def test_a_statistic_that_all_rows_share_is_taken_once():
    taken = []
    given_ = Norm(
        x=((3.0, 1.0), (4.0, 7.0), (0.0, 1.0)), statistic=lambda row: taken.append(row) or mean_square(row)
    )
    norm(replace(given_, pools=columns))
    assert taken == [(3, 4, 0), (1, 7, 1)]
    norm(given_)
    assert taken[2:] == [(3, 1), (4, 7), (0, 1)]


def test_statistics_over_the_rows_read_the_whole_matrix():
    """The columns [3, 4] and [1, 7] have the mean squares 12.5 and 25."""
    wrong = norm(replace(Norm(x=((3.0, 1.0), (4.0, 7.0))), pools=columns))
    assert wrong[0].output == pytest.approx((3 / 12.5**0.5, 1 / 5), rel=1e-15)
    assert wrong[1].output == pytest.approx((4 / 12.5**0.5, 7 / 5), rel=1e-15)
