"""Budgets against table 25.2, counted modules and the equation that defines them."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core.budget import budget, ffn_parameters
from dense_cli.errors import DenseError

CASES = json.loads((Path(__file__).parents[1] / "data" / "ffn_counts.json").read_text())["cases"]
widths = st.integers(1, 10**6)
few = settings(max_examples=50, deadline=None)


def test_table_25_2():
    rows = [
        (count.kind, count.matrices, count.width, count.hidden, count.parameters)
        for count in budget(12, 48).rows
    ]
    assert rows == [("relu", 2, 12, 48, 1152), ("swiglu", 3, 12, 48, 1728), ("swiglu", 3, 12, 32, 1152)]


def test_exercise_5():
    solved = budget(24, 96)
    assert (solved.plain.parameters, solved.matched.hidden, solved.matched.parameters) == (4608, 64, 4608)
    assert solved.same_width.difference * 2 == solved.plain.parameters  # the budget grows by half


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_counts_are_those_of_real_modules(case):
    width, expected = case["C"], case["expected"]
    assert ffn_parameters(width, case["F_relu"], 2) == expected["relu"]
    assert ffn_parameters(width, case["F_gated"], 3) == expected["gated"]
    assert budget(width, case["F_relu"]).matched.hidden == expected["matched_gated_width"]


def test_no_whole_width_has_two_neighbours():
    """2·50/3 is 33 1/3: by hand 3·12·33 = 1188 and 3·12·34 = 1224 around 1200."""
    near = budget(12, 50)
    assert near.matched is None
    assert (near.below.hidden, near.below.parameters, near.below.difference) == (33, 1188, -12)
    assert (near.above.hidden, near.above.parameters, near.above.difference) == (34, 1224, 24)
    assert [count.hidden for count in near.rows] == [50, 50, 33, 34]


def test_no_width_below_one():
    tiny = budget(5, 1)
    assert (tiny.below, tiny.above.hidden) == (None, 1)
    assert [count.hidden for count in tiny.rows] == [1, 1, 1]


def test_biases_are_counted_and_matched():
    """By hand for 12 and 48: 1152 + 48 + 12 = 1212; 3·12·31 + 2·31 + 12 = 1190; 3·12·32 + 64 + 12 = 1228."""
    with_bias = budget(12, 48, bias=True)
    assert with_bias.plain.parameters == 1212
    assert with_bias.same_width.parameters == 1728 + 2 * 48 + 12
    assert with_bias.matched is None
    assert (with_bias.below.hidden, with_bias.below.parameters) == (31, 1190)
    assert (with_bias.above.hidden, with_bias.above.parameters) == (32, 1228)


def test_biases_can_match_exactly():
    """C = 1: 2F + F + 1 = 3F' + 2F' + 1, so 5 and 3."""
    assert budget(1, 5, bias=True).matched.hidden == 3


@pytest.mark.parametrize(
    ("width", "hidden", "multiple_of", "rounded", "below"),
    [
        (4096, 16384, 256, 11008, 10752),  # Llama 7B
        (5120, 20480, 256, 13824, 13568),  # Llama 13B
        (8192, 32768, 256, 22016, 21760),  # Llama 65B
        (97, 388, 256, 512, 256),  # the whole part is 258
        (12, 97, 64, 64, 64),  # 64 2/3 is cut to 64 before it is rounded up
        (12, 48, 64, 64, None),
        (12, 1, 8, 8, None),  # the whole part of 2/3 is 0, which is no width
    ],
)
def test_rounding_is_that_of_the_model_family(width, hidden, multiple_of, rounded, below):
    """Widths of published configs, and edges by hand."""
    result = budget(width, hidden, multiple_of)
    assert result.rounded.hidden == rounded
    assert (result.multiple_below and result.multiple_below.hidden) == below
    assert result.rounded.difference == 3 * width * rounded - 2 * width * hidden


def test_counts_of_any_size_are_exact():
    """10⁹ + 7 and 3·10⁹ + 21, as often as one likes: twice their product, and two thirds of the second."""
    large = budget(1000000007, 3000000021)
    assert large.plain.parameters == 6000000084000000294
    assert large.matched.hidden == 2000000014


@few
@given(widths, widths, st.booleans())
def test_the_budget_lies_between_its_neighbours(width, hidden, bias):
    result = budget(width, hidden, bias=bias)
    assert result.above.difference >= 0
    assert result.below is None or result.below.difference <= 0
    assert result.above.hidden - (result.below.hidden if result.below else 0) == (result.matched is None)
    assert (result.matched is not None) == (result.above.difference == 0)


@few
@given(widths, widths)
def test_a_match_is_exact_when_and_only_when_three_divides(width, hidden):
    assert (budget(width, hidden).matched is not None) == (2 * hidden % 3 == 0)


@few
@given(widths, widths, st.integers(1, 4096))
def test_a_rounded_width_is_the_first_multiple_that_suffices(width, hidden, step):
    result = budget(width, hidden, multiple_of=step)
    least = max(1, 2 * hidden // 3)
    assert result.rounded.hidden % step == 0
    assert 0 <= result.rounded.hidden - least < step
    assert result.multiple_below is None or least - step < result.multiple_below.hidden <= least


@pytest.mark.parametrize(
    ("arguments", "key", "facts"),
    [
        ((0, 48), "not-positive", {"name": "width", "value": 0}),
        ((12, -1), "not-positive", {"name": "hidden", "value": -1}),
        ((12, 48, 0), "not-positive", {"name": "multiple-of", "value": 0}),
        ((12.0, 48), "count-not-whole", {"name": "width", "value": 12.0}),
        ((True, 48), "count-not-whole", {"name": "width", "value": True}),
    ],
)
def test_only_positive_whole_numbers_are_counted(arguments, key, facts):
    with pytest.raises(DenseError) as caught:
        budget(*arguments)
    assert (caught.value.key, caught.value.facts) == (key, facts)
