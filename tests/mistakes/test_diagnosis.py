"""The rules of a diagnosis, on a calculation simple enough to see through: (a·x + b) for each x."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, nan

import pytest

from dense_cli.core.norms import Norm, norm
from dense_cli.core.rope import Rope, Schedule, rope
from dense_cli.errors import DenseError
from dense_cli.mistakes import TOPICS, Mistake, always, catalogue
from dense_cli.mistakes.agreement import agreement, shaped
from dense_cli.mistakes.diagnosis import WrongPaths, diagnose, hidden
from dense_cli.mistakes.extent import significant


@dataclass(frozen=True)
class Line:
    x: tuple[float, ...]
    a: float = 2.0
    b: float = 1.0
    inverse: Callable[[float], float] = lambda value: value


def line(given):
    return tuple(given.inverse(given.a * x + given.b) for x in given.x)


def same(value):
    return value


def doubled(given):
    yield replace(given, a=2 * given.a)


def refused(given):
    raise DenseError("odd-width", width=3)


STEEP = Mistake("steep", "line", "slip", doubled)
FLAT = Mistake("flat", "line", "choice", always(b=0.0))
LOW = Mistake("low", "line", "convention", lambda given: (replace(given, b=-2.0), replace(given, b=-9.0)))
UPSIDE = Mistake("upside", "line", "slip", always(inverse=lambda value: 1 / value))
NEVER = Mistake("never", "line", "slip", lambda given: ())
REFUSES = Mistake("refuses", "line", "slip", refused)
LINES = (FLAT, LOW, STEEP, UPSIDE, NEVER, REFUSES)


def told(found, x=(1.0, 2.0), mistakes=LINES, **options):
    return [one.id for one in diagnose(mistakes, Line(x), line, same, found, **options)]


def test_one_mistake_is_named_with_its_kind_and_error():
    (found,) = diagnose(LINES, Line((1.0, 2.0)), line, same, (5.00001, 9.0))
    assert (found.id, found.ids, found.kind) == ("steep", ("steep",), "slip")
    assert found.max_abs_error == pytest.approx(1e-5)


def test_alternatives_of_one_mistake_are_one_mistake():
    """b = −2 and b = −9 are both "low"; where both give the value it is told once, by the nearer one."""
    assert told((0.0, 2.0)) == ["low"]
    assert told((-7.0, -5.0)) == ["low"]
    twice = Mistake("low", "line", "slip", lambda given: (replace(given, b=0.001), replace(given, b=0.0)))
    (found,) = diagnose((twice,), Line((1.0,)), line, same, 2.0009, atol=0.01)
    assert found.max_abs_error == pytest.approx(0.0001)


def test_pairs_are_told_only_where_no_single_fits_in_alphabetical_order():
    """Slope 4 without intercept: [4, 8] is flat and steep; nothing gives it alone."""
    assert told((4.0, 8.0)) == ["flat+steep"]
    assert told((4.0, 8.0), pairs=False) == []
    alone = Mistake("alone", "line", "choice", always(a=4.0, b=0.0))
    assert told((4.0, 8.0), mistakes=(*LINES, alone)) == ["alone"]


def test_a_pair_with_one_that_changes_nothing_is_not_minimal():
    """With b = 0 the mistake "flat" changes nothing, so no pair names it."""
    given = Line((1.0, 2.0), b=0.0)
    assert [one.id for one in diagnose((FLAT, STEEP), given, line, same, (4.0, 8.0))] == ["steep"]
    assert diagnose((FLAT, STEEP), given, line, same, (4.5, 8.0)) == ()


def test_the_kind_of_a_pair_is_a_convention_only_if_both_are():
    (found,) = diagnose(LINES, Line((1.0, 2.0)), line, same, (4.0, 8.0))
    assert found.kind == "slip"
    shift = Mistake("shift", "line", "convention", lambda given: (replace(given, x=(2.0, 3.0)),))
    (found,) = diagnose((LOW, shift), Line((1.0, 2.0)), line, same, (2.0, 4.0))
    assert (found.id, found.kind) == ("low+shift", "convention")
    (found,) = diagnose((shift, STEEP), Line((1.0, 2.0)), line, same, (9.0, 13.0))
    assert (found.id, found.kind) == ("shift+steep", "slip")


def test_a_mistake_that_applies_only_after_another_is_told_with_it():
    """Wherever the two stand in the catalogue."""
    after = Mistake("after", "line", "slip", lambda given: (replace(given, b=7.0),) if given.a == 4 else ())
    assert told((11.0, 15.0), mistakes=(STEEP, after)) == ["after+steep"]
    assert told((11.0, 15.0), mistakes=(after, STEEP)) == ["after+steep"]


def test_simplest_first_slips_and_conventions_before_precision_and_choices():
    """Three that give the same: the catalogue's order, but a choice comes last."""
    same_value = {"a": 5.0, "b": 5.0}
    mistakes = tuple(
        Mistake(id, "line", kind, always(**same_value))
        for id, kind in (("c", "choice"), ("z", "slip"), ("p", "precision"), ("a", "convention"))
    )
    assert told((10.0, 15.0), mistakes=mistakes) == ["z", "a", "c", "p"]


@pytest.mark.parametrize(
    ("found", "options", "names"),
    [
        (6.25, {}, ["offset+steep"]),
        (6.2, {}, []),
        ((6.2,), {}, []),
        ((6.2, 10.2), {"x": (1.0, 2.0)}, ["offset+steep"]),
        (6.25, {"digits": 2}, []),
        (6.2, {"digits": 3}, ["offset+steep"]),
    ],
)
def test_one_number_needs_three_digits_for_a_pair(found, options, names):
    """4·1 + 2.2 and 4·1 + 2.25: two digits fit too much, unless they were typed as 6.20."""
    offset = Mistake("offset", "line", "slip", lambda given: (replace(given, b=2.2), replace(given, b=2.25)))
    assert told(found, **{"x": (1.0,), "mistakes": (STEEP, offset), **options}) == names


def test_a_mistake_that_changes_nothing_within_the_tolerance_is_hidden_and_never_told():
    barely = Mistake("barely", "line", "slip", always(b=1.00004))
    mistakes = (barely, *LINES)
    assert told((3.00008, 5.00008), mistakes=mistakes) == []
    assert [one.id for one in hidden(mistakes, Line((1.0, 2.0)), line, same)] == ["barely"]
    assert hidden(mistakes, Line((1.0, 2.0)), line, same, atol=1e-6) == ()


def test_one_told_alternative_is_enough_not_to_be_hidden():
    either = Mistake("either", "line", "slip", lambda given: (replace(given, b=7.0), given))
    assert hidden((either,), Line((1.0,)), line, same) == ()


def test_paths_that_fail_explain_nothing():
    """1/(2x + b) has no value at 0; a change may refuse."""
    assert told((1 / 3, 1 / 5)) == ["upside"]
    assert told((1 / 3, 0.0), x=(1.0, -0.5)) == []


def test_where_the_right_calculation_refuses_mistakes_can_still_be_told():
    """A zero row has no RMSNorm without epsilon; with one it is zero."""
    zeros = Norm(((0.0, 0.0),))
    told = [one.id for one in diagnose("rmsnorm", zeros, norm, lambda rows: rows[0].output, (0.0, 0.0))]
    assert "eps-other" in told


@pytest.mark.parametrize(
    "found", [(nan, 9.0), (5.0, nan), (inf, 9.0), (None, 9.0), (5.0,), 5.0, ((5.0,), (9.0,))]
)
def test_not_a_number_infinity_and_other_shapes_fit_nothing(found):
    assert told(found) == []


def test_a_value_that_is_not_a_number_fits_nothing_either():
    lost = Mistake("lost", "line", "slip", always(b=nan))
    assert told((nan, nan), mistakes=(lost,)) == []


@pytest.mark.parametrize(
    ("found", "value", "atol", "rtol", "error"),
    [
        ((1.0, 2.0), ((1.0, 2.0),), 0, 0, 0.0),  # a matrix of one row is a vector
        (((1.0, 2.0),), (1.0, 2.0), 0, 0, 0.0),
        (5, ((5,),), 0, 0, 0.0),
        (((1.0,), (2.0,)), (1.0, 2.0), 1, 0, None),  # a column is none
        (((1.0, 2.0), (3.0,)), ((1.0, 2.0), (3.0, 4.0)), 9, 0, None),
        (Fraction(1, 4), 0.125, 0.125, 0, 0.125),  # the edge belongs to it
        (110, 100, 0, 0.1, 10.0),
        (90, 100, 0, 0.09, None),
        (10**40 + 1, 10**40, 0, 0, None),
        (10**400, 10**400, 0, 0, 0.0),
        (10**400, 1.5, 1, 0, None),
        (1.5, 10**400, 0, 0.5, None),
        ((None, 1.0), (None, 1.0), 0, 0, 0.0),
        ((None, 1.0), (0.0, 1.0), 9, 0, None),
        (True, True, 0, 0, 0.0),
        (True, False, 0, 0, None),
        (inf, inf, 1, 0, None),
    ],
)
def test_agreement_is_by_shape_then_entry_by_entry(found, value, atol, rtol, error):
    assert agreement(found, value, atol, rtol) == error


def test_shapes_of_three_axes_and_of_nothing():
    assert shaped((((1, 2), (3, 4)),)) == ((2, 2), (1, 2, 3, 4))
    assert shaped((((1,), (2,)), ((3,), (4,))))[0] == (2, 2, 1)
    assert shaped(())[0] == (0,)


@pytest.mark.parametrize(
    ("number", "digits"),
    [
        (0, 1),
        (True, 1),
        (-12, 2),
        (100, 3),
        (1e-7, 1),
        (0.05, 1),
        (1.25, 3),
        (10**400, 101),
        (Fraction(5, 2), 2),
    ],
)
def test_digits_that_a_number_shows(number, digits):
    assert significant(number) == digits


ROTATION = Rope((1.0, 2.0, 3.0, 4.0), (1.0, 2.0, 3.0, 4.0), ((3, 3),), Schedule(Fraction(100), 4), 4)


def of_rotation(found, **options):
    return [one.id for one in diagnose("rope", ROTATION, rope, lambda rows: rows[0].query, found, **options)]


def test_two_slips_together_in_a_rotation():
    """Turned back by one position too many: −4 and −0.4 radians in place of 3 and 0.3."""
    found = (-2.1672486114794682, -0.5504847464192957, 4.320856351243258, 2.515988949085589)
    assert of_rotation(found) == ["clockwise+one-based"]


@pytest.mark.parametrize("found", [(0.1, 0.2, 0.3, 0.4), (1.5, -2.5, 3.5, 0.5)])
def test_numbers_that_nothing_known_makes_are_explained_by_nothing(found):
    assert of_rotation(found) == []


def test_a_norm_that_nothing_known_makes():
    row = Norm(((3.0, 4.0, 8.0),))
    assert diagnose("rmsnorm", row, norm, lambda rows: rows[0].output, (0.31, 0.72, 1.93)) == ()


def test_wide_input_is_diagnosed_without_pairs():
    """Hundreds of calculations on thousands of numbers would be a wait, and nobody types them."""
    paths = WrongPaths(catalogue("rmsnorm"), Norm((tuple(map(float, range(1, 1001))),)), norm)
    assert paths.diagnose(lambda rows: rows[0].output, (0.5,) * 1000) == ()
    assert "pairs" not in vars(paths)


def test_each_wrong_path_is_computed_once_for_many_answers():
    calls = []

    def counted(given):
        calls.append(given)
        return line(given)

    paths = WrongPaths(LINES, Line((1.0, 2.0)), counted)
    first = paths.diagnose(same, (4.0, 8.0))
    made = len(calls)
    assert paths.diagnose(same, (4.0, 8.0)) == first
    assert paths.hidden(same) == ()
    assert len(calls) == made


def test_an_unknown_topic_is_refused():
    with pytest.raises(KeyError):
        catalogue("rop")


@pytest.mark.parametrize("topic", TOPICS)
def test_ids_are_words_in_kebab_case_and_unique_within_their_topic(topic):
    ids = [(mistake.topic, mistake.id) for mistake in catalogue(topic)]
    assert len(set(ids)) == len(ids)
    assert all(
        (part.isalpha() and part.islower()) or part.isdecimal() for _, id in ids for part in id.split("-")
    )
