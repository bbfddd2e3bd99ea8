"""`dense check`: answer sheets, a table of a class, or single answers in; marks and mistakes out."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from dense_cli.cli.exits import Exit
from dense_cli.cli.options import (
    DigitsOption,
    Example,
    FormatOption,
    JsonOption,
    LangOption,
    Outcome,
    OutputOption,
    option,
    positional,
)
from dense_cli.cli.values import one_number
from dense_cli.derivation import Note
from dense_cli.errors import DenseError
from dense_cli.grading.exercise import Exercise, ExerciseSet
from dense_cli.grading.exercise_files import load_set
from dense_cli.grading.marking import ATOL, RTOL, Marker, Rules
from dense_cli.grading.questions import questions_of
from dense_cli.grading.report import Marked, report
from dense_cli.grading.sheets import FieldNames, Sheet, without_duplicates
from dense_cli.grading.sources import LARGEST_TABLE, STDIN, Reader, left_aside, read_sources
from dense_cli.grading.telling import Teller

MOST_WARNINGS = 20
"""More lines on the screen help nobody; what was not read stands in the report as well."""

EXAMPLES = {
    "check": (
        Example("one", "check --exercise 4 --answer output=1.761594,-2.857722"),
        Example("file", "check answers.toml"),
    )
}


def check(
    ctx: typer.Context,
    source: Annotated[list[str] | None, positional("SOURCE")] = None,
    exercise: Annotated[str | None, option("--exercise", metavar="ID")] = None,
    answer: Annotated[list[str] | None, option("--answer", metavar="FIELD=VALUE")] = None,
    exercises: Annotated[str | None, option("--exercises", metavar="DIR")] = None,
    atol: Annotated[str | None, option("--atol", metavar="A")] = None,
    rtol: Annotated[str | None, option("--rtol", metavar="R")] = None,
    encoding: Annotated[str | None, option("--encoding", metavar="NAME")] = None,
    no_follow_through: Annotated[bool, option("--no-follow-through")] = False,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Mark answers and name the mistakes behind the wrong ones."""
    rules = Rules(
        atol=_tolerance("--atol", atol, ATOL),
        rtol=_tolerance("--rtol", rtol, RTOL),
        follow_through=not no_follow_through,
    )
    chosen = load_set(Path(exercises) if exercises else None)
    teller = Teller(chosen, ctx.obj.language)
    if exercise is not None or answer:
        return _answers(teller, exercise, answer or (), source or (), rules)
    if not source:
        raise DenseError("nothing-to-check")
    stdin = sys.stdin.buffer.read(LARGEST_TABLE + 1) if STDIN in source else b""
    reader = Reader(FieldNames.of(chosen), stdin, encoding)
    sheets = without_duplicates(read_sources(source, reader))
    marker = Marker(questions_of(chosen), rules)
    marked = [_marked(marker, sheet) for sheet in sheets]
    unread = [one.error for one in marked if one.error is not None]
    warnings = _warnings([*unread, *left_aside(source), *(one for sheet in sheets for one in sheet.warnings)])
    return Outcome(report(marked, teller, rules), Exit.UNUSABLE if unread else Exit.DONE, warnings)


def _marked(marker: Marker, sheet: Sheet) -> Marked:
    marks = () if sheet.error else marker.sheet(sheet.answers)
    return Marked(sheet.student, sheet.source, marks, sheet.error)


def _warnings(found: Sequence[DenseError]) -> tuple[Note | DenseError, ...]:
    """Each warning once, and not endlessly many of them."""
    once = tuple({str(one): one for one in found}.values())
    more = len(once) - MOST_WARNINGS
    return once if more <= 0 else (*once[:MOST_WARNINGS], Note("common.more-errors", {"count": more}))


def _answers(
    teller: Teller, exercise: str | None, answers: Sequence[str], sources: Sequence[str], rules: Rules
) -> Outcome:
    """Answers from the command line to one exercise; the call fails where one is not right."""
    if sources:
        raise DenseError("answers-and-files", typed=sources[0])
    if exercise is None:
        raise DenseError("answer-without-exercise", typed=answers[0])
    if not answers:
        raise DenseError("exercise-without-answer", typed=exercise)
    asked = teller.set.exercise(exercise)
    alone = ExerciseSet(teller.set.id, teller.set.title, (asked,))
    marks = Marker(questions_of(alone), rules).sheet(_typed_answers(alone, asked, answers))
    marked = Marked("", "--answer", marks)
    return Outcome(report([marked], teller, rules), Exit.DONE if marked.all_right else Exit.DIFFERS)


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


def _tolerance(option: str, typed: str | None, default: Fraction) -> Fraction:
    if typed is None:
        return default
    value = Fraction(one_number(option, typed))
    if value < 0:
        raise DenseError("negative-tolerance", option=option, typed=typed)
    return value
