"""Lines: how wide they are, and where they break."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from dense_cli.render.layout import columns_of, filled, formula_pieces, pieces, wrapped

SAMPLE = "位置 1 的查询 q′₁ = [-0.5, √2] 旋转 π/2，得到（见表）“结果”。 The causal mask hides it; ¬ done."


@pytest.mark.parametrize("text", ["RoPE", "旋转", "q′₁ = √2 ≈ 1.414214", "（全角）", "θ₁·φ×─│", ""])
def test_columns_are_those_that_rich_counts(text: str) -> None:
    assert columns_of(text) == cell_len(text)


@pytest.mark.parametrize("width", range(20, 60))
def test_wrapping_loses_nothing_and_stays_within_the_width(width: int) -> None:
    lines = wrapped(SAMPLE, width)
    assert max(map(columns_of, lines)) <= width
    assert "".join(lines).replace(" ", "") == SAMPLE.replace(" ", "")


@settings(max_examples=50)
@given(st.text(alphabet="ab 旋转，。（）[]1.", max_size=60), st.integers(8, 40))
def test_any_text_wraps_without_loss(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert max(map(columns_of, lines)) <= width
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_chinese_punctuation_never_begins_a_line_and_never_ends_one_when_it_opens() -> None:
    for width in range(8, 40):
        for line in wrapped("旋转以后，点积（未缩放）不变。位置差“相同”，结果也相同。" * 2, width):
            assert line[0] not in "，。）”", (width, line)
            assert line[-1] not in "（“", (width, line)


def test_an_empty_text_is_one_empty_line() -> None:
    assert wrapped("", 20) == [""]
    assert wrapped("   ", 20) == [""]


def test_a_number_longer_than_the_line_goes_on_in_the_next() -> None:
    assert "".join(wrapped("1234567890" * 5, 20)) == "1234567890" * 5


@pytest.mark.parametrize("width", [-3, 0, 1])
def test_no_width_is_too_small_to_come_to_an_end(width: int) -> None:
    assert "".join(wrapped("旋转 q", width)) == "旋转q"


def test_an_operator_goes_with_what_follows_it() -> None:
    assert formula_pieces("1 × cos 0 - 2.5 × 0") == ["1 ", "× cos 0 ", "- 2.5 ", "× 0"]
    assert filled(formula_pieces("100 × 200 + 300 × 400"), 12, hang=2) == ["100 × 200", "  + 300", "  × 400"]


def test_pieces_put_together_are_the_text() -> None:
    assert "".join(pieces(SAMPLE)) == SAMPLE
    assert "".join(formula_pieces("a = (b + c) / 2")) == "a = (b + c) / 2"


@pytest.mark.parametrize("width", range(12, 40))
def test_a_vector_that_takes_less_than_half_a_line_is_not_broken(width):
    text = "旋转之前，查询是 [1, 0]，键是 [1, 0]。 The query is [-1, 0] and the key [0, 1]."
    told = "\n".join(wrapped(text, width))
    vectors = ("[1, 0]", "[-1, 0]", "[0, 1]")
    assert all(vector in told for vector in vectors if len(vector) <= width // 2)


def test_a_vector_too_long_for_a_line_is_broken_between_its_numbers():
    numbers = [f"{place}.123456" for place in range(9)]
    lines = wrapped(f"[{', '.join(numbers)}]", 23)
    assert all(any(number in line for line in lines) for number in numbers)
