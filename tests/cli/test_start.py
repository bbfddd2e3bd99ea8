"""What a start costs: modules that are imported, never seconds, so that a slow machine does not fail."""

import json

import pytest

from tests.cli.calling import started

REPORT = """
import contextlib, io, sys
from dense_cli.__main__ import main
sys.argv = ["dense", *sys.argv[1:]]
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    try:
        main()
    except SystemExit:
        pass
print(" ".join(sys.modules))
"""

HEAVY = {"numpy", "pydantic", "rich"}
FOR_ODD_CALLS = {"typer", "difflib", "subprocess"}
FOR_DECLARING = {"dataclasses", "inspect"}
FOR_FILES = {"zipfile", "shutil", "pathlib", "csv", "json"}
FOR_COMPARING = {"dense_cli.mistakes", "dense_cli.cli.expect_asked", "dense_cli.grading"}
FOR_SHEETS = {
    "csv",
    "hashlib",
    "zipfile",
    "dense_cli.cli.check_call",
    "dense_cli.grading.export",
    "dense_cli.grading.intake.layouts",
    "dense_cli.grading.intake.roster",
    "dense_cli.grading.reports.items",
    "dense_cli.grading.classes.streaming",
}
OTHER_MARKS = {
    "dense_cli.render.latex_notation",
    "dense_cli.render.html_notation",
    "dense_cli.render.escaping",
}

ROPE = ["rope", "--q", "1,0", "--k", "1,0", "--pos", "1", "2"]
RMSNORM = ["rmsnorm", "--x", "3,4"]
SWIGLU = ["swiglu", "--example"]
PARAMS = ["params", "--width", "12", "--hidden", "48"]
ANSWER = ["check", "--exercise", "2", "--answer", "output=0,1"]
MODEL = ["params", json.dumps({"hidden_size": 12, "query_heads": 3, "ffn_hidden_size": 32})]


def imported(*arguments):
    return set(started(*arguments, code=REPORT).stdout.split())


def test_version_imports_nothing():
    assert not imported("--version") & {
        *HEAVY,
        *FOR_ODD_CALLS,
        "typing",
        "tomllib",
        "dense_cli.cli",
        "dense_cli.api",
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["rope", "--help"],
        ["exercise"],
        ["rop"],
        ROPE,
        [*ROPE, "--json"],
        RMSNORM,
        SWIGLU,
        PARAMS,
        MODEL,
        ANSWER,
        ["exercise", "template"],
    ],
    ids=" ".join,
)
def test_small_work_imports_nothing_heavy(arguments):
    assert not imported(*arguments) & HEAVY


@pytest.mark.parametrize("arguments", [["--help"], ["rop"]], ids=" ".join)
def test_the_way_in_imports_no_calculation(arguments):
    assert not imported(*arguments) & {
        "typer",
        "dense_cli.core",
        "dense_cli.derivation",
        "dense_cli.cli.options",
        *FOR_DECLARING,
    }


@pytest.mark.parametrize("command", ["rope", "rmsnorm", "swiglu", "params", "block"])
def test_help_of_a_command_imports_no_calculation(command):
    unneeded = {
        "typer",
        "dense_cli.core",
        "dense_cli.derivation",
        "dense_cli.reading.numbers",
        *FOR_DECLARING,
    }
    assert not imported(command, "--help") & unneeded


@pytest.mark.parametrize("arguments", [ROPE, RMSNORM, SWIGLU, PARAMS], ids=" ".join)
def test_a_calculation_imports_only_what_it_needs(arguments):
    """No Typer for a plainly written call, nothing of files, comparisons, models and other formats."""
    unneeded = {*FOR_ODD_CALLS, *FOR_FILES, *FOR_COMPARING, *OTHER_MARKS, *FOR_DECLARING, "dense_cli.models"}
    assert not imported(*arguments) & unneeded


def test_counting_a_model_imports_no_rotation():
    unneeded = {*FOR_ODD_CALLS, *FOR_COMPARING, *OTHER_MARKS, *FOR_DECLARING}
    others = {
        "dense_cli.core.rope",
        "dense_cli.core.norms",
        "dense_cli.core.budget",
        "dense_cli.models.checkpoint",
    }
    assert not imported(*MODEL) & {*unneeded, *others}


def test_one_answer_is_marked_without_what_sheets_need():
    assert not imported(*ANSWER) & {*FOR_ODD_CALLS, *FOR_DECLARING, *FOR_SHEETS}


def test_an_exercise_is_shown_without_a_draw_and_without_marking():
    drawing, marking = "dense_cli.grading.variants.variant", "dense_cli.grading.marks.marking"
    unneeded = {*FOR_SHEETS, *FOR_DECLARING, drawing, marking}
    assert not imported("exercise", "show", "4") & unneeded


def test_a_call_that_is_not_plain_imports_typer():
    """The modules above are absent because they are not needed, not because the report cannot see them."""
    assert {"typer", "dense_cli.core.rope", *FOR_DECLARING} <= imported(*ROPE, "-o/dev/null")
    assert {"dense_cli.mistakes", "dense_cli.cli.expect_asked"} <= imported(*ROPE, "--expect", "0")
    assert {"dense_cli.cli.check_call", "dense_cli.grading.export"} <= imported("check", "none.toml")
    drawing = {"hashlib", "dense_cli.grading.variants.variant"}
    assert drawing <= imported("exercise", "show", "4", "--variant", "7")
    assert {"dense_cli.render.escaping"} <= imported(*ROPE, "--format", "html")
