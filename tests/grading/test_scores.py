"""A person's marks for open answers, put beside the machine's."""

import json
from fractions import Fraction

import pytest

from dense_cli.errors import DenseError, DenseErrors
from dense_cli.grading.intake.scores import scored, scores
from dense_cli.grading.marks.marked import Marked
from tests.cli.calling import call
from tests.grading.marked import MARKER, SET

TABLE = 'student,field,points,comment\ns01,6.test,1.5,"good, but short"\n'


def read(folder, content, name="scores.csv"):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return scores(str(folder / name), SET)


def sheets(**answers):
    return [Marked(name, "a", MARKER.sheet({"6.test": one})) for name, one in answers.items()]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", TABLE),
        ("a.csv", "\ufeff" + TABLE.replace("\n", "\r\n")),
        ("a.csv", "Student ID; Field; Points; Comment\ns01; 6.TEST; 1,5; good, but short\n"),
        ("a.tsv", "student\tfield\tpoints\tcomment\ns01\t6.test\t3/2\tgood, but short\n"),
        ("a.csv", "student,exercise,field,points,comment\ns01,6,test,1.50,\"good, but short\"\n"),
        ("a.json", '[{"student": "s01", "field": "6.test", "points": 1.5, "comment": "good, but short"}]'),
        ("a.json", '[{"student": "s01", "exercise": 6, "field": "test", "points": "1.5", '
                   '"comment": "good, but short"}]'),
    ],
)  # fmt: skip
def test_every_way_to_write_scores_says_the_same(tmp_path, name, content):
    (score,) = read(tmp_path, content, name).given.values()
    assert (score.student, score.field.key, score.points) == ("s01", "6.test", Fraction(3, 2))
    assert score.comment == "good, but short"


def test_points_count_and_the_answer_no_longer_waits(tmp_path):
    before = sheets(s01="swap", s02="swap")
    after, warnings = scored(before, read(tmp_path, TABLE))
    assert warnings == ()
    first, second = after
    assert (first.score, first.to_review, first.marks[-1].verdict) == (Fraction(3, 2), 0, "review")
    assert first.percent == Fraction(3, 2) / 24 * 100
    assert (second.score, second.to_review) == (0, 2)
    assert before[0].score == 0


def test_no_points_given_is_not_no_points_earned(tmp_path):
    """An empty cell waits on; a zero is a mark."""
    found = read(tmp_path, "student,field,points\ns01,6.test,\ns02,6.test,0\n")
    after, _ = scored(sheets(s01="x", s02="x"), found)
    assert [one.to_review for one in after] == [2, 0]


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        ("s01,6.test,2.5", "score-range"),
        ("s01,6.test,-1", "score-range"),
        ("s01,6.test,two", "score-points"),
        ("s01,6.test,√2", "score-points"),
        ("s01,6.test,nan", "score-points"),
        (",6.test,1", "score-student-missing"),
        ("s01,6.test,1\ns01,6.test,1", "score-twice"),
        ('s01,6.test,"1\n', "broken-table"),
    ],
)
def test_a_score_that_cannot_be_taken_stops_all_of_them(tmp_path, rows, key):
    with pytest.raises(DenseError) as caught:
        read(tmp_path, f"student,field,points\n{rows}\n")
    assert caught.value.key == key
    assert "scores.csv" in caught.value.facts["source"]


@pytest.mark.parametrize(
    ("name", "content", "key"),
    [
        ("a.xlsx", "", "scores-kind"),
        ("a.csv", "", "scores-columns"),
        ("a.csv", "student,points\ns01,1", "scores-columns"),
        ("a.csv", "name,field,points\ns01,6.test,1", "scores-columns"),
        ("a.json", "{}", "scores-list"),
        ("a.json", "[[1]]", "scores-list"),
        ("a.json", '[{"student": ["s01"], "field": "6.test", "points": 1}]', "scores-list"),
        ("a.json", '[{"student": "s01"', "broken-json"),
        ("a.json", "[" * 100_000, "nested-too-deep"),
        ("a.csv", b"student,field,points\n\xd5\xc5,6.test,1", "file-encoding"),
    ],
)
def test_files_that_hold_no_scores(tmp_path, name, content, key):
    with pytest.raises(DenseError) as caught:
        read(tmp_path, content, name)
    assert caught.value.key == key


def test_all_faults_are_told_at_once(tmp_path):
    with pytest.raises(DenseErrors) as caught:
        read(tmp_path, "student,field,points\ns01,6.test,9\ns02,6.test,x\n")
    assert [one.key for one in caught.value.errors] == ["score-range", "score-points"]
    assert [one.facts["source"][-2:] for one in caught.value.errors] == [":2", ":3"]


def test_what_no_open_answer_takes_is_told_and_left_aside(tmp_path):
    found = read(
        tmp_path, "student,field,points\ns1,6.test,1\ns02,6.tset,1\ns02,1.dot,1\ns03,6.test,1\nzz,6.test,1\n"
    )
    after, warnings = scored(sheets(s01="x", s02="x", s03=""), found)
    assert sum(one.score for one in after) == 0
    assert [(one.key, one.hint) for one in warnings] == [
        ("unknown-field", "unknown-field"),
        ("score-student", "score-student"),
        ("score-not-open", "score-not-open"),
        ("score-not-open", "score-not-open"),
        ("score-student", "score-student-list"),
    ]
    assert warnings[0].facts["nearest"] == ("6.test",)
    assert "s01" in warnings[1].facts["nearest"]


# --- the command


@pytest.fixture
def folder(tmp_path):
    lines = [json.dumps({"student": f"s0{place}", "6.test": "swap"}) for place in (1, 2)]
    (tmp_path / "class.jsonl").write_text("\n".join(lines))
    return tmp_path


@pytest.mark.parametrize(
    ("language", "word"), [("en", "Comment: good, but short"), ("zh", "评语：good, but short")]
)
def test_scores_reach_the_marks_the_page_and_the_statistics(folder, language, word):
    (folder / "scores.csv").write_text(TABLE + "s02,6.test,0,\n")
    words = ["check", str(folder / "class.jsonl"), "--scores", str(folder / "scores.csv"), "--statistics"]
    found = call(*words, "--json", "--lang", language).json["result"]
    first = found["students"][0]
    assert (first["score"], first["to_review"], first["max_score"]) == (1.5, 0, 24)
    assert (first["answers"][-1]["verdict"], first["answers"][-1]["points"]) == ("review", 1.5)
    assert first["answers"][-1]["message"] == word
    assert found["statistics"]["to_look_at"] == []
    assert found["statistics"]["questions"][-1]["facility"] == 0.375
    assert word in call(*words, "--lang", language, "--format", "plain").out


def test_a_score_for_nobody_is_a_warning_and_a_wrong_one_an_error(folder):
    (folder / "scores.csv").write_text("student,field,points\ns09,6.test,1\n")
    words = ("check", str(folder / "class.jsonl"), "--scores", str(folder / "scores.csv"))
    called = call(*words)
    assert (called.exit, "s09" in called.err) == (0, True)
    (folder / "scores.csv").write_text("student,field,points\ns01,6.test,3\n")
    called = call(*words)
    assert (called.exit, "within 0 and 2" in called.err) == (2, True)
    assert call("check", "--exercise", "1", "--answer", "dot=0", "--scores", "x.csv").exit == 2


def test_the_nearest_names_are_looked_for_as_often_as_they_are_told(tmp_path, monkeypatch):
    looked_for = []
    monkeypatch.setattr(
        "dense_cli.grading.intake.scores.nearest", lambda word, names: looked_for.append(names) or ()
    )
    rows = "".join(f"x{number},6.test,1\n" for number in range(300))
    _, warnings = scored(sheets(s01="swap"), read(tmp_path, f"student,field,points\n{rows}"))
    assert len(warnings) == 300
    assert len([names for names in looked_for if names]) == 20
