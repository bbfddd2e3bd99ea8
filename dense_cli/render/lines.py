"""A page as lines of a given width, for a terminal or a picture of one.

Nothing is ever cut: a line that is too long continues on the next one, a table that does not fit is
split by columns or told row by row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from dense_cli.frozen import dataclass
from dense_cli.render.layout import columns_of, filled, formula_pieces, padded, pieces, wrapped
from dense_cli.render.notation import STATES
from dense_cli.render.page import (
    ColumnKind,
    Grid,
    Page,
    Part,
    PartKind,
    Sentence,
    Statement,
    told_on_one_line,
)

NARROWEST = 20
INDENT = 2
GAP = 3
"""Columns between two columns of a table."""
NARROW_WORDS = 12
"""A column of words may shrink to this width, not further."""

Style = Literal["title", "heading", "result", "answer", "quiet", "plain", "table-head"]

BODIES: Mapping[PartKind, Style] = {"result": "answer", "given": "quiet", "assumed": "quiet"}


@dataclass(frozen=True, slots=True)
class Row:
    """One line and what it is."""

    text: str = ""
    style: Style = "plain"
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Fitted:
    """A table that fits: the width of each column, and each cell as lines of that width."""

    widths: tuple[int, ...]
    head: tuple[list[str], ...]
    rows: tuple[tuple[list[str], ...], ...]
    indent: int


def lines(page: Page, width: int, colon: str) -> Iterator[Row]:
    """The page from top to bottom. `colon` stands between a label and what is said of it."""
    width = max(width, NARROWEST)
    yield from (Row(text, "title") for text in wrapped(page.title, width))
    for part in page.parts:
        yield Row()
        yield from _part(part, width, colon)


def _part(part: Part, width: int, colon: str) -> Iterator[Row]:
    style: Style = "result" if part.kind == "result" else "heading"
    number = f"{part.number}{'' if '.' in part.number else '.'} " if part.number else ""
    title = filled([number, *wrapped(part.title, width - len(number))], width, len(number))
    yield from (Row(text, style) for text in title)
    body = BODIES.get(part.kind, "plain")
    for item in part.items:
        match item:
            case Sentence(text):
                yield from (Row(line, body, INDENT) for line in wrapped(text, width - INDENT))
            case Statement():
                yield from (Row(line, body, INDENT) for line in statement_lines(item, width - INDENT, colon))
            case Grid():
                yield from grid(item, width, colon)
    for below in part.parts:
        yield Row()
        yield from _part(below, width, colon)


def statement_lines(statement: Statement, width: int, colon: str) -> list[str]:
    """A chain on one line if it fits, else one line a link, each sign under the first."""
    symbol, links = statement.chain
    whole = told_on_one_line(statement, colon)
    if columns_of(whole) <= width:
        return [whole]
    formal = [link for link in links if link.sign != STATES]
    told = " ".join(link.text for link in links if link.sign == STATES)
    if not formal:
        return filled([*pieces(symbol + colon), *pieces(told)], width, INDENT)
    aligned = columns_of(symbol) < width // 2
    hang = columns_of(symbol) + 1 if aligned else INDENT
    rows: list[str] = []
    for sign, text in formal:
        first, *rest = _formula(text, width - hang - columns_of(sign) - 1)
        rows += [f"{sign} {first}", *(" " * (columns_of(sign) + 1) + line for line in rest)]
    rows += wrapped(told, width - hang) if told else []
    rows = [" " * hang + row for row in rows]
    return [f"{symbol} {rows[0].lstrip()}", *rows[1:]] if aligned else [*wrapped(symbol, width), *rows]


def _formula(text: str, width: int) -> list[str]:
    """A formula or value as lines; a matrix breaks between its rows first."""
    if columns_of(text) <= width:
        return [text]
    first, *rest = text.replace("], [", "],\n[").split("\n")
    depth = len(first) - len(first.lstrip("["))
    lines = filled(formula_pieces(first), width, depth)
    for row in rest:
        lines += [" " * (depth - 1) + line for line in filled(formula_pieces(row), width - depth + 1, 1)]
    return lines


# --- tables


def grid(table: Grid, width: int, colon: str) -> Iterator[Row]:
    """A table as it fits: whole, split by columns, or told row by row."""
    room = width - INDENT
    everything = range(len(table.columns))
    if fitted := _fitted(table, everything, room):
        yield from table_lines(fitted)
        return
    groups = _groups(table, room)
    if groups and len(everything) > 2 * len(groups):
        for place, group in enumerate(groups):
            if place:
                yield Row()
            if fitted := _fitted(table, group, room):
                yield from table_lines(fitted)
        return
    for row in table.rows:
        for place, (label, cell, kind) in enumerate(zip(table.columns, row, table.kinds, strict=True)):
            indent = INDENT if place == 0 else 2 * INDENT
            parts = pieces(cell) if kind == "words" else formula_pieces(cell)
            told = filled([*pieces(label + colon), *parts], width - indent, INDENT)
            yield from (Row(line, "plain", indent) for line in told)


def _groups(table: Grid, room: int) -> list[list[int]]:
    """Column numbers in groups that fit, each led by the first column; empty where that cannot be."""
    groups = _packed(table, room, len(table.columns))
    if groups:  # evenly filled looks better than a last one with a single column
        even = -(-(len(table.columns) - 1) // len(groups))
        evenly = _packed(table, room, even)
        groups = evenly if len(evenly) == len(groups) else groups
    return groups


def _packed(table: Grid, room: int, most: int) -> list[list[int]]:
    groups: list[list[int]] = []
    for column in range(1, len(table.columns)):
        if groups and len(groups[-1]) <= most and _fitted(table, [*groups[-1], column], room):
            groups[-1].append(column)
        elif _fitted(table, [0, column], room):
            groups.append([0, column])
        else:
            return []
    return groups


def _fitted(table: Grid, columns: Sequence[int], room: int) -> Fitted | None:
    """The table with these columns if it fits: words and headings may wrap, numbers do not."""
    free = room - GAP * (len(columns) - 1)
    kinds = [table.kinds[column] for column in columns]
    cells = [[row[column] for row in table.rows] for column in columns]
    cells = [
        on_the_point(told) if kind == "number" else told for told, kind in zip(cells, kinds, strict=True)
    ]
    least, most = [], []
    for column, kind, told in zip(columns, kinds, cells, strict=True):
        words = [table.columns[column]] + (told if kind == "words" else [])
        rigid = 1 if kind == "words" else max(map(columns_of, told), default=1)
        longest = max(columns_of(piece.rstrip()) for text in words for piece in pieces(text))
        natural = max(map(columns_of, words))
        least.append(max(rigid, longest, min(natural, NARROW_WORDS)))
        most.append(max(rigid, natural))
    if sum(least) > free:
        return None
    widths = _shared(least, most, free)
    filled_cells = [
        [_cell(cell, width, kind) for cell in [table.columns[column], *column_cells]]
        for column, column_cells, kind, width in zip(columns, cells, kinds, widths, strict=True)
    ]
    head, *rows = zip(*filled_cells, strict=True)
    return Fitted(tuple(widths), head, tuple(rows), INDENT)


def _cell(text: str, width: int, kind: ColumnKind) -> list[str]:
    """The lines of a cell, filled up to the column's width; numbers stand at its right end."""
    lines = [text] if columns_of(text) <= width else wrapped(text, width)
    return [padded(line, width, right=kind == "number") for line in lines]


def on_the_point(numbers: list[str]) -> list[str]:
    """Numbers of one column with spaces behind them, so that their decimal points meet.

    >>> on_the_point(["1", "0.25"])
    ['1   ', '0.25']
    """
    behind = [len(number) - len(number.partition(".")[0]) for number in numbers]
    return [number + " " * (max(behind) - own) for number, own in zip(numbers, behind, strict=True)]


def _shared(least: list[int], most: list[int], free: int) -> list[int]:
    """Widths between `least` and `most` that use the free columns, the neediest served first."""
    widths = list(least)
    while sum(widths) < min(free, sum(most)):
        needs = [wish - width for wish, width in zip(most, widths, strict=True)]
        widths[needs.index(max(needs))] += 1
    return widths


def table_lines(table: Fitted) -> Iterator[Row]:
    """A table written by hand: head, rule, rows."""
    yield from _row_lines(table, table.head, "table-head")
    yield Row((" " * GAP).join("─" * width for width in table.widths), "quiet", table.indent)
    for row in table.rows:
        yield from _row_lines(table, row, "plain")


def _row_lines(table: Fitted, cells: tuple[list[str], ...], style: Style) -> Iterator[Row]:
    for place in range(max(map(len, cells))):
        fields = [
            cell[place] if place < len(cell) else " " * width
            for cell, width in zip(cells, table.widths, strict=True)
        ]
        yield Row((" " * GAP).join(fields).rstrip(), style, table.indent)
