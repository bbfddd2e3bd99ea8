"""Marking a part of a class: lines in, the text of an export out. Pure, and nothing in it needs the rest.

So blocks can be marked in any order, in other processes or on other machines; put together in their own order
they are what one run over all the lines writes.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from functools import lru_cache

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass, field
from dense_cli.grading.classes.columns import Bench, Rows
from dense_cli.grading.classes.usual import MOST_SHAPES, Shape, Shapes, Usual, json_lines, table_rows
from dense_cli.grading.exercises.drawing import OWN
from dense_cli.grading.exercises.exercise import ExerciseSet
from dense_cli.grading.export import pieces
from dense_cli.grading.export.pieces import encoded
from dense_cli.grading.intake.layouts.columns import Columns
from dense_cli.grading.intake.sheets import FieldNames, Sheet
from dense_cli.grading.marks.marked import Marked, Standing
from dense_cli.grading.marks.marking import Rules
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.reports.tally import Tally, tally
from dense_cli.grading.variants.variant import Markers, marked_with, other_numbers
from dense_cli.reading.collecting import without_collecting


@dataclass(frozen=True, slots=True)
class Job:
    """What all blocks of a file share: the exercises, the rules, how to read the file, what to write.

    `to` is the format of the export, None where there is none. `columns` are those of a table, None for JSON
    Lines. `seed` is what `--variant` asks for. With `counted` the marks are counted too, and how each student
    stands is kept.
    """

    exercises: ExerciseSet
    rules: Rules
    language: str
    to: str | None
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

    `data` is its part of the export; `tally` and `standings` are there where the job counts. `students` are
    those who handed in, `absent` those whose sheet is empty. `unread`, `other` and `warnings` are to be told,
    in this order; `sheets` is how many were read.
    """

    data: bytes
    students: tuple[str, ...]
    absent: tuple[str, ...]
    sheets: int
    unread: tuple[DenseError, ...] = ()
    other: tuple[DenseError, ...] = ()
    warnings: tuple[DenseError, ...] = ()
    tally: Tally | None = None
    standings: tuple[Standing, ...] = ()


def mark_block(job: bytes, block: Block) -> Done:
    """Mark the sheets of a block. What is wrong with one of them stops no other.

    `job` is a packed `Job` of our own making. The same job and block give the same result anywhere.
    Raises DenseError where an exercise cannot be solved, `Unusual` where lines are no table.
    """
    with without_collecting():
        return _desk(job).marked(block)


def sheets_in(job: Job, block: Block) -> Iterator[Sheet]:
    """The sheets of a block, not marked."""
    return (one for one in _read(job, block, None) if isinstance(one, Sheet))


@lru_cache(maxsize=2)
def _desk(job: bytes) -> _Desk:
    return _Desk(pickle.loads(job))


def _read(job: Job, block: Block, shapes: Shapes | None) -> Iterator[Sheet | Usual]:
    if job.columns is None:
        return json_lines(block.text, block.first, job.source, job.names, shapes)
    usual = shapes is not None
    return table_rows(block.text, block.first, job.source, job.columns, job.separator, block.begins, usual)


class _Desk:
    """What stays at hand from block to block of one job. It makes marking faster and changes no result."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.markers = Markers(job.exercises, job.rules)
        self.pieces = None if job.to is None else pieces(job.to, Teller(job.exercises, job.language))
        self.shapes = Shapes()
        self._rows: dict[Shape, Rows] = {}

    def marked(self, block: Block) -> Done:
        texts: list[bytes] = []
        sheets = 0
        students: list[str] = []
        absent: list[str] = []
        unread: list[DenseError] = []
        other: list[DenseError] = []
        warnings: dict[int, DenseError] = {}
        marks: list[Marked] = []
        standings: list[Standing] = []
        for sheet in _read(self.job, block, self.shapes if self._takes_usual(block) else None):
            if not isinstance(sheet, Sheet):
                shape, lines = sheet
                rows = self._rows_of(shape)
                sheets += len(lines)
                students += [line[shape.student] for line in lines]
                if self.pieces is not None:
                    texts.append(rows.written(lines))
                if self.job.counted:
                    more_marks, more_standings = rows.counted(lines)
                    marks += more_marks
                    standings += more_standings
                continue
            if sheet.error is None:
                (students if sheet.submitted else absent).append(sheet.student)
            if sheet.place is not None and sheet.place in block.decided:
                fault = block.decided[sheet.place]
                if fault is None:
                    continue
                sheet = Sheet(sheet.student, sheet.source, {}, fault, sheet.warnings, sheet.place)
            marked = marked_with(self.markers, sheet, self.job.seed)
            sheets += 1
            if self.pieces is not None:
                texts.append(encoded(self.pieces.text(marked)))
            if marked.error is not None:
                unread.append(marked.error)
            other += other_numbers([sheet], self.job.seed, self.job.exercises.id)
            warnings |= {id(one): one for one in sheet.warnings}
            if self.job.counted:
                marks.append(marked)
                standings.append(marked.standing)
        return Done(
            b"".join(texts),
            tuple(students),
            tuple(absent),
            sheets,
            tuple(unread),
            tuple(other),
            tuple(warnings.values()),
            tally(marks, self.job.exercises) if self.job.counted else None,
            tuple(standings),
        )

    def _takes_usual(self, block: Block) -> bool:
        """Whoever is to be decided on, or asked numbers of their own, must be looked at alone."""
        return not block.decided and self.job.seed.casefold() != OWN

    def _rows_of(self, shape: Shape) -> Rows:
        if shape not in self._rows:
            if len(self._rows) >= MOST_SHAPES:
                self._rows.clear()
            job, marker = self.job, self.markers.of(self.job.seed)
            bench = Bench(marker, self.pieces, job.source, job.seed, job.counted)
            self._rows[shape] = Rows(shape, bench)
        return self._rows[shape]
