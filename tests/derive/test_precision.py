"""The stories of short formats: formulas make their values, words exist, the truth stands beside."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core import rope as core_rope
from dense_cli.core.angles import Rate
from dense_cli.core.ffn import Ffn, ffn
from dense_cli.core.ffn_precision import ffn_in
from dense_cli.core.norms import Norm, layer_norm, norm
from dense_cli.core.norms_precision import AFTER_GAIN, BEFORE_GAIN, CASTS, norm_in
from dense_cli.core.precision import BFLOAT16, FLOAT16, FLOAT32, FORMATS
from dense_cli.derive.rmsnorm import rmsnorm
from dense_cli.derive.rmsnorm_precision import rmsnorm_in
from dense_cli.derive.rope import rope
from dense_cli.derive.rope_precision import rope_in
from dense_cli.derive.swiglu import swiglu
from dense_cli.derive.swiglu_precision import swiglu_in
from dense_cli.lang import say_in
from dense_cli.render import show
from tests.derive.walking import check_lines, steps_of

EACH = pytest.mark.parametrize("dtype", FORMATS.values(), ids=FORMATS)


def norm_story(of, dtype, cast=BEFORE_GAIN, layer=None):
    rows = norm(of)
    return rmsnorm_in(rmsnorm(of, rows, layer), of, rows, norm_in(of, dtype, cast), dtype, cast)


def ffn_story(of, dtype):
    rows = ffn(of)
    return swiglu_in(swiglu(of, rows), of, rows, ffn_in(of, dtype), dtype)


def steps(derivation):
    return {step.name: step for step in steps_of(derivation)}


def page(derivation, name, language="en"):
    return show(derivation, format=name, say=say_in(language), digits=6, width=100, colour=False)


def keys(derivation):
    return {note.key for step in steps_of(derivation) for note in step.notes}


NUMBERS = st.floats(-1e3, 1e3).map(lambda value: round(value, 3))


@EACH
@pytest.mark.parametrize("cast", CASTS)
@pytest.mark.parametrize("offset", [False, True])
@given(
    row=st.lists(NUMBERS, min_size=1, max_size=10).filter(any),
    eps=st.sampled_from((0.0, 1e-6)),
    gain=st.none() | st.lists(NUMBERS, min_size=10, max_size=10),
)
@settings(max_examples=10, deadline=None)
def test_formulas_of_rmsnorm_make_its_values(dtype, cast, offset, row, eps, gain):
    gains = None if gain is None else tuple(gain[: len(row)])
    check_lines(norm_story(Norm((tuple(row),), gains, eps, offset), dtype, cast))


@pytest.mark.parametrize("x", [(1e19, -2e19), (1e-23, 0.0), (70000.0, 1.0)])
@EACH
def test_what_is_beyond_a_format_is_told_in_every_language_and_format(x, dtype):
    told = norm_story(Norm(x=(x,), gain=(1.0, 1.0)), dtype)
    check_lines(told)
    for language in ("en", "zh"):
        for name in ("plain", "markdown", "latex", "html"):
            assert page(told, name, language)
        json.loads(page(told, "json", language), parse_constant=pytest.fail)


@pytest.mark.parametrize(
    ("x", "dtype", "note", "output", "mean_square"),
    [
        ((1e19, -2e19), FLOAT32, "squares-overflow", [0.0, 0.0], None),
        ((1e-23, 0.0), FLOAT32, "squares-vanish", [None, None], 0.0),
        ((70000.0, 1.0), FLOAT16, "input-overflow", [None, 0.0], None),
    ],
)
def test_numbers_that_are_not_finite_are_null_and_explained(x, dtype, note, output, mean_square):
    told = norm_story(Norm(x=(x,)), dtype)
    (row,) = told.result["rows"]
    assert (row["output"], row["mean_square"]) == (output, mean_square)
    assert all(math.isfinite(value) for value in row["float64"]["output"])
    assert f"precision.{note}" in keys(told)


def test_ordinary_numbers_need_no_explanation():
    assert not keys(norm_story(Norm(x=((3.0, 4.0),)), BFLOAT16)) & {
        "precision.squares-overflow",
        "precision.squares-vanish",
        "precision.input-overflow",
        "precision.not-finite",
    }


def test_the_result_has_both_arithmetics():
    """217/256 and 145/128 in bfloat16; the chapter's numbers in float64."""
    told = norm_story(Norm(x=((3.0, 4.0),)), BFLOAT16)
    assert (told.result["dtype"], told.result["cast"]) == ("bfloat16", "before-gain")
    (row,) = told.result["rows"]
    assert row["output"] == [0.84765625, 1.1328125]
    assert row["float64"]["output"] == pytest.approx([0.848528, 1.131371], abs=5e-7)
    assert [line.value for line in told.answer] == [
        (0.84765625, 1.1328125),
        pytest.approx((0.848528, 1.131371)),
    ]


def test_the_table_counts_units_of_the_last_place():
    """0.84765625 - 0.848528137 is -0.000871887, and a unit below 1 is 1/256; above 1 it is 1/128."""
    table = steps(norm_story(Norm(x=((3.0, 4.0),)), BFLOAT16))["beside-truth"].table
    assert [row[0] for row in table.rows] == [1, 2]
    assert table.rows[0][3:] == pytest.approx((-0.000871887, -0.223203), abs=1e-6)
    assert table.rows[1][3:] == pytest.approx((0.001441650, 0.184531), abs=1e-6)


def test_the_order_of_the_cast_is_told():
    of = Norm(x=((1.0, 1.0625),), gain=(1.375, 1.375))
    for cast in CASTS:
        assert steps(norm_story(of, BFLOAT16, cast))["reciprocal"].title.key == f"precision.normalized-{cast}"
    late = page(norm_story(of, BFLOAT16, AFTER_GAIN), "plain")
    assert "n₁ = float32(x₁ · r)" in late
    assert "y₁ = bfloat16(float32(g₁ · n₁))" in late


def test_float32_is_rounded_once():
    assert "y₁ = float32(x₁ · r)" in page(norm_story(Norm(x=((3.0, 4.0),)), FLOAT32), "plain")


def test_layernorm_beside_it_stays_in_float64():
    of = Norm(x=((3.0, 4.0),))
    told = norm_story(of, BFLOAT16, layer=layer_norm(of))
    assert told.result["rows"][0]["layernorm"]["output"] == [-1.0, 1.0]
    assert "precision.only-rmsnorm" in keys(told)
    assert "precision.only-rmsnorm" not in keys(norm_story(of, BFLOAT16))


def test_many_rows_and_coordinates_are_cut_on_the_page_and_whole_in_the_data():
    told = norm_story(Norm(x=tuple(tuple(float(i + j) for j in range(1, 71)) for i in range(10))), FLOAT16)
    check_lines(told)
    assert len(told.result["rows"]) == 10
    assert len(told.result["rows"][9]["output"]) == 70
    assert len(steps(told)["row-8"].steps[-1].table.rows) == 8
    assert "row-9" not in steps(told)


@EACH
@pytest.mark.parametrize("down", [None, ((1.0, 0.0), (1.0, 1.0))])
def test_the_gated_network_is_told(dtype, down):
    of = Ffn(x=((1.0, -1.0),), wg=((1.0, 0.0), (0.0, 1.0)), wu=((2.0, 0.0), (0.0, -3.0)), wd=down)
    told = ffn_story(of, dtype)
    check_lines(told)
    (row,) = told.result["rows"]
    assert row["activated"] == list(dtype.row((0.7310585786300049, -0.2689414213699951)))
    assert row["float64"]["product"] == pytest.approx([1.462117157, -0.806824264], abs=1e-9)
    for language in ("en", "zh"):
        assert page(told, "plain", language)


def test_a_network_that_overflows_says_so():
    of = Ffn(x=((300.0,),), wg=((300.0,),), wu=((1.0,),), limit=1e6, up_offset=1.0)
    told = ffn_story(of, FLOAT16)
    check_lines(told)
    assert told.result["rows"][0]["gate"] == [None]
    assert "u′ = [301]" in page(told, "plain").split("every stage is rounded")[1]
    assert "precision.not-finite" in keys(told)


def test_a_clamp_is_told():
    of = Ffn(x=((9.0,),), wg=((1.0,),), wu=((1.0,),), limit=7.0)
    told = page(ffn_story(of, FLOAT16), "plain").split("every stage is rounded")[1]
    assert "a′ = [7]" in told
    assert "u′ = [7]" in told


def test_held_angles_are_told_for_every_position_and_pair():
    rates = (Rate.radians(1), Rate.radians(0.5))
    of = core_rope.Rope((1.0, 0.0) * 2, (1.0, 0.0) * 2, ((257, 0), (65520, 257)), rates, rotary_dim=4)
    told = rope_in(rope(of, core_rope.rope(of)), of, FLOAT16)
    check_lines(told)
    found = told.result["held_angles"]
    assert [(each["position"], each["pair"]) for each in found] == [
        (position, pair) for position in (0, 257, 65520) for pair in (0, 1)
    ]
    assert found[4]["positions"] == {"position": None, "theta": 1.0, "angle": None, "cos": None, "sin": None}
    assert found[4]["float64"]["angle"] == 65520.0
    for name in ("held-positions", "held-frequencies", "held-product"):
        assert len(steps(told)[name].table.rows) == 6
    assert page(told, "plain", "zh")
