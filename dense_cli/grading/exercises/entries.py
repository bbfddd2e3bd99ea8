"""What stands in an exercise's file, entry by entry: each is what it should be, or a fault with its file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from dense_cli.errors import DenseError, nearest

FORMAT = 1
LARGEST_FILE = 1 << 20

NAME = re.compile("[A-Za-z0-9_-]+")

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
        raise DenseError("broken-toml", hint="broken-exercise", source=where, reason=str(error)) from error
    if table.get("format") != FORMAT:
        missing(table, "format", where, f"format = {FORMAT}")
        raise DenseError("exercise-format", source=where, typed=str(table["format"]), known=FORMAT)
    check_keys(table, known, where)
    return table


def check_keys(table: Table, known: Iterable[str], where: str) -> None:
    for key in table:
        if key not in known:
            close = nearest(key, list(known)) or tuple(known)
            raise DenseError("exercise-key", source=where, typed=key, known=close)


def missing(table: Table, key: str, where: str, example: str) -> None:
    """Raises DenseError, with how the entry is written, where there is none."""
    if key not in table:
        raise DenseError("exercise-entry-missing", source=where, key=key, example=example)


def entry_of(table: Table, key: str, where: str, example: str, fits: Callable[[Any], bool]) -> Any:
    """An entry of the right kind. Raises DenseError, with how it is written, where it is none."""
    missing(table, key, where, example)
    if not fits(table[key]):
        raise DenseError("exercise-entry-kind", source=where, key=key, example=example)
    return table[key]


def text(table: Table, key: str, where: str) -> str:
    found: str = entry_of(table, key, where, f'{key} = "…"', lambda value: _is_text(value) and value.strip())
    return found


def texts(table: Table, key: str, where: str) -> list[str]:
    found: list[str] = entry_of(table, key, where, f'{key} = ["…", "…"]', lambda value: _is_list(value, str))
    return found


def tables(table: Table, key: str, where: str) -> list[Table]:
    found: list[Table] = entry_of(
        {key: []} | dict(table), key, where, f"[[{key}]]", lambda value: _is_list(value, dict)
    )
    return found


def inner(table: Table, key: str, where: str, example: str) -> Table:
    """A table inside another."""
    found: Table = entry_of(table, key, where, example, lambda value: isinstance(value, dict))
    return found


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_list(value: object, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(entry, kind) for entry in value)


def words(table: Table, key: str, where: str, needed: bool = True) -> dict[str, str]:
    """One text in several languages; English is what others fall back to."""
    value = table.get(key)
    if value is None and not needed:
        return {}
    if (
        not isinstance(value, dict)
        or not all(map(_is_text, value.values()))
        or not value.get("en", "").strip()
    ):
        told = key if NAME.fullmatch(key) else f'"{key}"'  # as TOML writes it
        raise DenseError("exercise-words", source=where, key=told)
    return {code: text.strip() for code, text in value.items()}


def plain(table: object, where: str) -> dict[str, str]:
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise DenseError("exercise-given", source=where)
    return dict(table)


def name_of(name: str, where: str) -> str:
    """An id or a file's name: nothing that leads out of the folder or needs quotes in an answer sheet."""
    if not NAME.fullmatch(name) or name.casefold() in RESERVED:
        raise DenseError("exercise-name", source=where, typed=name, reserved=RESERVED)
    return name


def repeated(names: Iterable[str]) -> str | None:
    """The first name that came before already, in whatever capitals.

    >>> repeated(["dot", "key", "Dot"]), repeated(["dot", "key"])
    ('Dot', None)
    """
    seen = set[str]()
    for name in names:
        if name.casefold() in seen:
            return name
        seen.add(name.casefold())
    return None


def within(where: str, name: str) -> str:
    """The place of an entry inside a file: the field or the mistake that it belongs to."""
    return f"{where}, {name}"
