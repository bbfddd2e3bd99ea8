"""Streams and files: what is printed never fails for its letters, and ends quietly when nobody reads."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dense_cli.cli import console
from dense_cli.cli.spelling import SPELLED, SPELLING
from dense_cli.errors import DenseError
from dense_cli.render import show
from tests.render.sample import sample, say_sample


def run(
    code: str, stdout: int | io.IOBase = subprocess.PIPE, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """A program of its own with `console` prepared."""
    program = "from dense_cli.cli import console\nconsole.prepare()\n" + code
    return subprocess.run(
        [sys.executable, "-c", program],
        stdout=stdout,  # type: ignore[arg-type]
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "", **environment},
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "gbk", "utf-8"])
def test_no_encoding_refuses_a_letter(encoding: str) -> None:
    text = "θ = √2 ≈ 1.41 · × ′ ₀ ² — 旋转 │─ 🙂 \\udcff"
    done = run(f"console.standard_output().write({text!r} + chr(0xdcff))", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "1.41" in done.stdout.decode(encoding)


def test_what_ascii_lacks_is_spelled() -> None:
    done = run("console.standard_output().write('θ=√2≈q′₀ 旋')", PYTHONIOENCODING="ascii")
    assert done.stdout == b"theta=sqrt2~=q'0 \\u65cb"


def test_spelled_json_is_the_same_document_but_for_the_signs() -> None:
    console.prepare()
    text = show(sample(), format="json", say=say_sample("zh"), digits=6, width=80, colour=False)
    spelled = json.loads(text.encode("ascii", errors=SPELLED))
    whole = json.loads(text)
    assert spelled["result"] == whole["result"]
    assert spelled["steps"][0]["title"] == whole["steps"][0]["title"]
    assert json.loads('"🙂"'.encode("ascii", errors=SPELLED)) == "🙂"


def test_no_spelling_can_end_a_string_of_json() -> None:
    assert all(text.isascii() and not set(text) & set('"\\') for text in SPELLING.values())


def test_a_closed_pipe_is_told_to_the_caller_and_leaves_no_complaint() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    code = (
        "import sys\ntry:\n console.standard_output().write('x' * 100000)\n"
        "except BrokenPipeError:\n console.silence()\n sys.exit(141)"
    )
    with os.fdopen(writing, "wb") as pipe:
        done = run(code, stdout=pipe)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is always full")
def test_a_full_disk_is_a_refusal_and_leaves_no_complaint() -> None:
    code = (
        "import sys\nfrom dense_cli.errors import DenseError\ntry:\n console.standard_output().write('x')\n"
        "except DenseError as error:\n sys.exit(2 if error.key == 'output-full' else 1)"
    )
    with open("/dev/full", "wb") as device:
        done = run(code, stdout=device)
    assert (done.returncode, done.stderr) == (2, b"")


@pytest.mark.parametrize(
    ("environment", "screen", "wanted"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"FORCE_COLOR": ""}, False, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colour_is_asked_for_or_forbidden(environment: dict[str, str], screen: bool, wanted: bool) -> None:
    assert console.wants_colour(environment, screen) is wanted


@pytest.mark.parametrize(
    ("columns", "width"),
    [("40", 40), ("120", 120), ("1", 20), ("20", 20), ("9" * 5000, 1000), ("200", 200)],
)
def test_the_width_that_is_asked_for_has_a_floor_and_a_ceiling(columns: str, width: int) -> None:
    assert console.width_of({"COLUMNS": columns}) == width


@pytest.mark.parametrize("columns", ["0", "", "-5", "wide", "8.5", "²"])
def test_a_width_that_makes_no_sense_is_not_believed(columns: str) -> None:
    assert console.width_of({"COLUMNS": columns}) == console.width_of({})
    assert console.width_of({}) >= console.NARROWEST


def test_a_pipe_is_no_terminal() -> None:
    done = run("print(console.standard_output().terminal, console.standard_output().colour)", FORCE_COLOR="")
    assert done.stdout.split() == [b"False", b"False"]


class Screen(io.TextIOWrapper):
    """A terminal as far as anyone can tell."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("encoding", "term", "capable"),
    [("utf-8", "xterm", True), ("utf-8", "dumb", False), ("gbk", "xterm", False), ("ascii", "xterm", False)],
)
def test_a_screen_must_show_the_signs_of_a_textbook(
    encoding: str, term: str, capable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", Screen(io.BytesIO(), encoding=encoding))
    assert console.standard_output({"TERM": term}).terminal is capable


# --- files


def test_a_file_is_replaced_whole_and_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "result.md"
    target.write_text("old")
    target.chmod(0o640)
    console.write_atomically(str(target), "新\n")
    assert target.read_bytes() == "新\n".encode()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_has_the_permissions_that_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        console.write_atomically(str(tmp_path / "new.txt"), "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    console.write_atomically(str(tmp_path / "link.txt"), "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "result.md"
    target.write_text("old")

    def fails(*_: object) -> None:
        raise OSError(28, "full")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(DenseError, match="output-full"):
        console.write_atomically(str(target), "new")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("place", "key"),
    [(".", "output-is-folder"), ("missing/x.md", "output-no-folder"), ("a\0b", "output-unwritable")],
)
def test_a_place_that_takes_no_file_is_refused(place: str, key: str, tmp_path: Path) -> None:
    with pytest.raises(DenseError) as caught:
        console.write_atomically(str(tmp_path / place) if place != "." else str(tmp_path), "x")
    assert caught.value.key == key


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_with_a_name_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """Tried on a pipe of the test's own: a real device would be lost if the code were wrong."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        console.write_atomically(str(pipe), "x")
        assert os.read(reading, 10) == b"x"
    finally:
        os.close(reading)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
