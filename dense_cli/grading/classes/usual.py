"""Lines that hold a sheet each, and a short way through those that look like one that came before.

A line is usual where it has the same keys, or columns, as one that was read in full and nothing was to be
said of, a plain name, and plain values. Its values are then taken as text, without reading the whole line.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.grading.documents import from_json, written
from dense_cli.grading.intake.layouts.columns import Columns
from dense_cli.grading.intake.sheets import VARIANT, FieldNames, Sheet, sheet, student_entry
from dense_cli.grading.intake.tables import LARGEST_CELL, row_sheet

if TYPE_CHECKING:
    from _csv import Reader

_NAME = r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,99}"
_IS_NAME = re.compile(_NAME).fullmatch
_KEY = re.compile(r"[^\"\\\x00-\x1f]*").fullmatch
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"
_VALUE = rf'("[^"\\\x00-\x1f]*"|{_NUMBER}|true|false|null|\[{_NUMBER}(?:, ?{_NUMBER})*\])'
"""A value of JSON beyond doubt: a text without escapes, a number, a word, or a list of numbers."""

MOST_SHAPES = 8
"""How many shapes of lines are looked for."""

MOST_MET = 4096
"""Shapes that came once, of which one that comes again is looked for."""

WORTH_IT = 256
"""Lines that the known shapes must have saved before another takes a place: to learn one costs as much."""

Match = Callable[[str, int], re.Match[str] | None]


class Unusual(Exception):
    """The file must be read whole: it is no table of which every row can stand alone."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Where in a usual line who and what stands.

    `fields` pairs a place with the field whose answer stands there; `read` makes the answer of its text,
    and `given` says of many how they are told to have been answered.
    """

    student: int
    fields: tuple[tuple[int, str], ...]
    read: Callable[[str], object]
    given: Callable[[Sequence[str]], Sequence[str]]


Usual = tuple[Shape, list[Sequence[str]]]
"""Usual lines of one shape that follow each other: of each, what stands at its places, as text."""


class Shapes:
    """The last few shapes that lines of JSON had, and what tells that another line has one of them too."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], tuple[Match, Shape]] = {}
        self._met: set[tuple[str, ...]] = set()
        self._saved = 0
        """Lines that had a known shape since the last one was learnt."""

    def match(self, text: str, begin: int) -> tuple[Usual, int] | None:
        """The usual lines of one shape that begin there, and where the first other one begins."""
        for match, shape in self._known.values():
            found = match(text, begin)
            if found is not None:
                lines: list[Sequence[str]] = []
                while found is not None:
                    lines.append(found.groups())
                    begin = found.end()
                    found = match(text, begin) if begin < len(text) else None
                self._saved += len(lines)
                return (shape, lines), begin
        return None

    def learn(self, document: object, found: Sheet, names: FieldNames) -> None:
        """From a line that was read in full; nothing where anything is to be said of it.

        Lines may all have different shapes: only one that comes again is worth it, and of many not each.
        """
        if found.error is not None or found.warnings or found.variant or not found.submitted:
            return
        assert isinstance(document, dict)
        named, keys = student_entry(document, names), tuple(document)
        if named is None or keys in self._known or not all(map(_KEY, keys)):
            return
        fields = tuple((place, names.key(key)) for place, key in enumerate(keys) if key != named)
        known = tuple((place, key) for place, key in fields if key is not None and key in names.fields)
        if len(known) < len(fields):
            return
        if not self._is_worth_it(keys):
            return
        if len(self._known) >= MOST_SHAPES:
            del self._known[next(iter(self._known))]
        entries = (rf'"{re.escape(key)}": ?' + (rf'"({_NAME})"' if key == named else _VALUE) for key in keys)
        match = re.compile(r"\{" + ", ?".join(entries) + r"\}\r?(?:\n|\Z)").match
        self._known[keys] = match, Shape(keys.index(named), known, _read, _given)

    def _is_worth_it(self, keys: tuple[str, ...]) -> bool:
        if keys not in self._met:
            if len(self._met) >= MOST_MET:
                self._met.clear()
            self._met.add(keys)
            return False
        if len(self._known) >= MOST_SHAPES and self._saved < WORTH_IT:
            return False
        self._saved = 0
        return True


def _read(text: str) -> object:
    return text[1:-1] if text.startswith('"') else from_json(text, "")


def _given(texts: Sequence[str]) -> Sequence[str]:
    return [text[1:-1] if text[0] == '"' else written(_read(text)) for text in texts]


def json_lines(
    text: str, first: int, source: str, names: FieldNames, shapes: Shapes | None = None
) -> Iterator[Sheet | Usual]:
    """Every line as a sheet, or as a usual one where `shapes` are to be looked for.

    Only a line feed ends a line: JSON text may hold the other separators that Python knows.
    """
    begin, number, end = 0, first, len(text)
    while begin < end:
        usual = None if shapes is None else shapes.match(text, begin)
        if usual is not None:
            (_, lines), begin = usual
            number += len(lines)
            yield usual[0]
            continue
        stop = text.find("\n", begin)
        stop = end if stop < 0 else stop
        line, place = text[begin:stop], number
        begin, number = stop + 1, number + 1
        if not line.strip():
            continue
        nobody = f"{source}:{place}"
        try:
            document = from_json(line, nobody)
            one = sheet(document, source, nobody, names, place=place)
        except DenseError as error:
            yield Sheet(nobody, source, error=error, place=place)
            continue
        if shapes is not None:
            shapes.learn(document, one, names)
        yield one


def table_rows(
    text: str,
    first: int,
    source: str,
    columns: Columns,
    separator: str,
    begins: bool,
    usual: bool = False,
) -> Iterator[Sheet | Usual]:
    """Every row that is not empty, likewise; the first is a sheet where there is to tell of the header.

    Raises `Unusual` where a quote stays open.
    """
    told = not (begins and columns.warnings)
    shape = _shape_of(columns) if usual else None
    alike: list[Sequence[str]] = []
    try:
        if shape is not None and told:
            alike = [*_rows_in(text, separator)]
            if _are_usual(alike, columns.width, shape.student):
                yield shape, alike
                return
            alike = []
        rows = _rows_in(text, separator)
        for cells in rows:
            if shape is not None and told and len(cells) == columns.width and _IS_NAME(cells[shape.student]):
                alike.append(cells)
                continue
            if shape is not None and alike:
                yield shape, alike
                alike = []
            if any(map(str.strip, cells)):
                yield row_sheet(cells, columns, source, first - 1 + rows.line_num)
                told = True
        if shape is not None and alike:
            yield shape, alike
    except csv.Error as error:
        raise Unusual from error


def _rows_in(text: str, separator: str) -> Reader:
    csv.field_size_limit(LARGEST_CELL)
    lines = io.StringIO(text, newline="")
    return csv.reader(lines, delimiter=separator, skipinitialspace=separator != "\t", strict=True)


def _are_usual(rows: Sequence[Sequence[str]], width: int, student: int) -> bool:
    """Whether all rows of a block are usual, as nearly every block's are."""
    return {*map(len, rows)} == {width} and all(map(_IS_NAME, map(itemgetter(student), rows)))


def _shape_of(columns: Columns) -> Shape | None:
    """The shape of a table's rows, where one cell of each says who it is of and none with which numbers."""
    students = columns.students[0]
    if not columns.fields or len(students) > 1 or any(key == VARIANT for _, key in columns.fields):
        return None
    read = columns.answer
    if read is None:
        return Shape(students[0], columns.fields, str, tuple)
    return Shape(students[0], columns.fields, read, lambda texts: [read(text) for text in texts])
