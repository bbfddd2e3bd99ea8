"""The one door to the outside: standard streams that take every character, and files written whole.

`prepare` is called once, before anything is printed. After it no text can fail for its letters, a
closed pipe is a BrokenPipeError that `silence` ends quietly, and every other failure to write is a
DenseError.
"""

from __future__ import annotations

import codecs
import errno
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import BinaryIO, TextIO

from dense_cli.cli.spelling import SPELLED, spelled
from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass

NARROWEST, USUAL, WIDEST = 20, 80, 1000
"""Columns: the least that is believed, the width where nothing is known, the most that is used."""

PART = 1 << 20
"""Bytes that are copied at a time."""

_REASONS = {
    errno.ENOSPC: "output-full",
    errno.EDQUOT: "output-full",
    errno.EACCES: "output-denied",
    errno.EPERM: "output-denied",
    errno.EROFS: "output-denied",
    errno.ENOENT: "output-no-folder",
    errno.ENOTDIR: "output-no-folder",
    errno.EISDIR: "output-is-folder",
}


def prepare() -> None:
    """Make both streams take every character: what an encoding lacks is spelled, θ as theta."""
    codecs.register_error(SPELLED, spelled)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=SPELLED)


@dataclass(frozen=True, slots=True)
class Output:
    """Where results go, and what may be done there."""

    stream: TextIO | None
    terminal: bool
    """A screen that shows a page well: not a pipe, not a dumb terminal, with the signs of a textbook."""
    width: int
    colour: bool

    def write(self, text: str) -> None:
        """Write all of `text`. Raises BrokenPipeError for a closed pipe, DenseError for a full disk."""
        if self.stream is None:
            return
        try:
            self.stream.write(text)
            self.stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            silence()
            if error.errno == errno.EINVAL and os.name == "nt":  # how Windows says that a pipe is closed
                raise BrokenPipeError from error
            raise _refusal(error, "stdout") from error


def standard_output(environment: Mapping[str, str] | None = None) -> Output:
    """Standard output as it is now."""
    environment = os.environ if environment is None else environment
    stream = sys.stdout
    screen = _is_screen(stream)
    capable = screen and environment.get("TERM") != "dumb" and _has_signs(stream)
    return Output(stream, capable, width_of(environment), wants_colour(environment, screen))


def wants_colour(environment: Mapping[str, str], screen: bool) -> bool:
    """Whether escape sequences may be written: NO_COLOR forbids, FORCE_COLOR asks, else only a screen.

    >>> wants_colour({"FORCE_COLOR": "0"}, screen=True), wants_colour({"FORCE_COLOR": "1"}, screen=False)
    (False, True)
    """
    if environment.get("NO_COLOR"):
        return False
    if forced := environment.get("FORCE_COLOR"):
        return forced != "0"
    return screen and environment.get("TERM") != "dumb"


def width_of(environment: Mapping[str, str]) -> int:
    """The columns of the screen: COLUMNS if it is a sensible number, else what the terminal says.

    >>> width_of({"COLUMNS": "0"}) >= 20, width_of({"COLUMNS": "5"}), width_of({"COLUMNS": "120"})
    (True, 20, 120)
    """
    asked = environment.get("COLUMNS", "")
    if asked.isascii() and asked.isdecimal() and int(asked[:9]) > 0:
        return min(max(int(asked[:9]), NARROWEST), WIDEST)
    for stream in (sys.__stdout__, sys.__stderr__):
        try:
            columns = os.get_terminal_size(stream.fileno()).columns if stream else 0
        except (OSError, ValueError):
            continue
        if columns > 0:
            return min(max(columns, NARROWEST), WIDEST)
    return USUAL


def warn(text: str) -> None:
    """A line on standard error; one that nobody can read is lost without a word."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def silence() -> None:
    """Let what is still to be written go nowhere, so that leaving does not complain about the pipe."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            _to_nowhere(stream)


def write_atomically(path: str, text: str) -> None:
    """Write `text` to a file that is either the old one or the whole new one, whatever happens.

    Raises DenseError where the place is a folder, missing, full or not ours to write.
    """
    with whole_file(path) as file:
        file.write(text.encode("utf-8", errors="backslashreplace"))


def make_folder(path: str) -> None:
    """A folder for files that a call names itself. Raises DenseError where there can be none."""
    try:
        os.makedirs(path, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise DenseError("output-unwritable", hint="into-unwritable", typed=path, reason=reason) from error


@contextmanager
def whole_file(path: str) -> Iterator[BinaryIO]:
    """A file to write to, which takes its place only where all went well; likewise."""
    try:
        with suppress(OSError):
            os.lstat(path)
    except ValueError as error:  # a null character in the name
        raise DenseError("output-unwritable", typed=path, reason="EINVAL") from error
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, path)
        target = os.path.realpath(path)
        if os.path.exists(target) and not os.path.isfile(target):
            with spool() as file:
                yield file
                file.seek(0)
                with open(target, "wb") as device:  # a device or a pipe cannot be replaced
                    while part := file.read(PART):
                        device.write(part)
            return
        with _replaced(target) as file:
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _refusal(error, path) from error


@contextmanager
def spool() -> Iterator[BinaryIO]:
    """A nameless file for what may be too long for memory; read it from its begin."""
    import tempfile  # only where there is much: it costs start-up time

    with tempfile.TemporaryFile() as file:
        yield file


@contextmanager
def _replaced(target: str) -> Iterator[BinaryIO]:
    aside = os.path.join(os.path.dirname(target), f".dense-{os.getpid()}.part")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        if os.path.exists(target):
            os.chmod(aside, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(aside, target)
    except BaseException:
        os.unlink(aside)
        raise


def _refusal(error: OSError, place: str) -> DenseError:
    reason = errno.errorcode.get(error.errno or 0, "?")
    return DenseError(_REASONS.get(error.errno or 0, "output-unwritable"), typed=place, reason=reason)


def _is_screen(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # a closed stream
        return False


def _has_signs(stream: TextIO) -> bool:
    try:
        "θ√≈×·₀─".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _to_nowhere(stream: TextIO) -> None:
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
