"""Rotations against table 25.1, model code and hand calculation, and the laws they keep."""

import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core.angles import Rate, cos_sin
from dense_cli.core.rope import QUARTER_TURN, Rope, Schedule, default_rates, pairs, rope, schedule
from dense_cli.errors import DenseError

CASES = json.loads((Path(__file__).parents[1] / "data" / "rope_apply.json").read_text("utf-8"))["cases"]


def quarter(*positions, query=(1.0, 0.0), key=(1.0, 0.0), **parts):
    """The chapter's example: two coordinates, a quarter turn a position."""
    return Rope(query, key, positions, (QUARTER_TURN,), rotary_dim=2, **parts)


def turned(row, position, rates, layout="interleaved", rotary_dim=None, **parts):
    """The row turned to one position."""
    return rope(Rope(row, row, ((position, position),), rates, rotary_dim or len(row), layout, **parts))[
        0
    ].query


def signs_and_values(row):
    return [(math.copysign(1, value), value) for value in row]


# --- outside witnesses ---------------------------------------------------------------------------


def test_table_25_1_is_exact_and_without_minus_zeros():
    rows = rope(quarter((0, 0), (0, 1), (1, 2), (0, 2)))
    told = [(row.query, row.key, row.dot, row.relative_dot, row.visible) for row in rows]
    assert told == [
        ((1, 0), (1, 0), 1, 1, True),
        ((1, 0), (0, 1), 0, 0, False),
        ((0, 1), (-1, 0), 0, 0, False),
        ((1, 0), (-1, 0), -1, -1, False),
    ]
    for row in rows:
        shown = (*row.query, *row.key, *row.relative_key, *row.products, row.dot, row.relative_dot)
        assert all(sign > 0 for sign, value in signs_and_values(shown) if value == 0)


def test_exercise_1_of_the_chapter():
    (row,) = rope(quarter((2, 3)))
    assert (row.query, row.key, row.dot, row.visible) == ((-1, 0), (0, -1), 0, False)
    assert (row.offset, row.query_angles, row.key_angles) == (1, (math.pi,), (4.71238898038469,))
    assert (row.query_cos_sin, row.key_cos_sin) == (((-1, 0),), ((0, -1),))
    assert (row.relative_angles, row.relative_cos_sin, row.relative_key) == (
        (math.pi / 2,),
        ((0, 1),),
        (0, 1),
    )


def test_no_result_of_a_quarter_turn_is_minus_zero():
    """Signed zeros and units in every combination, at all four directions."""
    values = (1.0, -1.0, 0.0, -0.0)
    for a, b, m in itertools.product(values, values, range(4)):
        (row,) = rope(Rope((a, b, b), (b, a, a), ((m, 1),), (QUARTER_TURN,), 2))
        shown = (*row.query, *row.key, *row.relative_key, *row.products, row.dot, row.relative_dot)
        assert (-1.0, 0.0) not in signs_and_values(shown)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_rotations_and_products_are_those_of_model_code(case):
    positions = case["positions"]
    where = [(i, j) for i in range(len(positions)) for j in range(len(positions))]
    near, product_near = (
        {"rel": case["tolerance"][name]["rtol"], "abs": case["tolerance"][name]["atol"]}
        for name in ("expected", "dots")
    )
    for i, j in where:
        (row,) = rope(
            Rope(
                tuple(case["q"][i]),
                tuple(case["k"][j]),
                ((positions[i], positions[j]),),
                tuple(Rate.radians(frequency) for frequency in case["inv_freq"]),
                case["rotary_dim"],
                case["layout_in"],
                case["attention_scaling"],
                output_layout=case["layout_out"],
            )
        )
        assert row.query == pytest.approx(case["expected"]["q"][i], **near)
        assert row.key == pytest.approx(case["expected"]["k"][j], **near)
        assert row.dot == pytest.approx(case["expected"]["dots"][i][j], **product_near)
        assert row.relative_dot == pytest.approx(case["expected"]["dots"][i][j], **product_near)


X = (1.0, 2.0, 3.0, 4.0)
BY_HAND = schedule(100, 4)  # 1 and 0.1 radians a position


@pytest.mark.parametrize(
    ("layout", "output_layout", "expected"),
    [
        ("half", None, (-1.41335252, 0.728592152, -2.82885748, 4.41238637)),
        ("interleaved", None, (-1.27223251, -1.83886499, 1.68392864, 4.70790658)),
        ("interleaved", "half", (-1.27223251, 1.68392864, -1.83886499, 4.70790658)),
    ],
)
def test_one_vector_in_the_three_conventions_of_published_code(layout, output_layout, expected):
    """(1, 2, 3, 4) at position 3 by 1 and 0.1 radians: Llama, Cohere and DeepSeek-V3."""
    found = turned(X, 3, BY_HAND, layout, output_layout=output_layout)
    assert found == pytest.approx(expected, abs=1e-8)


def test_a_table_of_the_other_layout_changes_lengths():
    """(1, 0, 0, 2) at position 2: neighbours turned with a table made for halves, as xformers once did."""
    x = (1.0, 0.0, 0.0, 2.0)
    right = turned(x, 2, BY_HAND)
    wrong = turned(x, 2, BY_HAND, table_layout="half")
    assert right == pytest.approx((-0.416146837, 0.909297427, -0.397338662, 1.96013316), abs=1e-8)
    assert wrong == pytest.approx((-0.416146837, 0.198669331, -1.81859485, 1.96013316), abs=1e-8)
    assert turned(x, 2, BY_HAND, table_layout="interleaved") == right


def test_partial_rotation_leaves_the_rest_and_counts_exponents_by_its_own_width():
    """(1..8), four of eight coordinates, base 100, position 2, halves, as GPT-NeoX does it."""
    x = tuple(map(float, range(1, 9)))
    found = turned(x, 2, schedule(100, 4), "half", rotary_dim=4)
    assert found == pytest.approx((-3.14403912, 1.16545583, -0.339143083, 4.31760497, 5, 6, 7, 8), abs=1e-8)
    assert found[4:] == x[4:]


def test_exponents_and_partners_of_the_whole_head_are_a_schedule_with_still_pairs():
    """The same input turned as "proportional" rotation: pairs (0, 4) and (1, 5), exponents over eight."""
    still = Rate.radians(0)
    by_head = Schedule(100, 8, scale=lambda plain: (*plain[:2], *[still] * len(plain[2:])))
    found = turned(tuple(map(float, range(1, 9))), 2, by_head, "half")
    assert found == pytest.approx((-4.96263397, -1.93360588, 3, 4, -1.17143676, 6.02172469, 7, 8), abs=1e-8)


def test_the_direction_of_rotation_is_counterclockwise():
    """Half a radian a position; the second numbers are what code that turns clockwise gives."""
    right = Rope((1.0, 3.0), (2.0, -1.0), ((2, 5),), (Rate.radians(0.5),), 2)
    clockwise = replace(right, rates=tuple(-rate for rate in right.rates))
    for given_, query, score in (
        (right, (-1.98411065, 2.4623779), 6.9117277),
        (clockwise, (3.06471526, 0.779435933), -7.05320211),
    ):
        (row,) = rope(given_)
        assert row.query == pytest.approx(query, abs=1e-8)
        assert row.dot == pytest.approx(score, abs=1e-8)
        assert row.relative_dot == pytest.approx(score, abs=1e-8)


# --- schedules and layouts -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rates", "thetas"),
    [
        (schedule(10000, 4), [1.0, 0.01]),
        (schedule(100, 8), [1.0, 0.31622776601683794, 0.1, 0.03162277660168379]),
        (schedule(10000, 6), [1.0, 0.04641588833612779, 0.002154434690031884]),
        (schedule(500000, 6, 5), [1.0, 0.005253055608807534, 2.7594593229224296e-05]),
        (default_rates(2), [1.5707963267948966]),
        (default_rates(4), [1.0, 0.01]),
        (Schedule(100, 4, exponent=lambda i, width: Fraction(-i, width)), [1.0, 0.31622776601683794]),
        (
            Schedule(100, 4, exponent=lambda i, width: Fraction(-2 * i - 1, width)),
            [0.31622776601683794, 0.03162277660168379],
        ),
        (Schedule(100, 4, exponent=lambda i, width: Fraction(2 * i, width)), [1.0, 10.0]),
        (
            Schedule(100, 4, scale=lambda plain: tuple(rate.scaled(Fraction(1, 8)) for rate in plain)),
            [0.125, 0.0125],
        ),
    ],
)
def test_rates_follow_from_base_width_exponent_and_scale(rates, thetas):
    """An odd width 5 turns six coordinates with exponents over five."""
    assert [rate.theta for rate in rates] == thetas
    assert len(rates) == len(thetas)
    assert rates[0].theta == thetas[0]


def test_a_replaced_part_of_a_schedule_takes_effect():
    scaled = Schedule(100, 4, scale=lambda plain: tuple(rate.scaled(2) for rate in plain))
    assert [rate.theta for rate in replace(scaled, base=10000)] == [2.0, 0.02]
    assert replace(scaled, rotary_dim=8)[3] == Rate.power(100, Fraction(-6, 8)).scaled(2)


@pytest.mark.parametrize(
    ("layout", "rotary_dim", "expected"),
    [
        ("interleaved", 2, ((0, 1),)),
        ("half", 2, ((0, 1),)),
        ("interleaved", 6, ((0, 1), (2, 3), (4, 5))),
        ("half", 6, ((0, 3), (1, 4), (2, 5))),
        ("half", 0, ()),
    ],
)
def test_pairs_of_each_layout(layout, rotary_dim, expected):
    assert pairs(layout, rotary_dim) == expected


# --- parts that a variant replaces ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "query", "key", "dot"),
    [
        ({}, (0, 1), (0, -1), -1),
        ({"query_turn": lambda m, n: m + 1, "key_turn": lambda m, n: n + 1}, (-1, 0), (1, 0), -1),
        ({"query_turn": lambda m, n: m - 1, "key_turn": lambda m, n: n - 1}, (1, 0), (-1, 0), -1),
        ({"query_turn": lambda m, n: None, "key_turn": lambda m, n: None}, (1, 0), (1, 0), 1),
        ({"query_turn": lambda m, n: n, "key_turn": lambda m, n: m}, (0, -1), (0, 1), -1),
        ({"query_turn": lambda m, n: None}, (1, 0), (0, -1), 0),
        ({"key_turn": lambda m, n: None}, (0, 1), (1, 0), 0),
        ({"query_turn": lambda m, n: n - m, "key_turn": lambda m, n: n - m}, (-1, 0), (-1, 0), 1),
        ({"rates": (QUARTER_TURN.scaled(2),)}, (-1, 0), (-1, 0), 1),
        ({"table": lambda rate, position: (1.0, 0.0)}, (1, 0), (1, 0), 1),
    ],
)
def test_each_side_turns_by_what_its_part_says(part, query, key, dot):
    """By hand: query at 1 and key at 3, a quarter turn a position."""
    (row,) = rope(replace(quarter((1, 3)), **part))
    assert (row.query, row.key, row.dot) == (query, key, dot)
    assert row.relative_dot == dot
    assert (row.query_position, row.key_position, row.offset, row.visible) == (1, 3, 2, False)


def test_the_score_is_divided_by_the_root_of_the_head_width_unless_told_otherwise():
    """A product of 6 in a head of four is a score of 3; over sixteen it is 1.5; undivided it is 6."""
    given_ = Rope((6.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), ((1, 1),), schedule(100, 2), 2)
    assert rope(given_)[0].scaled_score == pytest.approx(3, abs=1e-15)
    assert rope(replace(given_, score_width=16))[0].scaled_score == pytest.approx(1.5, abs=1e-15)
    assert rope(replace(given_, score_width=1))[0].scaled_score == pytest.approx(6, abs=1e-15)


@pytest.mark.parametrize(
    ("m", "n", "visible"),
    [(3, 2, True), (3, 3, True), (2, 3, False), (Fraction(5, 2), Fraction(51, 20), False)],
)
def test_a_query_may_use_its_own_key_and_earlier_ones(m, n, visible):
    assert rope(quarter((m, n)))[0].visible is visible
    assert rope(quarter((m, n), visible=lambda m, n: True))[0].visible is True


def test_the_attention_factor_counts_twice_on_turned_coordinates_and_never_on_the_rest():
    """Half turn of both: (−2, 0 | 3)·(−2, 0 | 5) with factor 2 is 4 + 15."""
    given_ = Rope((1.0, 0.0, 3.0), (1.0, 0.0, 5.0), ((2, 2),), (QUARTER_TURN,), 2, attention_factor=2.0)
    (row,) = rope(given_)
    assert (row.query, row.key) == ((-2, 0, 3), (-2, 0, 5))
    assert row.query_cos_sin == ((-1, 0),)
    assert row.dot == row.relative_dot == 19
    (row,) = rope(replace(given_, query_turn=lambda m, n: None))
    assert (row.query, row.dot, row.relative_dot) == ((1, 0, 3), 13, 13)


def test_far_and_decimal_positions():
    (far, decimal) = rope(quarter((10**40 + 1, 10**40 + 2), (Fraction(1, 3), 0)))
    assert (far.query, far.key, far.dot, far.offset) == ((0, 1), (-1, 0), 0, 1)
    assert decimal.query == (0.8660254037844386, 0.5)  # a twelfth of a turn


def test_products_are_summed_without_losing_small_ones():
    """1e16 + 1 − 1e16 is 1; summed from left to right in float64 it is 0."""
    (row,) = rope(Rope((1e16, 1.0, 1e16), (1.0, 1.0, -1.0), ((0, 0),), (QUARTER_TURN,), 2))
    assert row.dot == row.relative_dot == 1


# --- laws ----------------------------------------------------------------------------------------

coordinates = st.floats(-100, 100)
fours = st.tuples(*[coordinates] * 4)
layouts = st.sampled_from(["interleaved", "half"])
near_and_far = st.integers(-20, 20) | st.integers(0, 10**12)
BASES = st.sampled_from([100, 10000, 500000])


@settings(max_examples=50, deadline=None)
@given(fours, near_and_far, layouts, BASES)
def test_rotation_keeps_the_length_of_every_pair(x, position, layout, base):
    y = turned(x, position, schedule(base, 4), layout)
    for a, b in pairs(layout, 4):
        assert math.hypot(y[a], y[b]) == pytest.approx(math.hypot(x[a], x[b]), rel=1e-15, abs=1e-300)


@settings(max_examples=50, deadline=None)
@given(fours, fours, near_and_far, st.integers(-9, 9), st.integers(-(10**9), 10**9), layouts)
def test_the_product_depends_on_the_offset_alone(q, k, m, offset, shift, layout):
    here = (m, m + offset)
    there = (m + shift, m + offset + shift)
    one, other = rope(Rope(q, k, (here, there), schedule(10000, 4), 4, layout))
    near = 4e-15 * math.hypot(*q) * math.hypot(*k) + 1e-300
    assert one.dot == pytest.approx(other.dot, rel=0, abs=near)
    assert one.dot == pytest.approx(one.relative_dot, rel=0, abs=near)
    assert one.relative_dot == other.relative_dot


@settings(max_examples=50, deadline=None)
@given(fours, fours, layouts, st.sampled_from([2, 4]))
def test_position_zero_changes_nothing(q, k, layout, rotary_dim):
    (row,) = rope(Rope(q, k, ((0, 0),), schedule(10000, rotary_dim), rotary_dim, layout))
    assert (row.query, row.key, row.relative_key) == (q, k, k)
    assert row.dot == row.relative_dot == math.fsum(a * b for a, b in zip(q, k, strict=True))


@settings(max_examples=50, deadline=None)
@given(st.tuples(*[coordinates] * 6), near_and_far)
def test_the_layouts_differ_by_one_permutation(x, position):
    """Interleaved on x is halves on (x0, x2, x4, x1, x3, x5), read back; and so is its output layout."""
    rates = schedule(10000, 6)
    gathered = (*x[0::2], *x[1::2])
    halves = turned(gathered, position, rates, "half")
    assert turned(x, position, rates, output_layout="half") == halves
    interleaved = turned(x, position, rates)
    assert (*interleaved[0::2], *interleaved[1::2]) == halves


@settings(max_examples=50, deadline=None)
@given(fours, near_and_far, near_and_far, layouts)
def test_two_rotations_are_one_by_the_sum(x, m, n, layout):
    rates = schedule(10000, 4)
    twice = turned(turned(x, m, rates, layout), n, rates, layout)
    assert twice == pytest.approx(turned(x, m + n, rates, layout), rel=0, abs=4e-15 * math.hypot(*x) + 1e-300)


@settings(max_examples=50, deadline=None)
@given(fours, st.integers(-(10**40), 10**40))
def test_quarter_turns_only_swap_and_negate(x, position):
    y = turned(x, position, (QUARTER_TURN, QUARTER_TURN))
    assert sorted(map(abs, y)) == sorted(map(abs, x))


def test_a_given_is_frozen_and_hashable():
    assert hash(quarter((0, 1))) == hash(quarter((0, 1)))
    assert quarter((0, 1)) == quarter((0, 1))
    assert quarter((0, 1)).table is cos_sin


# --- refusals ------------------------------------------------------------------------------------

ONE = (QUARTER_TURN,)


@pytest.mark.parametrize(
    ("given_", "key", "facts"),
    [
        (Rope((1.0, 0.0), (1.0,), ((0, 0),), ONE, 2), "width-mismatch", {"query_width": 2, "key_width": 1}),
        (Rope((), (), ((0, 0),), (), 0), "no-coordinates", {}),
        (Rope((1.0,), (1.0,), ((0, 0),), (), 1), "odd-width", {"width": 1}),
        (Rope((1.0,) * 3, (1.0,) * 3, ((0, 0),), ONE, 3), "odd-width", {"width": 3}),
        (Rope((1.0,) * 4, (1.0,) * 4, ((0, 0),), ONE, 3), "odd-width", {"width": 3}),
        (Rope((1.0,) * 4, (1.0,) * 4, (), ONE, 6), "rotary-dim-out-of-range", {"typed": 6, "width": 4}),
        (Rope((1.0,) * 4, (1.0,) * 4, (), ONE, 0), "rotary-dim-out-of-range", {"typed": 0, "width": 4}),
        (Rope((1.0,) * 4, (1.0,) * 4, (), ONE, -2), "rotary-dim-out-of-range", {"typed": -2, "width": 4}),
        (Rope((1.0,) * 4, (1.0,) * 4, (), ONE, 4), "rate-count", {"rates": 1, "pairs": 2}),
        (quarter((0, 0), layout="halves"), "unknown-layout", {"typed": "halves", "nearest": ("half",)}),
        (quarter((0, 0), query=(1e200, 0.0), key=(1e200, 0.0)), "rope-overflow", {}),
        (quarter((0, 0), query=(1e200, 1e200), key=(1e200, -1e200)), "rope-overflow", {}),
        (quarter((0, 0), query=(1.5e308, 1.5e308), key=(1.0, 1.0)), "rope-overflow", {}),
        (quarter((0, 0), attention_factor=1e200), "rope-overflow", {}),
    ],
)
def test_what_cannot_be_turned_is_refused_with_the_facts(given_, key, facts):
    with pytest.raises(DenseError) as caught:
        rope(given_)
    assert caught.value.key == key
    assert {name: caught.value.facts[name] for name in facts} == facts


@pytest.mark.parametrize("base", [0, -10000.0, Fraction(-1, 2)])
def test_a_base_that_is_not_positive_is_refused(base):
    with pytest.raises(DenseError) as caught:
        schedule(base, 4)
    assert (caught.value.key, caught.value.facts["typed"]) == ("base-not-positive", base)


@pytest.mark.parametrize("make", [lambda: schedule(10000, 5), lambda: pairs("half", 5)])
def test_an_odd_number_of_turned_coordinates_is_refused(make):
    with pytest.raises(DenseError) as caught:
        make()
    assert (caught.value.key, caught.value.facts["width"]) == ("odd-width", 5)
