"""The gated network against the chapter, model code and its own parts."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core.activations import ACTIVATIONS, silu
from dense_cli.core.ffn import ORDERS, Ffn, ffn, gated, unpack, unpacked
from dense_cli.core.linear import product, shape, transpose
from dense_cli.errors import DenseError

CASES = json.loads((Path(__file__).parents[1] / "data" / "ffn.json").read_text())["cases"]
NAMES = {"gelu_pytorch_tanh": "gelu-tanh", "linear": "identity"}
few = settings(max_examples=50, deadline=None)
numbers = st.floats(-1e3, 1e3)

ONE = ((1.0, 0.0), (0.0, 1.0))
CHAPTER = Ffn(x=((1.0, -1.0),), wg=ONE, wu=((2.0, 0.0), (0.0, -3.0)), wd=((1.0, 0.0), (1.0, 1.0)))


def matrices(rows, columns):
    return st.lists(
        st.lists(numbers, min_size=columns, max_size=columns).map(tuple), min_size=rows, max_size=rows
    ).map(tuple)


def matrix(rows):
    return tuple(map(tuple, rows))


def six(row):
    return [f"{value:.6f}" for value in row]


def refusal(given_):
    with pytest.raises(DenseError) as caught:
        ffn(given_)
    return caught.value


# The chapter


def test_example_25_3_has_the_printed_numbers():
    (row,) = ffn(CHAPTER)
    assert (row.gate, row.up) == ((1.0, -1.0), (2.0, 3.0))
    assert six(row.activated) == ["0.731059", "-0.268941"]
    assert six(row.product) == ["1.462117", "-0.806824"]
    assert six(row.output) == ["0.655293", "-0.806824"]


def test_exercise_4_leaves_the_product():
    assert six(ffn(replace(CHAPTER, wd=ONE))[0].output) == ["1.462117", "-0.806824"]
    assert ffn(replace(CHAPTER, wd=None))[0].output == ffn(CHAPTER)[0].product


def test_every_token_stays_alone():
    both = ffn(replace(CHAPTER, x=((1.0, -1.0), (0.0, 0.0))))
    assert both[0] == ffn(CHAPTER)[0]
    assert both[1].output == (0.0, 0.0)


# Witnesses from outside


def given_of(case):
    """The reference case as it would be typed."""
    stored = {name: matrix(rows) for name, rows in case["weights"].items()}
    if case["weight_layout"] == "out_in":
        stored = {name: transpose(rows) for name, rows in stored.items()}
    fields = {"x": matrix(case["x"]), "wd": stored["down"]}
    bias = case["bias"] or {}
    if "gate_up" in stored:
        clamped = case["kind"] == "clamped_swiglu"
        fields |= {"packed": stored["gate_up"], "order": "interleaved" if clamped else "gate-up"}
        if clamped:
            bias = bias | {"gate": bias["gate_up"][::2], "up": bias["gate_up"][1::2]}
            fields |= {"alpha": case["alpha"], "limit": case["limit"], "up_offset": 1.0}
    else:
        fields |= {"wg": stored["gate"], "wu": stored["up"]}
    if case["kind"] != "clamped_swiglu":
        fields["activation"] = NAMES.get(case["activation"], case["activation"])
    names = {"bg": "gate", "bu": "up", "bd": "down"}
    return Ffn(**fields, **{field: tuple(bias[name]) for field, name in names.items() if name in bias})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_stage_is_what_model_code_computes(case):
    expected = case["expected"]
    stages = {
        "gate": "gate",
        "up": "up",
        "activated": "activated_gate",
        "product": "product",
        "output": "output",
    }
    stages |= {"gate": "gate_before_clamp", "up": "up_before_clamp"} if "limit" in case else {}
    result = ffn(given_of(case))
    assert len(result) == len(case["x"])
    for number, row in enumerate(result):
        for stage, name in stages.items():
            if name in expected:
                assert getattr(row, stage) == pytest.approx(expected[name][number], rel=1e-11, abs=1e-12), (
                    stage
                )


def test_the_clamped_form_by_hand():
    """Gate -9 stays and 12 becomes 7; up 12 becomes 7 and -12 becomes -7, then 1 is added."""
    row = ffn(Ffn(x=((1.0,),), wg=((-9.0, 12.0),), wu=((12.0, -12.0),), limit=7.0, up_offset=1.0))[0]
    assert (row.gate, row.up) == ((-9.0, 12.0), (12.0, -12.0))
    assert (row.gate_used, row.up_used) == ((-9.0, 7.0), (8.0, -6.0))
    assert row.product == (silu(-9.0) * 8, silu(7.0) * -6)


def test_alpha_is_the_slope_inside_the_sigmoid():
    """(0.5 + 1) · 2σ(1.702 · 2), to the digits of a report on the gpt-oss form."""
    form = Ffn(x=((1.0,),), wg=((2.0,),), wu=((0.5,),), alpha=1.702, limit=7.0, up_offset=1.0)
    assert ffn(form)[0].output[0] == pytest.approx(2.90348793, abs=5e-9)
    swish = replace(form, alpha=None, beta=1.702, limit=None, up_offset=0.0)
    assert ffn(swish)[0].output[0] == pytest.approx(0.967829312, abs=5e-10)


# Projections


def test_a_projection_is_rounded_once():
    """1e16 + 1 - 1e16 is 1, and 0.1 · 3 - 0.3 is what the two floats are beside the decimals."""
    assert product(((1e16, 1.0, -1e16),), ((1.0,), (1.0,), (1.0,))) == ((1.0,),)
    exact = 3 * Fraction(0.1) - Fraction(0.3)
    assert product(((0.1, 0.3),), ((3.0,), (-1.0,))) == ((float(exact),),)
    assert product(((1e200, 1.0),), ((1e200,), (1.0,))) == ((math.inf,),)


@few
@given(matrices(2, 3), matrices(3, 2), st.lists(numbers, min_size=2, max_size=2))
def test_projections_are_exact_sums_of_products(x, weights, bias):
    expected = tuple(
        tuple(
            float(sum((Fraction(a) * Fraction(b) for a, b in zip(row, column, strict=True)), Fraction(shift)))
            for column, shift in zip(transpose(weights), bias, strict=True)
        )
        for row in x
    )
    assert product(x, weights, tuple(bias)) == expected


@few
@given(matrices(2, 3))
def test_transposing_twice_changes_nothing(x):
    assert shape(transpose(x)) == (3, 2)
    assert transpose(transpose(x)) == x


# Parts


@few
@given(matrices(1, 2), matrices(2, 3), matrices(2, 3), st.sampled_from(sorted(ACTIVATIONS)))
def test_the_network_is_made_of_its_parts(x, wg, wu, name):
    (row,) = ffn(Ffn(x=x, wg=wg, wu=wu, activation=name))
    assert (row.gate, row.up) == (product(x, wg)[0], product(x, wu)[0])
    assert row.activated == tuple(map(ACTIVATIONS[name], row.gate))
    assert row.product == row.output == tuple(a * b for a, b in zip(row.activated, row.up, strict=True))


@few
@given(matrices(2, 3), matrices(2, 3))
def test_packing_and_unpacking_are_inverse(wg, wu):
    turns = tuple(
        tuple(value for pair in zip(*rows, strict=True) for value in pair)
        for rows in zip(wg, wu, strict=True)
    )
    packed = {
        "gate-up": tuple(g + u for g, u in zip(wg, wu, strict=True)),
        "up-gate": tuple(u + g for g, u in zip(wg, wu, strict=True)),
        "interleaved": turns,
    }
    assert set(packed) == set(ORDERS)
    for order, joined in packed.items():
        assert unpack(joined, order) == (wg, wu)


def test_a_packed_matrix_keeps_its_order_as_a_given():
    """The numbers of a report: gate 1, -1 and up 2, 3 in turn; read as halves they give something else."""
    packed = Ffn(x=((1.0,),), packed=((1.0, 2.0, -1.0, 3.0),), order="interleaved", wd=ONE)
    assert ffn(packed)[0].output == pytest.approx((1.46211716, -0.806824264), abs=5e-9)
    as_halves = replace(packed, order="gate-up")
    assert ffn(as_halves)[0].output == pytest.approx((-0.731058579, 5.28478247), abs=5e-9)
    assert ffn(unpacked(packed)) == ffn(packed)


def outer_over_gates(gate, up, act):
    return tuple(sum(map(act, gate)) * value for value in up)


PLUS, MINUS = 0.7310585786300049, -0.2689414213699951  # silu of 1 and -1


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"wg": CHAPTER.wu, "wu": CHAPTER.wg}, (1.7615941559557649, -2.8577223804673)),
        (
            {"combine": lambda g, u, act: tuple(map(act, gated(g, u, float)))},
            (1.7615941559557649, -0.14227761953270035),
        ),
        ({"activation": "identity"}, (2.0, -3.0)),
        ({"activation": "relu"}, (2.0, 0.0)),
        ({"activation": "sigmoid"}, (2 * PLUS, -3 * MINUS)),
        ({"act": lambda a: a * ACTIVATIONS["sigmoid"](-a)}, (-2 * MINUS, -3 * PLUS)),
        ({"combine": lambda g, u, act: tuple(map(act, g))}, (PLUS, MINUS)),
        ({"combine": outer_over_gates}, (2 * (PLUS + MINUS), 3 * (PLUS + MINUS))),
        (
            {"finish": lambda x, output: tuple(map(sum, zip(x, output, strict=True)))},
            (1 + 2 * PLUS, -1 + 3 * MINUS),
        ),
        ({"wu": ((2.0, 0.0), (0.0, 3.0))}, (2 * PLUS, -3 * MINUS)),
        ({"wd": transpose(CHAPTER.wd)}, (2 * PLUS, 2 * PLUS + 3 * MINUS)),
        ({"limit": 0.0}, (0.0, 0.0)),
    ],
    ids=[
        "swapped-branches",
        "activation-after-product",
        "activation-missing",
        "relu",
        "sigmoid",
        "exponent-sign",
        "up-missing",
        "matrix-product",
        "residual-added",
        "up-sign",
        "transposed",
        "limit-zero",
    ],
)
def test_a_wrong_path_is_one_replacement(changes, expected):
    """The chapter's numbers with W_d the identity, but its own where W_d is what changes."""
    given_ = CHAPTER if "wd" in changes else replace(CHAPTER, wd=ONE)
    assert ffn(replace(given_, **changes))[0].output == pytest.approx(expected, rel=1e-14, abs=1e-15)


# Refusals

WIDE = ((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
TALL = transpose(WIDE)


@pytest.mark.parametrize(
    ("changes", "key", "hint", "facts"),
    [
        (
            {"wu": WIDE},
            "branch-shapes",
            None,
            {"gate": 2, "up": 3, "shapes": "x 1×2, wg 2×2, wu 2×3, wd 2×2"},
        ),
        ({"wg": TALL}, "weight-rows", "weights-layout", {"name": "wg", "rows": 3, "columns": 2, "needed": 2}),
        ({"wg": ((1.0, 0.0),)}, "weight-rows", "one-row", {"name": "wg", "rows": 1, "needed": 2}),
        ({"wu": (*TALL, (1.0, 2.0, 3.0)[:2])}, "weight-rows", "weights-layout", {"name": "wu", "rows": 4}),
        ({"wg": (*WIDE, WIDE[0])}, "weight-rows", None, {"name": "wg", "rows": 3, "columns": 3}),
        ({"wd": TALL}, "down-shape", "weights-layout", {"name": "wd", "rows": 3, "columns": 2, "needed": 2}),
        (
            {"wd": ((1.0, 0.0),)},
            "down-shape",
            "one-row",
            {"rows": 1, "shapes": "x 1×2, wg 2×2, wu 2×2, wd 1×2"},
        ),
        ({"bg": (1.0,)}, "bias-width", None, {"name": "bg", "width": 1, "needed": 2}),
        ({"bd": (1.0, 2.0, 3.0)}, "bias-width", None, {"name": "bd", "width": 3, "needed": 2}),
        ({"wd": None, "bd": (1.0, 2.0)}, "bias-without-down", None, {}),
        (
            {"wu": ((1.0, 2.0), (3.0,))},
            "ragged-rows",
            None,
            {"name": "wu", "row": 2, "width": 1, "expected": 2},
        ),
        ({"x": ()}, "empty-matrix", None, {"name": "x"}),
        ({"bu": (math.nan, 0.0)}, "value-not-finite", None, {"name": "bu"}),
        ({"wg": None}, "weights-missing", None, {"missing": "wg"}),
        ({"packed": WIDE}, "weights-twice", None, {}),
        ({"wg": None, "wu": None, "packed": WIDE}, "packed-odd", None, {"columns": 3, "shape": "2×3"}),
        (
            {"wg": None, "wu": None, "packed": WIDE, "order": "up-gat"},
            "unknown-order",
            None,
            {"typed": "up-gat"},
        ),
        ({"activation": "sillu"}, "unknown-activation", None, {"typed": "sillu"}),
        ({"activation": "relu", "beta": 2.0}, "slope-unused", None, {"activation": "relu"}),
        ({"beta": 2.0, "alpha": 1.5}, "two-slopes", None, {"beta": 2.0, "alpha": 1.5}),
        ({"beta": math.inf}, "value-not-finite", None, {"name": "beta"}),
        ({"limit": -1.0}, "negative-limit", None, {"limit": -1.0}),
        ({"up_offset": math.inf}, "value-not-finite", None, {"name": "up-offset"}),
        (
            {"x": ((1e200, 0.0),), "wg": ((1e200, 0.0), ONE[1])},
            "ffn-overflow",
            None,
            {"row": 1, "stage": "gate"},
        ),
        ({"x": ((1e200, 0.0),), "wu": ((1e200, 0.0), ONE[1])}, "ffn-overflow", None, {"stage": "up"}),
        ({"x": ((1e160, 0.0),)}, "ffn-overflow", None, {"row": 1, "stage": "product"}),
        ({"wd": ((1.7e308, 0.0), ONE[1])}, "ffn-overflow", None, {"row": 1, "stage": "output"}),
    ],
)
def test_what_does_not_fit_is_refused_with_the_facts(changes, key, hint, facts):
    error = refusal(replace(CHAPTER, **changes))
    assert (error.key, error.hint) == (key, hint or key)
    assert error.facts.items() >= facts.items()


def test_a_closed_gate_leaves_no_negative_zero():
    (row,) = ffn(Ffn(x=((-1000.0,),), wg=((1.0,),), wu=((1.0,),)))
    assert [math.copysign(1, *stage) for stage in (row.activated, row.product, row.output)] == [1, 1, 1]


def test_an_output_may_have_another_width():
    """One coordinate in, two out: the network itself does not ask for the way back."""
    row = ffn(Ffn(x=((1.0,),), wg=((1.0, -1.0),), wu=((2.0, 3.0),), wd=ONE))[0]
    assert row.output == row.product
