"""The whole block: the model library's numbers, the plain calculations, and the laws of figure 25.1."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core import activations as plain
from dense_cli.core.block import (
    TENSORS,
    Block,
    BlockWeights,
    Projection,
    block,
    extent,
    rms_norm,
)
from dense_cli.core.ffn import Ffn, ffn
from dense_cli.core.kernels.activations import ACTIVATIONS, activation
from dense_cli.core.norms import Norm, norm
from dense_cli.core.schedule import QUARTER_TURN
from dense_cli.errors import DenseError
from tests.core.blocks import CASES, Reference, drawn_block

SEEDS = st.integers(0, 2**31 - 1)

OF_THE_LIBRARY = {
    "x": "X",
    "norm1": "norm1",
    "q": "q",
    "k": "k",
    "v": "v",
    "q_rotated": "q_rot",
    "k_rotated": "k_rot",
    "probabilities": "probabilities",
    "heads": "heads",
    "attention": "attention_output",
    "residual": "R",
    "norm2": "norm2",
    "gate": "gate",
    "up": "up",
    "activated": "silu_gate",
    "product": "product",
    "down": "ffn_output",
    "output": "output",
}
"""What the library's trace calls each tensor; scores are compared apart, for the trace has them unmasked."""


def within(expected):
    """The tolerance of the reference's trace."""
    return pytest.approx(expected, rel=1e-10, abs=5e-11)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_traced_tensor_is_the_library_s(case):
    """All 26: 18 by name, the scores on both sides of the mask, three flat projections, the joined heads,
    frequencies, cosines and sines."""
    reference = Reference(case)
    given_ = reference.block()
    found = block(given_)
    for name, theirs in OF_THE_LIBRARY.items():
        assert found[name] == within(reference.trace(theirs)), name
        assert found.shapes[name] == found[name].shape
    seen = np.isfinite(found["scores"])
    assert (seen == np.tril(np.ones(seen.shape[-2:], bool))).all()
    assert found["scores"][seen] == within(reference.trace("scores")[seen])
    unmasked = block(replace(given_, causal=False))
    assert unmasked["scores"] == within(reference.trace("scores"))
    for name in "qkv":
        flat = found[name].swapaxes(0, 1).reshape(len(found["x"]), -1)
        assert flat == within(reference.trace(f"{name}_flat"))
    joined = found["heads"].swapaxes(0, 1).reshape(len(found["x"]), -1)
    assert joined == within(reference.trace("heads_concatenated"))
    assert [rate.theta for rate in given_.rates] == within(reference.trace("inv_freq"))
    theirs = reference.trace("cos") + 1j * reference.trace("sin")  # every direction twice, half beside half
    assert np.abs(np.tile(found.directions, 2) - theirs).max() < 5e-11


# --- the array side agrees with the plain calculations


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(
        st.lists(st.floats(-1e300, 1e300, allow_subnormal=False), min_size=3, max_size=3),
        min_size=1,
        max_size=3,
    ),
    gain=st.lists(st.floats(-4, 4, allow_subnormal=False), min_size=3, max_size=3),
    eps=st.sampled_from([1e-5, 1e-6, 1.0]),
    offset=st.booleans(),
)
def test_rms_norm_is_that_of_plain_rows(rows, gain, eps, offset):
    exact = norm(Norm(tuple(map(tuple, rows)), tuple(gain), eps, offset))
    found = rms_norm(np.array(rows), np.array(gain), eps, offset)
    # A row may be smaller than epsilon's root by more than the floats reach: then it is nearly 0.
    assert found == pytest.approx(np.array([row.output for row in exact]), rel=4e-15, abs=1e-290)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_squares_of_rows_neither_overflow_nor_vanish(scale):
    found = rms_norm(np.array([[3.0, 4.0]]) * scale, np.ones(2), 0.0)
    assert found == pytest.approx(np.array([[0.848528137423857, 1.131370849898476]]), rel=1e-15)


@pytest.mark.parametrize("name", ACTIVATIONS)
@settings(max_examples=60, deadline=None)
@given(x=st.floats(-1e6, 1e6) | st.floats(-50, 50))
def test_activations_are_those_of_plain_numbers(name, x):
    found = float(activation(name)(np.array([x]))[0])
    assert found == pytest.approx(plain.activation(name)(x), rel=1e-12, abs=1e-300)


def test_activations_are_the_same_names():
    assert ACTIVATIONS.keys() == plain.ACTIVATIONS.keys()


@pytest.mark.parametrize("x", [-745.5, -720.0, -1000.0, -1e300])
def test_silu_keeps_its_digits_far_out(x):
    """e^x alone has lost them there, and −0 must not appear."""
    found = float(activation("silu")(np.array([x]))[0])
    assert found == pytest.approx(plain.silu(x), rel=1e-12, abs=1e-321)
    assert math.copysign(1, found) == (1 if found == 0 else -1)


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, name=st.sampled_from(sorted(ACTIVATIONS)), biased=st.booleans())
def test_the_second_half_is_the_plain_network(seed, name, biased):
    given_ = drawn_block(seed, activation=name, biased=biased)
    found, weights = block(given_), given_.weights

    def rows(array):
        return tuple(map(tuple, array.tolist()))

    biases = {
        short: tuple(part.bias.tolist())
        for short, part in (("bg", weights.gate), ("bu", weights.up), ("bd", weights.down))
        if part.bias is not None
    }
    expected = ffn(
        Ffn(
            x=rows(found["norm2"]),
            wg=rows(weights.gate.weight),
            wu=rows(weights.up.weight),
            wd=rows(weights.down.weight),
            activation=name,
            **biases,
        )
    )
    for name_, part in (("gate", "gate"), ("up", "up"), ("product", "product"), ("down", "output")):
        plain_rows = np.array([getattr(row, part) for row in expected])
        assert found[name_] == pytest.approx(plain_rows, rel=1e-10, abs=1e-12), name_


# --- laws


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, changed=st.integers(1, 4), window=st.sampled_from([None, 2]))
def test_a_later_token_changes_nothing_earlier(seed, changed, window):
    given_ = drawn_block(seed, window=window)
    other = given_.x.copy()
    other[changed] = -3 * other[changed] + 1
    first, second = block(given_), block(replace(given_, x=other))
    for name in TENSORS:
        if name not in first.tensors:
            continue
        axis = first[name].ndim - 2
        before = [first[name].take(range(changed), axis), second[name].take(range(changed), axis)]
        assert (before[0] == before[1]).all(), name
    assert not np.allclose(first["output"][changed:], second["output"][changed:])


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, start=st.integers(1, 10**6), layout=st.sampled_from(["half", "interleaved"]))
def test_only_offsets_matter(seed, start, layout):
    """Shifting all positions turns q and k differently, but no score and no output: V is not turned."""
    here = block(drawn_block(seed, layout=layout))
    there = block(drawn_block(seed, layout=layout, start=start))
    assert not np.allclose(here["q_rotated"], there["q_rotated"])
    for name in ("v", "probabilities", "output"):
        assert there[name] == pytest.approx(here[name], rel=1e-9, abs=1e-9), name


def test_a_rotated_v_would_feel_the_position():
    """The law above holds because V is left alone: turned too, it makes another output."""
    here, there = (
        block(drawn_block(7, start=start, rotated=("q", "k", "v")))["output"] for start in (0, 100)
    )
    assert not np.allclose(here, there, atol=1e-3)


def test_zero_projections_leave_the_residual_alone():
    given_ = drawn_block(3, scale=0.0)
    found = block(given_)
    for name in ("residual", "output"):
        assert (found[name] == given_.x).all()


def test_one_key_head_repeated_is_full_heads():
    given_ = drawn_block(4, kv_heads=1)
    wide = {
        name: Projection(np.tile(getattr(given_.weights, name).weight, (1, given_.heads))) for name in "kv"
    }
    full = replace(given_, kv_heads=given_.heads, weights=replace(given_.weights, **wide))
    assert block(full)["output"] == pytest.approx(block(given_)["output"], rel=1e-12, abs=1e-12)


def test_layouts_differ_by_a_permutation_alone():
    """Rows of q and k reordered from halves to neighbours give the same scores in the other layout."""
    given_ = drawn_block(9, layout="half")
    order = np.arange(given_.head_dim).reshape(2, -1).T.ravel()

    def reordered(part, heads):
        columns = np.concatenate([head * given_.head_dim + order for head in range(heads)])
        return Projection(part.weight[:, columns])

    weights = replace(
        given_.weights,
        q=reordered(given_.weights.q, given_.heads),
        k=reordered(given_.weights.k, given_.kv_heads),
    )
    other = block(replace(given_, layout="interleaved", weights=weights))
    assert other["output"] == pytest.approx(block(given_)["output"], rel=1e-12, abs=1e-12)
    assert not np.allclose(block(replace(given_, layout="interleaved"))["output"], other["output"])


def test_nothing_turns_without_rates():
    found = block(drawn_block(2, rates=None))
    assert found.directions is None
    assert (found["q_rotated"] == found["q"]).all()
    assert (found["k_rotated"] == found["k"]).all()


def test_quarter_turns_of_a_head_of_two_are_those_of_table_25_1():
    """Positions 1 and 2, query and key [1, 0]: turned to [0, 1] and [-1, 0], dot product 0."""
    eye = Projection(np.eye(2))
    one = np.ones(2)
    weights = BlockWeights(one, eye, eye, eye, eye, one, eye, eye, eye)
    x = np.array([[math.sqrt(0.5), 0.0], [math.sqrt(0.5), 0.0]])
    found = block(Block(x, weights, heads=1, kv_heads=1, rates=[QUARTER_TURN], rotary_dim=2, start=1))
    unit = found["q"][0] / math.sqrt(2)
    assert unit == pytest.approx(np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert found["q_rotated"][0] / math.sqrt(2) == pytest.approx(np.array([[0.0, 1.0], [-1.0, 0.0]]))
    assert found["scores"][0, 1, 0] == 0


# --- variants of queries and keys


def gained(given_, over):
    """The same block with a norm on queries and keys, of gains all 1."""
    query, key = given_.heads * given_.head_dim, given_.kv_heads * given_.head_dim
    sizes = (given_.head_dim, given_.head_dim) if over == "head" else (query, key)
    weights = replace(given_.weights, q_norm=np.ones(sizes[0]), k_norm=np.ones(sizes[1]))
    return replace(given_, weights=weights)


def test_a_norm_per_head_makes_every_head_of_one_size():
    found = block(gained(drawn_block(5), "head"))
    assert np.square(found["q"]).mean(axis=-1) == pytest.approx(np.ones((4, 5)), rel=1e-4)
    assert found["q_projected"] == pytest.approx(block(drawn_block(5))["q"])
    assert list(found.shapes).index("q_projected") < list(found.shapes).index("q")


def test_a_norm_over_the_projection_makes_only_all_heads_together_so():
    found = block(gained(drawn_block(5), "projection"))
    each = np.square(found["k"]).mean(axis=-1)
    assert each.mean(axis=0) == pytest.approx(np.ones(5), rel=1e-4)
    assert np.ptp(each) > 0.1


def test_biases_are_added_to_projections():
    given_ = drawn_block(6, biased=True)
    found = block(given_)
    for name, heads in (("q", 4), ("k", 2), ("v", 2)):
        part = getattr(given_.weights, name)
        expected = found["norm1"] @ part.weight + part.bias
        assert found[name].swapaxes(0, 1).reshape(5, heads * 4) == pytest.approx(expected)


def test_a_gain_with_offset_acts_as_one_plus_itself():
    given_ = drawn_block(8)
    weights = given_.weights
    stored = replace(weights, norm1=weights.norm1 - 1, norm2=weights.norm2 - 1)
    found = block(replace(given_, weights=stored, unit_offset=True))
    assert found["output"] == pytest.approx(block(given_)["output"], rel=1e-12, abs=1e-12)


# --- what is kept, and refusals


def test_shapes_are_told_even_where_scores_are_not_kept():
    found = block(drawn_block(1), keep_scores=False)
    assert "scores" not in found.tensors
    assert found.shapes == block(drawn_block(1)).shapes
    assert found.shapes["scores"] == (4, 5, 5)
    assert [name for name in TENSORS if name in found.shapes] == list(found.shapes)


def refusal(given_):
    with pytest.raises(DenseError) as caught:
        block(given_)
    return caught.value


def test_rows_of_another_width_are_refused():
    error = refusal(replace(drawn_block(1), x=np.ones((2, 7))))
    assert (error.key, error.facts) == ("block-x-width", {"width": 7, "hidden": 6})


def test_no_rows_are_refused():
    assert refusal(replace(drawn_block(1), x=np.ones((0, 6)))).key == "block-x-empty"


def test_a_row_of_zeros_without_epsilon_is_refused_by_its_place():
    given_ = drawn_block(1, eps=0.0)
    given_.x[2] = 0
    error = refusal(given_)
    assert (error.key, error.facts) == ("block-zero-row", {"name": "norm1", "row": 3})


@pytest.mark.parametrize(("parts", "stage"), [("qk", "scores"), (("gate", "up"), "product")])
def test_numbers_beyond_the_floats_are_refused_by_their_stage(parts, stage):
    given_ = drawn_block(1)
    huge = {part: Projection(getattr(given_.weights, part).weight * 1e200) for part in parts}
    error = refusal(replace(given_, weights=replace(given_.weights, **huge)))
    assert (error.key, error.facts) == ("block-overflow", {"stage": stage})


def test_an_unknown_activation_is_refused():
    assert refusal(drawn_block(1, activation="swoosh")).key == "unknown-activation"


def test_extent_looks_past_the_mask():
    scores = block(drawn_block(1))["scores"]
    low, high, mean = extent(scores)
    assert math.isfinite(low)
    assert low < mean < high
