"""Answers from the tables of other systems."""

import pytest

from dense_cli.errors import DenseError
from dense_cli.grading.intake.layouts import TABLES, columns_of
from tests.grading.marked import MARKER, SET
from tests.grading.taken_in import NAMES, table, told

MOODLE = (
    '"Last name","First name","ID number","Email address",State,"Started on",Completed,"Time taken",'
    'Grade/10.00,"Response 1","Response 2"\n'
    'Zhang,San,007,zs@x.example,Finished,"5 May 2026","5 May 2026","9 mins",10.00,"[-1, 0]",-\n'
    'Li,Si,,ls@x.example,"In progress",,,,-,-,64\n'
    "Wang,Wu,,,Finished,,,,1.00,-,96\n"
)
MAPPED = {"Response 1": "1.query", "response 2": "5.hidden"}
CANVAS = (
    'name,id,sis_id,section,section_id,submitted,attempt,"11: 1.query, rotate it",1.0,'
    '"12: What is 5.hidden?",1.0,13: Thanks,1.0,n correct,n incorrect,score\n'
    'Zhang San,101,s01,A,9,2026-05-05 10:00:00 UTC,1,"[-1\\, 0]",1.0,64,1.0,x,0,2,0,2\n'
)
FORMS = (
    '"Timestamp","Email Address","Score","1.query: rotate,\nplease","[5.hidden] width"\n'
    '2026/05/05 10:15:00 AM GMT+8,zs@x.example,8.00 / 10,"[-1, 0]",64\n'
)


def test_moodle_responses(tmp_path):
    first, second, third = table(tmp_path, MOODLE, mapped=MAPPED)
    assert told(first) == ("007", {"1.query": "[-1, 0]", "5.hidden": ""})
    assert told(second) == ("ls@x.example", {"1.query": "", "5.hidden": "64"})
    assert told(third) == ("Wu Wang", {"1.query": "", "5.hidden": "96"})
    assert [one.warnings for one in (first, second, third)] == [(), (), ()]


def test_the_call_says_who_the_student_is(tmp_path):
    sheets = table(
        tmp_path, MOODLE.replace("Wu,,,", "Wu,,ww@x.example,"), mapped={**MAPPED, "Email address": "student"}
    )
    assert [one.student for one in sheets] == ["zs@x.example", "ls@x.example", "ww@x.example"]


def test_moodle_in_chinese_with_semicolons(tmp_path):
    text = "姓;名;学号;电子邮件地址;状态;成绩/10.00;回答 1;回答 2\n"
    text += "张;三;007;zs@x.example;完成;10,00;[-1, 0];64\n"
    (sheet,) = table(tmp_path, text, mapped={"回答 1": "1.query", "回答 2": "5.hidden"})
    assert told(sheet) == ("007", {"1.query": "[-1, 0]", "5.hidden": "64"})


def test_columns_that_moodle_adds_in_any_language_are_no_answers(tmp_path):
    header = "姓氏,名,学号,Zeit,花费时间,已完成,回答 1,回答 2,5.hidden (width)\n"
    (sheet,) = table(tmp_path, header + 'Li,Si,007,x,x,x,"[-1, 0]",-,64\n', mapped={"回答 1": "1.query"})
    assert told(sheet) == ("007", {"1.query": "[-1, 0]", "5.hidden": "64"})
    assert [warning.facts["typed"] for warning in sheet.warnings] == ["回答 2"]


def test_separators_inside_a_quoted_header_separate_nothing(tmp_path):
    (sheet,) = table(tmp_path, 'Timestamp,Email Address,"5.hidden: one of a; b; c;\nor d; e"\nx,s01,64\n')
    assert told(sheet) == ("s01", {"5.hidden": "64"})


def test_a_line_that_tells_a_spreadsheet_the_separator_is_no_header(tmp_path):
    (sheet,) = table(tmp_path, 'sep=;\nstudent;5.hidden;1.query\ns01;64;"-1, 0"\n')
    assert (told(sheet), sheet.place) == (("s01", {"5.hidden": "64", "1.query": "-1, 0"}), 3)


def test_formulas_that_only_hold_a_text_are_that_text(tmp_path):
    text = 'student,5.hidden,1.visible,1.query\n"=""007""","=""64""","=""no""","=""-1, 0"""\n'
    (sheet,) = table(tmp_path, text)
    right = [mark.field.key for mark in MARKER.sheet(sheet.answers) if mark.verdict == "correct"]
    assert (sheet.student, right) == ("007", ["1.query", "1.visible", "5.hidden"])


def test_an_endless_answer_leaves_the_rest_of_the_class_readable(tmp_path):
    first, second = table(tmp_path, f"student,6.test,5.hidden\ns01,{'x' * 200_000},64\ns02,short,96\n")
    assert (first.error, told(second)) == (None, ("s02", {"6.test": "short", "5.hidden": "96"}))


def test_canvas_student_analysis(tmp_path):
    (sheet,) = table(tmp_path, CANVAS)
    assert told(sheet) == ("101", {"1.query": "[-1, 0]", "5.hidden": "64"})
    assert [(one.key, one.facts["typed"]) for one in sheet.warnings] == [("question-unknown", "13: Thanks")]


def test_google_forms(tmp_path):
    (sheet,) = table(tmp_path, FORMS)
    assert told(sheet) == ("zs@x.example", {"1.query": "[-1, 0]", "5.hidden": "64"})
    assert sheet.warnings == ()
    own = FORMS.replace('"[5.hidden] width"', '"[5.hidden] width",学号').replace(",64", ",64,007")
    assert table(tmp_path, own)[0].student == "007"


def test_as_many_questions_as_fields_are_taken_in_order_and_that_is_said(tmp_path):
    fields = [field.key for field in SET.fields]
    header = ["Timestamp", "Email Address", *(f"Question {n}" for n in range(1, len(fields) + 1))]
    row = ["today", "a@x.example", *(f"answer {n}" for n in range(1, len(fields) + 1))]
    (sheet,) = table(tmp_path, ",".join(header) + "\n" + ",".join(row) + "\n")
    assert list(sheet.answers) == fields
    assert (sheet.answers["1.query"], sheet.answers["6.test"]) == ("answer 1", "answer 18")
    assert [one.key for one in sheet.warnings] == ["questions-in-order"]


def test_questions_that_name_no_field_are_not_guessed(tmp_path):
    (sheet,) = table(tmp_path, "Timestamp,Email Address,A,B\ntoday,a@x.example,1,2\n")
    assert sheet.error.key == "questions-unknown"


@pytest.mark.parametrize(
    ("header", "student"),
    [
        ("Timestamp,A", None), ("name,x,n correct,n incorrect", "name"), ("Last name,Response 1", None),
    ],
)  # fmt: skip
def test_a_table_without_students_is_refused(header, student):
    with pytest.raises(DenseError) as refused:
        columns_of(header.split(","), "a.csv", NAMES, None)
    assert refused.value.key == ("table-without-student" if student is None else "questions-unknown")


def test_a_layout_can_be_named(tmp_path):
    text = "Surname,Email,R 1\nZhang,zs@x.example,-\n"
    (sheet,) = table(tmp_path, text, layout="moodle", mapped={"R 1": "1.query"})
    assert told(sheet) == ("zs@x.example", {"1.query": ""})
    (sheet,) = table(tmp_path, "Timestamp,student,1.query\ntoday,s01,x\n", layout="plain")
    assert told(sheet) == ("s01", {"1.query": "x"})
    assert [one.key for one in sheet.warnings] == ["unknown-field"]


def test_a_column_can_be_given_its_meaning(tmp_path):
    text = "Who,Q one,1.dot,Notes\ns01,x,0,hm\n"
    (sheet,) = table(tmp_path, text, mapped={"who": "student", " Q  ONE ": "1.query", "Q two": "1.key"})
    assert told(sheet) == ("s01", {"1.query": "x", "1.dot": "0"})
    assert [(one.key, one.facts["typed"]) for one in sheet.warnings] == [
        ("unknown-field", "Notes"), ("map-no-column", "Q two"),
    ]  # fmt: skip


@pytest.mark.parametrize("layout", TABLES)
def test_two_columns_of_one_field_are_refused_in_every_layout(layout):
    header = {
        "plain": "student,1.query,1.QUERY",
        "moodle": "ID number,1.query,1.query",
        "canvas": "id,11: 1.query,1.0,12: 1.query again,1.0",
        "google-forms": "Timestamp,Email Address,1.query,and 1.query",
    }[layout]
    with pytest.raises(DenseError, match="duplicate-column"):
        columns_of(header.split(","), "a.csv", NAMES, layout)


@pytest.mark.parametrize("value", ["2-Jan", "1月2日", "2026/1/2", "#NAME?", "#VALUE!", "2026-01-02"])
def test_what_a_spreadsheet_made_of_an_answer_is_invalid_and_never_a_number(tmp_path, value):
    (sheet,) = table(tmp_path, f"student,5.growth\ns01,{value}\n")
    (mark,) = [mark for mark in MARKER.sheet(sheet.answers) if mark.field.key == "5.growth"]
    assert (mark.verdict, mark.value) == ("invalid", None)
