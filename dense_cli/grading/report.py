"""Marked sheets as data for scripts and as a page for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dense_cli.derivation import Data, Derivation, Note, Prose, Say, Step, Table, Value
from dense_cli.errors import DenseError
from dense_cli.grading.marking import BLANK, FULL, REVIEW, Mark
from dense_cli.lang.refusal import hint, message

DETAILED = 5
"""Students up to whom every answer is shown; a larger class is shown as a table."""


@dataclass(frozen=True, slots=True)
class Marked:
    """One student's sheet: its marks, or why it could not be read."""

    student: str
    source: str
    marks: tuple[Mark, ...] = ()
    error: DenseError | None = None

    @property
    def score(self) -> Fraction:
        """Points so far; answers that a person must read are not in it."""
        return sum((mark.points for mark in self.marks), Fraction(0))

    @property
    def to_review(self) -> Fraction:
        """Points of the answers that a person must read."""
        return sum((mark.field.points for mark in self.marks if mark.verdict == REVIEW), Fraction(0))

    @property
    def max_score(self) -> Fraction:
        return sum((mark.field.points for mark in self.marks), Fraction(0))

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


def report(set_id: str, students: Sequence[Marked], say: Say) -> Derivation:
    """Everything about these sheets: the data in `result`, the page in `steps`."""
    result: dict[str, Data] = {"exercises": set_id, "students": [_student(one, say) for one in students]}
    steps: tuple[Step, ...] = ()
    if len(students) > 1:
        steps += (_class(students),)
        steps += _common_mistakes(students)
    if len(students) <= DETAILED:
        steps += tuple(_sheet(one, say) for one in students)
    else:
        unread = tuple(_sheet(one, say) for one in students if one.error is not None)
        steps += unread
    return Derivation(
        command="check",
        title=Note("check.title", {"set": set_id, "students": len(students)}),
        given={"exercises": set_id},
        result=result,
        steps=steps,
    )


def _student(one: Marked, say: Say) -> dict[str, Data]:
    return {
        "student": one.student,
        "source": one.source,
        "error": None if one.error is None else message(one.error, say),
        "score": plain_number(one.score),
        "max_score": plain_number(one.max_score),
        "to_review": plain_number(one.to_review),
        "percent": None if one.percent is None else plain_number(one.percent),
        "answers": [_answer(mark, say) for mark in one.marks],
    }


def _answer(mark: Mark, say: Say) -> dict[str, Data]:
    return {
        "exercise": mark.field.exercise,
        "field": mark.field.name,
        "given": mark.given,
        "read_as": mark.read_as,
        "verdict": mark.verdict,
        "points": plain_number(mark.points),
        "max_points": plain_number(mark.field.points),
        "mistakes": [found.id for found in mark.mistakes],
        "message": _message(mark, say),
    }


def _message(mark: Mark, say: Say) -> str | None:
    """What a student should read: the reason, or each mistake that makes the answer."""
    if isinstance(mark.message, DenseError):
        return f"{message(mark.message, say)} {hint(mark.message, say)}"
    told = [say(note.key, **{name: str(fact) for name, fact in note.facts.items()}) for note in _notes(mark)]
    return " ".join(told) or None


def _notes(mark: Mark) -> list[Note]:
    """The message and the mistakes of one answer, as sentences."""
    notes = [mark.message] if isinstance(mark.message, Note) else []
    notes += [Note(one.words("explanation")) for found in mark.mistakes for one in found.mistakes]
    return notes


def _class(students: Sequence[Marked]) -> Step:
    columns = ("student", "score", "maximum", "percent", "review")
    rows: list[tuple[Value, ...]] = [
        (one.student, one.score, one.max_score, one.percent, one.to_review)
        if one.error is None
        else (one.student, None, None, None, None)
        for one in students
    ]
    table = Table(tuple(Note(f"check.column-{name}") for name in columns), tuple(rows))
    return Step("class", Note("check.class", {"students": len(students)}), table=table)


def _common_mistakes(students: Sequence[Marked]) -> tuple[Step, ...]:
    """How many students made each mistake where; a student counts once an answer."""
    counts = Counter(
        (mark.field.key, found.mistakes) for one in students for mark in one.marks for found in mark.mistakes
    )
    if not counts:
        return ()
    rows = tuple(
        (
            key,
            Note(mistakes[0].words("title")) if len(mistakes) == 1 else "+".join(one.id for one in mistakes),
            count,
        )
        for (key, mistakes), count in counts.most_common()
    )
    columns = tuple(Note(f"check.column-{name}") for name in ("field", "mistake", "students"))
    return (Step("mistakes", Note("check.mistakes"), table=Table(columns, rows)),)


def _sheet(one: Marked, say: Say) -> Step:
    name = f"student-{one.student}"
    if one.error is not None:
        title = Note("check.unread", {"student": one.student, "source": one.source})
        return Step(name, title, notes=(Note("check.as-said", {"text": Prose(message(one.error, say))}),))
    facts = {"student": one.student, "score": one.score, "maximum": one.max_score, "review": one.to_review}
    title = Note("check.student-review" if one.to_review else "check.student", facts)
    columns = tuple(Note(f"check.column-{name}") for name in ("field", "answer", "verdict", "points"))
    rows = tuple(
        (mark.field.key, mark.given or "", Note(f"check.verdict-{mark.verdict}"), mark.points)
        for mark in one.marks
    )
    return Step(name, title, table=Table(columns, rows), steps=_explained(one, say))


def _explained(one: Marked, say: Say) -> tuple[Step, ...]:
    """What there is to say about each answer that is not plainly right."""
    steps = []
    for mark in one.marks:
        notes = list(_notes(mark))
        if isinstance(mark.message, DenseError):
            notes = [Note("check.as-said", {"text": Prose(_message(mark, say) or "")})]
        if mark.mistakes and len(mark.mistakes) > 1:
            notes.insert(0, Note("check.several", {"count": len(mark.mistakes)}))
        if notes:
            facts = {"field": mark.field.key, "answer": mark.given or ""}
            steps.append(Step(f"answer-{mark.field.key}", Note("check.about", facts), notes=tuple(notes)))
    return tuple(steps)


def plain_number(value: Fraction) -> int | float:
    """A whole number where it is one, else the nearest float.

    >>> plain_number(Fraction(4, 2)), plain_number(Fraction(3, 2))
    (2, 1.5)
    """
    return int(value) if value.denominator == 1 else float(value)
