"""`exercise practice`: the dialogue on the screen, line by line. No colour, no waiting, nothing rewritten.

What is typed can be edited as in a shell where the screen can do so; TERM=dumb leaves that to the terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TextIO

from dense_cli.cli import console
from dense_cli.cli.page import Page
from dense_cli.cli.progress import progress_of
from dense_cli.grading.exercises.exercise import ExerciseSet
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.practice.dialogue import Coach
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
    is_kept, saved = True, progress.kept
    try:
        for line in _typed_lines(coach.say("prompt")):
            state, lines = coach.reply(state, line)
            if progress.save(saved, state.kept):
                saved = state.kept
            elif is_kept:  # told at once, before more is done in vain
                console.warn(visible(coach.say("not-kept", place=str(progress.path)), LONGEST_SHOWN))
                is_kept = False
            if state.ended:
                break
            _show(lines)
    except KeyboardInterrupt:
        _show([""])
        raise
    finally:
        _show([coach.end(state, is_kept)])


def _typed_lines(prompt: str) -> Iterable[str]:
    """What is typed or piped, line by line; a prompt only where somebody types."""
    stream = sys.stdin
    if stream is None:
        return
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    terminal = stream.isatty()
    ask = _edited_line if terminal and _can_edit() else _line
    while True:
        if terminal and ask is _line:
            console.standard_output().write(prompt)
        line = ask(stream, prompt)
        if not line:
            if terminal:
                console.standard_output().write("\n")
            return
        yield line.rstrip("\r\n")


def _can_edit() -> bool:
    """Whether lines can be edited: on a screen that is not dumb, where this Python has a line editor."""
    if not console.standard_output().terminal:
        return False
    try:
        import readline  # only where somebody types: it reads files and asks the terminal
    except ImportError:
        return False
    # Pasted text needs no marks around it, and without them every line begins without a control sequence.
    readline.parse_and_bind("set enable-bracketed-paste off")
    return True


def _edited_line(_: TextIO, prompt: str) -> str:
    """One line from the line editor, empty at the end of the input."""
    try:
        return input(prompt)[:LONGEST_LINE] + "\n"
    except EOFError:
        return ""


def _line(stream: TextIO, _: str) -> str:
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
