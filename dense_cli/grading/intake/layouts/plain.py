"""A table of our own: a column that names the student, and one for each field."""

from __future__ import annotations

from dense_cli.errors import DenseError, some
from dense_cli.grading.intake.layouts.columns import Columns, checked, unused
from dense_cli.grading.intake.sheets import STUDENT_FIELD, VARIANT, FieldNames, student_entry
from dense_cli.reading.headers import folded_header


def recognises(header: tuple[str, ...]) -> bool:
    return True


def columns(header: list[str], source: str, names: FieldNames) -> Columns:
    """Columns by the names of their fields; others are told."""
    student = student_entry(header, names)
    if student is None:
        raise DenseError("table-without-student", source=source, typed=some(header))
    students: list[tuple[int, ...]] = []
    fields: list[tuple[int, str]] = []
    warnings: list[DenseError] = []
    for place, cell in enumerate(header):
        folded = folded_header(cell)
        if folded == folded_header(student):
            if students:
                raise DenseError("duplicate-column", source=source, typed=cell)
            students.append((place,))
        elif folded == VARIANT:
            fields.append((place, VARIANT))
        elif (key := names.key(cell)) is not None and key != STUDENT_FIELD:
            fields.append((place, key))
        elif folded:
            warnings.append(names.unknown(cell, source))
    told = (*warnings, *unused(header, source, names))
    return checked(Columns(len(header), tuple(students), tuple(fields), told), header, source)
