"""Marking answers: what each was read as, how right it is, which mistake made it.

An answer is first read, then compared, then explained. Nothing here depends on who gave it, except that a
wrong answer may follow rightly from that student's own earlier ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from dense_cli.derivation import Listed, Note
from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass, field, replace
from dense_cli.grading.documents import written
from dense_cli.grading.exercises.calculations import Answer
from dense_cli.grading.exercises.exercise import NUMERIC, Field
from dense_cli.grading.marks.questions import Question, SetQuestions, read_answer
from dense_cli.mistakes.diagnosis import Found
from dense_cli.reading.answers import Reading

CORRECT, PARTIAL, IMPRECISE, FOLLOWS = "correct", "partial", "imprecise", "follows"
WRONG, INVALID, BLANK, REVIEW = "wrong", "invalid", "blank", "review"
VERDICTS = (CORRECT, FOLLOWS, PARTIAL, IMPRECISE, WRONG, INVALID, BLANK, REVIEW)
FULL = frozenset({CORRECT, FOLLOWS})

FEWEST_DECIMALS = 2
"""A value rounded to fewer decimals than this says too little to be half right."""

USUAL_DECIMALS = 4
"""What the tolerance asks for where the exercise does not say."""

ATOL, RTOL = Fraction(5, 100_000), Fraction(0)
"""Right to four decimals."""

_ONE_WITH_COMMA = re.compile(r"[+-]?[0-9]+,(?:0[0-9]+|[0-9]{3,})")
"""No whole number that stands second is written so, or hardly one that an exercise asks for."""

MOST_KNOWN = 4096
"""Different answers whose marks are kept at hand; then it begins anew."""

LONGEST = 400
"""Characters of an answer that is worth keeping: a class of essays would fill the memory."""

NOTHING, EVERYTHING = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class Rules:
    """How strictly to mark."""

    atol: Fraction = ATOL
    rtol: Fraction = RTOL
    follow_through: bool = True


@dataclass(frozen=True, slots=True)
class Mark:
    """One marked answer.

    `mistakes` are all that make exactly it; `message` says what else there is to say, `assumed` how
    separators in a number were understood. `value` is what it was read as, `right` what was asked for; open
    text has neither. `reviewed`: the points of an open answer are a person's.
    """

    field: Field
    given: str | None
    read_as: str | None
    verdict: str
    points: Fraction
    mistakes: tuple[Found, ...] = ()
    message: Note | DenseError | None = None
    assumed: tuple[str, ...] = ()
    value: Answer | None = None
    right: Answer | None = None
    reviewed: bool = False

    @property
    def off(self) -> Fraction | None:
        """How far the worst entry is off; None where there are no numbers or not as many as asked for."""
        if self.field.kind not in NUMERIC or self.value is None or self.right is None:
            return None
        values, rights = numbers_of(self.value), numbers_of(self.right)
        if len(values) != len(rights):
            return None
        return max(abs(Fraction(a) - Fraction(t)) for a, t in zip(values, rights, strict=True))


@dataclass(frozen=True, slots=True)
class Judgement:
    """How right an answer is: the verdict, the share of the points, what to say."""

    verdict: str
    credit: Fraction
    note: Note | None = None


@dataclass(frozen=True)
class Marker:
    """Marks any number of sheets of one set; an answer that comes again is not judged again."""

    questions: SetQuestions
    rules: Rules = field(default_factory=Rules)
    _known: dict[tuple[str, str | None], tuple[Mark, Answer | None]] = field(default_factory=dict, repr=False)

    def sheet(self, answers: Mapping[str, object]) -> tuple[Mark, ...]:
        """Every field of the set in order, blank where `answers` (by field key) has nothing.

        Raises DenseError where an exercise cannot be solved.
        """
        return tuple(self.mark(question, answers) for question in self.questions.questions)

    def mark(self, question: Question, answers: Mapping[str, object]) -> Mark:
        """One field of a sheet. Of the other answers only those count from which it may follow."""
        mark, value = self._alone(question, answers.get(question.field.key))
        if value is None or question.field.follows is None:
            return mark
        own = {}
        for source in self.sources(question):
            _, earlier = self._alone(source, answers.get(source.field.key))
            if earlier is not None:
                own[source.field.key] = earlier
        return self._followed(question, mark, value, own)

    def sources(self, question: Question) -> tuple[Question, ...]:
        """The questions from whose answers this one may follow."""
        return tuple(self._questions[key] for key in question.sources if key in self._questions)

    def follows(self, question: Question, value: Answer, own: Mapping[str, Answer]) -> bool:
        """Whether an answer is right for the student's `own` earlier ones, by the keys of their fields."""
        expected = question.following(own)
        return expected is not None and _right(question.field, value, expected, self.rules)

    @cached_property
    def _questions(self) -> Mapping[str, Question]:
        return {one.field.key: one for one in self.questions.questions}

    def _alone(self, question: Question, given: object) -> tuple[Mark, Answer | None]:
        if given is not None and (not isinstance(given, str) or len(given) > LONGEST):
            return mark_alone(question, given, self.rules)
        place = question.field.key, given
        if place not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[place] = mark_alone(question, given, self.rules)
        return self._known[place]

    def _followed(self, question: Question, mark: Mark, value: Answer, own: Mapping[str, Answer]) -> Mark:
        """The mark, or a better one where the answer is right for the student's own earlier answers."""
        follows = question.field.follows
        if follows is None or not self.rules.follow_through or mark.verdict in FULL:
            return mark
        points = question.field.points * follows.credit
        if points < mark.points or not self.follows(question, value, own):
            return mark
        note = Note("check.follows")
        return replace(mark, verdict=FOLLOWS, points=points, mistakes=(), message=note)


def mark_alone(question: Question, given: object, rules: Rules) -> tuple[Mark, Answer | None]:
    """The mark of one answer by itself, and the value it was read as (None where it was not)."""
    asked = question.field
    read = read_answer(asked, given, question.width)
    right = None if asked.kind == "text" else question.right
    if read is None:
        return Mark(asked, None, None, BLANK, NOTHING, right=right), None
    if isinstance(read, DenseError):
        return Mark(asked, written(given), None, INVALID, NOTHING, message=read, right=right), None
    if asked.kind == "text":
        return Mark(asked, written(given), read.read_as, REVIEW, NOTHING), None
    judged, mistakes = _explained(question, read, rules)
    mark = Mark(
        field=asked,
        given=written(given),
        read_as=read.read_as,
        verdict=judged.verdict,
        points=asked.points * judged.credit,
        mistakes=mistakes,
        message=judged.note or (None if mistakes else _points_for_commas(asked, given, judged)),
        assumed=read.notes,
        value=read.value,
        right=right,
    )
    return mark, read.value


def _points_for_commas(asked: Field, given: object, judged: Judgement) -> Note | None:
    """A word where two wrong numbers may be one with a decimal comma, as in ``1,462117``."""
    if judged.verdict != WRONG or asked.kind != "vector" or not isinstance(given, str):
        return None
    return Note("check.points-for-commas") if _ONE_WITH_COMMA.fullmatch(given.strip()) else None


def _explained(question: Question, read: Reading, rules: Rules) -> tuple[Judgement, tuple[Found, ...]]:
    """The judgement, and what made the answer where it is not right.

    A single mistake that makes the whole answer earns no share for entries that came out right by chance.
    """
    judged = _judged(question, read, rules)
    if judged.verdict not in (WRONG, PARTIAL):
        return judged, ()
    mistakes = question.mistakes(read, rules.atol, rules.rtol)
    if judged.verdict == PARTIAL and any(len(found.mistakes) == 1 for found in mistakes):
        return Judgement(WRONG, NOTHING), mistakes
    return judged, mistakes


def _judged(question: Question, read: Reading, rules: Rules) -> Judgement:
    asked, right = question.field, question.right
    if asked.kind not in ("vector", "number"):
        same = _right(asked, read.value, right, rules)
        return Judgement(CORRECT, EVERYTHING) if same else Judgement(WRONG, NOTHING)
    values, answers = question.entries, numbers_of(read.value)
    if len(values) != len(answers):
        note = Note("check.entries", {"asked": len(values), "answered": len(answers)})
        return Judgement(WRONG, NOTHING, note)
    entries = [
        _entry(answer, value, decimals, rules)
        for answer, value, decimals in zip(answers, values, read.decimals, strict=True)
    ]
    rights = entries.count(CORRECT)
    if rights == len(entries):
        return Judgement(CORRECT, EVERYTHING, _fewer_digits(asked, read, values))
    if WRONG not in entries:
        note = Note("check.imprecise", {"decimals": asked.decimals or USUAL_DECIMALS})
        return Judgement(IMPRECISE, asked.imprecise, note)
    if rights:
        places = Listed(str(place) for place, entry in enumerate(entries, 1) if entry != CORRECT)
        note = Note("check.partial", {"right": rights, "all": len(entries), "places": places})
        return Judgement(PARTIAL, Fraction(rights, len(entries)), note)
    return Judgement(WRONG, NOTHING)


def _right(asked: Field, answer: Answer, value: Answer, rules: Rules) -> bool:
    """Whether an answer is right: numbers within the tolerance, shape first; the rest exactly."""
    if asked.kind not in NUMERIC:
        return answer == value
    atol, rtol = (NOTHING, NOTHING) if asked.kind == "whole" else (rules.atol, rules.rtol)
    answers, values = numbers_of(answer), numbers_of(value)
    return len(answers) == len(values) and all(
        within(a, t, atol, rtol) for a, t in zip(answers, values, strict=True)
    )


def _entry(answer: Fraction | float, value: Fraction | float, decimals: int | None, rules: Rules) -> str:
    """One entry: right, the right value rounded to the decimals written, or wrong."""
    if within(answer, value, rules.atol, rules.rtol):
        return CORRECT
    if decimals is None or decimals < FEWEST_DECIMALS:
        return WRONG
    return IMPRECISE if within(answer, value, _half_a_unit(decimals), NOTHING) else WRONG


def within(answer: Fraction | float, value: Fraction | float, atol: Fraction, rtol: Fraction) -> bool:
    """|a − t| ≤ atol + rtol·|t|, inclusive and without rounding of its own.

    >>> within(Fraction("1.41425"), Fraction("1.4142"), Fraction("0.00005"), Fraction(0))
    True
    """
    given, exact = _exact(answer), _exact(value)
    return abs(given - exact) <= (atol + rtol * abs(exact) if rtol else atol)


def _exact(value: Fraction | float) -> Fraction:
    return value if type(value) is Fraction else Fraction(value)


@lru_cache(maxsize=64)
def _half_a_unit(decimals: int) -> Fraction:
    return Fraction(1, 2 * 10**decimals)


def numbers_of(value: Answer | None) -> tuple[Any, ...]:
    """The numbers of a vector, or the one that there is."""
    return value if isinstance(value, tuple) else (value,)


def _fewer_digits(asked: Field, read: Reading, values: tuple[Any, ...]) -> Note | None:
    """A word where fewer digits were written than asked for and the value has more."""
    if asked.decimals is None:
        return None
    short = any(
        decimals is not None and decimals < asked.decimals and Fraction(answer) != Fraction(value)
        for decimals, answer, value in zip(read.decimals, numbers_of(read.value), values, strict=True)
    )
    return Note("check.fewer-digits", {"decimals": asked.decimals}) if short else None
