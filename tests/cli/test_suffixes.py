"""The suffix of --output chooses a format, or is refused with what to type instead."""

import json

import pytest

from dense_cli.cli.suffixes import FOREIGN, FORMATS, OF_DATA
from dense_cli.render import FORMATS as KNOWN
from tests.cli.calling import call

CALL = ("rmsnorm", "--x", "3,4")


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_suffix_of_ours_chooses_its_format(suffix, tmp_path):
    target, asked = tmp_path / f"page{suffix.upper()}", call(*CALL, "--format", FORMATS[suffix])
    assert call(*CALL, "--output", str(target)).exit == 0
    assert target.read_text(encoding="utf-8") == asked.out


def test_every_format_of_a_file_has_a_suffix():
    assert {*FORMATS.values()} == {*KNOWN} - {"rich"}


@pytest.mark.parametrize("name", ["result", "result.v2", "2.5", "notes.log", ".profile"])
def test_a_name_that_tells_no_format_is_plain_text(name, tmp_path):
    assert call(*CALL, "--output", str(tmp_path / name)).exit == 0
    assert (tmp_path / name).read_text(encoding="utf-8") == call(*CALL, "--format", "plain").out


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("suffix", [*FOREIGN, *OF_DATA, ".PDF"])
def test_a_page_is_not_written_as_something_else(suffix, language, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused = call(*CALL, "--output", f"page{suffix}", "--lang", language)
    assert refused.exit == 2
    assert not [*tmp_path.iterdir()]
    assert suffix in refused.err
    assert "--output page." in refused.err


@pytest.mark.parametrize("suffix", [".pdf", ".csv"])
def test_a_format_that_is_asked_for_counts_more_than_the_suffix(suffix, tmp_path):
    target = tmp_path / f"page{suffix}"
    assert call(*CALL, "--json", "--output", str(target)).exit == 0
    assert json.loads(target.read_bytes())["command"] == "rmsnorm"


@pytest.mark.parametrize(
    "arguments",
    [
        ("exercise", "template", "--output", "sheet.toml"),
        ("check", "--exercise", "2", "--answer", "zero_row=undefined", "--output", "marks.csv"),
        ("check", "--exercise", "2", "--answer", "zero_row=undefined", "--output", "marks.xml"),
    ],
)
def test_what_writes_data_may_be_given_its_suffix(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call(*arguments).exit == 0
    assert [*tmp_path.iterdir()] == [tmp_path / arguments[-1]]
