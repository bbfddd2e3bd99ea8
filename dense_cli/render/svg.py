"""A page as a picture: lines of text in a fixed-width face, with no font or link from the network.

Runs of wide and of narrow characters are placed by their column, so that Chinese keeps its shape and
columns stay aligned whatever font stands in.
"""

from __future__ import annotations

from itertools import groupby

from dense_cli.derivation import Derivation, Say
from dense_cli.render.escaping import markup
from dense_cli.render.layout import columns_of
from dense_cli.render.lines import Row, Style, lines
from dense_cli.render.notation import Text
from dense_cli.render.page import page

WIDEST = 100
COLUMN, LINE, MARGIN, SIZE = 8.4, 21, 24, 14
"""Pixels: a column's width, a line's height, the border, the face."""

FACE = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace"
CLASSES: dict[Style, str] = {"title": "t", "heading": "h", "result": "r", "answer": "a", "table-head": "a"}
SHEET = (
    "rect{fill:#fff}text{fill:#1b1f24;white-space:pre}.t,.h,.r,.a{font-weight:bold}.h{fill:#0b5d75}.r{fill:#17642b}"
    "@media(prefers-color-scheme:dark){rect{fill:#14171b}text{fill:#e4e7eb}.h{fill:#7cc7de}.r{fill:#84d39a}}"
)


def write(derivation: Derivation, say: Say, digits: int, width: int, colour: bool) -> str:
    """The page as a picture of `width` columns, one hundred at most."""
    told = page(derivation, Text(say, digits))
    rows = list(lines(told, min(width, WIDEST), say("common.colon")))
    columns = max(row.indent + columns_of(row.text) for row in rows)
    size = f"{columns * COLUMN + 2 * MARGIN:.0f} {len(rows) * LINE + 2 * MARGIN:.0f}".split()
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {size[0]} {size[1]}" role="img" xml:lang="{markup(say("common.language"))}" '
        f'font-family="{markup(FACE)}" font-size="{SIZE}">'
    )
    body = (_line(row, place) for place, row in enumerate(rows) if row.text)
    title = f"<title>{markup(told.title)}</title>"
    picture = [head, title, f"<style>{SHEET}</style>", '<rect width="100%" height="100%"/>', *body, "</svg>"]
    return "\n".join(picture) + "\n"


def _line(row: Row, place: int) -> str:
    name = CLASSES.get(row.style)
    marked = f' class="{name}"' if name else ""
    spans, column = [], row.indent
    for wide, run in groupby(row.text, key=lambda mark: columns_of(mark) == 2):
        text = "".join(run)
        spacing = f' letter-spacing="{2 * COLUMN - SIZE:.1f}"' if wide else ""
        spans.append(f'<tspan x="{MARGIN + column * COLUMN:.1f}"{spacing}>{markup(text)}</tspan>')
        column += columns_of(text)
    y = MARGIN + (place + 0.75) * LINE
    return f'<text y="{y:.1f}"{marked} xml:space="preserve">{"".join(spans)}</text>'
