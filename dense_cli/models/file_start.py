"""The beginning of a file of weights: opened safely, read once, and recognized where it is something else."""

from __future__ import annotations

import os
import stat
from typing import NoReturn

from dense_cli.errors import DenseError

FIRST_READ = 1 << 16
"""One read of this many bytes usually holds length and header."""

LONGEST_HEADER = 100_000_000
"""Bytes; the safetensors format's own limit."""

FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A pipe is not waited for, and no system changes bytes."""

FOREIGN = (
    (b"version https://git-lfs", "weights-lfs-pointer"),
    (b"PK\x03\x04", "weights-torch-zip"),
    (b"\x80\x02", "weights-pickle"),
    (b"\x80\x03", "weights-pickle"),
    (b"\x80\x04", "weights-pickle"),
    (b"GGUF", "weights-gguf"),
    (b"\x93NUMPY", "weights-numpy"),
    (b"<", "weights-web-page"),
    (b"{", "weights-json"),
)
"""What stands in place of weights more often than a broken file, by the first bytes."""


def header_bytes(path: str, name: str) -> tuple[bytes, int]:
    """The header of a file of weights, without its length, and the size of the file.

    Raises DenseError "weights-not-found", "weights-unreadable", "file-not-regular", "weights-header-length",
    and what `refuse_start` raises.
    """
    file = _opened(path, name)
    try:
        size = _size(file, name)
        start = _read(file, min(size, FIRST_READ))
        length = int.from_bytes(start[:8], "little")
        if not 2 <= length <= min(LONGEST_HEADER, size - 8) or not start.startswith(b"{", 8):
            refuse_start(start, size, length, name)
        header = start[8 : 8 + length]
        if len(header) < length:
            header += _read(file, length - len(header))
    except OSError:
        raise DenseError("weights-unreadable", typed=name) from None
    finally:
        os.close(file)
    if len(header) < length:  # the file became shorter while it was read
        raise DenseError("weights-header-length", typed=name, length=length, size=size)
    return header, size


def whole_file(path: str, name: str, most: int) -> bytes:
    """All of a file that begins as an object of JSON.

    Raises DenseError like `header_bytes`, and "file-too-large" for more than `most` bytes.
    """
    file = _opened(path, name)
    try:
        size = _size(file, name)
        if size > most:
            raise DenseError("file-too-large", typed=name, size=size, limit=most)
        found = _read(file, size)
    except OSError:
        raise DenseError("weights-unreadable", typed=name) from None
    finally:
        os.close(file)
    if found.lstrip()[:1] != b"{":
        refuse_start(found, size, None, name)
    return found


def _opened(path: str, name: str) -> int:
    try:
        return os.open(path, FLAGS)
    except FileNotFoundError:
        raise DenseError("weights-not-found", typed=name) from None
    except (OSError, ValueError):  # ValueError: a null character in the name
        raise DenseError("weights-unreadable", typed=name) from None


def _size(file: int, name: str) -> int:
    """Bytes of an ordinary file; any other is not read."""
    status = os.fstat(file)
    if stat.S_ISDIR(status.st_mode):
        raise DenseError("weights-folder", typed=name)
    if not stat.S_ISREG(status.st_mode):
        raise DenseError("file-not-regular", hint="weights-not-regular", typed=name)
    return status.st_size


def _read(file: int, size: int) -> bytes:
    """So many bytes, or all that there are."""
    first = os.read(file, size)
    if len(first) == size or not first:
        return first
    parts, missing = [first], size - len(first)
    while missing and (part := os.read(file, missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def refuse_start(start: bytes, size: int, length: int | None, name: str) -> NoReturn:
    """Say what a file is that does not begin as it should: `FOREIGN`, "weights-empty", "weights-short",
    "weights-header-json", "weights-header-length"."""
    if not size:
        raise DenseError("weights-empty", typed=name)
    for mark, key in FOREIGN:
        if start.startswith(mark) or start.lstrip().startswith(mark):
            raise DenseError(key, typed=name)
    if length is None:
        raise DenseError("weights-header-json", typed=name)
    if size < 10:
        raise DenseError("weights-short", typed=name, size=size)
    if 2 <= length <= min(LONGEST_HEADER, size - 8):
        raise DenseError("weights-header-json", typed=name)
    raise DenseError("weights-header-length", typed=name, length=length, size=size)
