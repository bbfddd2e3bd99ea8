"""Reads answers from files, as the command does, with the options that say how."""

from dense_cli.grading.intake.sheets import FieldNames
from dense_cli.grading.intake.sources import Reader, read_sources
from dense_cli.grading.intake.student_pattern import StudentPattern
from tests.grading.marked import SET

NAMES = FieldNames.of(SET)


def read(path, layout=None, mapped=None, pattern=None):
    names = FieldNames.of(SET, mapped)
    students = None if pattern is None else StudentPattern.of(pattern)
    return list(read_sources([str(path)], Reader(names, b"", None, layout, students)))


def table(folder, text, **options):
    path = folder / "a.csv"
    path.write_text(text)
    return read(path, **options)


def told(sheet):
    return sheet.student, dict(sheet.answers)
