"""One call of a command: from its words to what it gives back and the page to show that on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from dense_cli.cli.options import Outcome, outcome_of, parameters_of
from dense_cli.cli.page import Page
from dense_cli.cli.parsing import parsed

Function = Callable[..., Outcome]


def ran(
    module: ModuleType, function: Function, name: str, words: Sequence[str], spoken: str, worked: str = ""
) -> tuple[Outcome, Page]:
    """What a command of `module` gives back for these words, and the page that they ask for.

    `worked` is the textbook's call: what the words say beside it counts in its place. Raises DenseError.
    """
    values = _values(module, function, name, words)
    if worked:
        values = _in_place_of(_values(module, function, name, worked.split()), values)
    page = Page.of(values, spoken)
    return outcome_of(function, page, values), page


def _values(module: ModuleType, function: Function, name: str, words: Sequence[str]) -> dict[str, Any]:
    arrange = getattr(module, "arrange", list)
    return parsed(name, parameters_of(function), arrange(words))


def _in_place_of(worked: Mapping[str, Any], typed: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the worked call with those that were typed; what may be typed often is added to it."""
    return {
        name: value + typed[name] if isinstance(value, tuple) else typed[name] or value
        for name, value in worked.items()
    }
