"""Several sheets of one student, the class list, and the options about both."""

import json

import pytest

from dense_cli.errors import DenseError
from dense_cli.grading.intake.duplicates import best_of, without_duplicates
from dense_cli.grading.intake.roster import roster
from dense_cli.grading.marks.marked import Marked
from tests.cli.calling import call
from tests.grading.exported import CANVAS
from tests.grading.marked import MARKER
from tests.grading.taken_in import read, table

pytestmark = pytest.mark.usefixtures("questions_once")

SHEET = "[5]\nhidden = 64\n"


def several(tmp_path):
    return table(tmp_path, "student,5.hidden\ns01,96\ns02,64\ns01,64\ns01,\n")


@pytest.mark.parametrize(("rule", "answer"), [("first", "96"), ("last", "")])
def test_the_first_or_the_last_counts_where_the_call_says_so(tmp_path, rule, answer):
    kept = without_duplicates(several(tmp_path), rule)
    assert [
        (one.student, one.answers["5.hidden"], one.error) for one in kept.sheets if one.student == "s01"
    ] == [("s01", answer, None)]
    (warning,) = kept.warnings
    assert (warning.key, len(warning.facts["places"]), len(kept.sheets)) == ("duplicates-set-aside", 2, 2)


def test_the_best_counts_where_the_call_says_so(tmp_path):
    kept = without_duplicates(several(tmp_path), "best")
    marked = [Marked(one.student, one.source, MARKER.sheet(one.answers)) for one in kept.sheets]
    best, warnings = best_of(marked, [one.where for one in kept.sheets])
    assert [(one.student, one.score) for one in best] == [("s02", 1), ("s01", 1)]
    assert [warning.facts["source"].endswith(":4") for warning in warnings] == [True]


@pytest.mark.parametrize(("rule", "score"), [("first", 0), ("last", 0), ("best", 1)])
def test_screen_and_export_agree_on_the_sheet_that_counts(tmp_path, rule, score):
    several(tmp_path)
    path = str(tmp_path / "a.csv")
    screen = call("check", path, "--duplicates", rule, "--json").json["result"]["students"]
    lines = call("check", path, "--duplicates", rule, "--to", "jsonl").out.splitlines()
    assert {one["student"]: one["score"] for one in screen} == {"s01": score, "s02": 1}
    assert [json.loads(line)["score"] for line in lines] == [one["score"] for one in screen]


@pytest.mark.parametrize("rule", ["first", "last", "best"])
def test_ids_that_a_spreadsheet_rounded_are_never_merged(tmp_path, rule):
    sheets = table(tmp_path, "student,5.hidden\n007,1\n7,2\n2.02401E+11,3\n2.02401E+11,4\n")
    kept = without_duplicates(sheets, rule).sheets
    assert [one.error and one.error.key for one in kept] == [None, None, "rounded-student", "rounded-student"]


def test_an_empty_sheet_beside_a_full_one_says_nothing(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.toml").write_text(SHEET)
    (tmp_path / "a" / "two.toml").write_text("")
    kept = without_duplicates(read(tmp_path)).sheets
    assert [(one.student, one.error, one.submitted) for one in kept] == [("a", None, True)]


# --- the class list

LIST = (
    "student,Email address,name\n2024001,a@x.example,Ann\n2024002,b@x.example,Bob\n2024003,c@x.example,Ann\n"
)


def test_a_class_list_knows_people_by_every_column_and_shared_names_by_none():
    members = roster(LIST, "list.csv")
    assert members.member("B@X.example") == members.member("2024002") == members.member("Bob") is not None
    assert members.member("Ann") is None
    assert roster("s01\ns02\n", "list.csv").member("s02").ids == ("s02",)


def test_a_class_list_knows_people_by_first_and_last_name_in_either_order():
    members = roster("Last name,First name,ID number\n王,小明,7\nDoe,Ann,8\nDoe,Ann,9\n", "list.csv")
    assert members.member("王 小明") == members.member("小明 王") == members.member("7") is not None
    assert members.member("Ann Doe") is None  # two people
    assert roster("Surname,First name\nDoe,Ann\n", "list.csv").member("Ann Doe") is not None


@pytest.mark.parametrize(
    ("text", "key"),
    [("", "roster-empty"), ("student\n", "roster-empty"), ("a,b\n1,2\n", "roster-without-student")],
)
def test_a_class_list_that_is_none_is_refused(text, key):
    with pytest.raises(DenseError) as refused:
        roster(text, "list.csv")
    assert refused.value.key == key


def test_strangers_and_missing_people_are_told_and_nobody_is_lost(tmp_path):
    (tmp_path / "list.csv").write_text(LIST)
    (tmp_path / "a.csv").write_text("student,5.hidden\n20240011,64\nb@x.example,64\n")
    called = call("check", str(tmp_path / "a.csv"), "--roster", str(tmp_path / "list.csv"), "--json")
    assert called.exit == 0
    scores = {one["student"]: one["score"] for one in called.json["result"]["students"]}
    assert scores == {"20240011": 1, "b@x.example": 1, "a@x.example": 0, "c@x.example": 0}
    assert "20240011 is not in the class list\n" in called.err
    assert "\nhint: nearest in the list: 2024001" in called.err
    assert "no submission of a@x.example" in called.err


def test_missing_people_are_named_as_the_sheets_name_the_others():
    members = roster(LIST, "list.csv")
    assert members.missing(["2024002"]) == ("2024001", "2024003")
    assert members.missing(["a@x.example", "2024002", "2024001"]) == ("2024003",)
    assert members.missing(["a@x.example"]) == ("b@x.example", "c@x.example")


def test_the_student_whom_canvas_adds_is_not_missing():
    assert roster(CANVAS, "list.csv").missing(["s01"]) == ("s02", "s03")


def test_two_names_of_one_person_are_one_student(tmp_path):
    sheets = table(tmp_path, "student,5.hidden\n2024002,64\nb@x.example,96\n")
    kept = without_duplicates(sheets, "error", roster(LIST, "list.csv").identity).sheets
    assert [one.error.key for one in kept] == ["student-twice"] * 2


# --- the call


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--duplicates", "frist"], "first"), (["--from", "moodel"], "moodle"),
        (["--map", "x"], "COLUMN=FIELD"),
        (["--map", "x=1.quer"], "1.query"), (["--map", "x=1.dot", "--map", "x=1.key"], "x"),
        (["--roster", "nobody.csv"], "nobody.csv"), (["--student-from", "(a+)+"], "(a+)+"),
        (["--to", "junti"], "junit"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("language", ["en", "zh"])
def test_options_that_are_none_are_refused(tmp_path, options, told, language):
    (tmp_path / "a.toml").write_text(SHEET)
    called = call("check", str(tmp_path / "a.toml"), *options, DENSE_LANG=language)
    assert (called.exit, called.out) == (2, "")
    assert told in called.err or language == "zh"


@pytest.mark.parametrize(("name", "word"), [("a.yaml", "toml"), ("a.xlsx", "csv")])
def test_kinds_that_are_not_read_say_what_to_use(tmp_path, name, word):
    (tmp_path / name).write_text("x")
    called = call("check", str(tmp_path / name))
    assert called.exit == 2
    assert word in called.err.casefold()


@pytest.mark.parametrize("rule", ["error", "last"])
def test_a_column_that_makes_everybody_one_student_is_told_in_few_words(tmp_path, rule):
    text = "student,5.hidden\n" + "A,64\n" * 3000
    kept = without_duplicates(table(tmp_path, text), rule)
    (told,) = {
        one.error.facts["places"] if one.error else kept.warnings[0].facts["places"] for one in kept.sheets
    }
    assert (len(told), told[-1]) == (11, "…")
    assert len({id(one.error.facts["places"]) for one in kept.sheets if one.error}) <= 3000
