"""Is a set of exercises sound, and which mistakes can its numbers tell apart?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dense_cli.derivation import Data, Derivation, Note, Step, Table
from dense_cli.errors import DenseError
from dense_cli.grading.calculations import CALCULATIONS
from dense_cli.grading.exercise import NUMERIC, ExerciseSet, load_set
from dense_cli.grading.marking import CORRECT, Rules, mark, read_answer
from dense_cli.grading.questions import Question, SetQuestions, questions_of
from dense_cli.lang import LANGUAGES

TOLERANCE = 5e-5
"""What marking takes for equal unless it is told otherwise."""


@dataclass(frozen=True, slots=True)
class Linted:
    """What lint found: faults that must be mended, and which mistakes the numbers hide."""

    set: ExerciseSet | None
    faults: tuple[DenseError, ...]
    hidden: tuple[tuple[str, tuple[str, ...]], ...] = ()


def lint(folder: Path | None) -> Linted:
    """Load a set, solve every exercise, and compare the two witnesses of every answer."""
    try:
        chosen = load_set(folder)
        questions = questions_of(chosen)
    except DenseError as error:
        return Linted(None, (error,))
    faults = (*_language_faults(chosen), *_given_faults(chosen), *_answer_faults(questions))
    return Linted(chosen, faults, () if faults else _hidden(questions))


def _language_faults(chosen: ExerciseSet) -> list[DenseError]:
    return [
        DenseError("exercise-language", source=one.source, language=language, key=name)
        for one in chosen.exercises
        for name, words in (("title", one.title), ("text", one.text), *((each.name, each.ask) for each in one.fields))
        for language in LANGUAGES
        if not words.get(language)
    ]


def _given_faults(chosen: ExerciseSet) -> list[DenseError]:
    faults = []
    for one in chosen.exercises:
        names = {field.calculation for field in one.fields if field.calculation}
        known = {key for name in names for key in CALCULATIONS[name].keys}
        given = [*one.given, *(key for mistake in one.mistakes for key in mistake.given)]
        faults += [
            DenseError("exercise-given-name", source=one.source, typed=key, known=tuple(sorted(known)))
            for key in given
            if key not in known
        ]
    return faults


def _answer_faults(questions: SetQuestions) -> list[DenseError]:
    """The hand-written answer, marked like a student's, must be right."""
    faults = []
    for question in questions.questions:
        field = question.field
        if field.kind == "text":
            continue
        try:
            read = read_answer(field, field.answer)
            verdict = mark(question, field.answer, read, {}, Rules()).verdict
        except (DenseError, KeyError, ValueError) as error:
            reason = error.key if isinstance(error, DenseError) else type(error).__name__
            faults.append(DenseError("exercise-unsolvable", source=question.exercise.source, field=field.name, reason=reason))
            continue
        if verdict != CORRECT:
            facts = {"field": field.name, "typed": field.answer, "computed": str(question.right)}
            faults.append(DenseError("exercise-answer", source=question.exercise.source, **facts))
    return faults


def _hidden(questions: SetQuestions) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """For each exercise the mistakes that none of its fields can show."""
    found = []
    for one in questions.set.exercises:
        asked = [question for question in questions.questions if question.exercise is one and _shows_mistakes(question)]
        if not asked:
            continue
        told_apart = [{mistake.id for mistake in _alike(question)} for question in asked]
        found.append((one.id, tuple(sorted(set.intersection(*told_apart)))))
    return tuple(found)


def _shows_mistakes(question: Question) -> bool:
    return question.worked is not None and question.field.quantity is not None and question.field.kind in NUMERIC


def _alike(question: Question) -> Sequence[object]:
    assert question.worked is not None
    assert question.field.quantity is not None
    return question.worked.paths.hidden(question.worked.pick(question.field.quantity), TOLERANCE)


def told(linted: Linted) -> Derivation:
    """What lint found, to show."""
    columns = (Note("exercise.column-id"), Note("exercise.column-hidden"))
    table = Table(columns, tuple((name, ", ".join(ids) or "–") for name, ids in linted.hidden))
    name = linted.set.id if linted.set else "?"
    result: dict[str, Data] = {
        "exercises": name,
        "sound": not linted.faults,
        "hidden": {exercise: list(ids) for exercise, ids in linted.hidden},
    }
    fields = len(linted.set.fields) if linted.set else 0
    steps = (
        Step("sound", Note("exercise.sound", {"set": name, "fields": fields})),
        Step("hidden", Note("exercise.hidden"), table=table, notes=(Note("exercise.hidden-meaning"),)),
    )
    return Derivation(command="exercise", title=Note("exercise.lint"), given={}, result=result, steps=steps)
