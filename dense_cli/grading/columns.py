"""The answers of a class column by column: each different text is judged and written once.

What is written of a sheet is a text for each answer and a rest that its totals decide. Here the texts of a
field are kept by what was answered, and the rests by the points and verdicts of all fields. Everything in
them comes from the marking that every other sheet goes through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter

from dense_cli.frozen import dataclass, field, replace
from dense_cli.grading.export.pieces import NAME, Pieces
from dense_cli.grading.marked import Marked, Standing
from dense_cli.grading.marking import WRONG, Mark, Marker
from dense_cli.grading.questions import Question
from dense_cli.grading.unexplained import Plain, Sight, sight
from dense_cli.grading.usual import Shape

MOST_ANSWERS = 1024
"""Different answers to one question whose text is kept; then it begins anew."""

MOST_TOTALS = 4096
"""Different rests that are kept."""

LONGEST = 400
"""Characters of an answer that is worth keeping."""

_NAME = NAME.encode()

Key = Callable[[Sequence[str]], object]
New = Callable[[Sequence[str]], "Written"]
Written = tuple[bytes, int, Mark | None]
"""The text of an answer, and a number for what it weighs: equal numbers, equal points and verdicts.

The mark is missing where the answer is plainly wrong and nobody counts."""


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
        return b"" if self.pieces is None else _encoded(self.pieces.rest(one))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", errors="backslashreplace")


class Column:
    """The answers to one question; the text of each has that of the blank fields `before` it in front."""

    def __init__(self, question: Question, shape: Shape, before: str, bench: Bench) -> None:
        places = {key: place for place, key in shape.fields}
        sources = [(places[key], key) for key in question.sources if key in places]
        self.question = question
        self.kept: dict[object, Written] = {}
        self.key = itemgetter(places[question.field.key], *(place for place, _ in sources))
        """What of a line decides the text: the answer, and those that it may follow from."""
        self._read, self._place, self._sources = shape.read, places[question.field.key], sources
        self._before, self._bench = before, bench
        # Where it may follow from the student's own answers, more than its own text decides.
        self._is_alone = len(sources) < len(question.sources) or not question.sources
        self._plainly: tuple[Sight, Callable[[str, Plain], Written]] | None = None

    def new(self, values: Sequence[str]) -> Written:
        """What is written of this field of a usual line."""
        text = values[self._place]
        given = self._read(text)
        if self._plainly is not None and type(given) is str:
            sees, written = self._plainly
            plain = sees(given)
            if plain is not None:
                return written(given, plain)
        answers = {source: self._read(values[place]) for place, source in self._sources}
        mark = self._bench.marker.mark(self.question, {**answers, self.question.field.key: given})
        found = _encoded(self._before + self._bench.text(mark)), self._bench.weight(mark), mark
        if len(text) <= LONGEST:
            if len(self.kept) >= MOST_ANSWERS:
                self.kept.clear()
            self.kept[self.key(values)] = found
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
            text = b"" if wrong is None else _encoded(before + wrong(given, read_as, numbers))
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
        self._columns: list[tuple[Mapping[object, Written], Key, New]] = []
        self._blank: list[Mark] = []
        self._places: list[int] = []
        """Where among all fields those of the columns are."""
        answered = {key for _, key in shape.fields}
        before = ""
        for place, question in enumerate(bench.marker.questions.questions):
            blank = bench.marker.mark(question, {})
            self._blank.append(blank)
            if question.field.key in answered:
                column = Column(question, shape, before, bench)
                self._columns.append((column.kept, column.key, column.new))
                self._places.append(place)
                before = ""
            else:
                before += bench.text(blank)
        self._after = _encoded(before)
        self._rests: dict[tuple[int, ...], tuple[bytes, Standing]] = {}

    def written(self, values: Sequence[str]) -> bytes:
        """All that is written of a usual line."""
        found = [kept.get(key(values)) or new(values) for kept, key, new in self._columns]
        texts, weights, _ = zip(*found, strict=True)
        rest, _ = self._rests.get(weights) or self._new_rest(weights, values)
        name = values[self.shape.student].encode()
        return b"".join((*texts, rest)).replace(_NAME, name)

    def counted(self, values: Sequence[str]) -> tuple[Marked, Standing]:
        """The marks of a usual line, and how the student stands, for a job that counts."""
        found = [kept.get(key(values)) or new(values) for kept, key, new in self._columns]
        marks = self._blank.copy()
        for place, (_, _, mark) in zip(self._places, found, strict=True):
            assert mark is not None
            marks[place] = mark
        weights = tuple([weight for _, weight, _ in found])
        _, same = self._rests.get(weights) or self._new_rest(weights, values)
        name = values[self.shape.student]
        standing = Standing(name, same.source, same.score, same.max_score, same.to_review)
        return self._bench.marked(name, marks), standing

    def _new_rest(self, weights: tuple[int, ...], values: Sequence[str]) -> tuple[bytes, Standing]:
        if len(self._rests) >= MOST_TOTALS:
            self._rests.clear()
        answers = {key: self.shape.read(values[place]) for place, key in self.shape.fields}
        one = self._bench.marked(NAME, self._bench.marker.sheet(answers))
        rest = self._rests[weights] = self._after + self._bench.rest(one), one.standing
        return rest
