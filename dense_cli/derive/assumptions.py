"""What a config left open, as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dense_cli.derivation import Fact, Listed, Note
from dense_cli.models.config import Assumption
from dense_cli.models.families import CHAPTER


def notes(assumed: Sequence[Assumption]) -> tuple[Note, ...]:
    """One sentence for each thing that was taken to be so; a fact is data as the config has it.

    >>> note, = notes([("config-default", {"field": "hidden_act", "family": "llama", "value": "silu"})])
    >>> note.key
    'models.assumed.config-default'
    """
    return tuple(_note(key, facts) for key, facts in assumed)


def _note(key: str, facts: Mapping[str, object]) -> Note:
    told = {name: _fact(value) for name, value in facts.items()}
    if key == "config-default" and told.get("family") == CHAPTER.model_type:
        key = "config-default-block"  # the textbook's block has no name that a reader would know
    return Note(f"models.assumed.{key}", told)


def _fact(value: object) -> Fact:
    if isinstance(value, tuple):
        return Listed(map(str, value))
    return value if isinstance(value, bool | int | float | str | Fraction) else str(value)
