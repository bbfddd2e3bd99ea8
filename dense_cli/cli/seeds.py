"""`--variant`: which numbers a call asks for, and which a sheet answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dense_cli.errors import DenseError
from dense_cli.grading.drawing import seed_of
from dense_cli.grading.report import Marked
from dense_cli.grading.sheets import Sheet
from dense_cli.grading.variants import OWN, Markers, seed_for

OPTION = "--variant"


def wanted_seed(typed: str | None) -> str:
    """What `--variant` asks for; empty where it was not typed. Raises DenseError for what is no seed."""
    try:
        return "" if typed is None else seed_of(typed)
    except DenseError as error:
        raise error.about(option=OPTION) from error


def one_seed(typed: str | None, set_id: str, student: str | None = None) -> str:
    """The seed of a call that is about one variant: `student` needs to be told which."""
    wanted = wanted_seed(typed)
    if wanted.casefold() == OWN and not (student or "").strip():
        raise DenseError("variant-whose", option=OPTION, typed=typed)
    if student is not None and wanted.casefold() != OWN:
        raise DenseError("student-without-variant", option="--student", typed=student)
    return seed_for(wanted, set_id, student or "")


def marked_with(markers: Markers, sheet: Sheet, wanted: str) -> Marked:
    """A sheet marked with the numbers that the call asks for, else with those that it names itself."""
    if sheet.error:
        return Marked(sheet.student, sheet.source, (), sheet.error)
    seed = seed_for(wanted or sheet.variant, markers.chosen.id, sheet.student)
    marks = markers.of(seed).sheet(sheet.answers)
    return Marked(sheet.student, sheet.source, marks, variant=seed, submitted=sheet.submitted)


def other_numbers(sheets: Iterable[Sheet], wanted: str, set_id: str) -> Iterator[DenseError]:
    """A warning for each sheet that names other numbers than those that the call asks for."""
    for sheet in sheets if wanted else ():
        if sheet.error is None and sheet.variant:
            asked = seed_for(wanted, set_id, sheet.student)
            named = seed_for(sheet.variant, set_id, sheet.student)
            if asked != named:
                yield DenseError("variant-differs", source=sheet.source, typed=named, variant=asked)
