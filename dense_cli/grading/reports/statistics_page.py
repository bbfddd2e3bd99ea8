"""The statistics of a class as steps of a page, beside the marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from dense_cli.derivation import Derivation, Line, Note, Prose, Step, Table, Value
from dense_cli.frozen import replace
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.reports.class_statistics import FORMULAS, ClassStatistics, statistics_data
from dense_cli.grading.reports.items import Item

REPLACED = frozenset({"mistakes", "unreadable"})
"""Steps of the marks that the statistics tell more fully."""

MOST_ROWS = 200
"""Rows of a table on the page; the data has all."""

Cell = Value | Note


def with_statistics(derivation: Derivation, found: ClassStatistics, teller: Teller) -> Derivation:
    """The marks with the statistics of their class, in the data and on the page."""
    kept = tuple(step for step in derivation.steps if step.name not in REPLACED)
    return replace(
        derivation,
        result={**derivation.result, "statistics": statistics_data(found, teller)},
        steps=(*kept, *_steps(found, teller)),
    )


def _steps(found: ClassStatistics, teller: Teller) -> Iterator[Step]:
    yield _test(found)
    columns = ("points", "facility", "sd", "discrimination", "efficiency", "intended", "effective")
    left_out = (Note("statistics.left-out"),) if found.waits else ()
    questions = [(one.key, Fraction(one.points), item) for one, item in found.questions]
    exercises = [(one.id, item.maximum, item) for one, item in found.exercises]
    yield Step("questions", Note("statistics.questions"), table=_items("field", columns, questions))
    yield Step(
        "exercises",
        Note("statistics.exercises"),
        table=_items("exercise", columns, exercises),
        notes=left_out,
    )
    if found.mistakes:
        rows = [
            (
                one.exercise,
                teller.title(one.found),
                one.students,
                Prose("; ".join(f"{field.name} {', '.join(answers)}" for field, _, answers in one.fields)),
            )
            for one in found.mistakes
        ]
        names = ("exercise", "mistake", "students", "answers")
        yield _listed("mistakes", names, rows, (Note("check.mistakes-meaning"),))
    if found.unexplained:
        values = [(one.field.key, one.value, one.students) for one in found.unexplained]
        yield _listed("unexplained", ("field", "value", "students"), values)
    if found.waiting:
        answers = [
            (
                one.student,
                one.mark.field.key,
                Note(f"check.verdict-{one.mark.verdict}"),
                one.mark.given,
                Prose(teller.message(one.mark) or ""),
            )
            for one in found.waiting
        ]
        yield _listed("look", ("student", "field", "verdict", "answer", "reason"), answers)


def _test(found: ClassStatistics) -> Step:
    test = found.test
    values = {
        "mean": test.mean,
        "median": test.median,
        "sd": test.sd,
        "skewness": test.skewness,
        "kurtosis": test.kurtosis,
        "alpha": test.cronbach_alpha,
        "error-ratio": test.error_ratio,
        "standard-error": test.standard_error,
    }
    title = Note("statistics.title", {"students": test.students, "maximum": test.maximum})
    lines = tuple(Line(Note(f"statistics.{name}"), None, value) for name, value in values.items())
    return Step("statistics", title, lines=lines, notes=(Note("statistics.formulas", {"name": FORMULAS}),))


def _items(first: str, columns: tuple[str, ...], items: Sequence[tuple[str, Fraction, Item | None]]) -> Table:
    return Table(
        _columns(first, *columns), tuple((name, points, *_numbers(item)) for name, points, item in items)
    )


def _numbers(item: Item | None) -> tuple[Cell, ...]:
    if item is None:
        return (None,) * 6
    return (
        rounded(None if item.facility is None else 100 * item.facility, 1),
        rounded(item.sd, 2),
        rounded(item.discrimination, 1),
        rounded(item.efficiency, 1),
        rounded(item.intended_weight, 1),
        rounded(item.effective_weight, 1),
    )


def rounded(value: float | None, digits: int) -> Fraction | None:
    """A number as a table shows it.

    >>> rounded(28.398, 1), rounded(None, 1)
    (Fraction(142, 5), None)
    """
    return None if value is None else Fraction(round(Fraction(value) * 10**digits), 10**digits)


def _columns(*names: str) -> tuple[Note, ...]:
    return tuple(Note(f"statistics.column-{name}") for name in names)


def _listed(
    name: str, columns: tuple[str, ...], rows: Sequence[tuple[Cell, ...]], notes: tuple[Note, ...] = ()
) -> Step:
    more = len(rows) - MOST_ROWS
    if more > 0:
        notes = (*notes, Note("statistics.more", {"count": more}))
    title = Note(f"statistics.{name}", {"count": len(rows)})
    return Step(name, title, table=Table(_columns(*columns), tuple(rows[:MOST_ROWS])), notes=notes)
