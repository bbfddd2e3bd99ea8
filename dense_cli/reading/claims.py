"""A user's own result as typed: exact where it was typed exactly, with how it was rounded.

What has another shape than was asked for is read too: that the shape differs is an answer, no misuse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.reading.answers import read_yes_no
from dense_cli.reading.counts import count
from dense_cli.reading.given import is_source, load
from dense_cli.reading.grouping import decimals, single_entry
from dense_cli.reading.numbers import number
from dense_cli.reading.vectors import matrix, vector_entries


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """`value`: a number, tuple, tuple of tuples or truth. `decimals`: of each entry the places written
    behind the point (None: an expression or from a file). `slack`: half a unit of a rounded count.
    `digits`: significant digits of one number as written (None: to be counted from the value)."""

    value: Any
    decimals: tuple[int | None, ...] = ()
    slack: Fraction | None = None
    digits: int | None = None


def a_number(text: str) -> ReadClaim:
    """One number, in which a lone comma may be a decimal sign; a vector if it is one.

    >>> a_number("0,50").value, a_number("0.50").digits, a_number("1,2,3").value == (1, 2, 3)
    (Fraction(1, 2), 2, True)
    """
    if is_source(text):
        found = load(text, "array")
        while isinstance(found, tuple) and len(found) == 1:
            found = found[0]
        return ReadClaim(found)
    try:
        entry = single_entry(text.strip().strip("[]").strip())
    except DenseError:
        found_vector = a_vector(text)
        if len(found_vector.value) == 1:
            raise
        return found_vector
    written = decimals(text)
    digits = None if written is None else _significant(text)
    return ReadClaim(entry.value, (entry.decimals,), digits=digits)


def a_vector(text: str) -> ReadClaim:
    """A vector; a matrix if it is one.

    >>> a_vector("[1.50, 2]").decimals
    (2, 0)
    """
    if is_source(text):
        return ReadClaim(load(text, "array"))
    try:
        entries = vector_entries(text)
    except DenseError as error:
        if error.key in ("vector-has-rows", "rows-in-vector"):
            return rows(text)
        raise
    written = _written(text, entries)
    return ReadClaim(tuple(number(entry) for entry in entries), written)


def rows(text: str) -> ReadClaim:
    """A matrix, or a vector where there is one row.

    >>> rows("1,0:0,1").value == ((1, 0), (0, 1)), rows("[1, 0]").value == (1, 0)
    (True, True)
    """
    if is_source(text):
        return ReadClaim(load(text, "array"))
    if "".join(text.split())[:3] == "[[[":
        return ReadClaim(load(text, "array"))
    found = matrix(text)
    if len(found) > 1:
        return ReadClaim(found)
    return a_vector(text) if ";" not in text else ReadClaim(found[0])


def a_truth(text: str) -> ReadClaim:
    """Yes or no, in English or Chinese.

    >>> a_truth("no").value
    False
    """
    found = read_yes_no(text)
    if found is None:
        raise DenseError("not-yes-or-no", typed=text)
    return ReadClaim(found.value)


def a_count(text: str) -> ReadClaim:
    """A whole number, or a rounded one such as 6.74B.

    >>> a_count("6.74B").digits
    3
    """
    if is_source(text):
        return a_number(text)
    found = count(text)
    return ReadClaim(found.value, (decimals(text),), found.slack, found.digits)


def _one(read: Callable[[str], ReadClaim]) -> Callable[[str, int], tuple[ReadClaim, ...]]:
    return lambda text, places: (read(text),)


def _of_places(
    many: Callable[[str], ReadClaim], one: Callable[[str], ReadClaim]
) -> Callable[[str, int], tuple[ReadClaim, ...]]:
    """Several values in one text where there are as many as places; else one."""

    def read(text: str, places: int) -> tuple[ReadClaim, ...]:
        try:
            found = many(text)
        except DenseError:
            return (one(text),)
        value = found.value
        deep = one is a_vector
        if isinstance(value, tuple) and len(value) == places and isinstance(value[0], tuple) == deep:
            return tuple(ReadClaim(part) for part in value)
        return (one(text),)

    return read


Read = Callable[[str, int], tuple[ReadClaim, ...]]

ONE: Mapping[str, Read] = {
    "vector": _one(a_vector),
    "rows": _one(rows),
    "number": _one(a_number),
    "numbers": _one(lambda text: a_number(text) if "," not in text else a_vector(text)),
    "truth": _one(a_truth),
    "whole": _one(a_count),
}
SEVERAL: Mapping[str, Read] = {
    "vector": _of_places(rows, a_vector),
    "number": _of_places(a_vector, a_number),
}


def _written(text: str, entries: tuple[str, ...]) -> tuple[int | None, ...]:
    return tuple(decimals(entry) for entry in entries) if len(entries) <= MOST_DECIMALS else ()


MOST_DECIMALS = 1000
"""Entries up to which it is looked at how each was rounded."""


def _significant(text: str) -> int:
    return len("".join(c for c in text.partition("e")[0] if c.isdigit()).lstrip("0"))
