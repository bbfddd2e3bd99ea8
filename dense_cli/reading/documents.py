"""Bytes → text → strict JSON → numbers, each step bounded and each refusal with its place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Any, NoReturn

from dense_cli.errors import DenseError
from dense_cli.reading.json_keys import each_once
from dense_cli.reading.numbers import real_number

MAX_DIMENSIONS = 8
MAX_DIGITS = 4000  # of one whole number in a document; Python itself refuses more than 4300

Nested = float | tuple["Nested", ...]


def decoded(data: bytes, name: str, encoding: str | None = None) -> str:
    """The text of a file: UTF-8 with or without its mark, UTF-16 with its mark, or the `encoding` asked for.

    >>> decoded("−1,0".encode("utf-16"), "q.txt")
    '−1,0'

    Never guessed: other bytes raise DenseError with the place of the first that does not fit (from 0).
    """
    if data.startswith(b"\xef\xbb\xbf"):
        data, encoding = data[3:], "utf-8"
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    try:
        return data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        found = f"0x{data[error.start]:02x}" if error.start < len(data) else ""
        raise DenseError(
            "file-encoding", typed=name, byte=error.start, part=found, encoding=encoding or "utf-8"
        ) from None
    except LookupError:
        raise DenseError("encoding-unknown", typed=encoding) from None


def json_document(text: str, name: str) -> Any:
    """The value of a strict JSON document; a number with a point or an exponent comes as its own text.

    >>> json_document('{"a": [1, 2.50]}', "x.json")
    {'a': [1, '2.50']}

    Refused: duplicate keys, NaN and Infinity, numbers of thousands of digits, endless nesting.
    """

    def constant(word: str) -> NoReturn:
        raise DenseError("json-not-finite", typed=name, part=word)

    def whole(digits: str) -> int:
        if len(digits) > MAX_DIGITS:
            raise DenseError("json-number-too-long", typed=name, part=digits, limit=MAX_DIGITS)
        return int(digits)

    try:
        return json.loads(
            text.removeprefix("\ufeff"),
            parse_float=str,
            parse_int=whole,
            parse_constant=constant,
            object_pairs_hook=each_once(lambda key: DenseError("json-duplicate-key", typed=name, part=key)),
        )
    except json.JSONDecodeError as error:
        raise DenseError("json-broken", typed=name, line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise DenseError("json-too-deep", typed=name) from None


def scalar_text(value: object, typed: str) -> str:
    """The text of one decoded number, as it would have been typed.

    >>> scalar_text(64, "x.json"), scalar_text("2.50", "x.json")
    ('64', '2.50')
    """
    if isinstance(value, bool) or value is None:
        raise DenseError("not-numeric", typed=typed, part={True: "true", False: "false", None: "null"}[value])
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value) if value.bit_length() < 12_000 else "9" * 300  # longer than any number may be
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Fraction):
        return str(value)
    raise DenseError("not-a-list-of-numbers", typed=typed, part=shown(value))


def shown(value: object) -> str:
    """A decoded value in one line, for a message."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError, TypeError):
        return type(value).__name__


def nested_numbers(value: object, typed: str, masked: bool = False) -> tuple[Nested, tuple[int, ...]]:
    """Decoded lists of numbers as tuples of float64, and their shape; with `masked`, a null is −∞.

    >>> nested_numbers([[1, "0.5"], [0, "1e-3"]], "x.json")
    (((1.0, 0.5), (0.0, 0.001)), (2, 2))
    """
    if value is None and masked:
        return -inf, ()
    if not isinstance(value, list | tuple):
        text = scalar_text(value, typed)
        try:
            return real_number(text), ()
        except DenseError as error:
            raise error.about(typed=typed, part=text.strip() or '""') from None
    return _nested(value, typed, MAX_DIMENSIONS, masked)


def _nested(value: Sequence[object], typed: str, levels: int, masked: bool) -> tuple[Nested, tuple[int, ...]]:
    if not levels:
        raise DenseError("file-too-deep", typed=typed, limit=MAX_DIMENSIONS)
    if not value:
        raise DenseError("vector-empty", typed=typed)
    found: list[Nested] = []
    first: tuple[int, ...] | None = None
    for at, entry in enumerate(value, 1):
        if isinstance(entry, list | tuple):
            inner, shape = _nested(entry, typed, levels - 1, masked)
        else:
            inner, shape = nested_numbers(entry, typed, masked)
        first = shape if first is None else first
        if shape != first:
            if not shape or not first:
                raise DenseError("mixed-brackets", typed=typed, part=shown(entry)[:80])
            raise DenseError(
                "ragged-rows", typed=typed, name=typed, row=at, width=shape[0], expected=first[0]
            )
        found.append(inner)
    return tuple(found), (len(found), *(first or ()))
