"""A table for Moodle's grade import.

Source: Moodle, ``grade/import/csv``: users are found by id number or email address, a grade has a point,
one unknown user or one empty grade that is no number spoils the whole import.
"""

from __future__ import annotations

from collections.abc import Iterator

from dense_cli.grading.export.cells import written
from dense_cli.grading.export.gradebook import Caution, Gradebook, all_right, decimal
from dense_cli.grading.export.gradescope import output
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import BLANK

ID_NUMBER, EMAIL = "ID number", "Email address"


def write(book: Gradebook) -> str:
    """One row a student who has a mark; with a class list only those who are in it."""
    name = book.column or book.teller.set.id
    return written((ID_NUMBER, EMAIL, name, f"{name} feedback"), _rows(book))


def cautions(book: Gradebook) -> Iterator[Caution]:
    return book.left_out()


def _rows(book: Gradebook) -> Iterator[tuple[str, ...]]:
    for one in book.graded:
        found = book.roster.member(one.student) if book.roster else None
        if book.roster is None:
            by_email = "@" in one.student
            person = ("", one.student) if by_email else (one.student, "")
        elif found is not None:
            person = (book.roster.cell(found, ID_NUMBER), book.roster.cell(found, EMAIL))
        else:
            continue
        if not any(person):
            person = ("", one.student) if "@" in one.student else (one.student, "")
        yield *person, decimal(one.score), _feedback(one, book)


def _feedback(one: Marked, book: Gradebook) -> str:
    """What there is to say about the answers that are not right, a line each."""
    return "\n".join(
        f"{mark.field.key}: {output(mark, book.teller)}"
        for mark in one.marks
        if mark.verdict != BLANK and not all_right(mark)
    )
