"""Strict, bounded JSON: what is read from a config is hostile until it has been looked at."""

from __future__ import annotations

import json
import math
import os
import re
from typing import NoReturn

from dense_cli.errors import DenseError
from dense_cli.reading.json_keys import each_once

MOST_BYTES = 8 * 2**20
MOST_DEPTH = 64
MOST_DIGITS = 18


def bytes_of(path: str) -> bytes:
    """At most `MOST_BYTES` of the file at `path`; errors name the path as typed."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise DenseError("config-not-found", typed=path) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "?"
        raise DenseError("config-unreadable", typed=path, reason=reason) from None
    if len(data) > MOST_BYTES:
        raise DenseError("config-too-large", typed=path, most=MOST_BYTES)
    return data


def decoded(data: bytes, typed: str) -> str:
    """Text of UTF-8, UTF-16 or UTF-32 bytes, with or without a byte order mark."""
    try:
        return data.decode(json.detect_encoding(data)).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise DenseError("config-encoding", typed=typed, position=error.start) from None


def parsed(text: str, typed: str) -> object:
    """The value of one JSON document; duplicate keys, NaN, infinities and huge whole numbers are refused.

    >>> parsed('{"hidden_size": 12}', "inline")
    {'hidden_size': 12}
    """
    if len(text) > MOST_BYTES:
        raise DenseError("config-too-large", typed=typed, most=MOST_BYTES)
    if _depth(text) > MOST_DEPTH:
        raise DenseError("config-too-deep", typed=typed, most=MOST_DEPTH)

    def whole(digits: str) -> int:
        if len(digits.lstrip("-")) > MOST_DIGITS:
            raise DenseError("config-huge-number", typed=typed, value=digits[:24] + "…", most=MOST_DIGITS)
        return int(digits)

    def decimal(digits: str) -> float:
        value = float(digits)
        if not math.isfinite(value):
            raise DenseError("config-not-finite", typed=typed, value=digits[:24])
        return value

    def constant(word: str) -> NoReturn:
        raise DenseError("config-not-finite", typed=typed, value=word)

    def twice(key: str) -> DenseError:
        return DenseError("config-duplicate-key", typed=typed, field=key)

    try:
        return json.loads(
            text,
            object_pairs_hook=each_once(twice),
            parse_int=whole,
            parse_float=decimal,
            parse_constant=constant,
        )
    except json.JSONDecodeError as error:
        raise DenseError("config-not-json", typed=typed, line=error.lineno, column=error.colno) from None


def _depth(text: str) -> int:
    """How deep brackets nest outside strings; json would meet Python's recursion limit first."""
    if text.count("{") + text.count("[") <= MOST_DEPTH:
        return 0
    deepest = depth = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text):
        bracket = token.group()
        if bracket in ("{", "["):
            depth += 1
            deepest = max(deepest, depth)
        elif bracket in ("}", "]"):
            depth -= 1
    return deepest
