"""Attention on arrays: the rotation table, the mask, the softmax, the heads."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core.angles import Rate, cos_sin
from dense_cli.core.attention import MOST_EXACT, QUERIES, attend, directions, turned, visible
from dense_cli.core.rope import QUARTER_TURN, Rope, rope
from dense_cli.core.schedule import schedule
from dense_cli.errors import DenseError

SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def one_by_one(q, k, v, window=None):
    """Attention as the formula says it, one query of one head at a time, in plain Python."""
    heads, tokens, width = q.shape
    group = heads // len(k)
    mixed = np.zeros((heads, tokens, v.shape[-1]))
    for head in range(heads):
        for m in range(tokens):
            seen = [n for n in range(m + 1) if window is None or m - n < window]
            scores = [math.fsum(q[head, m] * k[head // group, n]) / math.sqrt(width) for n in seen]
            powers = [math.exp(score - max(scores)) for score in scores]
            for n, power in zip(seen, powers, strict=True):
                mixed[head, m] += power / math.fsum(powers) * v[head // group, n]
    return mixed


# --- the table


def test_quarter_turns_are_exact_at_any_position():
    table = directions([QUARTER_TURN], start=4 * 10**30 + 1, tokens=4)
    assert table.tolist() == [[1j], [-1], [-1j], [1]]


def test_few_angles_are_the_nearest_floats():
    rates = schedule(Fraction(10000), 8)
    table = directions(rates, start=10**9, tokens=3)
    expected = [[complex(*cos_sin(rate, 10**9 + t)) for rate in rates] for t in range(3)]
    assert table.tolist() == expected


def test_many_angles_come_from_two_tables_and_stay_right():
    """At every 97th of 5000 far positions, within three units in the last place of 1."""
    rates = schedule(Fraction(10000), 4)
    tokens, start = 5000, 10**6 + 7
    assert tokens * len(rates) > MOST_EXACT
    table = directions(rates, start, tokens)
    assert table.shape == (tokens, 2)
    for t in range(0, tokens, 97):
        expected = [complex(*cos_sin(rate, start + t)) for rate in rates]
        assert np.abs(table[t] - expected).max() <= 3 * 2.0**-53


def test_the_last_of_many_quarter_turns_is_exact():
    assert directions([QUARTER_TURN], start=0, tokens=MOST_EXACT + 2)[-1].tolist() == [1j]


# --- the rotation


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, start=st.integers(0, 10**12), factor=st.sampled_from([1.0, 1.25]))
def test_rotation_is_that_of_one_query_alone(layout, seed, start, factor):
    """The array's rotation agrees with `rope` on each row, partial rotation included."""
    rates, x = schedule(Fraction(10000), 4), drawn(seed, 3, 6)
    table = directions(rates, start, 3)
    found = turned(x, table, layout, factor)
    for t, row in enumerate(x.tolist()):
        plain = rope(
            Rope(tuple(row), tuple(row), ((start + t, 0),), rates, 4, layout, attention_factor=factor)
        )
        assert found[t] == pytest.approx(plain[0].query, rel=1e-14, abs=1e-15)


def test_rotation_keeps_lengths():
    x = drawn(5, 2, 7, 8)
    found = turned(x, directions(schedule(Fraction(10000), 8), 3, 7), "half")
    assert np.linalg.norm(found, axis=-1) == pytest.approx(np.linalg.norm(x, axis=-1), rel=1e-14)
    assert not np.allclose(found, x)


def test_rotation_leaves_its_input_alone():
    x = drawn(6, 2, 4)
    before = x.copy()
    turned(x, directions([QUARTER_TURN, QUARTER_TURN], 1, 2), "half")
    assert (x == before).all()


# --- attention


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, groups=st.sampled_from([1, 2, 4]), window=st.sampled_from([None, 1, 2, 3]))
def test_attention_is_the_formula_one_query_at_a_time(seed, groups, window):
    q, k, v = drawn(seed, 4, 5, 3), drawn(seed + 1, groups, 5, 3), drawn(seed + 2, groups, 5, 2)
    found = attend(q, k, v, window=window).heads
    assert found == pytest.approx(one_by_one(q, k, v, window), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("window", [None, 5, QUERIES + 3])
def test_blocks_of_queries_make_no_difference(window):
    """Longer than two blocks, against one softmax over the whole matrix."""
    tokens = 2 * QUERIES + 9
    q, k, v = drawn(1, 2, tokens, 4), drawn(2, 1, tokens, 4), drawn(3, 1, tokens, 4)
    found = attend(q, k, v, window=window)
    scores = q @ k[0].T / 2
    mask = np.tril(np.ones((tokens, tokens), bool))
    if window is not None:
        mask &= ~np.tril(np.ones((tokens, tokens), bool), -window)
    scores[:, ~mask] = -np.inf
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probabilities = powers / powers.sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(found.scores, scores, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found.probabilities, probabilities, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.heads, probabilities @ v[0], rtol=1e-12, atol=1e-13)
    assert (found.last_scores == found.scores[:, -1]).all()
    assert (found.last_probabilities == found.probabilities[:, -1]).all()


def test_what_is_not_kept_changes_nothing():
    q, k, v = drawn(1, 2, 70, 4), drawn(2, 1, 70, 4), drawn(3, 1, 70, 4)
    lean, full = attend(q, k, v, keep=False), attend(q, k, v)
    assert lean.scores is None
    assert lean.probabilities is None
    assert (lean.heads == full.heads).all()
    assert (lean.last_scores == full.last_scores).all()
    assert (lean.last_probabilities == full.last_probabilities).all()


def test_probabilities_add_up_to_one_and_are_zero_where_masked():
    found = attend(drawn(1, 2, 6, 4), drawn(2, 2, 6, 4), drawn(3, 2, 6, 4))
    assert found.probabilities.sum(axis=-1) == pytest.approx(np.ones((2, 6)), abs=1e-15)
    above = ~np.tril(np.ones((6, 6), bool))
    assert (found.probabilities[:, above] == 0).all()
    assert np.isneginf(found.scores[:, above]).all()
    assert np.isfinite(found.scores[:, ~above]).all()


def test_huge_scores_do_not_overflow():
    """e^(10^6) is no float; the softmax subtracts the largest score first."""
    q = np.array([[[1.0], [1000.0]]])
    k = np.array([[[1.0], [1000.0]]])
    found = attend(q, k, np.array([[[1.0], [3.0]]]))
    assert found.heads.tolist() == [[[1.0], [3.0]]]


def test_a_score_beyond_the_floats_is_refused():
    huge = np.full((1, 2, 2), 1e200)
    with pytest.raises(DenseError) as caught:
        attend(huge, huge, huge)
    assert caught.value.key == "block-overflow"
    assert caught.value.facts["stage"] == "scores"


def test_without_the_mask_every_key_is_seen():
    found = attend(drawn(1, 1, 3, 2), drawn(2, 1, 3, 2), drawn(3, 1, 3, 2), causal=False)
    assert (found.probabilities > 0).all()


def test_scores_are_over_the_root_of_the_head_width():
    q, k = np.full((1, 1, 4), 1.0), np.full((1, 1, 4), 3.0)
    assert attend(q, k, k).scores.tolist() == [[[6.0]]]
    assert attend(q, k, k, score_width=16).scores.tolist() == [[[3.0]]]


def test_one_key_head_repeated_is_full_heads():
    q, k, v = drawn(1, 4, 5, 3), drawn(2, 1, 5, 3), drawn(3, 1, 5, 3)
    repeated = attend(q, np.repeat(k, 4, axis=0), np.repeat(v, 4, axis=0))
    assert attend(q, k, v).heads == pytest.approx(repeated.heads, rel=1e-13, abs=1e-14)


def test_a_query_sees_itself_and_nothing_later():
    assert visible(range(2), range(3)).tolist() == [[True, False, False], [True, True, False]]


def test_angles_of_a_radian_are_taken_as_they_are():
    table = directions([Rate.radians(1)], start=1, tokens=1)
    assert table[0, 0] == complex(0.5403023058681398, 0.8414709848078965)
