"""The words of a call as values, each as it was typed.

Typer knows every way to write a call, but importing it takes longer than all of a small calculation. So a
call that can be read in one way only is read here, and every other call, and every complaint, is Typer's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dense_cli.cli.options import Parameter
from dense_cli.errors import DenseError


def parsed(name: str, parameters: Sequence[Parameter], words: Sequence[str]) -> dict[str, Any]:
    """The value of every parameter of command `name`. Raises DenseError for words that are no call.

    A text that was not typed is None, one that is empty is refused; texts are a tuple, empty where nothing
    was typed.
    """
    found = plainly(parameters, words)
    if found is None:
        from dense_cli.cli.typer_command import found_by_typer

        found = found_by_typer(name, parameters, words)
    for one in parameters:
        if one.kind == "text" and found.get(one.name) == "":  # often a variable not set
            raise DenseError("option-without-value", option=one.options[0], command=name)
    return values_of(parameters, found)


def values_of(parameters: Sequence[Parameter], found: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed, made whole with what was not."""
    return {one.name: _value(one, found.get(one.name)) for one in parameters}


def plainly(parameters: Sequence[Parameter], words: Sequence[str]) -> dict[str, Any] | None:
    """What was typed for each parameter that was typed; None for words that are not plain.

    Plain are flags, options with a value behind them or behind `=`, and words without an option. What
    looks like an option and is none, or looks like one where a value should stand, is not plain, nor is one
    option with two values.
    """
    by_option = {option: one for one in parameters for option in one.options}
    found: dict[str, Any] = {}
    places: list[str] = []
    rest = iter(words)
    for word in rest:
        if not word.startswith("-"):
            places.append(word)
            continue
        option, sign, value = word.partition("=")
        one = by_option.get(option)
        if one is None or (sign and (one.kind == "flag" or not option.startswith("--"))):
            return None
        if one.kind == "flag":
            found[one.name] = True
            continue
        if not sign:
            value = next(rest, "--")
            if value.startswith("--"):
                return None
        if one.kind == "texts":
            found.setdefault(one.name, []).append(value)
        elif found.setdefault(one.name, value) != value:
            return None
    return _placed(parameters, places, found)


def only_value(parameter: Parameter, values: Sequence[str], command: str) -> str:
    """The value of an option that takes one; the same one twice is one. Raises DenseError for two."""
    first, *others = dict.fromkeys(values)
    if others and "" not in values:  # an empty one is refused for itself
        option = parameter.options[0]
        hint = "option-twice-rows" if "MAT" in (parameter.metavar or "").split("|") else "option-twice"
        facts = {"typed": option, "first": first, "second": others[0], "command": command}
        raise DenseError("option-twice", hint=hint, **facts)
    return "" if others else first


def _placed(
    parameters: Sequence[Parameter], places: list[str], found: dict[str, Any]
) -> dict[str, Any] | None:
    """`found` with the words that stand without an option; None for more than the command takes."""
    for one in parameters:
        if not one.options and places:
            found[one.name], places = (places, []) if one.kind == "texts" else (places[0], places[1:])
    return None if places else found


def _value(parameter: Parameter, found: Any) -> Any:
    if parameter.kind == "texts":
        return tuple(found or ())
    return bool(found) if parameter.kind == "flag" else found or None
