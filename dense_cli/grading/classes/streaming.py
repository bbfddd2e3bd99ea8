"""A class of any size marked block by block: memory holds one block and eight bytes for each student.

The first pass marks and writes as if every student came once. Only where one may have come twice, a second
pass finds their sheets, the rule says which of them count, and a third pass writes anew.
"""

from __future__ import annotations

import csv
import errno
import io
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, TextIO

from dense_cli.errors import DenseError
from dense_cli.grading.classes.blocks import Block, Done, Job, mark_block, sheets_in
from dense_cli.grading.classes.usual import Unusual
from dense_cli.grading.export import pieces
from dense_cli.grading.intake.duplicates import without_duplicates
from dense_cli.grading.intake.files import LARGEST_SHEET
from dense_cli.grading.intake.layouts import columns_of
from dense_cli.grading.intake.tables import LARGEST_CELL, separator_of
from dense_cli.grading.marks.marked import Standing
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.reports.tally import Tally, Total

LETTERS = 1 << 16
"""Letters read at a time."""

MOST_TOLD = 20
"""Warnings of one sort that are kept; the others are only counted."""

NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
"""What only writing comes to: reading the file whole would need more room still."""

Decided = dict[int, DenseError | None]
Progress = Callable[[int, float], None]
"""Is told how many sheets are marked, and which share of the file is read."""

Marking = Callable[[bytes, Iterable[Block]], Iterator[Done]]
"""Marks blocks and gives the results in the order of the blocks."""


@dataclass
class Told:
    """Warnings in three sorts; of each the first few are kept and all different ones are counted."""

    unread: dict[str, DenseError] = field(default_factory=dict)
    other: dict[str, DenseError] = field(default_factory=dict)
    sheets: dict[str, DenseError] = field(default_factory=dict)
    _seen: set[int] = field(default_factory=set)

    def add(self, done: Done) -> None:
        for kept, found in (
            (self.unread, done.unread),
            (self.other, done.other),
            (self.sheets, done.warnings),
        ):
            for one in found:
                text = str(one)
                self._seen.add(hash(text))
                if len(kept) < MOST_TOLD:
                    kept.setdefault(text, one)

    def all(self, aside: Iterable[DenseError]) -> tuple[tuple[DenseError, ...], int]:
        """Those that are kept, in the order in which they are told, and how many different ones there are."""
        set_aside = {str(one): one for one in aside}
        kept = {**self.unread, **set_aside, **self.other, **self.sheets}
        return tuple(kept.values()), len(self._seen | set(map(hash, set_aside)))


@dataclass(frozen=True, slots=True)
class Streamed:
    """What came of a file: how many sheets, how many that were not read, what is to be told of them.

    `different` is how many different warnings there are, of which the first are kept. `tally` and `standings`
    are those of the class where the job counts.
    """

    sheets: int
    unread: int
    warnings: tuple[DenseError, ...]
    different: int
    tally: Tally | None = None
    standings: tuple[Standing, ...] = ()


def one_by_one(job: bytes, blocks: Iterable[Block]) -> Iterator[Done]:
    """Marking in this process."""
    return (mark_block(job, block) for block in blocks)


def stream(
    job: Job,
    path: Path,
    rule: str,
    out: BinaryIO,
    marking: Marking = one_by_one,
    progress: Progress = lambda sheets, share: None,
    letters: int = LETTERS,
) -> Streamed:
    """Mark the sheets in a file and write them to `out`, the same bytes as from marking all at once.

    Without a format nothing is written, and the class is only counted.

    Raises `Unusual`, with nothing of use in `out`, where the file must be read whole: bytes that are no
    UTF-8, a broken table, students with several sheets where the best counts. Raises OSError where there is
    no room in `out`.
    """
    try:
        file = _File(job, path, letters)
        students = _Students()
        found = _written(file, {}, (), out, marking, progress, students)
        decided, warnings = _decided(file, students.repeated(), rule)
        if decided:
            found = _written(file, decided, warnings, out, marking, progress, _Students())
    except (OSError, UnicodeError) as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise
        raise Unusual from error
    if file.job.columns is not None and not found.sheets:
        raise Unusual
    return found


def blocks_of(job: Job, path: Path, letters: int = LETTERS) -> tuple[Job, Iterator[Block]]:
    """The job with the columns of the file's table, and the file in blocks, for marking them elsewhere."""
    file = _File(job, path, letters)
    return file.job, (block for block, _ in file.blocks({}))


def _written(
    file: _File,
    decided: Decided,
    aside: tuple[DenseError, ...],
    out: BinaryIO,
    marking: Marking,
    progress: Progress,
    students: _Students,
) -> Streamed:
    out.seek(0)
    out.truncate()
    if file.job.to is not None:
        out.write(pieces(file.job.to, Teller(file.job.exercises, file.job.language)).header.encode())
    told, sheets, unread = Told(), 0, 0
    counted, standings = Total(), list[Standing]()
    shares: list[float] = []

    def blocks() -> Iterator[Block]:
        for block, share in file.blocks(decided):
            shares.append(share)
            yield block

    for number, done in enumerate(marking(file.job.packed(), blocks())):
        out.write(done.data)
        students.add(done.students)
        students.add(done.absent)
        told.add(done)
        sheets += done.sheets
        unread += len(done.unread)
        standings += done.standings
        if done.tally is not None:
            counted.add(done.tally)
        progress(sheets, shares[number])
    warnings, different = told.all(aside)
    return Streamed(sheets, unread, warnings, different, counted.sum(), tuple(standings))


def _decided(file: _File, repeated: set[int], rule: str) -> tuple[Decided, tuple[DenseError, ...]]:
    """What becomes of the sheets of students who may have several, by line, and what is told of it."""
    if not repeated:
        return {}, ()
    several = [
        replace(one, answers={})
        for block, _ in file.blocks({})
        for one in sheets_in(file.job, block)
        if one.error is None and hash(one.student) in repeated
    ]
    handed_in = [one.student for one in several if one.submitted]
    if rule == "best" and len(set(handed_in)) < len(handed_in):
        raise Unusual
    kept = without_duplicates(several, rule)
    left = {one.place: one.error for one in kept.sheets}
    decided = {
        one.place: left.get(one.place)
        for one in several
        if one.place is not None and (one.place not in left or left[one.place] is not None)
    }
    return decided, kept.warnings


class _Students:
    """Whether a name came twice, from a hash of each; in parts, so that looking takes little memory."""

    def __init__(self) -> None:
        self._parts = [array("q") for _ in range(256)]

    def add(self, names: Iterable[str]) -> None:
        parts = self._parts
        for number in map(hash, names):
            parts[number & 255].append(number)

    def repeated(self) -> set[int]:
        """The hashes that came more than once: of the same name, or by a rare chance of two."""
        some = [part for part in self._parts if len(set(part)) < len(part)]
        return {one for part in some for one, after in pairwise(sorted(part)) if one == after}


class _File:
    """A file of sheets that can be read in blocks of whole lines, again and again."""

    def __init__(self, job: Job, path: Path, letters: int) -> None:
        self.path, self.letters = path, letters
        self.size = path.stat().st_size or 1
        self.job, self._header = job, 0
        with self._opened() as file:
            if path.suffix.casefold() != ".jsonl":
                self._read_header(file)

    def _opened(self) -> TextIO:
        with open(self.path, "rb") as file:
            if file.read(2) in (b"\xff\xfe", b"\xfe\xff"):
                raise Unusual
        return open(self.path, encoding="utf-8-sig", newline="")

    def _read_header(self, file: TextIO) -> None:
        csv.field_size_limit(LARGEST_CELL)
        text, whole = "", False
        while not whole and (more := file.read(self.letters)):
            text += more
            if len(text) > LARGEST_SHEET:
                raise Unusual
            lines = io.StringIO(text, newline="")
            separator = separator_of(text)
            rows = csv.reader(lines, delimiter=separator, skipinitialspace=separator != "\t", strict=True)
            try:
                header = next(rows, [])
                whole = lines.tell() < len(text)  # the end of the text may not be that of the line
            except csv.Error:  # a quote that is open so far
                header = []
        if not text or not any(map(str.strip, header)):
            raise Unusual
        try:
            columns = columns_of(header, self.job.source, self.job.names, self.job.layout)
        except DenseError as error:  # reading it whole tells what is wrong
            raise Unusual from error
        self.job = replace(self.job, columns=columns, separator=separator)
        self._header = rows.line_num

    def blocks(self, decided: Decided) -> Iterator[tuple[Block, float]]:
        """The blocks, each with the share of the file that is read with it."""
        with self._opened() as file:
            for _ in range(self._header):
                file.readline()
            first, begins, rest = self._header + 1, True, ""
            while text := file.read(self.letters):
                whole, rest = self._cut(rest + text)
                if whole:
                    lines = _lines_in(whole, table=self.job.columns is not None)
                    yield _block(whole, first, lines, begins, decided), file.buffer.tell() / self.size
                    first, begins = first + lines, False
                elif len(rest) > LARGEST_SHEET:
                    raise Unusual
            if rest:
                lines = _lines_in(rest, table=self.job.columns is not None) + 1
                yield _block(rest, first, lines, begins, decided), 1.0

    def _cut(self, text: str) -> tuple[str, str]:
        """Whole lines, and what is left: in a table no quote may be open where it is cut."""
        end = text.rfind("\n") + 1
        if self.job.columns is not None:
            while end and text.count('"', 0, end) % 2:
                end = text.rfind("\n", 0, end - 1) + 1
        return text[:end], text[end:]


def _block(text: str, first: int, lines: int, begins: bool, decided: Decided) -> Block:
    own = {place: fault for place, fault in decided.items() if first <= place < first + lines}
    return Block(text, first, begins, own)


def _lines_in(text: str, table: bool) -> int:
    """Line feeds; in a table a carriage return alone ends a line too."""
    return text.count("\n") + (text.count("\r") - text.count("\r\n") if table else 0)
