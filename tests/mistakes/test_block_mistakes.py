"""Whole blocks: every mistake is found in the tensors that it makes, and nothing else is named."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dense_cli.core.block import TENSORS, block
from dense_cli.core.schedule import Schedule
from dense_cli.mistakes.block import BLOCK
from dense_cli.mistakes.block_comparison import block_comparisons
from tests.core.blocks import drawn_block

ATOL = Fraction(1, 10**9)


def slowed(rates):
    return tuple(rate.scaled(Fraction(1, 4)) for rate in rates)


def rich(seed=3, **fields):
    """Nearly every mistake can be made in it: grouped heads, biases, norms of q and k, a window."""
    usual = {"tokens": 5, "width": 16, "heads": 4, "kv_heads": 2, "head_dim": 4, "biased": True}
    given = drawn_block(seed, **{**usual, "scale": 0.3, **fields})
    draw = np.random.default_rng(seed)
    gains = {name: 1 + 0.3 * draw.normal(size=4) for name in ("q_norm", "k_norm")}
    return replace(
        given,
        rates=Schedule(Fraction(100), 4, scale=slowed),
        attention_factor=1.25,
        window=2,
        start=3,
        weights=replace(given.weights, **gains),
    )


GIVEN = {"stored": rich(), "offset": rich(unit_offset=True), "gelu": rich(activation="gelu")}


def compared(given, claims, **tolerances):
    return block_comparisons([given], [block(given)], claims, **{"atol": ATOL, **tolerances})


def ids(comparison):
    return [found.id for found in comparison.mistakes]


def settings():
    for name, given in GIVEN.items():
        for mistake in BLOCK:
            for number, changed in enumerate(mistake.change(given)):
                yield pytest.param(given, mistake.id, changed, id=f"{name}-{mistake.id}-{number}")


@pytest.mark.parametrize(("given", "id", "changed"), list(settings()))
def test_every_mistake_is_found_in_the_first_tensor_that_it_changes(given, id, changed):
    right, wrong = block(given), block(changed)
    differing = [
        name
        for name in TENSORS
        if name in wrong.tensors
        and (wrong[name].shape != right[name].shape or not np.allclose(wrong[name], right[name], atol=1e-9))
    ]
    name = differing[0]
    if wrong[name].shape != right[name].shape:  # more key heads: the numbers first differ in the scores
        name = "scores"
    found = compared(given, {name: wrong[name]})[name]
    assert not found.matches
    assert id in ids(found)
    assert found.first_difference is not None


def test_all_mistakes_can_be_made_somewhere():
    made = {mistake.id for given in GIVEN.values() for mistake in BLOCK if list(mistake.change(given))}
    assert made == {mistake.id for mistake in BLOCK}


def test_the_right_tensors_match_and_nothing_is_named():
    given = GIVEN["stored"]
    trace = block(given)
    for found in compared(given, dict(trace.tensors)).values():
        assert (found.matches, found.mistakes, found.max_abs_error) == (True, (), 0)


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_invented_for_random_tensors(seed):
    given = GIVEN["stored"]
    draw = np.random.default_rng(seed)
    claims = {name: draw.normal(size=array.shape) for name, array in block(given).tensors.items()}
    for found in compared(given, claims).values():
        assert (found.matches, found.mistakes) == (False, ())


# --- by hand, without the core's own parts


def softmax(scores):
    grown = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return grown / grown.sum(axis=-1, keepdims=True)


def attended(trace, spread, masked=True):
    """Heads of the block from its rotated queries and keys, with key heads spread over query heads."""
    q, k, v = trace["q_rotated"], spread(trace["k_rotated"]), spread(trace["v"])
    scores = q @ k.swapaxes(1, 2) / 2
    tokens = scores.shape[-1]
    if masked:
        scores = np.where(np.tri(tokens, dtype=bool), scores, -np.inf)
    return softmax(scores) @ v


def repeated(heads):
    return np.repeat(heads, 2, axis=0)


def in_turn(heads):
    return np.tile(heads, (2, 1, 1))


def test_heads_by_hand():
    given = drawn_block(1)
    trace = block(given)
    assert compared(given, {"heads": attended(trace, repeated)})["heads"].matches
    found = compared(given, {"heads": attended(trace, in_turn)})["heads"]
    assert ids(found) == ["kv-heads-interleaved"]
    found = compared(given, {"heads": attended(trace, repeated, masked=False)})["heads"]
    assert ids(found) == ["mask-ignored"]


def test_residuals_and_branches_by_hand():
    given = drawn_block(2)
    trace = block(given)
    down, x = trace["down"], trace["x"]
    wrong = {"first-residual-missing": {"residual": trace["attention"]}}
    wrong["second-residual-missing"] = {"output": down}
    wrong["residual-from-input"] = {"output": x + down}
    wrong["residual-normalised"] = {"residual": trace["norm1"] + trace["attention"]}
    wrong["swapped-branches"] = {"gate": trace["up"]}
    wrong["activation-missing"] = {"activated": trace["gate"]}
    for id, claims in wrong.items():
        (found,) = compared(given, claims).values()
        assert id in ids(found)


def test_one_tensor_is_compared_in_the_order_in_which_they_are_made():
    given = drawn_block(1)
    tensors = dict(reversed(block(given).tensors.items()))
    assert list(compared(given, tensors)) == [name for name in TENSORS if name in tensors]


# --- masks, shapes, formats


@pytest.mark.parametrize("mask", [-np.inf, -1e9, float(np.finfo(np.float32).min), -65504.0])
def test_a_masked_score_is_any_large_negative_number(mask):
    given = drawn_block(1)
    scores = block(given)["scores"].copy()
    scores[np.isneginf(scores)] = mask
    found = compared(given, {"scores": scores})["scores"]
    assert (found.matches, found.max_abs_error) == (True, 0)


def test_a_mask_at_a_visible_score_is_no_match():
    given = drawn_block(1)
    scores = block(given)["scores"].copy()
    scores[1, 2, 0] = -np.inf
    found = compared(given, {"scores": scores})["scores"]
    assert (found.matches, found.max_abs_error) == (False, None)
    assert found.first_difference["index"] == [1, 2, 0]
    assert found.first_difference["found"] is None


def test_unmasked_scores_differ_first_above_the_diagonal():
    given = drawn_block(1)
    scores = block(replace(given, causal=False))["scores"]
    found = compared(given, {"scores": scores})["scores"]
    assert found.first_difference["index"] == [0, 0, 1]
    assert found.first_difference["expected"] is None
    assert ids(found) == ["mask-ignored"]


def test_other_shapes_are_told_and_leading_ones_do_not_count():
    given = drawn_block(1)
    output = block(given)["output"]
    assert compared(given, {"output": output[None, None]})["output"].matches
    found = compared(given, {"output": output.T})["output"]
    assert found.first_difference == {"index": [], "found": [6, 5], "expected": [5, 6]}
    assert (found.max_abs_error, found.mistakes) == (None, ())


def test_a_batch_is_compared_with_its_batch_axis():
    given = [drawn_block(1), replace(drawn_block(1), x=drawn_block(5).x)]
    traces = [block(one) for one in given]
    output = np.stack([trace["output"] for trace in traces])
    assert block_comparisons(given, traces, {"output": output})["output"].matches
    wrong = np.stack([block(replace(one, causal=False))["output"] for one in given])
    found = block_comparisons(given, traces, {"output": wrong})["output"]
    assert ids(found) == ["mask-ignored"]
    assert found.first_difference["index"][0] == 0
    assert "expect.block.in-sequence" in [note.key for note in found.notes]


def test_short_formats_are_said_to_be_short():
    given = drawn_block(1)
    found = compared(given, {"output": block(given)["output"].astype(np.float16)})["output"]
    assert not found.matches
    assert "expect.array.short" in [note.key for note in found.notes]


# --- what an input hides


def test_one_token_alone_hides_rotation_and_mask():
    given = replace(drawn_block(1, tokens=1), start=0)
    found = compared(given, {"output": block(given)["output"]})["output"]
    hidden = {mistake.id for mistake in found.cannot_tell}
    assert {"mask-ignored", "no-rotation", "not-scaled", "value-rotated"} <= hidden
    assert "swapped-branches" not in hidden


def test_what_a_tensor_never_shows_is_not_called_hidden():
    """The mask comes after q, and positions counted from 1 drop out of the scores."""
    given = replace(drawn_block(1, tokens=1), start=0)
    trace = block(given)
    found = compared(given, {"q_rotated": trace["q_rotated"], "scores": trace["scores"]})
    assert "mask-ignored" not in {mistake.id for mistake in found["q_rotated"].cannot_tell}
    assert "one-based" not in {mistake.id for mistake in found["scores"].cannot_tell}
    assert "other-layout" in {mistake.id for mistake in found["q_rotated"].cannot_tell}


def test_several_tokens_hide_nothing():
    given = drawn_block(1, scale=2.0)
    found = compared(given, dict(block(given).tensors))
    hidden = {mistake.id for one in found.values() for mistake in one.cannot_tell}
    assert hidden <= {"eps-other"}
