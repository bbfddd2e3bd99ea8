"""`dense exercise`: exercises to read, to hand out, to solve and to check; `exercise_call` does it."""

from __future__ import annotations

from typing import Annotated

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
from dense_cli.cli.page import Page

SUBCOMMANDS = ("list", "show", "practice", "template", "solve", "lint")

EXAMPLES = {
    "exercise": (
        Example("list", "exercise list"),
        Example("show", "exercise show 4"),
        Example("template", "exercise template --output answers.toml"),
    ),
    "exercise-template": (
        Example("variant", "exercise template --variant 7 --output answers.toml"),
        Example("paper", "exercise template --variant 7 --format markdown"),
    ),
}

SetOption = Annotated[str | None, option("--exercises", metavar="DIR")]
VariantOption = Annotated[str | None, option("--variant", metavar="SEED|student")]
StudentOption = Annotated[str | None, option("--student", metavar="NAME")]
IdArgument = Annotated[str | None, positional("ID")]


def list_(
    page: Page,
    exercises: SetOption = None,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """List the exercises of a set."""
    from dense_cli.cli import exercise_call

    return exercise_call.listed(page, exercises)


def show(
    page: Page,
    id: IdArgument = None,
    variant: VariantOption = None,
    student: StudentOption = None,
    exercises: SetOption = None,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Show one exercise."""
    from dense_cli.cli import exercise_call

    return exercise_call.shown(page, id, variant, student, exercises)


def practice(
    page: Page,
    id: IdArgument = None,
    variant: VariantOption = None,
    student: StudentOption = None,
    exercises: SetOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Answer the exercises one by one, with hints."""
    from dense_cli.cli import exercise_call

    return exercise_call.practised(page, id, variant, student, exercises)


def template(
    page: Page,
    variant: VariantOption = None,
    student: StudentOption = None,
    roster: Annotated[str | None, option("--roster", metavar="FILE")] = None,
    into: Annotated[str | None, option("--into", metavar="DIR")] = None,
    exercises: SetOption = None,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Print an empty answer sheet, TOML or JSON, or a page to print; or one for each of a class."""
    from dense_cli.cli import exercise_call

    return exercise_call.handed_out(page, variant, student, roster, into, exercises)


def solve(
    page: Page,
    id: IdArgument = None,
    variant: VariantOption = None,
    student: StudentOption = None,
    exercises: SetOption = None,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Show the worked solution of an exercise."""
    from dense_cli.cli import exercise_call

    return exercise_call.solution(page, id, variant, student, exercises)


def lint(
    dir: Annotated[str | None, positional("DIR")] = None,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Check that a set is sound, and say which mistakes its numbers hide."""
    from dense_cli.cli import exercise_call

    return exercise_call.linted(dir)
