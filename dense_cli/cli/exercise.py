"""`dense exercise`: exercises to read, to hand out, to solve and to check."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

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
from dense_cli.cli.page import Page
from dense_cli.cli.seeds import one_seed
from dense_cli.derivation import Derivation
from dense_cli.errors import DenseError, DenseErrors
from dense_cli.grading import lint as linting
from dense_cli.grading import pages
from dense_cli.grading.exercise import Exercise, ExerciseSet
from dense_cli.grading.exercise_files import load_set
from dense_cli.grading.handout import Handout, paper
from dense_cli.grading.handout import template as template_text
from dense_cli.grading.questions import Question, questions_about
from dense_cli.grading.solution import solved
from dense_cli.grading.variants import questions_for
from dense_cli.grading.variants import variant as variant_of

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

PRINTED = ("markdown", "latex", "html", "svg")
"""Formats in which a sheet is a page to print; in others it is a file to fill in."""

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
    return _told(pages.listing(_set(exercises), page.language))


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
    chosen = _set(exercises)
    seed = one_seed(variant, chosen.id, student)
    (first, *_) = _questions(_one(chosen, id), seed)
    return _told(pages.asked(first.exercise, page.language, seed))


def practice(
    page: Page,
    id: IdArgument = None,
    variant: VariantOption = None,
    student: StudentOption = None,
    exercises: SetOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Answer the exercises one by one, with hints."""
    from dense_cli.cli.practice import practised

    chosen = _set(exercises)
    seed = one_seed(variant, chosen.id, student)
    alone = None if id is None else chosen.exercise(id).id
    practised(page, chosen, alone, seed)
    return Outcome(None, Exit.DONE)


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
    chosen = _set(exercises)
    if roster is not None or into is not None:
        from dense_cli.cli.class_sheets import class_sheets

        return class_sheets(page, chosen, variant, roster, into)
    if student is not None and variant is None:
        return _sheet(page, Handout(chosen, student))
    seed = one_seed(variant, chosen.id, student)
    return _sheet(page, Handout(questions_for(chosen, seed).set, student or "", seed))


def _sheet(page: Page, sheet: Handout) -> Outcome:
    if page.format in PRINTED:
        return _told(paper(sheet, page.language))
    return Outcome(None, Exit.DONE, text=template_text(sheet, page.language, page.format == "json"))


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
    chosen = _set(exercises)
    seed = one_seed(variant, chosen.id, student)
    questions = _questions(_one(chosen, id), seed)
    told = solved(questions[0].exercise, questions, page.language)
    return _told(replace(told, assumed=(*told.assumed, *pages.numbers_of(seed))))


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


def _questions(one: Exercise, seed: str) -> tuple[Question, ...]:
    """The questions of one exercise, with the numbers of a seed if there is one."""
    return variant_of(one, seed) if seed else questions_about(one)
