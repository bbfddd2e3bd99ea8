"""The table `[variant]` of an exercise: which numbers can be drawn, and how they make the given ones."""

from __future__ import annotations

from collections.abc import Mapping

from dense_cli.errors import DenseError
from dense_cli.grading import exercise_entries as entry
from dense_cli.grading.exercise import Exercise, Variation, Words
from dense_cli.grading.exercise_entries import Table
from dense_cli.reading.numbers import MAX_LENGTH

MOST_NUMBERS = 32
MOST_CHOICES = 1000

_KEYS = ("numbers", "given", "unseen", "remarks")
_RANGE_KEYS = {"from", "to"}


def variation(table: Table, exercise: Exercise, where: str) -> Variation:
    """What an exercise's file says of variants; its texts still have places for the numbers.

    Raises DenseError with the file and what is wrong in it.
    """
    varied = table["variant"]
    if not isinstance(varied, dict):
        raise DenseError("exercise-variant", source=where, typed="variant")
    entry.check_keys(varied, _KEYS, where)
    return Variation(
        numbers=_numbers(varied.get("numbers"), where),
        given=entry.plain(varied.get("given"), where),
        title=exercise.title,
        text=exercise.text,
        asks={field.name: field.ask for field in exercise.fields},
        remarks=entry.words(varied, "remarks", where, needed=False),
        phrases=_phrases(table.get("phrases", {}), where),
        unseen=tuple(entry.texts(varied, "unseen", where)) if "unseen" in varied else (),
    )


def _numbers(table: object, where: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(table, dict) or not 1 <= len(table) <= MOST_NUMBERS:
        raise DenseError("exercise-variant", source=where, typed="numbers")
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
    if not isinstance(table, dict) or not all(isinstance(inner, dict) for inner in table.values()):
        raise DenseError("exercise-variant", source=where, typed="phrases")
    return {
        given: {value: entry.words(inner, value, where) for value in inner} for given, inner in table.items()
    }
