"""`dense check --exercise 4 --answer ...`: typed answers to one exercise, marked without what sheets need."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dense_cli.cli.check import Asked
from dense_cli.cli.exits import Exit
from dense_cli.cli.options import Outcome
from dense_cli.cli.page import Page
from dense_cli.cli.seeds import one_seed
from dense_cli.cli.values import tolerance
from dense_cli.errors import DenseError
from dense_cli.grading.exercises.exercise import Exercise, ExerciseSet
from dense_cli.grading.exercises.set_files import load_set
from dense_cli.grading.intake.sheets import FieldNames
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import ATOL, RTOL, Rules
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.reports.report import report
from dense_cli.grading.variants.variant import Markers


def answers_marked(page: Page, asked: Asked) -> Outcome:
    """Answers from the command line to one exercise; the call fails where one is not right."""
    if asked.watch and asked.exercise is not None:
        raise DenseError("watch-answers", option="--watch", typed=asked.exercise)
    rules = rules_of(asked)
    chosen = load_set(Path(asked.exercises) if asked.exercises else None)
    to = _format_of(page, asked)
    _refuse_what_needs_sheets(asked)
    seed = one_seed(asked.variant, chosen.id)
    if asked.source:
        raise DenseError("answers-and-files", typed=asked.source[0])
    if asked.exercise is None:
        raise DenseError("answer-without-exercise", typed=asked.answer[0])
    if not asked.answer:
        raise DenseError("exercise-without-answer", typed=asked.exercise)
    exercise = chosen.exercise(asked.exercise)
    alone = ExerciseSet(chosen.id, chosen.title, (exercise,))
    marks = Markers(alone, rules).of(seed).sheet(_typed_answers(alone, exercise, asked.answer))
    student = Marked("", "--answer", marks, variant=seed)
    end = Exit.DONE if student.all_right else Exit.DIFFERS
    if to is not None:
        from dense_cli.cli.check_export import exported
        from dense_cli.grading.export.gradebook import Gradebook

        return exported(to, Gradebook((student,), Teller(alone, page.language)), end, ())
    return Outcome(report([student], Teller(chosen, page.language), rules), end)


def rules_of(asked: Asked) -> Rules:
    """How strictly a call marks. Raises DenseError for what is no tolerance."""
    return Rules(
        atol=tolerance("--atol", asked.atol, ATOL),
        rtol=tolerance("--rtol", asked.rtol, RTOL),
        follow_through=not asked.no_follow_through,
    )


def _format_of(page: Page, asked: Asked) -> str | None:
    if asked.to is None and page.output is None:
        return None
    from dense_cli.cli.check_export import format_of  # what exports need costs start-up time

    return format_of(asked.to, page, asked.format, asked.json_)


def _refuse_what_needs_sheets(asked: Asked) -> None:
    """Raises DenseError for the first option that only sheets can use."""
    of_sheets = {
        "--map": asked.map_,
        "--from": asked.from_,
        "--student-from": asked.student_from,
        "--roster": asked.roster,
        "--duplicates": asked.duplicates,
        "--into": asked.into,
        "--jobs": asked.jobs,
    }
    for option, typed in of_sheets.items():
        if typed:
            raise DenseError("option-for-sheets", option=option)
    if asked.scores is not None:
        raise DenseError("scores-without-sheets", option="--scores")
    if asked.statistics:
        raise DenseError("statistics-without-sheets", option="--statistics")


def _typed_answers(alone: ExerciseSet, asked: Exercise, answers: Sequence[str]) -> dict[str, object]:
    names = FieldNames.of(alone)
    found: dict[str, object] = {}
    for typed in answers:
        field, sign, value = typed.partition("=")
        if not sign:
            raise DenseError(
                "answer-without-value", option="--answer", typed=typed, field=asked.fields[0].name
            )
        key = names.key(field) or names.key(f"{asked.id}.{field.strip()}")
        if key is None:
            known = tuple(one.name for one in asked.fields)
            raise DenseError("answer-field", option="--answer", typed=field, exercise=asked.id, known=known)
        if key in found:
            raise DenseError("answer-twice", option="--answer", typed=field)
        found[key] = value
    return found
