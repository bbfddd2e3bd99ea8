"""`check` of one long file: sheets are read, marked and written block by block, on several cores if asked."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import BinaryIO

from dense_cli.cli import console
from dense_cli.cli.check import Asked
from dense_cli.cli.check_sheets import first_of, intake_of, mapped_by
from dense_cli.cli.exits import Exit
from dense_cli.cli.options import Outcome
from dense_cli.cli.page import Page
from dense_cli.cli.seeds import wanted_seed
from dense_cli.derivation import Note
from dense_cli.errors import DenseError
from dense_cli.grading.classes.blocks import Job
from dense_cli.grading.classes.streaming import LETTERS, Streamed, one_by_one, stream
from dense_cli.grading.classes.usual import Unusual
from dense_cli.grading.export import STREAMED
from dense_cli.grading.intake.duplicates import rule_of
from dense_cli.grading.intake.sheets import FieldNames
from dense_cli.grading.marks.marking import Rules
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.reports.class_statistics import ClassStatistics
from dense_cli.grading.reports.report import DETAILED, class_report
from dense_cli.grading.reports.statistics_page import with_statistics

SUFFIXES = (".jsonl", ".csv", ".tsv")
MOST_JOBS = 256
SMALLEST = 1 << 20
"""Bytes of a file from which on a page is made block by block."""

SECONDS = 1.0
"""How long a call may take before it says how far it is."""


def jobs_of(typed: str | None) -> int:
    """How many processes are asked for. Raises DenseError for what is no such number."""
    if typed is None:
        return 1
    if not (typed.isascii() and typed.isdecimal() and 1 <= int(typed[:9]) <= MOST_JOBS):
        raise DenseError("jobs-range", option="--jobs", typed=typed, most=MOST_JOBS)
    return int(typed)


def streamed(page: Page, asked: Asked, teller: Teller, rules: Rules, to: str | None) -> Outcome | None:
    """The outcome of marking a file block by block; None where it must be read whole.

    Raises DenseError for options that are none.
    """
    seed, jobs, intake = wanted_seed(asked.variant), jobs_of(asked.jobs), intake_of(asked)
    by_student = (asked.scores, asked.roster, asked.into)
    wants_whole = any(typed is not None for typed in by_student) or asked.from_ == "gradescope"
    if wants_whole or len(asked.source) != 1 or not _is_utf8(asked.encoding):
        return None
    path = Path(asked.source[0])
    if not _is_streamed(path, page, asked, to):
        return None
    chosen = teller.set
    mapped, _ = mapped_by(intake.maps, chosen)
    names = FieldNames.of(chosen, mapped)
    job = Job(chosen, rules, page.language, to, str(path), names, asked.from_, seed=seed, counted=to is None)
    try:
        with _target(page.output, to) as out, _progress() as progress:
            found = _marked(job, path, rule_of(asked.duplicates), out, jobs, progress)
    except Unusual:
        return None
    return _page(found, asked, teller, rules) if to is None else _exported(found)


def _marked(
    job: Job, path: Path, rule: str, out: BinaryIO, jobs: int, progress: Callable[[int, float], None]
) -> Streamed:
    if jobs == 1:
        return stream(job, path, rule, out, one_by_one, progress)
    from dense_cli.grading.classes.processes import in_processes

    return stream(job, path, rule, out, partial(in_processes, jobs), progress, LETTERS << 2)


def _is_streamed(path: Path, page: Page, asked: Asked, to: str | None) -> bool:
    """Whether what is asked for can be had block by block. JSON tells every answer: it is made as a whole."""
    if path.suffix.casefold() not in SUFFIXES or not _is_file(path):
        return False
    if to is None:
        return page.format != "json" and path.stat().st_size >= SMALLEST
    return to in STREAMED and not asked.statistics


def _exported(found: Streamed) -> Outcome:
    facts = {"students": found.sheets} | ({"unread": found.unread} if found.unread else {})
    remark = Note("export.count-unread" if found.unread else "export.count", facts)
    warnings = first_of(found.warnings, found.different)
    return Outcome(None, _end(found), warnings, remark=remark, delivered=True)


def _page(found: Streamed, asked: Asked, teller: Teller, rules: Rules) -> Outcome | None:
    if found.tally is None or found.sheets <= DETAILED:
        return None
    told = class_report(found.standings, found.tally, teller, rules)
    if asked.statistics:
        told = with_statistics(told, ClassStatistics(teller.set, found.tally), teller)
    return Outcome(told, _end(found), first_of(found.warnings, found.different))


def _end(found: Streamed) -> Exit:
    return Exit.UNUSABLE if found.unread else Exit.DONE


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
def _target(output: str | None, to: str | None) -> Iterator[BinaryIO]:
    """Where an export is written: the file that is asked for, or standard output, once all went well."""
    if to is None:
        yield BytesIO()
        return
    if output is not None:
        with console.whole_file(output) as file:
            yield file
        return
    with console.spool() as file:
        try:
            yield file
        except OSError as error:  # no room for what is put aside; standard output may have some
            raise Unusual from error
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
