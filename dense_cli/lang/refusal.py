"""A refusal in words: what was typed and what is wrong with it, and what to type instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dense_cli.errors import DenseError
from dense_cli.reading.characters import visible

if TYPE_CHECKING:
    from dense_cli.derivation import Say

CHOICES = ("nearest", "near")
"""Facts of which one is meant, not all."""

LONGEST = 10_000
"""Characters of what is ours, and told whole."""

SHOWN = 60
"""Characters of what was typed that a refusal repeats."""


def message(error: DenseError, say: Say) -> str:
    """What was typed and what is wrong with it, led by the option or place where the error knows it."""
    text = say(f"errors.{error.key}.message", **_facts(error, say))
    place = error.facts.get("option") or error.facts.get("source")
    return f"{visible(str(place), SHOWN)}{say('common.colon')}{text}" if place else text


def hint(error: DenseError, say: Say) -> str:
    """What to do instead."""
    return say(f"errors.{error.hint}.hint", **_facts(error, say))


def _facts(error: DenseError, say: Say) -> dict[str, str]:
    listed = say("common.list"), say("common.list")
    choice = say("common.list"), say("common.or")
    return {
        name: _written(value, choice if name in CHOICES else listed) for name, value in error.facts.items()
    }


def _written(value: object, between: tuple[str, str]) -> str:
    """Words are listed as the language lists words, numbers as a vector is written.

    What stands `between` two words, and before the last of them.
    """
    if type(value) is str:
        return visible(value, SHOWN)
    if isinstance(value, str):
        from dense_cli.derivation import Prose  # most refusals have none, and should not wait for it

        return visible(value, LONGEST if isinstance(value, Prose) else SHOWN)
    from fractions import Fraction  # slow to import, and most refusals are about words

    if isinstance(value, float):
        return format(value, ".12g")
    if isinstance(value, Fraction) and value.denominator != 1:
        return format(float(value), ".12g")
    if isinstance(value, tuple | list):
        comma, last = between if all(isinstance(entry, str) for entry in value) else (", ", ", ")
        *first, end = [_written(entry, between) for entry in value] or [""]
        return f"{comma.join(first)}{last}{end}" if first else end
    return visible(str(value), SHOWN)
