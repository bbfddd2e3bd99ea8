"""The parts of a typed number: digits, names and signs, each with its place."""

from __future__ import annotations

import functools
import re

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass

CONSTANTS = ("pi", "π", "e")
_NOT_FINITE = frozenset(("nan", "inf", "infinity", "∞", "infty"))
_LOGICAL = frozenset(("true", "false", "yes", "no", "null", "none"))


@dataclass(frozen=True, slots=True)
class Token:
    """One part of a typed number."""

    kind: str  # "number", "name", "end", or the sign itself
    text: str
    place: int  # from 1

    def refused(self, key: str) -> DenseError:
        return DenseError(key, part=self.text, place=self.place)


@functools.cache
def _pattern() -> re.Pattern[str]:
    return re.compile(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|(\*\*)|([^\W\d]\w*)|\s+|(.)")


def tokens(text: str) -> list[Token]:
    """The parts of a folded text, and an "end"; whatever no number has is refused here, at its place."""
    found: list[Token] = []
    for match in _pattern().finditer(text):
        digits, double_star, name, sign = match.groups()
        place = match.start() + 1
        if digits:
            found.append(Token("number", digits, place))
        elif double_star:
            found.append(Token("^", "**", place))
        elif name:
            found.append(_named(name, place, found))
        elif sign:
            found.append(_signed(sign, place, found))
    found.append(Token("end", "", len(text) + 1))
    return found


def _named(name: str, place: int, before: list[Token]) -> Token:
    token = Token("name", name, place)
    lower = name if name == "E" else name.lower()
    if lower in CONSTANTS:
        return Token("name", lower, place)
    if lower == "sqrt":
        return Token("√", name, place)
    if name.startswith("_"):
        raise token.refused("underscore-in-number")
    if name[0].isnumeric() and not name[0].isalpha():
        raise token.refused("other-digits")
    if lower in _NOT_FINITE:
        raise token.refused("not-finite")
    if lower in _LOGICAL:
        raise token.refused("not-numeric")
    after_number = bool(before) and before[-1].kind == "number"
    if after_number and name[0] in "eE" and (not name[1:] or name[1:].isdecimal()):
        raise token.refused("broken-exponent")
    raise token.refused("unknown-name")


def _signed(sign: str, place: int, before: list[Token]) -> Token:
    token = Token(sign, sign, place)
    if sign in "+-*/^()√%":
        return token
    if sign == ",":
        raise token.refused("comma-in-number")
    if sign == "." and before and before[-1].kind == "number":
        raise token.refused("two-points")
    if sign == "∞":
        raise token.refused("not-finite")
    if sign.isnumeric():
        raise token.refused("other-digits")
    if sign in "—―‒_~":
        raise token.refused("dash")
    raise token.refused("unexpected-sign")
