"""Wrong answers to the chapter's exercises, each computed once by hand or by other code, and their names."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dense_cli.core.ffn import Ffn, ffn
from dense_cli.core.norms import Norm, layer_norm, norm
from dense_cli.core.rope import QUARTER_TURN, Rope, rope
from dense_cli.mistakes import Mistake, always, catalogue
from dense_cli.mistakes.agreement import agreement
from dense_cli.mistakes.diagnosis import diagnose, hidden
from dense_cli.mistakes.params import BudgetQuestion, budget_answer

TOLERANCE = 5e-6

EXERCISE_1 = Rope((1.0, 0.0), (1.0, 0.0), ((2, 3),), (QUARTER_TURN,), rotary_dim=2)
EXERCISE_2 = Norm(((0.0, 2.0),))
EXERCISE_3 = Norm(((13.0, 14.0),))
UP, IDENTITY, OLD_DOWN = ((2.0, 0.0), (0.0, -3.0)), ((1.0, 0.0), (0.0, 1.0)), ((1.0, 0.0), (1.0, 1.0))
EXERCISE_4 = Ffn(((1.0, -1.0),), wg=IDENTITY, wu=UP, wd=IDENTITY)
EXERCISE_5 = BudgetQuestion(24, 96)


def other_given(id, **parts):
    """A mistake that an exercise names by its numbers: the right calculation on another given."""
    return Mistake(id, "exercises", "slip", always(**parts))


def named(topic, given, compute, field, found, extra: tuple[Mistake, ...] = (), atol=TOLERANCE):
    def pick(result):
        return getattr(result[0] if isinstance(result, tuple) else result, field)

    told = diagnose((*extra, *catalogue(topic)), given, compute, pick, found, atol)
    return {found.id for found in told}


@pytest.mark.parametrize(
    ("id", "query", "key", "dot"),
    [
        ("clockwise", (-1, 0), (0, 1), 0),
        ("one-based", (0, -1), (1, 0), 0),
        ("position-minus-one", (0, 1), (-1, 0), 0),
        ("swapped", (0, -1), (-1, 0), 0),
        ("key-only", (1, 0), (0, -1), 0),
        ("query-only", (-1, 0), (1, 0), -1),
        ("half-turn", (1, 0), (-1, 0), -1),
        ("no-rotation", (1, 0), (1, 0), 1),
        ("offset-both", (0, 1), (0, 1), 1),
        ("degrees-as-radians", (-0.598460, -0.801153), (0.984382, -0.176046), -0.448074),
        ("unit-angle", (-0.416147, 0.909297), (-0.989992, 0.141120), 0.540302),
    ],
)
def test_exercise_1_every_wrong_path_is_named_by_what_it_makes(id, query, key, dot):
    """Where a path leaves one of the three right, that field must not name it."""
    for field, found, right in (("query", query, (-1, 0)), ("key", key, (0, -1)), ("dot", dot, 0)):
        told = named("rope", EXERCISE_1, rope, field, found)
        assert (id in told) == (found != right), (field, told)


def test_exercise_1_the_product_hides_five_wrong_paths():
    """Clockwise, counted from 1, one too low, exchanged and key alone all give the right 0."""
    alike = {mistake.id for mistake in hidden("rope", EXERCISE_1, rope, lambda rows: rows[0].dot)}
    assert {"clockwise", "one-based", "position-minus-one", "swapped", "key-only"} <= alike
    assert not {"query-only", "half-turn", "no-rotation", "offset-both", "unit-angle"} & alike


def test_exercise_1_who_says_yes_has_left_out_the_mask():
    told = named("rope", EXERCISE_1, rope, "visible", True)
    assert {"mask-ignored", "mask-reversed"} == told


@pytest.mark.parametrize(
    ("found", "ids"),
    [
        ((0, 1), {"sum-not-mean", "no-root", "over-root-width", "max-absolute", "degrees-of-freedom"}),
        ((0, 2), {"mean-absolute", "mean-before-square", "deviation-only"}),
        ((-1, 1), {"centred"}),
        ((-0.707107, 0.707107), {"sample-variance"}),
        ((0, 2.828427), {"multiplied"}),
    ],
)
def test_exercise_2_all_wrong_paths_to_one_value_are_told(found, ids):
    told = named("rmsnorm", EXERCISE_2, norm, "output", found)
    # Dividing by √Σx²·√C gives [0, 0.707107] here: not among those that give [0, 1].
    assert ids - {"over-root-width"} <= told
    assert "over-root-width" not in told


def test_exercise_2_dividing_by_the_root_of_the_width_cannot_be_seen():
    """√C is √2 here as well, which is right only by chance."""
    alike = {mistake.id for mistake in hidden("rmsnorm", EXERCISE_2, norm, lambda rows: rows[0].output)}
    assert "width-alone" in alike
    assert "sum-not-mean" not in alike


@pytest.mark.parametrize(
    ("eps", "found", "id"),
    [(1e-6, 1.414213209, "eps-other"), (1e-6, 1.414212562, "eps-outside"), (1e-5, 1.414210027, "eps-other")],
)
def test_exercise_2_epsilon_inside_and_outside_the_root(eps, found, id):
    """Nine decimals tell them apart; epsilon outside the root must itself be given to be seen."""
    given = EXERCISE_2 if id == "eps-other" else Norm(EXERCISE_2.x, eps=eps)
    assert id in named("rmsnorm", given, norm, "output", (0, found), atol=1e-9)


@pytest.mark.parametrize(
    ("found", "id"),
    [
        ((0.848528, 1.131371), "unshifted"),
        ((0.962963, 1.037037), "mean-absolute"),
        ((0.680451, 0.732793), "sum-not-mean"),
        ((0.071233, 0.076712), "no-root"),
        ((26, 28), "deviation-only"),
        ((-1, 1), "centred"),
    ],
)
def test_exercise_3_wrong_paths_of_the_shifted_row(found, id):
    extra = (other_given("unshifted", x=((3.0, 4.0),)), other_given("shifted-by-one", x=((4.0, 5.0),)))
    assert id in named("rmsnorm", EXERCISE_3, norm, "output", found, extra)


def test_exercise_3_the_right_values_name_nothing():
    """RMSNorm [0.962303, 1.036326], LayerNorm [-1, 1] (chapter, solution 3)."""
    assert named("rmsnorm", EXERCISE_3, norm, "output", (0.962303, 1.036326)) == set()
    assert named("rmsnorm", EXERCISE_3, layer_norm, "output", (-1, 1)) == set()


@pytest.mark.parametrize(
    ("id", "found"),
    [
        ("sigmoid", (1.462117, 0.806824)),
        ("up-sign", (1.462117, 0.806824)),
        ("relu", (2, 0)),
        ("activation-missing", (2, -3)),
        ("swapped-branches", (1.761594, -2.857722)),
        ("activation-after-product", (1.761594, -0.142278)),
        ("activation-both", (1.287829, -0.768560)),
        ("gelu", (1.682689, -0.475966)),
        ("gelu-tanh", (1.682384, -0.476424)),
        ("exponent-sign", (0.537883, -2.193176)),
        ("old-matrix", (0.655293, -0.806824)),
        ("residual-added", (2.462117, -1.806824)),
    ],
)
def test_exercise_4_every_wrong_path_is_named(id, found):
    extra = (other_given("old-matrix", wd=OLD_DOWN),)
    assert id in named("swiglu", EXERCISE_4, ffn, "output", found, extra)


def test_exercise_4_the_old_matrix_transposed_is_a_pair():
    """The chapter's W_d and read the other way: [1.462117, 0.655293], two things at once."""
    extra = (other_given("old-matrix", wd=OLD_DOWN),)
    found = (1.462117, 0.655293)
    assert named("swiglu", EXERCISE_4, ffn, "output", found, extra) == {"old-matrix+transposed"}


@pytest.mark.parametrize(
    ("field", "found", "id"),
    [
        ("hidden", 96, "same-width"),
        ("swiglu", 6912, "same-width"),
        ("hidden", 48, "halved-width"),
        ("swiglu", 3456, "halved-width"),
        ("hidden", 32, "example-width"),
        ("swiglu", 2304, "example-width"),
        ("swiglu", 1536, "one-matrix"),
        ("swiglu", 3072, "two-matrices"),
        ("relu", 4728, "biases-counted"),
        ("swiglu", 4760, "biases-counted"),
        ("hidden", 144, "wrong-way"),
        ("hidden", 16, "two-thirds-of-input"),
        ("growth", Fraction(3, 2), "ratio-for-growth"),
        ("growth", 50, "percent-for-fraction"),
    ],
)
def test_exercise_5_every_wrong_count_is_named(field, found, id):
    assert id in named("params", EXERCISE_5, budget_answer, field, found, atol=0)


@pytest.mark.parametrize(
    ("topic", "given", "compute", "answers"),
    [
        ("rope", EXERCISE_1, rope, {"query": (-1, 0), "key": (0, -1), "dot": 0, "visible": False}),
        ("rmsnorm", EXERCISE_2, norm, {"output": (0, 1.414214), "denominator": 1.414214}),
        ("rmsnorm", EXERCISE_3, norm, {"output": (0.962303, 1.036326)}),
        ("swiglu", EXERCISE_4, ffn, {"output": (1.462117, -0.806824)}),
        ("params", EXERCISE_5, budget_answer, {"hidden": 64, "relu": 4608, "swiglu": 4608, "growth": 0.5}),
    ],
)
def test_the_right_answers_of_the_chapter_name_no_mistake(topic, given, compute, answers):
    right = compute(given)
    for field, found in answers.items():
        value = getattr(right[0] if isinstance(right, tuple) else right, field)
        assert agreement(found, value, TOLERANCE) is not None, field
        assert named(topic, given, compute, field, found) == set(), field
