"""`exercise practice`: the dialogue on the screen, line by line. No cursor moves, no colour, no waiting."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO

from dense_cli.cli import console
from dense_cli.cli.page import Page
from dense_cli.cli.progress import Progress, progress_of
from dense_cli.grading.exercise import ExerciseSet
from dense_cli.grading.practice import Coach
from dense_cli.grading.practice_state import State
from dense_cli.grading.telling import Teller
from dense_cli.reading.characters import visible
from dense_cli.render.layout import wrapped

LONGEST_LINE = 10_000
"""Characters of a typed line that are read; what is longer is cut off."""

LONGEST_SHOWN = 10_000

WIDEST = 100


def practised(page: Page, chosen: ExerciseSet, alone: str | None, seed: str) -> None:
    """Lead through the questions until the learner ends or the input does.

    Ctrl-C ends as everywhere (KeyboardInterrupt): what is done was kept after every line.
    """
    coach = Coach(chosen, Teller(chosen, page.language), alone)
    progress = progress_of(chosen.id)
    if progress.aside is not None:
        places = {"place": str(progress.path), "aside": str(progress.aside)}
        console.warn(visible(coach.say("broken", **places), LONGEST_SHOWN))
    state, lines = coach.begin(progress.kept, seed)
    _show(lines)
    is_kept = True
    try:
        for line in _typed_lines(coach.say("prompt")):
            state, lines = coach.reply(state, line)
            is_kept = progress.save(state.kept) and is_kept
            if state.ended:
                break
            _show(lines)
    except KeyboardInterrupt:
        _show([""])
        raise
    finally:
        _leave(coach, progress, state, is_kept)


def _leave(coach: Coach, progress: Progress, state: State, is_kept: bool) -> None:
    _show([coach.end(state, is_kept)])
    if not is_kept:
        console.warn(visible(coach.say("not-kept", place=str(progress.path)), LONGEST_SHOWN))


def _typed_lines(prompt: str) -> Iterable[str]:
    """What is typed or piped, line by line; a prompt only where somebody types."""
    stream = sys.stdin
    if stream is None:
        return
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    terminal = stream.isatty()
    while True:
        if terminal:
            console.standard_output().write(prompt)
        line = _line(stream)
        if not line:
            if terminal:
                console.standard_output().write("\n")
            return
        yield line.rstrip("\r\n")


def _line(stream: TextIO) -> str:
    """One line, empty at the end of the input. Of one that is too long the rest is passed over."""
    line = rest = stream.readline(LONGEST_LINE)
    while len(rest) == LONGEST_LINE and not rest.endswith("\n"):
        rest = stream.readline(LONGEST_LINE)
    return line


def _show(lines: Iterable[str]) -> None:
    output = console.standard_output()
    width = min(output.width, WIDEST)
    shown = (part for line in lines for part in wrapped(visible(line, LONGEST_SHOWN), width) or [""])
    output.write("".join(f"{line}\n" for line in shown))
