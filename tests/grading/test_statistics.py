"""Statistics of a class: Moodle's numbers, none where there are none, the same however a class is divided."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.grading.exercises.exercise import Exercise, ExerciseSet, Field
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import BLANK, CORRECT, REVIEW, WRONG, Mark
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.reports.class_statistics import ClassStatistics, class_statistics, statistics_data
from dense_cli.grading.reports.items import Sums, statistics
from dense_cli.grading.reports.tally import tally
from tests.cli.calling import call
from tests.grading.marked import MARKER, SET

pytestmark = pytest.mark.usefixtures("questions_once")

HALF = Fraction(1, 2)
WORKED = (
    (1, 1, 1, 1, 1),
    (1, 1, 1, HALF, 0),
    (1, 1, 0, HALF, 1),
    (1, 0, 1, 0, 0),
    (0, 1, 0, 0, 0),
    (1, 0, 0, 0, 0),
)
# facility, SD, discrimination, efficiency, effective weight
ITEMS = (
    (0.8333, 0.4082, 28.3981, 45.4545, 16.2212),
    (0.6667, 0.5164, 28.0976, 33.3333, 19.1932),
    (0.5000, 0.5477, 26.7261, 28.5714, 19.8668),
    (0.3333, 0.4082, 94.3880, 100.0000, 22.3594),
    (0.3333, 0.5164, 56.7282, 64.7059, 22.3594),
)
TEST = {
    "mean": 2.666667, "median": 2.75, "sd": 1.602082, "skewness": 0.314120, "kurtosis": -1.337072,
    "cronbach_alpha": 68.1818, "error_ratio": 56.4076, "standard_error": 0.903696,
}  # fmt: skip
NAMES = ("facility", "sd", "discrimination", "efficiency", "effective_weight")


def sums(rows, maxima=None):
    exact = [[Fraction(mark) for mark in row] for row in rows]
    width = len(rows[0]) if rows else 2
    return Sums.of(exact, [Fraction(most) for most in maxima or [1] * width])


def of(rows, maxima=None):
    return statistics(sums(rows, maxima))


# --- numbers


@pytest.mark.parametrize("place", range(5))
def test_items_are_moodles_to_four_decimals(place):
    item = of(WORKED).items[place]
    assert [getattr(item, name) for name in NAMES] == pytest.approx(ITEMS[place], abs=5e-5)
    assert item.intended_weight == 20


def test_the_whole_test_is_moodles():
    found = of(WORKED)
    assert {name: getattr(found, name) for name in TEST} == pytest.approx(TEST, abs=5e-5)
    assert (found.students, found.maximum) == (6, 5)


def test_an_item_against_the_rest_is_not_the_item_against_the_total():
    """Item 3 has 57.0 with the total, which it is part of, and 26.7 with the rest."""
    assert of(WORKED).items[2].discrimination < 27


def test_two_items_by_hand():
    """x = 0, 1, 2 of 2 and y = 0, 0, 1 of 1: cov 1/2, variances 1 and 1/3, r = √3/2; totals 0, 1, 3."""
    found = of([(0, 0), (1, 0), (2, 1)], [2, 1])
    first, second = found.items
    assert first.discrimination == pytest.approx(50 * 3**0.5, rel=1e-14)
    assert (first.facility, second.facility) == (0.5, pytest.approx(1 / 3))
    assert (first.efficiency, first.intended_weight) == (100, pytest.approx(200 / 3))
    assert found.cronbach_alpha == pytest.approx(200 * (1 - (4 / 3) / (7 / 3)))
    assert (found.mean, found.median) == (pytest.approx(4 / 3), 1)
    assert found.kurtosis is None
    assert found.skewness == pytest.approx(0.9352195295828244)  # of 0, 1, 3 with the bias taken out


def test_a_median_between_two_students():
    assert of([(0, 0), (1, 1), (1, 0), (0, 0)]).median == 0.5


# --- where there is no number


def test_nobody():
    found = of([])
    assert [getattr(found, name) for name in TEST] == [None] * 8
    assert [getattr(item, name) for item in found.items for name in NAMES] == [None] * 10
    assert found.items[0].intended_weight == 50


def test_one_student_has_a_mean_and_no_spread():
    found = of([(1, 0)])
    assert (found.mean, found.median, found.items[0].facility) == (1, 1, 1)
    assert [getattr(found, name) for name in list(TEST)[2:]] == [None] * 6
    assert [getattr(found.items[0], name) for name in NAMES[1:]] == [None] * 4


def test_all_alike_have_no_correlation():
    found = of([(1, 0)] * 5)
    assert (found.sd, found.items[0].sd) == (0, 0)
    assert [found.skewness, found.kurtosis, found.cronbach_alpha, found.standard_error] == [None] * 4
    assert [getattr(found.items[0], name) for name in ("discrimination", "efficiency")] == [None, None]
    assert found.items[0].effective_weight is None


def test_an_item_that_all_have_right_says_nothing_and_the_others_do():
    first, second, _ = of([(1, 1, 1), (1, 0, 0), (1, 1, 0)]).items
    assert (first.facility, first.discrimination, first.efficiency, first.effective_weight) == (
        1,
        None,
        None,
        0,
    )
    assert second.discrimination == pytest.approx(50)


def test_a_weight_whose_covariance_is_negative_is_undefined():
    """The second item is right only for those who fail the first, worth five times as much."""
    first, second = of([(5, 0), (5, 0), (0, 1)], [5, 1]).items
    assert (second.effective_weight, first.effective_weight) == (None, 100)
    assert second.discrimination == pytest.approx(-100)


def test_one_item_has_no_consistency_and_no_rest():
    found = of([(1,), (0,), (1,)])
    assert (found.cronbach_alpha, found.error_ratio, found.items[0].discrimination) == (None, None, None)


def test_questions_without_points():
    """All of them: nothing is defined. One among others: the others are as if it were not there."""
    nothing = of([(0, 0), (0, 0), (0, 0)], [0, 0])
    assert [item.facility for item in nothing.items] == [None, None]
    assert [item.intended_weight for item in nothing.items] == [None, None]
    assert (nothing.mean, nothing.cronbach_alpha) == (0, None)
    without, beside = of(WORKED), of([(*row, 0) for row in WORKED], [1] * 5 + [0])
    assert beside.items[:5] == without.items
    assert beside.cronbach_alpha == without.cronbach_alpha
    assert beside.items[5].facility is None


# --- laws

MARKS = st.sampled_from([Fraction(0), Fraction(1, 3), HALF, Fraction(1)])
ROWS = st.lists(st.tuples(MARKS, MARKS, MARKS), max_size=12)


@given(ROWS, ROWS, ROWS)
@settings(max_examples=60, deadline=None)
def test_a_divided_class_adds_up_to_the_whole(one, two, three):
    maxima = [1, 1, 1]
    whole = sums([*one, *two, *three], maxima)
    assert sums(one, maxima) + sums(two, maxima) + sums(three, maxima) == whole
    assert sums(one, maxima) + (sums(two, maxima) + sums(three, maxima)) == whole
    assert statistics(sums(three, maxima) + sums(one, maxima) + sums(two, maxima)) == statistics(whole)


@given(ROWS)
@settings(max_examples=60, deadline=None)
def test_numbers_stay_in_their_bounds(rows):
    found = of(rows, [1, 1, 1])
    for item in found.items:
        assert item.facility is None or 0 <= item.facility <= 1
        assert item.discrimination is None or -100.0000001 <= item.discrimination <= 100.0000001
        assert item.efficiency is None or item.efficiency <= 100
    weights = [item.effective_weight for item in found.items if item.effective_weight is not None]
    assert not weights or sum(weights) == pytest.approx(100)
    assert found.cronbach_alpha is None or found.cronbach_alpha <= 100


@given(ROWS.filter(lambda rows: len(rows) > 3))
@settings(max_examples=60, deadline=None)
def test_the_textbook_formulas_say_the_same(rows):
    """A second way to each number: straight from the lists, in floats."""
    found, s = of(rows, [1, 1, 1]), len(rows)
    totals = [float(sum(row)) for row in rows]
    mean = sum(totals) / s
    m2, m3, m4 = (sum((total - mean) ** power for total in totals) / s for power in (2, 3, 4))
    assert found.mean == pytest.approx(mean)
    if m2 < 1e-9:
        return
    assert found.sd == pytest.approx((m2 * s / (s - 1)) ** 0.5)
    assert found.skewness == pytest.approx(m3 / m2**1.5 * (s * (s - 1)) ** 0.5 / (s - 2), abs=1e-9)
    excess = (s - 1) / ((s - 2) * (s - 3)) * ((s + 1) * (m4 / m2**2 - 3) + 6)
    assert found.kurtosis == pytest.approx(excess, abs=1e-9)
    for place, item in enumerate(found.items):
        own = sorted(float(row[place]) for row in rows)
        rest = sorted(float(sum(row) - row[place]) for row in rows)
        best = sum(a * b for a, b in zip(own, rest, strict=True)) / s - sum(own) * sum(rest) / s**2
        pairs = [(float(row[place]), float(sum(row) - row[place])) for row in rows]
        together = sum(a * b for a, b in pairs) / s - sum(own) * sum(rest) / s**2
        if best > 1e-9:
            assert item.efficiency == pytest.approx(100 * together / best, abs=1e-6)


# --- a class


def four_parts():
    fields = tuple(Field("1", name, "number", Fraction(1), {"en": name}) for name in "abcd")
    return ExerciseSet("set", {"en": "Set"}, (Exercise("1", {"en": "One"}, {"en": "Do."}, fields),))


def test_one_student_who_has_all_parts_wrong_is_all_wrong_once():
    """Facility 0 %, four wrong answers of four: parts are not counted over attempts."""
    exercises = four_parts()
    marks = tuple(Mark(one, "7", "7", WRONG, Fraction(0)) for one in exercises.fields)
    found = class_statistics([Marked("s01", "a.json", marks)], exercises)
    ((_, item),) = found.exercises
    assert (item.facility, item.maximum) == (0, 4)
    assert [found.verdicts(field) for field in exercises.fields] == [{"wrong": 1}] * 4
    assert [one.facility for _, one in found.questions] == [0, 0, 0, 0]


SHEETS = (
    {"2.output": "[0, 1]", "2.denominator": "2", "5.hidden": "63", "6.test": "swap the clues"},
    {"2.output": "[0, 1]", "5.hidden": "63.0", "4.output": "[7, 7]"},
    {"2.output": "[0, √2]", "5.hidden": "sixty", "6.test": "x"},
    {},
)


def marked(*sheets):
    return [Marked(f"s{place:02}", "a.json", MARKER.sheet(one)) for place, one in enumerate(sheets, 1)]


def data(students, language="en"):
    return statistics_data(class_statistics(students, SET), Teller(SET, language))


def test_a_student_counts_once_for_a_mistake_made_in_two_fields():
    (made,) = [one for one in data(marked(*SHEETS))["mistakes"] if one["id"] == "no-root"]
    assert (made["exercise"], made["students"]) == ("2", 2)
    assert made["fields"] == [
        {"field": "output", "students": 2, "answers": ["[0, 1]"]},
        {"field": "denominator", "students": 1, "answers": ["2"]},
    ]


def test_wrong_values_that_nobody_can_name_are_grouped_by_value():
    """63 and 63.0 are one value."""
    assert data(marked(*SHEETS))["unexplained"] == [
        {"exercise": "5", "field": "hidden", "value": "63", "students": 2},
        {"exercise": "4", "field": "output", "value": "[7, 7]", "students": 1},
    ]


def test_what_a_person_must_look_at_is_what_is_open_or_unreadable():
    found = data(marked(*SHEETS))["to_look_at"]
    assert [(one["student"], one["field"], one["verdict"]) for one in found] == [
        ("s01", "test", "review"), ("s03", "hidden", "invalid"), ("s03", "test", "review"),
    ]  # fmt: skip
    assert "sixty" in found[1]["message"]


def test_open_answers_are_left_out_until_all_are_marked():
    """Not marked is not 0: the field has no facility, and the test is worth two points less."""
    found = data(marked(*SHEETS))
    assert (found["max_score"], found["questions"][-1]["facility"]) == (22, None)
    assert found["exercises"][-1]["max_points"] == 2
    blank = data(marked({}, {"1.dot": "0"}))
    assert (blank["max_score"], blank["questions"][-1]["facility"]) == (24, 0)


def test_the_data_is_strict_json_with_the_same_keys_for_any_class():
    shapes = [data(students) for students in ([], marked({}), marked(*SHEETS))]
    for one in shapes:
        json.dumps(one, allow_nan=False)
        assert list(one) == [
            "formulas", "students", "unread", "max_score", *TEST,
            "questions", "exercises", "mistakes", "unexplained", "to_look_at",
        ]  # fmt: skip
        assert len(one["questions"]) == 18
    assert shapes[2]["formulas"] == "Moodle"


@given(st.lists(st.sampled_from(SHEETS), max_size=6), st.integers(0, 6))
@settings(max_examples=20, deadline=None)
def test_tallies_of_parts_add_up(sheets, cut):
    students = marked(*sheets)
    whole = tally(students, SET)
    parts = tally(students[:cut], SET) + tally(students[cut:], SET)
    teller = Teller(SET, "en")
    assert parts.whole == whole.whole
    assert statistics_data(ClassStatistics(SET, parts), teller) == statistics_data(
        ClassStatistics(SET, whole), teller
    )


def test_a_question_without_points_still_has_verdicts():
    """Points 0 / 0, percent undefined, and the answer is judged all the same."""
    field = Field("1", "a", "number", Fraction(0), {"en": "a"})
    exercises = ExerciseSet("set", {"en": "Set"}, (Exercise("1", {"en": "One"}, {"en": "Do."}, (field,)),))
    student = Marked("s", "a", (Mark(field, "1", "1", CORRECT, Fraction(0)),))
    found = class_statistics([student], exercises)
    assert (student.score, student.max_score, student.percent) == (0, 0, None)
    assert (found.verdicts(field), found.questions[0][1].facility) == ({"correct": 1}, None)


# --- the command


@pytest.fixture
def folder(tmp_path):
    for place, sheet in enumerate(SHEETS, 1):
        (tmp_path / f"s{place:02}.json").write_text(
            json.dumps({"student": f"s{place:02}", "1.dot": "", **sheet})
        )
    return tmp_path


def test_statistics_come_where_they_are_asked_for(folder):
    assert "statistics" not in call("check", str(folder), "--json").json["result"]
    called = call("check", str(folder), "--json", "--statistics")
    assert called.exit == 0
    found = called.json["result"]
    assert list(found) == ["exercises", "students", "statistics"]
    assert found["statistics"]["students"] == 4
    assert called.out == call("check", str(folder), "--json", "--statistics").out


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("Moodle", "Facility", "no known mistake makes: 2", "must look at: 3", "undefined")),
        ("zh", ("Moodle", "难度系数", "错误数值：2 个", "查看的答案：3 个", "无定义")),
    ],
)
def test_the_page_names_the_formula_and_what_to_do(folder, language, words):
    out = call("check", str(folder), "--statistics", "--lang", language, "--format", "plain").out
    assert all(word in out for word in words)


@pytest.mark.parametrize("format", ["rich", "plain", "markdown", "latex", "html", "svg"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_format_shows_the_statistics(folder, format, language):
    called = call("check", str(folder), "--statistics", "--format", format, "--lang", language)
    assert (called.exit, called.err) == (0, "")
    assert "Moodle" in called.out


def test_single_answers_have_no_statistics():
    called = call("check", "--exercise", "1", "--answer", "dot=0", "--statistics")
    assert (called.exit, "--statistics" in called.err) == (2, True)


def test_blank_and_waiting_are_told_apart():
    _, _, third, fourth = marked(*SHEETS)
    assert (third.marks[-1].verdict, fourth.marks[-1].verdict) == (REVIEW, BLANK)


def test_the_page_tells_nothing_twice(folder):
    out = call("check", str(folder), "--statistics", "--format", "plain").out
    assert out.count("An answer that several mistakes make counts for each of them.") == 1
    assert "could not be read" not in out
