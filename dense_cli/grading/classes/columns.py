"""The answers of a class column by column: each different text is judged and written once.

What is written of a sheet is a text for each answer and a rest that its totals decide. Here the texts of a
field are kept by what was answered, and the rests by the points and verdicts of all fields. Everything in
them comes from the marking that every other sheet goes through.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import repeat
from operator import itemgetter
from typing import Any

from dense_cli.frozen import dataclass, field, replace
from dense_cli.grading.classes.unexplained import Numbers, Sight, plain_value, read_as, sight
from dense_cli.grading.classes.usual import Shape
from dense_cli.grading.export.pieces import NAME, Pieces, each_encoded, encoded
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

_TEXT, _WEIGHT, _MARK = map(itemgetter, range(3))

Given = str | tuple[str, ...]
"""What decides the text of an answer: its own text, or that and those of the answers it may follow from."""

Rest = tuple[bytes, bytes, Standing]
"""What follows the answers of a sheet, before and after the name, and how the student stands."""


@dataclass(frozen=True)
class Bench:
    """What the columns of one job share."""

    marker: Marker
    pieces: Pieces | None
    source: str
    variant: str
    counted: bool
    _weights: dict[tuple[Fraction, str, bool], int] = field(default_factory=dict)

    def text(self, mark: Mark) -> bytes:
        return b"" if self.pieces is None else encoded(self.pieces.answer(mark))

    def weight(self, mark: Mark) -> int:
        return self._weights.setdefault((mark.points, mark.verdict, mark.reviewed), len(self._weights))

    def marked(self, student: str, marks: Sequence[Mark]) -> Marked:
        return Marked(student, self.source, tuple(marks), variant=self.variant)

    def rest(self, marks: Sequence[Mark]) -> Rest:
        one = self.marked(NAME, marks)
        before, _, after = ("" if self.pieces is None else self.pieces.rest(one)).partition(NAME)
        return encoded(before), encoded(after), one.standing


class Column:
    """The answers to one question: what is written of each, made when it is first met.

    `sources` are the fields from whose answers this one may follow; none where not all of them are answered.
    """

    def __init__(self, question: Question, shape: Shape, bench: Bench) -> None:
        places = {key: place for place, key in shape.fields}
        self.question = question
        self.sources = question.sources if places.keys() >= set(question.sources) else ()
        self._places = [places[key] for key in (question.field.key, *self.sources)]
        self._shape, self._bench = shape, bench
        self._known: dict[Given, Written] = {}
        self._like: _Like | None = None
        among = bench.marker.sources(question) if self.sources else ()
        self._values = [plain_value(one) for one in (question, *among)]

    def of(self, places: Sequence[Sequence[str]]) -> Sequence[Any]:
        """What is written of this field of many lines, of which all that stands at each place is given."""
        given: Sequence[Any] = places[self._places[0]]
        if self.sources:
            given = [*zip(*(places[place] for place in self._places), strict=True)]
        found: list[Written | None] = [*map(self._known.get, given)]
        if None in found and self._like is not None:
            self._see(given, found, self._like)
        if None in found:
            self._judge(given, found)
        return found

    def _see(self, given: Sequence[Any], found: list[Written | None], like: _Like) -> None:
        """Fill in what is plainly wrong."""
        new = [place for place, one in enumerate(found) if one is None]
        keys = [given[place] for place in new]
        texts = [[*column] for column in zip(*keys, strict=True)] if self.sources else [keys]
        answers = [*map(self._shape.given, texts)]
        written = like.written(answers[0]) if answers else []
        if self.sources:
            written = [
                None if one is None or self._may_follow(row) else one
                for one, row in zip(written, zip(*answers, strict=True), strict=True)
            ]
        for place, one in zip(new, written, strict=True):
            found[place] = one
        # They fill no more than half of the room: what takes a judgement is dearer.
        room = max(MOST_ANSWERS // 2 - len(self._known), 0)
        for key, one in zip(keys[:room], written, strict=False):
            if one is not None:
                self._known[key] = one

    def _may_follow(self, answers: Sequence[str]) -> bool:
        """Whether the first answer is right for the others, or only the whole judgement can tell."""
        own, *earlier = (value(text) for value, text in zip(self._values, answers, strict=True))
        if own is None or None in earlier:
            return True
        values = {key: one for key, one in zip(self.sources, earlier, strict=True) if one is not None}
        return self._bench.marker.follows(self.question, own, values)

    def _judge(self, given: Sequence[Any], found: list[Written | None]) -> None:
        """Fill in the rest."""
        for place, text in enumerate(given):
            if found[place] is None:
                one = found[place] = self._known.get(text) or self._judged(text)
                if self._like is None:
                    self._like = self._learnt(one[2])
                    if self._like is not None:
                        self._see(given, found, self._like)

    def _judged(self, given: Given) -> Written:
        """What is written of an answer, after marking it as on any sheet."""
        texts = (given,) if isinstance(given, str) else given
        keys = (self.question.field.key, *self.sources)
        answers = {key: self._shape.read(text) for key, text in zip(keys, texts, strict=True)}
        mark = self._bench.marker.mark(self.question, answers)
        found = self._bench.text(mark), self._bench.weight(mark), mark
        if max(map(len, texts)) <= LONGEST:
            if len(self._known) >= MOST_ANSWERS:
                self._known.clear()
            self._known[given] = found
        return found

    def _learnt(self, mark: Mark | None) -> _Like | None:
        """From the first answer that is wrong for no known reason, how every other such one is written."""
        if mark is None or mark.verdict != WRONG:
            return None
        if mark.mistakes or mark.message is not None or mark.assumed:
            return None
        sees = sight(self.question, self._bench.marker.rules)
        return None if sees is None else _Like(mark, sees, self._bench)


class _Like:
    """How answers are written that are as plainly wrong as one that was judged."""

    def __init__(self, mark: Mark, sees: Sight, bench: Bench) -> None:
        self._mark, self._sees, self._counted = mark, sees, bench.counted
        self._text = None if bench.pieces is None else bench.pieces.wrong(mark)
        self._weight, self._is_vector = bench.weight(mark), isinstance(mark.value, tuple)

    def written(self, given: Sequence[str]) -> Sequence[Written | None]:
        """What is written of each of these answers; None for one that takes a judgement."""
        seen = self._sees(given)
        if self._text is None and not self._counted:
            alike = b"", self._weight, None
            return [alike if numbers else None for numbers in seen]
        plain = {place: numbers for place, numbers in enumerate(seen) if numbers}
        numbers = tuple(plain.values())
        answers = [given[place] for place in plain], read_as(numbers, self._is_vector), numbers
        texts = repeat(b"", len(plain)) if self._text is None else each_encoded(self._text(*answers))
        marks = map(self._marked, *answers) if self._counted else repeat(None, len(plain))
        found: list[Written | None] = [None] * len(given)
        for place, text, mark in zip(plain, texts, marks, strict=True):
            found[place] = text, self._weight, mark
        return found

    def _marked(self, given: str, told: str, numbers: Numbers) -> Mark:
        values = tuple(map(Fraction, numbers))
        return replace(self._mark, given=given, read_as=told, value=values if self._is_vector else values[0])


class Rows:
    """Sheets of one shape."""

    def __init__(self, shape: Shape, bench: Bench) -> None:
        self.shape, self._bench = shape, bench
        answered = {key for _, key in shape.fields}
        self._fields: list[Column | Mark] = [
            Column(question, shape, bench)
            if question.field.key in answered
            else bench.marker.mark(question, {})
            for question in bench.marker.questions.questions
        ]
        """In the order of the set; a mark where the shape leaves a field blank."""
        self._columns = [one for one in self._fields if isinstance(one, Column)]
        self._texts = _joined(bench.text(one) if isinstance(one, Mark) else one for one in self._fields)
        self._rests: dict[tuple[int, ...], Rest] = {}

    def written(self, lines: Sequence[Sequence[str]]) -> bytes:
        """All that is written of usual lines."""
        names, columns, rests = self._worked(lines)
        texts = iter(columns)
        parts: list[Iterable[bytes]] = [
            map(_TEXT, next(texts)) if isinstance(one, Column) else repeat(one, len(lines))
            for one in self._texts
        ]
        before, after, _ = zip(*rests, strict=True)
        named = "\n".join(names).encode().split(b"\n")
        if self._bench.pieces is None or not self._bench.pieces.names_answers:
            return b"".join(map(b"".join, zip(*parts, before, named, after, strict=True)))
        whole = map(b"".join, zip(*parts, strict=True))
        return b"".join(text.replace(_NAME, name) for text, name in zip(whole, named, strict=True))

    def counted(self, lines: Sequence[Sequence[str]]) -> tuple[list[Marked], list[Standing]]:
        """The marks of each usual line, and how the student stands, for a job that counts."""
        names, columns, rests = self._worked(lines)
        own = iter(columns)
        marks = [
            repeat(one, len(lines)) if isinstance(one, Mark) else map(_MARK, next(own))
            for one in self._fields
        ]
        sheets = [
            self._bench.marked(name, sheet)
            for name, sheet in zip(names, zip(*marks, strict=True), strict=True)
        ]
        standings = [
            Standing(name, one.source, one.score, one.max_score, one.to_review)
            for name, (_, _, one) in zip(names, rests, strict=True)
        ]
        return sheets, standings

    def _worked(
        self, lines: Sequence[Sequence[str]]
    ) -> tuple[Sequence[str], list[Sequence[Any]], list[Rest]]:
        """Whose the lines are; what is written of each column; what follows the answers."""
        places = tuple(zip(*lines, strict=True))
        columns = [column.of(places) for column in self._columns]
        weights = zip(*(map(_WEIGHT, column) for column in columns), strict=True)
        rests = [
            self._rests.get(each) or self._new_rest(each, line)
            for each, line in zip(weights, lines, strict=True)
        ]
        return places[self.shape.student], columns, rests

    def _new_rest(self, weights: tuple[int, ...], line: Sequence[str]) -> Rest:
        if len(self._rests) >= MOST_TOTALS:
            self._rests.clear()
        answers = {key: self.shape.read(line[place]) for place, key in self.shape.fields}
        rest = self._rests[weights] = self._bench.rest(self._bench.marker.sheet(answers))
        return rest


def _joined(parts: Iterable[Column | bytes]) -> list[Column | bytes]:
    """Texts that follow each other as one."""
    joined: list[Column | bytes] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, bytes) and isinstance(last, bytes):
            joined[-1] = last + part
        else:
            joined.append(part)
    return joined
