"""Vectors and matrices in every way people separate them."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.errors import DenseError
from dense_cli.reading import vectors
from dense_cli.reading.vectors import matrix, real_matrix, real_vector, vector

VECTORS = {
    "1,0": (1, 0),
    "-1 0": (-1, 0),
    "1.5": (Fraction(3, 2),),
    "[1,0]": (1, 0),
    "(1, 0)": (1, 0),
    "[1 0]": (1, 0),
    "［－１，０］": (-1, 0),
    "【−1，0】": (-1, 0),
    "1、2、3": (1, 2, 3),
    "1\u30002": (1, 2),
    "1,\n2, 3": (1, 2, 3),
    "1\n2\n3\n": (1, 2, 3),
    "1;2": (1, 2),
    "1；2": (1, 2),
    "1,46; -0,8": (Fraction(146, 100), Fraction(-8, 10)),
    "[1,5；2]": (Fraction(3, 2), 2),
    "1,0;0,1": (1, Fraction(1, 10)),
    "1:0": (1, 0),
    "[[1,0]]": (1, 0),
    "[[1],[0]]": (1, 0),
    "((1,0))": (1, 0),
    "(1+2)*3,4": (9, 4),
    "(1),(2)": (1, 2),
    "1 / 2": (Fraction(1, 2),),
    "1 / 2, 3": (Fraction(1, 2), 3),
    "1 -2": (1, -2),
    "1 + 1, 2": (2, 2),
    "2(3+1) 4": (8, 4),
    "50%,1e3": (Fraction(1, 2), 1000),
}

MATRICES = {
    "1,0": ((1, 0),),
    "1,0:0,1": ((1, 0), (0, 1)),
    "1,0;0,1": ((1, 0), (0, 1)),
    "1，0；0，1": ((1, 0), (0, 1)),
    "1 0; 0 1": ((1, 0), (0, 1)),
    "1 0\n0 1\n": ((1, 0), (0, 1)),
    "1,0;\n0,1": ((1, 0), (0, 1)),
    "[[1,0],[0,1]]": ((1, 0), (0, 1)),
    "[1,0],[0,1]": ((1, 0), (0, 1)),
    "[1,0] [0,1]": ((1, 0), (0, 1)),
    "[1,0]:[0,1]": ((1, 0), (0, 1)),
    "[[1,0];[0,1]]": ((1, 0), (0, 1)),
    "[1,0;0,1]": ((1, 0), (0, 1)),
    "((1,0),(0,1))": ((1, 0), (0, 1)),
    "[\n [1, 0],\n [0, 1]\n]": ((1, 0), (0, 1)),
    "[[[1,0],[0,1]]]": ((1, 0), (0, 1)),
    "1;2": ((1,), (2,)),
    "[[1]]": ((1,),),
    "[1;2]": ((1,), (2,)),
    "1/2,√4:(1+1),3": ((Fraction(1, 2), 2), (2, 3)),
}

BOTH_REFUSED = {
    "": "vector-empty",
    "[]": "vector-empty",
    "[ ]": "vector-empty",
    "[[]]": "vector-empty",
    "1,,0": "empty-entry",
    "1,0,": "empty-entry",
    ",1": "empty-entry",
    "[1": "bracket-open",
    "1]": "bracket-mismatch",
    "[1)": "bracket-mismatch",
    "[1,[2]]": "mixed-brackets",
    "[[1],2]": "mixed-brackets",
    "1,x": "unknown-name",
    "nan,0": "not-finite",
    "1e400,0": "number-too-large",
    "1 - 2": "number-unfinished",
    "[a, b]": "unknown-name",
    "1,3²": "superscript",
    "[1,2](3)": "unexpected-sign",
    "[" * 40 + "1" + "]" * 40: "brackets-too-deep",
    "[" * 100_000 + "1": "brackets-too-deep",
    "1," * 600_000: "text-too-long",
    "[1,23": "bracket-open",
    "0" * 201 + ",1": "number-too-long",
}


@pytest.mark.parametrize("text", VECTORS)
def test_a_vector_is_read(text):
    assert vector(text) == VECTORS[text]
    assert real_vector(text) == tuple(map(float, VECTORS[text]))


@pytest.mark.parametrize("text", MATRICES)
def test_a_matrix_is_read(text):
    assert matrix(text) == MATRICES[text]
    assert real_matrix(text) == tuple(tuple(map(float, row)) for row in MATRICES[text])


@pytest.mark.parametrize("text", BOTH_REFUSED, ids=lambda text: text[:12] or "empty")
@pytest.mark.parametrize("read", [vector, matrix, real_vector, real_matrix])
def test_what_is_neither_is_refused_with_its_reason(read, text):
    with pytest.raises(DenseError) as refused:
        read(text)
    assert refused.value.key == BOTH_REFUSED[text]
    assert refused.value.facts["typed"] == text


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("1,0:0,1", "vector-has-rows"),
        ("[[1,0],[0,1]]", "vector-has-rows"),
        ("1;2,3,4", "rows-in-vector"),
        ("1 0;0 1", "rows-in-vector"),
        ("3.5,1;2", "rows-in-vector"),
        ("6,4;", "empty-entry"),
    ],
)
def test_a_matrix_is_no_vector(text, key):
    with pytest.raises(DenseError) as refused:
        vector(text)
    assert refused.value.key == key


@pytest.mark.parametrize(
    ("text", "row", "width", "expected"),
    [("3,4;5", 2, 1, 2), ("[[1,2],[3,4],[5,6,7]]", 3, 3, 2), ("1:2,3", 2, 2, 1)],
)
def test_rows_of_different_lengths_are_refused_with_the_row(text, row, width, expected):
    with pytest.raises(DenseError) as refused:
        matrix(text)
    assert refused.value.key == "ragged-rows"
    assert refused.value.facts == {
        "typed": text,
        "name": text,
        "row": row,
        "width": width,
        "expected": expected,
    }


def test_an_open_bracket_is_told_by_its_own_place_and_what_would_close_it():
    with pytest.raises(DenseError) as refused:
        vector("[0, (1")
    facts = refused.value.facts
    assert refused.value.key == "bracket-open"
    assert (facts["part"], facts["place"], facts["missing"]) == ("(", 5, ")")


def test_the_entry_and_row_of_a_slip_are_told():
    with pytest.raises(DenseError) as refused:
        matrix("1,0:0,1/0")
    facts = refused.value.facts
    assert (refused.value.key, facts["row"], facts["entry"], facts["part"]) == (
        "division-by-zero",
        2,
        2,
        "1/0",
    )


def test_a_number_that_is_only_zero_as_a_float_is_refused_among_others():
    assert real_vector("0,-0.0,0e5") == (0.0, 0.0, 0.0)
    assert vector("1e-400,1") == (Fraction(1, 10**400), 1)
    for read in (real_vector, real_matrix):
        with pytest.raises(DenseError, match="number-too-small"):
            read("1e-400,1")


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(NUMBERS, min_size=1, max_size=6), st.sampled_from([",", ", ", " ", "，", "、", ";", "\n"]))
@settings(max_examples=100)
def test_written_floats_read_back_however_separated(values, mark):
    text = mark.join(map(repr, values))
    assert real_vector(text) == tuple(values)
    assert vector(f"[{text}]") == tuple(Fraction(repr(value)) for value in values)


@given(
    st.integers(1, 4).flatmap(
        lambda w: st.lists(st.lists(NUMBERS, min_size=w, max_size=w), min_size=1, max_size=4)
    )
)
@settings(max_examples=100)
def test_json_and_every_way_to_separate_rows_give_the_same_matrix(rows):
    expected = tuple(map(tuple, rows))
    assert real_matrix(json.dumps(rows)) == expected
    for mark in (":", ";", "\n", "；"):
        assert real_matrix(mark.join(",".join(map(repr, row)) for row in rows)) == expected


@given(st.text(alphabet="0123456789.eE+- ,[]1nfa", max_size=30))
@settings(max_examples=300)
def test_the_fast_path_says_what_the_full_grammar_says(text):
    """A plain list of decimals is read without the grammar; the grammar must agree."""
    quick = vectors._plain_row(text)
    if quick is not None:
        assert quick == tuple(map(float, vector(text)))


@given(st.text(alphabet="01.,;:[]() \n-/√x，；", max_size=40) | st.text(max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused(text):
    for read in (vector, matrix, real_vector, real_matrix):
        try:
            found = read(text)
        except DenseError:
            continue
        assert found
