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
        ("rope", ["--q", "1,0", "--q", "2,0"]),
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


@pytest.mark.parametrize(("option", "rows"), [("--x", True), ("--format", False), ("--eps", False)])
def test_only_an_option_that_takes_a_matrix_hears_of_rows(option, rows):
    with pytest.raises(DenseError) as refused:
        parsed("rmsnorm", PARAMETERS["rmsnorm"], [option, "1,2", option, "3,4"])
    assert (refused.value.hint == "option-twice-rows") is rows


@pytest.mark.parametrize("others", [[], ["--", "--"]], ids=["plain", "by Typer"])
class TestAnOptionThatTakesOneValue:
    """However a call is read, two values for one option are refused and never chosen between."""

    def test_is_refused_with_two(self, others):
        name, words = ("params", ["--width", "12", "--hidden=48", "--width", "24", *others])
        with pytest.raises(DenseError) as refused:
            parsed(name, PARAMETERS[name], words)
        assert refused.value.key == "option-twice"
        assert [refused.value.facts[fact] for fact in ("typed", "first", "second")] == ["--width", "12", "24"]

    def test_may_be_given_the_same_value_again(self, others):
        found = parsed("params", PARAMETERS["params"], ["-o", "a.md", "--output=a.md", *others])
        assert found["output"] == "a.md"

    def test_is_refused_without_a_value_first(self, others):
        with pytest.raises(DenseError) as refused:
            parsed("params", PARAMETERS["params"], ["--width", "12", "--width=", *others])
        assert refused.value.key == "option-without-value"

    def test_does_not_make_others_take_one_only(self, others):
        words = ["--expect", "total=1", "--expect", "total=2", *others]
        assert parsed("params", PARAMETERS["params"], words)["expect"] == ("total=1", "total=2")


def test_what_is_typed_beside_a_worked_example_counts_in_its_place():
    from tests.cli.calling import call

    assert call("rmsnorm", "--example", "--x", "5,12", "--json").json["result"]["rows"][0]["x"] == [5, 12]
    rows = call("rope", "--example", "--pos", "5", "7", "--json").json["result"]["rows"]
    assert [row["query_position"] for row in rows] == [0, 0, 1, 0, 5]
