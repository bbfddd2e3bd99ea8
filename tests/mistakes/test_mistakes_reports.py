"""Faults that people reported: the right value agrees, the wrong one is explained by its mistake.

The values were made with other code (float64, nine digits) on inputs of our own, and most of them checked
against the functions of published model code.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import cos, sin

import pytest

from dense_cli.core.angles import Rate
from dense_cli.core.ffn import Ffn, ffn
from dense_cli.core.norms import Norm, norm
from dense_cli.core.rope import Rope, Schedule, rope
from dense_cli.mistakes import catalogue
from dense_cli.mistakes.agreement import agreement
from dense_cli.mistakes.diagnosis import diagnose
from dense_cli.mistakes.params import BudgetQuestion, budget_answer
from dense_cli.mistakes.rope import ROPE, scaled_by_width


def ramp(width):
    return tuple(map(float, range(1, width + 1)))


def based(x, base, position, layout="interleaved", rotary_dim=None, **parts):
    r = rotary_dim or len(x)
    return Rope(x, x, ((position, position),), Schedule(Fraction(base), r), r, layout, **parts)


def slow(rate, x=(1.0, 0.0), m=1, n=1, key=None):
    return Rope(x, key or x, ((m, n),), (Rate.radians(rate),), 2)


def thetas(given):
    return tuple(rate.theta for rate in given.rates)


def llama3(rates):
    """Factor 8 on wavelengths 6.28, 62.8, 628, 6283 against 256 and 1024: two kept, one between."""
    return (rates[0], rates[1], rates[2].scaled(Fraction("0.308676097")), rates[3].scaled(Fraction(1, 8)))


def of(field):
    return lambda rows: getattr(rows[0], field)


INNER = ((1.0, -1.0),)
EYE = ((1.0, 0.0), (0.0, 1.0))
BRANCHES = Ffn(INNER, wg=EYE, wu=((2.0, 0.0), (0.0, -3.0)), wd=EYE)
PACKED = Ffn(((1.0,),), packed=((1.0, 2.0, -1.0, 3.0),), order="interleaved")
CLAMPED = Ffn(((1.0,),), wg=((2.0,),), wu=((0.5,),), wd=((1.0,),), alpha=1.702, limit=7.0, up_offset=1.0)
PARTIAL = based(ramp(8), 100, 2, "half", rotary_dim=4)
PROPORTIONAL = replace(
    PARTIAL, rotary_dim=8, rates=(*Schedule(Fraction(100), 4, width=8), Rate.turns(0), Rate.turns(0))
)

# report: mistake, given, right and wrong query
REPORTS = {
    "R01": (
        "other-layout",
        based(ramp(4), 100, 3, "half"),
        (-1.41335252, 0.728592152, -2.82885748, 4.41238637),
        (-1.27223251, -1.83886499, 1.68392864, 4.70790658),
    ),
    "R02": (
        "clockwise",
        slow(0.5, (1.0, 3.0), 2, 5, (2.0, -1.0)),
        (-1.98411065, 2.4623779),
        (3.06471526, 0.779435933),
    ),
    "R03": (
        "mixed-table",
        based((1.0, 0.0, 0.0, 2.0), 100, 2),
        (-0.416146837, 0.909297427, -0.397338662, 1.96013316),
        (-0.416146837, 0.198669331, -1.81859485, 1.96013316),
    ),
    "R09": (
        "exponent-by-head-dim",
        PARTIAL,
        (-3.14403912, 1.16545583, -0.339143083, 4.31760497, 5.0, 6.0, 7.0, 8.0),
        (-4.96263397, -1.93360588, 3.0, 4.0, -1.17143676, 6.02172469, 7.0, 8.0),
    ),
    "R09, exponents alone": (
        "exponents-alone-by-head-dim",
        PARTIAL,
        (-3.14403912, 1.16545583, -0.339143083, 4.31760497, 5.0, 6.0, 7.0, 8.0),
        (-3.14403912, -0.751351649, -0.339143083, 4.40856787, 5.0, 6.0, 7.0, 8.0),
    ),
    "R10": (
        "leading-slice",
        PROPORTIONAL,
        (-4.96263397, -1.93360588, 3.0, 4.0, -1.17143676, 6.02172469, 7.0, 8.0),
        (-3.14403912, -0.751351649, -0.339143083, 4.40856787, 5.0, 6.0, 7.0, 8.0),
    ),
    "R23": (
        "half-precision-angles",
        slow(1.0, m=257),
        (0.819305529, sin(257)),
        (-0.0397907599, sin(256)),
    ),
    "R24": (
        "half-precision-angles",
        slow(0.7, m=1501),
        (0.162025199, sin(1050.7)),
        (-0.136826801, sin(1051)),
    ),
    "R25": ("half-precision-angles", slow(1.0, m=2049), (cos(2049), sin(2049)), (cos(2048), sin(2048))),
    "R26": (
        "half-precision-angles",
        Rope((1.0, 0.0), (1.0, 0.0), ((4000, 0),), (Rate.power(10000, Fraction(-1, 64)),), 2),
        (-0.248753276, sin(3463.8572921)),
        (0.908251389, sin(3468.75)),
    ),
}


@pytest.mark.parametrize("report", REPORTS)
def test_a_reported_rotation_is_explained_and_the_right_one_agrees(report):
    id, given, right, wrong = REPORTS[report]
    assert agreement(right, rope(given)[0].query, 1e-6) is not None
    told = diagnose("rope", given, rope, of("query"), wrong, atol=1e-6)
    assert id in {found.id for found in told}
    assert diagnose("rope", given, rope, of("query"), right, atol=1e-6) == ()


@pytest.mark.parametrize(
    ("id", "given", "right", "wrong"),
    [
        ("exponent-odd", based(ramp(4), 100, 1), (1.0, 0.1), (0.316227766, 0.0316227766)),  # R06
        (  # R12
            "scaling-ignored",
            replace(based(ramp(8), 1, 1), rates=Schedule(Fraction(10000), 8, scale=llama3)),
            (1.0, 0.1, 0.00308676097, 0.000125),
            (1.0, 0.1, 0.01, 0.001),
        ),
        (  # R14
            "scaling-ignored",
            replace(
                based(ramp(4), 1, 1),
                rates=Schedule(
                    Fraction(10**6), 4, scale=lambda rates: tuple(r.scaled(Fraction(1, 8)) for r in rates)
                ),
            ),
            (0.125, 0.000125),
            (1.0, 0.001),
        ),
    ],
)
def test_reported_frequencies_are_explained(id, given, right, wrong):
    """One frequency a pair, in radians per position."""
    assert agreement(right, thetas(given), 1e-9) is not None
    told = diagnose("rope", given, thetas, lambda found: found, wrong, atol=1e-9)
    assert [found.id for found in told] == [id]


def test_a_reported_score_is_explained_by_the_direction_of_rotation():
    """R02: q·R(+1.5)k against q·R(−1.5)k."""
    given = slow(0.5, (1.0, 3.0), 2, 5, (2.0, -1.0))
    assert agreement(6.9117277, rope(given)[0].dot, 1e-6) is not None
    told = diagnose("rope", given, rope, of("dot"), -7.05320211, atol=1e-6)
    assert told[0].id == "clockwise"


def test_a_reported_score_over_the_root_of_the_whole_width():
    """R34: a product of 6 in 4 heads of width 4 is 3, over √16 it is 1.5."""
    x = (1.0, 1.0, 2.0, 0.0)
    given = based(x, 100, 0)
    assert rope(given)[0].scaled_score == 3.0
    told = diagnose((*ROPE, scaled_by_width(16)), given, rope, of("scaled_score"), 1.5, atol=1e-9)
    assert "scaled-by-width" in {found.id for found in told}


@pytest.mark.parametrize(
    ("id", "given", "right", "wrong"),
    [
        (  # N01
            "eps-outside",
            Norm(((0.003, 0.004),), eps=1e-5),
            (0.632455532, 0.843274043),
            (0.846134907, 1.12817988),
        ),
        ("multiplied", Norm(((1.0, 7.0),)), (0.2, 1.4), (5.0, 35.0)),  # N03
        ("over-root-width", Norm(((1.0, 7.0),)), (0.2, 1.4), (0.1, 0.7)),  # N05
        ("sum-not-mean", Norm(((0.0, 2.0),)), (0, 1.41421356), (0, 1)),  # N06
        (  # N08
            "unit-offset-missing",
            Norm(((3.0, 4.0),), gain=(0.5, -0.25), unit_offset=True),
            (1.27279221, 0.848528137),
            (0.424264069, -0.282842712),
        ),
        (  # N10, in float64: 8.0 in place of 8.03125
            "half-precision-offset",
            Norm(((3.0, 4.0),), gain=(7.03125, 7.03125), unit_offset=True),
            (6.8147416, 9.08632214),
            (6.78822510, 9.05096680),
        ),
        ("half-precision-squares", Norm(((300.0, 400.0),)), (0.848528137, 1.13137085), (0, 0)),  # N11
        ("eps-other", Norm(((2.0**-12,) * 4,), eps=2.0**-23), (0.577350269,) * 4, (0.237174572,) * 4),  # N12
        ("eps-other", Norm(((2.0**-12,) * 4,), eps=2.0**-23), (0.577350269,) * 4, (0.00276212533,) * 4),
        (  # R36: over the whole projection in place of each head
            "all-rows-together",
            Norm(((1.0, 1.0), (10.0, 10.0))),
            ((1, 1), (1, 1)),
            ((0.140719509, 0.140719509), (1.40719509, 1.40719509)),
        ),
    ],
)
def test_a_reported_norm_is_explained_and_the_right_one_agrees(id, given, right, wrong):
    def outputs(rows):
        return tuple(row.output for row in rows)

    assert agreement(right, outputs(norm(given)), 1e-6) is not None
    assert id in {found.id for found in diagnose("rmsnorm", given, norm, outputs, wrong, atol=1e-6)}
    assert diagnose("rmsnorm", given, norm, outputs, right, atol=1e-6) == ()


@pytest.mark.parametrize(
    ("id", "given", "right", "wrong"),
    [
        ("swapped-branches", BRANCHES, (1.46211716, -0.806824264), (1.76159416, -2.85772238)),  # S01
        ("packed-interleaved", PACKED, (1.46211716, -0.806824264), (-0.731058579, 5.28478247)),  # S03
        ("activation-after-product", BRANCHES, (1.46211716, -0.806824264), (1.76159416, -0.14227762)),  # S04
        ("up-offset-missing", CLAMPED, 2.90348793, 0.967829312),  # S07
        (  # S08: no limit against the limit 0
            "limit-zero",
            Ffn(
                ((1.0,),),
                wg=((1.5, -1.0),),
                wu=((0.5, 2.0),),
                wd=EYE,
                alpha=1.702,
                up_offset=1.0,
            ),
            (2.0874933, -0.462612702),
            (0.0, -0.154204234),
        ),
        (  # S09: the gate has no lower limit
            "gate-clamped-below",
            Ffn(((1.0,),), wg=((-9.0,),), wu=((12.0,),), wd=((1.0,),), limit=7.0),
            -0.00777385829,
            -0.0446415085,
        ),
        (  # S10: the slope 1.702 in place of 1 is quick-gelu
            "quick-gelu",
            BRANCHES,
            (1.46211716, -0.806824264),
            (1.69159153, -0.462612702),
        ),
    ],
)
def test_a_reported_gate_is_explained_and_the_right_one_agrees(id, given, right, wrong):
    assert agreement(right, ffn(given)[0].output, 1e-6) is not None
    assert id in {found.id for found in diagnose("swiglu", given, ffn, of("output"), wrong, atol=1e-6)}
    assert diagnose("swiglu", given, ffn, of("output"), right, atol=1e-6) == ()


@pytest.mark.parametrize(
    ("id", "given", "field", "right", "wrong"),
    [
        ("third-width", BudgetQuestion(24, 144), "hidden", 96, 48),  # S14: 96 intended, a third of 144 built
        ("third-width", BudgetQuestion(24, 144), "swiglu", 6912, 3456),
        ("same-width", BudgetQuestion(12, 48), "hidden", 32, 48),  # S15
        ("same-width", BudgetQuestion(12, 48), "swiglu", 1152, 1728),
        ("cut-before-four", BudgetQuestion(97, 388, multiple_of=256), "hidden", 512, 256),  # S13
    ],
)
def test_a_reported_count_is_explained_and_the_right_one_agrees(id, given, field, right, wrong):
    def pick(answer):
        return getattr(answer, field)

    assert pick(budget_answer(given)) == right
    told = diagnose("params", given, budget_answer, pick, wrong, atol=0)
    assert id in {found.id for found in told}


def test_every_report_names_a_mistake_of_the_catalogue():
    """A misspelt id would make a row above fail for the wrong reason."""
    known = {mistake.id for mistake in catalogue("rope")}
    assert {report[0] for report in REPORTS.values()} <= known
