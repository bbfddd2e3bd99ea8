"""Which mistakes do the numbers of an exercise tell from the right answer?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf

from dense_cli.grading.marking import ATOL
from dense_cli.grading.questions import Question
from dense_cli.mistakes.agreement import agreement

MARGIN = 20
"""Tolerances that a wrong value keeps from the right one, so that careless rounding cannot join them."""

OF_METHOD = ("slip", "convention")
"""Kinds of mistakes that numbers for a pencil can show; fewer digits and other settings are too near."""


def numeric(questions: Iterable[Question]) -> tuple[Question, ...]:
    """The questions whose wrong answers can be calculated."""
    return tuple(one for one in questions if one.paths is not None and not isinstance(one.right, str))


def hidden_ids(questions: Iterable[Question], kinds: Iterable[str] | None = None) -> frozenset[str]:
    """The mistakes that apply to these questions of one exercise, and that none of them can show."""
    hidden, shown = set[str](), set[str]()
    for question in numeric(questions):
        assert question.paths is not None
        alike = {one.id for one in question.paths.hidden(question.pick, float(ATOL)) if _of(one.kind, kinds)}
        applied = (question.paths.catalogue[path.steps[0]] for path in question.paths.singles)
        hidden |= alike
        shown |= {one.id for one in applied if _of(one.kind, kinds)} - alike
    return frozenset(hidden - shown)


def keep_their_distance(questions: Iterable[Question]) -> bool:
    """Whether every wrong value is either the right one or well away from it."""
    return all(
        not float(ATOL) < difference <= MARGIN * float(ATOL)
        for question in numeric(questions)
        for difference in _differences(question)
    )


def _differences(question: Question) -> Iterator[float]:
    assert question.paths is not None
    for path in question.paths.singles:
        if question.paths.catalogue[path.steps[0]].kind in OF_METHOD:
            difference = agreement(question.pick(path.result), question.right, inf)
            if difference is not None:
                yield difference


def _of(kind: str, kinds: Iterable[str] | None) -> bool:
    return kinds is None or kind in kinds
