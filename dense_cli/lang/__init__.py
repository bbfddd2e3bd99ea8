"""Words for keys, in one language: ``lang/<code>/<topic>.toml``, or a folder of such files for a large topic.
The keys and placeholders of all languages are the same.

A key is ``topic.name`` or ``topic.table.name``; a topic's file is read when its first key is asked for.
"""

from __future__ import annotations

import os
import string
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dense_cli.derivation import Say

LANGUAGES = ("en", "zh")
FOLDER = os.path.dirname(__file__)


def say_in(language: str) -> Say:
    """The words of one language, as a function from key and facts to text.

    >>> say_in("en")("common.yes"), say_in("zh")("common.yes")
    ('yes', '是')
    """

    def say(key: str, /, **facts: str) -> str:
        return _FORMATTER.vformat(_text(language, key), (), facts)

    return say


def is_said(language: str, key: str) -> bool:
    """Whether there are words for a key."""
    try:
        _text(language, key)
    except KeyError:
        return False
    return True


@cache
def topic_texts(language: str, topic: str) -> Mapping[str, str]:
    """Every text of one topic by its key within it. Unknown languages and topics raise KeyError."""
    return dict(_flat(_parsed(_source(language, topic))))


@cache
def _text(language: str, key: str) -> str:
    topic, _, name = key.partition(".")
    table = name.rpartition(".")[0]
    while table not in _tables(language, topic):  # a key may have points of its own
        table = table.rpartition(".")[0]
    text: str = _table_texts(language, topic, table)[name.removeprefix(f"{table}.")]
    return text


@cache
def _table_texts(language: str, topic: str, table: str) -> Mapping[str, Any]:
    """One table of a topic: a call says a few things of the hundreds that could go wrong."""
    return _parsed(_tables(language, topic)[table])


@cache
def _tables(language: str, topic: str) -> Mapping[str, str]:
    """Where each table is written in a topic's file. No text in there is longer than its line."""
    top, *tables = f"\n{_source(language, topic)}".split("\n[")
    named = (table.partition("]") for table in tables)
    return {"": top, **{name: lines for name, _, lines in named}}


def _source(language: str, topic: str) -> str:
    path = os.path.join(FOLDER, language, topic)
    parts = (
        [f"{path}/{name}" for name in sorted(os.listdir(path))] if os.path.isdir(path) else [f"{path}.toml"]
    )
    if language not in LANGUAGES or not all(map(os.path.isfile, parts)):
        raise KeyError(f"{language}/{topic}")
    return "\n".join(map(_read, parts))


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _parsed(source: str) -> dict[str, Any]:
    import tomllib  # costs start-up time, and --version needs no words

    return tomllib.loads(source)


def topics(language: str) -> tuple[str, ...]:
    """The topics that a language has."""
    return tuple(sorted(name.removesuffix(".toml") for name in os.listdir(os.path.join(FOLDER, language))))


def placeholders(text: str) -> frozenset[str]:
    """The names of the facts that a text speaks of."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name)


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, str(value)


class _Facts(string.Formatter):
    """Puts facts in by name only: a text can reach into no object and ask for no conversion."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> tuple[Any, str]:
        return kwargs[field_name], field_name


_FORMATTER = _Facts()
