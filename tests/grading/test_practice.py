"""Practising: a line in, lines out."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.practice.dialogue import Coach
from dense_cli.grading.practice.state import Done, Kept, as_data, from_data
from dense_cli.lang import LANGUAGES
from tests.grading.marked import SET

COACHES = {language: Coach(SET, Teller(SET, language)) for language in LANGUAGES}


def coach_of(alone=None, language="en"):
    return Coach(SET, Teller(SET, language), alone)


def after(coach, *lines, kept=None, seed=""):
    """The state and the last lines out after these lines in."""
    state, out = coach.begin(kept or Kept(), seed)
    for line in lines:
        state, out = coach.reply(state, line)
    return state, out


TABLE = [
    # exercise, lines in, what the last lines out say
    ("1", ["[-1，0]"], ["Read as: [-1, 0]", "Correct.", "1.key: the rotated key"]),
    ("1", ["[0, -1]"], ["Read as: [0, -1]", "Not right yet.", "Try again, or type hint, key or skip."]),
    ("1", ["-1, 0, 0"], ["Not right yet: 2 numbers are asked for, and you gave 3."]),
    ("1", ["[-1,0"], ["Not understood: "]),
    ("1", [""], ["1.query: the rotated query"]),
    ("1", ["hint"], ["Hint 1 of 3: 2 numbers are asked for"]),
    ("1", ["?", "？"], ["Hint 2 of 3: The way there: Angle: position times θ; Rotate the query by α;"]),
    ("1", ["h", "h", "h"], ["Hint 3 of 3: Answer first"]),
    ("1", ["h", "h", "h", "h"], ["There are no more hints."]),
    ("1", ["[-1, 5]", "h"], ["Hint 1 of 3: Look at number 2; the other entries are right."]),
    ("1", ["h", "[-1, 5]", "h"], ["Hint 1 of 3: Look at number 2; the other entries are right."]),
    ("1", ["[5, 5]", "h"], ["Hint 1 of 3: No entry is right."]),
    ("1", ["[1, 0]", "h", "h"], ["Hint 2 of 3: Work through the step: "]),
    ("1", ["[0, -1]", "h", "h", "h"], ["Hint 3 of 3: ", "positions counted from 1"]),
    ("1", ["[0.2, 0.7]", "h", "h", "h"], ["No known mistake", "dense exercise solve 1"]),
    ("1", ["key"], ["The answer: [-1, 0]", "1.key: the rotated key"]),
    ("1", ["skip"], ["Left open.", "1.key: the rotated key"]),
    ("1", ["task"], ["A head has two coordinates", "1.query: the rotated query"]),
    ("1", ["s", "[1, 0]", "s", "0.5", "h"], ["Hint 1 of 3: Your number is too large."]),
    ("1", ["s", "s", "s", "yes", "h"], ["Hint 1 of 3: There are two ways to answer"]),
    ("1", ["[1, 0]", "[-1, 0]", "[0, 1]", "0"], ["Not right yet"]),
    ("2", ["[0, 1.414]"], ["The right value, rounded too early: 6 decimals"]),
    ("2", ["[0, √2]", "-√2", "h"], ["Hint 1 of 3: Only the sign is wrong."]),
    ("2", ["s", "s", "zero", "h"], ["Hint 1 of 3: It is another one of: undefined, infinite, one."]),
    ("2", ["s", "2", "h", "h"], ["Hint 2 of 3: Work through the step: "]),
    ("5", ["32", "2304"], ["Not right yet"]),
    ("5", ["s", "4608", "6912", "h"], ["Hint 1 of 3: Your number is too large."]),
    ("6", ["buffer", "I would swap the clues."], ["Kept for a person to read", "To remember: "]),
    ("6", ["buffer", "key"], ["An open question has no key", "To remember: "]),
    ("6", ["memory", "h", "h"], ["Hint 2 of 3: Read the task once more: A configuration doubles"]),
    ("6", ["again"], ["Exercise 6 has no other numbers"]),
    ("1", ["again 9"], ["There is no exercise 9. There are: 1."]),
    ("1", ["again \x1b[2J"], ["There is no exercise \\x1b[2j"]),
    ("1", ["again"], ["Exercise 1: Rotate to positions 1 and 2 (variant 1)"]),
    ("1", ["again", "again 1"], ["(variant 2)"]),
]  # fmt: skip


@pytest.mark.parametrize(("exercise", "lines", "told"), TABLE)
def test_a_dialogue(exercise, lines, told):
    _, out = after(coach_of(exercise), *lines)
    text = "\n".join(out)
    places = [text.find(part) for part in told]
    assert -1 not in places, text
    assert places == sorted(places)


CHINESE = [
    (["[-1，0]"], ["读作：[-1, 0]", "正确。"]),
    (["提示"], ["提示 1／3：要求 2 个数"]),
    (["答案。"], ["答案：[-1, 0]"]),
    (["跳过", "跳过", "0", "不能。"], ["读作：否", "正确。", "要点："]),
    (["再来6", "提示"], ["从中选一个：缓冲区（buffer）、记忆（memory）、", "都不能（nothing）。"]),
    (["再来6", "无"], ["从中选择：缓冲区（buffer）、记忆（memory）、质量（quality）、都不能（nothing）。"]),
    (["再来6", "质 量子"], ["没有看懂"]),
    (["再来6", "memory", "提示"], ["应是其中另一个：缓冲区（buffer）、质量（quality）、都不能（nothing）。"]),
    (["再来6", "质量"], ["读作：质量", "还不对。"]),
    (["再来6", "答案"], ["答案：缓冲区"]),
    (["再来2"], ["习题 2：[", "（变式 1）"]),
    (["hint"], ["提示 1／3"]),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "told"), CHINESE)
def test_a_dialogue_in_chinese(lines, told):
    _, out = after(COACHES["zh"], *lines)
    assert all(part in "\n".join(out) for part in told), out


def test_the_key_is_never_shown_unasked():
    """Wrong answers and every hint to them, and the value of the key in none of the lines."""
    for lines in (["[1, 0]", "h", "h", "h"], ["h", "h", "h"], ["nonsense"]):
        coach = coach_of("1")
        state, _ = coach.begin(Kept())
        for line in lines:
            state, out = coach.reply(state, line)
            assert "[-1, 0]" not in "\n".join(out)


@pytest.mark.parametrize(("lines", "done"), [
    (["[-1, 0]"], Done("alone", 0)),
    (["[1, 0]", "[-1, 0]"], Done("alone", 0)),
    (["h", "[1, 0]", "h", "[-1, 0]"], Done("hinted", 2)),
    (["h", "key"], Done("shown", 1)),
    (["skip"], Done("skipped", 0)),
])  # fmt: skip
def test_how_a_question_was_done_is_kept(lines, done):
    state, _ = after(coach_of("1"), *lines)
    assert state.kept.done == {"1.query": done}


def test_new_numbers_are_others():
    _, out = after(coach_of("1"), "again", kept=Kept({}, {"1": "1"}, 0))
    assert "(variant 2)" in out[0]


def test_what_was_jumped_over_comes_at_the_end():
    state, _ = after(COACHES["en"], "again 6", "buffer", "I would swap the clues.")
    assert state.place == "1.query"


def test_when_everything_is_done_it_is_over_until_it_is_asked_for_again():
    coach = coach_of("1")
    state, out = after(coach, "key", "[0, -1]", "0", "no")
    assert state.place is None
    assert "Everything is done" in out[-1]
    state, out = coach.reply(state, "[1, 2]")
    assert "Everything is done" in out[-1]
    state, out = coach.reply(state, "again")
    assert state.place == "1.query"
    assert state.kept.done == {}


def test_a_sitting_goes_on_where_the_last_one_ended():
    kept = Kept({"1.query": Done("alone"), "9.gone": Done("alone")}, {"1": "3"}, 3)
    state, out = after(COACHES["en"], kept=kept)
    assert state.place == "1.key"
    assert "Welcome back: 1 of 18" in out[1]
    assert "(variant 3)" in out[2]
    state, out = COACHES["en"].reply(state, "again")
    assert "(variant 4)" in out[0]


def test_a_seed_of_the_call_is_for_exercises_that_are_not_begun():
    kept = Kept({"1.query": Done("alone")}, {}, 0)
    state, _ = after(COACHES["en"], kept=kept, seed="77")
    assert state.kept.seeds == dict.fromkeys("23456", "77")


def test_ending():
    state, out = after(COACHES["en"], "q")
    assert state.ended
    assert out == ()
    assert COACHES["en"].reply(state, "[1, 0]") == (state, ())


@given(
    st.lists(st.one_of(st.text(max_size=30), st.sampled_from(["h", "key", "again", "[1, 0]"])), max_size=5)
)
@settings(max_examples=50, deadline=None)
def test_no_line_breaks_the_dialogue(lines):
    coach = COACHES["en"]
    state, _ = coach.begin(Kept())
    for line in lines:
        state, out = coach.reply(state, line)
        assert state.ended or out
    assert from_data(json.loads(json.dumps(as_data(state.kept, "s"))), "s") == state.kept


GOOD = {"format": 1, "set": "s", "drawn": 0, "seeds": {}, "done": {}}


@pytest.mark.parametrize("data", [
    None, [], "x", 1, {},
    GOOD | {"format": 2},
    GOOD | {"set": "other"},
    GOOD | {"drawn": True},
    GOOD | {"drawn": 10**100},
    GOOD | {"seeds": {"1": 7}},
    GOOD | {"seeds": {"1": "\x1b[2J"}},
    GOOD | {"seeds": {"1": "x" * 1000}},
    GOOD | {"seeds": []},
    GOOD | {"done": {"1.dot": "alone"}},
    GOOD | {"done": {"1.dot": {"how": "cheated", "hints": 0}}},
    GOOD | {"done": {"1.dot": {"how": ["alone"], "hints": 0}}},
    GOOD | {"done": {"1.dot": {"how": "alone", "hints": -1}}},
])  # fmt: skip
def test_hostile_progress_is_none(data):
    assert from_data(GOOD, "s") == Kept()
    assert from_data(data, "s") is None


def test_what_was_skipped_is_not_done():
    coach = coach_of("1")
    state, out = after(coach, "s", "[0, -1]", "s", "no")
    assert "Nothing is left but what you skipped: 1.query, 1.dot. Type again 1" in out[-1]
    assert coach.end(state) == "Done for now: 2 of 4 questions. What is done is kept."
