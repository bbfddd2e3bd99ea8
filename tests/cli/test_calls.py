"""The command line as people and scripts meet it."""

import json
import os
import sys
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dense_cli import __version__, render
from dense_cli.grading.handouts import lint
from dense_cli.lang import LANGUAGES
from tests.cli.calling import call, started

LINT = cache(lint.lint)

CARD = ["rope", "--q", "1,0", "--k", "1,0", "--pos", "1", "2"]
WORK = {
    "rope": CARD,
    "rope table": ["rope", "--example"],
    "frequencies": ["rope", "--frequencies", "--head-dim", "8"],
    "rmsnorm": ["rmsnorm", "--x", "3,4:4,5", "--layernorm", "--shift", "10"],
    "swiglu": ["swiglu", "--example"],
    "params": ["params", "--width", "12", "--hidden", "50"],
    "models": ["params", '{"hidden_size": 12, "query_heads": 3, "ffn_hidden_size": 32}'],
    "check": ["check", "--exercise", "2", "--answer", "output=0,1"],
    "exercises": ["exercise", "list"],
    "show": ["exercise", "show", "3"],
    "solve": ["exercise", "solve", "5"],
    "lint": ["exercise", "lint"],
}


@pytest.fixture
def linted_once(monkeypatch):
    """What lint finds in the shipped set is worked out for the first page of it only."""
    monkeypatch.setattr(lint, "lint", LINT)


@pytest.mark.usefixtures("linted_once")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("format", render.FORMATS)
@pytest.mark.parametrize("name", WORK)
def test_every_format_works_for_every_command_in_every_language(name, format, language):
    shown = call(*WORK[name], "--format", format, "--lang", language)
    assert shown.exit in (0, 1)
    assert shown.err == ""
    assert shown.out.endswith("\n")
    assert "\x1b" not in shown.out
    if format == "json":
        document = shown.json
        assert document["schema"] == "dense/1"
        assert {"command", "given", "assumed", "result", "steps"} <= document.keys()


def test_the_card_answers_zero():
    row = call(*CARD, "--json").json["result"]["rows"][0]
    assert (row["query"], row["key"], row["dot"], row["visible"]) == ([0, 1], [-1, 0], 0, False)


def test_version():
    done = started("--version")
    assert (done.returncode, done.stdout) == (0, f"dense {__version__}\n")


REFUSED = [
    (["rop"], "rope"),
    (["zzz"], "rmsnorm"),
    (["--qq"], "rope"),
    (["rope", "--qq", "1"], "--q"),
    (["rope", "--zzzz", "1"], "--help"),
    (["rope", "--q"], "--q"),
    (["rope", "--q", "1,0"], "--k, --pos"),
    (["rope", "--q", "1, 0", "0", "--k", "1,0", "--pos", "1", "2"], "--q 1,0"),
    (["rope", "--q", "1,0", "--k", "1,0", "--pos", "1"], "--pos 1 2"),
    (["rope", "--q", "1,0", "--k", "1,0", "--pos", "1", "2", "3"], "3"),
    (["rope", "--q", "1,0", "--k", "1,0", "--pos", "1", "√2"], "1.5"),
    (["rope", "--q", "1,x", "--k", "1,0", "--pos", "1", "2"], "x"),
    (["rope", "--q", "nan,0", "--k", "1,0", "--pos", "1", "2"], "nan"),
    (["rope", "--q", "1e400,0", "--k", "1,0", "--pos", "1", "2"], "1e400"),
    (["rope", "--q", "1,0,1", "--k", "1,0,1", "--pos", "1", "2"], "even"),
    (["rope", "--q", "1,0", "--k", "1,0,0,0", "--pos", "1", "2"], "4"),
    (["rope", "--q", "@nobody.npy", "--k", "1,0", "--pos", "1", "2"], "nobody.npy"),
    ([*CARD, "--layout", "hlf"], "half"),
    ([*CARD, "--angle", "1/4trn"], "1/4trn"),
    ([*CARD, "--angle", "1", "--rope-theta", "2"], "--angle"),
    ([*CARD, "--rope-theta", "-1"], "-1"),
    ([*CARD, "--rotary-dim", "3"], "3"),
    ([*CARD, "--rotary-dim", "1.5"], "1.5"),
    ([*CARD, "--digits", "x"], "--digits"),
    ([*CARD, "--digits", "99"], "17"),
    ([*CARD, "--format", "jsn"], "json"),
    ([*CARD, "--lang", "xx"], "en, zh"),
    ([*CARD, "--seq-len", "4"], "--config"),
    ([*CARD, "--output", "/nowhere/x.md"], "/nowhere/x.md"),
    ([*CARD, "--config", "{"], "--config"),
    ([*CARD, "--output", "x.pdf"], "--output x.html"),
    ([*CARD, "--q", "2,0"], "1,0"),
    (["rmsnorm", "--x", "3,4", "--x", "4,5"], "--x 3,4:4,5"),
    (["rmsnorm", "3", "--x", "4"], "--x 1,0"),
    (["exercise", "show", "1", "2"], "dense exercise show 1"),
    (["exercise", "list", "3"], "dense exercise list --help"),
    (["rmsnorm", "--x", "0,0"], "--eps 1e-6"),
    (["rmsnorm", "--x", "3,4", "--eps", "-1"], "eps"),
    (["rmsnorm", "--x", "3,4", "--gain", "1,1,1"], "3"),
    (["rmsnorm", "--x", "3,4;5"], "row 2"),
    (["rmsnorm", "--x", "3,4", "--dtype", "float8"], "float16"),
    (["swiglu", "--x", "1,-1", "--wg", "1,0"], "--wu"),
    (["swiglu", "--x", "1,-1", "--wg", "1,0", "--wu", "1,0:0,1"], "1×2"),
    (["swiglu", "--example", "--activation", "sillu"], "silu"),
    (["swiglu", "--example", "--weights-layout", "in"], "in-out"),
    (["params"], "--width 12 --hidden 48"),
    (["params", "--width", "0", "--hidden", "48"], "width"),
    (["params", "--width", "12"], "--hidden"),
    (["params", "nobody.json"], "nobody.json"),
    (["params", "{}", "--width", "12"], "config"),
    (["check"], "answers.toml"),
    (["check", "nobody.toml"], "nobody.toml"),
    (["check", "--exercise", "9", "--answer", "x=1"], "1, 2, 3, 4, 5, 6"),
    (["check", "--exercise", "4", "--answer", "x=1"], "cross_token"),
    (["check", "--exercise", "4", "--answer", "output"], "output=0"),
    (["check", "--exercise", "4"], "--answer"),
    (["check", "--answer", "output=1"], "--exercise 4"),
    (["exercise", "lst"], "list"),
    (["exercise", "show"], "1, 2, 3, 4, 5, 6"),
    (["exercise", "show", "7"], "1, 2, 3, 4, 5, 6"),
    (["exercise", "lint", "nowhere"], "set.toml"),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("arguments", "says"), REFUSED, ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else ""
)
def test_unusable_calls_get_a_few_clear_lines(arguments, says, language, tmp_path, monkeypatch):
    """Exit 2, what was typed and what to do, in the language chosen, never a traceback."""
    monkeypatch.chdir(tmp_path)
    asked = arguments if "--lang" in arguments else [*arguments, "--lang", language]
    shown = call(*asked)
    assert shown.exit == 2
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert 2 <= len(lines) <= 3
    assert all(len(line) < 400 for line in lines)
    if language == "en":
        assert says in shown.err
    elif "--lang" not in arguments:
        assert lines[0].startswith("错误")
        assert lines[-1].startswith("提示")


@pytest.mark.parametrize(("arguments", "says"), REFUSED[:12])
def test_errors_are_json_where_json_was_asked_for(arguments, says):
    shown = call(*arguments, "--json")
    assert shown.exit == 2
    assert shown.json["schema"] == "dense/1"
    assert shown.json["error"].keys() == {"code", "message", "hint"}


VALUES = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["1,0", "-1 2", "[1,0]", "1/0", "@", "@.", "-", "e", "9**9**9", "1,2,3,4", "\x1b[2J", "[[[["]
    ),
)
OPTIONS = {
    "rope": [
        "--q",
        "--k",
        "--pos",
        "--angle",
        "--rope-theta",
        "--layout",
        "--rotary-dim",
        "--digits",
        "--config",
    ],
    "rmsnorm": ["--x", "--gain", "--eps", "--shift", "--scale", "--digits", "--config", "--dtype"],
    "swiglu": [
        "--x",
        "--wg",
        "--wu",
        "--wd",
        "--bg",
        "--activation",
        "--beta",
        "--limit",
        "--packed",
        "--wgu",
    ],
    "params": ["--width", "--hidden", "--multiple-of", "--dtype", "--context"],
    "check": ["--exercise", "--answer", "--atol", "--rtol"],
}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), name=st.sampled_from(sorted(OPTIONS)))
def test_nothing_typed_can_break_the_program(data, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chosen = data.draw(st.lists(st.tuples(st.sampled_from(OPTIONS[name]), VALUES), max_size=5))
    typed = [word for option, value in chosen for word in (option, value) if "\0" not in value]
    shown = call(name, *typed)
    assert shown.exit in (0, 1, 2), shown.err
    assert "\x1b" not in shown.out + shown.err


@pytest.mark.parametrize(
    ("environment", "chinese"),
    [
        ({"DENSE_LANG": "zh"}, True),
        ({"DENSE_LANG": "", "LC_ALL": "zh_CN.UTF-8"}, True),
        ({"DENSE_LANG": "", "LC_ALL": "", "LC_MESSAGES": "zh_TW", "LANG": "en_US"}, True),
        ({"DENSE_LANG": "", "LC_ALL": "", "LC_MESSAGES": "", "LANG": "zh"}, True),
        ({"DENSE_LANG": "en", "LANG": "zh_CN.UTF-8"}, False),
        ({"DENSE_LANG": "", "LC_ALL": "C", "LC_MESSAGES": "", "LANG": "zh_CN.UTF-8"}, False),
        ({"DENSE_LANG": "xx"}, False),
    ],
)
def test_language_of_the_environment(environment, chinese):
    assert ("点积" in call(*CARD, **environment).out) == chinese


@pytest.mark.parametrize("arguments", [["--lang", "zh", *CARD], [*CARD, "--lang=zh"], ["--lang=zh", *CARD]])
def test_the_language_may_stand_anywhere(arguments):
    assert "点积" in call(*arguments).out


def test_output_is_written_whole_and_its_suffix_chooses_the_format(tmp_path):
    for suffix, format in (
        ("json", "json"),
        ("md", "markdown"),
        ("tex", "latex"),
        ("html", "html"),
        ("svg", "svg"),
        ("txt", "plain"),
    ):
        place = tmp_path / f"page.{suffix}"
        assert call(*CARD, "--output", str(place)).exit == 0
        assert place.read_text(encoding="utf-8") == call(*CARD, "--format", format).out
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "gbk", "utf-8"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_encoding_of_a_terminal_makes_it_fail(encoding, language):
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "LC_ALL": "C"}
    import subprocess

    for words in ([*CARD], ["rope", "--help"], ["rop"]):
        done = subprocess.run(
            [sys.executable, "-m", "dense_cli", *words, "--lang", language],
            capture_output=True,
            env=environment,
            check=False,
        )
        assert done.returncode in (0, 2)
        assert b"Error" not in done.stderr
        done.stdout.decode(encoding)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a device that is always full")
def test_a_full_disk_is_told_and_no_traceback():
    import subprocess

    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dense_cli", *CARD], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b"hint" in done.stderr or "提示".encode() in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes close in another way there")
def test_a_closed_pipe_ends_quietly():
    import subprocess

    process = subprocess.Popen(
        [sys.executable, "-m", "dense_cli", "rope", "--example"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    process.wait()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.returncode == 141


def test_a_fault_of_the_program_is_told_as_one(monkeypatch):
    import dense_cli.cli.main as main

    def broken(*_):
        raise RuntimeError("\x1b[31mbroken")

    monkeypatch.setattr(main, "_answered", broken)
    shown = call(*CARD)
    assert shown.exit == 70
    assert "RuntimeError" in shown.err
    assert "\x1b" not in shown.err
    assert "Traceback" in call(*CARD, DENSE_DEBUG="1").err


def test_digits_change_what_is_shown_and_nothing_else():
    few, many = (call("rmsnorm", "--x", "3,4", "--digits", digits, "--json").json for digits in ("2", "15"))
    assert few["result"] == many["result"]
    assert "0.85" in call("rmsnorm", "--x", "3,4", "--digits", "2").out


def test_json_is_one_strict_document_even_where_numbers_are_not_finite():
    shown = call("rmsnorm", "--x", "3e200,4e200", "--json")
    assert shown.json["result"]["rows"][0]["mean_square"] is None
    assert shown.out.count("\n") == 1 or json.loads(shown.out)
