"""A person's marks for open answers, from a table or a JSON list, put beside the machine's.

Each entry names a `student`, a `field` (as ``6.test``; or `exercise` and `field` apart, as the table of
results has them), the `points`, and may have a `comment`. An entry without points is not scored yet.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import PurePath

from dense_cli.derivation import Note, Prose
from dense_cli.errors import DenseError, DenseErrors, nearest, some
from dense_cli.frozen import dataclass, replace
from dense_cli.grading.documents import from_json
from dense_cli.grading.exercises.exercise import ExerciseSet, Field
from dense_cli.grading.intake.sheets import FieldNames, student_entry
from dense_cli.grading.intake.tables import LARGEST_CELL, separator_of
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import REVIEW
from dense_cli.reading.answers import read_number
from dense_cli.reading.documents import decoded
from dense_cli.reading.files import opened

LARGEST_SCORES = 1 << 26
"""Bytes; a line has a few dozen, a comment some hundred."""

MOST_COMPARED = 2000
"""Students up to whom the nearest names to an unknown one are looked for."""

MOST_LOOKED_FOR = 20
"""Unknown students for whom that is done: more lines are not told."""

KINDS = (".csv", ".tsv", ".json")
Entry = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Score:
    """What a person gave for one open answer."""

    student: str
    field: Field
    points: Fraction
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Scores:
    """All that a file gives, by student and field key, and what of it was left aside."""

    given: Mapping[tuple[str, str], Score]
    warnings: tuple[DenseError, ...] = ()
    source: str = ""


def scores(path: str, exercises: ExerciseSet, encoding: str | None = None) -> Scores:
    """The scores in a file.

    Unknown fields become warnings. Raises DenseError for a file that cannot be read, and for each entry that
    names no student, whose points are no number or not within 0 and what the field is worth, or that comes
    twice: nothing is chosen between two scores.
    """
    suffix = PurePath(path).suffix.casefold()
    if suffix not in KINDS:
        raise DenseError("scores-kind", source=path, typed=suffix or path, known=KINDS)
    with opened(path, path, LARGEST_SCORES) as file:
        text = decoded(file.read(LARGEST_SCORES), path, encoding)
    rows = _listed(text, path) if suffix == ".json" else _table(text, path)
    reading = _Reading(path, FieldNames.of(exercises), {one.key: one for one in exercises.fields})
    found: dict[tuple[str, str], Score] = {}
    faults: list[DenseError] = []
    warnings: list[DenseError] = []
    for place, entry in rows:
        try:
            score = reading.score(entry, f"{path}:{place}")
        except DenseError as error:
            (warnings if error.key == "unknown-field" else faults).append(error)
            continue
        if score is None:
            continue
        key = score.student, score.field.key
        if key in found:
            faults.append(DenseError("score-twice", source=f"{path}:{place}", student=key[0], field=key[1]))
        found[key] = score
    if faults:
        raise DenseErrors(faults) if len(faults) > 1 else faults[0]
    return Scores(found, tuple(warnings), path)


def _table(text: str, path: str) -> Iterator[tuple[int, Entry]]:
    """Every row with its line, by the names of its columns."""
    csv.field_size_limit(LARGEST_CELL)
    separator = separator_of(text)
    lines = io.StringIO(text, newline="")
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=separator != "\t", strict=True)
    try:
        header = [cell.strip().casefold() for cell in next(rows, [])]
        missing = [name for name in ("field", "points") if name not in header]
        if student_entry(header) is None or missing:
            raise DenseError("scores-columns", source=path, typed=some(header))
        for cells in rows:
            if any(cell.strip() for cell in cells):
                yield rows.line_num, dict(zip(header, cells, strict=False))
    except csv.Error as error:
        raise DenseError("broken-table", source=path, row=rows.line_num, reason=str(error)) from error


def _listed(text: str, path: str) -> Iterator[tuple[int, Entry]]:
    """Every object of a JSON list with its number; numbers come as their own text."""
    document = from_json(text, path)
    if not isinstance(document, list):
        raise DenseError("scores-list", source=path)
    for place, entry in enumerate(document, 1):
        if not isinstance(entry, dict) or not all(isinstance(v, str | None) for v in entry.values()):
            raise DenseError("scores-list", source=f"{path}:{place}")
        yield place, {name.strip().casefold(): value or "" for name, value in entry.items()}


@dataclass(frozen=True, slots=True)
class _Reading:
    source: str
    names: FieldNames
    fields: Mapping[str, Field]

    def score(self, entry: Entry, where: str) -> Score | None:
        """One entry as a score; None where it has no points yet."""
        typed = entry.get("points", "")
        try:
            read = read_number(typed)
        except DenseError as error:
            raise DenseError("score-points", source=where, typed=typed) from error
        if read is None:
            return None
        student = entry.get(student_entry(entry) or "", "").strip()
        if not student:
            raise DenseError("score-student-missing", source=where)
        field = self.field(entry)
        points = read.value
        if not isinstance(points, Fraction):
            raise DenseError("score-points", source=where, typed=typed)
        if not 0 <= points <= field.points:
            raise DenseError("score-range", source=where, typed=typed, field=field.key, most=field.points)
        return Score(student, field, points, entry.get("comment", "").strip())

    def field(self, entry: Entry) -> Field:
        """The field meant by ``6.test``, or by ``6`` and ``test`` apart."""
        typed = entry.get("field", "").strip()
        exercise = entry.get("exercise", "").strip()
        key = self.names.key(f"{exercise}.{typed}" if exercise else typed) or self.names.key(typed)
        if key is None:
            raise self.names.unknown(f"{exercise}.{typed}" if exercise else typed, self.source)
        return self.fields[key]


def scored(marked: Iterable[Marked], found: Scores) -> tuple[list[Marked], tuple[DenseError, ...]]:
    """The sheets with a person's points in them, and warnings for scores that no open answer takes.

    An open answer keeps its verdict, `review`, but its points count and it no longer waits.
    """
    taken: set[tuple[str, str]] = set()
    sheets = [_scored(one, found, taken) for one in marked]
    students = {one.student for one in sheets if one.error is None}
    known = sorted(students) if len(students) <= MOST_COMPARED else ()
    left = [score for key, score in found.given.items() if key not in taken]
    strangers = islice((score.student for score in left if score.student not in students), MOST_LOOKED_FOR)
    looked_for = frozenset(strangers)
    told = (
        DenseError("score-not-open", source=found.source, student=score.student, field=score.field.key)
        if score.student in students
        else _unknown(score, known if score.student in looked_for else (), found.source)
        for score in left
    )
    return sheets, (*found.warnings, *told)


def _scored(one: Marked, found: Scores, taken: set[tuple[str, str]]) -> Marked:
    marks = list(one.marks)
    for place, mark in enumerate(marks):
        key = one.student, mark.field.key
        if mark.verdict == REVIEW and key in found.given:
            score = found.given[key]
            taken.add(key)
            note = Note("check.comment", {"comment": Prose(score.comment)}) if score.comment else None
            marks[place] = replace(mark, points=score.points, reviewed=True, message=note)
    return replace(one, marks=tuple(marks))


def _unknown(score: Score, known: Sequence[str], source: str) -> DenseError:
    close = nearest(score.student, known)
    hint = "score-student" if close else "score-student-list"
    return DenseError("score-student", hint=hint, source=source, student=score.student, nearest=close)
