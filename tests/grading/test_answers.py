"""What people type, how it is read and judged; the points are those of the exercise."""

from datetime import date
from fractions import Fraction

import pytest

from dense_cli.grading.documents import Digits
from tests.grading.marked import SET, mark_of

HALF = Fraction(1, 2)

NUMBERS = [
    # exercise.field, typed, verdict, points, read as
    ("1.query", "[-1, 0]", "correct", 1, "[-1, 0]"),
    ("1.query", "-1 0", "correct", 1, "[-1, 0]"),
    ("1.query", "(-1，0)", "correct", 1, "[-1, 0]"),
    ("1.query", "[−1、0]", "correct", 1, "[-1, 0]"),
    ("1.query", "[–1, 0]", "correct", 1, "[-1, 0]"),
    ("1.query", "［－１，０］", "correct", 1, "[-1, 0]"),
    ("1.query", r"\begin{bmatrix}-1\\0\end{bmatrix}", "correct", 1, "[-1, 0]"),
    ("1.query", "[-1, 0]^T", "correct", 1, "[-1, 0]"),
    ("1.query", "[-1; 0]", "correct", 1, "[-1, 0]"),
    ("1.query", ["-1", "0"], "correct", 1, "[-1, 0]"),
    ("1.query", [[-1, 0]], "correct", 1, "[-1, 0]"),
    ("1.query", [Digits("-1.0"), Digits("1e-17")], "correct", 1, "[-1, 1e-17]"),
    ("1.query", "[-1, 0, 0]", "wrong", 0, "[-1, 0, 0]"),
    ("1.query", "[-1]", "wrong", 0, "[-1]"),
    ("1.query", "[-1, 0.1]", "partial", HALF, "[-1, 0.1]"),
    ("1.dot", "-0", "correct", 1, "0"),
    ("1.dot", "-1.2246467991473532e-16", "correct", 1, "-1.2246467991473532e-16"),
    ("1.dot", "[0]", "correct", 1, "0"),
    ("2.output", "[0, sqrt(2)]", "correct", 2, "[0, 1.4142135623730951]"),
    ("2.output", "[0, 2/√2]", "correct", 2, "[0, 1.414213562373095]"),
    ("2.output", "[0, 2^0.5]", "correct", 2, "[0, 1.4142135623730951]"),
    ("2.output", "[0, 1.4142]", "correct", 2, "[0, 1.4142]"),
    ("2.output", "[0, 1.414]", "imprecise", 1, "[0, 1.414]"),
    ("2.output", "[0, 1.41]", "imprecise", 1, "[0, 1.41]"),
    ("2.output", "[0, 1.4]", "partial", 1, "[0, 1.4]"),
    ("2.output", "[0.5, 1.414214]", "partial", 1, "[0.5, 1.414214]"),
    ("2.output", "[0.5, 1.414]", "wrong", 0, "[0.5, 1.414]"),
    ("2.denominator", "根号2", "correct", 1, "1.4142135623730951"),
    ("2.denominator", r"\sqrt{2}", "correct", 1, "1.4142135623730951"),
    ("2.denominator", "1,414214", "correct", 1, "1.414214"),
    ("2.denominator", "1.414", "imprecise", HALF, "1.414"),
    ("2.denominator", "1.415", "wrong", 0, "1.415"),
    ("3.output", "[0.962, 1.036]", "imprecise", 1, "[0.962, 1.036]"),
    ("3.output", "[0.963, 1.037]", "wrong", 0, "[0.963, 1.037]"),
    ("3.output", "[0.962303, 1.036]", "imprecise", 1, "[0.962303, 1.036]"),
    ("4.output", "[1,46; -0,8]", "wrong", 0, "[1.46, -0.8]"),
    ("4.output", "[1,462117; -0,806824]", "correct", 3, "[1.462117, -0.806824]"),
    ("4.output", "1.462117 -0.806824", "correct", 3, "[1.462117, -0.806824]"),
    ("4.output", "[1.46, -0.81]", "imprecise", Fraction(3, 2), "[1.46, -0.81]"),
    ("4.output", "[1.462117, 1.462117, 1.462117]", "wrong", 0, "[1.462117, 1.462117, 1.462117]"),
    ("4.output", "1,462117", "wrong", 0, "[1, 462117]"),
    ("5.hidden", "64.", "correct", 1, "64"),
    ("5.hidden", "64.0", "correct", 1, "64"),
    ("5.hidden", "=64", "correct", 1, "64"),
    ("5.hidden", "F=64", "correct", 1, "64"),
    ("5.hidden", "\ufeff64\xa0", "correct", 1, "64"),
    ("5.hidden", "６４", "correct", 1, "64"),
    ("5.hidden", "sqrt(4096)", "correct", 1, "64"),
    ("5.hidden", "64e1", "wrong", 0, "640"),
    ("5.hidden", 64, "correct", 1, "64"),
    ("5.hidden", Digits("64"), "correct", 1, "64"),
    ("5.relu", "4,608", "correct", 1, "4608"),
    ("5.relu", "4 608", "correct", 1, "4608"),
    ("5.relu", "4.608E3", "correct", 1, "4608"),
    ("5.relu", "1382.4/0.3", "correct", 1, "4608"),
    ("5.relu", "4608.00001", "wrong", 0, "4608.00001"),
    ("5.relu", "4608000000000000000001", "wrong", 0, "4608000000000000000001"),
    ("5.growth", "0,5", "correct", 1, "0.5"),
    ("5.growth", "50%", "correct", 1, "0.5"),
    ("5.growth", "50％", "correct", 1, "0.5"),
    ("5.growth", "5×10^(-1)", "correct", 1, "0.5"),
    ("5.growth", "0.7-0.2", "correct", 1, "0.5"),
    ("5.growth", "50", "wrong", 0, "50"),
    ("5.growth", "1/2/2", "wrong", 0, "0.25"),
]


@pytest.mark.parametrize(("key", "typed", "verdict", "points", "read_as"), NUMBERS)
def test_a_number_is_judged_by_what_it_was_read_as(key, typed, verdict, points, read_as):
    mark = mark_of(key, typed)
    assert (mark.verdict, mark.points, mark.read_as) == (verdict, points, read_as)


WORDS = [
    ("1.visible", "No.", "correct", "no"),
    ("1.visible", "否", "correct", "no"),
    ("1.visible", "不能。", "correct", "no"),
    ("1.visible", "no\r", "correct", "no"),
    ("1.visible", False, "correct", "no"),
    ("1.visible", "可以", "wrong", "yes"),
    ("1.visible", True, "wrong", "yes"),
    ("2.zero_row", "Undefined", "correct", "undefined"),
    ("2.zero_row", "没有定义", "correct", "undefined"),
    ("2.zero_row", "0", "wrong", "zero"),
    ("2.zero_row", Digits("0"), "wrong", "zero"),
    ("6.conclusion", "缓冲区", "correct", "buffer"),
    ("6.conclusion", "memory", "wrong", "memory"),
]


@pytest.mark.parametrize(("key", "typed", "verdict", "read_as"), WORDS)
def test_a_word_is_right_or_wrong(key, typed, verdict, read_as):
    mark = mark_of(key, typed)
    assert (mark.verdict, mark.read_as) == (verdict, read_as)
    assert mark.points == (mark.field.points if verdict == "correct" else 0)


INVALID = [
    ("1.dot", "nan"),
    ("1.dot", "0/0"),
    ("2.output", "[0, inf]"),
    ("1.dot", "1e400"),
    ("1.visible", "0"),
    ("1.visible", "maybe"),
    ("2.zero_row", "foo"),
    ("4.output", "[1.462117, None]"),
    ("4.output", [Digits("1.462117"), None]),
    ("4.output", "1,46,-0,81"),
    ("4.output", "[[1, 2], [3, 4]]"),
    ("5.hidden", "6 4"),
    ("5.hidden", "8²"),
    ("5.hidden", "六十四"),
    ("5.hidden", "sixty-four"),
    ("5.hidden", "[/b]"),
    ("5.hidden", "[red]64[/red]"),
    ("5.hidden", ":x:"),
    ("5.hidden", "\x1b[31m64\x12"),
    ("5.hidden", "\u202e46"),
    ("5.hidden", "__import__('os').getpid()"),
    ("5.hidden", "9**9**9**9"),
    ("5.hidden", "(((9^64)^64)^64)^64"),
    ("5.hidden", "(" * 100_000 + "1" + ")" * 100_000),
    ("5.hidden", "7" * 1_000_000),
    ("5.hidden", {"a": 64}),
    ("5.hidden", True),
    ("5.hidden", date(2026, 1, 2)),
    ("5.relu", "4.608 e3"),
    ("5.growth", "1/0"),
    ("5.growth", "2026/1/2"),
    ("5.growth", "2-Jan"),
    ("5.growth", "1月2日"),
    ("5.growth", "#VALUE!"),
    ("5.growth", "64,000"),
]


@pytest.mark.parametrize(("key", "typed"), INVALID, ids=range(len(INVALID)))
def test_what_cannot_be_read_is_invalid_and_has_a_reason(key, typed):
    mark = mark_of(key, typed)
    assert (mark.verdict, mark.points, mark.read_as, mark.mistakes) == ("invalid", 0, None, ())
    assert mark.message.facts["typed"] is not None


@pytest.mark.parametrize("typed", ["", "   ", "\u3000\n", None])
@pytest.mark.parametrize("key", ["1.query", "1.dot", "5.hidden", "1.visible", "2.zero_row", "6.test"])
def test_nothing_is_blank(key, typed):
    mark = mark_of(key, typed)
    assert (mark.verdict, mark.given, mark.points) == ("blank", None, 0)


def test_open_text_waits_for_a_person():
    mark = mark_of("6.test", "红蓝互换")
    assert (mark.verdict, mark.points, mark.read_as) == ("review", 0, "红蓝互换")


def test_numbers_of_a_document_are_given_back_as_they_were_written():
    assert mark_of("4.output", [Digits("1.4600"), Digits("-0.81")]).given == "[1.4600, -0.81]"


@pytest.mark.parametrize(
    "field", [field for field in SET.fields if field.answer], ids=lambda field: field.key
)
def test_what_the_key_was_read_as_is_right_again(field):
    """The reading that a mark shows is itself an answer, and the same one."""
    first = mark_of(field.key, field.answer)
    again = mark_of(field.key, first.read_as)
    assert first.verdict == again.verdict == "correct"
    assert again.read_as == first.read_as
