"""Whatever a sheet holds, it is marked, and its points add up."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.grading.documents import from_json
from dense_cli.grading.intake.sheets import FieldNames, sheet
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import VERDICTS, Marker
from dense_cli.grading.marks.telling import Teller
from tests.grading.marked import MARKER, QUESTIONS, SET, keys

TYPED = st.one_of(
    st.sampled_from(["-1, 0", "[0, √2]", "64", "no", "1/2", "", "[0, 1]", "96", "1.414", "0,5", "buffer"]),
    st.text(max_size=12),
    st.from_regex(r"\[?-?[0-9]{0,3}[.,/e;: -]{0,2}[0-9]{0,4}\]?", fullmatch=True),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TYPED,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=5,
)
TELLER = Teller(SET, "zh")
NAMES = FieldNames.of(SET)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(keys()), JSON, max_size=18))
def test_any_sheet_is_marked(answers):
    """Verdicts are ours, points lie within the field's, score and what is to be read within the whole."""
    marks = MARKER.sheet(answers)
    assert [mark.field.key for mark in marks] == keys()
    for mark in marks:
        assert mark.verdict in VERDICTS
        assert isinstance(mark.points, Fraction)
        assert 0 <= mark.points <= mark.field.points
        assert (mark.points == mark.field.points) == (mark.verdict in ("correct", "follows"))
        assert TELLER.message(mark) != ""
    one = Marked("s", "s.json", marks)
    assert one.score + one.to_review <= one.max_score == 24
    assert one.percent is None or 0 <= one.percent <= 100


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(st.sampled_from(keys()), TYPED, max_size=18))
def test_marking_depends_on_the_sheet_alone(answers):
    """A marker that has seen other sheets marks as a new one does."""
    first, second = (
        [(one.verdict, one.points, one.given, one.read_as, one.mistakes, str(one.message)) for one in marks]
        for marks in (MARKER.sheet(answers), Marker(QUESTIONS).sheet(answers))
    )
    assert first == second


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(["student", "1", "1.query", "5", "x"]) | st.text(max_size=3), JSON))
def test_any_document_is_a_sheet_or_an_error(document):
    found = sheet(document, "a.json", "a", NAMES)
    assert isinstance(found.student, str)
    assert found.student
    assert set(found.answers) <= set(keys())
    assert found.error is None or not found.answers


@settings(max_examples=40, deadline=None)
@given(st.decimals(allow_nan=False, allow_infinity=False, places=5, min_value=-99, max_value=99))
def test_a_number_in_a_document_is_as_good_as_its_text(number):
    (value,) = from_json(f"[{number}]", "a.json")
    marks = MARKER.sheet({"5.growth": value}), MARKER.sheet({"5.growth": str(number)})
    assert marks[0] == marks[1]
