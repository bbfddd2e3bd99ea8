"""Answers that are plainly wrong and made by no known mistake, seen from their first digits.

Most wrong answers of a large class are far from everything: from the right value, and from what any known
mistake makes. To see that, floats and one search in an ordered list are enough. Whatever comes near
anything is judged exactly, as every other answer is; so nothing is decided here that could come out
otherwise.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Sequence

from dense_cli.grading.exercises.exercise import NUMERIC
from dense_cli.grading.marks.marking import FEWEST_DECIMALS, Rules
from dense_cli.grading.marks.questions import Question
from dense_cli.mistakes.agreement import shaped

_NUMBER = r"(-?(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,6})?)"
"""Plain decimals of so few digits that the nearest float names them exactly."""

_AS_TOLD = r"(-?(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{0,5}[1-9])?)"
"""Those of them that are read as they are written, unless they are small."""

_SMALL = 1e-4
"""What is smaller is told with an exponent, and nought without a sign: these are judged exactly."""

Interval = tuple[float, float]

_ROUNDED = 0.5 * 10.0**-FEWEST_DECIMALS
"""The right value rounded to the fewest decimals that count is no farther from it than this."""

_SLACK = 1e-9
"""By how much of themselves distances are taken larger, so that rounding makes nothing seem far."""

Plain = tuple[str, tuple[str, ...]]
"""What a plain answer is read as, and its numbers as they were written."""

Sight = Callable[[str], Plain | None]
"""Of the text of an answer: how it is read where it is plainly wrong and unexplained, None otherwise."""


def sight(question: Question, rules: Rules) -> Sight | None:
    """How to see that an answer to this question is plainly wrong; None where it takes the whole judgement.

    >>> from dense_cli.grading.exercises.set_files import load_set
    >>> from dense_cli.grading.marks.questions import questions_of
    >>> query = questions_of(load_set()).questions[0]
    >>> far = sight(query, Rules())
    >>> far("[0.738226, 2.50]"), far("[-1, 2.5]"), far("√2, 1")
    (('[0.738226, 2.5]', ('0.738226', '2.50')), None, None)
    """
    kind = question.field.kind
    if kind not in NUMERIC or rules.rtol:
        return None
    shape, _ = shaped((0.0,) * question.width)
    atol = float(rules.atol) if kind != "whole" else 0.0
    firsts = [] if question.paths is None else question.paths.firsts(question.pick, shape, atol)
    if firsts is None:
        return None
    near = [[_around(float(right), max(_ROUNDED, atol)), (-_SMALL, _SMALL)] for right in question.entries]
    near[0] += [_around(first, atol) for first in firsts]
    ends = [_ends(intervals) for intervals in near]
    return _several(ends) if kind == "vector" else _single(ends[0])


def _single(ends: Sequence[float]) -> Sight:
    plain = re.compile(_NUMBER).fullmatch

    def seen(given: str) -> Plain | None:
        if not plain(given):
            return None
        value = float(given)
        return None if bisect(ends, value) & 1 else (_told(value), (given,))

    return seen


def _several(ends: Sequence[Sequence[float]]) -> Sight:
    # A comma between bare digits could be meant as a decimal sign.
    bare = re.compile(", ".join([_NUMBER] * len(ends))).fullmatch
    bracketed = re.compile(rf"\[{', ?'.join([_NUMBER] * len(ends))}\]").fullmatch
    as_told = re.compile(rf"\[{', '.join([_AS_TOLD] * len(ends))}\]").fullmatch

    def seen(given: str) -> Plain | None:
        same = as_told(given)
        found = same or (bracketed(given) if given.startswith("[") else bare(given))
        if found is None:
            return None
        numbers = found.groups()
        values = [*map(float, numbers)]
        for value, near in zip(values, ends, strict=True):
            if bisect(near, value) & 1:
                return None
        return given if same else f"[{', '.join(map(_told, values))}]", numbers

    return seen


def _told(value: float) -> str:
    return repr(value).removesuffix(".0")


def _around(value: float, reach: float) -> Interval:
    reach += _SLACK * (1 + reach + abs(value))
    return value - reach, value + reach


def _ends(intervals: Iterable[Interval]) -> list[float]:
    """The ends of the union of intervals, in order: whoever has an odd number of them below is inside."""
    ends: list[float] = []
    for low, high in sorted(intervals):
        if ends and low <= ends[-1]:
            ends[-1] = max(ends[-1], high)
        else:
            ends += low, high
    return ends
