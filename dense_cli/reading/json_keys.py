"""JSON objects in which no key stands twice: Python's reader keeps the last of them without a word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dense_cli.errors import DenseError


def each_once(refusal: Callable[[str], DenseError]) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    """An `object_pairs_hook` that raises `refusal(key)` for the first key that stands twice.

    >>> import json
    >>> hook = each_once(lambda key: DenseError("duplicate-key", typed=key))
    >>> json.loads('{"a": 1}', object_pairs_hook=hook)
    {'a': 1}
    """

    def hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    raise refusal(key)
                seen.add(key)
        return found

    return hook
