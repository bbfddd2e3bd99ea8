"""One student's answer sheet: who it is, the answers by field, or why there are none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass, field
from dense_cli.grading.documents import Digits
from dense_cli.grading.exercises.drawing import LONGEST_SEED, seed_of
from dense_cli.grading.exercises.exercise import ExerciseSet
from dense_cli.reading.headers import folded_header

STUDENT = ("student", "student id", "id", "学生", "学号")
"""What the entry or column that names the student may be called; the first that is there counts."""

VARIANT = "variant"
"""What the entry or column that says with which numbers the exercises were set is called."""

STUDENT_FIELD = "student"
"""What a column is given as its meaning where it names the student."""

LONGEST_QUESTION = 1000
"""Characters of a question in which the name of a field is looked for."""

_KEY = re.compile(r"[\w-]+\.[\w-]+")


@dataclass(frozen=True, slots=True)
class Sheet:
    """One student's answers by field key, or why there are none.

    `place` is the line in a table or in JSON Lines. `warnings` tell of what was left aside, such as an
    unknown field. `variant` is the seed of the numbers that the sheet answers, if it says one. Nothing was
    `submitted` where a student's folder is there and no sheet in it.
    """

    student: str
    source: str
    answers: Mapping[str, object] = field(default_factory=dict)
    error: DenseError | None = None
    warnings: tuple[DenseError, ...] = ()
    place: int | None = None
    variant: str = ""
    submitted: bool = True

    @property
    def where(self) -> str:
        """The file, and the line in it where it holds several sheets."""
        return self.source if self.place is None else f"{self.source}:{self.place}"


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The fields of a set by every way their names can be written."""

    known: Mapping[str, str]
    fields: tuple[str, ...] = ()
    mapped: Mapping[str, str] = field(default_factory=dict)
    """Columns that the call itself gives a meaning, as they were typed."""

    @classmethod
    def of(cls, exercises: ExerciseSet, mapped: Mapping[str, str] | None = None) -> FieldNames:
        """The names of a set; `mapped` gives further ones a field's key or `STUDENT_FIELD`."""
        mapped = mapped or {}
        keys = tuple(one.key for one in exercises.fields)
        known = {folded_header(key): key for key in keys}
        return cls(known | {folded_header(name): key for name, key in mapped.items()}, keys, mapped)

    def key(self, typed: str) -> str | None:
        """The field that `typed` names, without regard to case or blanks."""
        return self.known.get(typed) or self.known.get(folded_header(typed))

    def within(self, text: str) -> str | None:
        """The field that is named somewhere in a longer text, as in ``1.dot: the product``."""
        words = _KEY.findall(text[:LONGEST_QUESTION])
        return next((key for word in words if (key := self.key(word))), None)

    def unknown(self, typed: str, source: str) -> DenseError:
        """The warning about a name that is none, with the nearest that are."""
        close = _nearest(typed.strip(), tuple(self.known.values()))
        hint = "unknown-field" if close else "unknown-field-list"
        return DenseError("unknown-field", hint=hint, source=source, typed=typed, nearest=close)


@lru_cache(maxsize=256)
def _nearest(typed: str, known: tuple[str, ...]) -> tuple[str, ...]:
    """The nearest names; a class makes one slip of the pen again and again."""
    return nearest(typed, known, most=2)


def sheet(document: object, source: str, stem: str, names: FieldNames, place: int | None = None) -> Sheet:
    """One student's document: answers in a table for each exercise, or under flat keys as ``1.query``.

    A sheet without a name takes that of its file, `stem`.
    """
    where = source if place is None else f"{source}:{place}"
    if not isinstance(document, dict):
        return Sheet(stem, source, error=DenseError("sheet-no-table", source=where), place=place)
    named = student_entry(document, names)
    student = stem if named is None else _student(document[named])
    if student is None:
        return Sheet(stem, source, error=DenseError("sheet-student", source=where), place=place)
    student = student or stem
    answers: dict[str, object] = {}
    warnings: list[DenseError] = []
    variant = ""
    for typed, value in _flat(document, named):
        if typed.strip().casefold() == VARIANT:
            try:
                variant = variant_entry(value, where)
            except DenseError as error:
                return Sheet(student, source, error=error, place=place)
            continue
        key = names.key(typed)
        if key is None:
            warnings.append(names.unknown(typed, source))
        elif key == STUDENT_FIELD:
            continue
        elif key in answers:
            twice = DenseError("duplicate-key", source=where, typed=typed)
            return Sheet(student, source, error=twice, place=place)
        else:
            answers[key] = value
    if not answers:
        warnings.append(DenseError("sheet-empty", source=where))
    return Sheet(
        student,
        source,
        answers,
        warnings=tuple(warnings),
        place=place,
        variant=variant,
        submitted=bool(answers),
    )


def variant_entry(given: object, where: str) -> str:
    """The seed that a sheet names; empty where it names none. Raises DenseError for what can be none."""
    found = _student(given)
    if found is None:
        raise DenseError(
            "variant-seed", hint="variant-seed-sheet", source=where, typed=VARIANT, most=LONGEST_SEED
        )
    try:
        return seed_of(found) if found else ""
    except DenseError as error:
        raise error.about(source=where) from error


def student_entry(entries: Iterable[str], names: FieldNames | None = None) -> str | None:
    """Which of these names stands for the student: the one that the call gave this meaning, else a usual one.

    >>> student_entry(["id", "1.query", "Student"])
    'Student'
    """
    found = {folded_header(entry): entry for entry in reversed(list(entries))}
    mapped = (
        () if names is None else [folded_header(n) for n, key in names.mapped.items() if key == STUDENT_FIELD]
    )
    return next((found[name] for name in (*mapped, *STUDENT) if name in found), None)


def _student(given: object) -> str | None:
    """A student's name or number as text, empty where nothing was filled in; None for what is no text."""
    if given is None:
        return ""
    if isinstance(given, Digits | str) or (isinstance(given, int) and not isinstance(given, bool)):
        return str(given).strip()
    return None


def _flat(document: Mapping[str, object], named: str | None) -> Iterator[tuple[str, object]]:
    for name, value in document.items():
        if name == named:
            continue
        if isinstance(value, dict) and "." not in name:
            yield from ((f"{name}.{inner}", answer) for inner, answer in value.items())
        else:
            yield name, value
