"""Exercises as data: what is asked, what the right answer is computed from, and how it is marked.

An exercise is one TOML file that names calculations and mistakes of ours and holds no code. The format
is documented in ``exercises/README.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from dense_cli.errors import DenseError

FORMAT = 1
KINDS = ("vector", "number", "whole", "yes-no", "choice", "text")
NUMERIC = ("vector", "number", "whole")

PACKAGED = Path(__file__).parents[1] / "exercises"
"""Where a wheel carries the exercises."""

SOURCE_TREE = Path(__file__).parents[2] / "exercises"
"""Where they stand in a checkout and in an editable install."""

DEFAULT_SET = "chapter-25"
LARGEST_FILE = 1 << 20


@dataclass(frozen=True, slots=True)
class Follow:
    """An answer that follows from the student's own earlier ones, by a rule of ours."""

    rule: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that is asked.

    `answer` is written by hand, `quantity` of `calculation` is computed: two witnesses that `lint`
    compares. `decimals` is how many digits the question asks for, `options` the choices by id with the other
    words that mean them.
    """

    exercise: str
    name: str
    kind: str
    points: Fraction
    ask: Mapping[str, str]
    answer: str | None = None
    calculation: str | None = None
    quantity: str | None = None
    decimals: int | None = None
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    follows: Follow | None = None

    @property
    def key(self) -> str:
        """The name of the field in tables and flat sheets, as ``1.query``."""
        return f"{self.exercise}.{self.name}"


@dataclass(frozen=True, slots=True)
class OwnMistake:
    """A mistake of this exercise alone: the right calculation on other given numbers."""

    id: str
    given: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise with its fields in the order of the answer sheet."""

    id: str
    title: Mapping[str, str]
    text: Mapping[str, str]
    fields: tuple[Field, ...]
    given: Mapping[str, str] = field(default_factory=dict)
    calculation: str | None = None
    mistakes: tuple[OwnMistake, ...] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True)
class ExerciseSet:
    """A set of exercises, the unit that is handed out and marked."""

    id: str
    title: Mapping[str, str]
    exercises: tuple[Exercise, ...]

    @property
    def fields(self) -> tuple[Field, ...]:
        """Every field of the set, in order."""
        return tuple(one for exercise in self.exercises for one in exercise.fields)

    def exercise(self, name: str) -> Exercise:
        """The exercise with this id. Raises DenseError `unknown-exercise`."""
        wanted = name.strip().casefold().removeprefix(f"{self.id}.")
        for one in self.exercises:
            if one.id.casefold() == wanted:
                return one
        raise DenseError("unknown-exercise", typed=name, known=tuple(one.id for one in self.exercises))


def builtin_folder() -> Path:
    """The folder of our own sets: inside an installed package, or beside it in a checkout."""
    return PACKAGED if PACKAGED.is_dir() else SOURCE_TREE


def load_set(folder: Path | None = None) -> ExerciseSet:
    """The set in `folder`, or our own. Raises DenseError with the file and what is wrong in it."""
    folder = folder or builtin_folder() / DEFAULT_SET
    if not folder.is_dir():
        raise DenseError("no-exercise-folder", typed=str(folder))
    head = _table(folder / "set.toml")
    where = str(folder / "set.toml")
    _check_format(head, where)
    names = _texts(head, "exercises", where)
    exercises = tuple(_exercise(folder / f"{_file_name(name, where)}.toml") for name in names)
    if len({one.id for one in exercises}) != len(exercises) or not exercises:
        raise DenseError("exercise-ids", source=where)
    return ExerciseSet(_text(head, "id", where), _words(head, "title", where), exercises)


def _exercise(path: Path) -> Exercise:
    table, where = _table(path), path.name
    _check_format(table, where)
    _check_keys(table, _EXERCISE_KEYS, where)
    name = _text(table, "id", where)
    calculation = table.get("calculation")
    fields = tuple(_field(name, one, calculation, where) for one in _tables(table, "fields", where))
    if not fields or len({one.name.casefold() for one in fields}) != len(fields):
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
        calculation=calculation,
        mistakes=tuple(_own_mistake(one, where) for one in _tables(table, "mistakes", where)),
        remarks=_words(table, "remarks", where),
        source=where,
    )


_EXERCISE_KEYS = {
    "format", "id", "calculation", "title", "text", "given", "fields", "mistakes", "remarks",
}  # fmt: skip
_FIELD_KEYS = {
    "name", "kind", "points", "quantity", "calculation", "answer", "ask", "decimals", "options", "follows",
}  # fmt: skip


def _field(exercise: str, table: Mapping[str, Any], calculation: str | None, where: str) -> Field:
    _check_keys(table, _FIELD_KEYS, where)
    name, kind = _text(table, "name", where), _text(table, "kind", where)
    if kind not in KINDS:
        raise DenseError("exercise-kind", source=where, field=name, typed=kind, known=KINDS)
    follows = table.get("follows")
    return Field(
        exercise=exercise,
        name=name,
        kind=kind,
        points=_points(table.get("points"), name, where),
        ask=_words(table, "ask", where),
        answer=_text(table, "answer", where) if kind != "text" else None,
        calculation=table.get("calculation", calculation),
        quantity=table.get("quantity"),
        decimals=table.get("decimals"),
        options=_options(table, where) if kind == "choice" else {},
        follows=Follow(_text(follows, "rule", where), tuple(_texts(follows, "from", where)))
        if follows
        else None,
    )


def _own_mistake(table: Mapping[str, Any], where: str) -> OwnMistake:
    _check_keys(table, {"id", "given"}, where)
    return OwnMistake(_text(table, "id", where), _plain(table.get("given"), where))


def _points(value: object, name: str, where: str) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise DenseError("exercise-points", source=where, field=name, typed=str(value))
    try:
        points = Fraction(value)
    except (ValueError, ZeroDivisionError) as error:
        raise DenseError("exercise-points", source=where, field=name, typed=str(value)) from error
    if points < 0:
        raise DenseError("exercise-points", source=where, field=name, typed=str(value))
    return points


def _table(path: Path) -> dict[str, Any]:
    import tomllib  # only where exercises are read: it costs start-up time

    if not path.is_file():
        raise DenseError("exercise-file-missing", source=path.name)
    if path.stat().st_size > LARGEST_FILE:
        raise DenseError("file-too-large", source=path.name, most=LARGEST_FILE)
    try:
        # `ask.en` and points such as 0.1 keep the digits that were written.
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"), parse_float=str)  # type: ignore[arg-type]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise DenseError("broken-toml", source=path.name, reason=str(error)) from error


def _check_format(table: Mapping[str, Any], where: str) -> None:
    if table.get("format") != FORMAT:
        raise DenseError("exercise-format", source=where, typed=str(table.get("format")), known=FORMAT)


def _check_keys(table: Mapping[str, Any], known: set[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise DenseError("exercise-key", source=where, typed=key, known=tuple(sorted(known)))


def _text(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise DenseError("exercise-text-missing", source=where, key=key)
    return value


def _texts(table: Mapping[str, Any], key: str, where: str) -> list[str]:
    value = table.get(key)
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise DenseError("exercise-text-missing", source=where, key=key)
    return value


def _tables(table: Mapping[str, Any], key: str, where: str) -> list[Mapping[str, Any]]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise DenseError("exercise-text-missing", source=where, key=key)
    return value


def _words(table: Mapping[str, Any], key: str, where: str) -> dict[str, str]:
    """One text in several languages; English is what others fall back to."""
    value = table.get(key)
    if value is None and key == "remarks":
        return {}
    if (
        not isinstance(value, dict)
        or not all(isinstance(text, str) for text in value.values())
        or "en" not in value
    ):
        raise DenseError("exercise-words", source=where, key=key)
    return {code: text.strip() for code, text in value.items()}


def _options(table: Mapping[str, Any], where: str) -> dict[str, tuple[str, ...]]:
    """The choices by id, each with the other words that mean it."""
    options = table.get("options")
    if not isinstance(options, dict) or len(options) < 2:
        raise DenseError("exercise-text-missing", source=where, key="options")
    return {name: tuple(_texts(options, name, where)) for name in options}


def _plain(table: object, where: str) -> dict[str, str]:
    if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
        raise DenseError("exercise-given", source=where)
    return dict(table)


def _file_name(name: str, where: str) -> str:
    """A set names files beside it and nothing else."""
    if not name.replace("-", "").replace("_", "").isalnum():
        raise DenseError("exercise-file-name", source=where, typed=name)
    return name
