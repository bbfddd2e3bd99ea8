"""`check` of one long file: sheets are read, marked and written block by block, on several cores if asked."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from typing import BinaryIO

from dense_cli.cli import console
from dense_cli.cli.check_sheets import Intake, first_of, mapped_by
from dense_cli.cli.exits import Exit
from dense_cli.cli.options import Outcome
from dense_cli.cli.page import Page
from dense_cli.derivation import Note
from dense_cli.errors import DenseError
from dense_cli.grading.blocks import Job
from dense_cli.grading.duplicates import rule_of
from dense_cli.grading.exercise import ExerciseSet
from dense_cli.grading.export import STREAMED
from dense_cli.grading.marking import Rules
from dense_cli.grading.sheets import FieldNames
from dense_cli.grading.streaming import LETTERS, Streamed, one_by_one, stream
from dense_cli.grading.usual import Unusual

SUFFIXES = (".jsonl", ".csv", ".tsv")
MOST_JOBS = 256
SECONDS = 1.0
"""How long a call may take before it says how far it is."""


def jobs_of(typed: str | None) -> int:
    """How many processes are asked for. Raises DenseError for what is no such number."""
    if typed is None:
        return 1
    if not (typed.isascii() and typed.isdecimal() and 1 <= int(typed[:9]) <= MOST_JOBS):
        raise DenseError("jobs-range", option="--jobs", typed=typed, most=MOST_JOBS)
    return int(typed)


def streamed(
    sources: Sequence[str],
    chosen: ExerciseSet,
    intake: Intake,
    rules: Rules,
    seed: str,
    to: str | None,
    page: Page,
    jobs: int,
) -> Outcome | None:
    """The outcome of marking a file block by block; None where it must be read whole."""
    if to not in STREAMED or len(sources) != 1 or intake.roster is not None or intake.layout == "gradescope":
        return None
    path = Path(sources[0])
    if path.suffix.casefold() not in SUFFIXES or not _is_utf8(intake.encoding) or not _is_file(path):
        return None
    mapped, _ = mapped_by(intake.maps, chosen)
    names = FieldNames.of(chosen, mapped)
    job = Job(chosen, rules, page.language, to, str(path), names, intake.layout, seed=seed)
    rule = rule_of(intake.duplicates)
    try:
        with _target(page.output) as out, _progress() as progress:
            if jobs == 1:
                found = stream(job, path, rule, out, one_by_one, progress)
            else:
                from dense_cli.grading.processes import in_processes

                found = stream(job, path, rule, out, partial(in_processes, jobs), progress, LETTERS << 2)
    except Unusual:
        return None
    return _outcome(found)


def _outcome(found: Streamed) -> Outcome:
    facts = {"students": found.sheets} | ({"unread": found.unread} if found.unread else {})
    remark = Note("export.count-unread" if found.unread else "export.count", facts)
    end = Exit.UNUSABLE if found.unread else Exit.DONE
    return Outcome(None, end, first_of(found.warnings, found.different), remark=remark, delivered=True)


def _is_utf8(encoding: str | None) -> bool:
    try:
        return encoding is None or codecs.lookup(encoding).name == "utf-8"
    except LookupError:
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


@contextmanager
def _target(output: str | None) -> Iterator[BinaryIO]:
    """Where to write: the file that is asked for, or standard output, once all went well."""
    if output is not None:
        with console.whole_file(output) as file:
            yield file
        return
    with console.spool() as file:
        yield file
        file.seek(0)
        stream = console.standard_output()
        decoder = codecs.getincrementaldecoder("utf-8")()
        while part := file.read(console.PART):
            stream.write(decoder.decode(part))


@contextmanager
def _progress() -> Iterator[Callable[[int, float], None]]:
    """How far it is, in numbers, on a terminal; nothing is left of it afterwards."""
    screen = sys.stderr
    if screen is None or not screen.isatty():
        yield lambda sheets, share: None
        return
    shown = begun = monotonic()
    width = 0

    def progress(sheets: int, share: float) -> None:
        nonlocal shown, width
        now = monotonic()
        if now - begun < SECONDS or now - shown < SECONDS / 10:
            return
        shown, text = now, f"{share:4.0%}  {sheets:,}"
        width = max(width, len(text))
        screen.write(f"\r{text:<{width}}")
        screen.flush()

    try:
        yield progress
    finally:
        if width:
            screen.write("\r" + " " * width + "\r")
            screen.flush()
