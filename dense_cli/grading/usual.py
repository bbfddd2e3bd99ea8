"""Lines that hold a sheet each, and a short way for those whose answers came before.

A line is usual where a plain name comes first. What follows it is then compared as text with what followed
other names; only where it is new is the line read as JSON or as a row.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from dense_cli.errors import DenseError
from dense_cli.grading.documents import from_json
from dense_cli.grading.export.pieces import Parts
from dense_cli.grading.intake.columns import Columns
from dense_cli.grading.sheets import FieldNames, Sheet, sheet
from dense_cli.grading.tables import LARGEST_CELL, row_sheet

MOST_SHEETS = 4096
"""How many different sheets are kept at hand."""

LONGEST = 4000
"""Letters of a sheet that is worth keeping."""

_NAME = r"[A-Za-z0-9][A-Za-z0-9_.@-]{0,99}"
_OBJECT = re.compile(rf'\{{"student": ?"({_NAME})", ?(.*)\}}\r?', re.DOTALL)


class Unusual(Exception):
    """The file must be read whole: it is no table of which every row can stand alone."""


class Known:
    """What is written of sheets that came before, by the text behind the name."""

    def __init__(self) -> None:
        self._parts: dict[str, Parts] = {}
        self.last: str | None = None
        """What followed the name in the line that was read last, where it is usual and new."""

    def get(self, rest: str) -> Parts | None:
        found = self._parts.get(rest)
        if found is None:
            self.last = rest
        return found

    def keep(self, parts: Parts) -> None:
        """Remember what is written of the sheet that was read last."""
        rest = self.last
        if rest is None or len(rest) > LONGEST:
            return
        if len(self._parts) >= MOST_SHEETS:
            self._parts.clear()
        self._parts[rest] = parts


def json_lines(
    text: str, first: int, source: str, names: FieldNames, known: Known | None = None
) -> Iterator[Sheet | tuple[str, Parts]]:
    """Every line as a sheet, or as a name and what is written where that is known.

    Only a line feed ends a line: JSON text may hold the other separators that Python knows.
    """
    # Another entry might name the student where the call gives columns a meaning.
    usual = None if known is None or names.mapped else _OBJECT.fullmatch
    for number, line in enumerate(text.split("\n"), start=first):
        if usual is not None and known is not None:
            found = usual(line)
            known.last = None
            if found is not None:
                name, rest = found.groups()
                parts = known.get(rest)
                if parts is not None:
                    yield name, parts
                    continue
        if not line.strip():
            continue
        nobody = f"{source}:{number}"
        try:
            yield sheet(from_json(line, nobody), source, nobody, names, place=number)
        except DenseError as error:
            yield Sheet(nobody, source, error=error, place=number)


def table_rows(
    text: str,
    first: int,
    source: str,
    columns: Columns,
    separator: str,
    begins: bool,
    known: Known | None = None,
) -> Iterator[Sheet | tuple[str, Parts]]:
    """Every row that is not empty, likewise; what is to be told of the header comes with the first of all.

    Raises `Unusual` where a quote stays open.
    """
    csv.field_size_limit(LARGEST_CELL)
    usual = re.compile(rf"({_NAME}){re.escape(separator)}(.*)", re.DOTALL).fullmatch
    if columns.students[0] != (0,):
        known = None
    lines = _Lines(text, first)
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=separator != "\t", strict=True)
    warnings = columns.warnings if begins else ()
    try:
        for line in lines:
            if known is not None:
                known.last = None
                found = None if warnings else usual(line)
                if found is not None:
                    name, rest = found.groups()
                    parts = known.get(rest)
                    if parts is not None:
                        yield name, parts
                        continue
            lines.again(line)
            cells = next(rows)
            if known is not None and lines.number - lines.before > 1:
                known.last = None
            if any(cell.strip() for cell in cells):
                yield row_sheet(cells, columns, warnings, source, lines.number)
                warnings = ()
    except csv.Error as error:
        raise Unusual from error


class _Lines:
    """The lines of a table with their numbers; one can be put back."""

    def __init__(self, text: str, first: int) -> None:
        self._lines = iter(io.StringIO(text, newline=""))
        self._again: list[str] = []
        self.number = first - 1
        self.before = self.number

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._again.pop() if self._again else next(self._lines)
        self.number += 1
        return line

    def again(self, line: str) -> None:
        self._again.append(line)
        self.number -= 1
        self.before = self.number
