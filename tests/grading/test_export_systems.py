"""Marks for Gradescope, Canvas, Moodle, JUnit and GitHub Classroom, by the names that they publish."""

import base64
from xml.etree import ElementTree

import pytest

from dense_cli.errors import DenseError
from dense_cli.grading.marks.marked import Marked
from tests.grading.exported import CANVAS, HALF, cautions, marked, rows, strict, unread, written
from tests.grading.test_report import RIGHT

# --- Gradescope


def test_gradescope_has_the_published_names_and_numbers_as_numbers():
    document = strict(written("gradescope", marked("s01", HALF)))
    assert set(document) <= {
        "score", "execution_time", "output", "output_format", "test_output_format", "test_name_format",
        "visibility", "stdout_visibility", "extra_data", "tests", "leaderboard",
    }  # fmt: skip
    published = {
        "score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags",
        "visibility", "extra_data",
    }  # fmt: skip
    assert all(set(test) <= published for test in document["tests"])
    assert (document["score"], sum(test.get("score", 0) for test in document["tests"])) == (2.5, 2.5)
    tests = {test["name"]: test for test in document["tests"]}
    assert (tests["4.output"]["score"], tests["4.output"]["max_score"]) == (1.5, 3)
    assert (tests["4.output"]["status"], tests["5.hidden"]["status"]) == ("failed", "passed")
    assert (tests["4.cross_token"]["number"], tests["1.query"]["number"]) == ("4.2", "1.1")
    assert not {"score", "status"} & set(tests["6.test"])


def test_gradescope_never_shows_the_right_answer():
    text = written("gradescope", marked("s01", {"4.output": "[9, 9]", "5.hidden": "1"}))
    assert "-0.8068" not in text
    assert "4608" not in text


def test_gradescope_tells_the_student_why_a_sheet_was_not_read():
    document = strict(written("gradescope", unread()))
    assert (document["score"], document["tests"]) == (0, [])
    assert "no valid TOML" in document["output"]


@pytest.mark.parametrize("to", ["gradescope", "github-classroom"])
def test_one_student_a_file(to):
    with pytest.raises(DenseError, match="export-one-student"):
        written(to, marked("s01", HALF), marked("s02", HALF))


# --- Canvas


def test_canvas_keeps_the_list_and_fills_one_column():
    header, points, *body = rows(written("canvas", marked("s02", RIGHT), marked("101", HALF), members=CANVAS))
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Homework 25 (77)"]
    assert points == ["    Points Possible", "", "", "", "", "24.00"]
    assert body == [
        ["Zhang, San", "101", "s01", "zs@x.example", "A", "2.5"],
        ["Li, Si", "102", "s02", "ls@x.example", "A", "22"],
    ]


def test_canvas_leaves_out_whoever_has_no_mark():
    """An empty cell over an old mark would count as a change."""
    students = unread("s02"), marked("s03", {}, submitted=False), marked("zs@X.example", HALF)
    assert [row[1] for row in rows(written("canvas", *students, members=CANVAS))[2:]] == ["101"]
    assert cautions("canvas", *students, members=CANVAS) == ["export.left-out", "export.unfinished"]


def test_canvas_needs_its_own_list():
    for members, key in ((None, "export-needs-roster"), ("student\ns01\n", "canvas-roster")):
        with pytest.raises(DenseError, match=key):
            written("canvas", marked("s01", HALF), members=members)


def test_canvas_asks_which_assignment_where_there_are_several():
    several = CANVAS.replace("Final Score", "Quiz (78)")
    with pytest.raises(DenseError, match="canvas-assignments"):
        written("canvas", marked("s01", HALF), members=several)
    header, _, row = rows(written("canvas", marked("s01", HALF), members=several, column="quiz (78)"))
    assert (header[-1], row[-1]) == ("Quiz (78)", "2.5")
    named = several.replace("Quiz", "chapter-25")
    assert rows(written("canvas", marked("s01", HALF), members=named))[0][-1] == "chapter-25 (78)"
    with pytest.raises(DenseError, match="canvas-assignments"):
        written("canvas", marked("s01", HALF), members=named.replace("Homework", "chapter-25"))
    with pytest.raises(DenseError, match="canvas-column"):
        written("canvas", marked("s01", HALF), members=several, column="Quiz 9")


def test_canvas_tells_an_assignment_that_is_worth_something_else():
    other = CANVAS.replace("24.00", "100")
    assert "canvas-worth" in cautions("canvas", marked("s01", RIGHT), members=other)
    assert "canvas-worth" not in cautions("canvas", marked("s01", RIGHT), members=CANVAS)


# --- Moodle


def test_moodle_finds_people_by_number_or_address():
    header, *body = rows(written("moodle", marked("007", RIGHT), marked("a@x.example", HALF), unread()))
    assert header == ["ID number", "Email address", "chapter-25", "chapter-25 feedback"]
    assert [row[:3] for row in body] == [["007", "", "22"], ["", "a@x.example", "2.5"]]
    assert body[1][3].splitlines() == [
        "4.output: partial: [1.462117, 5] — Right entries: 1 of 2. Not right: number 2.",
        "6.test: review: swap",
    ]


def test_moodle_names_only_people_of_the_list():
    """One unknown user would cancel the whole import."""
    members = "First name,ID number,Email address\nAnn,007,a@x.example\nBob,008,\n"
    students = marked("a@x.example", HALF), marked("nobody", HALF), marked("008", RIGHT)
    _, *body = rows(written("moodle", *students, members=members))
    assert [row[:3] for row in body] == [["007", "a@x.example", "2.5"], ["008", "", "22"]]
    assert "export.not-in-list" in cautions("moodle", *students, members=members)


# --- JUnit


def test_junit_says_wrong_invalid_and_blank_in_its_own_words():
    students = (
        marked("s01", {"1.query": "[0, 1]", "1.dot": "6 4", "5.hidden": "64", "6.test": "swap"}),
        unread(),
    )
    root = ElementTree.fromstring(written("junit", *students))
    suite, broken = root
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == (
        "testsuites",
        "19",
        "1",
        "2",
    )
    assert [suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped")] == [
        "s01", "18", "1", "1", "15",
    ]  # fmt: skip
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    assert cases["1.query"].find("failure").get("type") == "position-minus-one offset-both"
    assert cases["1.dot"].find("error").get("type") == "invalid"
    assert cases["1.key"].find("skipped").get("message") == "blank"
    assert cases["6.test"].find("skipped").text == "swap"
    assert not len(cases["5.hidden"])
    assert {one.get("name"): one.get("value") for one in suite.iter("property")}["score"] == "1"
    assert broken.find("testcase/error").get("type") == "broken-toml"


def test_characters_that_xml_cannot_hold_are_shown():
    text = written("junit", marked("a\x00b\ufffe", {"5.hidden": "\x1b[31m64\x12", "6.test": "\ud800"}))
    suite = ElementTree.fromstring(text.encode())[0]
    assert suite.get("name") == "a\\x00b\\ufffe"
    assert suite.find("testcase[@name='5.hidden']/error").text == "\\x1b[31m64\\x12"


# --- GitHub Classroom


def result(*students):
    return strict(base64.b64decode(written("github-classroom", *students), validate=False))


def test_github_classroom_has_the_published_names_and_whole_points():
    document = result(marked("s01", RIGHT))
    assert (list(document), document["version"]) == (["version", "status", "max_score", "tests"], 1)
    assert (document["max_score"], sum(test["score"] for test in document["tests"])) == (24, 22)
    assert all(
        list(test)
        == ["name", "status", "message", "test_code", "filename", "line_no", "execution_time", "score"]
        and isinstance(test["score"], int)
        for test in document["tests"]
    )


def test_github_classroom_refuses_parts_of_points_and_says_how_to_scale():
    with pytest.raises(DenseError) as refused:
        result(marked("s01", HALF))
    facts = refused.value.facts
    assert (refused.value.key, facts["factor"]) == ("export-whole-points", 2)
    assert (facts["scaled"], facts["scaled_maximum"]) == (5, 48)


def test_github_classroom_keeps_a_message_on_one_line():
    (test,) = [
        one
        for one in result(marked("s01", {"5.hidden": "sixty\nfour"}))["tests"]
        if one["name"] == "5.hidden"
    ]
    assert "\n" not in test["message"]
    assert "sixty\\nfour" in test["message"]
    assert test["status"] == "error"


def test_github_classroom_tells_a_sheet_that_was_not_read():
    document = result(unread())
    assert (document["status"], document["max_score"], len(document["tests"])) == ("error", 24, 1)
    assert "no valid TOML" in document["tests"][0]["message"]


def test_github_classroom_reports_nothing_without_points_and_so_refuses():
    with pytest.raises(DenseError, match="export-no-points"):
        result(Marked("s01", "a.csv"))
