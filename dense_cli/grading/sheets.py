"""One student's answer sheet: who it is, the answers by field, or why there are none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from dense_cli.errors import DenseError, nearest
from dense_cli.grading.documents import Digits
from dense_cli.grading.exercise import ExerciseSet

STUDENT = ("student", "student id", "id", "学生", "学号")
"""What the entry or column that names the student may be called; the first that is there counts."""

_ROUNDED = re.compile(r"[0-9](?:\.[0-9]+)?[eE]\+[0-9]+")
"""How a spreadsheet shows a long student number that it took for a number."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One student's answers by field key, or why there are none.

    `place` is the line in a table or in JSON Lines. `warnings` tell of what was left aside, such as an
    unknown field.
    """

    student: str
    source: str
    answers: Mapping[str, object] = field(default_factory=dict)
    error: DenseError | None = None
    warnings: tuple[DenseError, ...] = ()
    place: int | None = None


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The fields of a set by every way their names can be written."""

    known: Mapping[str, str]

    @classmethod
    def of(cls, exercises: ExerciseSet) -> FieldNames:
        return cls({one.key.casefold(): one.key for one in exercises.fields})

    def key(self, typed: str) -> str | None:
        """The field that `typed` names, without regard to case or blanks at its ends."""
        return self.known.get(typed.strip().casefold())

    def unknown(self, typed: str, source: str) -> DenseError:
        """The warning about a name that is none, with the nearest that are."""
        close = nearest(typed.strip(), list(self.known.values()), most=2)
        hint = "unknown-field" if close else "unknown-field-list"
        return DenseError("unknown-field", hint=hint, source=source, typed=typed, nearest=close)


def sheet(document: object, source: str, stem: str, names: FieldNames, place: int | None = None) -> Sheet:
    """One student's document: answers in a table for each exercise, or under flat keys as ``1.query``.

    A sheet without a name takes that of its file, `stem`.
    """
    where = source if place is None else f"{source}:{place}"
    if not isinstance(document, dict):
        return Sheet(stem, source, error=DenseError("sheet-no-table", source=where), place=place)
    named = student_entry(document)
    student = stem if named is None else _student(document[named])
    if student is None:
        return Sheet(stem, source, error=DenseError("sheet-student", source=where), place=place)
    student = student or stem
    answers: dict[str, object] = {}
    warnings: list[DenseError] = []
    for typed, value in _flat(document, named):
        key = names.key(typed)
        if key is None:
            warnings.append(names.unknown(typed, source))
        elif key in answers:
            twice = DenseError("duplicate-key", source=where, typed=typed)
            return Sheet(student, source, error=twice, place=place)
        else:
            answers[key] = value
    if not answers:
        warnings.append(DenseError("sheet-empty", source=where))
    return Sheet(student, source, answers, warnings=tuple(warnings), place=place)


def student_entry(names: Iterable[str]) -> str | None:
    """Which of these names stands for the student.

    >>> student_entry(["id", "1.query", "Student"])
    'Student'
    """
    found = {name.strip().casefold(): name for name in reversed(list(names))}
    return next((found[name] for name in STUDENT if name in found), None)


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


def without_duplicates(sheets: Iterable[Sheet]) -> list[Sheet]:
    """The sheets, where one student's second sheet makes all of theirs an error: we never choose."""
    found = list(sheets)
    places: dict[str, list[str]] = {}
    for one in found:
        if one.error is None:
            where = one.source if one.place is None else f"{one.source}:{one.place}"
            places.setdefault(one.student, []).append(where)
    return [_unless_repeated(one, places.get(one.student, [])) for one in found]


def _unless_repeated(one: Sheet, places: list[str]) -> Sheet:
    if len(places) < 2 or one.error is not None:
        return one
    key = "rounded-student" if _ROUNDED.fullmatch(one.student) else "student-twice"
    error = DenseError(key, source=one.source, student=one.student, places=tuple(places))
    return replace(one, answers={}, error=error)
