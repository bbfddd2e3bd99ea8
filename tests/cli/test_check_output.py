"""`check --output`: nothing that the call reads is replaced, or written where it is read next time."""

import pytest

from tests.cli.calling import call

LINES = '{"student": "s01", "5.hidden": "64", "6.test": "swap"}\n'
SCORES = "student,field,points\ns01,6.test,1\n"
ROSTER = "Student,ID,SIS User ID,SIS Login ID,Section\nAnn,1,s01,s01,A\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sheets").mkdir()
    for name, text in {
        "class.jsonl": LINES,
        "scores.csv": SCORES,
        "roster.csv": ROSTER,
        "sheets/s01.toml": "[5]\nhidden = 64\n",
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link.jsonl").symlink_to("class.jsonl")
    return tmp_path


def content(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("class.jsonl", "--output", "class.jsonl"), "is read by this call"),
        (("class.jsonl", "--output", "./sheets/../class.jsonl"), "is read by this call"),
        (("class.jsonl", "--output", "link.jsonl"), "is read by this call"),
        (("class.jsonl", "sheets", "--to", "html", "--output", "class.jsonl"), "is read by this call"),
        (("class.jsonl", "--format", "markdown", "--output", "class.jsonl"), "is read by this call"),
        (("class.jsonl", "--scores", "scores.csv", "--output", "scores.csv"), "is read by this call"),
        (
            ("class.jsonl", "--roster", "roster.csv", "--to", "canvas", "--output", "roster.csv"),
            "is read by this call",
        ),
        (("sheets", "--to", "csv", "--output", "sheets/marks.csv"), "next time"),
        (("sheets", "--json", "--output", "sheets/new.json"), "next time"),
        ((".", "--to", "jsonl", "--output", "marks.jsonl"), "next time"),
    ],
)
def test_what_is_read_is_not_written(folder, monkeypatch, words, said):
    monkeypatch.chdir(folder)
    before = content(folder)
    called = call("check", *words)
    assert (called.exit, called.out if "--json" not in words else "") == (2, "")
    assert said in called.err
    assert content(folder) == before


@pytest.mark.parametrize(
    "words",
    [
        ("class.jsonl", "--output", "marks.csv"),
        ("sheets", "--to", "html", "--output", "sheets/report.html"),
        ("sheets/s01.toml", "--to", "csv", "--output", "sheets/marks.csv"),
        ("sheets", "--output", "sheets.csv"),
    ],
)
def test_any_other_place_is_written_to(folder, monkeypatch, words):
    monkeypatch.chdir(folder)
    assert call("check", *words).exit == 0
    assert (folder / words[-1]).stat().st_size > 0
