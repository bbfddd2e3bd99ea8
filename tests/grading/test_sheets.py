"""Answer sheets of every kind, friendly and hostile."""

import json
import os

import pytest

from dense_cli.errors import DenseError
from dense_cli.grading.intake.duplicates import without_duplicates
from dense_cli.grading.intake.sheets import FieldNames
from dense_cli.grading.intake.sources import LARGEST_SHEET, Reader, kind_of, left_aside, read_sources
from tests.cli.calling import call
from tests.grading.marked import SET

NAMES = FieldNames.of(SET)


def read(*sources, stdin=b"", encoding=None):
    return list(read_sources([str(source) for source in sources], Reader(NAMES, stdin, encoding)))


def one(folder, name, content):
    """The sheets in one file."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read(path)


TOML = 'student = "s01"\n[1]\nquery = "[-1, 0]"\ndot = 0.50\n[5]\nhidden = 64\n'
NESTED = '{"student": "s01", "1": {"query": "[-1, 0]", "dot": 0.50}, "5": {"hidden": 64}}'
FLAT = '{"Student": "s01", "1.Query": "[-1, 0]", " 1.dot ": 0.50, "5.HIDDEN": 64}'
CSV = 'student,1.query,1.dot,5.hidden\ns01,"[-1, 0]",0.50,64\n'
SAME = {"1.query": "[-1, 0]", "1.dot": "0.50", "5.hidden": "64"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.toml", TOML),
        ("a.TOML", TOML.replace("\n", "\r\n")),
        ("a.toml", '"1.query" = "[-1, 0]"\n"1.dot" = 0.50\n"5.hidden" = 64\nstudent = "s01"'),
        ("a.json", NESTED),
        ("a.json", FLAT),
        ("a.json", f"[{NESTED}]"),
        ("a.jsonl", f"\n{NESTED}\r\n\n"),
        ("a.csv", CSV),
        ("a.csv", CSV.replace("\n", "\r\n")),
        ("a.csv", CSV.replace(",1", ", 1").replace(',"', ', "')),
        ("a.csv", "学号,1.QUERY,1.dot,5.hidden\ns01,\"[-1, 0]\",0.50,64,,\n,,,\n"),
        ("a.csv", "student;1.query;1.dot;5.hidden\ns01;[-1, 0];0.50;64"),
        ("a.tsv", "student\t1.query\t1.dot\t5.hidden\ns01\t[-1, 0]\t0.50\t64"),
        ("a.csv", "id,name,1.query,1.dot,5.hidden,student\n7,Ann,\"[-1, 0]\",0.50,64,s01\n"),
        ("a.csv", b"\xef\xbb\xbf" + CSV.encode()),
        ("a.toml", b"\xef\xbb\xbf" + TOML.encode()),
        ("a.json", b"\xef\xbb\xbf" + NESTED.encode()),
        ("a.csv", CSV.encode("utf-16")),
        ("a.json", NESTED.encode("utf-16")),
    ],
)  # fmt: skip
def test_every_kind_of_file_holds_the_same_answers(tmp_path, name, content):
    (sheet,) = one(tmp_path, name, content)
    assert sheet.error is None
    assert (sheet.student, {key: str(value) for key, value in sheet.answers.items()}) == ("s01", SAME)


@pytest.mark.parametrize(
    "content", [TOML, NESTED, json.dumps(json.loads(FLAT), indent=1), CSV, f"# for you\n{TOML}"]
)
def test_standard_input_is_told_apart_by_how_it_begins(content):
    (sheet,) = read("-", stdin=content.encode())
    assert (sheet.error, sheet.student, sheet.answers["1.query"]) == (None, "s01", "[-1, 0]")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("[1]\nquery = [1, 0]", ".toml"),
        ('[1] # first\nquery = "[1, 0]"', ".toml"),
        ('[{"student": "s01"}]', ".json"),
        ('[\n{"student": "s01"}\n]', ".json"),
        ('{\n "student": "s01"\n}', ".json"),
        ('{"student": "s01"}\n{"student": "s02"}\n', ".jsonl"),
        ("student\t1.query\ns01\t1", ".csv"),
        ("", ".toml"),
    ],
)
def test_what_standard_input_is(text, kind):
    assert kind_of(text) == kind


# --- what is not answers


@pytest.mark.parametrize(
    ("name", "content", "key"),
    [
        ("a.toml", "student = \n", "broken-toml"),
        ("a.toml", "x = " + "[" * 5000 + "]" * 5000, "nested-too-deep"),
        ("a.toml", "[5]\nhidden = " + "7" * 5000, "sheet-number-too-long"),
        ("a.json", "{'student': 1}", "broken-json"),
        ("a.json", "[" * 100_000, "nested-too-deep"),
        ("a.json", '{"5.hidden": 96, "5.hidden": 64}', "duplicate-key"),
        ("a.json", '{"5.hidden": 96, "5.Hidden": 64}', "duplicate-key"),
        ("a.json", '{"5": {"hidden": 96}, "5.hidden": 64}', "duplicate-key"),
        ("a.json", '"64"', "sheet-no-table"),
        ("a.json", '{"student": ["s01"]}', "sheet-student"),
        ("a.json", '{"student": true}', "sheet-student"),
        ("a.csv", "", "table-empty"),
        ("a.csv", "student,1.query\n", "table-empty"),
        ("a.csv", "name,1.query\ns01,0", "table-without-student"),
        ("a.csv", "student,1.query,1.QUERY\ns01,0,1", "duplicate-column"),
        ("a.csv", "student,Student,1.query\ns01,s02,1", "duplicate-column"),
        ("a.csv", "student,1.query\n,0", "row-without-student"),
        ("a.csv", "student,1.query\ns01,[-1, 0]", "row-too-long"),
        ("a.csv", 'student,1.query\ns01,"[-1, 0]\ns02,0\n', "broken-table"),
        ("a.csv", b"student,6.test\n\xd5\xc5\xc8\xfd,0\n", "sheet-encoding"),
        ("a.json", b" " * (LARGEST_SHEET + 1), "sheet-too-large"),
        ("a.jsonl", '{"student": "s01"', "broken-json"),
        ("a.jsonl", "[1]", "sheet-no-table"),
    ],
)
def test_what_is_wrong_with_a_file_is_the_error_of_its_sheet(tmp_path, name, content, key):
    sheet = one(tmp_path, name, content)[-1]
    assert sheet.error is not None
    assert sheet.error.key == key
    assert str(tmp_path) in sheet.error.facts["source"]
    assert sheet.answers == {}


def test_a_pipe_and_a_link_in_a_folder_are_refused_without_waiting(tmp_path):
    folder = tmp_path / "sheets"
    folder.mkdir()
    (folder / "s01.toml").write_text(TOML)
    (folder / "s02.toml").symlink_to("/etc/hostname")
    (folder / "s03.toml").symlink_to(folder / "s01.toml")
    os.mkfifo(folder / "s04.toml")
    (folder / "s05.toml").mkdir()
    (folder / ".s06.toml").write_text("hidden")
    sheets = read(folder)
    assert [one.error and one.error.key for one in sheets] == [
        None, "sheet-is-link", "sheet-is-link", "sheet-not-a-file", "sheet-not-a-file",
    ]  # fmt: skip
    assert [one.student for one in sheets] == ["s01", "s02", "s03", "s04", "s05"]


def test_a_file_that_may_not_be_read_is_an_error(tmp_path, monkeypatch):
    path = tmp_path / "a.toml"
    path.write_text(TOML)

    def denied(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("dense_cli.grading.intake.sources.os.open", denied)
    (sheet,) = read(path)
    assert (sheet.error.key, sheet.error.facts["reason"]) == ("cannot-read", "Permission denied")


@pytest.mark.parametrize("name", ["nobody.toml", "a\0.toml", "x" * 5000 + ".toml", "a.yaml", "a.xlsx", "a"])
def test_a_source_that_is_none_is_refused_alone_and_an_error_among_others(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    for present in ("a.yaml", "a.xlsx", "a"):
        (tmp_path / present).write_text("")
    (tmp_path / "s01.toml").write_text(TOML)
    with pytest.raises(DenseError):
        read(name)
    first, second = read(name, "s01.toml")
    assert first.error is not None
    assert (second.error, second.student) == (None, "s01")


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(DenseError, match="empty-folder"):
        read(tmp_path)


def test_files_of_another_kind_in_a_folder_are_told(tmp_path):
    for name in ("s01.toml", "s02.yaml", ".hidden.yaml"):
        (tmp_path / name).write_text("")
    assert [warning.facts["source"] for warning in left_aside([str(tmp_path)])] == [
        str(tmp_path / "s02.yaml")
    ]


# --- letters


def test_bytes_are_read_as_the_call_says_and_never_guessed(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("student,6.test\n张三,红蓝互换\n".encode("gb18030"))
    (sheet,) = read(path)
    assert (sheet.error.key, sheet.error.facts["byte"]) == ("sheet-encoding", 15)
    (sheet,) = read(path, encoding="gb18030")
    assert (sheet.student, sheet.answers["6.test"]) == ("张三", "红蓝互换")


@pytest.mark.parametrize("encoding", ["klingon", "hex", "undefined", "idna"])
def test_an_encoding_that_is_none_is_told(tmp_path, encoding):
    (tmp_path / "a.csv").write_bytes(b"student,6.test\n\xd5\xc5,0\n")
    (sheet,) = read(tmp_path / "a.csv", encoding=encoding)
    assert sheet.error is not None


def test_only_a_line_feed_ends_a_line_of_json(tmp_path):
    """Other separators that Python splits at may stand inside a JSON string."""
    (sheet,) = one(tmp_path, "a.jsonl", '{"student": "s01", "6.test": "one\u2028two\u0085three"}\n')
    assert (sheet.error, sheet.answers["6.test"]) == (None, "one\u2028two\u0085three")


# --- who it is


def test_ids_are_text(tmp_path):
    sheets = one(tmp_path, "a.csv", "student,5.hidden\n007,64\n7,64\n12345678901234567890,64\n")
    assert [sheet.student for sheet in sheets] == ["007", "7", "12345678901234567890"]
    (sheet,) = one(tmp_path, "a.json", '{"student": 12345678901234567890}')
    assert sheet.student == "12345678901234567890"


@pytest.mark.parametrize("text", ["", "# nothing yet", 'student = ""', "[1]\n"])
def test_a_sheet_without_a_name_has_that_of_its_file_and_one_without_answers_a_warning(tmp_path, text):
    (sheet,) = one(tmp_path, "s07.toml", text)
    assert (sheet.student, sheet.error, sheet.answers) == ("s07", None, {})
    assert [warning.key for warning in sheet.warnings] == ["sheet-empty"]


def test_nameless_students_of_one_file_are_told_apart(tmp_path):
    sheets = one(tmp_path, "a.json", '[{"5.hidden": 64}, {"5.hidden": 96}, {"student": null}]')
    assert [sheet.student for sheet in sheets] == ["a:1", "a:2", "a:3"]


def test_a_student_who_is_there_twice_is_not_marked(tmp_path):
    sheets = without_duplicates(one(tmp_path, "a.csv", "student,5.hidden\ns01,64\ns02,64\ns01,96\n")).sheets
    assert [sheet.error and sheet.error.key for sheet in sheets] == ["student-twice", None, "student-twice"]
    path = tmp_path / "a.csv"
    assert sheets[0].error.facts["places"] == (f"{path}:2", f"{path}:4")
    assert sheets[0].answers == {}


def test_ids_rounded_by_a_spreadsheet_are_told(tmp_path):
    rows = "student,5.hidden\n2.02401E+11,64\n2.02401E+11,96\n"
    sheets = without_duplicates(one(tmp_path, "a.csv", rows)).sheets
    assert [sheet.error.key for sheet in sheets] == ["rounded-student"] * 2


def test_an_unreadable_sheet_does_not_count_as_the_students_second(tmp_path):
    (tmp_path / "s01.toml").write_text(TOML)
    (tmp_path / "s01.json").write_text("{")
    broken, right = without_duplicates(read(tmp_path)).sheets
    assert (broken.error.key, right.error) == ("broken-json", None)


# --- what was left aside


def test_an_unknown_field_is_told_with_the_nearest(tmp_path):
    (sheet,) = one(
        tmp_path, "a.json", '{"student": "s", "4": {"ouput": [1, 2]}, "4.output": "1,2", "9.x": 1}'
    )
    near, far = sheet.warnings
    assert (near.facts["typed"], near.facts["nearest"][0]) == ("4.ouput", "4.output")
    assert (far.facts["typed"], far.hint) == ("9.x", "unknown-field-list")
    assert sheet.answers == {"4.output": "1,2"}


@pytest.mark.parametrize("rule", ["error", "first", "last", "best"])
@pytest.mark.parametrize("more", [(), ("--to", "csv-wide")])
def test_an_unknown_column_is_told_once_whichever_row_counts(tmp_path, rule, more):
    path = tmp_path / "a.csv"
    path.write_text("student,5.hiden,1.dot\ns01,64,0\ns02,64,0\ns01,64,1\n")
    told = call("check", str(path), "--duplicates", rule, *more).err
    assert told.count("5.hiden is no field") == 1


def test_rows_before_a_broken_one_are_kept(tmp_path):
    sheets = one(tmp_path, "a.csv", 'student,5.hidden\ns01,64\ns02,"64"x\ns03,64\n')
    assert (sheets[0].student, sheets[0].error) == ("s01", None)
    assert (sheets[-1].error.key, sheets[-1].error.facts["row"]) == ("broken-table", 3)


def test_an_encoding_that_is_none_is_a_fault_of_the_call(tmp_path):
    (tmp_path / "a.csv").write_text("student,5.hidden\ns01,64\n")
    called = call("check", str(tmp_path / "a.csv"), "--encoding", "rot13")
    assert (called.exit, called.out) == (2, "")
    assert called.err.startswith('error: --encoding: "rot13"')
    assert call("check", str(tmp_path / "a.csv"), "--encoding", "gb18030").exit == 0


@pytest.mark.parametrize("variant", ['["a"]', "true", '"' + "x" * 300 + '"'])
def test_a_variant_that_can_be_none_spoils_its_own_sheet_only(tmp_path, variant):
    path = tmp_path / "a.jsonl"
    path.write_text(
        f'{{"student": "s1", "variant": {variant}, "1.dot": "0"}}\n{{"student": "s2", "1.dot": "0"}}'
    )
    called = call("check", str(path), "--json")
    first, second = called.json["result"]["students"]
    assert (called.exit, second["score"]) == (2, 1)
    assert "a.jsonl:1" in first["error"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[5]\nhidden = 96\nhidden = 64\n", "hidden"),
        ("[5]\nhidden = 96\nhidden = 64", "hidden"),
        ("[5]\nhidden = 96\n[5]\nrelu = 64\n", "[5]"),
        ("5 = { hidden = 96, hidden = 64 }\n", "hidden"),
    ],
)
def test_a_key_that_stands_twice_is_named(tmp_path, text, key):
    """Two different answers: which one was meant cannot be known."""
    (sheet,) = one(tmp_path, "a.toml", text)
    assert (sheet.error.key, sheet.error.facts["typed"]) == ("duplicate-key", key)


def test_a_long_value_that_stands_twice_breaks_the_sheet(tmp_path):
    (sheet,) = one(tmp_path, "a.toml", '[6]\ntest = 1\ntest = """a\nb"""\n')
    assert sheet.error.key == "broken-toml"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("header", ["student,1.query", '"student\nid, name or number",1.query'])
def test_the_header_alone_says_what_separates_the_columns(tmp_path, end, header):
    path = tmp_path / "a.csv"
    rows = [f"{header}", *(f"s{number},{number};2;3;4" for number in range(3))]
    path.write_text(end.join(rows), newline="")
    names = FieldNames.of(SET, {"student\nid, name or number": "student"})
    for source, stdin in ((str(path), b""), ("-", path.read_bytes())):
        sheets = read_sources([source], Reader(names, stdin))
        assert [sheet.answers.get("1.query") for sheet in sheets] == ["0;2;3;4", "1;2;3;4", "2;2;3;4"]
