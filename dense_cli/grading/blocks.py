"""Marking a part of a class: lines in, the text of an export out. Pure, and nothing in it needs the rest.

So blocks can be marked in any order, in other processes or on other machines; put together in their own order
they are what one run over all the lines writes.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from dense_cli.errors import DenseError
from dense_cli.grading.exercise import ExerciseSet
from dense_cli.grading.export import pieces
from dense_cli.grading.export.pieces import Parts
from dense_cli.grading.intake.columns import Columns
from dense_cli.grading.marking import Rules
from dense_cli.grading.report import Marked
from dense_cli.grading.sheets import FieldNames, Sheet
from dense_cli.grading.tally import Tally, tally
from dense_cli.grading.telling import Teller
from dense_cli.grading.usual import Known, json_lines, table_rows
from dense_cli.grading.variants import OWN, Markers, marked_with, other_numbers


@dataclass(frozen=True, slots=True)
class Job:
    """What all blocks of a file share: the exercises, the rules, how to read the file, what to write.

    `columns` are those of a table, None for JSON Lines. `seed` is what `--variant` asks for. With `counted`
    the marks are counted too.
    """

    exercises: ExerciseSet
    rules: Rules
    language: str
    to: str
    source: str
    names: FieldNames
    layout: str | None = None
    columns: Columns | None = None
    separator: str = ","
    seed: str = ""
    counted: bool = False

    def packed(self) -> bytes:
        """The job to send along with each block."""
        return pickle.dumps(self)


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of a file; `first` is the number of the first. `begins`: these are a table's first rows.

    `decided` says of sheets, by their line, what is wrong with them, or None where they do not count.
    """

    text: str
    first: int = 1
    begins: bool = False
    decided: Mapping[int, DenseError | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Done:
    """A block marked.

    `data` is its part of the export. `students` are those who handed in, `absent` those whose sheet is
    empty. `unread`, `other` and `warnings` are to be told, in this order; `lines` is how many were read.
    """

    data: bytes
    students: tuple[str, ...]
    absent: tuple[str, ...]
    sheets: int
    unread: tuple[DenseError, ...] = ()
    other: tuple[DenseError, ...] = ()
    warnings: tuple[DenseError, ...] = ()
    tally: Tally | None = None


def mark_block(job: bytes, block: Block) -> Done:
    """Mark the sheets of a block. What is wrong with one of them stops no other.

    `job` is a packed `Job` of our own making. The same job and block give the same result anywhere.
    Raises DenseError where an exercise cannot be solved, `Unusual` where lines are no table.
    """
    return _desk(job).marked(block)


def sheets_in(job: Job, block: Block) -> Iterator[Sheet]:
    """The sheets of a block, not marked."""
    return (one for one in _read(job, block, None) if isinstance(one, Sheet))


@lru_cache(maxsize=2)
def _desk(job: bytes) -> _Desk:
    return _Desk(pickle.loads(job))


def _read(job: Job, block: Block, known: Known | None) -> Iterator[Sheet | tuple[str, Parts]]:
    if job.columns is None:
        return json_lines(block.text, block.first, job.source, job.names, known)
    columns = job.columns
    return table_rows(block.text, block.first, job.source, columns, job.separator, block.begins, known)


class _Desk:
    """What stays at hand from block to block of one job. It makes marking faster and changes no result."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.markers = Markers(job.exercises, job.rules)
        self.pieces = pieces(job.to, Teller(job.exercises, job.language))
        self.known = Known()

    def marked(self, block: Block) -> Done:
        texts: list[str] = []
        students: list[str] = []
        absent: list[str] = []
        unread: list[DenseError] = []
        other: list[DenseError] = []
        warnings: list[DenseError] = []
        marks: list[Marked] = []
        # Whoever is to be decided on, or counted, must be looked at.
        known = None if block.decided or self.job.counted else self.known
        for one in _read(self.job, block, known):
            if not isinstance(one, Sheet):
                name, parts = one
                students.append(name)
                texts.append(parts.with_name(name))
                continue
            sheet = one
            if sheet.error is None:
                (students if sheet.submitted else absent).append(sheet.student)
            if sheet.place is not None and sheet.place in block.decided:
                fault = block.decided[sheet.place]
                if fault is None:
                    continue
                sheet = Sheet(sheet.student, sheet.source, {}, fault, sheet.warnings, sheet.place)
            marked = marked_with(self.markers, sheet, self.job.seed)
            parts = self.pieces.of(marked)
            if known is not None and self._is_usual(sheet):
                known.keep(parts)
            texts.append(parts.with_name(self.pieces.spelled(marked.student)))
            if marked.error is not None:
                unread.append(marked.error)
            other += other_numbers([sheet], self.job.seed, self.job.exercises.id)
            warnings += sheet.warnings
            if self.job.counted:
                marks.append(marked)
        return Done(
            "".join(texts).encode("utf-8", errors="backslashreplace"),
            tuple(students),
            tuple(absent),
            len(texts),
            tuple(unread),
            tuple(other),
            tuple(warnings),
            tally(marks, self.job.exercises) if self.job.counted else None,
        )

    def _is_usual(self, sheet: Sheet) -> bool:
        """Whether another student's sheet with the same answers is marked the same and nothing is told."""
        own = self.job.seed.casefold() == OWN or bool(sheet.variant)
        return sheet.error is None and not sheet.warnings and not own
