"""The story of the block: every line calculates, every word exists, and the data are the reference's."""

from dataclasses import replace

import numpy as np
import pytest

from dense_cli.core.activations import ACTIVATIONS
from dense_cli.core.block import block as calculated
from dense_cli.derive.block import MOST_VALUES, block, nested
from tests.core.blocks import CASES, Reference, drawn_block
from tests.derive.walking import check_lines, steps_of


def story(given, keep=True, **told):
    return block(given, calculated(given, keep), **told)


def step(derivation, name):
    return next(one for one in steps_of(derivation) if one.name == name)


def normed(given, over):
    size = {"head": (4, 4), "projection": (16, 8)}[over]
    gains = {"q_norm": np.full(size[0], 1.5), "k_norm": np.ones(size[1])}
    return replace(given, weights=replace(given.weights, **gains))


VARIANTS = {
    "plain": drawn_block(1),
    "half, far": drawn_block(2, layout="half", start=10**12),
    "factor": drawn_block(3, attention_factor=1.25),
    "partial": drawn_block(4, rotary_dim=2, rates=drawn_block(4).rates[:1]),
    "no rotation": drawn_block(5, rates=None),
    "biased": drawn_block(6, biased=True),
    "window": drawn_block(7, window=2),
    "norm per head": normed(drawn_block(8), "head"),
    "norm over projection": normed(drawn_block(9), "projection"),
    "offset gain": drawn_block(10, unit_offset=True),
    "one token": drawn_block(11, tokens=1),
    "many tokens": drawn_block(12, tokens=11),
    "wide heads": drawn_block(13, head_dim=10),
    "wide rows": drawn_block(14, width=70),
    "values rotated": drawn_block(15, rotated=("q", "k", "v")),
    "no mask": drawn_block(16, causal=False),
    "eps 0": drawn_block(17, eps=0.0),
}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("keep", [True, False])
def test_every_line_calculates_and_has_words(name, keep):
    check_lines(story(VARIANTS[name], keep))


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_every_activation_is_told(name):
    check_lines(story(drawn_block(1, activation=name)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_data_are_the_library_s(case):
    """Masked scores are null, the rest is the library's; axes as named: heads first, then tokens."""
    reference = Reference(case)
    result = story(reference.block()).result
    expected = reference.trace("output")
    assert np.array(result["tensors"]["output"]) == pytest.approx(expected, rel=1e-10, abs=5e-11)
    scores, theirs = result["tensors"]["scores"], reference.trace("scores")
    for head, rows in enumerate(scores):
        for m, row in enumerate(rows):
            assert row[m + 1 :] == [None] * (len(row) - m - 1)
            assert row[: m + 1] == pytest.approx(theirs[head, m, : m + 1], rel=1e-10, abs=5e-11)
    assert result["shapes"] == {name: list(np.shape(value)) for name, value in result["tensors"].items()}


def test_the_last_row_is_the_one_that_is_told():
    given = drawn_block(1)
    trace = calculated(given)
    derivation = block(given, trace)
    assert step(derivation, "norm1").lines[0].value == tuple(given.x[-1])
    assert step(derivation, "output").lines[-1].value == tuple(trace["output"][-1])
    assert step(derivation, "mix").lines[-1].value == tuple(trace["heads"][0, -1])
    assert [row[3] for row in step(derivation, "scores").table.rows] == list(trace["probabilities"][0, -1])


def test_the_mask_is_told_query_by_query():
    rows = step(story(drawn_block(1, start=7)), "mask").table.rows
    masked = [[getattr(cell, "key", None) == "block.masked" for cell in row[1:]] for row in rows]
    assert masked == (~np.tril(np.ones((5, 5), bool))).tolist()
    assert [row[0] for row in rows] == [7, 8, 9, 10, 11]


def test_keys_stand_at_their_positions():
    rows = step(story(drawn_block(1, start=7)), "scores").table.rows
    assert [row[:2] for row in rows] == [(1, 7), (2, 8), (3, 9), (4, 10), (5, 11)]


def test_masked_keys_are_in_no_sum():
    """With a window of two keys, the softmax of the last query measures two against each other."""
    formula = step(story(VARIANTS["window"]), "softmax").lines[-1].formula
    assert len(formula.bottom.terms) == 2
    assert len(step(story(VARIANTS["plain"]), "softmax").lines[-1].formula.bottom.terms) == 5


def test_written_out_are_the_sums_of_small_blocks_only():
    assert step(story(VARIANTS["plain"]), "scores").lines[0].formula is not None
    assert step(story(VARIANTS["wide heads"]), "scores").lines[0].formula is None
    assert step(story(VARIANTS["many tokens"]), "mix").lines[0].formula is None


def test_many_values_are_summarized_and_no_tensor_is_told():
    given = drawn_block(1, tokens=300)
    derivation = story(given)
    assert "tensors" not in derivation.result
    assert derivation.result["summary"]["x"]["largest"] == given.x.max()
    low = derivation.result["summary"]["scores"]["smallest"]
    assert low == calculated(given)["scores"][np.tril(np.ones((300, 300), bool))[None].repeat(4, 0)].min()
    note = step(derivation, "summary").notes[0]
    assert note.facts["values"] > MOST_VALUES
    assert derivation.result["shapes"]["scores"] == [4, 300, 300]
    check_lines(derivation)


def test_a_batch_has_its_axis_first():
    first, second = drawn_block(1), drawn_block(1, x=np.random.default_rng(5).normal(size=(5, 6)))
    derivation = block(first, calculated(first), beside=[calculated(second)])
    assert derivation.result["shapes"]["q"] == [2, 4, 5, 4]
    told = np.array(derivation.result["tensors"]["output"])
    assert (told[0] == calculated(first)["output"]).all()
    assert (told[1] == calculated(second)["output"]).all()
    check_lines(derivation)


def test_zero_has_no_sign_and_masked_is_null():
    assert repr(nested([[-0.0, float("-inf")]])) == "[[0.0, None]]"
