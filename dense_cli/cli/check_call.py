"""What `dense check` does: read sheets or typed answers, mark them, and tell or export the marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from dense_cli.cli.check import Asked
from dense_cli.cli.check_export import exported, format_of
from dense_cli.cli.check_sheets import Intake, first_of, sheets_of
from dense_cli.cli.check_stream import jobs_of, streamed
from dense_cli.cli.exits import Exit
from dense_cli.cli.options import Outcome
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


def marked(page: Page, asked: Asked) -> Outcome:
    """Marks of sheets or of typed answers, as a page or for another system. Raises DenseError."""
    if asked.watch:
        again = replace(asked, watch=False)
        return _watched(page, asked.source, asked.exercise, lambda: marked(page, again))
    rules = Rules(
        atol=_tolerance("--atol", asked.atol, ATOL),
        rtol=_tolerance("--rtol", asked.rtol, RTOL),
        follow_through=not asked.no_follow_through,
    )
    chosen = load_set(Path(asked.exercises) if asked.exercises else None)
    teller = Teller(chosen, page.language)
    intake = Intake(
        asked.map_, asked.from_, asked.student_from, asked.encoding, asked.roster, asked.duplicates
    )
    to = format_of(asked.to, page, asked.format, asked.json_)
    if asked.exercise is not None or asked.answer:
        _only_for_sheets(asked.scores, asked.statistics, intake.typed() or (asked.jobs and "--jobs"))
        seed = one_seed(asked.variant, chosen.id)
        return _answers(teller, asked, rules, seed, to)
    if not asked.source:
        raise DenseError("nothing-to-check")
    return _of_sheets(page, asked, teller, intake, rules, to)


def _of_sheets(
    page: Page, asked: Asked, teller: Teller, intake: Intake, rules: Rules, to: str | None
) -> Outcome:
    """The sheets of all sources, streamed where nothing needs the class as a whole."""
    chosen = teller.set
    wanted, cores = wanted_seed(asked.variant), jobs_of(asked.jobs)
    if asked.scores is None and not asked.statistics:
        outcome = streamed(asked.source, chosen, intake, rules, wanted, to, page, cores)
        if outcome is not None:
            return outcome
    found = sheets_of(asked.source, chosen, intake)
    sheets, markers = found.sheets, Markers(chosen, rules)
    with_scores, not_taken = _scored(
        [marked_with(markers, sheet, wanted) for sheet in sheets], asked.scores, chosen, asked.encoding
    )
    students, set_aside = found.counting(with_scores)
    unread = [one.error for one in students if one.error is not None]
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
        if asked.statistics and to != "html":
            raise DenseError("export-and-page", option="--to", typed=to, other="--statistics")
        return exported(to, Gradebook(tuple(students), teller, found.roster, found.column), end, warnings)
    told = report(students, teller, rules)
    if asked.statistics:
        told = with_statistics(told, class_statistics(students, chosen), teller)
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


def _answers(teller: Teller, asked: Asked, rules: Rules, seed: str, to: str | None) -> Outcome:
    """Answers from the command line to one exercise; the call fails where one is not right."""
    if asked.source:
        raise DenseError("answers-and-files", typed=asked.source[0])
    if asked.exercise is None:
        raise DenseError("answer-without-exercise", typed=asked.answer[0])
    if not asked.answer:
        raise DenseError("exercise-without-answer", typed=asked.exercise)
    exercise = teller.set.exercise(asked.exercise)
    alone = ExerciseSet(teller.set.id, teller.set.title, (exercise,))
    marks = Markers(alone, rules).of(seed).sheet(_typed_answers(alone, exercise, asked.answer))
    student = Marked("", "--answer", marks, variant=seed)
    end = Exit.DONE if student.all_right else Exit.DIFFERS
    if to is not None:
        return exported(to, Gradebook((student,), Teller(alone, teller.language)), end, ())
    return Outcome(report([student], teller, rules), end)


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
