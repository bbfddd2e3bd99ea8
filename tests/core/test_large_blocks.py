"""A block and its attention where arrays are large: other ways through them, and the same numbers."""

import tracemalloc
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core import attention
from dense_cli.core.angles import cos_sin
from dense_cli.core.attention import MOST_EXACT, QUERIES, attend, directions, turned, visible
from dense_cli.core.block import TENSORS, block, rms_norm
from dense_cli.core.kernels import walking
from dense_cli.core.kernels.activations import ACTIVATIONS, silu
from dense_cli.core.schedule import QUARTER_TURN, schedule
from dense_cli.errors import DenseError
from tests.core.blocks import drawn_block

SEEDS = st.integers(0, 2**31 - 1)


@pytest.fixture
def large(monkeypatch):
    """Every array counts as a large one, and every block is small."""
    monkeypatch.setattr(walking, "SMALL", 0)


def as_if_large(call):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walking, "SMALL", 0)
        return call()


def drawn(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def by_the_formula(q, k, v, window=None, causal=True):
    """One softmax over the whole matrix of scores, with the largest taken off."""
    tokens = q.shape[-2]
    k, v = (np.repeat(part, len(q) // len(part), axis=0) for part in (k, v))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if causal:
        scores[:, ~visible(range(tokens), range(tokens), window)] = -np.inf
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probabilities = powers / powers.sum(axis=-1, keepdims=True)
    return scores, probabilities, probabilities @ v


# --- the whole block


@settings(max_examples=40, deadline=None)
@given(
    seed=SEEDS,
    layout=st.sampled_from(["half", "interleaved"]),
    name=st.sampled_from(sorted(ACTIVATIONS)),
    window=st.sampled_from([None, 2]),
    partly=st.booleans(),
    offset=st.booleans(),
    factor=st.sampled_from([1.0, 1.25]),
    dtype=st.sampled_from(["<f8", ">f8", "<f4"]),
    make=st.sampled_from(["contiguous", "strided", "transposed"]),
)
def test_every_tensor_of_a_large_block_is_that_of_a_small_one(
    seed, layout, name, window, partly, offset, factor, dtype, make
):
    given_ = drawn_block(seed, layout=layout, activation=name, window=window, unit_offset=offset, scale=0.5)
    shape = given_.x.shape
    rooms = {
        "contiguous": lambda: np.zeros(shape, dtype),
        "strided": lambda: np.zeros((shape[0], 2 * shape[1]), dtype)[:, ::2],
        "transposed": lambda: np.zeros(shape[::-1], dtype).T,
    }
    x = rooms[make]()
    x[...] = given_.x
    given_ = replace(given_, x=x, attention_factor=factor)
    if partly:
        given_ = replace(given_, rates=schedule(Fraction(10000), 2), rotary_dim=2)
    small, great = block(given_), as_if_large(lambda: block(given_))
    assert list(small.tensors) == list(great.tensors)
    assert {array.dtype for array in small.tensors.values()} == {np.dtype(float)}
    for tensor in small.tensors:
        np.testing.assert_allclose(great[tensor], small[tensor], rtol=1e-12, atol=1e-12, err_msg=tensor)
    assert great.shapes == small.shapes


def test_a_block_of_several_query_blocks_is_right_without_any_kernel(monkeypatch):
    """Longer than the arrays that count as large; the plain way is had by counting none as large."""
    given_ = drawn_block(3, tokens=1100, head_dim=8, heads=4, hidden=32)
    assert given_.x.size // 6 * 32 > walking.SMALL
    found = block(given_, keep_scores=False)
    monkeypatch.setattr(walking, "SMALL", 10**9)
    plain = block(given_, keep_scores=False)
    for tensor in plain.tensors:
        scale = np.abs(plain[tensor]).max()
        np.testing.assert_allclose(found[tensor], plain[tensor], rtol=0, atol=1e-11 * scale, err_msg=tensor)
    for token in (0, 63, 64, 700, 1099):  # and the attention of some tokens by the formula
        q, k, v = (plain[name][:, : token + 1] for name in ("q_rotated", "k_rotated", "v"))
        wanted = by_the_formula(q, k, v)[2][:, -1]
        np.testing.assert_allclose(found["heads"][:, token], wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("over", ["x", "q_norm"])
def test_a_large_row_of_zeros_is_refused_by_its_place(large, over):
    given_ = drawn_block(1, eps=0.0)
    if over == "x":
        given_.x[2] = 0
        wanted = {"name": "norm1", "row": 3}
    else:
        weights = given_.weights
        nothing = replace(weights.q, weight=0 * weights.q.weight)
        given_ = replace(given_, weights=replace(weights, q=nothing, q_norm=np.ones(4), k_norm=np.ones(4)))
        wanted = {"name": "q_norm", "row": 1}
    with pytest.raises(DenseError) as refusal:
        block(given_)
    assert (refusal.value.key, refusal.value.facts) == ("block-zero-row", wanted)


def test_a_row_of_one_head_is_counted_among_its_tokens(large):
    heads = np.ones((2, 3, 4))
    heads[1, 2] = 0
    with pytest.raises(DenseError) as refusal:
        rms_norm(heads, np.ones(4), 0.0)
    assert refusal.value.facts["row"] == 3


@pytest.mark.parametrize(
    ("fields", "key"),
    [({"layout": "halves"}, "unknown-layout"), ({"activation": "swish"}, "unknown-activation")],
)
def test_a_large_block_refuses_what_a_small_one_refuses(large, fields, key):
    with pytest.raises(DenseError) as refusal:
        block(drawn_block(1, **fields))
    assert refusal.value.key == key


def test_numbers_beyond_the_floats_are_refused_by_their_stage(large):
    given_ = drawn_block(1)
    huge = {
        part: replace(getattr(given_.weights, part), weight=np.full((6, 5), 1e200)) for part in ("gate", "up")
    }
    with pytest.raises(DenseError) as refusal:
        block(replace(given_, weights=replace(given_.weights, **huge)))
    assert (refusal.value.key, refusal.value.facts) == ("block-overflow", {"stage": "product"})


def test_4096_tokens_need_no_room_for_their_scores():
    """At most 25 MB; one matrix of scores alone would be 134 MB."""
    given_ = drawn_block(0, tokens=4096, width=12, heads=3, kv_heads=3, hidden=32, scale=0.3)
    tracemalloc.start()
    try:
        found = block(given_, keep_scores=False)
        assert tracemalloc.get_traced_memory()[1] <= 25e6
    finally:
        tracemalloc.stop()
    assert [name for name in TENSORS if name in found.tensors] == list(found.tensors)


# --- its parts


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_no_minus_zero_comes_out_of_a_large_array(large, layout):
    found = turned(np.array([[-0.0, 0.0], [0.0, -0.0]]), np.array([[1j], [-1j]]), layout)
    assert not np.signbit(found).any()
    assert not np.signbit(silu(np.array([-1000.0, 0.0, -0.0]))).any()


def test_a_large_silu_keeps_its_digits_far_out(large):
    x = -np.array([0.5, 50, 699, 701, 709.9, 720, 740, 1000])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walking, "SMALL", 10**9)
        wanted = silu(x)
    np.testing.assert_allclose(silu(x), wanted, rtol=1e-14, atol=1e-323)
    assert np.isnan(silu(np.array([1.0, np.nan]))).tolist() == [False, True]


@pytest.mark.parametrize("start", [0, 10**12, 2**63 - 2000, 2**70])
def test_many_directions_may_begin_anywhere(start):
    rates = (QUARTER_TURN, *schedule(Fraction(10000), 4))
    found = directions(rates, start, MOST_EXACT)
    for t in (0, 1, 1999, 2001, MOST_EXACT - 1):
        exact = np.array([complex(*cos_sin(rate, start + t)) for rate in rates])
        assert np.abs(found[t] - exact).max() <= 3 * 2.0**-53
        assert found[t, 0] == exact[0]


@pytest.mark.parametrize("make", [np.array, np.asfortranarray, lambda x: x[:, ::-1]])
def test_silu_of_many_blocks_is_that_of_each_number(make):
    """In a block of its own, or at the end of several."""
    x = make(3 * drawn(0, 601, 500))
    assert walking.is_large(x)
    found = silu(x)
    np.testing.assert_allclose(found, x / (1 + np.exp(-x)), rtol=1e-14)


# --- attention


@pytest.mark.parametrize("width", [1, 2, 3, 4, 16])
def test_scores_are_products_rounded_and_then_divided(width):
    """Also where the queries are divided before, which is done only where it changes no digit."""
    q, k = drawn(1, 1, 5, width), drawn(2, 1, 5, width)
    found = attend(q, k, k, causal=False).scores
    assert (found == (q[:, None] @ k[:, None].swapaxes(-1, -2) / np.sqrt(width))[0]).all()


@settings(max_examples=60, deadline=None)
@given(
    seed=SEEDS,
    tokens=st.integers(1, 40),
    heads=st.sampled_from([(1, 1), (2, 4), (3, 3), (4, 4)]),
    width=st.sampled_from([1, 3, 4]),
    window=st.sampled_from([None, 1, 5, 8, 13]),
    causal=st.booleans(),
    at_once=st.sampled_from([1, 200, 1 << 16]),
    queries=st.sampled_from([2, 8, 64]),
)
def test_however_queries_and_heads_are_divided_attention_is_the_formula(
    seed, tokens, heads, width, window, causal, at_once, queries
):
    """Blocks of any size, tame scores as they are where there are more tokens than the largest block has."""
    groups, all_heads = heads
    window = window if causal else None
    q, k, v = (
        drawn(seed, all_heads, tokens, width),
        drawn(seed + 1, groups, tokens, width),
        drawn(seed + 2, groups, tokens, 2),
    )
    scores, probabilities, mixed = by_the_formula(q, k, v, window, causal)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attention, "AT_ONCE", at_once)
        patch.setattr(attention, "QUERIES", queries)
        patch.setattr(attention, "FEWEST", min(queries, 8))
        found = attend(q, k, v, window=window, causal=causal)
        lean = attend(q, k, v, window=window, causal=causal, keep=False)
    np.testing.assert_allclose(found.scores, scores, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found.probabilities, probabilities, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.heads, mixed, rtol=1e-12, atol=1e-13)
    assert (lean.heads == found.heads).all()
    for one in (lean, found):
        assert (one.last_scores == found.scores[:, -1]).all()
        assert (one.last_probabilities == found.probabilities[:, -1]).all()


@pytest.mark.parametrize("size", [1.0, 15.0, 40.0, 1e150])
def test_scores_of_any_size_have_their_softmax(size):
    """e to the largest of these, up to 10^300, would be no float: then it is taken off first."""
    tokens = QUERIES + 20
    q, k, v = size * drawn(1, 2, tokens, 4), size * drawn(2, 1, tokens, 4), drawn(3, 1, tokens, 4)
    found = attend(q, k, v)
    _, probabilities, mixed = by_the_formula(q, k, v)
    if size < 1e100:
        assert found.probabilities == pytest.approx(probabilities, rel=1e-10, abs=1e-15)
        assert found.heads == pytest.approx(mixed, rel=1e-10, abs=1e-12)
    else:
        assert (found.probabilities == (probabilities > 0.5)).all()
    assert found.probabilities.sum(axis=-1) == pytest.approx(np.ones((2, tokens)), abs=1e-14)


def test_a_mean_of_the_largest_values_does_not_overflow():
    """Their sum would; they are shared out before they are added up."""
    tokens = QUERIES + 20
    values = np.full((1, tokens, 1), 1.5e308)
    found = attend(np.zeros((1, tokens, 1)), np.zeros((1, tokens, 1)), values)
    np.testing.assert_allclose(found.heads, values, rtol=1e-14)


@pytest.mark.parametrize("wrong", [1e200, np.inf, np.nan])
@pytest.mark.parametrize("tokens", [2, QUERIES + 20])
def test_a_score_that_is_no_number_is_refused_at_any_length(wrong, tokens):
    q = np.ones((1, tokens, 2))
    q[0, 0] = wrong
    k = q.copy()
    with pytest.raises(DenseError) as refusal:
        attend(q, k, np.ones((1, tokens, 2)))
    assert (refusal.value.key, refusal.value.facts) == ("block-overflow", {"stage": "scores"})


def test_no_tokens_have_no_heads():
    nothing = np.ones((2, 0, 4))
    assert attend(nothing, nothing, np.ones((2, 0, 3)), keep=False).heads.shape == (2, 0, 3)
