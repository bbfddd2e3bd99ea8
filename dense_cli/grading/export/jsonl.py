"""JSON Lines: everything about one student on each line, keys sorted, nothing left out."""

from __future__ import annotations

from dense_cli.grading.export.documents import dumped
from dense_cli.grading.export.gradebook import Gradebook
from dense_cli.grading.export.pieces import OfMarks, Parts, Pieces
from dense_cli.grading.report import Marked, answer_data, sheet_data
from dense_cli.grading.telling import Teller

_ANSWERS, _STUDENT = '{"answers": []', '"student": ""'


def write(book: Gradebook) -> str:
    """One object a student, with the names of ``check --json``."""
    lines = Lines(book.teller)
    return "".join(lines.text(one) for one in book.students)


class Lines(Pieces):
    """A line of JSON for each sheet; the name stands in it once, without its quotes."""

    def __init__(self, teller: Teller) -> None:
        super().__init__(teller)
        self._answers = OfMarks(lambda mark: ", " + dumped(answer_data(mark, teller), sort_keys=True))

    def of(self, one: Marked) -> Parts:
        empty = {**sheet_data(one, self.teller), "answers": [], "student": ""}
        text = dumped(empty, sort_keys=True).removeprefix(_ANSWERS)
        # a quote inside a text is escaped, so this is the key itself
        before, _, after = text.partition(_STUDENT)
        first, *others = map(self._answers.of, one.marks) if one.marks else ("",)
        begin = '{"answers": [' + first.removeprefix(", ")
        return Parts((begin, *others), (f']{before}"student": "', f'"{after}\n'))

    def spelled(self, student: str) -> str:
        return dumped(student)[1:-1]
