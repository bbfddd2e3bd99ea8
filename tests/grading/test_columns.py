"""Marking column by column: the same as marking sheet by sheet, whatever the answers are."""

import csv
import json
import pickle
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.grading.classes import blocks as block_module
from dense_cli.grading.classes import columns, usual
from dense_cli.grading.classes.unexplained import read_as, sight
from dense_cli.grading.exercises.exercise import NUMERIC
from dense_cli.grading.export import STREAMED
from dense_cli.grading.marks import marking
from dense_cli.grading.marks.marking import Rules, mark_alone, numbers_of
from dense_cli.grading.reports.tally import tally
from dense_cli.grading.variants.variant import Markers
from tests.grading.marked import QUESTIONS, SET
from tests.grading.test_streaming import job_for, streamed, whole

pytestmark = pytest.mark.usefixtures("questions_once")


@pytest.mark.parametrize("to", STREAMED)
def test_columns_at_hand_are_bounded(tmp_path, monkeypatch, to):
    monkeypatch.setattr(columns, "MOST_ANSWERS", 3)
    monkeypatch.setattr(columns, "MOST_TOTALS", 2)
    monkeypatch.setattr(usual, "MOST_SHAPES", 2)
    monkeypatch.setattr(block_module, "MOST_SHAPES", 2)
    path = tmp_path / "a.jsonl"
    names = ("1.dot", "5.hidden", "2.output", "3.output")
    path.write_text(
        "".join(f'{{"student": "s{n}", "{names[n // 9]}": "{(n % 9 + 1) / 8}"}}\n' for n in range(36))
    )
    block_module._desk.cache_clear()
    job = job_for(path, to)
    assert streamed(path, to)[0] == whole(path, to)[0]
    desk = block_module._desk(job.packed())
    assert 0 < len(desk.shapes._known) <= 2
    assert 0 < len(desk._rows) <= 2
    for rows in desk._rows.values():
        assert 0 < len(rows._rests) <= 2
        assert all(0 < len(column._known) <= 3 for column in rows._columns)


ANSWERS = {
    "1.query": ("[-1, 0]", "-1,0", "[0.540302, 0.841471]", "", "√2; 1"),
    "1.key": ("[-1, 0]", "[1, 0]", "0", " "),
    "1.dot": ("0", "1", "-1", "0.540302", "0.5403", "nothing"),
    "1.visible": ("yes", "不能", "no", "maybe"),
    "2.output": ("[0, 1.414214]", "0, 1.41", "[0, 1]", "[1.414214, 0]", "[0, 1.4142100]"),
    "4.output": ("1,462117", "1,05", "[1.761594, -2.857722]", "[1.462117, -0.806824]", "[1.4621, 5]"),
    "5.hidden": ("64", "96", "48", "64.0", "4,608"),
    "5.parameters": ("4608", "9216", "6912", "2304"),
    "6.conclusion": ("buffer", "quality", "memory", "so what"),
}
WRITTEN = st.one_of(
    st.integers(-99, 9999).map(str),
    st.builds(lambda value, digits: f"{value:.{digits}f}", st.floats(-3, 3), st.integers(0, 7)),
    # near what is right or made by a mistake, to both sides of what still counts
    st.builds(
        lambda value, off, digits: f"{value + off:.{digits}f}",
        st.sampled_from([0, 1, -1, 0.540302, -0.416147, 1.414214, 1.761594, 64, 96, 4608]),
        st.sampled_from([0, 4e-5, -4.9e-5, 5e-5, 5.1e-5, 6e-5, 4.9e-3, -5.1e-3, 1e-7]),
        st.integers(4, 6),
    ),
    st.sampled_from(["0", "-0", "0.00001", "00.5", "1e3", ".5", "1_0", "999999999.5", "1234567890"]),
)
SEVERAL = st.builds(
    lambda numbers, shape: shape.format(", ".join(numbers), ",".join(numbers)),
    st.lists(WRITTEN, min_size=1, max_size=3),
    st.sampled_from(["[{0}]", "{0}", "{1}", "({0})", "[{1}", "[{0} ]"]),
)
PAIRS = st.builds(lambda one, other: f"[{one}, {other}]", WRITTEN, WRITTEN)


@st.composite
def classes(draw):
    """Sheets of a few shapes whose answers repeat, differ, or come near something."""
    shapes = draw(
        st.lists(st.lists(st.sampled_from(tuple(ANSWERS)), min_size=1, unique=True), min_size=1, max_size=2)
    )
    sheets = []
    for number in range(draw(st.integers(1, 16))):
        sheet = {"student": f"s{number}"}
        for key in shapes[number % len(shapes)]:
            own = PAIRS if key.endswith(("query", "output", "key")) else WRITTEN
            sheet[key] = draw(st.one_of(st.sampled_from(ANSWERS[key]), own, own, SEVERAL))
        sheets.append(sheet)
    return sheets


MARKERS = Markers(SET)
DESKS = {}


def _at_kept_desks(job, blocks):
    """One desk for all examples of a format: what it has kept of others must not matter."""
    for block in blocks:
        if job not in DESKS:
            DESKS[job] = block_module._Desk(pickle.loads(job))
        yield DESKS[job].marked(block)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("class")


@settings(max_examples=60, deadline=None)
@given(sheets=classes(), to=st.sampled_from(STREAMED), numbers=st.booleans())
def test_any_class_is_marked_the_same_by_columns_and_sheet_by_sheet(folder, sheets, to, numbers):
    lines, table = folder / "a.jsonl", folder / "a.csv"
    lines.write_text("".join(f"{_line(sheet, numbers)}\n" for sheet in sheets))
    with open(table, "w", newline="") as file:
        writer = csv.DictWriter(file, ["student", *ANSWERS], restval="")
        writer.writeheader()
        writer.writerows(sheets)
    for path in (lines, table):
        once, students = whole(path, to, markers=MARKERS)
        assert streamed(path, to, marking=_at_kept_desks)[0] == once
        _, counted = streamed(path, to, marking=_at_kept_desks, counted=True)
        assert _told(counted.tally) == _told(tally(students, SET))
        assert counted.standings == tuple(one.standing for one in students)


def _told(counted):
    """What can be compared: an error is itself only."""
    return replace(counted, waiting=()), [
        (one.student, one.source, one.mark.given) for one in counted.waiting
    ]


def _line(sheet, numbers):
    """A line of JSON; where `numbers` are wanted, what reads as a number or a list of them is one."""
    found = {}
    for key, text in sheet.items():
        try:
            found[key] = json.loads(text) if numbers and key != "student" else text
        except json.JSONDecodeError:
            found[key] = text
    return json.dumps(found, separators=(",", ":") if numbers else (", ", ": "))


@settings(max_examples=300, deadline=None)
@given(text=st.one_of(WRITTEN, SEVERAL), place=st.integers(0, len(QUESTIONS.questions) - 1))
def test_what_is_plainly_wrong_is_judged_to_be_wrong_and_unexplained(text, place):
    question = QUESTIONS.questions[place]
    sees = sight(question, Rules()) if question.field.kind in NUMERIC else None
    numbers = sees([text])[0] if sees is not None else None
    if numbers is not None:
        mark, _ = mark_alone(question, text, Rules())
        assert (mark.verdict, mark.mistakes, mark.message, mark.assumed) == ("wrong", (), None, ())
        assert read_as([numbers], question.field.kind == "vector") == [mark.read_as]
        assert tuple(map(Fraction, numbers)) == numbers_of(mark.value)


LINES = st.builds("{}\n{}".format, WRITTEN, SEVERAL)


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(st.one_of(WRITTEN, SEVERAL, st.text(max_size=9), LINES), max_size=9))
def test_many_are_seen_as_each_alone(texts):
    for question in NUMBERS:
        sees = sight(question, Rules())
        assert sees(texts) == [sees([text])[0] for text in texts]


NUMBERS = [one for one in QUESTIONS.questions if one.field.kind in NUMERIC]


def _text(question, values, digits):
    numbers = [f"{float(value):.{digits}f}" for value in values]
    return f"[{', '.join(numbers)}]" if question.field.kind == "vector" else numbers[0]


def test_most_wrong_answers_are_seen_to_be_wrong():
    random = Random(25)
    for question in NUMBERS:
        sees = sight(question, Rules())
        texts = [
            _text(question, [random.uniform(-5, 5) for _ in range(question.width)], 6) for _ in range(200)
        ]
        assert sum(numbers is not None for numbers in sees(texts)) > 150, question.field.key


def test_a_class_of_wrong_answers_takes_few_judgements(tmp_path, monkeypatch):
    """Those that may follow from the student's own among them."""
    random, judged = Random(25), []
    sheets = [
        {"student": f"s{number}"}
        | {one.field.key: _text(one, [random.uniform(-5, 5) for _ in range(one.width)], 6) for one in NUMBERS}
        for number in range(200)
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f"{json.dumps(sheet)}\n" for sheet in sheets))
    once = whole(path, "jsonl")[0]
    mark = marking.mark_alone
    monkeypatch.setattr(
        marking, "mark_alone", lambda *asked: judged.append(asked[0].field.key) or mark(*asked)
    )
    block_module._desk.cache_clear()
    assert streamed(path, "jsonl")[0] == once
    counts = {one.field.key: judged.count(one.field.key) for one in NUMBERS if one.field.kind != "whole"}
    assert max(counts.values()) < 50, counts


@pytest.mark.parametrize("question", NUMBERS, ids=lambda one: one.field.key)
def test_nothing_that_may_earn_points_or_a_reason_is_plainly_wrong(question):
    """The right value at any precision that counts, each entry right alone, and what each mistake makes."""
    sees = sight(question, Rules())
    rights = question.entries
    near = [_text(question, rights, digits) for digits in range(2, 7)]
    near += [
        _text(question, [right if n == place else 77 for n, right in enumerate(rights)], 6)
        for place in range(len(rights))
    ]
    for path in question.paths.singles if question.paths is not None else ():
        value = question.pick(path.result)
        entries = value if isinstance(value, tuple) else (value,)
        if None not in entries:
            text = _text(question, entries, 0 if question.field.kind == "whole" else 6)
            mark, _ = mark_alone(question, text, Rules())
            near += [text] if mark.mistakes else []
    assert sees(near) == [None] * len(near)


@pytest.mark.parametrize("to", STREAMED)
def test_what_follows_from_own_answers_is_seen_beside_what_does_not(tmp_path, to):
    sheets = [
        {"student": "s0", "1.query": "[2, 3]", "1.key": "[5, 7]", "1.dot": "0.777"},
        {"student": "s00", "1.query": "[2, 3]", "1.key": "[5, 7]", "1.dot": "0.777"},
        {"student": "s1", "1.query": "[2, 3]", "1.key": "[5, 7]", "1.dot": "31"},
        {"student": "s2", "1.query": "[1, 1]", "1.key": "[1, 2]", "1.dot": "31"},
        {"student": "s3", "1.query": "[2, 3]", "1.key": "[5, 7]", "1.dot": "31.5"},
        {"student": "s4", "1.query": "[3, 3]", "1.key": "[5, 7]", "1.dot": "36"},
        {"student": "s5", "1.query": "[√4, 3]", "1.key": "[5, 7]", "1.dot": "31"},
        {"student": "s6", "1.query": "[√4, 3]", "1.key": "[5, 7]", "1.dot": "31.5"},
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(sheet) + "\n" for sheet in sheets))
    found = streamed(path, to)[0]
    assert found == whole(path, to)[0]
    if to == "csv":
        verdicts = [
            row["verdict"] for row in csv.DictReader(found.decode().splitlines()) if row["field"] == "dot"
        ]
        assert verdicts == ["wrong", "wrong", "follows", "wrong", "wrong", "follows", "follows", "wrong"]


def test_a_relative_tolerance_takes_the_whole_judgement():
    assert sight(QUESTIONS.questions[0], Rules(rtol=Fraction(1, 10))) is None
