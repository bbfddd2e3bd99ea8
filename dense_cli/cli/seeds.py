"""`--variant`: which numbers a call asks for, and which a sheet answers."""

from __future__ import annotations

from dense_cli.errors import DenseError
from dense_cli.grading.exercises.drawing import OWN, seed_for, seed_of

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
