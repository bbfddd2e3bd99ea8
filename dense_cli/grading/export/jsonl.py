"""JSON Lines: everything about one student on each line, keys sorted, nothing left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dense_cli.grading.export.documents import dumped
from dense_cli.grading.export.gradebook import Gradebook
from dense_cli.grading.export.pieces import NAME, Pieces, Wrong
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import Mark
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.reports.report import answer_data, sheet_data

_BEGIN, _NO_ANSWERS, _STUDENT = '{"answers": [', '{"answers": []', '"student": ""'
_GIVEN, _READ_AS = "\0", "\1"


def write(book: Gradebook) -> str:
    """One object a student, with the names of ``check --json``."""
    lines = Lines(book.teller)
    return "".join(lines.text(one) for one in book.students)


class Lines(Pieces):
    """A line of JSON for each sheet; the name stands in it once, without its quotes."""

    def __init__(self, teller: Teller) -> None:
        super().__init__(teller)
        self._first = teller.set.fields[0].key

    def before(self, one: Marked) -> str:
        return "" if one.marks else _BEGIN

    def answer(self, mark: Mark) -> str:
        begin = _BEGIN if mark.field.key == self._first else ", "
        return begin + dumped(answer_data(mark, self.teller), sort_keys=True)

    def wrong(self, mark: Mark) -> Wrong:
        text = self.answer(replace(mark, given=_GIVEN, read_as=_READ_AS))
        before, given, rest = text.partition(dumped(_GIVEN))
        between, read_as, after = rest.partition(dumped(_READ_AS))
        assert given
        assert read_as

        def written(
            given: Sequence[str], read_as: Sequence[str], numbers: Sequence[Sequence[str]]
        ) -> list[str]:
            return [
                f'{before}"{own}"{between}"{told}"{after}' for own, told in zip(given, read_as, strict=True)
            ]

        return written

    def rest(self, one: Marked) -> str:
        empty = {**sheet_data(one, self.teller), "answers": [], "student": ""}
        text = dumped(empty, sort_keys=True).removeprefix(_NO_ANSWERS)
        # a quote inside a text is escaped, so this is the key itself
        before, _, after = text.partition(_STUDENT)
        return f']{before}"student": "{NAME}"{after}\n'

    def spelled(self, student: str) -> str:
        return dumped(student)[1:-1]
