"""Comparing comes before diagnosing, is exact, and never says more than the numbers do."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core.ffn import Ffn, ffn
from dense_cli.core.norms import Norm, mean_square, norm
from dense_cli.core.rope import QUARTER_TURN, Rope
from dense_cli.core.schedule import Schedule
from dense_cli.frozen import replace
from dense_cli.mistakes import catalogue, comparison, diagnosis, telling
from dense_cli.mistakes.asking import ATOL, RTOL, Claim
from dense_cli.mistakes.comparison import compared
from dense_cli.mistakes.counts import budget_question, explaining_terms, whole_layers
from dense_cli.mistakes.measuring import measured
from dense_cli.mistakes.observations import observed
from dense_cli.mistakes.params import BudgetQuestion
from dense_cli.mistakes.quantities import ffn_question, norm_question, rope_question
from dense_cli.models.config import read_config
from dense_cli.models.counting import count
from dense_cli.reading.claims import a_count, a_number, a_vector, rows

NUMBERS = st.lists(st.integers(-50, 50).map(lambda n: n / 8), min_size=2, max_size=5).map(tuple)
MODEL = count(
    read_config(
        '{"model_type": "llama", "vocab_size": 100, "hidden_size": 12, "intermediate_size": 32,'
        ' "num_hidden_layers": 2, "num_attention_heads": 3, "tie_word_embeddings": true}'
    )
)


NORM = Norm(((1.5, 7.0), (2.0, -3.0), (0.5, 4.0)), gain=(0.5, 2.0), eps=0.25, unit_offset=True)
SQUARE = ((1.5, 0.25), (-2.0, 1.0))
FFN = Ffn(NORM.x, wg=SQUARE, wu=((0.5, 3.0), (1.0, -1.0)), wd=((2.0, 1.0), (0.0, 1.5)), bg=(1.0, 0.5))


@pytest.fixture
def as_if_large(monkeypatch):
    """Given values are treated as those that are too large for every mistake to be calculated in full."""
    monkeypatch.setattr(comparison, "LARGEST_EXACT_LOOK", 0)
    monkeypatch.setattr(diagnosis, "PAIR_NUMBERS", 0)


@pytest.mark.parametrize(
    ("question", "topic", "compute", "given_"),
    [(norm_question, "rmsnorm", norm, NORM), (ffn_question, "swiglu", ffn, FFN)],
)
def test_every_mistake_in_a_large_value_is_named(as_if_large, question, topic, compute, given_):
    right = tuple(row.output for row in compute(given_))
    for mistake in catalogue(topic):
        for changed in mistake.change(given_):
            wrong = tuple(row.output for row in compute(changed))
            told = compared(question(given_, "output"), Claim(wrong))
            same, _, _ = measured(wrong, right, ATOL, RTOL)
            assert told.matches is same
            assert same or mistake.id in [found.id for found in told.mistakes]


def test_of_a_large_value_only_what_begins_so_is_calculated(as_if_large):
    calculated = []

    def noted(row):
        calculated.append(row)
        return mean_square(row)

    given_ = replace(NORM, statistic=noted)
    asked = norm_question(given_, "output")
    tripled = tuple(tuple(3 * value for value in row) for row in asked.right)
    calculated.clear()
    assert compared(asked, Claim(tripled)).mistakes == ()
    first, second = (tuple(map(Fraction, row)) for row in NORM.x[:2])
    assert calculated.count(first) > 10
    assert calculated.count(second) <= 1  # in the right value


@settings(max_examples=50)
@given(NUMBERS)
def test_a_value_compared_with_itself_matches_with_no_error(row):
    assert measured(row, row, Fraction(0), Fraction(0)) == (True, 0, None)


@settings(max_examples=50)
@given(NUMBERS, st.integers(0, 4), st.integers(1, 9))
def test_one_changed_entry_is_the_first_difference_and_the_largest_error(row, place, by):
    place %= len(row)
    changed = tuple(value + by * (at == place) for at, value in enumerate(row))
    matches, error, first = measured(changed, row, ATOL, RTOL)
    assert (matches, error, first["index"]) == (False, by, [place])
    assert measured(changed, row, Fraction(by), RTOL)[0], "the tolerance is inclusive"


@pytest.mark.parametrize("bad", [float("inf"), float("nan"), None])
def test_what_is_not_finite_agrees_with_nothing(bad):
    matches, error, first = measured((1.0, 2.0), (1.0, bad), Fraction(10), RTOL)
    assert (matches, error, first["expected"]) == (False, None, None)


def test_a_matching_value_has_no_mistakes_even_where_one_makes_the_same_numbers():
    found = compared(norm_question(Norm(x=((1.0, 1.0),)), "output"), Claim((1, 1)))
    assert (found.matches, found.mistakes) == (True, ())
    assert "no-root" in {mistake.id for mistake in found.cannot_tell}


def test_a_column_is_a_vector_where_a_vector_is_asked_for():
    question = norm_question(Norm(x=((1.0, 7.0),)), "output")
    assert compared(question, Claim(((Fraction(1, 5),), (Fraction(7, 5),)))).matches


def test_nothing_is_hidden_by_a_telling_input():
    """The inputs that are offered show the mistakes that others hide."""
    wide = Rope((1.0, 2.0), (3.0, 4.0), ((0, 0),), (QUARTER_TURN,), rotary_dim=2)
    offered = telling.telling_rope(wide).given
    assert compared(rope_question(offered, "query"), Claim((0.0,))).cannot_tell == ()
    eye = ((1.0, 0.0), (0.0, 1.0))
    net = telling.telling_ffn(Ffn(x=((1.0, 1.0),), wg=eye, wu=eye, wd=eye)).given
    hidden = {mistake.id for mistake in compared(ffn_question(net, "output"), Claim((0.0,))).unseen}
    assert hidden & {"swapped-branches", "transposed", "up-sign", "up-missing", "matrix-product"} == set()
    row = telling.telling_norm(Norm(x=((1.0, 1.0),), eps=1e-6)).given
    hidden = {mistake.id for mistake in compared(norm_question(row, "output"), Claim((0.0,))).unseen}
    assert hidden & {"eps-outside", "no-root", "centred", "sum-not-mean"} == set()


def test_a_product_never_shows_that_both_positions_are_off_by_one():
    given = Rope((1.0, 2.0, 0.5, 3.0), (2.0, 1.0, 1.0, -1.0), ((3, 5),), Schedule(Fraction(100), 4), 4)
    dot = rope_question(given, "dot").right
    found = compared(rope_question(given, "dot"), Claim(dot))
    assert "one-based" in {mistake.id for mistake in found.never_shown}
    query = compared(rope_question(given, "query"), Claim(rope_question(given, "query").right))
    assert "one-based" not in {mistake.id for mistake in query.unseen}


@pytest.mark.parametrize(("name", "right"), [("hidden", 32), ("parameters", 1152), ("relu", 1152)])
def test_the_budget_of_the_table(name, right):
    """Table 25.2."""
    assert budget_question(BudgetQuestion(12, 48), name).right == right


def test_terms_explain_a_difference_alone_or_in_pairs():
    """V·C = 1200; C·F = 384 twice in a layer pair; one norm is 12."""
    (alone,) = explaining_terms(MODEL, "total", 4716 + 1200)
    assert alone.value == 1200
    pair = explaining_terms(MODEL, "total", 4716 - 1200 + 12)
    assert sorted(term.value for term in pair) == [-1200, 12]
    assert explaining_terms(MODEL, "total", 4717) == ()


@pytest.mark.parametrize(("found", "layers"), [(4716 - 1752, -1), (4716 + 2 * 1752, 2), (4716 + 1, 0)])
def test_whole_layers_are_counted(found, layers):
    """One block is 4·144 + 3·12·32 + 24 = 1752."""
    assert whole_layers(MODEL, "total", found) == (layers, 1752)


@settings(max_examples=50)
@given(NUMBERS, st.sampled_from((2, 3, Fraction(1, 2), -3)))
def test_a_factor_is_found(row, factor):
    found = tuple(value * float(factor) for value in row)
    told = [seen.id for seen in observed(found, row, (), Fraction(1, 10**9), RTOL)]
    trivial = not any(row) or {"permuted", "signs"} & set(told) or sorted(found) == sorted(row)
    assert trivial or "factor" in told


@pytest.mark.parametrize(
    ("read", "text", "value", "decimals"),
    [
        (a_number, "0,50", Fraction(1, 2), (2,)),
        (a_number, "1/3", Fraction(1, 3), (None,)),
        (a_vector, "[-1, ０.50]", (-1, Fraction(1, 2)), (0, 2)),
        (a_vector, "1,0:0,1", ((1, 0), (0, 1)), ()),
        (rows, "1,0;0,1", ((1, 0), (0, 1)), ()),
        (rows, "1.50,2", (Fraction(3, 2), 2), (2, 0)),
        (a_count, "4 608", 4608, (None,)),
    ],
)
def test_claims_are_read_exactly(read, text, value, decimals):
    found = read(text)
    assert (found.value, found.decimals) == (value, decimals)


@pytest.mark.parametrize(
    ("text", "value", "slack"),
    [
        ("6.74B", 6_740_000_000, 5_000_000),
        ("124M", 124_000_000, 500_000),
        ("1.5k", 1500, 50),
        ("67亿", 6_700_000_000, 50_000_000),
        ("1.2万亿", 1_200_000_000_000, 50_000_000_000),
        ("4.608e3", 4608, None),
        ("4716", 4716, None),
    ],
)
def test_rounded_counts_stand_for_all_that_round_to_them(text, value, slack):
    found = a_count(text)
    assert (found.value, found.slack) == (value, slack)
