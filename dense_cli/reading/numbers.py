"""A number as people write it: ``1.5``, ``-2/3``, ``2√2``, ``sqrt(3)/2``, ``2pi``, ``50%``, ``5×10^-1``.

A tokenizer and a precedence parser of our own; nothing typed is ever evaluated by Python.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

from dense_cli.errors import DenseError
from dense_cli.reading.arithmetic import (
    OfPi,
    Value,
    decimal,
    divided,
    negated,
    plus,
    power,
    real,
    square_root,
    times,
)
from dense_cli.reading.characters import fold
from dense_cli.reading.tokens import Token, tokens

MAX_LENGTH = 200  # characters of one number
MAX_DEPTH = 32  # parentheses, roots and powers inside one another
Number = Fraction | float

_DECIMAL = re.compile(r"(-?)([0-9]+)(?:\.([0-9]*))?")
"""What most people type; it needs no parser."""

_CONSTANTS: dict[str, Value] = {"pi": OfPi(Fraction(1)), "π": OfPi(Fraction(1)), "e": math.e}


def number(text: str) -> Number:
    """The value of one typed number: a Fraction whenever it is rational, else a float64.

    >>> number("-2^2"), number("50%"), number("3√2/2")
    (Fraction(-4, 1), Fraction(1, 2), 2.121320343559643)

    A rational value is kept exactly, however near to zero. Raises DenseError for what is no number and for a
    value that float64 cannot hold.
    """
    found = evaluated(text)
    try:
        if not isinstance(found, Fraction):
            return real(found)
        if abs(found) > 1:
            real(found)
        return found
    except DenseError as error:
        raise error.about(typed=text, part=text.strip()) from None


def real_number(text: str) -> float:
    """The float64 nearest to one typed number; zero only where zero was typed.

    >>> real_number("1/3")
    0.3333333333333333
    """
    plain = text.strip()
    if len(plain) <= MAX_LENGTH and is_plain(plain):
        try:
            nearest = float(plain)
        except ValueError:
            nearest = 0.0
        if nearest != 0 and not math.isinf(nearest):
            return nearest
    found = number(text)
    try:
        return real(found)
    except DenseError as error:
        raise error.about(typed=text, part=plain) from None


def whole(text: str) -> int:
    """A whole number of any size that fits the limits; ``4.608e3`` and ``64.0`` are whole.

    >>> whole("2^70")
    1180591620717411303424
    """
    found = evaluated(text)
    if not isinstance(found, Fraction) or found.denominator != 1:
        raise DenseError("not-whole", typed=text, part=text.strip())
    return found.numerator


def position(text: str) -> int | Fraction:
    """The position of a token: a whole number of any size, or an exact fraction of one.

    >>> position("1000000000002"), position("0.5")
    (1000000000002, Fraction(1, 2))
    """
    found = evaluated(text)
    exact = found if isinstance(found, Fraction) else Fraction(number(text))
    return exact.numerator if exact.denominator == 1 else exact


def is_plain(text: str) -> bool:
    """Whether `text` has only the characters of a decimal number (that it is one is not said)."""
    return not text.strip("0123456789.+-eE")


def evaluated(text: str) -> Value:
    """The value of one typed number before it is rounded to anything; multiples of pi stay exact.

    >>> evaluated("2π/3")
    OfPi(times=Fraction(2, 3))
    """
    stripped = text.strip()
    if len(stripped) > MAX_LENGTH:
        raise DenseError("number-too-long", typed=text, length=len(stripped), limit=MAX_LENGTH)
    try:
        if plain := _DECIMAL.fullmatch(stripped):
            sign, whole_part, places = plain.groups(default="")
            digits = int(sign + whole_part + places)
            return Fraction(digits, 10 ** len(places)) if places else Fraction(digits)
        folded = fold(stripped).strip()
        if not folded:
            raise DenseError("number-empty")
        return _Parser(tokens(folded)).value()
    except DenseError as error:
        raise error.about(**{"part": stripped, **error.facts, "typed": text}) from None


class _Parser:
    """Precedence from loose to tight: sums, products, signs, powers (to the right), percent and roots."""

    __slots__ = ("_at", "_depth", "_tokens")

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def value(self) -> Value:
        found = self._sum()
        if self._next.kind == "end":
            return found
        raise self._next.refused("unopened-parenthesis" if self._next.kind == ")" else "unexpected-sign")

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _taken(self, *kinds: str) -> Token | None:
        token = self._next
        if token.kind not in kinds:
            return None
        self._at += 1
        return token

    def _deeper(self, part: Callable[[], Value]) -> Value:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise DenseError("number-too-deep", limit=MAX_DEPTH, place=self._next.place)
        found = part()
        self._depth -= 1
        return found

    def _sum(self) -> Value:
        found = self._product()
        while sign := self._taken("+", "-"):
            term = self._product()
            found = plus(found, term if sign.kind == "+" else negated(term))
        return found

    def _product(self) -> Value:
        found = self._factor()
        last = "*"
        while True:
            sign = self._taken("*", "/")
            if sign:
                factor = self._factor()
                found = times(found, factor) if sign.kind == "*" else divided(found, factor)
                last = sign.kind
            elif self._next.kind in ("(", "√", "name"):
                self._refuse_unclear_product(last)
                found = times(found, self._power())
            elif self._next.kind == "number":
                raise self._next.refused("two-points" if self._next.text[0] == "." else "two-numbers")
            else:
                return found

    def _refuse_unclear_product(self, last: str) -> None:
        if self._next.text == "e":  # 2e may be an exponent that was not finished
            raise self._next.refused("broken-exponent")
        if last == "/":  # 1/2π: half of π, or 1/(2π)?
            raise self._next.refused("unclear-product")

    def _factor(self) -> Value:
        minus = False
        while sign := self._taken("+", "-"):
            minus ^= sign.kind == "-"
        found = self._power()
        return negated(found) if minus else found

    def _power(self) -> Value:
        base = self._percent()
        if self._taken("^"):
            return power(base, self._deeper(self._factor))
        return base

    def _percent(self) -> Value:
        found = self._atom()
        return divided(found, Fraction(100)) if self._taken("%") else found

    def _atom(self) -> Value:
        token = self._next
        self._at += 1
        if token.kind == "number":
            return _literal(token.text)
        if token.kind == "name":
            return _CONSTANTS[token.text]
        if token.kind == "√":
            return square_root(self._deeper(self._atom))
        if token.kind == "(":
            found = self._deeper(self._sum)
            if self._taken(")"):
                return found
            if self._next.kind == "end":
                raise token.refused("unclosed-parenthesis")
            raise self._next.refused("unexpected-sign")
        if token.kind == "end":
            raise DenseError("number-unfinished", place=token.place)
        raise token.refused("unexpected-sign")


def _literal(text: str) -> Fraction:
    mantissa, _, exponent = text.lower().partition("e")
    before, _, after = mantissa.partition(".")
    return decimal(before + after, int(exponent or 0) - len(after))
