"""A submission as Gradescope's autograder finds it: the student's files, and who handed them in beside them.

Source: Gradescope, "Submission metadata".
"""

from __future__ import annotations

from pathlib import Path

from dense_cli.errors import DenseError
from dense_cli.grading.documents import from_json
from dense_cli.grading.intake.files import LARGEST_SHEET, content, letters

METADATA, SUBMISSION = "submission_metadata.json", "submission"
NAMES = ("email", "id", "name")
"""What names a person there, in the order in which it counts."""


def submission_of(folder: Path) -> tuple[Path, Path] | None:
    """The folder of the student's files and the file that says whose they are; None where that is not said.

    Of two such files that counts which does not lie among the student's own.
    """
    beside = folder.parent / METADATA
    if folder.name == SUBMISSION and beside.is_file():
        return folder, beside
    within, files = folder / METADATA, folder / SUBMISSION
    if not within.is_file():
        return None
    return (files if files.is_dir() and not files.is_symlink() else folder), within


def student_of(metadata: Path) -> str:
    """Who handed in, several joined by a comma. Raises DenseError where nobody is named."""
    source = str(metadata)
    document = from_json(letters(content(metadata, LARGEST_SHEET), source, None), source)
    users = document.get("users") if isinstance(document, dict) else None
    people = [user for user in users if isinstance(user, dict)] if isinstance(users, list) else []
    named = [next((str(user[name]) for name in NAMES if user.get(name)), "") for user in people]
    student = ", ".join(name.strip() for name in named if name.strip())
    if not student:
        raise DenseError("gradescope-users", source=source)
    return student
