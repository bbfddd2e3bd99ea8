"""Answers from folders of other systems, and whose they are."""

import json

import pytest

from dense_cli.errors import DenseError
from dense_cli.grading.intake.student_pattern import StudentPattern
from tests.cli.calling import call
from tests.grading.taken_in import read, told

SHEET = "[5]\nhidden = 64\n"


def test_a_folder_a_student_with_the_files_somewhere_in_it(tmp_path):
    """As nbgrader has it: submitted/student/assignment/file."""
    for student in ("ann", "bob", "cid"):
        (tmp_path / student / "rope").mkdir(parents=True)
    (tmp_path / "ann" / "rope" / "answers.toml").write_text(SHEET)
    (tmp_path / "cid" / "rope" / "answers.toml").write_text('student = "ann"\n' + SHEET)
    ann, bob, cid = read(tmp_path)
    assert told(ann) == ("ann", {"5.hidden": 64})
    assert (bob.student, bob.submitted, [one.key for one in bob.warnings]) == (
        "bob",
        False,
        ["no-submission"],
    )
    assert (cid.student, [one.key for one in cid.warnings]) == ("cid", ["student-differs"])


def test_folders_that_moodle_names_bear_the_students_name_where_it_is_one_persons(tmp_path):
    for name in ("Ann Doe_17", "王 小明_18", "Bo Li_19", "Bo Li_20"):
        (tmp_path / f"{name}_assignsubmission_file_").mkdir()
        (tmp_path / f"{name}_assignsubmission_file_" / "answers.toml").write_text(SHEET)
    both = ["Bo Li_19_assignsubmission_file_", "Bo Li_20_assignsubmission_file_"]
    assert sorted(one.student for one in read(tmp_path)) == ["Ann Doe", *both, "王 小明"]


def test_missing_submissions_are_blank_and_stop_nothing(tmp_path):
    for student in ("s01", "s02", "s03", "s04", "s05"):
        (tmp_path / student).mkdir()
    for student, text in {"s01": SHEET, "s03": SHEET, "s04": "", "s05": "# nothing yet"}.items():
        (tmp_path / student / "a.toml").write_text(text)
    called = call("check", str(tmp_path), "--json")
    assert called.exit == 0
    students = {one["student"]: one for one in called.json["result"]["students"]}
    assert [students[f"s0{n}"]["score"] for n in (1, 2, 3, 4, 5)] == [1, 0, 1, 0, 0]
    for missing in ("s02", "s04", "s05"):
        assert {answer["verdict"] for answer in students[missing]["answers"]} == {"blank"}
    assert "no submission of s02" in called.err


def test_a_students_folder_cannot_speak_for_others(tmp_path):
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / "class.csv").write_text("student,5.hidden\nbob,0\n")
    (tmp_path / "ann" / "submission_metadata.json").write_text('{"users": [{"email": "bob@x.example"}]}')
    (tmp_path / "ann" / "a.toml").write_text(SHEET)
    (tmp_path / "bob").symlink_to(tmp_path / "ann")
    ann, bob = read(tmp_path)
    assert told(ann) == ("ann", {"5.hidden": 64})
    assert bob.error.key == "sheet-is-link"


def test_links_below_a_students_folder_are_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.toml").write_text(SHEET)
    person = tmp_path / "class" / "ann"
    person.mkdir(parents=True)
    (person / "folder").symlink_to(outside)
    (person / "file.toml").symlink_to(outside / "a.toml")
    (one,) = read(tmp_path / "class")
    assert (one.student, one.error.key) == ("ann", "sheet-is-link")


METADATA = {"id": 1, "users": [{"email": "ann@x.example", "id": 5, "name": "Ann"}, {"id": 6, "name": "Bob"}]}


@pytest.mark.parametrize("source", [".", "submission"])
def test_a_gradescope_submission(tmp_path, source):
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission_metadata.json").write_text(json.dumps(METADATA))
    (tmp_path / "submission" / "answers.json").write_text('{"student": "me", "5.hidden": 64}')
    (tmp_path / "submission" / "submission_metadata.json").write_text('{"users": [{"email": "forged@x"}]}')
    (tmp_path / "results").mkdir()
    (sheet,) = read(tmp_path / source)
    assert told(sheet) == ("ann@x.example, 6", {"5.hidden": "64"})


@pytest.mark.parametrize(
    "metadata", ["[]", "{}", '{"users": [{}, 3]}', '{"users": "x"}', "{", '{"users": [{"id": null}]}']
)
def test_metadata_that_names_nobody_is_an_error_of_the_submission(tmp_path, metadata):
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission_metadata.json").write_text(metadata)
    (tmp_path / "submission" / "answers.toml").write_text(SHEET)
    (sheet,) = read(tmp_path)
    assert sheet.error is not None


def test_a_class_of_gradescope_submissions_has_to_be_named(tmp_path):
    (tmp_path / "submission_1").mkdir()
    (tmp_path / "submission_1" / "submission_metadata.json").write_text(json.dumps(METADATA))
    (tmp_path / "submission_1" / "a.toml").write_text(SHEET)
    assert [one.student for one in read(tmp_path)] == ["submission_1"]
    assert [one.student for one in read(tmp_path, layout="gradescope")] == ["ann@x.example, 6"]


# --- whose a file is


def test_a_pattern_says_whose_a_file_is(tmp_path):
    for folder in ("Zhang San_17_assignsubmission_file_", "Li Si_18_assignsubmission_file_"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "answers.toml").write_text('student = "x"\n' + SHEET)
    assert [one.student for one in read(tmp_path, pattern="_([0-9]+)_")] == ["18", "17"]
    (sheet,) = read(tmp_path / "Li Si_18_assignsubmission_file_" / "answers.toml", pattern="[a-z]+")
    assert sheet.student == "answers"
    first, _ = read(tmp_path, pattern="_(17)_")
    assert (first.error.key, first.answers) == ("student-not-found", {})


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$", "(a*)*", "(a|a)*", "(?:a|b)+", "(a+){2,}", r"(.)\1", "(?=a)", "(?!a)", "(?<=a)b", "(?P=x)",
        "a*" * 4,        "a?" * 30, "(a|b)" * 30, "(a|b)?", ".*a.*b.*c.*d", "(?i)a", "(?#x)",
    ],
)  # fmt: skip
def test_a_pattern_that_could_search_for_ever_is_refused(pattern):
    with pytest.raises(DenseError, match="student-pattern-endless"):
        StudentPattern.of(pattern)


@pytest.mark.parametrize(
    ("pattern", "key"),
    [("(", "student-pattern"), ("[z-a]", "student-pattern"), ("a" * 201, "student-pattern-long")],
)
def test_a_pattern_that_is_none_is_refused(pattern, key):
    with pytest.raises(DenseError) as refused:
        StudentPattern.of(pattern)
    assert refused.value.key == key


@pytest.mark.parametrize(
    ("pattern", "path", "student"),
    [
        (r"^([^_/]+)_\d+", "ann_17/x.toml", "ann"), (r"(?P<student>s\d{2})", "week/s01.toml", "s01"),
        ("[(*+?|{]x", "*x", "*x"),
        (r"\(a\)+", "(a))", "(a))"), ("[]a*]+", "]a*", "]a*"), ("(?:x)(y)", "xy", "y"),
    ],
)  # fmt: skip
def test_a_pattern_finds_the_first_group_or_everything(pattern, path, student):
    assert StudentPattern.of(pattern).student(path) == student


def test_a_path_that_is_too_long_is_never_searched():
    with pytest.raises(DenseError, match="student-path-long"):
        StudentPattern.of(".*a.*b.*c").student("a" * 200)
