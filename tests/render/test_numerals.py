"""How numbers are written: rounding as by hand, and no sign before a zero."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.expression import (
    EXP,
    SIN,
    Call,
    Constant,
    Negative,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Symbol,
)
from dense_cli.lang import say_in
from dense_cli.numerals import Numeral, numeral
from dense_cli.render.notation import Text

TEXT = Text(say_in("en"), 6)
COARSE = Text(say_in("en"), 2)
ZERO = Symbol("a", "a").bound(0.0)
TINY = Symbol("t", "t").bound(0.001234567)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (12.5, 0, "13"),
        (-12.5, 0, "-13"),
        (0.25, 1, "0.3"),
        (0.15, 1, "0.2"),  # the decimal that was meant, not the float a little below it
        (0.125, 2, "0.13"),
        (-0.04, 1, "0.0"),
        (1.25e-7, 1, "1.3e-7"),
        (2.5e17, 0, "3e17"),
        (Fraction(10) ** 400 / 3, 2, "3.33e399"),
    ],
)
def test_a_number_halfway_is_rounded_away_from_zero(value, digits, text):
    assert numeral(value, digits) == Numeral(text, exact=False)


@settings(max_examples=50)
@given(st.integers(-(10**9), 10**9), st.integers(0, 6))
def test_rounding_agrees_with_the_decimal_module(millionths, digits):
    """Witness: `decimal` with ROUND_HALF_UP, which is what schools teach."""
    value = Decimal(millionths).scaleb(-6)
    shown = numeral(float(value), digits).text
    if "e" not in shown:
        assert Decimal(shown) == value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (Call(EXP, Negative(ZERO)), "exp(0)"),
        (Negative(ZERO), "0"),
        (Sum((Negative(ZERO), Constant(1))), "0 + 1"),
        (Product((Constant(2), Negative(ZERO))), "2 × (0)"),
    ],
)
def test_zero_put_into_a_formula_has_no_sign(formula, text):
    assert TEXT.numbers(formula).text == text


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (Product((Constant(300000), TINY)), "300000 × 1.23e-3"),
        (Product((Negative(TINY), Constant(300000))), "-1.23e-3 × 300000"),
        (Quotient(Constant(1), TINY), "1 / (1.23e-3)"),
        (Power(TINY, Constant(2)), "(1.23e-3)²"),
        (Root(TINY), "√(1.23e-3)"),
        (Product((Constant(0.001), Constant(2))), "1e-3 × 2"),
        (Product((Call(SIN, TINY), Constant(300000))), "sin(1.23e-3) × 300000"),
        # what is added is as near to the truth as its decimals say
        (Sum((TINY, Constant(1))), "0.00 + 1"),
        (Sum((Constant(1), Negative(TINY))), "1 - 0.00"),
        (Negative(TINY), "-0.00"),
        (Product((Sum((TINY, Constant(1))), Constant(2))), "(0.00 + 1) × 2"),
    ],
)
def test_a_factor_is_not_shown_as_zero_where_it_is_none(formula, text):
    assert COARSE.numbers(formula).text == text


@settings(max_examples=50)
@given(st.floats(1e-300, 1e300), st.integers(0, 17))
def test_a_shown_factor_is_right_to_its_digits_or_to_its_decimals(value, digits):
    shown = Fraction(numeral(value, digits, factor=True).text)
    assert shown > 0
    digit = Fraction(1, 10**digits) + Fraction(1, 2**52)  # a float with few digits is the decimal they name
    assert abs(shown - Fraction(value)) <= max(Fraction(1, 2 * 10**digits), Fraction(value) * digit)


def test_a_small_factor_that_is_shown_whole_is_exact():
    assert numeral(0.001, 2, factor=True) == Numeral("1e-3", exact=True)
    assert numeral(0.001234, 2, factor=True) == Numeral("1.23e-3", exact=False)
