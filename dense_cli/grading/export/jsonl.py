"""JSON Lines: everything about one student on each line, keys sorted, nothing left out."""

from __future__ import annotations

from dense_cli.grading.export.documents import dumped
from dense_cli.grading.export.gradebook import Gradebook
from dense_cli.grading.report import student_data


def write(book: Gradebook) -> str:
    """One object a student, with the names of ``check --json``."""
    return "".join(dumped(student_data(one, book.teller), sort_keys=True) + "\n" for one in book.students)
