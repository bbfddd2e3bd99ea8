"""Vectors and matrices as people type them: ``1,0``, ``[−1，０]``, ``1,0:0,1``, ``[[1,0],[0,1]]``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from dense_cli.errors import DenseError
from dense_cli.reading.characters import spaced
from dense_cli.reading.numbers import MAX_LENGTH, Number, number, real_number
from dense_cli.rows import Matrix, Row

MAX_TEXT = 1_000_000  # characters of one typed vector or matrix
MAX_NESTING = 32  # brackets inside one another
_PLAIN = "0123456789.+-eE, "
_DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]+,[0-9]+(?:[eE][+-]?[0-9]+)?%?\s*")

T = TypeVar("T")
Tree = str | list["Tree"]


def vector(text: str) -> tuple[Number, ...]:
    """The numbers of a typed vector, exact where rational.

    >>> vector("[-1, 1/2]"), vector("1,5; 2")
    ((Fraction(-1, 1), Fraction(1, 2)), (Fraction(3, 2), Fraction(2, 1)))

    A single row or a single column is a vector. Raises DenseError that names the entry.
    """
    return tuple(_numbers(vector_entries(text), number, text))


def matrix(text: str) -> tuple[tuple[Number, ...], ...]:
    """The rows of a typed matrix, exact where rational; a plain vector is one row.

    >>> matrix("1,0:0,1") == matrix("1 0; 0 1") == matrix("[[1,0],[0,1]]")
    True
    """
    return tuple(tuple(_numbers(row, number, text, at)) for at, row in enumerate(_rows(text), 1))


rows = matrix


def real_vector(text: str) -> Row:
    """Like `vector`, as float64 and fast: about a fifth of a microsecond for a plain decimal.

    >>> real_vector("1,1/2")
    (1.0, 0.5)
    """
    quick = _plain_row(text)
    return quick if quick is not None else tuple(_numbers(vector_entries(text), real_number, text))


def real_matrix(text: str) -> Matrix:
    """Like `matrix`, as float64 and fast.

    >>> real_matrix("[[1, 0], [0, 1/3]]")
    ((1.0, 0.0), (0.0, 0.3333333333333333))
    """
    found = []
    for at, row in enumerate(_rows(text), 1):
        quick = _plain_floats(row)
        found.append(quick if quick is not None else tuple(_numbers(row, real_number, text, at)))
    return tuple(found)


def vector_entries(text: str) -> tuple[str, ...]:
    """The entries of a typed vector as text, a decimal comma already written as a point.

    >>> vector_entries("1,5；√2")
    ('1.5', '√2')
    """
    opened = _opened(text)
    if ";" in opened and ":" not in opened:
        inner = _unwrapped(opened)
        if not any(bracket in inner for bracket in "[("):
            return _semicolon_entries(inner, text)
    tree = _tree(opened, text)
    lists = [entry for entry in tree if isinstance(entry, list)]
    if len(lists) < len(tree):
        return _leaves(tree, text)
    if len(lists) > 1 and any(len(row) != 1 for row in lists):
        raise DenseError("vector-has-rows", typed=text, rows=len(lists))
    return _leaves(lists[0] if len(lists) == 1 else [row[0] for row in lists], text)


def _semicolon_entries(inner: str, text: str) -> tuple[str, ...]:
    entries = [" ".join(entry.split()) for entry in inner.split(";")]
    for place, entry in enumerate(entries, 1):
        if ("," in entry and not _DECIMAL_COMMA.fullmatch(entry)) or " " in _tight(entry):
            raise DenseError("rows-in-vector", typed=text, part=entry, place=place)
    return _leaves([entry.replace(",", ".") for entry in entries], text)


def _rows(text: str) -> list[tuple[str, ...]]:
    tree = _tree(_opened(text), text)
    rows_found: Sequence[Tree] = tree if isinstance(tree[0], list) else [tree]
    found = [_leaves(row, text) for row in rows_found]
    for at, row in enumerate(found, 1):
        if len(row) != len(found[0]):
            raise DenseError(
                "ragged-rows", typed=text, name=text, row=at, width=len(row), expected=len(found[0])
            )
    return found


def _leaves(tree: Tree, text: str) -> tuple[str, ...]:
    if isinstance(tree, str):
        raise DenseError("mixed-brackets", typed=text, part=tree)
    deep = all(isinstance(entry, list) for entry in tree)
    for place, entry in enumerate(tree, 1):
        if isinstance(entry, list):
            raise DenseError("brackets-too-deep" if deep else "mixed-brackets", typed=text, part=_flat(entry))
        if not entry:
            raise DenseError("empty-entry", typed=text, place=place)
    return tuple(entry for entry in tree if isinstance(entry, str))


def _flat(tree: Tree) -> str:
    """Enough of a nested part to recognise it."""
    while isinstance(tree, list) and tree:
        tree = tree[0]
    return f"[{tree if isinstance(tree, str) else ''}…]"


def _opened(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise DenseError("text-too-long", typed=text, length=len(text), limit=MAX_TEXT)
    opened = spaced(text)
    if not opened.strip("[]() \n"):
        raise DenseError("vector-empty", typed=text)
    return opened


def _tree(folded: str, text: str) -> list[Tree]:
    """The entries in their brackets. A row separator makes rows, as a bracket does."""
    _check_brackets(folded, text)
    return _group(_unwrapped(folded))


def _check_brackets(folded: str, text: str) -> None:
    """Every bracket has its partner, and they are not too many deep; the splitting may then rely on it."""
    awaited: list[tuple[str, int]] = []
    deepest = MAX_NESTING if len(folded) < 10_000 else 4  # each level is one more walk through the text
    for match in re.finditer(r"[\[\]()]", folded):
        bracket = match.group()
        if bracket in "[(":
            awaited.append(("]" if bracket == "[" else ")", match.start() + 1))
            if len(awaited) > deepest:
                raise DenseError("brackets-too-deep", typed=text, part=folded[: match.start() + 1])
        elif not awaited or awaited.pop()[0] != bracket:
            raise DenseError("bracket-mismatch", typed=text, part=bracket, place=match.start() + 1)
    if awaited:
        closing, opened = awaited[-1]
        raise DenseError("bracket-open", typed=text, part=folded[opened - 1], place=opened, missing=closing)


def _unwrapped(folded: str) -> str:
    """Without the brackets that enclose the whole."""
    while _is_enclosed(folded) and folded[1:-1].strip():
        inner = folded[1:-1].strip()
        if folded[0] == "(" and not _separates(inner):
            break
        folded = inner
    return folded


def _is_enclosed(folded: str) -> bool:
    if folded[:1] not in ("[", "(") or folded[-1:] not in ("]", ")"):
        return False
    depth = 0
    for match in re.finditer(r"[\[\]()]", folded):
        depth += 1 if match.group() in "[(" else -1
        if depth == 0:
            return match.end() == len(folded)
    return False


def _separates(inner: str) -> bool:
    """Whether brackets around `inner` make a vector of it rather than one number."""
    return len(_cut(inner, ",;:\n")) > 1 or len(_cut(_tight(inner), " ")) > 1 or _is_enclosed(inner)


def _group(inner: str) -> list[Tree]:
    parts = _cut(re.sub(r"\s?([;:,])\s?", r"\1", inner), ";:\n")
    if len(parts) > 1:
        return [_group(_unwrapped(part.strip())) for part in parts]
    entries = _cut(inner, ",")
    if len(entries) == 1:
        entries = [entry for entry in _cut(_tight(inner), " ") if entry]
    return [_entry(entry.strip()) for entry in entries] or [""]


def _entry(entry: str) -> Tree:
    if _is_enclosed(entry) and (entry[0] == "[" or _separates(entry[1:-1].strip())):
        return _group(entry[1:-1].strip())
    return entry


def _tight(inner: str) -> str:
    """Without the blanks around signs that cannot begin a number, so that ``1 / 2`` stays one entry."""
    return re.sub(r" ?([*/^]) ?", r"\1", inner)


def _cut(inner: str, marks: str) -> list[str]:
    """The parts of `inner` between those of `marks` that stand outside all brackets."""
    if not any(bracket in inner for bracket in "[("):
        return re.split(f"[{marks}]", inner)
    parts, depth, begin = [], 0, 0
    for match in re.finditer(rf"[\[\](){marks}]", inner):
        mark = match.group()
        if mark in "[(":
            depth += 1
        elif mark in "])":
            depth -= 1
        elif depth == 0:
            parts.append(inner[begin : match.start()])
            begin = match.end()
    parts.append(inner[begin:])
    return parts


def _numbers(entries: Sequence[str], read: Callable[[str], T], text: str, row: int = 1) -> list[T]:
    found = []
    for place, entry in enumerate(entries, 1):
        try:
            found.append(read(entry))
        except DenseError as error:
            facts = {"part": entry, **error.facts, "typed": text, "entry": place, "row": row}
            raise error.about(**facts) from None
    return found


def _plain_row(text: str) -> Row | None:
    """The numbers of a list of plain decimals; None where any doubt is left for the full grammar."""
    inner = text[1:-1] if text[:1] == "[" and text[-1:] == "]" else text
    if len(text) > MAX_TEXT or "," not in inner or inner.strip(_PLAIN):
        return None
    return _plain_floats(inner.split(","))


def _plain_floats(entries: Sequence[str]) -> Row | None:
    if max(map(len, entries)) > MAX_LENGTH or any(entry.strip(_PLAIN) for entry in entries):
        return None
    try:
        found = tuple(map(float, entries))
    except ValueError:
        return None
    if not all(map(math.isfinite, found)):
        return None
    # a zero may be a typed number too small for float64
    small = (entry for entry, value in zip(entries, found, strict=True) if value == 0)
    return found if all(not entry.strip(" +-.0") for entry in small) else None
