"""TOML and JSON answer documents, decoded so that every number keeps the digits that were written."""

from __future__ import annotations

import json
import re

from dense_cli.errors import DenseError
from dense_cli.reading.documents import shown
from dense_cli.reading.json_keys import each_once

_TWICE = re.compile(r"Cannot (?:overwrite a value|declare .+ twice) \((?:at line ([0-9]+),|at end)")
"""How `tomllib` says that a key or a table was there already; it does not say which, but where."""

_TWICE_INLINE = re.compile(r"Duplicate inline table key '(.+)' \(at ")


class Digits(str):
    """A number of a document as its own text: ``1.50`` is not ``1.5``."""

    __slots__ = ()


def from_toml(text: str, source: str) -> object:
    """A TOML document with a number's point kept.

    >>> from_toml("[2]\\ndenominator = 1.4140", "s01.toml")
    {'2': {'denominator': '1.4140'}}
    """
    import tomllib  # only where a sheet needs it: it costs start-up time

    try:
        return tomllib.loads(text, parse_float=Digits)
    except tomllib.TOMLDecodeError as error:
        if twice := _given_twice(str(error), text):
            raise DenseError("duplicate-key", source=source, typed=twice) from error
        raise DenseError("broken-toml", source=source, reason=str(error)) from error
    except RecursionError as error:
        raise DenseError("nested-too-deep", source=source) from error
    except ValueError as error:  # Python reads no whole number of more than 4300 digits
        raise DenseError("sheet-number-too-long", source=source) from error


def _given_twice(reason: str, text: str) -> str:
    """The key, or the table, that stands twice in a document, where that is why it cannot be read."""
    if inline := _TWICE_INLINE.match(reason):
        return inline[1]
    found = _TWICE.match(reason)
    if found is None:
        return ""
    line = text.rstrip().split("\n")[int(found[1]) - 1 if found[1] else -1].strip()
    key, sign, _ = line.partition("=")  # without the sign it may be the end of a long value
    return key.strip() if sign or line.startswith("[") else ""


def from_json(text: str, source: str) -> object:
    """A JSON document with numbers as they were written; a key given twice is an error, NaN is text.

    >>> from_json('{"1.dot": 0.50, "5.hidden": [64]}', "s01.json")
    {'1.dot': '0.50', '5.hidden': ['64']}
    """

    def twice(key: str) -> DenseError:
        return DenseError("duplicate-key", source=source, typed=key)

    try:
        return json.loads(
            text,
            parse_float=Digits,
            parse_int=Digits,
            parse_constant=Digits,
            object_pairs_hook=each_once(twice),
        )
    except json.JSONDecodeError as error:
        line, column = error.lineno, error.colno
        raise DenseError("broken-json", source=source, reason=error.msg, line=line, column=column) from error
    except RecursionError as error:
        raise DenseError("nested-too-deep", source=source) from error


def written(given: object) -> str:
    """An answer in one line, as it was written.

    >>> written([Digits("0.50"), 1]), written(" 64 "), written(True), written(["a"])
    ('[0.50, 1]', ' 64 ', 'true', '["a"]')
    """
    if isinstance(given, str):
        return given
    if isinstance(given, list) and all(isinstance(entry, list) for entry in given):
        return "[" + ", ".join(_row(entry) for entry in given) + "]"
    return _row(given) if isinstance(given, list) else _scalar(given)


def _row(given: list[object]) -> str:
    return "[" + ", ".join(map(_scalar, given)) + "]"


def _scalar(given: object) -> str:
    if isinstance(given, Digits) or hasattr(given, "isoformat"):  # a number, or a date of TOML
        return str(given)
    return shown(given)
