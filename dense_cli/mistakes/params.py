"""What is counted otherwise when a gated network shall cost as much as a plain one (table 25.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from dense_cli.core.budget import GATED, MATRICES, PLAIN, ffn_parameters, matched_width
from dense_cli.frozen import dataclass, replace
from dense_cli.mistakes import Catalogue, Change, Kind, Mistake, always

Narrow = Callable[[int, int, bool], Fraction]
Count = Callable[[int, int, int, bool], int]

EXAMPLE_WIDTH = 32
"""The gated width of the chapter's own example, where the plain one is 48."""


def as_fraction(ratio: Fraction) -> Fraction:
    """How much more, as a part of what it was: 3/2 of it is 1/2 more."""
    return ratio - 1


@dataclass(frozen=True, slots=True)
class BudgetQuestion:
    """Plain network of `width` and `hidden`: which gated width costs as much, and what do both cost?

    The parts: `narrow` gives the gated width from width, hidden and bias; `count` counts from width, hidden,
    matrices and bias; `growth` tells the ratio of the costs where the hidden width is kept.
    """

    width: int
    hidden: int
    bias: bool = False
    multiple_of: int | None = None
    narrow: Narrow = matched_width
    plain_matrices: int = MATRICES[PLAIN]
    gated_matrices: int = MATRICES[GATED]
    count: Count = ffn_parameters
    growth: Callable[[Fraction], Fraction] = as_fraction


@dataclass(frozen=True, slots=True)
class BudgetAnswer:
    """The gated `hidden` width, whole or not; the parameters of the plain (`relu`) and the gated network
    (`swiglu`, None where the width is not whole); `growth` if the hidden width is kept."""

    hidden: int | Fraction
    relu: int
    swiglu: int | None
    growth: Fraction


def budget_answer(given: BudgetQuestion) -> BudgetAnswer:
    """Exercise 5 for any widths. Raises `DenseError` "not-positive" or "not-whole".

    >>> budget_answer(BudgetQuestion(24, 96))
    BudgetAnswer(hidden=64, relu=4608, swiglu=4608, growth=Fraction(1, 2))
    """
    hidden = _multiple(given.narrow(given.width, given.hidden, given.bias), given.multiple_of)
    whole = int(hidden) if hidden == int(hidden) else None
    relu = given.count(given.width, given.hidden, given.plain_matrices, given.bias)
    kept = given.count(given.width, given.hidden, given.gated_matrices, given.bias)
    return BudgetAnswer(
        hidden=hidden if whole is None else whole,
        relu=relu,
        swiglu=whole and given.count(given.width, whole, given.gated_matrices, given.bias),
        growth=given.growth(Fraction(kept, relu)),
    )


def _multiple(ideal: Fraction, step: int | None) -> Fraction:
    """The whole part rounded up to a multiple, as model families do; without a step, the width itself."""
    if step is None:
        return ideal
    return Fraction(max(-(-int(ideal) // step), 1) * step)


def example_width(given: BudgetQuestion) -> Iterator[BudgetQuestion]:
    yield replace(given, narrow=lambda width, hidden, bias: Fraction(EXAMPLE_WIDTH), multiple_of=None)


def cut_before_four(given: BudgetQuestion) -> Iterator[BudgetQuestion]:
    if given.hidden == 4 * given.width:
        yield replace(given, narrow=lambda width, hidden, bias: Fraction(2 * width // 3 * 4))


def counted_with(width: int, hidden: int, matrices: int, bias: bool) -> int:
    return ffn_parameters(width, hidden, matrices, bias=True)


def counted_without(width: int, hidden: int, matrices: int, bias: bool) -> int:
    return ffn_parameters(width, hidden, matrices)


def narrowed_without(width: int, hidden: int, bias: bool) -> Fraction:
    return matched_width(width, hidden)


def biases_counted(given: BudgetQuestion) -> Iterator[BudgetQuestion]:
    if not given.bias:
        yield replace(given, count=counted_with)


def biases_missing(given: BudgetQuestion) -> Iterator[BudgetQuestion]:
    """Out of the counts, out of the rule for the width, out of both."""
    if given.bias:
        yield replace(given, count=counted_without)
        yield replace(given, narrow=narrowed_without)
        yield replace(given, bias=False)


ENTRIES: Iterable[tuple[str, Kind, Change]] = (
    ("same-width", "slip", always(narrow=lambda width, hidden, bias: Fraction(hidden))),
    ("halved-width", "slip", always(narrow=lambda width, hidden, bias: Fraction(hidden, 2))),
    ("wrong-way", "slip", always(narrow=lambda width, hidden, bias: Fraction(3 * hidden, 2))),
    ("third-width", "slip", always(narrow=lambda width, hidden, bias: Fraction(hidden, 3))),
    ("two-thirds-of-input", "slip", always(narrow=lambda width, hidden, bias: Fraction(2 * width, 3))),
    ("cut-before-four", "convention", cut_before_four),
    ("example-width", "slip", example_width),
    ("two-matrices", "slip", always(gated_matrices=2)),
    ("one-matrix", "slip", always(gated_matrices=1)),
    ("plain-with-three", "slip", always(plain_matrices=3)),
    ("biases-counted", "slip", biases_counted),
    ("biases-missing", "slip", biases_missing),
)

BUDGET: Catalogue = (
    *(Mistake(id, "params", kind, change) for id, kind, change in ENTRIES),
    Mistake("ratio-for-growth", "exercises", "slip", always(growth=lambda ratio: ratio)),
    Mistake("percent-for-fraction", "exercises", "slip", always(growth=lambda ratio: 100 * (ratio - 1))),
)
