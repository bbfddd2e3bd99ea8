"""A class in a table: one row a student, one column a field."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from dense_cli.errors import DenseError
from dense_cli.grading.sheets import FieldNames, Sheet, student_entry

LARGEST_CELL = 1 << 17
SEPARATORS = ",;\t"

Columns = Sequence[str | None]
"""What each column holds: a field's key, `_STUDENT`, or nothing known."""

_STUDENT = "student"


def table(text: str, source: str, names: FieldNames) -> Iterator[Sheet]:
    """Every row as a sheet, in order.

    Raises DenseError for a header that cannot be read, and where a quote stays open: what follows it
    belongs to nobody then.
    """
    csv.field_size_limit(LARGEST_CELL)
    separator = separator_of(text.partition("\n")[0])
    lines = io.StringIO(text, newline="")
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=separator != "\t", strict=True)
    try:
        header = next(rows, None)
        if header is None or not any(cell.strip() for cell in header):
            raise DenseError("table-empty", source=source)
        columns, warnings = _columns(header, source, names)
        found = False
        for cells in rows:
            if any(cell.strip() for cell in cells):
                yield _sheet(cells, columns, warnings, source, rows.line_num)
                warnings, found = (), True
        if not found:
            raise DenseError("table-empty", source=source)
    except csv.Error as error:
        raise DenseError("broken-table", source=source, row=rows.line_num, reason=str(error)) from error


def separator_of(header: str) -> str:
    """What separates the columns: a comma, a semicolon, or a tab, whichever there are most of.

    >>> separator_of("student;1.query;1.key"), separator_of("student")
    (';', ',')
    """
    return max(SEPARATORS, key=header.count)


def _columns(header: list[str], source: str, names: FieldNames) -> tuple[Columns, tuple[DenseError, ...]]:
    columns: list[str | None] = []
    warnings: list[DenseError] = []
    student = student_entry(header)
    if student is None:
        raise DenseError("table-without-student", source=source, typed=", ".join(header))
    for cell in header:
        key = _STUDENT if cell.strip().casefold() == student.strip().casefold() else names.key(cell)
        if key is not None and key in columns:
            raise DenseError("duplicate-column", source=source, typed=cell)
        if key is None and cell.strip():
            warnings.append(names.unknown(cell, source))
        columns.append(key)
    return columns, tuple(warnings)


def _sheet(
    cells: list[str], columns: Columns, warnings: tuple[DenseError, ...], source: str, line: int
) -> Sheet:
    named = columns.index(_STUDENT)
    student = cells[named].strip() if named < len(cells) else ""
    if not student:
        nobody = DenseError("row-without-student", source=source, row=line)
        return Sheet(f"{source}:{line}", source, error=nobody, warnings=warnings, place=line)
    if any(cell.strip() for cell in cells[len(columns) :]):
        long = DenseError("row-too-long", source=source, row=line, cells=len(cells), columns=len(columns))
        return Sheet(student, source, error=long, warnings=warnings, place=line)
    answers = {key: cell for key, cell in zip(columns, cells, strict=False) if key and key != _STUDENT}
    return Sheet(student, source, answers, warnings=warnings, place=line)
