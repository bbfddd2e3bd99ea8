"""One typed number: its value, exactly, or a refusal that names the part."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.errors import DenseError
from dense_cli.reading.numbers import number, position, real_number, whole

EXACT = {
    "0": 0,
    "-0": 0,
    "1.5": Fraction(3, 2),
    "+.5": Fraction(1, 2),
    "64.": 64,
    "007": 7,
    "64e1": 640,
    "4.608E3": 4608,
    "4608e0": 4608,
    "1e-3": Fraction(1, 1000),
    "0.1": Fraction(1, 10),
    "0.7-0.2": Fraction(1, 2),
    "1/3": Fraction(1, 3),
    "1/2/2": Fraction(1, 4),
    "1 / 2": Fraction(1, 2),
    "1382.4/0.3": 4608,
    "-2^2": -4,
    "(-2)^2": 4,
    "2^-1": Fraction(1, 2),
    "2**3**2": 512,
    "2^3^2": 512,
    "2*-3": -6,
    "--1": 1,
    "+-+1": -1,
    "5*10^-1": Fraction(1, 2),
    "5×10^(-1)": Fraction(1, 2),
    "50%": Fraction(1, 2),
    "50％": Fraction(1, 2),
    "(25+25)%": Fraction(1, 2),
    "2(3+1)": 8,
    "(1+2)(3)": 9,
    "sqrt(9/4)": Fraction(3, 2),
    "SQRT(4)": 2,
    "√16": 4,
    "√√16": 2,
    "√(4)/2": 1,
    "4^0.5": 2,
    "8^(1/3)": 2,
    "32^(2/5)": 4,
    "(1/8)^(-1/3)": 2,
    "pi/pi": 1,
    "π-pi": 0,
    "1e400/1e399": 10,
    "sqrt(1e400)": Fraction(10) ** 200,
    "1e-400": Fraction(1, 10**400),
    "0e999999999": 0,
    "0*sqrt(2)": 0,
    "4608000000000000000001": 4608000000000000000001,
    "（１＋２）×３": 9,
    "\ufeff64\u00a0": 64,
    "1^99999999999": 1,
    "+".join(["(1)"] * 40): 40,
    "(-1)^99999999999": -1,
}

# computed with 40 digits by other means and rounded to float64
IRRATIONAL = {
    "√2": 1.4142135623730951,
    "sqrt(2)": 1.4142135623730951,
    "2^0.5": 1.4142135623730951,
    "2√2": 2.8284271247461903,
    "3√2/2": 2.1213203435596424,
    "√3/2": 0.8660254037844386,
    "√ 2": 1.4142135623730951,
    "pi": 3.141592653589793,
    "2pi": 6.283185307179586,
    "2 pi": 6.283185307179586,
    "2π/3": 2.0943951023931953,
    "π^2": 9.869604401089358,
    "e": 2.718281828459045,
    "e^2": 7.38905609893065,
    "2*e": 5.43656365691809,
    "1/e": 0.36787944117144233,
    "10^0.5": 3.1622776601683795,
    "2e+3*√2": 2828.42712474619,
    "sqrt(2e400)/1e200": 1.4142135623730951,
}

REFUSED = {
    "": "number-empty",
    "  ": "number-empty",
    "\u200b": "number-empty",
    "nan": "not-finite",
    "-inf": "not-finite",
    "Infinity": "not-finite",
    "∞": "not-finite",
    "true": "not-numeric",
    "null": "not-numeric",
    "0/0": "division-by-zero",
    "1/0": "division-by-zero",
    "0^-1": "division-by-zero",
    "1/(√2-√2)": "division-by-zero",
    "0^0": "zero-to-the-zero",
    "1e400": "number-too-large",
    "1e200/1e-200": "number-too-large",
    "e^1000": "number-too-large",
    "1e308*√2*2": "number-too-large",
    "9**9**9**9": "number-too-large",
    "(((9^64)^64)^64)^64": "number-too-large",
    "2^1024": "number-too-large",
    "1e999999999999": "number-too-large",
    "2^-99999999": "number-too-small",
    "1e-999999999999": "number-too-small",
    "e^-1000": "number-too-small",
    "√-4": "unexpected-sign",
    "sqrt(-4)": "root-of-negative",
    "(-8)^(1/3)": "root-of-negative",
    "(0-√2)^0.5": "root-of-negative",
    "1_000": "underscore-in-number",
    "4.608 e3": "broken-exponent",
    "2e": "broken-exponent",
    "2e+": "broken-exponent",
    "6 4": "two-numbers",
    "pi 2": "two-numbers",
    "1.2.3": "two-points",
    "1..2": "two-points",
    ".": "unexpected-sign",
    "1,5": "comma-in-number",
    "0x40": "unknown-name",
    "sixty-four": "unknown-name",
    "六十四": "unknown-name",
    "2x": "unknown-name",
    "i": "unknown-name",
    "exp(1)": "unknown-name",
    "__import__('os')": "underscore-in-number",
    "?": "unexpected-sign",
    "[1]": "unexpected-sign",
    "(1": "unclosed-parenthesis",
    "(1 2)": "two-numbers",
    "1)": "unopened-parenthesis",
    "()": "unexpected-sign",
    "1+": "number-unfinished",
    "2^": "number-unfinished",
    "√": "number-unfinished",
    "*2": "unexpected-sign",
    "%": "unexpected-sign",
    "50%%": "unexpected-sign",
    "1/2π": "unclear-product",
    "1/2(3)": "unclear-product",
    "٦٤": "other-digits",
    "Ⅷ": "other-digits",
    "①": "other-digits",
    "—1": "dash",
    "3²": "superscript",
    "1" * 201: "number-too-long",
    "(" * 100_000 + "1" + ")" * 100_000: "number-too-long",
    "(" * 33 + "1" + ")" * 33: "number-too-deep",
    "√" * 40 + "2": "number-too-deep",
    "2" + "^1" * 40: "number-too-deep",
}


@pytest.mark.parametrize("text", EXACT)
def test_a_rational_number_is_exact(text):
    found = number(text)
    assert isinstance(found, Fraction)
    assert found == EXACT[text]


@pytest.mark.parametrize("text", IRRATIONAL)
def test_an_irrational_number_is_the_nearest_float_or_its_neighbour(text):
    found = number(text)
    assert isinstance(found, float)
    assert abs(found - IRRATIONAL[text]) <= math.ulp(found)


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:20] or "empty")
def test_what_is_no_number_is_refused_with_its_reason(text):
    with pytest.raises(DenseError) as refused:
        number(text)
    assert refused.value.key == REFUSED[text]
    assert refused.value.facts["typed"] == text
    if refused.value.key not in ("number-empty", "number-too-long", "superscript"):
        assert refused.value.facts["part"] in text


def test_the_part_and_place_of_a_slip_are_told():
    with pytest.raises(DenseError) as refused:
        number("1 + bananas")
    assert (refused.value.facts["part"], refused.value.facts["place"]) == ("bananas", 5)


def test_a_value_too_small_for_float64_is_kept_exactly_but_never_becomes_zero():
    assert number("1e-400") != 0
    with pytest.raises(DenseError, match="number-too-small"):
        real_number("1e-400")
    assert real_number("5e-324") == 5e-324
    assert real_number("0e-400") == 0


@pytest.mark.parametrize(
    ("text", "found"), [("64", 64), ("4.608E3", 4608), ("2^70", 2**70), ("-1", -1), ("1e400", 10**400)]
)
def test_a_whole_number_may_have_any_size(text, found):
    assert whole(text) == found


@pytest.mark.parametrize("text", ["0.5", "4608.00001", "√2", "pi", "1e-400"])
def test_a_number_that_is_not_whole_is_refused_where_one_is_needed(text):
    with pytest.raises(DenseError, match="not-whole"):
        whole(text)


def test_positions_are_whole_or_exact_fractions():
    assert position("1000000000002") == 1000000000002
    assert type(position("2.0")) is int
    assert position("0.1") == Fraction(1, 10)
    assert position("√2") == Fraction(2**0.5)
    assert position("1" * 200) == int("1" * 200)


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=100)
def test_a_written_float_reads_back_as_itself(value):
    assert real_number(repr(value)) == value
    assert number(repr(value)) == Fraction(repr(value))
    assert number(f"{value:.17g}") == Fraction(f"{value:.17g}")


FRACTIONS = st.fractions(-(10**9), 10**9, max_denominator=10**20)


@given(FRACTIONS, FRACTIONS)
@settings(max_examples=100)
def test_sums_products_and_quotients_are_those_of_the_rational_numbers(a, b):
    assert number(f"({a})+({b})") == a + b
    assert number(f"({a})*({b})-({a})") == a * b - a
    if b:
        assert number(f"({a})/({b})") == a / b


@given(st.text(alphabet="0123456789.eE+-*/^()√π%sqrtpi ,\u2212１²", max_size=40) | st.text(max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_finite_number_or_a_refusal(text):
    try:
        found = number(text)
    except DenseError:
        return
    assert isinstance(found, Fraction) or math.isfinite(found)
