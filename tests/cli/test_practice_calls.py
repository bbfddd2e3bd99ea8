"""`exercise practice` as a process sees it, and what it keeps."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dense_cli.cli.progress import progress_of, state_folder
from dense_cli.grading.practice.state import Done, Kept, with_changes
from tests.cli.calling import QUIET, call, started

HOME = Path("/home/a")


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "dense"


@pytest.mark.parametrize(("language", "typed", "told"), [
    ("en", "[-1, 0]\nq\n", ["Read as: [-1, 0]", "Correct.", "Done for now: 1 of 18"]),
    ("en", "[1, 0]\nhint\n", ["Not right yet.", "Hint 1 of 3", "Done for now: 0 of 18"]),
    ("zh", "[-1，0]\n退出\n", ["读作：[-1, 0]", "正确。", "完成 1 个"]),
    ("en", "", ["1.query", "Done for now: 0 of 18"]),
])  # fmt: skip
def test_piped_answers_are_taken_line_by_line(language, typed, told):
    called = call("exercise", "practice", "--lang", language, stdin=typed)
    assert (called.exit, called.err) == (0, "")
    places = [called.out.find(part) for part in told]
    assert -1 not in places
    assert places == sorted(places)
    assert "\x1b" not in called.out
    assert "\n> " not in called.out  # a prompt is for who types


def test_lines_fit_the_screen():
    called = call("exercise", "practice", stdin="help\nlist\n", COLUMNS="40")
    assert max(map(len, called.out.splitlines())) <= 40


def test_progress_is_kept_from_sitting_to_sitting(state):
    call("exercise", "practice", "1", stdin="[-1, 0]\nskip\n")
    kept = json.loads((state / "practice-chapter-25.json").read_text(encoding="utf-8"))
    assert kept["done"] == {
        "1.query": {"how": "alone", "hints": 0},
        "1.key": {"how": "skipped", "hints": 0},
    }
    assert "Welcome back: 1 of 18" in call("exercise", "practice", stdin="").out
    assert list(state.iterdir()) == [state / "practice-chapter-25.json"]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"format": 1}', b"9" * 5000])
def test_a_broken_file_is_put_aside_and_practice_begins(state, content):
    state.mkdir(parents=True)
    (state / "practice-chapter-25.json").write_bytes(content)
    called = call("exercise", "practice", stdin="[-1, 0]\n")
    assert called.exit == 0
    assert "cannot be read" in called.err
    assert (state / "practice-chapter-25.json.broken").read_bytes() == content
    assert progress_of("chapter-25").kept == Kept({"1.query": Done("alone")})


def test_where_nothing_can_be_kept_practice_goes_on(state):
    state.parent.mkdir(parents=True)
    state.write_text("a file where the folder should be")
    called = call("exercise", "practice", stdin="[-1, 0]\n")
    assert called.exit == 0
    assert "Correct." in called.out
    assert "Progress cannot be kept" in called.err
    assert "is kept" not in called.out


@pytest.mark.parametrize("typed", ["\x00\x1b[2J\n", "x" * 50_000 + "\nkey\n", "\u202e[0, 1-]\n"])
def test_hostile_lines_are_answered_harmlessly(typed):
    called = call("exercise", "practice", stdin=typed)
    assert called.exit == 0
    assert "\x1b" not in called.out
    assert called.out.count("Not understood") == 1
    if "key" in typed:
        assert "The answer: [-1, 0]" in called.out


def test_bytes_that_are_no_letters_are_answered_too():
    words = [sys.executable, "-m", "dense_cli", "exercise", "practice"]
    ended = subprocess.run(
        words, input=b"\xff\xfe\n[-1, 0]\n", capture_output=True, env={**os.environ, **QUIET}
    )
    assert ended.returncode == 0
    assert b"Not understood" in ended.stdout
    assert b"Correct." in ended.stdout


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_ctrl_c_keeps_what_is_done(state):
    words = [sys.executable, "-m", "dense_cli", "exercise", "practice"]
    with subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **QUIET},
    ) as process:
        process.stdin.write(b"[-1, 0]\n")
        process.stdin.flush()
        for _ in range(200):
            if (state / "practice-chapter-25.json").exists():
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err == b""
    assert b"Done for now: 1 of 18" in out


@pytest.mark.parametrize(("environment", "platform", "folder"), [
    ({}, "linux", "/home/a/.local/state/dense"),
    ({"XDG_STATE_HOME": ""}, "linux", "/home/a/.local/state/dense"),
    ({"XDG_STATE_HOME": "/s"}, "darwin", "/s/dense"),
    ({}, "darwin", "/home/a/Library/Application Support/dense"),
    ({"LOCALAPPDATA": "/local"}, "win32", "/local/dense"),
    ({"LOCALAPPDATA": "/local"}, "linux", "/home/a/.local/state/dense"),
])  # fmt: skip
def test_each_system_has_its_folder(environment, platform, folder):
    assert state_folder(environment, platform, HOME).as_posix() == folder


def test_an_unknown_exercise_is_refused():
    called = call("exercise", "practice", "99")
    assert called.exit == 2
    assert "99" in called.err


def test_two_sittings_at_once_keep_what_each_did(state):
    """One begins, another answers in an exercise of its own, then the first answers and redraws."""
    first, second = progress_of("chapter-25"), progress_of("chapter-25")
    one, other = Kept({"1.query": Done("alone")}, {"1": "1"}, 1), Kept({"2.output": Done("shown")})
    assert second.save(second.kept, other)
    assert first.save(first.kept, one)
    assert progress_of("chapter-25").kept == Kept({**one.done, **other.done}, {"1": "1"}, 1)


def test_what_another_sitting_did_again_is_not_undone():
    before = Kept({"2.output": Done("alone")})
    after = Kept({"2.output": Done("alone"), "1.query": Done("shown")})
    meanwhile = Kept({"2.output": Done("hinted", 2)})
    done = with_changes(meanwhile, before, after).done
    assert done == {"2.output": Done("hinted", 2), "1.query": Done("shown")}


def test_an_exercise_begun_again_is_kept_as_the_last_sitting_left_it():
    kept = Kept({"1.query": Done("alone"), "1.key": Done("alone"), "2.output": Done("alone")}, {"2": "5"}, 5)
    begun_again = Kept({"2.output": Done("alone")}, {"1": "6", "2": "5"}, 6)
    assert with_changes(kept, kept, begun_again) == begun_again


def test_the_seed_of_the_call_is_kept_for_every_exercise(state):
    call("exercise", "practice", "--variant", "7", stdin="skip\n")
    assert progress_of("chapter-25").kept.seeds == dict.fromkeys("123456", "7")


def test_that_nothing_can_be_kept_is_told_with_the_first_answer(state):
    state.parent.mkdir(parents=True)
    state.write_text("a file where the folder should be")
    called = call("exercise", "practice", stdin="skip\nskip\nskip\n")
    assert called.err.count("Progress cannot be kept") == 1


# --- on a terminal


def typed_on_terminal(typed, **environment):
    """What a terminal shows, and the exit code, after each of these was typed at a prompt."""
    pty = pytest.importorskip("pty")
    words = [sys.executable, "-m", "dense_cli", "exercise", "practice"]
    settings = {**os.environ, **QUIET, **environment}
    screen, end = pty.openpty()
    with subprocess.Popen(
        words, stdin=end, stdout=end, stderr=end, env=settings, start_new_session=True
    ) as run:
        os.close(end)
        shown = b""
        for keys in (*typed, None):
            asked = shown.count(b"> ")
            while shown.count(b"> ") == asked and select.select([screen], [], [], 20)[0]:
                try:
                    part = os.read(screen, 4096)
                except OSError:  # how Linux says that the other end is closed
                    part = b""
                if not part:
                    break
                shown += part
            if keys is not None:
                os.write(screen, keys)
        os.close(screen)
        return shown.decode().replace("\r\n", "\n"), run.wait(20)


UP = b"\x1b[A"


@pytest.mark.skipif(os.name == "nt", reason="terminals are those of POSIX")
class TestOnATerminal:
    def test_lines_are_edited_as_in_a_shell(self, state):
        """The up arrow brings back the last answer, whose first character is then replaced."""
        pytest.importorskip("readline")
        shown, code = typed_on_terminal([b"[5, 0]\n", UP + b"\x01\x04(\n", b"\x04"], TERM="xterm")
        assert "Not understood" in shown
        assert "([5, 0]" not in shown
        assert "(5, 0]" in shown
        assert code == 0

    @pytest.mark.parametrize("term", ["xterm", "dumb"])
    def test_ctrl_d_ends_kindly(self, state, term):
        shown, code = typed_on_terminal([b"[-1, 0]\n", b"\x04"], TERM=term)
        assert "> \nDone for now: 1 of 18" in shown.replace("> \x1b[K", "> ")
        assert code == 0

    @pytest.mark.parametrize("term", ["xterm", "dumb"])
    def test_no_control_sequence_is_written_of_our_own(self, state, term):
        shown, _ = typed_on_terminal([b"[-1, 0]\n", b"hint\n", b"q\n"], TERM=term)
        assert "\x1b" not in shown
        assert "Done for now: 1 of 18" in shown


def test_nothing_but_a_terminal_brings_in_the_line_editor():
    ended = started(
        code="import sys; from dense_cli.cli.main import run; "
        "run(['exercise', 'practice']); sys.exit('readline' in sys.modules)"
    )
    assert ended.returncode == 0
