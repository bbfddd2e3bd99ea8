"""Where answer sheets come from: files, tables, folders, standard input.

A sheet that cannot be read carries its reason and never stops the others.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from dense_cli.errors import DenseError
from dense_cli.grading.documents import from_json, from_toml
from dense_cli.grading.sheets import FieldNames, Sheet, sheet
from dense_cli.grading.tables import separator_of, table
from dense_cli.reading.documents import decoded

LARGEST_SHEET = 1 << 20
"""Bytes of one student's file; an answer sheet has a few hundred."""

LARGEST_TABLE = 1 << 28
"""Bytes of a table or of JSON Lines, a class of millions."""

SHEETS, TABLES, LINES = (".toml", ".json"), (".csv", ".tsv"), (".jsonl",)
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


@dataclass(frozen=True, slots=True)
class Reader:
    """What reading a source needs beside it: the fields of the set, standard input, how bytes are letters."""

    names: FieldNames
    stdin: bytes = b""
    encoding: str | None = None


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
        for path in _entries(folder)
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
    return _read_file(path, reader)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError) as error:  # a name that is too long, or holds a null character
        raise DenseError("no-such-file", source=str(path), typed=str(path)) from error


def _wrong_kind(source: str) -> DenseError:
    suffix = Path(source).suffix.casefold()
    hint = _KIND_HINTS.get(suffix, "sheet-kind")
    return DenseError("sheet-kind", hint=hint, source=source, typed=suffix or source, known=SUFFIXES)


def _entries(folder: Path) -> list[Path]:
    """What a folder holds in the order of names, without hidden files."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise _unreadable(str(folder), error) from error


def _read_folder(folder: Path, reader: Reader) -> Iterator[Sheet]:
    """The answer files of a folder; links may lead outside and are refused."""
    files = [path for path in _entries(folder) if path.suffix.casefold() in SUFFIXES]
    if not files:
        raise DenseError("empty-folder", source=str(folder), known=SUFFIXES)
    return (one for path in files for one in _read_file(path, reader, follow=False))


def _read_file(path: Path, reader: Reader, follow: bool = True) -> Iterator[Sheet]:
    suffix, source = path.suffix.casefold(), str(path)
    largest = LARGEST_SHEET if suffix in SHEETS else LARGEST_TABLE
    try:
        text = _text(_content(path, largest, follow), source, reader.encoding)
        yield from _read_text(text, suffix, source, path.stem, reader.names)
    except DenseError as error:
        yield Sheet(path.stem, source, error=error)


def _content(path: Path, largest: int, follow: bool) -> bytes:
    """The content of a regular file; a device or a pipe is refused without waiting for it."""
    source = str(path)
    if not follow and path.is_symlink():
        raise DenseError("sheet-is-link", source=source)
    flags = [getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY")]
    flags += [] if follow else [getattr(os, "O_NOFOLLOW", 0)]
    try:
        descriptor = os.open(path, os.O_RDONLY | sum(flags))
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise DenseError("sheet-not-a-file", source=source)
            if status.st_size > largest:
                raise DenseError("sheet-too-large", source=source, most=largest)
            with open(descriptor, "rb", closefd=False) as file:
                return file.read(largest + 1)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _unreadable(source, error) from error


def _unreadable(source: str, error: OSError) -> DenseError:
    return DenseError("cannot-read", source=source, reason=error.strerror or type(error).__name__)


def _text(content: bytes, source: str, encoding: str | None) -> str:
    """UTF-8 or UTF-16 by its mark, else as the call says; never guessed."""
    try:
        return decoded(content, source, encoding)
    except DenseError as error:
        if error.key == "file-encoding":
            byte, part, name = (error.facts[fact] for fact in ("byte", "part", "encoding"))
            raise DenseError("sheet-encoding", source=source, byte=byte, part=part, encoding=name) from error
        raise error.about(option="--encoding") from error
    except UnicodeError as error:  # what some of Python's encodings that are none come to
        raise DenseError("encoding-unknown", option="--encoding", typed=encoding) from error


def _read_stream(reader: Reader) -> Iterator[Sheet]:
    try:
        if len(reader.stdin) > LARGEST_TABLE:
            raise DenseError("sheet-too-large", source=STDIN, most=LARGEST_TABLE)
        text = _text(reader.stdin, STDIN, reader.encoding)
        yield from _read_text(text, kind_of(text), STDIN, STDIN, reader.names)
    except DenseError as error:
        yield Sheet(STDIN, STDIN, error=error)


def kind_of(text: str) -> str:
    """The suffix that a file of this content would have, told by how it begins.

    >>> kind_of('{"student": "s01"}\\n{"student": "s02"}'), kind_of("student,1.query")
    ('.jsonl', '.csv')
    """
    lines = [line for line in map(str.strip, text.split("\n")) if line and not line.startswith("#")]
    first = lines[0] if lines else ""
    if first.startswith("{"):
        return ".jsonl" if len(lines) > 1 and first.endswith("}") else ".json"
    if first.startswith("["):
        return ".toml" if len(lines) > 1 and _TOML_TABLE.fullmatch(first) else ".json"
    return ".csv" if "=" not in first and separator_of(first) in first else ".toml"


def _read_text(text: str, suffix: str, source: str, stem: str, names: FieldNames) -> Iterator[Sheet]:
    if suffix in TABLES:
        return table(text, source, names)
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
