"""A page for a terminal: headings, aligned chains, tables, and colour where it is wanted.

Colour and weight only repeat what words and places say already. Tables come as lines: a table of Rich's
costs much time on every cell and cuts numbers that do not fit.
"""

from __future__ import annotations

from io import StringIO

from rich.console import Console
from rich.rule import Rule
from rich.text import Text as RichText

from dense_cli.derivation import Derivation, Say
from dense_cli.render.lines import NARROWEST, Row, Style, lines
from dense_cli.render.notation import Text
from dense_cli.render.page import page

STYLES: dict[Style, str] = {
    "title": "bold",
    "heading": "bold cyan",
    "result": "bold green",
    "answer": "bold",
    "quiet": "",
    "table-head": "bold",
    "plain": "",
}


def write(derivation: Derivation, say: Say, digits: int, width: int, colour: bool) -> str:
    """The page as Rich writes it; without `colour` there is no escape sequence in it."""
    width = max(width, NARROWEST)
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        markup=False,
        emoji=False,
        highlight=False,
        force_terminal=colour,
        force_interactive=False,
        color_system="standard" if colour else None,
        no_color=not colour,
        legacy_windows=False,
        _environ={},
    )
    for row in lines(page(derivation, Text(say, digits)), width, say("common.colon")):
        if row.style == "result":
            console.print(Rule(RichText(row.text, STYLES["result"]), align="left", style="green"))
        else:
            _print(console, row)
    told = out.getvalue()
    return told if colour else "".join(line.rstrip() + "\n" for line in told.split("\n")[:-1])


def _print(console: Console, row: Row) -> None:
    if not STYLES[row.style]:  # Rich would take thousands of instructions to add nothing
        console.file.write(" " * row.indent + row.text + "\n")
        return
    text = RichText(" " * row.indent + row.text, STYLES[row.style], no_wrap=True, overflow="ignore", end="\n")
    console.print(text, soft_wrap=True)
