"""`dense exercise`: exercises to read, to hand out, to solve and to check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dense_cli.cli.exits import Exit
from dense_cli.cli.options import (
    DigitsOption,
    Example,
    FormatOption,
    JsonOption,
    LangOption,
    Outcome,
    OutputOption,
    option,
    positional,
)
from dense_cli.derivation import Derivation
from dense_cli.errors import DenseError, DenseErrors
from dense_cli.grading import lint as linting
from dense_cli.grading import pages
from dense_cli.grading.exercise import Exercise, ExerciseSet
from dense_cli.grading.exercise_files import load_set
from dense_cli.grading.questions import questions_of
from dense_cli.grading.solution import solved

SUBCOMMANDS = ("list", "show", "template", "solve", "lint")

EXAMPLES = {
    "exercise": (
        Example("list", "exercise list"),
        Example("show", "exercise show 4"),
        Example("template", "exercise template --output answers.toml"),
    ),
}

SetOption = Annotated[str | None, option("--exercises", metavar="DIR")]
IdArgument = Annotated[str | None, positional("ID")]


def list_(
    ctx: typer.Context,
    exercises: SetOption = None,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """List the exercises of a set."""
    return _told(pages.listing(_set(exercises), ctx.obj.language))


def show(
    ctx: typer.Context,
    id: IdArgument = None,
    exercises: SetOption = None,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Show one exercise."""
    return _told(pages.asked(_one(_set(exercises), id), ctx.obj.language))


def template(
    ctx: typer.Context,
    exercises: SetOption = None,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Print an empty answer sheet, TOML or JSON."""
    as_json = ctx.obj.format == "json"
    return Outcome(None, Exit.DONE, text=pages.template(_set(exercises), ctx.obj.language, as_json))


def solve(
    ctx: typer.Context,
    id: IdArgument = None,
    exercises: SetOption = None,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Show the worked solution of an exercise."""
    chosen = _set(exercises)
    one = _one(chosen, id)
    return _told(solved(one, questions_of(chosen).questions, ctx.obj.language))


def lint(
    dir: Annotated[str | None, positional("DIR")] = None,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Check that a set is sound, and say which mistakes its numbers hide."""
    found = linting.lint(Path(dir) if dir is not None else None)
    if found.set is None or found.faults:
        raise DenseErrors(found.faults)
    return _told(linting.page(found, found.set))


def _told(derivation: Derivation) -> Outcome:
    return Outcome(derivation, Exit.DONE)


def _set(typed: str | None) -> ExerciseSet:
    return load_set(Path(typed) if typed is not None else None)


def _one(chosen: ExerciseSet, typed: str | None) -> Exercise:
    if typed is None:
        raise DenseError("exercise-id-missing", known=tuple(one.id for one in chosen.exercises))
    return chosen.exercise(typed)
