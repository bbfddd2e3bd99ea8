"""From the words of a call to its exit code: which command, which language, and what goes wrong.

Each command's module is imported only when it is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING

from dense_cli.cli import language
from dense_cli.cli.exits import Exit
from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import replace
from dense_cli.lang import LANGUAGES, say_in

if TYPE_CHECKING:
    from dense_cli.cli.options import Outcome

COMMANDS = ("rope", "rmsnorm", "swiglu", "params", "block", "check", "exercise")
HELP_WORDS = ("--help", "-h")


def run(arguments: Sequence[str]) -> int:
    """Run one call and return its exit code; never raises, never shows a traceback unasked."""
    from dense_cli.cli import console

    spoken = LANGUAGES[0]
    try:
        console.prepare()
        spoken = language.of_environment()
        spoken = language.of_arguments(arguments)
        return int(_answered(list(arguments), spoken))
    except KeyboardInterrupt:
        return int(Exit.INTERRUPTED)
    except BrokenPipeError:
        console.silence()
        return int(Exit.CLOSED_PIPE)
    except DenseError as error:  # the language itself was refused
        return int(_complained(error, list(arguments), spoken))
    except Exception:
        from dense_cli.cli.complaint import confess

        return int(confess(say_in(spoken)))


def _answered(arguments: list[str], spoken: str) -> Exit:
    try:
        return _run(arguments, spoken)
    except DenseError as error:
        return _complained(error, arguments, spoken)


def _complained(error: DenseError, arguments: list[str], spoken: str) -> Exit:
    from dense_cli.cli.complaint import complain

    return complain(error, say_in(spoken), as_json=wants_json(arguments))


def _run(arguments: list[str], spoken: str) -> Exit:
    name = arguments[0] if arguments else ""
    if not arguments or name in HELP_WORDS:
        from dense_cli.cli.usage import overview

        return overview(COMMANDS, say_in(spoken))
    if name == "--lang" and len(arguments) > 1:
        return _run(arguments[2:], spoken)
    if name.startswith("--lang="):
        return _run(arguments[1:], spoken)
    if name not in COMMANDS:
        raise _unknown(name)
    module = import_module(f"dense_cli.cli.{name}")
    rest = arguments[1:]
    if hasattr(module, "SUBCOMMANDS"):
        return _run_group(module, rest, spoken)
    return _run_command(module, module.__name__.rpartition(".")[2], rest, spoken)


def _run_group(module: ModuleType, arguments: list[str], spoken: str) -> Exit:
    """A command of commands, as `exercise list`."""
    group = module.__name__.rpartition(".")[2]
    subcommands = module.SUBCOMMANDS
    name = next((word for word in arguments if not word.startswith("-")), None)
    if name is None or arguments[0] in HELP_WORDS:
        from dense_cli.cli.usage import group_overview

        return group_overview(group, module, say_in(spoken))
    if name not in subcommands:
        close = nearest(name, list(subcommands))
        known = tuple(close or subcommands)
        raise DenseError("unknown-subcommand", typed=name, command=group, nearest=known)
    arguments.remove(name)
    return _run_command(module, f"{group} {name}", arguments, spoken)


def _run_command(module: ModuleType, name: str, arguments: list[str], spoken: str) -> Exit:
    last = name.rpartition(" ")[2].replace("-", "_")
    function = getattr(module, last, None) or getattr(module, last + "_")
    if "--" not in arguments and any(word in HELP_WORDS for word in arguments):
        from dense_cli.cli.usage import command_help

        return command_help(name, function, module, say_in(spoken))
    from dense_cli.cli.page import show
    from dense_cli.cli.running import ran

    worked = getattr(module, "WORKED", "") if "--example" in arguments else ""
    if worked:
        arguments = [word for word in arguments if word != "--example"]
    outcome, page = ran(module, function, name, arguments, spoken, worked)
    show(_titled(outcome, name) if worked else outcome, page)
    return Exit(outcome.exit)


def _titled(outcome: Outcome, name: str) -> Outcome:
    """The outcome under the name of the textbook's example."""
    from dense_cli.derivation import Note

    assert outcome.derivation is not None
    which = Note(f"help.{name}.worked")
    title = Note("help.worked", {"which": which, "title": outcome.derivation.title})
    return replace(outcome, derivation=replace(outcome.derivation, title=title))


def wants_json(arguments: Sequence[str]) -> bool:
    """Whether the call asks for JSON, known even where the call cannot be parsed."""
    words = list(arguments)
    formats = [after for word, after in pairwise(words) if word == "--format"]
    return "--json" in words or "--format=json" in words or "json" in formats


def _unknown(name: str) -> DenseError:
    close = nearest(name, COMMANDS)
    if close:
        return DenseError("unknown-command", typed=name, nearest=tuple(close))
    hint = "unknown-command-option" if name.startswith("-") else "unknown-command-list"
    return DenseError("unknown-command", hint=hint, typed=name, commands=tuple(COMMANDS))
