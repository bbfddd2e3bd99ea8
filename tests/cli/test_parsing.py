"""The words of a call as values: what is read without Typer is what Typer would read."""

import importlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.cli.main import COMMANDS
from dense_cli.cli.options import parameters_of
from dense_cli.cli.parsing import parsed, plainly, values_of
from dense_cli.cli.typer_command import found_by_typer
from dense_cli.errors import DenseError


def functions():
    for command in COMMANDS:
        module = importlib.import_module(f"dense_cli.cli.{command}")
        for name in getattr(module, "SUBCOMMANDS", (command,)):
            word = name.replace("-", "_")
            yield name, getattr(module, word, None) or getattr(module, word + "_")


PARAMETERS = {name: parameters_of(function) for name, function in functions()}
VALUES = (
    "1,0",
    "-1,0",
    "-",
    "--",
    "",
    "2",
    "answers.toml",
    "x=1",
    "--q",
    "--x",
    "-x",
    "-ofile",
    "-o=file",
    "--nope",
)


@st.composite
def calls(draw):
    """A command, and words as people type them: its own options, values of all kinds, and slips."""
    name = draw(st.sampled_from(sorted(PARAMETERS)))
    options = [option for one in PARAMETERS[name] for option in one.options]
    word = st.sampled_from(options) | st.sampled_from(VALUES)
    joined = st.tuples(st.sampled_from(options), st.sampled_from(VALUES)).map("=".join)
    behind = st.tuples(st.sampled_from(options), st.sampled_from(VALUES))
    pieces = draw(
        st.lists(behind | word.map(lambda one: (one,)) | joined.map(lambda one: (one,)), max_size=6)
    )
    return name, [one for piece in pieces for one in piece]


@given(calls())
@settings(max_examples=300, deadline=None)
def test_what_is_read_plainly_is_what_typer_reads(call):
    name, words = call
    plain = plainly(PARAMETERS[name], words)
    if plain is not None:
        by_typer = found_by_typer(name, PARAMETERS[name], words)
        assert values_of(PARAMETERS[name], plain) == values_of(PARAMETERS[name], by_typer)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rope", "--q 1,0 --k=-1,0 --pos 1,2 --pos 3,4 --json --frequencies"),
        ("rope", "--q -1,0"),
        ("params", "config.json --dtype bf16 other.json"),
        ("show", "4 -o page.html"),
        ("check", "--exercise 2 --answer output=0,1"),
    ],
)
def test_ordinary_calls_are_read_plainly(name, words):
    assert plainly(PARAMETERS[name], words.split()) is not None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rope", ["--nope"]),
        ("rope", ["--q"]),
        ("rope", ["--q", "--k"]),
        ("rope", ["--json=yes"]),
        ("rope", ["--", "--q"]),
        ("rope", ["1,0"]),
        ("show", ["4", "5"]),
        ("show", ["-opage.html"]),
        ("params", ["-1"]),
    ],
)
def test_what_has_two_readings_is_left_to_typer(name, words):
    assert plainly(PARAMETERS[name], words) is None


def test_typer_reads_what_is_not_plain():
    assert parsed("show", PARAMETERS["show"], ["-opage.html", "--", "-4"])["output"] == "page.html"
    assert parsed("params", PARAMETERS["params"], ["--", "-1", "--x"])["config"] == ("-1", "--x")


@pytest.mark.parametrize(
    ("words", "key"),
    [(["--nope"], "unknown-option"), (["--q"], "option-without-value"), (["1,0"], "unexpected-argument")],
)
def test_complaints_are_ours(words, key):
    with pytest.raises(DenseError) as refused:
        parsed("rope", PARAMETERS["rope"], words)
    assert refused.value.key == key
