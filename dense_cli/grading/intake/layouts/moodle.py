"""Moodle's quiz report "Responses", downloaded as a table.

Source: Moodle, ``mod/quiz/report/responses``. Its headers are written in the language of the site.
"""

from __future__ import annotations

from dense_cli.grading.intake.layouts.columns import Columns, asked, students_of, with_answers
from dense_cli.grading.intake.sheets import STUDENT, FieldNames
from dense_cli.reading.headers import (
    EMAIL,
    FIRST_NAME,
    ID_NUMBER,
    LAST_NAME,
    MOODLE_OTHERS,
    RESPONSE,
    USERNAME,
    folded_header,
)

NO_RESPONSE = "-"


def recognises(header: tuple[str, ...]) -> bool:
    """Answers by number beside someone's name."""
    return any(RESPONSE.fullmatch(cell) for cell in header) and any(
        cell in (*LAST_NAME, *FIRST_NAME, *EMAIL) for cell in header
    )


def columns(header: list[str], source: str, names: FieldNames) -> Columns:
    """The id number names the student, else the address, the user name, first and last name."""
    students = students_of(
        header, names, [ID_NUMBER], [EMAIL], [USERNAME], [STUDENT], [FIRST_NAME, LAST_NAME]
    )
    questions = _responses(header, names) or _unknown(header)
    return with_answers(asked(header, source, names, questions, students), _answer)


def _responses(header: list[str], names: FieldNames) -> dict[int, str]:
    """The numbered responses and what names a field; none where no header is a response's."""
    numbered = {place for place, cell in enumerate(header) if RESPONSE.fullmatch(folded_header(cell))}
    return {
        place: cell
        for place, cell in enumerate(header)
        if numbered and (place in numbered or names.key(cell) or names.within(cell))
    }


def _unknown(header: list[str]) -> dict[int, str]:
    """Every column that is not one of Moodle's own: the responses of a site in another language."""
    own = {*ID_NUMBER, *EMAIL, *USERNAME, *STUDENT, *FIRST_NAME, *LAST_NAME, ""}
    folded = enumerate(map(folded_header, header))
    return {
        place: header[place]
        for place, cell in folded
        if cell not in own and not MOODLE_OTHERS.fullmatch(cell)
    }


def _answer(cell: str) -> str:
    return "" if cell.strip() == NO_RESPONSE else cell
