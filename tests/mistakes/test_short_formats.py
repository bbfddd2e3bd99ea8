"""Numbers that went through a short format are known by their values, and told as near as it goes."""

from __future__ import annotations

import struct
from fractions import Fraction

import numpy as np
import pytest

from dense_cli.core.norms import Norm
from dense_cli.core.precision import FLOAT16, FORMATS
from dense_cli.mistakes import catalogue
from dense_cli.mistakes.asking import Claim
from dense_cli.mistakes.comparison import compared
from dense_cli.mistakes.quantities import norm_question
from dense_cli.mistakes.short_formats import nearly, short_format


def bfloat16(values):
    """The upper halves of float32 numbers, as the format is defined; cut off, not rounded."""
    return [struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0] for bits in bits_of(values)]


def bits_of(values):
    return [struct.unpack("<I", struct.pack("<f", value))[0] for value in values]


DRAWN = np.random.default_rng(0).normal(size=50)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (bfloat16(DRAWN), "bfloat16"),
        (DRAWN.astype(np.float16).tolist(), "float16"),
        (DRAWN.astype(np.float32).tolist(), "float32"),
        (DRAWN.tolist(), None),
        ([*DRAWN.astype(np.float16).tolist(), 0.1], None),
        ([*DRAWN.astype(np.float16).tolist(), float("inf"), float("nan")], "float16"),
        ([0.0, -1.0, 0.5, 1.75], None),  # typed, as likely as not
        ([], None),
    ],
)
def test_the_shortest_format_that_holds_the_numbers(values, name):
    found = short_format(values)
    assert (found and found.name) == name


ROW = Norm(((0.003, 0.004, -0.0071), (0.001, 0.002, 0.0013)), eps=1e-5)
ROOT_MEAN_SQUARES = np.sqrt(np.square(ROW.x).mean(axis=1, keepdims=True))


def told(values):
    claim = Claim(tuple(map(tuple, np.asarray(values, float).tolist())))
    return compared(norm_question(ROW, "output"), claim)


def notes(found):
    return {note.key.rpartition(".")[2]: note.facts for note in found.notes}


def test_a_right_result_in_float16_is_said_to_be_near_enough():
    right = np.array(ROW.x) / np.sqrt(ROOT_MEAN_SQUARES**2 + 1e-5)
    found = told(right.astype(np.float16))
    assert not found.matches
    atol = notes(found)["short"]["atol"]
    claim = Claim(tuple(map(tuple, right.astype(np.float16).astype(float).tolist())))
    assert compared(norm_question(ROW, "output"), claim, Fraction(atol)).matches
    assert "short-nearly" not in notes(found)


def test_a_mistake_is_named_as_nearly_as_float16_can_tell():
    """Epsilon outside the root."""
    found = told((np.array(ROW.x) / (ROOT_MEAN_SQUARES + 1e-5)).astype(np.float16))
    assert found.mistakes == ()
    facts = notes(found)["short-nearly"]
    assert facts["format"] == "float16"
    titles = str(facts["title"])
    assert "eps-outside" in titles


def test_where_too_many_mistakes_are_near_none_is_named():
    mistakes = catalogue("rmsnorm")
    assert [note.key for note in nearly(FLOAT16, 0.01, mistakes[:3])] == ["expect.short-nearly"]
    assert list(nearly(FLOAT16, 0.01, mistakes[:4])) == []
    assert list(nearly(FLOAT16, 0.01, ())) == []


def test_typed_numbers_are_not_taken_for_a_short_format():
    values = tuple(
        map(tuple, (np.array(ROW.x) / (ROOT_MEAN_SQUARES + 1e-5)).astype(np.float16).astype(float).tolist())
    )
    found = compared(norm_question(ROW, "output"), Claim(values, decimals=(10,) * 6))
    assert not {"short", "short-nearly"} & notes(found).keys()


def test_float64_numbers_have_no_such_excuse():
    found = told(np.array(ROW.x) * 3.1)
    assert not {"short", "short-nearly"} & notes(found).keys()


def test_all_formats_are_tried_from_the_shortest_on():
    assert {"bfloat16", "float16", "float32"} == set(FORMATS)
