"""What stands in an exercise's file, entry by entry: each is what it should be, or a fault with its file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dense_cli.errors import DenseError, nearest

FORMAT = 1
LARGEST_FILE = 1 << 20

RESERVED = ("student", "variant")
"""What an answer sheet says beside its answers: no exercise can be called so."""

Table = Mapping[str, Any]


def document(path: Path, where: str, known: Iterable[str]) -> Table:
    import tomllib  # only where exercises are read: it costs start-up time

    if not path.is_file():
        raise DenseError("exercise-file-missing", source=where)
    if path.stat().st_size > LARGEST_FILE:
        raise DenseError("exercise-file-size", source=where, most=LARGEST_FILE)
    try:
        # Points such as 0.1 are exact: their digits are kept.
        text = path.read_bytes().decode("utf-8-sig")
        table = tomllib.loads(text, parse_float=str)
    except (RecursionError, ValueError, OSError) as error:
        raise DenseError("broken-toml", source=where, reason=str(error)) from error
    if table.get("format") != FORMAT:
        raise DenseError("exercise-format", source=where, typed=str(table.get("format")), known=FORMAT)
    check_keys(table, known, where)
    return table


def check_keys(table: Table, known: Iterable[str], where: str) -> None:
    for key in table:
        if key not in known:
            close = nearest(key, list(known)) or tuple(known)
            raise DenseError("exercise-key", source=where, typed=key, known=close)


def text(table: Table, key: str, where: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise DenseError("exercise-text-missing", source=where, key=key)
    return value


def texts(table: Table, key: str, where: str) -> list[str]:
    value = table.get(key)
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise DenseError("exercise-text-missing", source=where, key=key)
    return value


def tables(table: Table, key: str, where: str) -> list[Table]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise DenseError("exercise-text-missing", source=where, key=key)
    return value


def words(table: Table, key: str, where: str, needed: bool = True) -> dict[str, str]:
    """One text in several languages; English is what others fall back to."""
    value = table.get(key)
    if value is None and not needed:
        return {}
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise DenseError("exercise-words", source=where, key=key)
    if not value.get("en", "").strip():
        raise DenseError("exercise-words", source=where, key=key)
    return {code: text.strip() for code, text in value.items()}


def plain(table: object, where: str) -> dict[str, str]:
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise DenseError("exercise-given", source=where)
    return dict(table)


def name_of(name: str, where: str) -> str:
    """An id or a file's name: nothing that leads out of the folder or needs quotes in an answer sheet."""
    if not re.fullmatch("[A-Za-z0-9_-]+", name) or name.casefold() in RESERVED:
        raise DenseError("exercise-name", source=where, typed=name)
    return name


def one_name_twice(names: Iterable[str]) -> bool:
    folded = [name.casefold() for name in names]
    return len(set(folded)) < len(folded)
