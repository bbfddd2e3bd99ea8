"""The bytes and letters of a file that someone else wrote: bounded, never waited for, never guessed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from dense_cli.errors import DenseError
from dense_cli.reading.documents import decoded

LARGEST_SHEET = 1 << 20
"""Bytes of one student's file; an answer sheet has a few hundred."""

LARGEST_TABLE = 1 << 28
"""Bytes of a table or of JSON Lines, a class of millions."""


def content(path: Path, largest: int, follow: bool = True) -> bytes:
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
        raise unreadable(source, error) from error
    except ValueError as error:  # a null character in the name
        raise DenseError("no-such-file", source=source, typed=source) from error


def unreadable(source: str, error: OSError) -> DenseError:
    return DenseError("cannot-read", source=source, reason=error.strerror or type(error).__name__)


def letters(data: bytes, source: str, encoding: str | None) -> str:
    """UTF-8 or UTF-16 by its mark, else as the call says; never guessed."""
    try:
        return decoded(data, source, encoding)
    except DenseError as error:
        if error.key == "file-encoding":
            byte, part, name = (error.facts[fact] for fact in ("byte", "part", "encoding"))
            raise DenseError("sheet-encoding", source=source, byte=byte, part=part, encoding=name) from error
        raise error.about(option="--encoding") from error
    except UnicodeError as error:  # what some of Python's encodings that are none come to
        raise DenseError("encoding-unknown", option="--encoding", typed=encoding) from error


def check_encoding(typed: str | None) -> None:
    """Raises DenseError for an encoding of no text: a fault of the call, not of every file."""
    try:
        b"a".decode(typed or "utf-8")
    except LookupError as error:
        raise DenseError("encoding-unknown", option="--encoding", typed=typed) from error
    except UnicodeError:  # one byte may be no letter, as in UTF-16
        return


def entries(folder: Path) -> list[Path]:
    """What a folder holds in the order of names, without hidden files."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise unreadable(str(folder), error) from error
