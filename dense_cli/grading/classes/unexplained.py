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
from fractions import Fraction
from itertools import compress, repeat

from dense_cli.grading.exercises.calculations import Answer
from dense_cli.grading.exercises.exercise import NUMERIC
from dense_cli.grading.marks.marking import FEWEST_DECIMALS, Rules
from dense_cli.grading.marks.questions import Question
from dense_cli.mistakes.agreement import shaped

_NUMBER = r"(-?(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,6})?)"
"""Plain decimals of so few digits that the nearest float names them exactly."""

_SMALL = 1e-4
"""What is smaller is told with an exponent, and nought without a sign: these are judged exactly."""

Interval = tuple[float, float]

_ROUNDED = 0.5 * 10.0**-FEWEST_DECIMALS
"""The right value rounded to the fewest decimals that count is no farther from it than this."""

_SLACK = 1e-9
"""By how much of themselves distances are taken larger, so that rounding makes nothing seem far."""

Numbers = tuple[str, ...]
"""The numbers of a plain answer as they were written."""

Sight = Callable[[Sequence[str]], list[Numbers | None]]
"""Of the texts of answers: the numbers of each that is plainly wrong and unexplained, None for the others."""


def sight(question: Question, rules: Rules) -> Sight | None:
    """How to see that answers to this question are plainly wrong; None where it takes the whole judgement.

    >>> from dense_cli.grading.exercises.set_files import load_set
    >>> from dense_cli.grading.marks.questions import questions_of
    >>> query = questions_of(load_set()).questions[0]
    >>> sight(query, Rules())(["[0.738226, 2.50]", "[-1, 2.5]", "√2, 1"])
    [('0.738226', '2.50'), None, None]
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
    plain = _vectors(question.width) if kind == "vector" else _NUMBER
    return _Far(plain, [_ends(intervals) for intervals in near]).seen


def plain_value(question: Question) -> Callable[[str], Answer | None]:
    """How to read an answer to this question that is plain: its value, or None where it is not.

    >>> from dense_cli.grading.exercises.set_files import load_set
    >>> from dense_cli.grading.marks.questions import questions_of
    >>> value = plain_value(questions_of(load_set()).questions[0])
    >>> value("[0.5, 2]"), value("√2, 1")
    ((Fraction(1, 2), Fraction(2, 1)), None)
    """
    is_vector = question.field.kind == "vector"
    plain = re.compile(_vectors(question.width) if is_vector else _NUMBER).fullmatch

    def value(text: str) -> Answer | None:
        found = plain(text)
        if found is None:
            return None
        numbers = tuple(map(Fraction, found.groups()[-question.width :]))
        return numbers if is_vector else numbers[0]

    return value


def read_as(answers: Sequence[Numbers], is_vector: bool) -> list[str]:
    """What plain numbers are read as: without the noughts that say nothing.

    >>> read_as([("0.50", "2.0"), ("1", "10")], True), read_as([("-0.20",)], False)
    (['[0.5, 2]', '[1, 10]'], ['-0.2'])
    """
    columns = [
        [
            number.rstrip("0").rstrip(".") if number[-1] == "0" and "." in number else number
            for number in column
        ]
        for column in zip(*answers, strict=True)
    ]
    told = map(", ".join, zip(*columns, strict=True))
    return [f"[{one}]" for one in told] if is_vector else [*told]


def _vectors(width: int) -> str:
    """Numbers in brackets or bare; a comma alone between bare digits could be meant as a decimal sign."""
    between = r"(?(open), ?|, )"
    return rf"(?P<open>\[)?{between.join([_NUMBER] * width)}(?(open)\])"


class _Far:
    """Sees many at once: one search takes their numbers apart, another tells of each whether it is near."""

    def __init__(self, plain: str, ends: Sequence[Sequence[float]]) -> None:
        # What else a line holds gives a match without numbers, so that each has one.
        self._lines = re.compile(rf"^(?:{plain}|.*)$", re.MULTILINE)
        self._ends = ends
        self._is_inside = tuple(count & 1 for count in range(max(map(len, ends)) + 1))

    def seen(self, texts: Sequence[str]) -> list[Numbers | None]:
        if not texts:  # no text is one empty line
            return []
        whole = "\n".join(texts)
        if whole.count("\n") >= len(texts):
            whole = "\n".join("" if "\n" in text else text for text in texts)
        found = self._lines.findall(whole)
        columns = [found] if self._lines.groups == 1 else [*zip(*found, strict=True)][-len(self._ends) :]
        seen: list[Numbers | None] = [*zip(*columns, strict=True)]
        for column, ends in zip(columns, self._ends, strict=True):
            # Nought is near for every question, and so is what is not plain. All of it runs without a loop
            # of ours: this is where a large class spends its time.
            numbers = map(float, [number or "0" for number in column])
            inside = map(self._is_inside.__getitem__, map(bisect, repeat(ends), numbers))
            for place in compress(range(len(seen)), inside):
                seen[place] = None
        return seen


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
