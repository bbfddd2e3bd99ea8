"""What each mistake makes, by hand: every one that no exercise and no report shows."""

from __future__ import annotations

from fractions import Fraction
from math import cos, pi, sin, sqrt

import pytest

from dense_cli.core.ffn import Ffn, ffn
from dense_cli.core.norms import Norm, norm
from dense_cli.core.rope import Rope, Schedule, rope
from dense_cli.mistakes.diagnosis import diagnose
from dense_cli.mistakes.params import BudgetQuestion, budget_answer


def names(topic, given, compute, pick, found):
    return {one.id for one in diagnose(topic, given, compute, pick, found, atol=1e-8, pairs=False)}


def of(field):
    return lambda rows: getattr(rows[0], field)


def thetas(given):
    return tuple(rate.theta for rate in given.rates)


BASE_100 = Schedule(Fraction(100), 4)
FOUR = Rope((1.0, 2.0, 3.0, 4.0), (1.0, 1.0, 2.0, 0.0), ((3, 5),), BASE_100, 4)
# (1, 2) turned by 3 and (3, 4) by 0.3 radians
FIRST = (cos(3) - 2 * sin(3), sin(3) + 2 * cos(3))
SECOND = (3 * cos(0.3) - 4 * sin(0.3), 3 * sin(0.3) + 4 * cos(0.3))
HERE = Rope((1.0, 2.0, 3.0, 4.0), (1.0, 1.0, 1.0, 0.0), ((0, 0),), BASE_100, 4)  # a product of 6
TWO = Rope((1.0, 0.0), (0.0, 1.0), ((1, 1),), Schedule(Fraction(100), 2), 2, attention_factor=1.25)


@pytest.mark.parametrize(
    ("id", "found"),
    [
        ("exponent-without-two", (1.0, 100**-0.25)),
        ("exponent-odd", (100**-0.25, 100**-0.75)),
        ("exponent-sign", (1.0, 10.0)),
        ("one-angle", (1.0, 1.0)),
        ("half-turn", (2.0, 0.2)),
        ("degrees-as-radians", (180 / pi, 18 / pi)),
        ("radians-as-degrees", (pi / 180, pi / 1800)),
    ],
)
def test_rates_that_another_rule_gives(id, found):
    """From the base 100 and four coordinates, whose right rates are 1 and 0.1."""
    assert id in names("rope", FOUR, thetas, lambda rates: rates, found)


@pytest.mark.parametrize(
    ("id", "given", "field", "found"),
    [
        (
            "permuted-output",
            FOUR,
            "query",
            (
                cos(3) - 2 * sin(3),
                3 * cos(0.3) - 4 * sin(0.3),
                sin(3) + 2 * cos(3),
                3 * sin(0.3) + 4 * cos(0.3),
            ),
        ),
        (
            "spread-output",
            FOUR,
            "query",
            (
                cos(3) - 3 * sin(3),
                sin(3) + 3 * cos(3),
                2 * cos(0.3) - 4 * sin(0.3),
                2 * sin(0.3) + 4 * cos(0.3),
            ),
        ),
        (
            "exchanged",
            FOUR,
            "query",
            (cos(5) - sin(5), sin(5) + cos(5), 2 * cos(0.5), 2 * sin(0.5)),
        ),
        (
            "partial-ignored",
            Rope(FOUR.query, FOUR.key, FOUR.positions, Schedule(Fraction(100), 2), 2),
            "query",
            (
                cos(3) - 2 * sin(3),
                sin(3) + 2 * cos(3),
                3 * cos(0.3) - 4 * sin(0.3),
                3 * sin(0.3) + 4 * cos(0.3),
            ),
        ),
        ("attention-factor-ignored", TWO, "query", (cos(1), sin(1))),
        ("sine-with-cosine", TWO, "query", (1.25 * sin(1), 1.25 * cos(1))),
        ("half-precision-table", TWO, "query", (1.25 * 0.5390625, 1.25 * 0.83984375)),  # bfloat16
        ("half-precision-table", TWO, "query", (1.25 * 1107 / 2048, 1.25 * 1723 / 2048)),  # float16
        ("not-scaled", HERE, "scaled_score", 6.0),
        ("scaled-without-root", HERE, "scaled_score", 1.5),
        ("mask-without-itself", HERE, "visible", False),
        ("mask-ignored", FOUR, "visible", True),
    ],
)
def test_rotations_and_scores_made_otherwise(id, given, field, found):
    assert id in names("rope", given, rope, of(field), found)


ROW, SIGNED, THREE = ((1.0, 7.0),), ((-1.0, 7.0),), ((2.0, 3.0, 6.0),)  # root mean squares 5, 5, 7/√3


@pytest.mark.parametrize(
    ("id", "given", "found"),
    [
        ("root-twice", Norm(ROW), (1 / sqrt(5), 7 / sqrt(5))),
        ("no-root", Norm(ROW), (0.04, 0.28)),
        ("gain-ignored", Norm(ROW, gain=(2.0, 3.0)), (0.2, 1.4)),
        ("gain-added", Norm(ROW, gain=(2.0, 3.0)), (2.2, 4.4)),
        ("unit-offset-unwanted", Norm(ROW, gain=(2.0, 3.0)), (0.6, 5.6)),
        ("unit-offset-twice", Norm(ROW, gain=(0.5, -0.25), unit_offset=True), (0.5, 2.45)),
        ("mean-absolute", Norm(SIGNED), (-1 / 4, 7 / 4)),
        ("max-absolute", Norm(SIGNED), (-1 / 7, 1.0)),
        ("mean-before-square", Norm(SIGNED), (-1 / 3, 7 / 3)),
        ("width-alone", Norm(SIGNED), (-1 / sqrt(2), 7 / sqrt(2))),
        ("sum-not-mean", Norm(THREE), (2 / 7, 3 / 7, 6 / 7)),
        ("degrees-of-freedom", Norm(THREE), (2 / sqrt(24.5), 3 / sqrt(24.5), 6 / sqrt(24.5))),
        ("over-root-width", Norm(THREE), (2 / (7 * sqrt(3)), 3 / (7 * sqrt(3)), 6 / (7 * sqrt(3)))),
        ("deviation-only", Norm(((3.0, 4.0),)), (6.0, 8.0)),
        ("sample-variance", Norm(((3.0, 4.0),)), (-sqrt(0.5), sqrt(0.5))),
        ("eps-other", Norm(((0.0, 0.001),), eps=1e-5), (0.0, 0.001 / sqrt(5e-7 + 1e-12))),
        ("eps-other", Norm(((0.0, 0.001),), eps=1e-5), (0.0, 0.001 / sqrt(5e-7 + 1e-8))),
    ],
)
def test_rows_divided_by_something_else(id, given, found):
    assert id in names("rmsnorm", given, norm, of("output"), found)


def test_a_batch_normalised_down_its_columns():
    """Columns 3, 4 and 1, 7 have the root mean squares √12.5 and 5."""
    given = Norm(((3.0, 1.0), (4.0, 7.0)))
    found = ((3 / sqrt(12.5), 0.2), (4 / sqrt(12.5), 1.4))
    assert "wrong-axis" in names(
        "rmsnorm", given, norm, lambda rows: tuple(row.output for row in rows), found
    )


EYE = ((1.0, 0.0), (0.0, 1.0))
CHAPTER = {"x": ((1.0, -1.0),), "wg": EYE, "wu": ((2.0, 0.0), (0.0, -3.0)), "wd": ((1.0, 0.0), (1.0, 1.0))}
PLAIN = {**CHAPTER, "wd": EYE}
GATE = (0.7310585786300049, -0.2689414213699951)  # SiLU at 1 and −1; up is (2, 3)
PACKED = {"x": ((1.0,),), "packed": ((1.0, 2.0, -1.0, 3.0),), "wd": EYE}
SIGMOID_3 = 0.9525741268224334


@pytest.mark.parametrize(
    ("id", "given", "found"),
    [
        ("silu", Ffn(**PLAIN, activation="gelu"), (2 * GATE[0], 3 * GATE[1])),
        ("silu", Ffn(**PLAIN, beta=1.5), (2 * GATE[0], 3 * GATE[1])),
        ("up-missing", Ffn(**PLAIN), GATE),
        ("down-missing", Ffn(**CHAPTER), (2 * GATE[0], 3 * GATE[1])),
        ("transposed", Ffn(**CHAPTER), (2 * GATE[0], 2 * GATE[0] + 3 * GATE[1])),
        ("bias-missing", Ffn(**PLAIN, bd=(0.5, -0.5)), (2 * GATE[0], 3 * GATE[1])),
        ("bias-missing", Ffn(**PLAIN, bu=(1.0, 1.0), bd=(0.5, -0.5)), (2 * GATE[0] + 0.5, 3 * GATE[1] - 0.5)),
        ("bias-missing", Ffn(**PLAIN, bu=(1.0, 1.0), bd=(0.5, -0.5)), (3 * GATE[0], 4 * GATE[1])),
        ("limit-ignored", Ffn(**PLAIN, limit=1.5), (2 * GATE[0], 3 * GATE[1])),
        ("matrix-product", Ffn(**PLAIN), (2 * sum(GATE), 3 * sum(GATE))),
        ("matrix-product", Ffn(**PLAIN), (5 * GATE[0], 5 * GATE[1])),
        ("packed-order", Ffn(**PACKED), (GATE[1] * 1, 3 * SIGMOID_3 * 2)),
        ("packed-interleaved", Ffn(**PACKED), (2 * GATE[0], 3 * GATE[1])),
        ("residual-added", Ffn(**PLAIN), (1 + 2 * GATE[0], -1 + 3 * GATE[1])),
    ],
)
def test_gates_made_otherwise(id, given, found):
    assert id in names("swiglu", given, ffn, of("output"), found)


@pytest.mark.parametrize(
    ("id", "given", "field", "found"),
    [
        ("plain-with-three", BudgetQuestion(12, 48), "relu", 1728),
        ("biases-missing", BudgetQuestion(12, 48, bias=True), "relu", 1152),
        ("biases-missing", BudgetQuestion(12, 48, bias=True), "hidden", 32),
    ],
)
def test_budgets_counted_otherwise(id, given, field, found):
    assert id in names("params", given, budget_answer, lambda answer: getattr(answer, field), found)
