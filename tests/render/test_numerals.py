"""How numbers are written: rounding as by hand, and no sign before a zero."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.expression import EXP, Call, Constant, Negative, Product, Sum, Symbol
from dense_cli.lang import say_in
from dense_cli.numerals import Numeral, numeral
from dense_cli.render.notation import Text

TEXT = Text(say_in("en"), 6)
ZERO = Symbol("a", "a").bound(0.0)


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
