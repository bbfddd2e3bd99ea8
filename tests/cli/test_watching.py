"""`check --watch`: marked again after a change, with a clock of the test's own."""

import os

import pytest

from dense_cli.cli import watching
from tests.cli.calling import call


class Clock:
    """Pauses that take no time; at each something happens to the files, and after the last comes Ctrl-C."""

    def __init__(self, *happenings):
        self.happenings = list(happenings)
        self.pauses = 0

    def __call__(self, seconds):
        assert seconds == watching.INTERVAL
        self.pauses += 1
        if not self.happenings:
            raise KeyboardInterrupt
        happening = self.happenings.pop(0)
        if happening is not None:
            happening()


@pytest.fixture
def sheet(tmp_path):
    path = tmp_path / "answers.toml"
    path.write_text('[5]\nhidden = "96"\n')
    return path


@pytest.fixture
def watch(monkeypatch):
    def watched(clock, *arguments, **environment):
        monkeypatch.setattr(watching.watched, "__defaults__", (clock,))
        return call("check", *arguments, "--watch", **environment)

    return watched


def saved(path, text):
    return lambda: path.write_text(text)


def test_marked_again_when_the_file_changes(watch, sheet):
    called = watch(Clock(None, saved(sheet, '[5]\nhidden = "64"\n'), None, None), str(sheet))
    assert called.exit == 130
    assert called.err == ""
    first, again = called.out.split("--- marked again ---")
    assert "wrong" in first
    assert "correct" in again
    assert "--- watching; Ctrl-C ends ---" in first


def test_nothing_happens_while_nothing_changes(watch, sheet):
    called = watch(Clock(None, None, None), str(sheet))
    assert "marked again" not in called.out


def test_a_save_in_two_parts_is_marked_once(watch, sheet):
    parts = [saved(sheet, "[5]\nhid"), saved(sheet, '[5]\nhidden = "64"\n'), None, None]
    called = watch(Clock(*parts), str(sheet))
    assert called.out.count("marked again") == 1
    assert called.err == ""


def test_same_size_but_later_is_a_change(watch, sheet):
    def touched():
        sheet.write_text('[5]\nhidden = "64"\n')
        os.utime(sheet, (10**9, 10**9))

    assert "correct" in watch(Clock(touched, None), str(sheet)).out


def test_a_file_that_goes_and_comes_back(watch, sheet):
    called = watch(Clock(sheet.unlink, None, None, saved(sheet, '[5]\nhidden = "64"\n'), None), str(sheet))
    assert called.out.count("marked again") == 1
    assert "correct" in called.out


def test_a_file_that_breaks_is_told_and_waited_for(watch, sheet):
    called = watch(
        Clock(saved(sheet, "[5"), None, saved(sheet, '[5]\nhidden = "64"\n'), None, None), str(sheet)
    )
    assert called.exit == 130
    assert "answers.toml" in called.err
    assert "correct" in called.out


def test_a_new_file_in_a_folder(watch, sheet):
    other = sheet.with_name("other.toml")
    called = watch(Clock(saved(other, '[5]\nhidden = "64"\n'), None), str(sheet.parent))
    assert "other" in called.out.split("--- marked again ---")[1]


def test_json_documents_have_no_line_between(watch, sheet):
    called = watch(Clock(saved(sheet, '[5]\nhidden = "64"\n'), None), str(sheet), "--json")
    assert "---" not in called.out
    assert called.out.count('"schema"') == 2


@pytest.mark.parametrize(("arguments", "said"), [
    (["-"], "standard input cannot be watched"),
    (["--exercise", "5", "--answer", "hidden=64"], "no file to watch"),
    ([], "hint:"),
    (["no-such.toml"], "no-such.toml"),
])  # fmt: skip
def test_refused(watch, arguments, said):
    clock = Clock()
    called = watch(clock, *arguments)
    assert called.exit == 2
    assert said in called.err
    assert clock.pauses == 0


def test_the_output_of_a_marking_is_no_change(watch, sheet):
    page = sheet.parent / "report.html"
    called = watch(Clock(None, None, None, None), str(sheet.parent), "--to", "html", "--output", str(page))
    assert page.is_file()
    assert "marked again" not in called.out


def test_a_file_in_a_students_folder(watch, sheet):
    own = sheet.parent / "s02" / "try" / "answers.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[5]\nhidden = "96"\n')
    called = watch(Clock(saved(own, '[5]\nhidden = "640"\n'), None, None), str(sheet.parent))
    assert called.out.count("marked again") == 1
