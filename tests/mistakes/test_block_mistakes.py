"""Whole blocks: every mistake is found in the tensors that it makes, and nothing else is named."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dense_cli.core.block import TENSORS, block
from dense_cli.core.schedule import Schedule
from dense_cli.mistakes import block_comparison, block_pairs, block_start
from dense_cli.mistakes.block import BLOCK
from dense_cli.mistakes.block_comparison import block_comparisons
from tests.core.blocks import drawn_block, drawn_weights
from tests.mistakes.made_once import made_once

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


LEAN = rich(biased=False)
GIVEN = {"stored": rich(), "offset": rich(unit_offset=True), "gelu": rich(activation="gelu")}
OTHERWISE = {"offset": {"rmsnorm"}, "gelu": {"swiglu"}}
"""The topics whose mistakes come out otherwise in a block than in the first one."""


@pytest.fixture(autouse=True)
def blocks_made_once(monkeypatch):
    monkeypatch.setattr(block_start, "block", made_once)


def compared(given, claims, **tolerances):
    return block_comparisons([given], [block(given)], claims, **{"atol": ATOL, **tolerances})


def ids(comparison):
    return [found.id for found in comparison.mistakes]


def settings():
    for name, given in GIVEN.items():
        for mistake in (one for one in BLOCK if one.topic in OTHERWISE.get(name, {one.topic})):
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


@pytest.fixture
def as_if_large(monkeypatch):
    """Blocks are treated as those that are too large for pairs, and for what they cannot show."""
    monkeypatch.setattr(block_comparison, "LARGEST_LOOK", 0)
    monkeypatch.setattr(block_pairs, "MOST_WEIGHTS", 0)


@pytest.mark.parametrize("name", ["output", "scores"])
@pytest.mark.parametrize("batch", [1, 2])
def test_every_mistake_is_found_in_a_large_block(as_if_large, batch, name):
    given = [replace(GIVEN["stored"], x=x) for x in np.random.default_rng(2).normal(size=(batch, 7, 16))]
    right = np.array([block(one)[name] for one in given])
    for mistake in BLOCK:
        for made in zip(*(mistake.change(one) for one in given), strict=True):
            wrong = np.array([block(one)[name] for one in made])
            if np.allclose(wrong, right, atol=1e-9):
                continue
            claims = {name: wrong if batch > 1 else wrong[0]}
            found = block_comparisons(given, [block(one) for one in given], claims, ATOL)[name]
            assert mistake.id in ids(found)
            assert not found.pairs_tried


def test_a_large_block_is_made_in_full_only_where_it_begins_as_claimed(as_if_large, monkeypatch):
    given = GIVEN["stored"]
    right, claim = block(given), block(replace(given, score_width=1))["output"]
    made = []
    monkeypatch.setattr(block_start, "block", lambda one, keep: made.append(len(one.x)) or block(one, keep))
    assert ids(block_comparisons([given], [right], {"output": claim}, ATOL)["output"]) == ["not-scaled"]
    full = [tokens for tokens in made if tokens == len(given.x)]
    assert len(full) == 2  # what was claimed, and the block without a mask, which shows only as a whole
    assert made.count(block_start.SAMPLE) > 50


def test_all_mistakes_can_be_made_somewhere():
    grouped = drawn_block(1, heads=8)  # 8/2 is not the number of key heads
    made = {
        mistake.id for given in (*GIVEN.values(), grouped) for mistake in BLOCK if list(mistake.change(given))
    }
    assert made == {mistake.id for mistake in BLOCK}


def test_the_right_tensors_match_and_nothing_is_named():
    given = GIVEN["stored"]
    trace = block(given)
    for found in compared(given, dict(trace.tensors)).values():
        assert (found.matches, found.mistakes, found.max_abs_error) == (True, (), 0)


@pytest.mark.parametrize("seed", range(2))
def test_nothing_is_invented_for_random_tensors(seed):
    given = LEAN
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


@pytest.mark.parametrize(
    ("heads", "kv_heads", "regrouped", "wrong"),
    [
        (8, 2, [0, 2, 1, 3, 4, 6, 5, 7], [0, 1, 2, 3, 4, 5, 6, 7]),  # as a converter was reported to do
        (6, 2, [0, 2, 1, 3, 4, 6, 5, 7], None),  # 8 rows are no 3 heads of pairs
        (4, 2, [0, 2, 1, 3, 4, 6, 5, 7], None),  # 4/2 is the number of key heads
    ],
)
def test_keys_regrouped_with_the_wrong_number_of_heads(heads, kv_heads, regrouped, wrong):
    """Rows 0 to 7 of K, two heads of four: their order with 2 heads, and with 8/2 = 4."""
    given = drawn_block(1, heads=heads, kv_heads=kv_heads)
    right = given.weights.k.weight  # taken for what a converter made
    stored = np.empty_like(right)
    stored[:, regrouped] = right
    made = [one.weights.k.weight for one in changes("key-permuted-by-heads", given)]
    if wrong is None:
        assert made == []
    else:
        assert np.array_equal(made[0], stored[:, wrong])
        tensor = (block(given)["norm1"] @ stored[:, wrong]).reshape(5, kv_heads, 4).swapaxes(0, 1)
        assert "key-permuted-by-heads" in ids(compared(given, {"k": tensor})["k"])


@pytest.mark.parametrize("order", [[0, 2, 1, 3], [0, 2, 1, 3][::-1]])
def test_queries_whose_coordinates_stand_in_the_order_of_the_other_layout(order):
    """In a head of four both directions are one; any other order is unknown."""
    given = drawn_block(1, head_dim=4)
    found = compared(given, {"q": block(given)["q"][..., order]})["q"]
    assert ids(found) == (["permuted-weights"] if order == [0, 2, 1, 3] else [])


@pytest.mark.parametrize("order", [[0, 2, 4, 1, 3, 5], [0, 3, 1, 4, 2, 5]])
def test_both_directions_of_regrouping_are_known(order):
    given = drawn_block(1, head_dim=6, weights=drawn_weights(1, head_dim=6))
    found = compared(given, {"k": block(given)["k"][..., order]})["k"]
    assert ids(found) == ["permuted-weights"]


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        (lambda output: 1.5 * output, ["factor"]),
        (lambda output: -output, ["negative"]),
        (lambda output: output + 0.25, ["added"]),
        (lambda output: output[::-1], ["permuted"]),
        (lambda output: output**3, []),
    ],
)
def test_what_can_still_be_said_of_a_tensor_that_nothing_makes(change, seen):
    given = drawn_block(1)
    found = compared(given, {"output": change(block(given)["output"])})["output"]
    assert (ids(found), [one.id for one in found.seen]) == ([], seen)


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


# --- two together


def both(given, one, other):
    """The first setting of one mistake after the first of another."""
    mistakes = {mistake.id: mistake for mistake in BLOCK}
    once = next(iter(mistakes[one].change(given)))
    return next(iter(mistakes[other].change(once)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("other-layout", "swapped-branches"),
        ("one-based", "key-only"),  # positions counted from 1 show in the scores only beside it
        ("mask-ignored", "relu"),
        ("base-500000", "clockwise"),
        ("kv-heads-interleaved", "value-rotated"),
    ],
)
def test_two_mistakes_together_are_found_in_the_output(one, other):
    given = LEAN
    if one == "base-500000":
        given = replace(given, rates=Schedule(Fraction(100), 4))
    found = compared(given, {"output": block(both(given, one, other))["output"]})["output"]
    assert "+".join(sorted((one, other))) in ids(found)
    assert all(len(each.mistakes) == 2 and each.max_abs_error <= 1e-9 for each in found.mistakes)
    assert found.pairs_tried


def test_two_slips_by_hand():
    """Heads without a mask, read in turn; and the branches exchanged under ReLU."""
    given = drawn_block(1)
    trace = block(given)
    found = compared(given, {"heads": attended(trace, in_turn, masked=False)})["heads"]
    assert ids(found) == ["kv-heads-interleaved+mask-ignored"]
    found = compared(given, {"product": np.maximum(trace["up"], 0) * trace["gate"]})["product"]
    assert ids(found) == ["relu+swapped-branches"]


def test_a_mistake_that_is_enough_alone_is_told_alone():
    given = LEAN
    right, wrong = block(given), block(both(given, "other-layout", "swapped-branches"))
    found = compared(given, {name: wrong[name] for name in ("q_rotated", "scores", "gate")})
    assert [ids(found[name]) for name in ("q_rotated", "scores")] == [["other-layout"]] * 2
    assert ids(found["gate"]) == ["other-layout+swapped-branches"]
    assert [found[name].pairs_tried for name in found] == [False, False, True]
    assert not np.allclose(right["gate"], wrong["gate"])


def test_a_pair_that_hardly_differs_from_its_part_is_not_told():
    """Another epsilon changes less than the tolerance here, so it is no second mistake."""
    given, atol = LEAN, 0.05
    alone = block(next(iter(changes("other-layout", given))))["output"]
    pairs = [block(one)["output"] for one in changes("eps-other", replace(given, layout="half"))]
    gap = max((made - alone for made in pairs), key=lambda gap: np.abs(gap).max())
    place = np.unravel_index(np.abs(gap).argmax(), gap.shape)
    assert 1e-4 < abs(gap[place]) < atol
    near = alone.copy()
    near[place] += np.sign(gap[place]) * (atol + abs(gap[place]) / 2)
    found = compared(given, {"output": near}, atol=Fraction(atol))["output"]
    assert found.pairs_tried
    assert "eps-other+other-layout" not in ids(found)


def changes(id, given):
    (mistake,) = (mistake for mistake in BLOCK if mistake.id == id)
    return mistake.change(given)


def test_two_mistakes_in_a_batch_are_compared_with_all_sequences():
    given = [drawn_block(1), replace(drawn_block(1), x=drawn_block(5).x)]
    made = [block(one) for one in given]
    wrong = np.stack([block(both(one, "other-layout", "swapped-branches"))["output"] for one in given])
    found = block_comparisons(given, made, {"output": wrong})["output"]
    assert "other-layout+swapped-branches" in ids(found)
    wrong[1, -1, -1] += 1  # the sampled tokens of the first sequence are still those of the pair
    found = block_comparisons(given, made, {"output": wrong})["output"]
    assert (ids(found), found.pairs_tried) == ([], True)


def test_a_block_too_large_for_pairs_says_that_they_were_not_tried(monkeypatch):
    given = drawn_block(1)
    wrong = {"output": block(both(given, "other-layout", "swapped-branches"))["output"]}
    monkeypatch.setattr("dense_cli.mistakes.block_pairs.MOST_WEIGHTS", 100)
    found = compared(given, wrong)["output"]
    assert (ids(found), found.pairs_tried) == ([], False)


def test_rounding_to_a_short_format_does_not_hide_the_mistake():
    given = drawn_block(1)
    wrong = block(replace(given, layout="half"))["q_rotated"].astype(np.float16)
    (note,) = (
        note
        for note in compared(given, {"q_rotated": wrong})["q_rotated"].notes
        if note.key == "expect.short-nearly"
    )
    assert (note.facts["format"], note.facts["title"].key) == ("float16", "mistakes.rope.other-layout.title")
    told = compared(given, {"q_rotated": wrong}, atol=Fraction(note.facts["atol"]))["q_rotated"]
    assert ids(told) == ["other-layout"]
