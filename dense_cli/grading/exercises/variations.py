"""The table `[variant]` of an exercise: which numbers can be drawn, and how they make the given ones."""

from __future__ import annotations

from collections.abc import Mapping

from dense_cli.errors import DenseError
from dense_cli.grading.exercises import entries as entry
from dense_cli.grading.exercises.entries import Table
from dense_cli.grading.exercises.exercise import Exercise, Variation, Words
from dense_cli.reading.numbers import MAX_LENGTH

MOST_NUMBERS = 32
MOST_CHOICES = 1000

_KEYS = ("numbers", "given", "unseen", "remarks")
_RANGE_KEYS = {"from", "to"}


def variation(table: Table, exercise: Exercise, where: str) -> Variation:
    """What an exercise's file says of variants; its texts still have places for the numbers.

    Raises DenseError with the file and what is wrong in it.
    """
    varied = entry.inner(table, "variant", where, "[variant]")
    entry.check_keys(varied, _KEYS, where)
    return Variation(
        numbers=_numbers(entry.inner(varied, "numbers", where, "[variant.numbers]"), where),
        given=entry.plain(entry.inner(varied, "given", where, "[variant.given]"), where),
        title=exercise.title,
        text=exercise.text,
        asks={field.name: field.ask for field in exercise.fields},
        remarks=entry.words(varied, "remarks", where, needed=False),
        phrases=_phrases(table.get("phrases", {}), where),
        unseen=tuple(entry.texts(varied, "unseen", where)) if "unseen" in varied else (),
    )


def _numbers(table: Table, where: str) -> dict[str, tuple[str, ...]]:
    if not 1 <= len(table) <= MOST_NUMBERS:
        raise DenseError("exercise-variant-numbers", source=where, count=len(table), most=MOST_NUMBERS)
    return {entry.name_of(name, where): _choices(name, value, where) for name, value in table.items()}


def _choices(name: str, value: object, where: str) -> tuple[str, ...]:
    """What one number can be: every whole number of a range, or one of a list."""
    if isinstance(value, dict) and value.keys() == _RANGE_KEYS:
        first, last = value["from"], value["to"]
        if _is_whole(first) and _is_whole(last) and 0 <= last - first < MOST_CHOICES:
            return tuple(map(str, range(first, last + 1)))
    elif isinstance(value, list) and 0 < len(value) <= MOST_CHOICES and all(map(_is_choice, value)):
        return tuple(map(str, value))
    raise DenseError("exercise-variant", source=where, typed=name)


def _is_choice(value: object) -> bool:
    return _is_whole(value) or (isinstance(value, str) and len(value) <= MAX_LENGTH)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _phrases(table: object, where: str) -> Mapping[str, Mapping[str, Words]]:
    phrases = entry.inner({"phrases": table}, "phrases", where, "[phrases.angle]")
    return {given: _of_value(phrases, given, where) for given in phrases}


def _of_value(phrases: Table, given: str, where: str) -> Mapping[str, Words]:
    """How the values of one given number are said."""
    values = entry.inner(phrases, given, where, f"[phrases.{given}]")
    return {value: entry.words(values, value, where) for value in values}
