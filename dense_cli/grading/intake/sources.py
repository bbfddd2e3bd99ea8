"""Where answer sheets come from: files, tables, folders, standard input.

A sheet that cannot be read carries its reason and never stops the others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.grading.documents import from_json, from_toml
from dense_cli.grading.intake.files import LARGEST_SHEET, LARGEST_TABLE, content, entries, letters
from dense_cli.grading.intake.folders import SHEETS, by_pattern, folder_sheets
from dense_cli.grading.intake.sheets import FieldNames, Sheet, sheet
from dense_cli.grading.intake.student_pattern import StudentPattern
from dense_cli.grading.intake.tables import separator_of, table, unquoted_header

TABLES, LINES = (".csv", ".tsv"), (".jsonl",)
SUFFIXES = (*SHEETS, *TABLES, *LINES)
STDIN = "-"

_KIND_HINTS = {
    ".yaml": "sheet-kind-yaml",
    ".yml": "sheet-kind-yaml",
    ".xlsx": "sheet-kind-xlsx",
    ".xls": "sheet-kind-xlsx",
}

_TOML_TABLE = re.compile(r"""\[\[?[\w."'\- ]+\]\]?\s*(#.*)?""")
"""A line that opens a table in TOML."""


_BREAK = re.compile("[\r\n]")


@dataclass(frozen=True, slots=True)
class Reader:
    """What reading a source needs beside it: the fields of the set, standard input, how bytes are letters.

    `layout` says which system wrote the files, if the call does; `student_from` whose a file is.
    """

    names: FieldNames
    stdin: bytes = b""
    encoding: str | None = None
    layout: str | None = None
    student_from: StudentPattern | None = None


def read_sources(sources: Sequence[str], reader: Reader) -> Iterator[Sheet]:
    """Every sheet in `sources`: files, folders, ``-`` for standard input.

    What is wrong with one becomes the error of a sheet. Only where the sole source is not there, or is of no
    known kind, DenseError is raised: then there is nothing to mark.
    """
    for source in sources:
        try:
            yield from _read_source(source, reader)
        except DenseError as error:
            if len(sources) == 1:
                raise
            yield Sheet(Path(source).stem, source, error=error)


def left_aside(sources: Sequence[str]) -> tuple[DenseError, ...]:
    """What stands in the folders of `sources` and is of no kind that holds answers: it may be an answer."""
    return tuple(
        _wrong_kind(str(path))
        for folder in map(Path, sources)
        if folder.is_dir()
        for path in entries(folder)
        if path.suffix.casefold() not in SUFFIXES and not path.is_dir()
    )


def _read_source(source: str, reader: Reader) -> Iterator[Sheet]:
    if source == STDIN:
        return _read_stream(reader)
    path = Path(source)
    if _is_folder(path):
        return _read_folder(path, reader)
    if not os.path.lexists(source):
        raise DenseError("no-such-file", source=source, typed=source)
    if path.suffix.casefold() not in SUFFIXES:
        raise _wrong_kind(source)
    sheets = _read_file(path, reader)
    if reader.student_from is None or path.suffix.casefold() not in SHEETS:
        return sheets
    return (by_pattern(one, path, path.parent, reader.student_from) for one in sheets)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError) as error:  # a name that is too long, or holds a null character
        raise DenseError("no-such-file", source=str(path), typed=str(path)) from error


def _wrong_kind(source: str) -> DenseError:
    suffix = Path(source).suffix.casefold()
    hint = _KIND_HINTS.get(suffix, "sheet-kind")
    return DenseError("sheet-kind", hint=hint, source=source, typed=suffix or source, known=SUFFIXES)


def _read_folder(folder: Path, reader: Reader) -> Iterator[Sheet]:
    """The answer files of a folder; links may lead outside and are refused."""
    gradescope = None if reader.layout is None else reader.layout == "gradescope"
    return folder_sheets(
        folder, SUFFIXES, lambda path: _read_file(path, reader, follow=False), reader.student_from, gradescope
    )


def _read_file(path: Path, reader: Reader, follow: bool = True) -> Iterator[Sheet]:
    suffix, source = path.suffix.casefold(), str(path)
    largest = LARGEST_SHEET if suffix in SHEETS else LARGEST_TABLE
    try:
        text = letters(content(path, largest, follow), source, reader.encoding)
        yield from _read_text(text, suffix, source, path.stem, reader)
    except DenseError as error:
        yield Sheet(path.stem, source, error=error)


def _read_stream(reader: Reader) -> Iterator[Sheet]:
    try:
        if len(reader.stdin) > LARGEST_TABLE:
            raise DenseError("sheet-too-large", source=STDIN, most=LARGEST_TABLE)
        text = letters(reader.stdin, STDIN, reader.encoding)
        yield from _read_text(text, kind_of(text), STDIN, STDIN, reader)
    except DenseError as error:
        yield Sheet(STDIN, STDIN, error=error)


def kind_of(text: str) -> str:
    """The suffix that a file of this content would have, told by how it begins.

    >>> kind_of('{"student": "s01"}\\n{"student": "s02"}'), kind_of('"x = 1?",1.query')
    ('.jsonl', '.csv')
    """
    lines = [line for line in map(str.strip, _BREAK.split(text)) if line and not line.startswith("#")]
    first = lines[0] if lines else ""
    if first.startswith("{"):
        return ".jsonl" if len(lines) > 1 and first.endswith("}") else ".json"
    if first.startswith("["):
        return ".toml" if len(lines) > 1 and _TOML_TABLE.fullmatch(first) else ".json"
    header = unquoted_header(text[text.index(first) :])
    return ".csv" if "=" not in header and separator_of(header) in header else ".toml"


def _read_text(text: str, suffix: str, source: str, stem: str, reader: Reader) -> Iterator[Sheet]:
    names = reader.names
    if suffix in TABLES:
        return table(text, source, names, reader.layout)
    if suffix in LINES:
        return _lines(text, source, names)
    if not text.strip():
        return iter((sheet({}, source, stem, names),))
    document = from_toml(text, source) if suffix == ".toml" else from_json(text, source)
    if not isinstance(document, list):
        return iter((sheet(document, source, stem, names),))
    return (sheet(one, source, f"{stem}:{place}", names, place) for place, one in enumerate(document, 1))


def _lines(text: str, source: str, names: FieldNames) -> Iterator[Sheet]:
    """JSON Lines. Only a line feed ends a line: JSON text may hold the other separators that Python knows."""
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        nobody = f"{source}:{number}"
        try:
            yield sheet(from_json(line, nobody), source, nobody, names, place=number)
        except DenseError as error:
            yield Sheet(nobody, source, error=error, place=number)
