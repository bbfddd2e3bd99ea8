"""Numbers from ``@FILE``, or ``-`` for standard input.

`source(text, kind)` tells `count` and `shape` first; its `vector()` and `matrix()` are tuples of float64 of
up to 100,000 values, without NumPy, and its `array()` is the NumPy array.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

from dense_cli.errors import DenseError, nearest
from dense_cli.reading import archives
from dense_cli.reading.documents import Nested, decoded, json_document, nested_numbers
from dense_cli.reading.given import Kind, is_source, load
from dense_cli.reading.numbers import real_number
from dense_cli.reading.stored import Stored, flattened, from_numbers
from dense_cli.reading.vectors import real_vector

MAX_TEXT_BYTES = 1 << 26
_NAMED = (".npz", ".safetensors")
LARGEST_CELL = 1 << 17  # characters that may be meant as one number
FORMATS = (".npy", ".npz", ".json", ".csv", ".tsv", ".txt", ".safetensors")


def source(text: str, kind: Kind = "array", masked: bool = False) -> Stored:
    """The numbers of ``@FILE`` or ``-``, still as stored; only the named array of an archive is read. With
    `masked`, a null of a JSON document is −∞.

    Raises DenseError for what is no regular file, too large, of no known format, or broken.
    """
    stripped = text.strip()
    if stripped == "-":
        return _standard_input(kind)
    path, name = _named(stripped[1:])
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise DenseError("file-format", typed=text, part=suffix or path, formats=" ".join(FORMATS))
    with opened(path, text, archives.MAX_BYTES if suffix in (".npy", *_NAMED) else MAX_TEXT_BYTES) as file:
        if suffix == ".npy":
            return archives.npy(file, os.fstat(file.fileno()).st_size, text)
        if suffix == ".npz":
            return archives.npz(file, name, text)
        if suffix == ".safetensors":
            return archives.safetensors(file, name, text)
        written = decoded(file.read(MAX_TEXT_BYTES), text)
    if suffix == ".json":
        found, shape = nested_numbers(json_document(written, text), text, masked)
        return from_numbers(text, shape, flattened(found))
    if suffix == ".txt":
        return _grammar(_without_comments(written), text, kind)
    return _table(written, text, suffix)


def names_in(text: str) -> tuple[str, ...]:
    """The names of the arrays in an archive that is named without one of them; of anything else, none.

    Raises DenseError for an archive that cannot be read.
    """
    path, name = _named(text.strip()[1:])
    suffix = Path(path).suffix.lower()
    if name is not None or suffix not in _NAMED:
        return ()
    with opened(path, text, archives.MAX_BYTES) as file:
        names = archives.npz_names if suffix == ".npz" else archives.safetensors_names
        return names(file, text)


def opened(path: str, typed: str, limit: int) -> IO[bytes]:
    """A regular file of at most `limit` bytes, open for reading; a link to one is a file that was named.

    Devices, pipes and folders are refused without waiting for them.
    """
    path = os.path.expanduser(path)
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise DenseError("file-is-folder", typed=typed)
        if not stat.S_ISREG(status.st_mode):
            raise DenseError("file-not-regular", typed=typed)
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        file = os.fdopen(os.open(path, flags), "rb")
    except FileNotFoundError:
        near = _beside(path)
        hint = "file-missing-near" if near else None
        raise DenseError("file-missing", hint=hint, typed=typed, part=path, near=near) from None
    except (OSError, ValueError):  # ValueError: a null character in the name
        raise DenseError("file-unreadable", typed=typed, part=path) from None
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
        file.close()
        key = "file-too-large" if stat.S_ISREG(status.st_mode) else "file-not-regular"
        raise DenseError(key, typed=typed, size=status.st_size, limit=limit)
    return file


def _beside(path: str) -> tuple[str, ...]:
    """Names of other files in the same folder that `path` may have meant; itself may be a link to nothing."""
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or ".") as entries:
            names = [entry.name for entry, _ in zip(entries, range(1000), strict=False) if entry.name != name]
    except (OSError, ValueError):
        return ()
    return tuple(os.path.join(folder, near) for near in nearest(name, names))


def _named(path: str) -> tuple[str, str | None]:
    """The file and the name inside it, of ``f.npz:name``."""
    for suffix in _NAMED:
        at = path.lower().rfind(f"{suffix}:")
        if at >= 0:
            cut = at + len(suffix)
            return path[:cut], path[cut + 1 :]
    return path, None


def _standard_input(kind: Kind) -> Stored:
    stream = getattr(sys.stdin, "buffer", None)
    try:
        data = stream.read(MAX_TEXT_BYTES + 1) if stream else b""
    except (OSError, ValueError):
        data = b""
    if not data.strip():
        raise DenseError("input-empty", typed="-")
    if len(data) > MAX_TEXT_BYTES:
        raise DenseError("file-too-large", typed="-", size=len(data), limit=MAX_TEXT_BYTES)
    if data.startswith(b"\x93NUMPY"):
        return archives.npy(io.BytesIO(data), len(data), "-")
    if data.startswith(b"PK\x03\x04"):
        return archives.npz(io.BytesIO(data), None, "-")
    return _grammar(_without_comments(decoded(data, "-")), "-", kind)


def _without_comments(written: str) -> str:
    if "#" not in written:
        return written
    return "\n".join(line for line in written.split("\n") if not line.lstrip().startswith("#"))


def _grammar(written: str, typed: str, kind: Kind) -> Stored:
    """The numbers of a text file, which are written as they would be typed."""
    try:
        found = load(written, kind) if not is_source(written) else real_vector(written)
    except DenseError as error:
        raise error.about(
            **{"part": error.facts.get("part", written[:80]), **error.facts, "typed": typed}
        ) from None
    shape: list[int] = []
    inner: Nested = found
    while isinstance(inner, tuple):
        shape.append(len(inner))
        inner = inner[0]
    if kind == "matrix" and shape[0] == 1:
        shape = shape[1:]
    return from_numbers(typed, tuple(shape), flattened(found))


def _table(written: str, typed: str, suffix: str) -> Stored:
    import csv  # only for tables

    lines = [line for line in _without_comments(written).splitlines() if line.strip()]
    if not lines:
        raise DenseError("vector-empty", typed=typed)
    csv.field_size_limit(LARGEST_CELL)  # one for the whole process: tables of answers have another
    mark = "\t" if suffix == ".tsv" or "\t" in lines[0] else ";" if ";" in lines[0] else ","
    read: Callable[[str], float] = real_number if mark == "," else _with_decimal_comma
    flat: list[float] = []
    width = 0
    try:
        for row, cells in enumerate(csv.reader(lines, delimiter=mark, strict=True), 1):
            width = width or len(cells)
            if len(cells) != width:
                raise DenseError(
                    "ragged-rows", typed=typed, name=typed, row=row, width=len(cells), expected=width
                )
            for column, cell in enumerate(cells, 1):
                flat.append(_cell(cell, read, typed, row, column))
    except csv.Error:
        raise DenseError("file-broken", typed=typed) from None
    return from_numbers(typed, (len(flat) // width, width), flat)


def _cell(cell: str, read: Callable[[str], float], typed: str, row: int, column: int) -> float:
    try:
        return read(cell)
    except DenseError as error:
        raise DenseError("cell-not-a-number", typed=typed, part=cell, row=row, column=column) from error


def _with_decimal_comma(cell: str) -> float:
    return real_number(cell.replace(",", ".") if cell.count(",") == 1 and "." not in cell else cell)
