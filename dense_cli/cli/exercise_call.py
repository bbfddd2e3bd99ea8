"""What `dense exercise` shows: a set, one exercise, a sheet to fill in, a solution, what lint finds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dense_cli.cli.exits import Exit
from dense_cli.cli.options import Outcome
from dense_cli.cli.seeds import one_seed
from dense_cli.derivation import Derivation
from dense_cli.errors import DenseError, DenseErrors
from dense_cli.frozen import replace
from dense_cli.grading.exercises.exercise import Exercise, ExerciseSet
from dense_cli.grading.exercises.set_files import load_set
from dense_cli.grading.handouts import pages

if TYPE_CHECKING:
    from dense_cli.cli.page import Page
    from dense_cli.grading.handouts.handout import Handout
    from dense_cli.grading.marks.questions import Question

PRINTED = ("markdown", "latex", "html", "svg")
"""Formats in which a sheet is a page to print; in others it is a file to fill in."""


def listed(page: Page, exercises: str | None) -> Outcome:
    """Every exercise of a set."""
    return _told(pages.listing(_set(exercises), page.language))


def shown(
    page: Page, id: str | None, variant: str | None, student: str | None, exercises: str | None
) -> Outcome:
    """One exercise to read, with the numbers of a variant if one is asked for."""
    chosen = _set(exercises)
    seed = one_seed(variant, chosen.id, student)
    one = _one(chosen, id)
    if seed:
        one = _questions(one, seed)[0].exercise
    return _told(pages.asked(one, page.language, seed))


def practised(
    page: Page, id: str | None, variant: str | None, student: str | None, exercises: str | None
) -> Outcome:
    """The dialogue of practice, until it is left."""
    from dense_cli.cli.practice import practised as practised_alone

    chosen = _set(exercises)
    seed = one_seed(variant, chosen.id, student)
    practised_alone(page, chosen, None if id is None else chosen.exercise(id).id, seed)
    return Outcome(None, Exit.DONE)


def handed_out(
    page: Page,
    variant: str | None,
    student: str | None,
    roster: str | None,
    into: str | None,
    exercises: str | None,
) -> Outcome:
    """An empty sheet, a page to print, or one of them for each person of a class list."""
    from dense_cli.grading.handouts.handout import Handout

    chosen = _set(exercises)
    if roster is not None or into is not None:
        from dense_cli.cli.class_sheets import class_sheets

        return class_sheets(page, chosen, variant, roster, into)
    if student is not None and variant is None:
        return _sheet(page, Handout(chosen, student))
    seed = one_seed(variant, chosen.id, student)
    if seed:
        from dense_cli.grading.variants.variant import questions_for

        chosen = questions_for(chosen, seed).set
    return _sheet(page, Handout(chosen, student or "", seed))


def _sheet(page: Page, sheet: Handout) -> Outcome:
    from dense_cli.grading.handouts import handout

    if page.format in PRINTED:
        return _told(handout.paper(sheet, page.language))
    if page.output is not None and handout.holds_answers(Path(page.output)):
        raise DenseError("answers-are-there", option="--output", typed=page.output)
    return Outcome(None, Exit.DONE, text=handout.template(sheet, page.language, page.format == "json"))


def solution(
    page: Page, id: str | None, variant: str | None, student: str | None, exercises: str | None
) -> Outcome:
    """The worked solution of one exercise."""
    from dense_cli.grading.handouts.solution import solved

    chosen = _set(exercises)
    seed = one_seed(variant, chosen.id, student)
    questions = _questions(_one(chosen, id), seed)
    told = solved(questions[0].exercise, questions, page.language)
    return _told(replace(told, assumed=(*told.assumed, *pages.numbers_of(seed))))


def linted(folder: str | None) -> Outcome:
    """What lint says of a set; DenseErrors with every fault where it is not sound."""
    from dense_cli.grading.handouts import lint

    found = lint.lint(Path(folder) if folder is not None else None)
    if found.set is None or found.faults:
        raise DenseErrors(found.faults)
    return _told(lint.page(found, found.set))


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
    if seed:
        from dense_cli.grading.variants.variant import variant

        return variant(one, seed)
    from dense_cli.grading.marks.questions import questions_about

    return questions_about(one)
