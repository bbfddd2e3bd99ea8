"""`exercise template --roster`: a sheet of their own for everybody in a class."""

from __future__ import annotations

import os
from collections.abc import Callable
from shlex import quote

from dense_cli.cli import console
from dense_cli.cli.exits import Exit
from dense_cli.cli.options import Outcome
from dense_cli.cli.page import Page
from dense_cli.cli.seeds import wanted_seed
from dense_cli.cli.suffixes import OF_FORMAT
from dense_cli.errors import DenseError
from dense_cli.grading.exercises.drawing import OWN, seed_for
from dense_cli.grading.exercises.exercise import ExerciseSet
from dense_cli.grading.handouts.handout import Handout, file_names, paper, template
from dense_cli.grading.handouts.pages import set_option
from dense_cli.grading.intake.roster import Member
from dense_cli.grading.intake.roster import roster as class_list
from dense_cli.grading.variants.variant import questions_for
from dense_cli.reading.characters import visible
from dense_cli.reading.documents import decoded

LARGEST_ROSTER = 1 << 24

LONGEST_CALL = 1000
"""Characters of the call for marking; a path is seldom so long."""


def class_sheets(
    page: Page, chosen: ExerciseSet, variant: str | None, roster: str | None, into: str | None
) -> Outcome:
    """A file for every student of the class list, with their own numbers unless a seed says others.

    Files that are there already, which may hold answers, and names that no numbers can be drawn for are
    refused before anything is written.
    """
    if roster is None or into is None:
        missing = "--into" if into is None else "--roster"
        raise DenseError("missing-option", hint="missing-option-sheets", options=missing)
    named = (one.ids[0] or next(filter(None, one.ids)) for one in _members(roster))
    students = list(dict.fromkeys(named))  # who stands twice in the list gets one sheet
    wanted = wanted_seed(variant) or OWN
    seeds = [seed_for(wanted, chosen.id, student) for student in students]
    suffix = OF_FORMAT.get(page.format or "", ".toml")
    places = [os.path.join(into, name) for name in file_names(students, suffix)]
    there = [place for place in places if os.path.lexists(place)]
    if there:
        raise DenseError("sheet-is-there", option="--into", typed=there[0], count=len(there))
    console.make_folder(into)
    write = _writer(page)
    for student, seed, place in zip(students, seeds, places, strict=True):
        console.write_atomically(place, write(Handout(questions_for(chosen, seed).set, student, seed)))
    call = visible(quote(into) + set_option(chosen), LONGEST_CALL)
    written = page.say("practice.sheets-written", count=str(len(places)), folder=visible(into), call=call)
    return Outcome(None, Exit.DONE, text=f"{written}\n")


def _members(path: str) -> tuple[Member, ...]:
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_ROSTER + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise DenseError("cannot-read", source=path, reason=reason) from error
    if len(content) > LARGEST_ROSTER:
        raise DenseError("sheet-too-large", source=path, most=LARGEST_ROSTER)
    return class_list(decoded(content, path, None), path).members


def _writer(page: Page) -> Callable[[Handout], str]:
    """A sheet as the text of its file."""
    if page.format not in OF_FORMAT or page.format == "json":
        return lambda sheet: template(sheet, page.language, page.format == "json")
    from dense_cli import render

    format = page.format
    return lambda sheet: render.show(
        paper(sheet, page.language),
        format=format,
        say=page.say,
        digits=page.digits,
        width=console.USUAL,
        colour=False,
    )
