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


def file_start(path: str, name: str, whole: int = 0) -> tuple[bytes, int, bytes]:
    """The first bytes of a file, its size, and what its header has beyond them. With `whole` all of it, if
    it is no larger than that.

    Raises DenseError "weights-not-found", "weights-unreadable", "file-not-regular".
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        file = os.open(path, flags)
    except FileNotFoundError:
        raise DenseError("weights-not-found", typed=name) from None
    except (OSError, ValueError):  # ValueError: a null character in the name
        raise DenseError("weights-unreadable", typed=name) from None
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise DenseError("file-not-regular", typed=name)
        size = status.st_size
        if whole:
            return _read(file, min(size, whole)), size, b""
        start = _read(file, min(size, FIRST_READ))
        length = int.from_bytes(start[:8], "little")
        more = 8 + length - len(start)
        fits = len(start) >= 8 and more > 0 and length <= min(LONGEST_HEADER, size - 8)
        return start, size, _read(file, more) if fits and start[8:9] == b"{" else b""
    except OSError:
        raise DenseError("weights-unreadable", typed=name) from None
    finally:
        os.close(file)


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
