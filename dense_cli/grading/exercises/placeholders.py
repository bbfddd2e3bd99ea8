"""Numbers put into the texts of an exercise, so that its words always fit its numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from dense_cli.errors import DenseError
from dense_cli.frozen import replace
from dense_cli.grading.exercises.exercise import Exercise, Words

PLACE = re.compile(r"\{([A-Za-z][A-Za-z0-9_-]*)(?:\.([1-9][0-9]?))?\}")
"""``{x}``, or ``{positions.2}`` for one entry of several."""


def with_numbers(one: Exercise, given: Mapping[str, str]) -> Exercise:
    """An exercise with these given numbers in every text."""
    told = one.variation or one  # whose texts still have their places
    asks = {field.name: field.ask for field in one.fields} if one.variation is None else one.variation.asks

    def filled(words: Words) -> dict[str, str]:
        return {code: _filled(text, _saying(one, given, code)) for code, text in words.items()}

    fields = tuple(replace(field, ask=filled(asks[field.name])) for field in one.fields)
    return replace(one, title=filled(told.title), text=filled(told.text), fields=fields, given=given)


def drawn_given(one: Exercise, numbers: Mapping[str, str]) -> dict[str, str]:
    """All given numbers of an exercise: those that the drawn `numbers` make, and the others as they were."""
    variation = one.variation
    assert variation is not None

    def number(name: str, _: str | None) -> str:
        if name not in numbers:
            raise DenseError("variant-place", source=one.source, typed=name, known=tuple(numbers))
        return numbers[name]

    return {**one.given, **{name: _filled(text, number) for name, text in variation.given.items()}}


def places(text: str) -> Iterator[str]:
    """The names in the places of a text.

    >>> list(places("the row {x} at {positions.2}"))
    ['x', 'positions']
    """
    return (found[1] for found in PLACE.finditer(text))


def shown(given: str) -> str:
    """A given number as a text shows it: vectors and matrices in brackets.

    >>> shown("24"), shown("1, 0"), shown("1, 0 : 0, 1")
    ('24', '[1, 0]', '[[1, 0], [0, 1]]')
    """
    if ":" in given:
        return "[" + ", ".join(_row(row) for row in given.split(":")) + "]"
    return _row(given) if "," in given else given.strip()


def _row(given: str) -> str:
    return "[" + ", ".join(_entries(given)) + "]"


def _entries(given: str) -> list[str]:
    return [entry.strip() for entry in given.split(",")]


def _filled(text: str, fill: Callable[[str, str | None], str]) -> str:
    return PLACE.sub(lambda found: fill(found[1], found[2]), text)


def _saying(one: Exercise, given: Mapping[str, str], language: str) -> Callable[[str, str | None], str]:
    """How a given number, or one entry of it, is said in a text of this language."""
    phrases = {} if one.variation is None else one.variation.phrases

    def said(name: str, entry: str | None) -> str:
        words = phrases.get(name, {}).get(given.get(name, "")) if entry is None else None
        if words is not None:
            return words.get(language) or words["en"]
        found = _value(given, name, entry)
        # Nothing of that name: a fault where there are variants, which lint tells; else braces are meant.
        return found if found is not None else f"{{{name}.{entry}}}" if entry else f"{{{name}}}"

    return said


def _value(given: Mapping[str, str], name: str, entry: str | None) -> str | None:
    """What stands in a place; None where nothing of that name is given, or fewer entries."""
    if name not in given:
        return None
    if entry is None:
        return shown(given[name])
    entries = _entries(given[name])
    return entries[int(entry) - 1] if int(entry) <= len(entries) else None


def empty_places(one: Exercise) -> Iterator[str]:
    """The places in the texts of an exercise that no given number fills."""
    if one.variation is not None:
        texts = (one.variation.title, one.variation.text, *one.variation.asks.values())
        for text in (text for words in texts for text in words.values()):
            for found in PLACE.finditer(text):
                if _value(one.given, found[1], found[2]) is None:
                    yield found[0].strip("{}")
