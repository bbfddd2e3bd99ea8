"""Marked sheets as data for scripts and as a page for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from dense_cli.derivation import Data, Derivation, Fact, Listed, Note, Prose, Step, Table
from dense_cli.errors import DenseError
from dense_cli.frozen import replace
from dense_cli.grading.exercises.exercise import in_language
from dense_cli.grading.marks.marked import Marked, Standing
from dense_cli.grading.marks.marking import BLANK, INVALID, REVIEW, Mark, Rules
from dense_cli.grading.marks.telling import Teller
from dense_cli.lang.refusal import message
from dense_cli.numerals import plain_number

if TYPE_CHECKING:
    from dense_cli.grading.reports.tally import Tally

DETAILED = 5
"""Students up to whom every answer is shown; a larger class is shown as tables."""


def report(students: Sequence[Marked], teller: Teller, rules: Rules) -> Derivation:
    """Everything about these sheets: the data in `result`, the page in `steps`."""
    told: list[Data] = [student_data(one, teller) for one in students]
    if len(students) > DETAILED:
        large = class_report([one.standing for one in students], _counted(students, teller), teller, rules)
        return replace(large, result={**large.result, "students": told})
    steps = tuple(_few(students, teller))
    return _report(steps, {"students": told}, teller, rules)


def class_report(standings: Sequence[Standing], counted: Tally, teller: Teller, rules: Rules) -> Derivation:
    """The page about a class of any size, without the data about each answer."""
    return _report(tuple(_many(standings, counted, teller)), {}, teller, rules)


def _report(steps: tuple[Step, ...], data: dict[str, Data], teller: Teller, rules: Rules) -> Derivation:
    title = in_language(teller.set.title, teller.language)
    return Derivation(
        command="check",
        title=Note("check.title", {"title": Prose(title), "id": teller.set.id}),
        given={},
        result={"exercises": teller.set.id, **data},
        assumed=(_strictness(rules),),
        steps=steps,
    )


def _strictness(rules: Rules) -> Note:
    key = "check.tolerance" if not rules.rtol else "check.tolerance-relative"
    return Note(key, {"atol": rules.atol, "rtol": rules.rtol} if rules.rtol else {"atol": rules.atol})


def _counted(students: Sequence[Marked], teller: Teller) -> Tally:
    from dense_cli.grading.reports.tally import tally  # one sheet alone needs no statistics

    return tally(students, teller.set)


def _few(students: Sequence[Marked], teller: Teller) -> Iterator[Step]:
    if len(students) > 1:
        yield _class([one.standing for one in students])
        yield from _common_mistakes(_counted(students, teller), teller)
    yield from (_sheet(one, teller) for one in students)


def _many(standings: Sequence[Standing], counted: Tally, teller: Teller) -> Iterator[Step]:
    yield _class(standings)
    yield from _common_mistakes(counted, teller)
    yield from _unreadable_answers(counted, teller)
    for one in standings:
        if one.error is not None:
            yield _unread(one, one.error, teller)


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


# --- pages


def _columns(*names: str) -> tuple[Note, ...]:
    return tuple(Note(f"check.column-{name}") for name in names)


def _class(students: Sequence[Standing]) -> Step:
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


def _common_mistakes(counted: Tally, teller: Teller) -> Iterator[Step]:
    """How many students gave an answer that a mistake makes; one of several mistakes counts for each."""
    titles = {found: teller.title(one) for (_, found), one in counted.found.items()}
    rows = tuple(
        (field, titles[found], count)
        for (field, found), count in sorted(counted.by_field.items(), key=lambda one: -one[1])
    )
    if rows:
        table = Table(_columns("field", "mistake", "students"), rows)
        yield Step("mistakes", Note("check.mistakes"), table=table, notes=(Note("check.mistakes-meaning"),))


def _unreadable_answers(counted: Tally, teller: Teller) -> Iterator[Step]:
    rows = tuple(
        (one.student, one.mark.field.key, one.mark.given, Prose(teller.message(one.mark) or ""))
        for one in counted.waiting
        if one.mark.verdict == INVALID
    )
    if rows:
        table = Table(_columns("student", "field", "answer", "reason"), rows)
        yield Step("unreadable", Note("check.unreadable", {"count": len(rows)}), table=table)


def _unread(one: Standing, error: DenseError, teller: Teller) -> Step:
    title = Note("check.unread", {"student": one.student, "source": one.source})
    return Step(f"student-{one.student}" if one.student else "student", title, notes=(teller.refusal(error),))


def _sheet(one: Marked, teller: Teller) -> Step:
    if one.error is not None:
        return _unread(one.standing, one.error, teller)
    name = f"student-{one.student}" if one.student else "student"
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
    return (Note("check.unanswered", {"fields": Listed(blank)}),) if blank else ()


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
