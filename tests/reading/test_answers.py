"""What a student writes, and what it is read as; the verdict is not this part's."""

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.errors import DenseError
from dense_cli.reading.answers import (
    Reading,
    read_choice,
    read_number,
    read_vector,
    read_whole,
    read_yes_no,
    told,
)
from dense_cli.reading.numbers import number

ZERO_ROW = {
    "undefined": ("无定义", "没有定义"),
    "zero": ("0", "零"),
    "infinite": ("inf", "无穷"),
    "one": ("1",),
}

# answer, what it is read as, decimals written
SINGLE = [
    ("0", "0", 0),
    ("-0", "0", 0),
    ("0.50", "0.5", 2),
    ("+.5", "0.5", 1),
    ("64.", "64", 0),
    ("1/2", "0.5", None),
    ("2/3", "2/3", None),
    ("50%", "0.5", 2),
    ("12,5%", "0.125", 3),
    ("5×10^(-1)", "0.5", None),
    ("5e-1", "0.5", 1),
    ("4.608E3", "4608", 0),
    ("-1.2246467991473532e-16", "-1.2246467991473532e-16", 32),
    ("1e-400", "1e-400", 400),
    ("0,5", "0.5", 1),
    ("1,4142", "1.4142", 4),
    (",5", "0.5", 1),
    ("0,500", "0.5", 3),
    ("4 608", "4608", 0),
    ("−4 608", "-4608", 0),
    ("1 000 000", "1000000", 0),
    ("4,608,000", "4608000", 0),
    ("4,608.5", "4608.5", 1),
    ("4608000000000000000001", "4608000000000000000001", 0),
    ("1e200", "1e+200", 0),
    ("4 608,5", "4608.5", 1),
    ("1.234,5", "1234.5", 1),
    ("=64", "64", 0),
    ("F=64", "64", 0),
    ("F = 64", "64", 0),
    ("输出=0.5", "0.5", 1),
    ("≈0.5", "0.5", 1),
    ("[64]", "64", 0),
    ("$0.5$", "0.5", 1),
    ("0.5。", "0.5", 1),
    ("√2。", "1.4142135623730951", None),
    ("根号2", "1.4142135623730951", None),
    ("根号下(2)", "1.4142135623730951", None),
    (r"\sqrt{2}", "1.4142135623730951", None),
    (r"\sqrt2", "1.4142135623730951", None),
    (r"$\sqrt[3]{8}$", "2", None),
    (r"\frac{1}{2}", "0.5", None),
    (r"\dfrac12", "0.5", None),
    (r"\frac{\sqrt{3}}{2}", "0.8660254037844386", None),
    (r"5\times10^{-1}", "0.5", None),
    (r"50\%", "0.5", 2),
    (r"\left(\frac{1}{2}\right)", "0.5", None),
    ("4608/2/2", "1152", None),
    ("1008/2/3", "168", None),
    ("\ufeff0.5\u00a0", "0.5", 1),
]


@pytest.mark.parametrize(("text", "read_as", "decimals"), SINGLE)
def test_a_number_is_read_as_its_shortest_text_with_the_decimals_written(text, read_as, decimals):
    found = read_number(text)
    assert (found.read_as, found.decimals) == (read_as, (decimals,))
    assert float(number(found.read_as)) == float(found.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4,608", 4608),
        ("4 608", 4608),
        ("64,0", 64),
        ("1,414", 1414),
        ("0,5", Fraction(1, 2)),
        ("4608.00001", Fraction("4608.00001")),
    ],
)
def test_a_whole_field_takes_the_reading_that_is_whole(text, value):
    assert read_whole(text).value == value


@pytest.mark.parametrize("text", ["64,000", "-1,000", "999,000"])
@pytest.mark.parametrize("read", [read_number, read_whole])
def test_a_comma_with_two_readings_is_refused_with_both(read, text):
    with pytest.raises(DenseError) as refused:
        read(text)
    assert refused.value.key == "comma-unclear"
    assert {refused.value.facts["first"], refused.value.facts["second"]} == {
        f"{float(number(text.replace(',', mark))):.15g}" for mark in ("", ".")
    }


def test_in_a_number_field_a_comma_before_three_digits_is_not_guessed():
    with pytest.raises(DenseError, match="comma-unclear"):
        read_number("1,414")


INVALID = {
    "6 4": "two-numbers",
    "46 08": "two-numbers",
    "1,2,3": "comma-in-number",
    "4,60": None,
    "4.608 e3": "broken-exponent",
    "nan": "not-finite",
    "1e400": "number-too-large",
    "1/0": "division-by-zero",
    "2-Jan": "spreadsheet-date",
    "Jan 2": "spreadsheet-date",
    "2 January 2026": "spreadsheet-date",
    "1月2日": "spreadsheet-date",
    "2026年1月2日": "spreadsheet-date",
    "2026/1/2": "spreadsheet-date",
    "1999-12-31": "spreadsheet-date",
    "2026-01-02": "spreadsheet-date",
    "2026-01-02 00:00:00": "spreadsheet-date",
    "1/2/2026": "spreadsheet-date",
    "#NAME?": "spreadsheet-error",
    "#VALUE!": "spreadsheet-error",
    "#DIV/0!": "spreadsheet-error",
    "#N/A": "spreadsheet-error",
    "one half": "unknown-name",
    "六十四": "unknown-name",
    "sixty-four": "unknown-name",
    "?": "unexpected-sign",
    ":x:": "unexpected-sign",
    "[/b]": "unknown-name",
    "[red]64[/red]": "unknown-name",
    "8²": "superscript",
    "\x1b[31m64\x12": "hidden-character",
    "\u202e46": "hidden-character",
    "__import__('os').getpid()": "underscore-in-number",
    "9**9**9**9": "number-too-large",
    "=SUM(A1)": "unknown-name",
    r"\foo{2}": "latex-unknown",
    "{64}": "latex-unknown",
    "1" * 10_000: "answer-too-long",
    "x" * 10_000_000: "answer-too-long",
}


@pytest.mark.parametrize("text", [text for text, key in INVALID.items() if key], ids=lambda text: text[:12])
@pytest.mark.parametrize("read", [read_number, read_whole])
def test_what_is_no_number_is_invalid_with_its_reason(read, text):
    with pytest.raises(DenseError) as refused:
        read(text)
    assert refused.value.key == INVALID[text]
    assert refused.value.facts["typed"] == text


VECTORS = [
    ("[-1, 0]", "[-1, 0]", (0, 0)),
    ("−1，0", "[-1, 0]", (0, 0)),
    ("-1、0", "[-1, 0]", (0, 0)),
    ("-1 0", "[-1, 0]", (0, 0)),
    ("(-1,0)", "[-1, 0]", (0, 0)),
    ("-1\n0", "[-1, 0]", (0, 0)),
    ("q=[-1,0]", "[-1, 0]", (0, 0)),
    ("[-1, 0]^T", "[-1, 0]", (0, 0)),
    ("[-1, 0]ᵀ", "[-1, 0]", (0, 0)),
    (r"(-1,0)^{\mathrm{T}}", "[-1, 0]", (0, 0)),
    ("[-1, 0].", "[-1, 0]", (0, 0)),
    (r"\begin{bmatrix}-1\\0\end{bmatrix}", "[-1, 0]", (0, 0)),
    (r"\begin{pmatrix}-1 & 0\end{pmatrix}^T", "[-1, 0]", (0, 0)),
    (r"$\begin{bmatrix} -1 \\ 0 \\ \end{bmatrix}$", "[-1, 0]", (0, 0)),
    (r"\left[\begin{matrix}-1\\0\end{matrix}\right]", "[-1, 0]", (0, 0)),
    (r"\begin{array}{c}-1\\0\end{array}", "[-1, 0]", (0, 0)),
    (r"$$(0,\sqrt{2})$$", "[0, 1.4142135623730951]", (0, None)),
    ("[0, 1.4140]", "[0, 1.414]", (0, 4)),
    ("[1,46; -0,8]", "[1.46, -0.8]", (2, 1)),
    ("[1.462117]", "[1.462117]", (6,)),
    ("1,462117", "[1, 462117]", (0, 0)),
    ("[1, 2, 3]", "[1, 2, 3]", (0, 0, 0)),
    ([-1, 0], "[-1, 0]", (0, 0)),
    (["1.462117", "-0.8068240"], "[1.462117, -0.806824]", (6, 7)),
    (["0,5", "√2"], "[0.5, 1.4142135623730951]", (1, None)),
    ([[-1], [0]], "[-1, 0]", (0, 0)),
    ([[-1, 0]], "[-1, 0]", (0, 0)),
]


@pytest.mark.parametrize(("given_", "read_as", "decimals"), VECTORS)
def test_a_vector_is_read(given_, read_as, decimals):
    found = read_vector(given_, 2)
    assert (found.read_as, found.decimals) == (read_as, decimals)


@pytest.mark.parametrize(
    ("given_", "key"),
    [
        ("1,462117,-0,806824", "decimal-commas"),
        ("[1,462117, -0,806824]", "decimal-commas"),
        ("1,46 -0,81", "decimal-commas"),
        ("0,0 1,414214", "decimal-commas"),
        ("0 1,414214", "decimal-commas"),
        ("[0, 1.4", "bracket-open"),
        ("√2/2, 0 = [0.7071, 0]", "answer-with-working"),
        ([1, 462117, 0, 806824], "decimal-commas"),
        ("[[1,0],[0,1]]", "vector-has-rows"),
        ([[1, 0], [0, 1]], "vector-has-rows"),
        ([1, None], "not-numeric"),
        (["1.462117", None], "not-numeric"),
        ([True, 1], "not-numeric"),
        ([], "vector-empty"),
        ([[]], "vector-empty"),
        ("[]", "vector-empty"),
        ({"a": 64}, "not-a-list-of-numbers"),
        ([{"a": 64}, 1], "not-a-list-of-numbers"),
        ([[[1, 2]]], "not-a-list-of-numbers"),
        ("[a, b]", "unknown-name"),
        ("2-Jan, 0", "spreadsheet-date"),
        ([date(2026, 1, 2)], "spreadsheet-date"),
        ("[0, inf]", "not-finite"),
        ([0] * 2000, "answer-too-long"),
        ("0," * 1900 + "0", "answer-too-long"),
    ],
)
def test_what_is_no_vector_is_invalid_with_its_reason(given_, key):
    with pytest.raises(DenseError) as refused:
        read_vector(given_, 2)
    assert refused.value.key == key


def test_four_whole_numbers_are_four_where_four_are_asked():
    assert read_vector("1,2,3,4", 4).value == (1, 2, 3, 4)
    assert read_vector("1.5,2,3,4", 2).value == (1.5, 2, 3, 4)


@pytest.mark.parametrize(
    ("given_", "value"),
    [
        *[
            (text, True)
            for text in (
                "yes",
                "Yes.",
                " YES! ",
                "y",
                "true",
                "True",
                "是",
                "是。",
                "能",
                "可以！",
                "对",
                "ｙｅｓ",
            )
        ],
        *[
            (text, False)
            for text in ("no", "No", "n", "N.", "FALSE", "否", "不", "不能。", "不可以", "错", '"no"', "no\r")
        ],
        (True, True),
        (False, False),
    ],
)
def test_yes_and_no_are_read_in_both_languages(given_, value):
    assert read_yes_no(given_) == Reading(value, "yes" if value else "no")


@pytest.mark.parametrize(
    "given_", [0, 1, "0", "1", "1.0", "maybe", "yes no", "不不", ["no"], {}, "no\x00", "x" * 10**6]
)
def test_anything_else_is_neither_yes_nor_no(given_):
    with pytest.raises(DenseError):
        read_yes_no(given_)


@pytest.mark.parametrize(
    ("given_", "id_"),
    [
        ("Undefined", "undefined"),
        ("undefined.", "undefined"),
        ("无定义。", "undefined"),
        ("0", "zero"),
        (0, "zero"),
        ("ONE", "one"),
    ],
)
def test_a_choice_is_read_by_its_id_or_another_name(given_, id_):
    assert read_choice(given_, ZERO_ROW).value == id_


def test_an_unknown_choice_is_refused_with_those_there_are_and_the_nearest():
    with pytest.raises(DenseError) as refused:
        read_choice("undefind", ZERO_ROW)
    assert refused.value.facts["near"] == ("undefined",)
    assert refused.value.facts["choices"] == ("undefined", "zero", "infinite", "one")
    for other in ("", "?", 7, [], {"a": 1}, True, "undefined\u202e"):
        if other == "":
            assert read_choice(other, ZERO_ROW) is None
        else:
            with pytest.raises(DenseError):
                read_choice(other, ZERO_ROW)


@pytest.mark.parametrize("given_", [None, "", "   ", "\ufeff", "\u3000\u00a0\u200b", "\r\n"])
def test_nothing_written_is_a_blank(given_):
    assert read_number(given_) is None
    assert read_whole(given_) is None
    assert read_vector(given_, 2) is None
    assert read_yes_no(given_) is None
    assert read_choice(given_, ZERO_ROW) is None


@pytest.mark.parametrize(
    ("given_", "key"),
    [
        (True, "not-numeric"),
        ({"a": 64}, "not-a-list-of-numbers"),
        ([1, 2], "not-a-list-of-numbers"),
        (date(2026, 1, 2), "spreadsheet-date"),
        (float("nan"), "not-finite"),
        (10**3999, "number-too-long"),
    ],
)
def test_a_decoded_value_that_is_no_number_is_invalid(given_, key):
    with pytest.raises(DenseError) as refused:
        read_number(given_)
    assert refused.value.key == key


@pytest.mark.parametrize(
    "written",
    [
        *('"-1,0"', "'[-1, 0]'", "'-1, 0", "“-1，0”", "`-1,0`"),
        *("array([-1.,  0.])", "np.array([-1, 0], dtype=np.float32)", "tensor([-1., 0.])"),
    ],
)
def test_quotes_and_the_wrapping_of_code_around_a_vector_do_not_matter(written):
    assert read_vector(written, 2).value == (-1, 0)


def test_a_root_without_blank_or_bracket_is_read():
    assert read_number("3*sqrt2/2").value == pytest.approx(2.1213203435596424, rel=1e-15)
    assert read_number("2 (1+√4)").value == 6  # a product still, where no decimal stands before the bracket


def test_a_date_of_a_toml_sheet_is_told_as_it_stands_there():
    with pytest.raises(DenseError) as refused:
        read_number(date(2026, 1, 2))
    assert refused.value.facts["typed"] == "2026-01-02"


@pytest.mark.parametrize(
    ("text", "sign"), [("2×24×96=4608", "="), ("√2≈1.414214", "≈"), ("1.414214 (√2)", "(")]
)
def test_the_working_beside_a_result_is_refused_by_that_name(text, sign):
    with pytest.raises(DenseError) as refused:
        read_number(text)
    assert (refused.value.key, refused.value.facts["part"]) == ("answer-with-working", sign)


def test_what_was_assumed_is_noted():
    assert read_number("0,5").notes == ("decimal-comma",)
    assert read_whole("4,608").notes == ("grouped-thousands",)
    assert read_vector("1,5;2", 2).notes == ("decimal-comma",)
    assert read_number("0.5").notes == ()


@given(
    st.floats(allow_nan=False, allow_infinity=False) | st.fractions(-(10**9), 10**9, max_denominator=10**6)
)
@settings(max_examples=100)
def test_what_an_answer_was_read_as_reads_back_as_the_same_number(value):
    exact = Fraction(repr(value)) if isinstance(value, float) else value
    assert number(told(exact)) == exact


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=10)
    | st.text(alphabet="0123456789,. -/\\{}^$", max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
@settings(max_examples=150, deadline=None)
def test_any_value_is_read_or_blank_or_refused(value):
    for read in (
        read_number,
        read_whole,
        read_yes_no,
        lambda given_: read_vector(given_, 2),
        lambda given_: read_choice(given_, ZERO_ROW),
    ):
        try:
            found = read(value)
        except DenseError:
            continue
        assert found is None or (isinstance(found, Reading) and isinstance(found.read_as, str))
