"""Folding is a list, and nothing a person typed can act on the terminal."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.errors import DenseError
from dense_cli.reading.characters import fold, spaced, visible


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("１２．５", "12.5"),
        ("（１，０）", "(1,0)"),
        ("［−１；0］", "[-1;0]"),
        ("－1", "-1"),
        ("–1", "-1"),
        ("1、2", "1,2"),
        ("5×10", "5*10"),
        ("2·3", "2*3"),
        ("1÷2", "1/2"),
        ("1∕2", "1/2"),
        ("50％", "50%"),
        ("\ufeff64", "64"),
        ("6\u200b4", "64"),
        ("64\u00a0", "64 "),
        ("4\u202f608", "4 608"),
        ("1\u30000", "1 0"),
        ("ｓｑｒｔ（２）", "sqrt(2)"),
        ("【1，0】", "[1,0]"),
        ("1\t0", "1 0"),
        ("1\r\n0\r2", "1\n0\n2"),
        ("√2π", "√2π"),
    ],
)
def test_a_character_is_read_as_the_plain_one_it_stands_for(typed, plain):
    assert fold(typed) == plain


@pytest.mark.parametrize(
    ("typed", "key", "part", "place"),
    [
        ("3²", "superscript", "²", 2),
        ("10⁻¹", "superscript", "⁻", 3),
        ("x₂", "subscript", "₂", 2),
        ("½", "one-character-fraction", "½", 1),
        ("\x1b[31m", "hidden-character", "\x1b", 1),
        ("1\x00", "hidden-character", "\x00", 2),
        ("\u202e46", "hidden-character", "\u202e", 1),
        ("1\u200e", "hidden-character", "\u200e", 2),
        ("1\x7f", "hidden-character", "\x7f", 2),
        ("\ud800", "hidden-character", "\ud800", 1),
        ("1\u2028", "hidden-character", "\u2028", 2),
    ],
)
def test_characters_that_would_change_the_meaning_are_refused_with_their_place(typed, key, part, place):
    with pytest.raises(DenseError) as refused:
        fold(typed)
    assert (refused.value.key, refused.value.facts["part"], refused.value.facts["place"]) == (
        key,
        part,
        place,
    )
    assert refused.value.facts["typed"] == typed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u202e46", "\\u202e46"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("\ue000", "\\ue000"),
        ("\u0378", "\\u0378"),
        ("\u2028", "\\u2028"),
        ("中文 −1", "中文 −1"),
        ("\u3000\u00a0", "\u3000\u00a0"),
    ],
)
def test_hidden_characters_are_written_as_escapes(text, shown):
    assert visible(text) == shown


@given(st.text(), st.integers(10, 60))
@settings(max_examples=100)
def test_visible_text_is_short_and_has_no_character_that_acts(text, limit):
    shown = visible(text, limit)
    assert len(shown) <= limit
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Cs", "Co", "Cn"}
    if text.isascii() and text.isprintable() and len(text) <= limit:
        assert shown == text


def test_a_long_text_keeps_its_beginning_and_end_and_no_escape_is_cut():
    assert visible("a" * 100 + "z" * 100, 20) == "a" * 10 + "…" + "z" * 9
    assert visible("\x1b" * 50, 10) == "\\x1b…\\x1b"
    assert visible("1" * 10_000_000 + "9", 11) == "11111…11119"


@given(st.text(alphabet=" \n\t1,"))
@settings(max_examples=100)
def test_spaced_text_has_no_run_of_blanks_and_no_empty_line(text):
    shown = spaced(text)
    assert "  " not in shown
    assert all(line and line == line.strip() for line in shown.split("\n") if shown)
    assert shown.split() == text.split()
