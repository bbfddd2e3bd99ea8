"""`dense check`: answer sheets, a table of a class, or single answers in; marks and mistakes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Annotated

from dense_cli.cli.check_export import exported, format_of
from dense_cli.cli.check_sheets import Intake, first_of, sheets_of
from dense_cli.cli.check_stream import jobs_of, streamed
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
from dense_cli.cli.page import Page
from dense_cli.cli.seeds import one_seed, wanted_seed
from dense_cli.cli.values import one_number
from dense_cli.derivation import Note
from dense_cli.errors import DenseError
from dense_cli.grading.class_statistics import class_statistics
from dense_cli.grading.exercise import Exercise, ExerciseSet
from dense_cli.grading.exercise_files import load_set
from dense_cli.grading.export.gradebook import Gradebook
from dense_cli.grading.marking import ATOL, RTOL, Rules
from dense_cli.grading.report import Marked, report
from dense_cli.grading.scores import scored
from dense_cli.grading.scores import scores as read_scores
from dense_cli.grading.sheets import FieldNames
from dense_cli.grading.statistics_page import with_statistics
from dense_cli.grading.telling import Teller
from dense_cli.grading.variants import Markers, marked_with, other_numbers

EXAMPLES = {
    "check": (
        Example("one", "check --exercise 4 --answer output=1.761594,-2.857722"),
        Example("file", "check answers.toml"),
    )
}


def check(
    page: Page,
    source: Annotated[tuple[str, ...], positional("SOURCE")] = (),
    exercise: Annotated[str | None, option("--exercise", metavar="ID")] = None,
    answer: Annotated[tuple[str, ...], option("--answer", metavar="FIELD=VALUE")] = (),
    exercises: Annotated[str | None, option("--exercises", metavar="DIR")] = None,
    atol: Annotated[str | None, option("--atol", metavar="A")] = None,
    rtol: Annotated[str | None, option("--rtol", metavar="R")] = None,
    encoding: Annotated[str | None, option("--encoding", metavar="NAME")] = None,
    from_: Annotated[str | None, option("--from", metavar="SYSTEM")] = None,
    map_: Annotated[tuple[str, ...], option("--map", metavar="COLUMN=FIELD")] = (),
    student_from: Annotated[str | None, option("--student-from", metavar="REGEX")] = None,
    duplicates: Annotated[str | None, option("--duplicates", metavar="RULE")] = None,
    roster: Annotated[str | None, option("--roster", metavar="FILE")] = None,
    to: Annotated[str | None, option("--to", metavar="SYSTEM")] = None,
    no_follow_through: Annotated[bool, option("--no-follow-through")] = False,
    variant: Annotated[str | None, option("--variant", metavar="SEED|student")] = None,
    watch: Annotated[bool, option("--watch")] = False,
    scores: Annotated[str | None, option("--scores", metavar="FILE")] = None,
    statistics: Annotated[bool, option("--statistics")] = False,
    jobs: Annotated[str | None, option("--jobs", metavar="N")] = None,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Mark answers and name the mistakes behind the wrong ones."""
    if watch:
        # Here locals() are the parameters of this very call.
        return _watched(page, source or (), exercise, partial(check, **{**locals(), "watch": False}))
    rules = Rules(
        atol=_tolerance("--atol", atol, ATOL),
        rtol=_tolerance("--rtol", rtol, RTOL),
        follow_through=not no_follow_through,
    )
    chosen = load_set(Path(exercises) if exercises else None)
    teller = Teller(chosen, page.language)
    intake = Intake(map_, from_, student_from, encoding, roster, duplicates)
    to = format_of(to, page, format, json_)
    if exercise is not None or answer:
        _only_for_sheets(scores, statistics, intake.typed() or (jobs and "--jobs"))
        seed = one_seed(variant, chosen.id)
        return _answers(teller, exercise, answer or (), source or (), rules, seed, to)
    if not source:
        raise DenseError("nothing-to-check")
    wanted, cores = wanted_seed(variant), jobs_of(jobs)
    if scores is None and not statistics:
        outcome = streamed(source, chosen, intake, rules, wanted, to, page, cores)
        if outcome is not None:
            return outcome
    found = sheets_of(source, chosen, intake)
    sheets, markers = found.sheets, Markers(chosen, rules)
    marked, not_taken = _scored(
        [marked_with(markers, sheet, wanted) for sheet in sheets], scores, chosen, encoding
    )
    marked, set_aside = found.counting(marked)
    unread = [one.error for one in marked if one.error is not None]
    warnings = _warnings(
        [
            *unread,
            *found.warnings,
            *set_aside,
            *not_taken,
            *other_numbers(sheets, wanted, chosen.id),
            *(one for sheet in sheets for one in sheet.warnings),
        ]
    )
    end = Exit.UNUSABLE if unread else Exit.DONE
    if to is not None:
        if statistics and to != "html":
            raise DenseError("export-and-page", option="--to", typed=to, other="--statistics")
        return exported(to, Gradebook(tuple(marked), teller, found.roster, found.column), end, warnings)
    told = report(marked, teller, rules)
    if statistics:
        told = with_statistics(told, class_statistics(marked, chosen), teller)
    return Outcome(told, end, warnings)


def _watched(
    page: Page, sources: Sequence[str], exercise: str | None, mark: Callable[[], Outcome]
) -> Outcome:
    from dense_cli.cli.watching import watched

    if exercise is not None:
        raise DenseError("watch-answers", option="--watch", typed=exercise)
    return watched(page, sources, mark)


def _scored(
    marked: list[Marked], path: str | None, exercises: ExerciseSet, encoding: str | None
) -> tuple[list[Marked], tuple[DenseError, ...]]:
    """The sheets with a person's points for open answers, and what of those no answer takes."""
    return (marked, ()) if path is None else scored(marked, read_scores(path, exercises, encoding))


def _only_for_sheets(scores: str | None, statistics: bool, intake: str | None) -> None:
    if intake is not None:
        raise DenseError("option-for-sheets", option=intake)
    if scores is not None:
        raise DenseError("scores-without-sheets", option="--scores")
    if statistics:
        raise DenseError("statistics-without-sheets", option="--statistics")


def _warnings(found: Sequence[DenseError]) -> tuple[Note | DenseError, ...]:
    """Each warning once, and not endlessly many of them."""
    once = tuple({str(one): one for one in found}.values())
    return first_of(once, len(once))


def _answers(
    teller: Teller,
    exercise: str | None,
    answers: Sequence[str],
    sources: Sequence[str],
    rules: Rules,
    seed: str,
    to: str | None,
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
    marks = Markers(alone, rules).of(seed).sheet(_typed_answers(alone, asked, answers))
    marked = Marked("", "--answer", marks, variant=seed)
    end = Exit.DONE if marked.all_right else Exit.DIFFERS
    if to is not None:
        return exported(to, Gradebook((marked,), Teller(alone, teller.language)), end, ())
    return Outcome(report([marked], teller, rules), end)


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
