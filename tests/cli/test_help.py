"""Help teaches: every example in it and in the README runs, in both languages, at any width."""

import importlib
import re
import shlex
from pathlib import Path

import pytest

from dense_cli.cli.main import COMMANDS
from dense_cli.cli.options import parameters_of
from dense_cli.lang import LANGUAGES
from dense_cli.render.layout import columns_of
from tests.cli.calling import call

MODULES = {name: importlib.import_module(f"dense_cli.cli.{name}") for name in COMMANDS}
GROUPS = {name: module.SUBCOMMANDS for name, module in MODULES.items() if hasattr(module, "SUBCOMMANDS")}
CALLS = [
    *(name for name in COMMANDS if name not in GROUPS),
    *(f"{group} {sub}" for group in GROUPS for sub in GROUPS[group]),
]
EXAMPLES = [
    example.arguments
    for module in MODULES.values()
    for examples in getattr(module, "EXAMPLES", {}).values()
    for example in examples
]
README = Path(__file__).parents[2] / "README.md"
SHELL_SAFE = re.compile(r"[\w√·,.:/=+@%\- ]*")


def readme_examples():
    """The calls of the README that need no file, one a line."""
    blocks = README.read_text(encoding="utf-8").split("<!-- examples -->")[1:]
    lines = [line for block in blocks for line in block.split("```")[1].splitlines()[1:]]
    return [line.removeprefix("dense ") for line in lines if line]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.toml").write_text('student = "s01"\n[2]\noutput = "[0, √2]"\n', encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["", *GROUPS, *CALLS])
@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_help_fits_the_screen(name, language, columns):
    """No line is wider than the screen, but for calls, which must stay whole to be copied."""
    shown = call(*name.split(), "--help", "--lang", language, COLUMNS=str(columns))
    assert shown.exit == 0
    assert shown.err == ""
    for line in shown.out.splitlines():
        assert columns_of(line) <= columns or line.startswith("  dense ") or " " not in line.strip(), line


@pytest.mark.parametrize("name", CALLS)
def test_every_option_is_explained(name):
    module = MODULES[name.split()[0]]
    last = name.split()[-1].replace("-", "_")
    function = getattr(module, last, None) or getattr(module, last + "_")
    shown = call(*name.split(), "--help").out
    for parameter in parameters_of(function):
        assert all(option in shown for option in parameter.options)
        assert not parameter.metavar or parameter.metavar in shown


@pytest.mark.parametrize("arguments", EXAMPLES)
def test_examples_of_help_run(arguments, tmp_path):
    if "template" in arguments:  # which writes no empty sheet over one with answers
        (tmp_path / "answers.toml").unlink()
    assert call(*shlex.split(arguments)).exit in (0, 1)


@pytest.mark.parametrize("arguments", [*EXAMPLES, *readme_examples()])
def test_examples_are_safe_in_every_shell(arguments):
    """They reach the program as they stand: outside single quotes no sign that bash, zsh or fish reads."""
    assert SHELL_SAFE.fullmatch(re.sub(r"'[^']*'", "", arguments)), arguments


@pytest.mark.parametrize("arguments", readme_examples())
def test_examples_of_the_readme_run(arguments):
    shown = call(*shlex.split(arguments))
    assert (shown.exit, shown.err) == (1 if "--expect" in arguments else 0, "")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [name for name, module in MODULES.items() if hasattr(module, "WORKED")])
def test_worked_examples_name_their_place_in_the_chapter(name, language):
    shown = call(name, "--example", "--lang", language)
    assert shown.exit == 0
    assert "25." in shown.out.splitlines()[0]


def test_dense_alone_shows_the_way_in():
    shown = call()
    assert shown.exit == 0
    assert "dense rope --q 1,0 --k 1,0 --pos 1 2" in shown.out
    assert all(name in shown.out for name in COMMANDS)
