"""What `check` reads: which columns hold what, whose a file is, who is in the class, which sheet counts."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from dense_cli.cli.check import Asked
from dense_cli.derivation import Note
from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass
from dense_cli.grading.exercises.exercise import ExerciseSet
from dense_cli.grading.intake.duplicates import Identity, best_of, rule_of, without_duplicates
from dense_cli.grading.intake.files import LARGEST_TABLE, check_encoding
from dense_cli.grading.intake.layouts import layout_of
from dense_cli.grading.intake.roster import Roster, roster_in
from dense_cli.grading.intake.sheets import STUDENT_FIELD, FieldNames, Sheet
from dense_cli.grading.intake.sources import STDIN, Reader, left_aside, read_sources
from dense_cli.grading.intake.student_pattern import StudentPattern
from dense_cli.grading.marks.marked import Marked

MOST_WARNINGS = 20
"""More lines on the screen help nobody; what was not read stands in the report as well."""

SCORE = "score"
"""What a column of the class list is given as its meaning where it takes the marks."""

MOST_COMPARED = 20
"""Students who are in no class list for whom the nearest name is looked for."""


@dataclass(frozen=True, slots=True)
class Intake:
    """The options that say how to read, as they were typed."""

    maps: Sequence[str] = ()
    layout: str | None = None
    student_from: str | None = None
    encoding: str | None = None
    roster: str | None = None
    duplicates: str | None = None


def intake_of(asked: Asked) -> Intake:
    """The options of a call that say how to read."""
    return Intake(asked.map_, asked.from_, asked.student_from, asked.encoding, asked.roster, asked.duplicates)


@dataclass(frozen=True, slots=True)
class Sheets:
    """The sheets to mark, and what to tell about them; `column` of the class list takes the marks."""

    sheets: tuple[Sheet, ...]
    warnings: tuple[DenseError, ...]
    roster: Roster | None
    column: str | None
    rule: str

    @property
    def identity(self) -> Identity:
        return str if self.roster is None else self.roster.identity

    def counting(self, marked: Sequence[Marked]) -> tuple[list[Marked], tuple[DenseError, ...]]:
        """The marked sheets that count, one a student, and a word on those that were set aside."""
        if self.rule != "best":
            return list(marked), ()
        return best_of(marked, [one.where for one in self.sheets], self.identity)


def sheets_of(sources: Sequence[str], exercises: ExerciseSet, asked: Intake) -> Sheets:
    """Every sheet in `sources`, by the rules of the call. Raises DenseError for options that are none."""
    check_encoding(asked.encoding)
    rule = rule_of(asked.duplicates)
    mapped, column = mapped_by(asked.maps, exercises)
    pattern = None if asked.student_from is None else StudentPattern.of(asked.student_from)
    layout = layout_of(asked.layout)
    members = None if asked.roster is None else roster_in(asked.roster, asked.encoding)
    stdin = sys.stdin.buffer.read(LARGEST_TABLE + 1) if STDIN in sources else b""
    reader = Reader(FieldNames.of(exercises, mapped), stdin, asked.encoding, layout, pattern)
    identity: Identity = str if members is None else members.identity
    kept = without_duplicates(read_sources(sources, reader), rule, identity)
    sheets, warnings = kept.sheets, (*left_aside(sources), *kept.warnings)
    if members is not None:
        warnings += _not_in(members, sheets)
        sheets += _missing(members, sheets)
    return Sheets(sheets, warnings, members, column, rule)


def mapped_by(maps: Sequence[str], exercises: ExerciseSet) -> tuple[dict[str, str], str | None]:
    """What `--map` says of columns of answers, and of the column for the marks."""
    names = FieldNames.of(exercises)
    mapped: dict[str, str] = {}
    column = None
    for typed in maps:
        name, _, meaning = (part.strip() for part in typed.rpartition("="))
        if not name or not meaning:
            raise DenseError("map-without-field", option="--map", typed=typed, field=names.fields[0])
        folded = meaning.casefold()
        key = folded if folded in (STUDENT_FIELD, SCORE) else names.key(meaning)
        if key is None:
            close = nearest(meaning, [*names.fields, STUDENT_FIELD, SCORE]) or names.fields
            raise DenseError("map-field", option="--map", typed=meaning, nearest=close)
        if key == SCORE:
            column = name
        elif mapped.setdefault(name, key) != key:
            raise DenseError("map-twice", option="--map", typed=name)
    return mapped, column


def _not_in(members: Roster, sheets: Sequence[Sheet]) -> tuple[DenseError, ...]:
    """A warning for everybody who has a sheet and is not in the class."""
    strangers = [one for one in sheets if one.error is None and members.member(one.student) is None]
    return tuple(
        members.unknown(one.student, one.where, compare=place < MOST_COMPARED)
        for place, one in enumerate(strangers)
    )


def _missing(members: Roster, sheets: Sequence[Sheet]) -> tuple[Sheet, ...]:
    """An empty sheet for everybody of the class who has none, not even one that could not be read."""
    return tuple(
        Sheet(
            student,
            members.source,
            warnings=(DenseError("no-submission", source=members.source, student=student),),
            submitted=False,
        )
        for student in members.missing(one.student for one in sheets)
    )


def first_of(warnings: Sequence[DenseError], different: int) -> tuple[Note | DenseError, ...]:
    """The first of these warnings, and how many more of so many there are."""
    more = different - MOST_WARNINGS
    told = tuple(warnings[:MOST_WARNINGS])
    return told if more <= 0 else (*told, Note("common.more-errors", {"count": more}))
