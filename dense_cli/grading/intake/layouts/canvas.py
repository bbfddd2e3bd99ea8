"""Canvas's quiz report "Student analysis".

Source: Canvas, ``quiz_statistics/student_analysis.rb``: two columns a question, the second headed by
nothing but the points, so that headers repeat; a comma inside an answer may come as ``\\\\,``.
"""

from __future__ import annotations

from dense_cli.grading.intake.layouts.columns import Columns, asked, students_of, with_answers
from dense_cli.grading.intake.sheets import FieldNames
from dense_cli.reading.headers import CANVAS_COUNTS, CANVAS_QUESTION


def recognises(header: tuple[str, ...]) -> bool:
    return all(count in header for count in CANVAS_COUNTS)


def columns(header: list[str], source: str, names: FieldNames) -> Columns:
    """Canvas's own number names the student, for only that is surely one person's."""
    students = students_of(header, names, [("id",)], [("sis_id",)], [("name",)])
    questions = {
        place: found[2] or cell
        for place, cell in enumerate(header)
        if (found := CANVAS_QUESTION.fullmatch(cell.strip()))
    }
    return with_answers(asked(header, source, names, questions, students), _answer)


def _answer(cell: str) -> str:
    return cell.replace("\\,", ",")
