"""Variants on the command line: handed out, filled in, marked."""

import json
import tomllib

import pytest

from tests.cli.calling import call

RIGHT = {  # worked by hand for seed 7: quarter turns, mean square 81/4, twice sixty thirds
    "1": {"query": "[0, -1]", "key": "[-3, -3]", "dot": "3", "visible": "no"},
    "2": {"output": "[-8/9, 12/9, 4/9, 10/9]", "denominator": "9/2", "zero_row": "undefined"},
    "3": {"same": "no", "layernorm": "[-11/√93, 7/√93, 4/√93]*1"},
    "5": {"hidden": "40", "relu": "1200", "swiglu": "1200", "growth": "1/2"},
}


def filled(text, answers):
    """A sheet with answers written between its quotes."""
    section, lines = "", []
    for line in text.splitlines():
        section = line.strip("[]") if line.startswith("[") else section
        name = line.partition("=")[0].strip()
        answer = answers.get(section, {}).get(name)
        lines.append(f'{name} = "{answer}"' if answer else line)
    return "\n".join(lines) + "\n"


def verdicts(called):
    (student,) = called.json["result"]["students"]
    return {f"{one['exercise']}.{one['field']}": one["verdict"] for one in student["answers"]}, student


@pytest.fixture
def sheet(tmp_path):
    answers = {**RIGHT, "3": {"same": "no"}}
    path = tmp_path / "answers.toml"
    path.write_text(filled(call("exercise", "template", "--variant", "7").out, answers), encoding="utf-8")
    return path


def test_a_sheet_marks_itself(sheet):
    found, student = verdicts(call("check", str(sheet), "--json"))
    wanted = {f"{exercise}.{field}" for exercise in "1235" for field in RIGHT[exercise]} - {"3.layernorm"}
    assert {key for key, verdict in found.items() if verdict == "correct"} == wanted
    assert student["variant"] == "7"
    assert "variant 7" in call("check", str(sheet)).out


def test_the_option_beats_the_sheet_with_a_warning(sheet):
    called = call("check", str(sheet), "--variant", "8", "--json")
    found, student = verdicts(called)
    assert found["1.query"] == "wrong"
    assert student["variant"] == "8"
    assert "handed out with variant 7" in called.err
    assert "handed out" not in call("check", str(sheet), "--variant", "7").err


def test_each_student_has_their_own(tmp_path):
    table = tmp_path / "class.csv"
    table.write_text('student,1.query\ns01,"[-3, 2]"\ns02,"[-3, 2]"\n')  # [2, 3] turned once
    called = call("check", str(table), "--variant", "student", "--json")
    one, two = called.json["result"]["students"]
    assert (one["answers"][0]["verdict"], two["answers"][0]["verdict"]) == ("correct", "wrong")
    assert (one["variant"], two["variant"]) == ("chapter-25:s01", "chapter-25:s02")


def test_a_column_names_the_variant(tmp_path):
    table = tmp_path / "class.csv"
    table.write_text("student,variant,5.hidden\ns01,7,40\ns02,,64\ns03,student,64\ns04,\x1b,64\n")
    students = call("check", str(table), "--json").json["result"]["students"]
    assert [one["answers"][12]["verdict"] for one in students[:2]] == ["correct", "correct"]
    assert [one.get("variant") for one in students[:3]] == ["7", None, "chapter-25:s03"]
    assert students[3]["error"]


def test_single_answers_to_a_variant():
    right = ["check", "--exercise", "5", "--answer", "hidden=40"]
    assert call(*right, "--variant", "7").exit == 0
    assert call(*right).exit == 1
    assert call(*right, "--variant", "student").exit == 2


@pytest.mark.parametrize("command", ["show", "solve"])
def test_shown_with_other_numbers(command):
    shown = call("exercise", command, "2", "--variant", "7").out
    assert "[-4, 6, 2, 5]" in shown
    assert "variant 7" in shown
    own = call("exercise", command, "2", "--variant", "student", "--student", "s01").out
    assert "[-5, -4, -5, -6]" in own


def test_the_worked_solution_of_a_variant():
    answers = call("exercise", "solve", "2", "--variant", "7", "--json").json["result"]["answers"]
    assert answers["denominator"] == 4.5


@pytest.mark.parametrize("arguments", [
    ["show", "2", "--variant", "student"],
    ["show", "2", "--student", "s01"],
    ["show", "2", "--variant", " "],
    ["template", "--roster", "class.csv"],
    ["template", "--into", "sheets"],
    ["template", "--roster", "no-such.csv", "--into", "sheets"],
])  # fmt: skip
def test_refused(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "class.csv").write_text("student\ns01\n")
    called = call("exercise", *arguments)
    assert called.exit == 2
    assert "hint:" in called.err
    assert not (tmp_path / "sheets").exists()


def test_a_class_set_with_one_command(tmp_path):
    roster, into = tmp_path / "names.csv", tmp_path / "sheets"
    roster.write_text("student,name\ns01,Ann\n../s02,Bob\n张三,Zhang\n", encoding="utf-8")
    called = call("exercise", "template", "--roster", str(roster), "--into", str(into))
    assert (called.exit, called.err) == (0, "")
    assert sorted(path.name for path in into.iterdir()) == ["s01.toml", "s02.toml", "张三.toml"]
    documents = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(into.iterdir())]
    assert documents[0]["variant"] == "chapter-25:s01"
    assert documents[1]["student"] == "../s02"
    marked = call("check", str(into), "--json").json["result"]["students"]
    assert len({one["variant"] for one in marked}) == 3
    again = call("exercise", "template", "--roster", str(roster), "--into", str(into))
    assert again.exit == 2
    assert "there already" in again.err


@pytest.mark.parametrize(("format", "suffix"), [("json", ".json"), ("markdown", ".md"), ("html", ".html")])
def test_a_class_set_to_print(tmp_path, format, suffix):
    roster = tmp_path / "names.txt"
    roster.write_text("s01\ns02\n")
    call("exercise", "template", "--roster", str(roster), "--into", str(tmp_path / "x"), "--format", format)
    assert sorted(path.name for path in (tmp_path / "x").iterdir()) == [f"s01{suffix}", f"s02{suffix}"]
    text = (tmp_path / "x" / f"s01{suffix}").read_text(encoding="utf-8")
    assert "s01" in text
    if format == "json":
        assert json.loads(text)["variant"] == "chapter-25:s01"


def test_one_seed_for_a_whole_class(tmp_path):
    roster = tmp_path / "names.txt"
    roster.write_text("s01\ns02\n")
    call("exercise", "template", "--roster", str(roster), "--into", str(tmp_path / "x"), "--variant", "7")
    assert all('variant = "7"' in path.read_text(encoding="utf-8") for path in (tmp_path / "x").iterdir())


def test_a_name_that_no_numbers_can_be_drawn_for_stops_nobody_else(tmp_path):
    table = tmp_path / "class.csv"
    table.write_text('student,1.query\ns01,"[-3, 2]"\ns\x07,1\n')
    called = call("check", str(table), "--variant", "student", "--json")
    one, two = called.json["result"]["students"]
    assert (called.exit, one["score"], bool(two["error"])) == (2, 1, True)


def test_a_class_list_with_an_unusable_name_writes_nothing(tmp_path):
    names, into = tmp_path / "names.txt", tmp_path / "sheets"
    names.write_text("student\ns01\ns\x07\n")
    called = call("exercise", "template", "--roster", str(names), "--into", str(into))
    assert (called.exit, into.exists()) == (2, False)
    assert "s\\x07 cannot have numbers of their own" in called.err


def test_who_stands_twice_in_the_class_list_gets_one_sheet(tmp_path):
    names, into = tmp_path / "names.txt", tmp_path / "sheets"
    names.write_text("s01\ns02\ns01\n")
    call("exercise", "template", "--roster", str(names), "--into", str(into))
    assert sorted(path.name for path in into.iterdir()) == ["s01.toml", "s02.toml"]
    assert call("check", str(into)).exit == 0


@pytest.mark.parametrize(("given", "missing"), [(("--into", "x"), "--roster"), (("--roster", "x"), "--into")])
def test_half_a_call_for_a_class_is_told_the_whole_one(given, missing):
    called = call("exercise", "template", *given)
    assert called.exit == 2
    assert called.err.startswith(f"error: not given, but needed: {missing}\n")
    assert "--roster names.csv --into sheets" in called.err
