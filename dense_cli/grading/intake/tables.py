"""A class in a table: one row a student, one column a field."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from dense_cli.errors import DenseError
from dense_cli.grading.intake.files import LARGEST_TABLE
from dense_cli.grading.intake.layouts import columns_of
from dense_cli.grading.intake.layouts.columns import Columns
from dense_cli.grading.intake.sheets import VARIANT, FieldNames, Sheet, variant_entry

SEPARATORS = ",;\t"

LARGEST_CELL = LARGEST_TABLE
"""Characters: one student's endless answer must not make the whole class unreadable."""

SEPARATOR_LINE = ["sep="]
"""How the first line begins in which a spreadsheet program is told the separator, as ``sep=;``."""

_QUOTED = re.compile(r'"[^"]*(?:"|\Z)')
_FIRST_LINE = re.compile(r'(?:"[^"]*(?:"|\Z)|[^"\r\n])*')
"""Up to the first line break outside quotes, whichever of the three kinds of breaks it is."""


def table(text: str, source: str, names: FieldNames, layout: str | None = None) -> Iterator[Sheet]:
    """Every row as a sheet, in order; `layout` says whose table it is, else its header does.

    Raises DenseError for a header that cannot be read, and where a quote stays open: what follows it
    belongs to nobody then.
    """
    rows = cells_of(text, source)
    _, header = next(rows, (0, []))
    if not any(cell.strip() for cell in header):
        raise DenseError("table-empty", source=source)
    columns = columns_of(header, source, names, layout)
    found = False
    for line, cells in rows:
        if any(cell.strip() for cell in cells):
            yield row_sheet(cells, columns, source, line)
            found = True
    if not found:
        raise DenseError("table-empty", source=source)


def cells_of(text: str, source: str, as_it_stands: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Every row with the number of its last line. Raises DenseError for a table that is none.

    Blanks behind a separator are left out, unless the cells are wanted `as_it_stands`.
    """
    csv.field_size_limit(LARGEST_CELL)
    separator = separator_of(text)
    trimmed = separator != "\t" and not as_it_stands
    lines = io.StringIO(text, newline="")
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=trimmed, strict=True)
    try:
        for cells in rows:
            if rows.line_num > 1 or cells[:1] != SEPARATOR_LINE:
                yield rows.line_num, cells
    except csv.Error as error:
        raise DenseError("broken-table", source=source, row=rows.line_num, reason=str(error)) from error


def separator_of(text: str) -> str:
    """What separates the columns: a comma, a semicolon, or a tab, whichever the header has most of.

    What stands in quotes does not count.

    >>> separator_of("student;1.query;1.key"), separator_of('student,"a; b; c"\\na;b;c')
    (';', ',')
    """
    return max(SEPARATORS, key=unquoted_header(text).count)


def unquoted_header(text: str) -> str:
    """The first line without what stands in quotes, where a line may also end."""
    header = _FIRST_LINE.match(text)
    assert header
    return _QUOTED.sub("", header[0])


def row_sheet(cells: list[str], columns: Columns, source: str, line: int) -> Sheet:
    """One row as a sheet; `line` is the number of its last line.

    What is to be told of the header comes with every one: any of them may be set aside.
    """
    student, warnings = columns.student(cells), columns.warnings
    if not student:
        nobody = DenseError("row-without-student", source=source, row=line)
        return Sheet(f"{source}:{line}", source, error=nobody, warnings=warnings, place=line)
    if any(cell.strip() for cell in cells[columns.width :]):
        long = DenseError("row-too-long", source=source, row=line, cells=len(cells), columns=columns.width)
        return Sheet(student, source, error=long, warnings=warnings, place=line)
    there = len(cells)
    found = {key: cells[place] for place, key in columns.fields if place < there}
    if columns.answer is not None:
        found = {key: columns.answer(cell) for key, cell in found.items()}
    try:
        variant = variant_entry(found.pop(VARIANT, None), source)
    except DenseError as error:
        return Sheet(student, source, error=error, warnings=warnings, place=line)
    return Sheet(student, source, found, warnings=warnings, place=line, variant=variant)
