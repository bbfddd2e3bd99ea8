"""Plain text for pipes, files and screen readers: one label and value a line, nothing drawn.

A line is broken only between the links of a long chain, whatever the width of the terminal, so that
the same call always gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

from dense_cli.derivation import Derivation, Say
from dense_cli.render.layout import columns_of
from dense_cli.render.notation import STATES, Text
from dense_cli.render.page import Grid, Part, Sentence, Statement, page, told_on_one_line

LONGEST_CHAIN = 100
"""Columns of a chain that still reads well as one line."""

INDENT = "  "


def write(derivation: Derivation, say: Say, digits: int, width: int, colour: bool) -> str:
    """The page as plain text; neither width nor colour matter."""
    told = page(derivation, Text(say, digits))
    rows = [told.title]
    for part in told.parts:
        rows += ["", *_part(part, say)]
    return "\n".join(rows) + "\n"


def _part(part: Part, say: Say) -> Iterator[str]:
    yield f"{heading_number(part)}{part.title}"
    for item in part.items:
        match item:
            case Sentence(text):
                yield INDENT + text
            case Statement():
                yield from (INDENT + row for row in _statement(item, say("common.colon")))
            case Grid():
                yield from (INDENT + row for row in _grid(item, say("common.colon"), say("common.semicolon")))
    for below in part.parts:
        yield from _part(below, say)


def heading_number(part: Part) -> str:
    """The number before a title: ``1. `` and ``1.1 ``, or nothing."""
    return f"{part.number}{'' if '.' in part.number else '.'} " if part.number else ""


def _statement(statement: Statement, colon: str) -> Iterator[str]:
    whole = told_on_one_line(statement, colon)
    symbol, links = statement.chain
    if columns_of(whole) <= LONGEST_CHAIN or len(links) == 1:
        yield whole
        return
    yield f"{symbol} {links[0].sign} {links[0].text}"
    for sign, text in links[1:]:
        yield INDENT + (text if sign == STATES else f"{sign} {text}")


def _grid(grid: Grid, colon: str, semicolon: str) -> Iterator[str]:
    for row in grid.rows:
        yield semicolon.join(label + colon + cell for label, cell in zip(grid.columns, row, strict=True))
