"""Strict JSON for scripts: full precision, no NaN, one document."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dense_cli.derivation import Data, Derivation, Line, Note, Say, Step, Table, Value
from dense_cli.expression import Expression
from dense_cli.numerals import PiMultiple
from dense_cli.render.notation import Notation, Text

SCHEMA = "dense/1"

_UNSAFE = re.compile(
    "[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def write(derivation: Derivation, say: Say, digits: int, width: int, colour: bool) -> str:
    """The derivation as one document of the schema `dense/1`; `digits` only rounds the written formulas."""
    notation = Text(say, digits)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "command": derivation.command,
        "given": derivation.given,
        "assumed": [_note(note, notation) for note in derivation.assumed],
        "result": derivation.result,
    }
    if derivation.comparison is not None:
        document["comparison"] = derivation.comparison
    document["cautions"] = [_note(note, notation) for note in derivation.cautions]
    document["steps"] = [_step(step, notation) for step in derivation.steps]
    return _dumped(document) + "\n"


def _dumped(document: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(finite(document), ensure_ascii=False, allow_nan=False)
    # these characters only ever stand inside strings, where an escape means the same and moves no cursor
    return text if text.isascii() and "\x7f" not in text else _UNSAFE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def finite(data: Any) -> Any:
    """JSON-ready data with null for every number that is not finite."""
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, Mapping):
        return {name: finite(part) for name, part in data.items()}
    if isinstance(data, list | tuple):
        return [finite(part) for part in data]
    return data


def _note(note: Note, notation: Notation) -> dict[str, str]:
    return {"id": note.key.partition(".")[2], "text": notation.sentence(note)}


def _step(step: Step, notation: Notation) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": step.name,
        "title": notation.sentence(step.title),
        "formula": " = ".join(map(notation.symbols, step.formula)) if step.formula else None,
        "lines": [_line(line, notation) for line in step.lines],
        "notes": [_note(note, notation) for note in step.notes],
        "steps": [_step(below, notation) for below in step.steps],
    }
    if step.table:
        told["table"] = _table(step.table, notation)
    return told


def _line(line: Line, notation: Notation) -> dict[str, Any]:
    return {
        "symbol": notation.prose(line.symbol),
        "formula": notation.symbols(line.formula) if line.formula else None,
        "substituted": notation.numbers(line.formula).text if line.formula else None,
        "value": _data(line.value, notation),
    }


def _table(table: Table, notation: Notation) -> dict[str, Any]:
    return {
        "columns": [notation.prose(column) for column in table.columns],
        "rows": [[_data(cell, notation) for cell in row] for row in table.rows],
    }


def _data(value: Value | Note, notation: Notation) -> Data:
    if isinstance(value, tuple):
        return [_data(part, notation) for part in value]
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    if isinstance(value, PiMultiple):
        return float(value)
    if isinstance(value, Expression | Note):
        return notation.prose(value)
    return value
