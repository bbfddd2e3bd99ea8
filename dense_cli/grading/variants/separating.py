"""Which mistakes do the numbers of an exercise tell from the right answer?"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from math import inf

from dense_cli.grading.marks.marking import ATOL
from dense_cli.grading.marks.questions import Question
from dense_cli.mistakes import Mistake
from dense_cli.mistakes.agreement import difference, shaped
from dense_cli.mistakes.diagnosis import WrongPaths

MARGIN = 20
"""Tolerances that a wrong value keeps from the right one, so that careless rounding cannot join them."""

NEAREST = float(ATOL)
"""What is not farther apart is one value."""

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
        alike = {one.id for one in question.paths.hidden(question.pick, NEAREST) if _of(one.kind, kinds)}
        applied = (question.paths.catalogue[path.steps[0]] for path in question.paths.singles)
        hidden |= alike
        shown |= {one.id for one in applied if _of(one.kind, kinds)} - alike
    return frozenset(hidden - shown)


def tell_all(questions: Iterable[Question], unseen: Container[str]) -> bool:
    """Whether some question tells each mistake of method, except those `unseen`, from the right answer.

    Besides, every wrong value must be the right one or well away from it. Raises one of `FAILURES` where an
    answer, or what a wrong path makes of it, cannot be calculated.

    It asks the same of `questions` as `hidden_ids` does, and stops at the first that rules them out: of what
    it would have to calculate once more for each wrong path, only what is still to be told.
    """
    hidden, shown = set[str](), set[str]()
    paths: dict[int, WrongPaths] = {}
    for question in sorted(numeric(questions), key=lambda one: isinstance(one.right, bool)):
        assert question.paths is not None
        of_method = paths.setdefault(id(question.paths), _of_method(question.paths))
        told: dict[str, bool] = {}
        for mistake, apart in _differences(question, of_method, shown):
            if apart is not None and NEAREST < apart <= MARGIN * NEAREST:
                return False
            is_told = apart is None or apart > NEAREST
            told[mistake.id] = told.get(mistake.id, False) or is_told
        shown |= {name for name, is_told in told.items() if is_told}
        hidden |= {name for name, is_told in told.items() if not is_told}
    return all(name in unseen for name in hidden - shown)


def _of_method(paths: WrongPaths) -> WrongPaths:
    """The mistakes of method alone: what the others make would be calculated for nothing."""
    of_method = tuple(mistake for mistake in paths.catalogue if mistake.kind in OF_METHOD)
    return WrongPaths(of_method, paths.given, paths.compute)


def _differences(
    question: Question, paths: WrongPaths, shown: Container[str]
) -> Iterator[tuple[Mistake, float | None]]:
    """Each mistake with how far its value is from the right one; None for one of another shape.

    What is asked for with yes or no can only tell a mistake that is not `shown` yet. Where that is calculated
    once more for each path, and may refuse one, all of them are looked at.
    """
    assert question.worked is not None
    yes_or_no = isinstance(question.right, bool)
    may_refuse = question.field.quantity in question.worked.calculation.refusing
    right_shape, right = shaped(question.right)
    for path in paths.singles:
        mistake = paths.catalogue[path.steps[0]]
        is_told = yes_or_no and mistake.id in shown
        if may_refuse or not is_told:
            value = question.pick(path.result)
            if not is_told:
                shape, entries = shaped(value)
                yield mistake, difference(entries, right, inf, 0.0) if shape == right_shape else None


def _of(kind: str, kinds: Iterable[str] | None) -> bool:
    return kinds is None or kind in kinds
