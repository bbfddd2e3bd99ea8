"""Laws on random input: what a mistake makes names it; the right value and chance name nothing."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dense_cli.core.angles import Rate
from dense_cli.core.ffn import ORDERS, Ffn, ffn
from dense_cli.core.norms import Norm, norm
from dense_cli.core.rope import Rope, Schedule, rope
from dense_cli.mistakes import catalogue
from dense_cli.mistakes.agreement import agreement
from dense_cli.mistakes.diagnosis import WrongPaths
from dense_cli.mistakes.params import BudgetQuestion, budget_answer

FEW = settings(max_examples=12, deadline=None)
TIGHT = 1e-9


def thousandths(low, high):
    return st.integers(low, high).map(lambda whole: whole / 1000)


numbers = thousandths(-3000, 3000).filter(lambda value: abs(value) > 0.05)


def rows(width):
    return st.tuples(*(numbers,) * width)


def matrices(height, width):
    return st.tuples(*(rows(width),) * height)


@st.composite
def ropes(draw):
    r, d = draw(st.sampled_from(((2, 2), (4, 4), (4, 8), (8, 8))))
    m, n = draw(st.integers(2, 60)), draw(st.integers(2, 60))
    base = draw(st.sampled_from((100, 10_000, 500_000)))
    rates = Schedule(
        Fraction(base), r, scale=lambda rates: tuple(rate.scaled(Fraction(2, 3)) for rate in rates)
    )
    layout = draw(st.sampled_from(("interleaved", "half")))
    return Rope(draw(rows(d)), draw(rows(d)), ((m, n),), rates, r, layout, attention_factor=1.25)


@st.composite
def norms(draw):
    height, width = draw(st.integers(1, 2)), draw(st.integers(2, 4))
    gain = draw(st.none() | rows(width))
    return Norm(draw(matrices(height, width)), gain, draw(st.sampled_from((0.0, 1e-2))), draw(st.booleans()))


@st.composite
def ffns(draw):
    plain = Ffn(
        draw(matrices(1, 2)), wg=draw(matrices(2, 2)), wu=draw(matrices(2, 2)), wd=draw(matrices(2, 2))
    )
    biased = replace(plain, bg=draw(rows(2)), bu=draw(rows(2)), bd=draw(rows(2)))
    packed = replace(
        plain, wg=None, wu=None, packed=draw(matrices(2, 4)), order=draw(st.sampled_from(ORDERS))
    )
    clamped = replace(plain, limit=1.5, alpha=1.702, up_offset=1.0)
    return draw(st.sampled_from((plain, biased, packed, clamped)))


budgets = st.builds(
    BudgetQuestion,
    st.integers(5, 200),
    st.integers(5, 200).map(lambda third: 3 * third),
    st.booleans(),
    st.none(),
)


def everything_of_rope(rows):
    """All that can be asked of a rotation, the visibility as a number."""
    row = rows[0]
    return (*row.query, *row.key, row.dot, row.scaled_score, float(row.visible))


def outputs(rows):
    return tuple(row.output for row in rows)


def counts(answer):
    return answer.hidden, answer.relu, answer.swiglu, answer.growth


TOPICS = {
    "rope": (ropes(), rope, everything_of_rope),
    "rmsnorm": (norms(), norm, outputs),
    "swiglu": (ffns(), ffn, outputs),
    "params": (budgets, budget_answer, counts),
}


@pytest.mark.parametrize("topic", TOPICS)
def test_every_mistake_is_found_from_its_own_numbers_alone_or_known_to_be_hidden(topic):
    inputs, compute, pick = TOPICS[topic]

    @FEW
    @given(inputs)
    def check(given):
        paths = WrongPaths(catalogue(topic), given, compute)
        right = pick(compute(given))
        for path in paths.singles:
            value, mistake = pick(path.result), paths.catalogue[path.steps[0]]
            told = {found.id for found in paths.diagnose(pick, value, TIGHT, pairs=False)}
            if agreement(value, right, TIGHT) is None:
                assert mistake.id in told
            else:
                assert mistake.id not in told

    check()


@pytest.mark.parametrize("topic", TOPICS)
def test_the_right_numbers_and_random_numbers_name_nothing(topic):
    """Four entries or more, to nine digits: no mistake and no pair gives them by chance."""
    inputs, compute, pick = TOPICS[topic]

    @FEW
    @given(inputs, st.lists(thousandths(10_000, 90_000), min_size=40, max_size=40))
    def check(given, chance):
        paths = WrongPaths(catalogue(topic), given, compute)
        right = pick(compute(given))
        assert paths.diagnose(pick, right, TIGHT) == ()
        drawn = iter(chance)
        found = _same_shape(right, lambda: next(drawn) + 1 / 7)
        assert paths.diagnose(pick, found, TIGHT) == ()

    check()


def _same_shape(value, number):
    return tuple(_same_shape(part, number) for part in value) if isinstance(value, tuple) else number()


@pytest.mark.parametrize("topic", ["rope", "rmsnorm", "swiglu"])
def test_a_pair_is_told_only_where_no_single_fits_and_both_matter(topic):
    inputs, compute, pick = TOPICS[topic]

    @settings(max_examples=6, deadline=None)
    @given(inputs, st.randoms(use_true_random=False))
    def check(given, random):
        paths = WrongPaths(catalogue(topic), given, compute)
        path = random.choice(paths.pairs)
        value = pick(path.result)
        near = [pick(single.result) for single in paths.singles if single.steps[0] in path.steps]
        near.append(pick(compute(given)))
        assume(all(agreement(value, other, TIGHT) is None for other in near))
        told = paths.diagnose(pick, value, TIGHT)
        sizes = {len(found.mistakes) for found in told}
        assert sizes == ({1} if paths.diagnose(pick, value, TIGHT, pairs=False) else {2})
        if sizes == {2}:
            ids = "+".join(sorted(paths.catalogue[step].id for step in path.steps))
            assert ids in {found.id for found in told}

    check()


APART = {
    "rope": (
        Rope((0.7, -1.3, 2.1, 0.4), (1.9, 0.3, -0.8, 1.1), ((5, 2),), Schedule(Fraction(100), 4), 4),
        Rope(
            tuple(range(1, 11)),
            (2.0, -1.0, 0.5, 3.0, 1.5, -2.5, 0.25, 4.0, 1.0, -3.0),
            ((2, 2),),
            Schedule(
                Fraction(100), 4, scale=lambda rates: tuple(rate.scaled(Fraction(1, 8)) for rate in rates)
            ),
            4,
            "half",
            attention_factor=1.5,
        ),
        Rope(
            (0.7, -1.3, 2.1, 0.4, 0.9, 1.2),
            (1.9, 0.3, -0.8, 1.1, 0.2, -0.6),
            ((2, 5),),
            (Rate.turns(Fraction(1, 12)), Rate.turns(Fraction(1, 7)), Rate.turns(0)),
            6,
            "half",
        ),
    ),
    "rmsnorm": (
        Norm(((0.3, -1.7, 0.9), (2.0, 1.0, -0.5)), gain=(1.5, 0.5, -2.03), eps=0.01, unit_offset=True),
        Norm(((3.0, 4.0, 8.0),), gain=(1.5, 0.5, -2.0), eps=0.01),
    ),
    "swiglu": (
        Ffn(
            ((1.0, -1.5),),
            wg=((1.0, 0.5), (-0.3, 2.0)),
            wu=((2.0, -0.7), (0.4, -3.0)),
            wd=((1.0, 0.2), (1.3, -0.6)),
            bg=(0.1, 0.2),
        ),
        Ffn(((1.0, 2.0),), packed=((1.0, 2.0, -1.0, 3.0), (0.5, -2.0, 0.3, 0.7)), bg=(0.1, 0.2)),
        Ffn(((1.0,),), wg=((-2.0, 3.0),), wu=((0.5, 4.0),), limit=1.5, alpha=1.2, up_offset=1.0),
    ),
    "params": (BudgetQuestion(24, 96), BudgetQuestion(25, 100), BudgetQuestion(24, 96, bias=True)),
}


@pytest.mark.parametrize("topic", APART)
def test_some_input_tells_every_two_mistakes_apart(topic):
    """Two entries that always make the same numbers would be one mistake with two names."""
    _, compute, pick = TOPICS[topic]
    met: set[frozenset[str]] = set()
    told_apart: set[frozenset[str]] = set()
    for apart in APART[topic]:
        paths = WrongPaths(catalogue(topic), apart, compute)
        for one, other in combinations(paths.singles, 2):
            ids = frozenset(paths.catalogue[path.steps[0]].id for path in (one, other))
            met.add(ids)
            if agreement(pick(one.result), pick(other.result), TIGHT) is None:
                told_apart.add(ids)
    assert {id for ids in met for id in ids} == {mistake.id for mistake in catalogue(topic)}
    assert {ids for ids in met - told_apart if len(ids) == 2} == set()
