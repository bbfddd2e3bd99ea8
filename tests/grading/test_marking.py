"""The rules: tolerance, shares, what follows from the student's own answers, and what may be remembered."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dense_cli.grading.exercises.exercise import Follow
from dense_cli.grading.marks.marking import Marker, Rules, mark_alone, within
from dense_cli.grading.marks.questions import SetQuestions
from tests.grading.marked import MARKER, QUESTIONS, STRICT, ids, mark_of, marks_of

HALF = Fraction(1, 2)


# --- tolerance


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("0.50005", True),
        ("0.49995", True),
        ("0.500050000000000001", False),
        ("0.4999499999999999999999", False),
    ],
)
def test_the_tolerance_is_inclusive_and_exact(answer, right):
    assert (mark_of("5.growth", answer).verdict == "correct") is right


def test_the_relative_part_is_taken_of_the_right_value():
    ten, eleven = Fraction(10), Fraction(11)
    assert within(eleven, ten, Fraction(0), Fraction(1, 10))
    assert not within(Fraction(9), ten, Fraction(0), Fraction(99, 1000))
    assert within(ten, eleven, Fraction(0), Fraction(1, 11))
    assert not within(eleven, ten, Fraction(0), Fraction(95, 1000))


def test_whole_numbers_have_no_tolerance():
    loose = Marker(QUESTIONS, Rules(atol=Fraction(10), rtol=Fraction(1)))
    assert mark_of("5.hidden", "63", loose).verdict == "wrong"
    assert mark_of("5.growth", "10", loose).verdict == "correct"


def test_a_stricter_tolerance_makes_short_answers_imprecise():
    strict = Marker(QUESTIONS, Rules(atol=Fraction(15, 10**7)))
    assert mark_of("4.output", "[1.4621, -0.8068]", strict).verdict == "imprecise"
    assert mark_of("4.output", "[1.462117, -0.806824]", strict).verdict == "correct"


def test_fewer_digits_than_asked_are_right_with_a_word():
    short, exact = mark_of("4.output", "[1.4621, -0.8068]"), mark_of("3.layernorm", "[-1, 1]")
    assert (short.verdict, short.message.key) == ("correct", "check.fewer-digits")
    assert (exact.verdict, exact.message) == ("correct", None)


# --- shares


def test_an_imprecise_entry_is_no_right_entry():
    """Of right, imprecise and wrong together only the right ones count; without a right one nothing does."""
    assert mark_of("4.output", "[1.462117, 5]").points == Fraction(3, 2)
    assert mark_of("4.output", "[1.46, 5]").verdict == "wrong"


def test_right_and_imprecise_together_are_imprecise():
    mark = mark_of("4.output", "[1.462117, -0.81]")
    assert (mark.verdict, mark.points) == ("imprecise", Fraction(3, 2))


def test_one_decimal_is_too_few_to_be_imprecise():
    assert mark_of("2.denominator", "1.4").verdict == "wrong"


def test_half_a_unit_counts_as_rounded():
    """0.965 lies half a unit of the second decimal from 0.96 and from 0.97: either is that value rounded."""
    question = replace_field("3.output", kind="number", quantity=None, answer="0.965")
    verdicts = [mark_alone(question, typed, Rules())[0].verdict for typed in ("0.96", "0.97", "0.95", "0.98")]
    assert verdicts == ["imprecise", "imprecise", "wrong", "wrong"]


def test_an_expression_is_never_imprecise():
    assert mark_of("2.denominator", "1.414*1").verdict == "wrong"


def test_an_exercise_sets_its_own_share_for_imprecise_answers():
    question = replace_field("2.denominator", imprecise=Fraction(1, 4))
    assert mark_alone(question, "1.414", Rules())[0].points == Fraction(1, 4)


def test_thirds_are_exact():
    question = replace_field("4.output", points=Fraction(1), quantity=None, answer="[1, 2, 3]")
    assert mark_alone(question, "[1, 2, 9]", Rules())[0].points == Fraction(2, 3)


def test_entries_are_counted_before_they_are_compared():
    mark = mark_of("4.output", "[1.462117]")
    assert mark.message.facts == {"asked": 2, "answered": 1}


@pytest.mark.parametrize(
    ("text", "told"),
    [("1,462117", True), ("-3,07", True), ("1,7", False), ("1, 462117", False), ("[1,462117]", False)],
)
def test_a_comma_that_may_be_a_decimal_sign_is_spoken_of(text, told):
    mark = mark_of("4.output", text)
    assert mark.verdict == "wrong"
    assert (mark.message is not None and mark.message.key == "check.points-for-commas") == told


# --- what follows


def test_a_product_of_wrong_vectors_follows():
    marks = marks_of(_1_query="[-1, 0]", _1_key="[0.6, 0.8]", _1_dot="-0.6")
    assert [marks[key].verdict for key in ("1.key", "1.dot")] == ["wrong", "follows"]
    assert (marks["1.dot"].points, marks["1.dot"].mistakes) == (1, ())


def test_a_count_of_the_own_width_follows():
    mark = marks_of(_5_hidden="48", _5_swiglu="3456")["5.swiglu"]
    assert (mark.verdict, mark.mistakes, mark.message.key) == ("follows", (), "check.follows")
    assert marks_of(_5_hidden="64.5", _5_swiglu="4644")["5.swiglu"].verdict == "follows"
    assert marks_of(_5_hidden="48", _5_swiglu="3457")["5.swiglu"].verdict == "wrong"


def test_the_right_value_is_right_whatever_stands_before_it():
    marks = marks_of(_1_query="[1, 0]", _1_key="[1, 0]", _1_dot="0")
    assert marks["1.dot"].verdict == "correct"
    marks = marks_of(_5_hidden="64", _5_swiglu="4608")
    assert marks["5.swiglu"].verdict == "correct"


@pytest.mark.parametrize("key", ["", "[1, 0, 0]", "[a, b]"])
def test_nothing_follows_from_what_is_blank_unreadable_or_of_another_length(key):
    assert marks_of(_1_query="[-1, 0]", _1_key=key, _1_dot="-0.6")["1.dot"].verdict == "wrong"


def test_follow_through_can_be_turned_off():
    marks = marks_of(STRICT, _5_hidden="96", _5_swiglu="6912")
    assert (marks["5.swiglu"].verdict, ids(marks["5.swiglu"])) == ("wrong", ["same-width"])


def test_huge_products_are_exact():
    """The products lie beyond float64 and cancel."""
    marks = marks_of(_1_query="[1e308, 1e308]", _1_key="[1e308, -1e308]", _1_dot="1")
    assert marks["1.dot"].verdict == "wrong"
    marks = marks_of(_1_query="[1e308, 3]", _1_key="[0, 1]", _1_dot="3")
    assert marks["1.dot"].verdict == "follows"


def test_an_exercise_sets_its_own_share_for_what_follows():
    follows = Follow("gated-count", ("hidden",), HALF)
    questions = SetQuestions(
        QUESTIONS.set,
        tuple(
            replace(one, field=replace(one.field, follows=follows)) if one.field.key == "5.swiglu" else one
            for one in QUESTIONS.questions
        ),
    )
    assert marks_of(Marker(questions), _5_hidden="96", _5_swiglu="6912")["5.swiglu"].points == HALF


# --- memory


def test_an_answer_that_comes_again_is_marked_alike_but_follows_its_own_sheet():
    marker = Marker(QUESTIONS)
    first = marks_of(marker, _5_hidden="96", _5_swiglu="6912")
    alone = marks_of(marker, _5_swiglu="6912")
    again = marks_of(marker, _5_hidden="96", _5_swiglu="6912")
    assert (first["5.swiglu"].verdict, alone["5.swiglu"].verdict) == ("follows", "wrong")
    assert first == again


def test_text_and_numbers_of_a_document_are_not_mixed_up():
    assert mark_of("1.visible", False).verdict == "correct"
    assert mark_of("1.visible", 0).verdict == "invalid"
    assert mark_of("1.visible", "0").verdict == "invalid"


def replace_field(key, **parts):
    """A question of the shipped set with its field changed."""
    (question,) = (one for one in MARKER.questions.questions if one.field.key == key)
    return replace(question, field=replace(question.field, **parts))
