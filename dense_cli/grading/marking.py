"""Marking one answer, and a sheet of them: what it was read as, how right it is, which mistake made it.

An answer is first read, then compared, then explained; nothing here depends on who gave it, so each
distinct answer needs marking only once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dense_cli.derivation import Note
from dense_cli.errors import DenseError
from dense_cli.grading.calculations import Answer
from dense_cli.grading.exercise import NUMERIC, Field
from dense_cli.grading.questions import Question, SetQuestions
from dense_cli.mistakes.diagnosis import Found
from dense_cli.reading import answers as reading
from dense_cli.reading.answers import Reading
from dense_cli.reading.documents import shown

CORRECT, PARTIAL, IMPRECISE, FOLLOWS = "correct", "partial", "imprecise", "follows"
WRONG, INVALID, BLANK, REVIEW = "wrong", "invalid", "blank", "review"
VERDICTS = (CORRECT, FOLLOWS, PARTIAL, IMPRECISE, WRONG, INVALID, BLANK, REVIEW)
FULL = frozenset({CORRECT, FOLLOWS})

IMPRECISE_CREDIT = Fraction(1, 2)
FEWEST_DECIMALS = 2
"""A value rounded to fewer decimals than this says too little to be half right."""


ATOL, RTOL = Fraction(5, 100_000), Fraction(0)
"""Right to four decimals."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How strictly to mark."""

    atol: Fraction = ATOL
    rtol: Fraction = RTOL
    follow_through: bool = True


@dataclass(frozen=True, slots=True)
class Mark:
    """One marked answer. `mistakes` are all that make exactly it; `message` says what else there is to say."""

    field: Field
    given: str | None
    read_as: str | None
    verdict: str
    points: Fraction
    mistakes: tuple[Found, ...] = ()
    message: Note | DenseError | None = None


Sheet = Mapping[str, object]
"""The answers of one student by field key (``1.query``), as decoded from a file."""


def mark_sheet(questions: SetQuestions, sheet: Sheet, rules: Rules) -> tuple[Mark, ...]:
    """Every field of the set in order, blank where the sheet has nothing."""
    marks: list[Mark] = []
    read: dict[str, Any] = {}
    for question in questions.questions:
        given = sheet.get(question.field.key)
        reading_or_error = read_answer(question.field, given, question.width)
        if isinstance(reading_or_error, Reading):
            read[question.field.key] = reading_or_error.value
        marks.append(mark(question, given, reading_or_error, read, rules))
    return tuple(marks)


def read_answer(field: Field, given: object, width: int = 0) -> Reading | DenseError | None:
    """The answer as a value: None for a blank one, the reason where it cannot be read.

    `width` is how many numbers a vector should have; it only helps to recognise decimal commas.
    """
    try:
        match field.kind:
            case "vector":
                return reading.read_vector(given, width)
            case "number":
                return reading.read_number(given)
            case "whole":
                return reading.read_whole(given)
            case "yes-no":
                return reading.read_yes_no(given)
            case "choice":
                return reading.read_choice(given, field.options)
        return _open_text(given)
    except DenseError as error:
        return error


def mark(
    question: Question,
    given: object,
    read: Reading | DenseError | None,
    earlier: Mapping[str, Any],
    rules: Rules,
) -> Mark:
    """The verdict on one answer; `earlier` are the student's own values by field key."""
    field = question.field
    if read is None:
        return Mark(field, None, None, BLANK, Fraction(0))
    if isinstance(read, DenseError):
        return Mark(field, _as_given(given), None, INVALID, Fraction(0), message=read)
    if field.kind == "text":
        return Mark(field, _as_given(given), read.read_as, REVIEW, Fraction(0))
    verdict, credit, message = _judged(question, read, earlier, rules)
    mistakes: tuple[Found, ...] = ()
    if verdict not in FULL and verdict != IMPRECISE:
        mistakes = question.mistakes(read.value, rules.atol, rules.rtol, pairs=verdict != PARTIAL)
        if mistakes and verdict == PARTIAL:
            verdict, credit = WRONG, Fraction(0)
    return Mark(field, _as_given(given), read.read_as, verdict, field.points * credit, mistakes, message)


def _as_given(given: object) -> str:
    return given if isinstance(given, str) else shown(given)


Judgement = tuple[str, Fraction, Note | None]


def _judged(question: Question, read: Reading, earlier: Mapping[str, Any], rules: Rules) -> Judgement:
    field, right = question.field, question.right
    if field.kind not in NUMERIC:
        return (CORRECT, Fraction(1), None) if read.value == right else (WRONG, Fraction(0), None)
    if field.kind == "whole":
        if read.value == right:
            return CORRECT, Fraction(1), None
    else:
        asked, answered = _entries(right), _entries(read.value)
        if len(asked) != len(answered):
            note = Note("check.entries", {"asked": len(asked), "answered": len(answered)})
            return WRONG, Fraction(0), note
        judged = [
            _entry(answer, value, decimals, rules)
            for answer, value, decimals in zip(answered, asked, read.decimals, strict=True)
        ]
        if all(one == CORRECT for one in judged):
            return CORRECT, Fraction(1), _digits_note(field, read, asked)
    if rules.follow_through and (credit := _following(question, read, earlier, rules)) is not None:
        return FOLLOWS, credit, Note("check.follows")
    if field.kind == "whole":
        return WRONG, Fraction(0), None
    if WRONG not in judged:
        return IMPRECISE, IMPRECISE_CREDIT, Note("check.imprecise", {"decimals": _asked_decimals(field)})
    right_entries = judged.count(CORRECT)
    if right_entries:
        wrong = tuple(place for place, one in enumerate(judged, start=1) if one != CORRECT)
        note = Note("check.partial", {"right": right_entries, "all": len(judged), "places": wrong})
        return PARTIAL, Fraction(right_entries, len(judged)), note
    return WRONG, Fraction(0), None


def _entry(answer: Fraction | float, value: Fraction | float, decimals: int | None, rules: Rules) -> str:
    if within(answer, value, rules.atol, rules.rtol):
        return CORRECT
    if decimals is not None and decimals >= FEWEST_DECIMALS:
        half_a_unit = Fraction(1, 2 * 10**decimals)
        if abs(Fraction(answer) - Fraction(value)) <= half_a_unit:
            return IMPRECISE
    return WRONG


def within(answer: Fraction | float, value: Fraction | float, atol: Fraction, rtol: Fraction) -> bool:
    """|a − t| ≤ atol + rtol·|t|, inclusive and without rounding of its own.

    >>> within(Fraction("1.41425"), Fraction("1.4142"), Fraction("0.00005"), Fraction(0))
    True
    """
    exact = Fraction(value)
    return abs(Fraction(answer) - exact) <= atol + rtol * abs(exact)


def _following(
    question: Question, read: Reading, earlier: Mapping[str, Any], rules: Rules
) -> Fraction | None:
    """Full credit where the answer is right for the student's own earlier answers."""
    value = question.following(earlier)
    if value is None:
        return None
    if question.field.kind == "whole":
        return Fraction(1) if Fraction(read.value) == Fraction(value) else None
    asked, answered = _entries(value), _entries(read.value)
    same_shape = len(asked) == len(answered)
    close = same_shape and all(
        within(a, t, rules.atol, rules.rtol) for a, t in zip(answered, asked, strict=True)
    )
    return Fraction(1) if close else None


def _entries(value: Answer) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _open_text(given: object) -> Reading | None:
    """Open text is for a person: it is kept as it is."""
    if reading.is_blank(given):
        return None
    text = given if isinstance(given, str) else shown(given)
    return Reading(text, text, ())


def _asked_decimals(field: Field) -> int:
    return field.decimals if field.decimals is not None else 4


def _digits_note(field: Field, read: Reading, asked: tuple[Any, ...]) -> Note | None:
    """A word where fewer digits were written than asked for and the value has more."""
    if field.decimals is None:
        return None
    short = any(
        decimals is not None and decimals < field.decimals and Fraction(answer) != Fraction(value)
        for decimals, answer, value in zip(read.decimals, _entries(read.value), asked, strict=True)
    )
    return Note("check.fewer-digits", {"decimals": field.decimals}) if short else None
