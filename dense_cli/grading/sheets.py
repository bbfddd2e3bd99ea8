"""Answer sheets from files: one student's, a table of a class, lines of JSON, a folder of these.

A sheet that cannot be read carries its reason and never stops the others. Ids of students are text.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from dense_cli.errors import DenseError, nearest
from dense_cli.grading.exercise import ExerciseSet
from dense_cli.reading.documents import decoded

LARGEST_SHEET = 1 << 20
"""Bytes of one student's file; an answer sheet has a few hundred."""

LARGEST_TABLE = 1 << 28
"""Bytes of a table or of JSON Lines, a class of millions."""

LARGEST_CELL = 1 << 17
DEEPEST = 8
"""Levels of nesting that a sheet can have; an answer sheet has three."""

SHEETS, TABLES, LINES = (".toml", ".json"), (".csv", ".tsv"), (".jsonl",)
SUFFIXES = (*SHEETS, *TABLES, *LINES)
STUDENT_COLUMNS = ("student", "student id", "id", "学生", "学号")


@dataclass(frozen=True, slots=True)
class Sheet:
    """One student's answers by field key, or why there are none.

    `place` is the line in a table. `warnings` tell of what was left aside, such as an unknown field.
    """

    student: str
    source: str
    answers: Mapping[str, object] = field(default_factory=dict)
    error: DenseError | None = None
    warnings: tuple[DenseError, ...] = ()
    place: int | None = None


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The fields of a set by every way their names can be written."""

    known: Mapping[str, str]

    @classmethod
    def of(cls, exercises: ExerciseSet) -> FieldNames:
        return cls({one.key.casefold(): one.key for one in exercises.fields})

    def key(self, typed: str) -> str | None:
        """The field that `typed` names, without regard to case or blanks at its ends."""
        return self.known.get(typed.strip().casefold())

    def unknown(self, typed: str, source: str) -> DenseError:
        """The warning about a name that is none, with the nearest that are."""
        close = nearest(typed.strip(), list(self.known.values()), most=2)
        hint = "unknown-field" if close else "unknown-field-list"
        return DenseError("unknown-field", hint=hint, source=source, typed=typed, nearest=close)


def read_sources(
    sources: Iterable[str], exercises: ExerciseSet, stdin: bytes | None = None
) -> Iterator[Sheet]:
    """Every sheet in `sources`: files, folders, ``-`` for `stdin`.

    Raises DenseError only for a source that is not there or is of no known kind; what is wrong inside one
    becomes the error of a sheet.
    """
    names = FieldNames.of(exercises)
    for source in sources:
        if source == "-":
            yield from _read_stream(stdin or b"", names)
            continue
        path = Path(source)
        if path.is_dir():
            yield from _read_folder(path, names)
        elif not os.path.lexists(path):
            raise DenseError("no-such-file", source=source, typed=source)
        elif path.suffix.casefold() not in SUFFIXES:
            raise _wrong_kind(source)
        else:
            yield from _read_file(path, source, names)


def _wrong_kind(source: str) -> DenseError:
    suffix = Path(source).suffix.casefold()
    hint = {".yaml": "sheet-kind-yaml", ".yml": "sheet-kind-yaml", ".xlsx": "sheet-kind-xlsx"}.get(
        suffix, "sheet-kind"
    )
    return DenseError("sheet-kind", hint=hint, source=source, typed=suffix or source, known=SUFFIXES)


def _read_folder(folder: Path, names: FieldNames) -> Iterator[Sheet]:
    """The answer files of a folder in the order of their names; links lead outside and are refused."""
    files = [path for path in sorted(folder.iterdir()) if path.suffix.casefold() in SUFFIXES]
    if not files:
        raise DenseError("empty-folder", source=str(folder), known=SUFFIXES)
    for path in files:
        if path.is_symlink():
            yield Sheet(path.stem, str(path), error=DenseError("sheet-is-link", source=str(path)))
        else:
            yield from _read_file(path, str(path), names)


def _read_file(path: Path, source: str, names: FieldNames) -> Iterator[Sheet]:
    suffix = path.suffix.casefold()
    largest = LARGEST_SHEET if suffix in SHEETS else LARGEST_TABLE
    try:
        text = decoded(_bytes_of(path, source, largest), source)
        yield from _read_text(text, suffix, source, path.stem, names)
    except DenseError as error:
        yield Sheet(path.stem, source, error=error)


def _bytes_of(path: Path, source: str, largest: int) -> bytes:
    """The content of a regular file; a device or a pipe is refused without waiting for it."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        raise DenseError(
            "cannot-read", source=source, reason=error.strerror or type(error).__name__
        ) from error
    with open(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise DenseError("not-a-file", source=source)
        if status.st_size > largest:
            raise DenseError("file-too-large", source=source, most=largest)
        return file.read(largest + 1)


def _read_stream(content: bytes, names: FieldNames) -> Iterator[Sheet]:
    """Standard input: JSON, lines of JSON, a table or TOML, told apart by how it begins."""
    source = "-"
    try:
        text = decoded(content, source)
        head = text.lstrip()[:1]
        first_line = text.lstrip().partition("\n")[0]
        if head in ("{", "["):
            lines = [line for line in text.splitlines() if line.strip()]
            several = len(lines) > 1 and all(line.lstrip().startswith("{") for line in lines)
            suffix = ".jsonl" if several and first_line.rstrip().endswith("}") else ".json"
            if head == "[" and "=" in text and not text.rstrip().endswith("]"):
                suffix = ".toml"
        else:
            suffix = ".csv" if "=" not in first_line and "," in first_line else ".toml"
        yield from _read_text(text, suffix, source, source, names)
    except DenseError as error:
        yield Sheet(source, source, error=error)


def _read_text(text: str, suffix: str, source: str, stem: str, names: FieldNames) -> Iterator[Sheet]:
    if suffix in TABLES:
        yield from _table(text, "\t" if suffix == ".tsv" else ",", source, names)
    elif suffix in LINES:
        yield from _lines(text, source, names)
    else:
        document = from_toml(text, source) if suffix == ".toml" else from_json(text, source)
        for one in document if isinstance(document, list) else [document]:
            yield _sheet(one, source, stem, names)


def from_toml(text: str, source: str) -> object:
    """A TOML document with numbers as the text that was written."""
    import tomllib  # only where a sheet needs it

    try:
        # A float's digits are part of the answer; datetimes and booleans keep their types.
        return tomllib.loads(text, parse_float=str)  # type: ignore[arg-type]
    except tomllib.TOMLDecodeError as error:
        raise DenseError("broken-toml", source=source, reason=str(error)) from error
    except (RecursionError, ValueError) as error:
        raise DenseError("broken-toml", source=source, reason=type(error).__name__) from error


def from_json(text: str, source: str) -> object:
    """A JSON document with numbers as the text that was written; a key given twice is an error."""
    import json

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in pairs:
            if key in found:
                raise DenseError("duplicate-key", source=source, typed=key)
            found[key] = value
        return found

    try:
        return json.loads(text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        place = {"line": error.lineno, "column": error.colno}
        raise DenseError("broken-json", source=source, reason=error.msg, **place) from error
    except RecursionError as error:
        raise DenseError("nested-too-deep", source=source) from error


def _sheet(document: object, source: str, stem: str, names: FieldNames, place: int | None = None) -> Sheet:
    """One student's document: answers in a table for each exercise, or under flat keys."""
    if not isinstance(document, dict):
        return Sheet(stem, source, error=DenseError("sheet-no-table", source=source), place=place)
    student = document.get("student", stem)
    if isinstance(student, dict | list) or not str(student).strip():
        return Sheet(stem, source, error=DenseError("sheet-student", source=source), place=place)
    answers: dict[str, object] = {}
    warnings: list[DenseError] = []
    for typed, value in _flat(document):
        key = names.key(typed)
        if key is None:
            warnings.append(names.unknown(typed, source))
        elif key in answers:
            return Sheet(
                str(student),
                source,
                error=DenseError("duplicate-key", source=source, typed=typed),
                place=place,
            )
        else:
            answers[key] = value
    return Sheet(str(student).strip(), source, answers, warnings=tuple(warnings), place=place)


def _flat(document: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for name, value in document.items():
        if name == "student":
            continue
        if isinstance(value, dict) and "." not in name:
            yield from ((f"{name}.{inner}", answer) for inner, answer in value.items())
        else:
            yield name, value


def _lines(text: str, source: str, names: FieldNames) -> Iterator[Sheet]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            sheet = _sheet(from_json(line, source), source, f"{source}:{number}", names, place=number)
        except DenseError as error:
            sheet = Sheet(f"{source}:{number}", source, error=error.about(row=number), place=number)
        yield sheet


def _table(text: str, separator: str, source: str, names: FieldNames) -> Iterator[Sheet]:
    """One row a student. `strict` would refuse what spreadsheets write, so cells are taken as they come."""
    import csv
    import io

    csv.field_size_limit(LARGEST_CELL)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        header = next(rows, None)
        if header is None or not any(cell.strip() for cell in header):
            raise DenseError("table-empty", source=source)
        columns, warnings = _columns(header, source, names)
        for cells in rows:
            if any(cell.strip() for cell in cells):
                yield _table_row(cells, columns, warnings, source, rows.line_num)
                warnings = ()
    except csv.Error as error:
        raise DenseError("broken-table", source=source, row=rows.line_num, reason=str(error)) from error


def _columns(
    header: list[str], source: str, names: FieldNames
) -> tuple[list[str | None], tuple[DenseError, ...]]:
    """What each column holds: a field's key, "student", or nothing known."""
    columns: list[str | None] = []
    warnings: list[DenseError] = []
    for cell in header:
        folded = cell.strip().casefold()
        key = "student" if folded in STUDENT_COLUMNS else names.key(cell)
        if key is not None and key in columns:
            raise DenseError("duplicate-column", source=source, typed=cell)
        if key is None and folded:
            warnings.append(names.unknown(cell, source))
        columns.append(key)
    if "student" not in columns:
        raise DenseError("table-without-student", source=source, typed=", ".join(header))
    return columns, tuple(warnings)


def _table_row(
    cells: list[str], columns: list[str | None], warnings: tuple[DenseError, ...], source: str, line: int
) -> Sheet:
    answers = {key: cell for key, cell in zip(columns, cells, strict=False) if key and key != "student"}
    named = columns.index("student")
    student = cells[named].strip() if named < len(cells) else ""
    if not student:
        return Sheet(
            f"{source}:{line}",
            source,
            error=DenseError("row-without-student", source=source, row=line),
            place=line,
        )
    if len(cells) > len(columns) and any(cell.strip() for cell in cells[len(columns) :]):
        error = DenseError("row-too-long", source=source, row=line, cells=len(cells), columns=len(columns))
        return Sheet(student, source, error=error, place=line)
    return Sheet(student, source, answers, warnings=warnings, place=line)


def without_duplicates(sheets: Iterable[Sheet]) -> list[Sheet]:
    """The sheets, where one student's second sheet makes all of theirs an error: we never choose."""
    found = list(sheets)
    places: dict[str, list[str]] = {}
    for sheet in found:
        where = sheet.source if sheet.place is None else f"{sheet.source}:{sheet.place}"
        places.setdefault(sheet.student, []).append(where)
    return [_unless_repeated(sheet, places[sheet.student]) for sheet in found]


def _unless_repeated(sheet: Sheet, places: list[str]) -> Sheet:
    if len(places) == 1 or sheet.error is not None:
        return sheet
    rounded = (
        "E+" in sheet.student.upper() and sheet.student.upper().replace("E+", "").replace(".", "").isdigit()
    )
    key = "rounded-student" if rounded else "student-twice"
    error = DenseError(key, source=sheet.source, student=sheet.student, places=tuple(places))
    return replace(sheet, answers={}, error=error)
