"""Arrays of rotated heads: every mistake is found on the whole array, and nothing else is named."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dense_cli.core.angles import Rate
from dense_cli.core.kernels.rotation import table, turned
from dense_cli.core.precision import BFLOAT16, FLOAT16
from dense_cli.core.rope import LAYOUTS, Rope, rope
from dense_cli.core.schedule import QUARTER_TURN, Schedule
from dense_cli.errors import DenseError
from dense_cli.mistakes import catalogue
from dense_cli.mistakes.array_tables import OF_ANGLES, OF_TABLES, rounded
from dense_cli.mistakes.array_ways import OF_QUERY_AND_KEY, two_ways, ways
from dense_cli.mistakes.arrays import rotation_report


def slowed(rates):
    return tuple(rate.scaled(Fraction(1, 4)) for rate in rates)


WHOLE = Rope((), (), (), Schedule(Fraction(10000), 8), rotary_dim=8)
PART = Rope((), (), (), Schedule(Fraction(10000), 4), rotary_dim=4)
GIVEN = Rope((), (), (), (QUARTER_TURN, Rate.turns(Fraction(1, 12))), rotary_dim=4, attention_factor=1.25)
STILL = Rope((), (), (), (QUARTER_TURN, Rate.turns(0)), rotary_dim=4)
SCALED = Rope((), (), (), Schedule(Fraction(10000), 4, scale=slowed), 4)
RIGHT = [replace(right, layout=layout) for right in (WHOLE, PART, GIVEN, STILL, SCALED) for layout in LAYOUTS]


def heads(shape=(2, 7, 8), dtype=float, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def rotated_by_hand(changed, x, start):
    """Row by row through the core for one query and key, both at the row's position."""
    y = np.empty_like(x)
    for index in np.ndindex(x.shape[:-1]):
        row, place = tuple(x[index].tolist()), start + index[-1]
        y[index] = rope(replace(changed, query=row, key=row, positions=((place, place),)))[0].query
    return y


def cases():
    for right in RIGHT:
        zeros = (0.0,) * 8
        for way in ways(replace(right, query=zeros, key=zeros), (7, 8), catalogue("rope")):
            yield right, way


@pytest.mark.parametrize(
    ("right", "way"),
    list(cases()),
    ids=lambda one: one.layout if isinstance(one, Rope) else one.mistakes[0].id,
)
def test_every_mistake_is_found_in_what_the_core_makes_of_it(right, way):
    x = heads()
    start = 300  # so far that half precision tells the positions apart
    y = rotated_by_hand(way.rope, x, start)
    report = rotation_report(right, x, y, start, atol=1e-9)
    if np.abs(y - rotated_by_hand(right, x, start)).max() <= 1e-9:
        assert report.matches
        assert not report.followed
    else:
        assert way.mistakes[0].id in [found.id for found in report.followed]
        assert all(found.max_abs_error <= 1e-9 for found in report.followed)
        assert not report.matches


def test_nearly_every_mistake_of_the_catalogue_makes_a_difference_somewhere():
    """Those left out of the test above are of query and key together, of the score or of the mask."""
    tried = {way.mistakes[0].id for _, way in cases()}
    scores = {"not-scaled", "scaled-without-root", "mask-ignored", "mask-reversed", "mask-without-itself"}
    own = {"base-10000"}  # the base of all of them
    assert {mistake.id for mistake in catalogue("rope")} - tried == OF_QUERY_AND_KEY | scores | own


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("used", ["added", "alone"])
def test_the_head_taken_for_the_position_is_found(layout, used):
    x = heads((2, 3, 5, 8))
    right = replace(WHOLE, layout=layout, attention_factor=1.25)
    y = np.empty_like(x)
    for head in range(3):
        places = range(head + 4, head + 9) if used == "added" else [head] * 5
        y[:, head] = turned(x[:, head], table(right.rates, places, layout, factor=1.25))
    report = rotation_report(right, x, y, start=4, atol=1e-9)
    assert [found.id for found in report.followed] == ["head-as-position"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["<f4", ">f4", "f8"])
def test_the_right_rotation_matches_and_nothing_is_named(layout, dtype):
    x = heads(dtype=dtype)
    y = rotated_by_hand(replace(WHOLE, layout=layout), x.astype(float), 11)
    report = rotation_report(replace(WHOLE, layout=layout), x, y.astype(dtype), 11)
    assert (report.matches, report.close, report.lengths_kept) == (True, True, True)
    assert (report.first_difference, report.followed) == (None, ())
    assert report.max_abs_error < 2e-6


def test_angles_in_float32_are_close_but_do_not_match():
    x = heads((2, 4000, 8), np.float32)
    frequencies = (1 / 10000 ** (np.arange(0, 8, 2, np.float32) / np.float32(8))).astype(np.float32)
    angles = np.arange(4000, dtype=np.float32)[:, None] * frequencies
    by_hand = (np.cos(angles) + 1j * np.sin(angles)).astype(np.complex64)
    y = (x.view(np.complex64) * by_hand).view(np.float32)
    report = rotation_report(WHOLE, x, y)
    assert (report.matches, report.close, report.followed) == (False, True, ())
    report = rotation_report(WHOLE, x, y, atol=1e-3)
    assert report.matches


def test_far_away_float32_is_no_excuse_for_other_positions():
    x = heads((2, 5, 8), np.float32)
    y = turned(x, table(WHOLE.rates, range(10**7 + 1, 10**7 + 6), dtype=np.float32))
    report = rotation_report(WHOLE, x, y, start=10**7)
    assert not report.close
    assert [found.id for found in report.followed] == ["one-based"]


def test_float64_has_no_such_excuse():
    x = heads((1, 4000, 8))
    y = turned(x, table(WHOLE.rates, range(4000)))
    y[0, 3999] += 2e-4
    report = rotation_report(WHOLE, x, y)
    assert not report.close
    assert report.first_difference[0] == (0, 3999, 0)


@pytest.mark.parametrize("place", [(0, 0, 0), (1, 69_999, 1), (2, 65_537, 0)])
def test_the_first_difference_is_told_with_its_place(place):
    """One wrong number, wherever its block begins: no mistake explains it."""
    right = Rope((), (), (), (QUARTER_TURN,), rotary_dim=2)
    x = heads((3, 70_000, 2), np.float32)
    y = turned(x, table(right.rates, range(70_000), dtype=np.float32))
    expected = float(y[place])
    y[place] += 1
    y[2, -1, 1] += 0.5  # a later one
    report = rotation_report(right, x, y)
    index, found, told = report.first_difference
    assert (index, told) == (place, expected)
    assert found == expected + 1 or found == pytest.approx(expected + 1, abs=1e-6)
    assert report.followed == ()
    assert report.max_abs_error == pytest.approx(1)


def test_a_mistake_in_the_samples_alone_is_not_named():
    """Rows between the sampled ones are right: the whole array decides."""
    x = heads((2, 300, 8))
    y = turned(x, table(WHOLE.rates, range(300)))
    other = turned(x, table(WHOLE.rates, range(1, 301)))
    sampled = [1, 100, 299]
    y[:, sampled] = other[:, sampled]
    report = rotation_report(WHOLE, x, y)
    assert report.followed == ()
    assert report.first_difference[0] == (0, 1, 0)


def test_lengths_tell_a_mixed_table():
    x = heads()
    y = rotated_by_hand(replace(WHOLE, table_layout="half"), x, 0)
    report = rotation_report(WHOLE, x, y)
    assert not report.lengths_kept
    assert [found.id for found in report.followed] == ["mixed-table"]
    other = rotation_report(WHOLE, x, turned(x, table(WHOLE.rates, range(7), "half")))
    assert other.lengths_kept


@pytest.mark.parametrize(
    ("factor", "kept"), [(1.0099, True), (0.9901, True), (1.0101, False), (0.9899, False)]
)
def test_lengths_are_kept_within_the_hundredth_that_is_told(factor, kept):
    x = heads()
    y = rotated_by_hand(WHOLE, x, 0)
    y[..., 2, :] *= factor
    assert rotation_report(WHOLE, x, y).lengths_kept is (abs(factor - 1) < 0.01)


def test_what_nothing_explains_is_left_unexplained():
    report = rotation_report(WHOLE, heads(), heads(seed=1))
    assert (report.matches, report.close, report.followed) == (False, False, ())


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_none_match_nothing(value):
    x = heads()
    y = turned(x, table(WHOLE.rates, range(7)))
    y[0, 2, 3] = value
    report = rotation_report(WHOLE, x, y)
    assert (report.matches, report.max_abs_error, report.followed) == (False, None, ())
    assert report.first_difference[0] == (0, 2, 3)


def test_relative_tolerance_is_of_the_expected_number():
    x = heads() * 1e6
    y = turned(x, table(WHOLE.rates, range(7)))
    assert rotation_report(WHOLE, x, y * (1 + 1e-6), atol=0, rtol=2e-6).matches
    assert not rotation_report(WHOLE, x, y * (1 + 1e-6), atol=0, rtol=5e-7).matches
    off_by_one = turned(x, table(WHOLE.rates, range(1, 8))) * (1 + 1e-6)
    found = rotation_report(WHOLE, x, off_by_one, atol=0, rtol=2e-6).followed
    assert [each.id for each in found] == ["one-based"]


@pytest.mark.parametrize("shape", [(0, 8), (2, 0, 8), (0, 3, 8)])
def test_no_rows_match(shape):
    assert rotation_report(WHOLE, np.zeros(shape), np.zeros(shape)).matches


def test_a_single_row_is_enough():
    x = heads((1, 8))
    y = turned(x, table(WHOLE.rates, [6]))
    assert [found.id for found in rotation_report(WHOLE, x, y, start=5).followed] == ["one-based"]


@pytest.mark.parametrize(("shape", "other"), [((2, 8), (3, 8)), ((8,), (8,))])
def test_arrays_of_other_shapes_are_refused(shape, other):
    with pytest.raises(DenseError, match="array-shapes"):
        rotation_report(WHOLE, np.zeros(shape), np.zeros(other))


def test_too_narrow_arrays_are_refused():
    with pytest.raises(DenseError, match="rotary-dim-out-of-range"):
        rotation_report(WHOLE, np.zeros((2, 4)), np.zeros((2, 4)))


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from((BFLOAT16, FLOAT16)))
def test_arrays_are_rounded_as_single_numbers_are(value, to):
    with np.errstate(over="ignore"):
        assert rounded(np.array([value]), to)[0] == to.rounded(value)


def test_each_setting_of_a_table_has_its_array():
    zeros = (0.0,) * 8
    changes = {mistake.id: mistake.change for mistake in catalogue("rope")}
    for id, makings in {**OF_ANGLES, **OF_TABLES}.items():
        assert len(tuple(changes[id](replace(WHOLE, query=zeros)))) == len(makings)


# --- two together


def two_cases():
    """Some pairs of every two mistakes, in both directions of the catalogue."""
    zeros = (0.0,) * 8
    for number, right in enumerate(RIGHT):
        every = list(two_ways(replace(right, query=zeros, key=zeros), (2, 7, 8), catalogue("rope")))
        yield from ((right, way) for way in every[number :: 4 * len(RIGHT)])


@pytest.mark.parametrize(
    ("right", "way"),
    list(two_cases()),
    ids=lambda one: one.layout if isinstance(one, Rope) else "+".join(each.id for each in one.mistakes),
)
def test_two_mistakes_together_are_found_in_what_the_core_makes_of_them(right, way):
    x, start = heads(), 300
    if way.heads:
        y = np.stack([rotated_at(way, x[h], start, h) for h in range(len(x))])
    else:
        y = rotated_by_hand(way.rope, x, start)
    report = rotation_report(right, x, y, start, atol=1e-9)
    told = [found.ids for found in report.followed]
    if report.matches or len(told[0]) == 1:  # on this input a part changes nothing, or is enough
        assert report.matches or not report.pairs_tried
    else:
        assert tuple(sorted(mistake.id for mistake in way.mistakes)) in told
        assert all(len(ids) == 2 for ids in told)
        assert report.pairs_tried


def rotated_at(way, x, start, head):
    """One head, row by row, at the positions that it is taken for."""
    y = np.empty_like(x)
    for token, row in enumerate(x):
        place = start + token + head if way.heads == "added" else head
        row = tuple(row.tolist())
        y[token] = rope(replace(way.rope, query=row, key=row, positions=((place, place),)))[0].query
    return y


def by_hand(x, start, base, sign=1):
    """Neighbours turned by NumPy alone."""
    places = np.arange(start, start + x.shape[-2])[:, None]
    angles = places * base ** (-np.arange(0, x.shape[-1], 2) / x.shape[-1])
    turned = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(sign * 1j * angles)
    return np.stack((turned.real, turned.imag), -1).reshape(x.shape)


def test_two_slips_by_hand():
    x = heads((2, 9, 8))
    for ids, y in {
        "base-500000+one-based": by_hand(x, 1, 500_000.0),
        "base-1000000+clockwise": by_hand(x, 0, 1_000_000.0, sign=-1),
        "clockwise+one-based": by_hand(x, 1, 10_000.0, sign=-1),
        "base-500000+half-turn": by_hand(x, 0, 500_000.0, sign=2),  # angles are doubled after their base
    }.items():
        assert [found.id for found in rotation_report(WHOLE, x, y).followed] == [ids]


def test_no_pair_is_told_where_a_part_alone_is_enough():
    """Of one pair of coordinates the base says nothing, so turning back is all there is to it."""
    right = Rope((), (), (), Schedule(Fraction(10000), 2), rotary_dim=2)
    x = heads((2, 9, 2))
    report = rotation_report(right, x, by_hand(x, 0, 500_000.0, sign=-1))
    assert [found.id for found in report.followed] == ["clockwise"]
    assert not report.pairs_tried


def test_a_pair_that_only_the_sampled_rows_show_is_not_told():
    x = heads((2, 300, 8))
    y = by_hand(x, 0, 10_000.0)
    other = by_hand(x, 1, 500_000.0)
    sampled = [1, 100, 299]
    y[:, sampled] = other[:, sampled]
    report = rotation_report(WHOLE, x, y)
    assert (report.followed, report.pairs_tried) == ((), True)


def test_a_pair_that_hardly_differs_from_its_part_is_not_told():
    """Cosines in bfloat16 change less than the tolerance, so they are no second mistake."""
    x, atol = heads((2, 9, 8)), 0.1
    alone = by_hand(x, 1, 10_000.0)
    exact = rope(
        replace(
            next(iter(changes("half-precision-table", WHOLE))),
            query=tuple(x[0, 5].tolist()),
            key=tuple(x[0, 5].tolist()),
            positions=((6, 6),),
        )
    )[0].query
    gap = exact[0] - alone[0, 5, 0]
    assert 1e-4 < abs(gap) < atol / 10
    y = alone.copy()
    y[0, 5, 0] += np.sign(gap) * (atol + abs(gap) / 2)
    assert rotation_report(WHOLE, x, y, atol=atol).followed == ()


def changes(id, given):
    zeros = (0.0,) * 8
    (mistake,) = (mistake for mistake in catalogue("rope") if mistake.id == id)
    return mistake.change(replace(given, query=zeros, key=zeros))


def test_an_angle_in_float32_is_no_excuse_for_half_precision_beside_another_mistake():
    """At position 4000 its error is half of what bfloat16 may take from a cosine."""
    x = heads((1, 5, 8), np.float32)
    rounded_table = next(iter(changes("half-precision-table", WHOLE)))
    y = rotated_by_hand(rounded_table, x.astype(float), 4001)
    told = [found.id for found in rotation_report(WHOLE, x, y, start=4000).followed]
    assert told == ["half-precision-table+one-based"]
    assert rotation_report(WHOLE, x, y + 0.0012, start=4000).followed == ()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_mistakes_are_found_in_arrays_of_either_precision(dtype):
    x = heads((2, 40, 6), dtype)
    right = Rope((), (), (), Schedule(Fraction(10000), 6), rotary_dim=6)
    y = by_hand(x.astype(float), 5, 500_000.0, sign=-1).astype(dtype)
    told = [found.id for found in rotation_report(right, x, y, start=5).followed]
    assert told == ["base-500000+clockwise"]


def test_random_arrays_follow_no_two_mistakes():
    for seed in range(3):
        report = rotation_report(WHOLE, heads(seed=seed), heads(seed=seed + 10))
        assert (report.followed, report.pairs_tried) == ((), True)
