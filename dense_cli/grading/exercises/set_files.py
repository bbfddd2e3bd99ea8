"""A set of exercises from its folder, one TOML file each; ``exercises/README.md`` describes the format."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from dense_cli.errors import DenseError, DenseErrors
from dense_cli.frozen import replace
from dense_cli.grading.exercises import entries as entry
from dense_cli.grading.exercises.entries import Table
from dense_cli.grading.exercises.exercise import KINDS, Exercise, ExerciseSet, Field, Follow, OwnMistake
from dense_cli.grading.exercises.follow_rules import check_follows
from dense_cli.grading.exercises.placeholders import with_numbers
from dense_cli.grading.exercises.variations import variation
from dense_cli.reading.numbers import number

PACKAGED = Path(__file__).parents[2] / "exercises"
"""Where a wheel carries the exercises."""

SOURCE_TREE = Path(__file__).parents[3] / "exercises"
"""Where they stand in a checkout and in an editable install."""

DEFAULT_SET = "chapter-25"
MOST_DECIMALS = 17

_SET_KEYS = ("format", "id", "title", "exercises")
_EXERCISE_KEYS = (
    "format", "id", "calculation", "title", "text", "given", "fields", "mistakes", "remarks", "variant",
    "phrases",
)  # fmt: skip
_FIELD_KEYS = (
    "name", "kind", "points", "quantity", "calculation", "answer", "ask", "decimals", "imprecise", "options",
    "follows",
)  # fmt: skip
_KINDS_WITH = {
    "options": ("choice",),
    "answer": tuple(kind for kind in KINDS if kind != "text"),
    "decimals": ("vector", "number"),
    "imprecise": ("vector", "number"),
}
"""Entries that only some kinds of fields have."""

_FOLLOW_KEYS = ("rule", "from", "credit")
_MISTAKE_KEYS = ("id", "given", "title", "explanation")


def builtin_folder() -> Path:
    """The folder of our own sets: inside an installed package, or beside it in a checkout."""
    return PACKAGED if PACKAGED.is_dir() else SOURCE_TREE


def load_set(folder: Path | None = None) -> ExerciseSet:
    """The set in `folder`, or our own.

    Raises DenseError with the file and what is wrong in it, DenseErrors where several files have a fault.

    >>> load_set().fields[0].key
    '1.query'
    """
    named = "" if folder is None else str(folder)
    folder = folder or builtin_folder() / DEFAULT_SET
    if not folder.is_dir():
        raise DenseError("no-exercise-folder", typed=str(folder))
    where = str(folder / "set.toml")
    head = entry.document(folder / "set.toml", where, _SET_KEYS)
    names = [entry.name_of(name, where) for name in entry.texts(head, "exercises", where)]
    exercises, faults = [], []
    for name in names:
        try:
            exercises.append(_exercise(folder / f"{name}.toml"))
        except DenseError as fault:
            faults.append(fault)
    if faults:
        raise DenseErrors(faults) if len(faults) > 1 else faults[0]
    if not exercises:
        raise DenseError("exercise-none", source=where)
    if twice := entry.repeated(one.id for one in exercises):
        raise DenseError("exercise-ids", source=where, typed=twice)
    return ExerciseSet(
        entry.name_of(entry.text(head, "id", where), where),
        entry.words(head, "title", where),
        tuple(exercises),
        named,
    )


def _exercise(path: Path) -> Exercise:
    where = path.name
    table = entry.document(path, where, _EXERCISE_KEYS)
    name = entry.name_of(entry.text(table, "id", where), where)
    calculation = entry.text(table, "calculation", where) if "calculation" in table else None
    fields = tuple(_field(name, one, calculation, where) for one in entry.tables(table, "fields", where))
    if not fields:
        raise DenseError("exercise-no-fields", source=where)
    if twice := entry.repeated(one.name for one in fields):
        raise DenseError("exercise-fields", source=where, typed=twice)
    check_follows(fields, where)
    exercise = Exercise(
        id=name,
        title=entry.words(table, "title", where),
        text=entry.words(table, "text", where),
        fields=fields,
        given=entry.plain(table.get("given", {}), where),
        mistakes=tuple(_own_mistake(one, where) for one in entry.tables(table, "mistakes", where)),
        remarks=entry.words(table, "remarks", where, needed=False),
        source=where,
    )
    if "variant" in table:
        exercise = replace(exercise, variation=variation(table, exercise, where))
    return with_numbers(exercise, exercise.given)


def _field(exercise: str, table: Table, calculation: str | None, where: str) -> Field:
    name = entry.name_of(entry.text(table, "name", where), where)
    place = entry.within(where, name)
    entry.check_keys(table, _FIELD_KEYS, place)
    kind = entry.text(table, "kind", place)
    if kind not in KINDS:
        raise DenseError("exercise-kind", source=where, field=name, typed=kind, known=KINDS)
    for key, kinds in _KINDS_WITH.items():
        if key in table and kind not in kinds:
            raise DenseError("exercise-entry-unused", source=place, key=key, kind=kind, kinds=kinds)
    optional = {key: entry.text(table, key, place) for key in ("calculation", "quantity") if key in table}
    return Field(
        exercise=exercise,
        name=name,
        kind=kind,
        points=_points(table, name, where),
        ask=entry.words(table, "ask", place),
        answer=entry.text(table, "answer", place) if kind != "text" else None,
        calculation=optional.get("calculation", calculation),
        quantity=optional.get("quantity"),
        decimals=_decimals(table.get("decimals"), name, where),
        imprecise=_share(table.get("imprecise", "1/2"), name, where),
        options=_options(table, place) if kind == "choice" else {},
        follows=_follow(table, name, where) if "follows" in table else None,
    )


def _follow(table: Table, name: str, where: str) -> Follow:
    place = entry.within(where, name)
    found = entry.inner(table, "follows", place, 'follows = { rule = "dot", from = ["query", "key"] }')
    entry.check_keys(found, _FOLLOW_KEYS, place)
    credit = _share(found.get("credit", 1), name, where)
    return Follow(entry.text(found, "rule", place), tuple(entry.texts(found, "from", place)), credit)


def _own_mistake(table: Table, where: str) -> OwnMistake:
    name = entry.name_of(entry.text(table, "id", where), where)
    place = entry.within(where, name)
    entry.check_keys(table, _MISTAKE_KEYS, place)
    return OwnMistake(
        name,
        entry.plain(entry.inner(table, "given", place, 'given = { x = "3, 4" }'), place),
        entry.words(table, "title", place, needed="explanation" in table),
        entry.words(table, "explanation", place, needed="title" in table),
    )


def _points(table: Table, name: str, where: str) -> Fraction:
    entry.missing(table, "points", entry.within(where, name), "points = 1")
    points = _fraction(table["points"])
    if points is None or points < 0:
        raise DenseError("exercise-points", source=where, field=name, typed=str(table["points"]))
    return points


def _share(value: object, name: str, where: str) -> Fraction:
    share = _fraction(value)
    if share is None or not 0 <= share <= 1:
        raise DenseError("exercise-share", source=where, field=name, typed=str(value))
    return share


def _fraction(value: object) -> Fraction | None:
    """An exact number: whole, or text as ``1/2`` (a number with a point comes as its text)."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        found = number(str(value))
    except DenseError:
        return None
    return found if isinstance(found, Fraction) else None


def _decimals(value: object, name: str, where: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_DECIMALS:
        raise DenseError("exercise-decimals", source=where, field=name, typed=str(value), most=MOST_DECIMALS)
    return value


def _options(table: Table, where: str) -> dict[str, tuple[str, ...]]:
    """The choices by id, each with the other words that mean it; no word may mean two."""
    options = entry.inner(table, "options", where, 'options = { yes = ["…"], no = [] }')
    if len(options) < 2:
        raise DenseError("exercise-options-few", source=where, count=len(options))
    found = {entry.name_of(name, where): tuple(entry.texts(options, name, where)) for name in options}
    words = [word.strip().casefold() for name, others in found.items() for word in (name, *others)]
    for place, word in enumerate(words):
        if word in words[:place]:
            raise DenseError("exercise-option-twice", source=where, typed=word)
    return found


# --- the document
