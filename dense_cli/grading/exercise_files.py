"""A set of exercises from its folder, one TOML file each; ``exercises/README.md`` describes the format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from dense_cli.errors import DenseError, DenseErrors, nearest
from dense_cli.grading.exercise import KINDS, Exercise, ExerciseSet, Field, Follow, OwnMistake
from dense_cli.reading.numbers import number

FORMAT = 1

PACKAGED = Path(__file__).parents[1] / "exercises"
"""Where a wheel carries the exercises."""

SOURCE_TREE = Path(__file__).parents[2] / "exercises"
"""Where they stand in a checkout and in an editable install."""

DEFAULT_SET = "chapter-25"
LARGEST_FILE = 1 << 20
MOST_DECIMALS = 17

Table = Mapping[str, Any]

_SET_KEYS = ("format", "id", "title", "exercises")
_EXERCISE_KEYS = ("format", "id", "calculation", "title", "text", "given", "fields", "mistakes", "remarks")
_FIELD_KEYS = (
    "name", "kind", "points", "quantity", "calculation", "answer", "ask", "decimals", "imprecise", "options",
    "follows",
)  # fmt: skip
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
    folder = folder or builtin_folder() / DEFAULT_SET
    if not folder.is_dir():
        raise DenseError("no-exercise-folder", typed=str(folder))
    where = str(folder / "set.toml")
    head = _document(folder / "set.toml", where, _SET_KEYS)
    names = [_name(name, where) for name in _texts(head, "exercises", where)]
    exercises, faults = [], []
    for name in names:
        try:
            exercises.append(_exercise(folder / f"{name}.toml"))
        except DenseError as fault:
            faults.append(fault)
    if faults:
        raise DenseErrors(faults) if len(faults) > 1 else faults[0]
    if not exercises or _one_name_twice(one.id for one in exercises):
        raise DenseError("exercise-ids", source=where)
    return ExerciseSet(_name(_text(head, "id", where), where), _words(head, "title", where), tuple(exercises))


def _exercise(path: Path) -> Exercise:
    where = path.name
    table = _document(path, where, _EXERCISE_KEYS)
    name = _name(_text(table, "id", where), where)
    calculation = _text(table, "calculation", where) if "calculation" in table else None
    fields = tuple(_field(name, one, calculation, where) for one in _tables(table, "fields", where))
    if not fields or _one_name_twice(one.name for one in fields):
        raise DenseError("exercise-fields", source=where)
    for place, one in enumerate(fields):
        earlier = {before.name for before in fields[:place]}
        if one.follows and not earlier.issuperset(one.follows.sources):
            raise DenseError("exercise-follows", source=where, field=one.name, typed=one.follows.sources)
    return Exercise(
        id=name,
        title=_words(table, "title", where),
        text=_words(table, "text", where),
        fields=fields,
        given=_plain(table.get("given", {}), where),
        mistakes=tuple(_own_mistake(one, where) for one in _tables(table, "mistakes", where)),
        remarks=_words(table, "remarks", where, needed=False),
        source=where,
    )


def _field(exercise: str, table: Table, calculation: str | None, where: str) -> Field:
    _check_keys(table, _FIELD_KEYS, where)
    name, kind = _name(_text(table, "name", where), where), _text(table, "kind", where)
    if kind not in KINDS:
        raise DenseError("exercise-kind", source=where, field=name, typed=kind, known=KINDS)
    optional = {key: _text(table, key, where) for key in ("calculation", "quantity") if key in table}
    return Field(
        exercise=exercise,
        name=name,
        kind=kind,
        points=_points(table.get("points"), name, where),
        ask=_words(table, "ask", where),
        answer=_text(table, "answer", where) if kind != "text" else None,
        calculation=optional.get("calculation", calculation),
        quantity=optional.get("quantity"),
        decimals=_decimals(table.get("decimals"), name, where),
        imprecise=_share(table.get("imprecise", "1/2"), name, where),
        options=_options(table, where) if kind == "choice" else {},
        follows=_follow(table["follows"], name, where) if "follows" in table else None,
    )


def _follow(table: object, name: str, where: str) -> Follow:
    if not isinstance(table, dict):
        raise DenseError("exercise-text-missing", source=where, key="follows")
    _check_keys(table, _FOLLOW_KEYS, where)
    credit = _share(table.get("credit", 1), name, where)
    return Follow(_text(table, "rule", where), tuple(_texts(table, "from", where)), credit)


def _own_mistake(table: Table, where: str) -> OwnMistake:
    _check_keys(table, _MISTAKE_KEYS, where)
    return OwnMistake(
        _name(_text(table, "id", where), where),
        _plain(table.get("given"), where),
        _words(table, "title", where, needed="explanation" in table),
        _words(table, "explanation", where, needed="title" in table),
    )


def _points(value: object, name: str, where: str) -> Fraction:
    points = _fraction(value)
    if points is None or points < 0:
        raise DenseError("exercise-points", source=where, field=name, typed=str(value))
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
    options = table.get("options")
    if not isinstance(options, dict) or len(options) < 2:
        raise DenseError("exercise-text-missing", source=where, key="options")
    found = {_name(name, where): tuple(_texts(options, name, where)) for name in options}
    words = [word.strip().casefold() for name, others in found.items() for word in (name, *others)]
    for place, word in enumerate(words):
        if word in words[:place]:
            raise DenseError("exercise-option-twice", source=where, typed=word)
    return found


# --- the document and its entries


def _document(path: Path, where: str, known: Iterable[str]) -> Table:
    import tomllib  # only where exercises are read: it costs start-up time

    if not path.is_file():
        raise DenseError("exercise-file-missing", source=where)
    if path.stat().st_size > LARGEST_FILE:
        raise DenseError("exercise-file-size", source=where, most=LARGEST_FILE)
    try:
        # Points such as 0.1 are exact: their digits are kept.
        text = path.read_bytes().decode("utf-8-sig")
        table = tomllib.loads(text, parse_float=str)
    except (RecursionError, ValueError, OSError) as error:
        raise DenseError("broken-toml", source=where, reason=str(error)) from error
    if table.get("format") != FORMAT:
        raise DenseError("exercise-format", source=where, typed=str(table.get("format")), known=FORMAT)
    _check_keys(table, known, where)
    return table


def _check_keys(table: Table, known: Iterable[str], where: str) -> None:
    for key in table:
        if key not in known:
            close = nearest(key, list(known)) or tuple(known)
            raise DenseError("exercise-key", source=where, typed=key, known=close)


def _text(table: Table, key: str, where: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise DenseError("exercise-text-missing", source=where, key=key)
    return value


def _texts(table: Table, key: str, where: str) -> list[str]:
    value = table.get(key)
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise DenseError("exercise-text-missing", source=where, key=key)
    return value


def _tables(table: Table, key: str, where: str) -> list[Table]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise DenseError("exercise-text-missing", source=where, key=key)
    return value


def _words(table: Table, key: str, where: str, needed: bool = True) -> dict[str, str]:
    """One text in several languages; English is what others fall back to."""
    value = table.get(key)
    if value is None and not needed:
        return {}
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise DenseError("exercise-words", source=where, key=key)
    if not value.get("en", "").strip():
        raise DenseError("exercise-words", source=where, key=key)
    return {code: text.strip() for code, text in value.items()}


def _plain(table: object, where: str) -> dict[str, str]:
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise DenseError("exercise-given", source=where)
    return dict(table)


def _name(name: str, where: str) -> str:
    """An id or a file's name: nothing that leads out of the folder or needs quotes in an answer sheet."""
    if not re.fullmatch("[A-Za-z0-9_-]+", name) or name.casefold() == "student":
        raise DenseError("exercise-name", source=where, typed=name)
    return name


def _one_name_twice(names: Iterable[str]) -> bool:
    folded = [name.casefold() for name in names]
    return len(set(folded)) < len(folded)
