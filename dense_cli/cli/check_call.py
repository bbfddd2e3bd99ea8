"""What `dense check` does: read sheets or typed answers, mark them, and tell or export the marks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dense_cli.cli.check import Asked
from dense_cli.cli.check_answers import rules_of
from dense_cli.cli.check_export import exported, format_of
from dense_cli.cli.check_output import refuse_to_replace
from dense_cli.cli.check_sheets import first_of, intake_of, sheets_of
from dense_cli.cli.check_stream import streamed
from dense_cli.cli.exits import Exit
from dense_cli.cli.options import Outcome
from dense_cli.cli.page import Page
from dense_cli.cli.seeds import wanted_seed
from dense_cli.derivation import Note
from dense_cli.errors import DenseError
from dense_cli.frozen import replace
from dense_cli.grading.exercises.exercise import ExerciseSet
from dense_cli.grading.exercises.set_files import load_set
from dense_cli.grading.export.gradebook import Gradebook
from dense_cli.grading.intake.scores import scored
from dense_cli.grading.intake.scores import scores as read_scores
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import Rules
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.reports.class_statistics import class_statistics
from dense_cli.grading.reports.report import report
from dense_cli.grading.reports.statistics_page import with_statistics
from dense_cli.grading.variants.variant import Markers, marked_with, other_numbers


def marked(page: Page, asked: Asked) -> Outcome:
    """Marks of sheets, as a page or for another system. Raises DenseError."""
    if asked.watch:
        again = replace(asked, watch=False)
        from dense_cli.cli.watching import watched

        return watched(page, asked.source, lambda: marked(page, again))
    rules = rules_of(asked)
    teller = Teller(load_set(Path(asked.exercises) if asked.exercises else None), page.language)
    to = format_of(asked.to, page, asked.format, asked.json_)
    if not asked.source:
        raise DenseError("nothing-to-check")
    refuse_to_replace(page.output, asked)
    # Streamed where nothing needs the class as a whole.
    return streamed(page, asked, teller, rules, to) or _of_sheets(page, asked, teller, rules, to)


def _of_sheets(page: Page, asked: Asked, teller: Teller, rules: Rules, to: str | None) -> Outcome:
    """The sheets of all sources at once."""
    chosen, wanted = teller.set, wanted_seed(asked.variant)
    found = sheets_of(asked.source, chosen, intake_of(asked))
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
        book = Gradebook(tuple(students), teller, found.roster, found.column)
        outcome = exported(to, book, end, warnings)
    else:
        told = report(students, teller, rules)
        if asked.statistics:
            told = with_statistics(told, class_statistics(students, chosen), teller)
        outcome = Outcome(told, end, warnings)
    if asked.into is None:
        return outcome
    from dense_cli.cli.feedback import fed_back

    written = fed_back(page, asked.into, asked.source, students, teller, rules)
    return replace(outcome, beside=(written,))


def _scored(
    marked: list[Marked], path: str | None, exercises: ExerciseSet, encoding: str | None
) -> tuple[list[Marked], tuple[DenseError, ...]]:
    """The sheets with a person's points for open answers, and what of those no answer takes."""
    return (marked, ()) if path is None else scored(marked, read_scores(path, exercises, encoding))


def _warnings(found: Sequence[DenseError]) -> tuple[Note | DenseError, ...]:
    """Each warning once, and not endlessly many of them."""
    apart = {id(one): one for one in found}.values()  # each row of a table brings those of its header
    once = tuple({str(one): one for one in apart}.values())
    return first_of(once, len(once))
