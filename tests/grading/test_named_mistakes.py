"""Wrong paths worked by hand on the chapter's numbers, each as an answer that must be named."""

import pytest

from dense_cli.grading.marks.telling import Teller
from tests.grading.marked import SET, ids, mark_of

PATHS = [
    # exercise 1: query, key, query·key
    ("clockwise", "1.key", "[0, 1]"),
    ("one-based", "1.query", "[0, -1]"),
    ("one-based", "1.key", "[1, 0]"),
    ("position-minus-one", "1.query", "[0, 1]"),
    ("position-minus-one", "1.key", "[-1, 0]"),
    ("swapped", "1.query", "[0, -1]"),
    ("swapped", "1.key", "[-1, 0]"),
    ("key-only", "1.query", "[1, 0]"),
    ("query-only", "1.key", "[1, 0]"),
    ("query-only", "1.dot", "-1"),
    ("half-turn", "1.query", "[1, 0]"),
    ("half-turn", "1.key", "[-1, 0]"),
    ("half-turn", "1.dot", "-1"),
    ("no-rotation", "1.query", "[1, 0]"),
    ("no-rotation", "1.dot", "1"),
    ("offset-both", "1.query", "[0, 1]"),
    ("offset-both", "1.key", "[0, 1]"),
    ("offset-both", "1.dot", "1"),
    ("degrees-as-radians", "1.query", "[-0.598460, -0.801153]"),
    ("degrees-as-radians", "1.key", "[0.984382, -0.176046]"),
    ("degrees-as-radians", "1.dot", "-0.448074"),
    ("unit-angle", "1.query", "[-0.416147, 0.909297]"),
    ("unit-angle", "1.key", "[-0.989992, 0.141120]"),
    ("unit-angle", "1.dot", "0.540302"),
    ("mask-ignored", "1.visible", "yes"),
    # exercise 2
    ("sum-not-mean", "2.output", "[0, 1]"),
    ("no-root", "2.output", "[0, 1]"),
    ("max-absolute", "2.output", "[0, 1]"),
    ("degrees-of-freedom", "2.output", "[0, 1]"),
    ("mean-absolute", "2.output", "[0, 2]"),
    ("deviation-only", "2.output", "[0, 2]"),
    ("centred", "2.output", "[-1, 1]"),
    ("sample-variance", "2.output", "[-0.707107, 0.707107]"),
    ("multiplied", "2.output", "[0, 2.828427]"),
    # exercise 3
    ("unshifted", "3.output", "[0.848528, 1.131371]"),
    ("unshifted", "3.same", "yes"),
    ("shifted-by-one", "3.output", "[0.883452, 1.104315]"),
    ("mean-absolute", "3.output", "[0.962963, 1.037037]"),
    ("sum-not-mean", "3.output", "[0.680451, 0.732793]"),
    ("no-root", "3.output", "[0.071233, 0.076712]"),
    ("deviation-only", "3.output", "[26, 28]"),
    ("centred", "3.output", "[-1, 1]"),
    # exercise 4
    ("sigmoid", "4.output", "[1.462117, 0.806824]"),
    ("up-sign", "4.output", "[1.462117, 0.806824]"),
    ("relu", "4.output", "[2, 0]"),
    ("activation-missing", "4.output", "[2, -3]"),
    ("swapped-branches", "4.output", "[1.761594, -2.857722]"),
    ("activation-after-product", "4.output", "[1.761594, -0.142278]"),
    ("activation-both", "4.output", "[1.287829, -0.768560]"),
    ("gelu", "4.output", "[1.682689, -0.475966]"),
    ("gelu-tanh", "4.output", "[1.682384, -0.476424]"),
    ("exponent-sign", "4.output", "[0.537883, -2.193176]"),
    ("old-matrix", "4.output", "[0.655293, -0.806824]"),
    ("residual-added", "4.output", "[2.462117, -1.806824]"),
    # exercise 5
    ("same-width", "5.hidden", "96"),
    ("same-width", "5.swiglu", "6912"),
    ("halved-width", "5.hidden", "48"),
    ("halved-width", "5.swiglu", "3456"),
    ("example-width", "5.hidden", "32"),
    ("example-width", "5.swiglu", "2304"),
    ("two-matrices", "5.swiglu", "3072"),
    ("wrong-way", "5.hidden", "144"),
    ("ratio-for-growth", "5.growth", "1.5"),
    ("percent-for-fraction", "5.growth", "50"),
]


@pytest.mark.parametrize(("name", "key", "typed"), PATHS)
def test_a_wrong_path_is_named_and_earns_nothing(name, key, typed):
    mark = mark_of(key, typed)
    assert name in ids(mark)
    assert (mark.verdict, mark.points) == ("wrong", 0)


def test_two_mistakes_together_are_named_where_no_single_one_fits():
    """The chapter's own matrix, transposed; one entry is right, and a pair does not take its share away."""
    mark = mark_of("4.output", "[1.462117, 0.655293]")
    assert ids(mark) == ["old-matrix+transposed"]
    assert (mark.verdict, mark.points) == ("partial", mark.field.points / 2)


@pytest.mark.parametrize(
    ("key", "typed"), [("2.denominator", "4"), ("5.relu", "4760"), ("4.output", "[7, 7]")]
)
def test_what_no_known_mistake_makes_is_said_to_be_unexplained(key, typed):
    mark = mark_of(key, typed)
    assert (mark.verdict, mark.mistakes) == ("wrong", ())
    assert Teller(SET, "en").message(mark) == "No known mistake makes exactly this answer."


def test_short_numbers_try_no_pairs():
    """A number of one or two digits is met by chance too often; with three it is looked for."""
    assert mark_of("1.dot", "0.6").mistakes == ()
    assert mark_of("1.dot", "-2").mistakes == ()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_mistake_has_words_to_explain_it(language):
    teller = Teller(SET, language)
    for _, key, typed in PATHS:
        told = teller.message(mark_of(key, typed))
        assert told
        assert "{" not in told
