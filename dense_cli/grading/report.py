"""Marked sheets as data for scripts and as a page for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dense_cli.derivation import Data, Derivation, Fact, Note, Prose, Step, Table
from dense_cli.errors import DenseError
from dense_cli.grading.exercise import in_language
from dense_cli.grading.marking import BLANK, FULL, INVALID, REVIEW, Mark, Rules
from dense_cli.grading.telling import Teller
from dense_cli.lang.refusal import message

DETAILED = 5
"""Students up to whom every answer is shown; a larger class is shown as tables."""


@dataclass(frozen=True)
class Marked:
    """One student's sheet: its marks, or why it could not be read. Empty `student`: nobody is named.

    Nothing was `submitted` where a person or folder is there and no sheet: every field is blank then.
    `variant` is the seed of the numbers that were asked; empty for the printed ones.
    """

    student: str
    source: str
    marks: tuple[Mark, ...] = ()
    error: DenseError | None = None
    submitted: bool = True
    variant: str = ""

    @property
    def graded(self) -> bool:
        """Whether there is a mark to hand on: a sheet that came and was read."""
        return self.submitted and self.error is None

    @cached_property
    def score(self) -> Fraction:
        """Points so far; answers that a person must read are not in it."""
        return _total(mark.points for mark in self.marks)

    @cached_property
    def to_review(self) -> Fraction:
        """Points of the answers that a person must still read."""
        waiting = (mark for mark in self.marks if mark.verdict == REVIEW and not mark.reviewed)
        return _total(mark.field.points for mark in waiting)

    @cached_property
    def max_score(self) -> Fraction:
        return _total(mark.field.points for mark in self.marks)

    @property
    def percent(self) -> Fraction | None:
        """Score per hundred of what could be scored so far; None where that is nothing."""
        possible = self.max_score - self.to_review
        return 100 * self.score / possible if possible else None

    @property
    def all_right(self) -> bool:
        """Whether everything that was answered is right."""
        answered = [mark for mark in self.marks if mark.verdict != BLANK]
        return self.error is None and all(mark.verdict in FULL for mark in answered)


def _total(points: Iterable[Fraction]) -> Fraction:
    """The sum; whole points, as most are, are added as integers."""
    whole, parts = 0, Fraction(0)
    for each in points:
        if each.denominator == 1:
            whole += each.numerator
        else:
            parts += each
    return parts + whole


def report(students: Sequence[Marked], teller: Teller, rules: Rules) -> Derivation:
    """Everything about these sheets: the data in `result`, the page in `steps`."""
    told: list[Data] = [student_data(one, teller) for one in students]
    title = in_language(teller.set.title, teller.language)
    return Derivation(
        command="check",
        title=Note("check.title", {"title": Prose(title), "id": teller.set.id}),
        given={},
        result={"exercises": teller.set.id, "students": told},
        assumed=(_strictness(rules),),
        steps=tuple(_steps(students, teller)),
    )


def _strictness(rules: Rules) -> Note:
    key = "check.tolerance" if not rules.rtol else "check.tolerance-relative"
    return Note(key, {"atol": rules.atol, "rtol": rules.rtol} if rules.rtol else {"atol": rules.atol})


def _steps(students: Sequence[Marked], teller: Teller) -> Iterator[Step]:
    if len(students) > 1:
        yield _class(students)
        yield from _common_mistakes(students, teller)
    detailed = len(students) <= DETAILED
    if not detailed:
        yield from _unreadable_answers(students, teller)
    yield from (_sheet(one, teller) for one in students if detailed or one.error is not None)


# --- data


def student_data(one: Marked, teller: Teller) -> dict[str, Data]:
    """Everything about one sheet, as the interface names it."""
    return {
        **sheet_data(one, teller),
        "answers": [answer_data(mark, teller) for mark in one.marks],
    }


def sheet_data(one: Marked, teller: Teller) -> dict[str, Data]:
    """What there is about a sheet beside its answers."""
    return {
        "student": one.student,
        "source": one.source,
        **({"variant": one.variant} if one.variant else {}),
        "error": None if one.error is None else message(one.error, teller.say),
        "score": plain_number(one.score),
        "max_score": plain_number(one.max_score),
        "to_review": plain_number(one.to_review),
        "percent": None if one.percent is None else plain_number(one.percent),
    }


def answer_data(mark: Mark, teller: Teller) -> dict[str, Data]:
    """Everything about one answer, as the interface names it."""
    return {
        "exercise": mark.field.exercise,
        "field": mark.field.name,
        "given": mark.given,
        "read_as": mark.read_as,
        "verdict": mark.verdict,
        "points": plain_number(mark.points),
        "max_points": plain_number(mark.field.points),
        "mistakes": [found.id for found in mark.mistakes],
        "message": teller.message(mark),
    }


def plain_number(value: Fraction) -> int | float:
    """A whole number where it is one, else the nearest float.

    >>> plain_number(Fraction(4, 2)), plain_number(Fraction(3, 2))
    (2, 1.5)
    """
    return int(value) if value.denominator == 1 else float(value)


# --- pages


def _columns(*names: str) -> tuple[Note, ...]:
    return tuple(Note(f"check.column-{name}") for name in names)


def _class(students: Sequence[Marked]) -> Step:
    """The students whose sheets were read; the others follow with the reason."""
    rows = tuple(
        (one.student, one.score, one.max_score, _rounded(one.percent), one.to_review)
        for one in students
        if one.error is None
    )
    unread = len(students) - len(rows)
    facts = {"students": len(students)} | ({"unread": unread} if unread else {})
    return Step(
        "class",
        Note("check.class-unread" if unread else "check.class", facts),
        table=Table(_columns("student", "score", "maximum", "percent", "review"), rows) if rows else None,
    )


def _rounded(percent: Fraction | None) -> Fraction | None:
    return None if percent is None else Fraction(round(10 * percent), 10)


def _common_mistakes(students: Sequence[Marked], teller: Teller) -> Iterator[Step]:
    """How many students gave an answer that a mistake makes; one of several mistakes counts for each."""
    found = {
        (mark.field.key, found.id): found for one in students for mark in one.marks for found in mark.mistakes
    }
    counts = Counter(
        (mark.field.key, found.id) for one in students for mark in one.marks for found in mark.mistakes
    )
    rows = tuple(
        (key[0], teller.title(found[key]), count)
        for key, count in sorted(counts.items(), key=lambda counted: -counted[1])
    )
    if rows:
        table = Table(_columns("field", "mistake", "students"), rows)
        yield Step("mistakes", Note("check.mistakes"), table=table, notes=(Note("check.mistakes-meaning"),))


def _unreadable_answers(students: Sequence[Marked], teller: Teller) -> Iterator[Step]:
    rows = tuple(
        (one.student, mark.field.key, mark.given, Prose(teller.message(mark) or ""))
        for one in students
        for mark in one.marks
        if mark.verdict == INVALID
    )
    if rows:
        table = Table(_columns("student", "field", "answer", "reason"), rows)
        yield Step("unreadable", Note("check.unreadable", {"count": len(rows)}), table=table)


def _sheet(one: Marked, teller: Teller) -> Step:
    name = f"student-{one.student}" if one.student else "student"
    if one.error is not None:
        title = Note("check.unread", {"student": one.student, "source": one.source})
        return Step(name, title, notes=(teller.refusal(one.error),))
    facts: dict[str, Fact] = {"score": one.score, "maximum": one.max_score}
    key = "check.student" if one.student else "check.student-alone"
    if one.student:
        facts["student"] = one.student
    if one.to_review:
        key, facts["review"] = f"{key}-review", one.to_review
    answered = [mark for mark in one.marks if mark.verdict != BLANK]
    rows = tuple(
        (mark.field.key, mark.given, Note(f"check.verdict-{mark.verdict}"), mark.points, mark.field.points)
        for mark in answered
    )
    table = Table(_columns("field", "answer", "verdict", "points", "maximum"), rows)
    return Step(
        name,
        Note(key, facts),
        table=table if rows else None,
        notes=(*_numbers_of(one), *_unanswered(one.marks)),
        steps=tuple(_about(answered, teller)),
    )


def _numbers_of(one: Marked) -> tuple[Note, ...]:
    """Which numbers the sheet was marked with, where they are not the printed ones."""
    return (Note("practice.variant", {"seed": Prose(one.variant)}),) if one.variant else ()


def _unanswered(marks: Sequence[Mark]) -> tuple[Note, ...]:
    """The blank fields in one line."""
    blank = [mark.field.key for mark in marks if mark.verdict == BLANK]
    if len(blank) == len(marks):
        return (Note("check.nothing-answered"),)
    return (Note("check.unanswered", {"fields": Prose(", ".join(blank))}),) if blank else ()


def _about(marks: Sequence[Mark], teller: Teller) -> Iterator[Step]:
    """What there is to say of each answer; an open one is shown whole, for a person to read."""
    for mark in marks:
        notes = teller.notes(mark)
        if mark.verdict == REVIEW:
            key = "check.read-answer" if mark.reviewed else "check.open-answer"
            notes = (Note(key, {"answer": Prose(mark.given)}), *notes)
        if notes:
            title = Note("check.about", {"field": mark.field.key})
            yield Step(f"answer-{mark.field.key}", title, notes=notes)
