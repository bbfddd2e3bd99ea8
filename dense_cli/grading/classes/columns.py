"""The answers of a class column by column: each different text is judged and written once.

What is written of a sheet is a text for each answer and a rest that its totals decide. Here the texts of a
field are kept by what was answered, and the rests by the points and verdicts of all fields. Everything in
them comes from the marking that every other sheet goes through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from dense_cli.frozen import dataclass, field, replace
from dense_cli.grading.classes.unexplained import Plain, Sight, sight
from dense_cli.grading.classes.usual import Shape
from dense_cli.grading.export.pieces import NAME, Pieces, encoded
from dense_cli.grading.marks.marked import Marked, Standing
from dense_cli.grading.marks.marking import LONGEST, WRONG, Mark, Marker
from dense_cli.grading.marks.questions import Question

MOST_ANSWERS = 1024
"""Different answers to one question whose text is kept; then it begins anew."""

MOST_TOTALS = 4096
"""Different rests that are kept."""

_NAME = NAME.encode()

Written = tuple[bytes, int, Mark | None]
"""The text of an answer, and a number for what it weighs: equal numbers, equal points and verdicts.

The mark is missing where the answer is plainly wrong and nobody counts."""

Given = str | tuple[str, ...]
"""What decides the text of an answer: its own text, or that and those of the answers it may follow from."""


@dataclass(frozen=True)
class Bench:
    """What the columns of one job share."""

    marker: Marker
    pieces: Pieces | None
    source: str
    variant: str
    counted: bool
    _weights: dict[tuple[Fraction, str, bool], int] = field(default_factory=dict)

    def text(self, mark: Mark) -> str:
        return "" if self.pieces is None else self.pieces.answer(mark)

    def weight(self, mark: Mark) -> int:
        return self._weights.setdefault((mark.points, mark.verdict, mark.reviewed), len(self._weights))

    def marked(self, student: str, marks: Sequence[Mark]) -> Marked:
        return Marked(student, self.source, tuple(marks), variant=self.variant)

    def rest(self, one: Marked) -> bytes:
        """What follows the answers of a sheet."""
        return b"" if self.pieces is None else encoded(self.pieces.rest(one))


class Column(dict[Given, Written]):
    """The answers to one question: what is written of each, made when it is first looked up.

    The text of each has that of the blank fields `before` it in front. `sources` are those fields of the
    shape from whose answers this one may follow.
    """

    def __init__(self, question: Question, shape: Shape, before: str, bench: Bench) -> None:
        super().__init__()
        places = {key: place for place, key in shape.fields}
        self.question = question
        self.place = places[question.field.key]
        self.sources = tuple(key for key in question.sources if key in places)
        self._beside = tuple(places[key] for key in self.sources)
        self._read, self._before, self._bench = shape.read, before, bench
        # Where it may follow from the student's own answers, more than its own text decides.
        self._is_alone = len(self.sources) < len(question.sources) or not question.sources
        self._plainly: tuple[Sight, Callable[[str, Plain], Written]] | None = None

    def of(self, places: Sequence[Sequence[str]]) -> list[Written]:
        """What is written of this field of many lines, of which all that stands at each place is given."""
        given: Iterable[Given] = places[self.place]
        if self.sources:
            given = zip(places[self.place], *(places[place] for place in self._beside), strict=True)
        return list(map(self.__getitem__, given))

    def __missing__(self, given: Given) -> Written:
        text = given[0] if isinstance(given, tuple) else given
        answer = self._read(text)
        if self._plainly is not None and type(answer) is str:
            sees, written = self._plainly
            plain = sees(answer)
            if plain is not None:
                return written(answer, plain)
        others = given[1:] if isinstance(given, tuple) else ()
        answers = {key: self._read(other) for key, other in zip(self.sources, others, strict=True)}
        mark = self._bench.marker.mark(self.question, {**answers, self.question.field.key: answer})
        found = encoded(self._before + self._bench.text(mark)), self._bench.weight(mark), mark
        if max(map(len, (text, *others))) <= LONGEST:
            if len(self) >= MOST_ANSWERS:
                self.clear()
            self[given] = found
        self._learn(mark)
        return found

    def _learn(self, mark: Mark) -> None:
        """From the first answer that is wrong for no known reason, how every other such one is written."""
        if self._plainly is not None or not self._is_alone:
            return
        if mark.verdict != WRONG or mark.mistakes or mark.message is not None or mark.assumed:
            return
        sees = sight(self.question, self._bench.marker.rules)
        if sees is not None:
            self._plainly = sees, self._written_like(mark)

    def _written_like(self, mark: Mark) -> Callable[[str, Plain], Written]:
        """The text of an answer like this one, and its mark where the job counts."""
        pieces, counted, before = self._bench.pieces, self._bench.counted, self._before
        wrong, weight = None if pieces is None else pieces.wrong(mark), self._bench.weight(mark)

        def written(given: str, plain: Plain) -> Written:
            read_as, numbers = plain
            text = b"" if wrong is None else encoded(before + wrong(given, read_as, numbers))
            if not counted:
                return text, weight, None
            values = tuple(map(Fraction, numbers))
            value = values if isinstance(mark.value, tuple) else values[0]
            return text, weight, replace(mark, given=given, read_as=read_as, value=value)

        return written


class Rows:
    """Sheets of one shape."""

    def __init__(self, shape: Shape, bench: Bench) -> None:
        self.shape, self._bench = shape, bench
        self._columns: list[Column] = []
        self._blank: list[Mark] = []
        answered = {key for _, key in shape.fields}
        before = ""
        for question in bench.marker.questions.questions:
            blank = bench.marker.mark(question, {})
            self._blank.append(blank)
            if question.field.key in answered:
                self._columns.append(Column(question, shape, before, bench))
                before = ""
            else:
                before += bench.text(blank)
        self._after = encoded(before)
        self._rests: dict[tuple[int, ...], tuple[bytes, Standing]] = {}

    def written(self, lines: Sequence[Sequence[str]]) -> list[bytes]:
        """All that is written of each usual line."""
        names, columns, rests = self._worked(lines)
        texts = zip(*(texts for texts, _, _ in columns), [rest for rest, _ in rests], strict=True)
        return [
            text.replace(_NAME, name.encode()) for text, name in zip(map(b"".join, texts), names, strict=True)
        ]

    def counted(self, lines: Sequence[Sequence[str]]) -> tuple[list[Marked], list[Standing]]:
        """The marks of each usual line, and how the student stands, for a job that counts."""
        names, columns, rests = self._worked(lines)
        marks: list[Sequence[Mark | None]] = [(blank,) * len(lines) for blank in self._blank]
        fields = [question.field.key for question in self._bench.marker.questions.questions]
        for column, (_, _, own) in zip(self._columns, columns, strict=True):
            marks[fields.index(column.question.field.key)] = own
        sheets = [
            self._bench.marked(name, [mark for mark in sheet if mark is not None])
            for name, sheet in zip(names, zip(*marks, strict=True), strict=True)
        ]
        standings = [
            Standing(name, one.source, one.score, one.max_score, one.to_review)
            for name, (_, one) in zip(names, rests, strict=True)
        ]
        return sheets, standings

    def _worked(
        self, lines: Sequence[Sequence[str]]
    ) -> tuple[Sequence[str], list[Sequence[Any]], list[tuple[bytes, Standing]]]:
        """Whose the lines are; of each column the texts, weights and marks; what follows the answers."""
        places = tuple(zip(*lines, strict=True))
        columns: list[Sequence[Any]] = [
            tuple(zip(*column.of(places), strict=True)) for column in self._columns
        ]
        weights = zip(*(weights for _, weights, _ in columns), strict=True)
        rests = [
            self._rests.get(each) or self._new_rest(each, line)
            for each, line in zip(weights, lines, strict=True)
        ]
        return places[self.shape.student], columns, rests

    def _new_rest(self, weights: tuple[int, ...], line: Sequence[str]) -> tuple[bytes, Standing]:
        if len(self._rests) >= MOST_TOTALS:
            self._rests.clear()
        answers = {key: self.shape.read(line[place]) for place, key in self.shape.fields}
        one = self._bench.marked(NAME, self._bench.marker.sheet(answers))
        rest = self._rests[weights] = self._after + self._bench.rest(one), one.standing
        return rest
