"""The answers to a Google form, from its spreadsheet.

There is no published list of columns: a time comes first, then an address if the form collects one, a score
if it is a quiz, and a column a question.
"""

from __future__ import annotations

from dense_cli.grading.intake.layouts.columns import Columns, asked, students_of
from dense_cli.grading.intake.sheets import STUDENT, FieldNames
from dense_cli.reading.headers import EMAIL, FORM_OTHERS, ID_NUMBER, TIMESTAMP, USERNAME, folded_header


def recognises(header: tuple[str, ...]) -> bool:
    return header[0] in TIMESTAMP


def columns(header: list[str], source: str, names: FieldNames) -> Columns:
    """A question for the student's number names the student, else the address."""
    students = students_of(header, names, [STUDENT], [ID_NUMBER], [EMAIL], [USERNAME])
    known = {*TIMESTAMP, *FORM_OTHERS, *STUDENT, *ID_NUMBER, *EMAIL, *USERNAME}
    questions = {
        place: cell
        for place, cell in enumerate(header)
        if (folded := folded_header(cell)) and folded not in known
    }
    return asked(header, source, names, questions, students)
