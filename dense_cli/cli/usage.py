"""Help that teaches: an example first, then the options, wrapped to the width of the screen.

Typer's own help deletes `[x,y]` and wraps Chinese by letters instead of columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any

from dense_cli.cli import console
from dense_cli.cli.exits import Exit
from dense_cli.render.layout import columns_of, wrapped

if TYPE_CHECKING:
    from dense_cli.cli.options import Parameter
    from dense_cli.derivation import Say

WIDEST = 100
"""Longer lines are hard to read even where there is room."""

TERM_WIDTH = 26
"""Columns kept for an option's name, where the screen is wide enough for two columns."""


def overview(commands: Iterable[str], say: Say) -> Exit:
    """What `dense` alone shows: what it is for, one call to try, and the commands."""
    lines = [say("help.about"), "", say("help.try"), "  dense rope --q 1,0 --k 1,0 --pos 1 2", ""]
    lines += _section(say("help.commands"), ((name, say(f"help.{name}.about")) for name in commands))
    lines += ["", say("help.more")]
    return _print(lines)


def group_overview(group: str, module: ModuleType, say: Say) -> Exit:
    """The commands of a group, as `dense exercise`."""
    lines = [f"dense {group} — {say(f'help.{group}.about')}", ""]
    lines += _examples(module, say, group)
    names = ((name, say(f"help.{group}-{name}.about")) for name in module.SUBCOMMANDS)
    lines += _section(say("help.commands"), names)
    return _print(lines)


def command_help(name: str, function: Any, module: ModuleType, say: Say) -> Exit:
    """One command: what it does, calls that work as they stand, and every option."""
    from dense_cli.cli.options import SHARED, parameters_of

    topic = name.replace(" ", "-")
    parameters = parameters_of(function)
    own = [one for one in parameters if one.name not in SHARED]
    lines = [f"dense {name} — {say(f'help.{topic}.about')}", ""]
    lines += _examples(module, say, topic)
    if own:
        lines += _section(say("help.options"), ((_term(one), _text(say, topic, one)) for one in own))
        lines.append("")
    shared = ((_term(one), _text(say, "shared", one)) for one in parameters if one.name in SHARED)
    lines += _section(say("help.shared-options"), shared)
    return _print(lines)


def _text(say: Say, topic: str, parameter: Parameter) -> str:
    """The help of an option; one that several commands have alike stands among the shared ones."""
    name = parameter.options[0].lstrip("-") if parameter.options else parameter.name
    try:
        return say(f"help.{topic}.{name}")
    except KeyError:
        return say(f"help.shared.{name}")


def _term(parameter: Parameter) -> str:
    names = ", ".join(sorted(parameter.options, key=len))
    return " ".join(part for part in (names, parameter.metavar) if part)


def _examples(module: ModuleType, say: Say, topic: str) -> list[str]:
    lines = []
    for example in getattr(module, "EXAMPLES", {}).get(topic, ()):
        lines += [f"  dense {example.arguments}", f"      {say(f'help.{topic}.example-{example.key}')}"]
    return [say("help.try"), *lines, ""] if lines else []


def _section(title: str, rows: Iterable[tuple[str, str]]) -> list[str]:
    return [title, *(line for term, text in rows for line in _row(term, text))]


def _row(term: str, text: str) -> Iterator[str]:
    """A term and its text side by side, or one under the other on a narrow screen."""
    width = _width()
    if width < 3 * TERM_WIDTH:
        yield f"  {term}"
        yield from (f"      {line}" for line in wrapped(text, width - 6))
        return
    first, *rest = wrapped(text, width - TERM_WIDTH - 4)
    if columns_of(term) > TERM_WIDTH:
        yield f"  {term}"
        yield " " * (TERM_WIDTH + 4) + first
    else:
        yield f"  {term}{' ' * (TERM_WIDTH - columns_of(term))}  {first}"
    yield from (" " * (TERM_WIDTH + 4) + line for line in rest)


def _width() -> int:
    return min(console.standard_output().width, WIDEST)


def _print(lines: list[str]) -> Exit:
    shown: list[str] = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip(" ")))
        is_call = line.startswith("  dense ")
        shown += (
            [line]
            if is_call or len(indent) > 6
            else [indent + part for part in wrapped(line.strip(), _width() - len(indent))] or [""]
        )
    console.standard_output().write("\n".join(shown) + "\n")
    return Exit.DONE
