"""`check --watch`: the same call again whenever a file changes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice

from dense_cli.cli import console
from dense_cli.cli.options import Outcome
from dense_cli.cli.page import Page, show
from dense_cli.errors import DenseError
from dense_cli.grading.intake.folders import DEEPEST
from dense_cli.grading.intake.sources import STDIN

INTERVAL = 0.5
"""Seconds between two looks: an editor's save is seen at once, and a laptop stays cool."""

MOST_FILES = 10_000
"""Files of a folder that are looked at."""

State = tuple[tuple[str, int, int], ...]
"""Every watched file that is there: its name, the time of its last change, its size."""

Mark = Callable[[], Outcome]


def watched(
    page: Page, sources: Sequence[str], mark: Mark, pause: Callable[[float], None] = time.sleep
) -> Outcome:
    """Mark, show, and do both again after every change, until Ctrl-C (KeyboardInterrupt).

    What is wrong at the first time is raised as ever; later it is told and waited for: a file that is being
    saved may be half there.
    """
    if not sources:
        raise DenseError("nothing-to-check")
    if STDIN in sources:
        raise DenseError("watch-stdin", option="--watch", typed=STDIN)
    seen = state_of(sources, page.output)
    show(mark(), page)
    _say(page, "practice.watching")
    while True:
        seen = _changed(sources, page.output, seen, pause)
        _say(page, "practice.marked-again")
        try:
            show(mark(), page)
        except DenseError as error:
            from dense_cli.cli.complaint import complain

            complain(error, page.say, as_json=False)


def _changed(
    sources: Sequence[str], output: str | None, seen: State, pause: Callable[[float], None]
) -> State:
    """Wait until the files are others, and are so for two looks: a save has then ended."""
    before = seen
    while True:
        pause(INTERVAL)
        now = state_of(sources, output)
        if now and now != seen and now == before:
            return now
        before = now


def state_of(sources: Sequence[str], output: str | None = None) -> State:
    """What is there now, besides the `output`, which every marking changes."""
    own = None if output is None else os.path.realpath(output)
    return tuple(sorted(one for one in _states(sources) if own is None or os.path.realpath(one[0]) != own))


def _states(sources: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    for source in sources:
        for path in _files(source):
            try:
                status = os.stat(path)
            except (OSError, ValueError):
                continue
            yield path, status.st_mtime_ns, status.st_size


def _files(source: str) -> list[str]:
    try:
        if not os.path.isdir(source):
            return [source]
        return list(islice(_below(source), MOST_FILES))
    except (OSError, ValueError):
        return []


def _below(folder: str, deeper: int = DEEPEST + 1) -> Iterator[str]:
    """The files in a folder and in those of the students, as deep as answers are looked for."""
    with suppress(OSError), os.scandir(folder) as entries:
        for one in entries:
            if deeper and one.is_dir(follow_symlinks=False):
                yield from _below(one.path, deeper - 1)
            else:
                yield one.path


def _say(page: Page, key: str) -> None:
    """A line between two pages, where pages are for people: screens without colour and readers aloud."""
    if page.output is None and page.format == "json":
        return
    console.standard_output().write(f"\n--- {page.say(key)} ---\n\n")
