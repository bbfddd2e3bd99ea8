"""One student, several sheets: an error unless the call says which one counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass, replace
from dense_cli.grading.intake.sheets import Sheet
from dense_cli.grading.marks.marked import Marked

RULES = ("error", "first", "last", "best")

_ROUNDED = re.compile(r"[0-9](?:\.[0-9]+)?[eE]\+[0-9]+")
"""How a spreadsheet shows a long student number that it took for a number: no two are surely one."""

MOST_PLACES = 10
"""So many of a student's sheets are named: a wrong column may make a whole class one student."""

Identity = Callable[[str], object]
"""What is the same for two names of one student."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is left, in the order it came, and a word on every sheet that was set aside."""

    sheets: tuple[Sheet, ...]
    warnings: tuple[DenseError, ...] = ()


def rule_of(typed: str | None) -> str:
    """The rule that was asked for. Raises DenseError for one that is none."""
    if typed is None:
        return "error"
    if typed not in RULES:
        raise DenseError(
            "unknown-duplicates", option="--duplicates", typed=typed, nearest=nearest(typed, RULES) or RULES
        )
    return typed


def without_duplicates(sheets: Iterable[Sheet], rule: str = "error", identity: Identity = str) -> Kept:
    """One sheet a student by `rule`; with ``error`` all of theirs are errors, with ``best`` all are kept.

    A sheet that could not be read counts for nobody, and neither does one that was not handed in.
    """
    found = list(sheets)
    groups: dict[object, list[Sheet]] = {}
    for one in found:
        if one.error is None and one.submitted:
            groups.setdefault(identity(one.student), []).append(one)
    # an empty sheet of somebody who has another one as well says nothing
    found = [
        one for one in found if one.error is not None or one.submitted or identity(one.student) not in groups
    ]
    several = {name: group for name, group in groups.items() if len(group) > 1}
    places = {name: [each.where for each in group] for name, group in several.items()}
    if not several:
        return Kept(tuple(found))
    kept: list[Sheet] = []
    warnings: list[DenseError] = []
    for one in found:
        name = identity(one.student)
        group = several.get(name, ()) if one.error is None and one.submitted else ()
        if not group:
            kept.append(one)
        elif rule == "error" or _ROUNDED.fullmatch(one.student):
            kept.append(_refused(one, places[name]))
        elif rule == "best":
            kept.append(one)
        elif one is (counts := group[0] if rule == "first" else group[-1]):
            kept.append(one)
            warnings.append(_set_aside(one.student, counts.where, places[name], rule))
    return Kept(tuple(kept), tuple(warnings))


def best_of(
    students: Sequence[Marked], places: Sequence[str], identity: Identity = str
) -> tuple[list[Marked], tuple[DenseError, ...]]:
    """The best of each student's sheets, the first of equals; `places` tells where each stands."""
    groups: dict[object, list[int]] = {}
    for number, one in enumerate(students):
        if one.graded:
            groups.setdefault(identity(one.student), []).append(number)
    best = {
        max(group, key=lambda number: (students[number].score, -number)): group for group in groups.values()
    }
    kept = [one for number, one in enumerate(students) if number in best or not one.graded]
    warnings = tuple(
        _set_aside(students[number].student, places[number], [places[each] for each in group], "best")
        for number, group in sorted(best.items())
        if len(group) > 1
    )
    return kept, warnings


def _refused(one: Sheet, places: Sequence[str]) -> Sheet:
    key = "rounded-student" if _ROUNDED.fullmatch(one.student) else "student-twice"
    error = DenseError(key, source=one.source, student=one.student, places=_first(places))
    return replace(one, answers={}, error=error)


def _set_aside(student: str, counts: str, places: Sequence[str], rule: str) -> DenseError:
    others = [place for place in places if place != counts]
    return DenseError(
        "duplicates-set-aside", source=counts, student=student, rule=rule, places=_first(others)
    )


def _first(places: Sequence[str]) -> tuple[str, ...]:
    return tuple(places) if len(places) <= MOST_PLACES else (*places[:MOST_PLACES], "…")
