"""One HTML page that needs nothing else: no network, no script, light or dark, fit to print."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dense_cli.derivation import Derivation, Say
from dense_cli.render.escaping import markup
from dense_cli.render.html_notation import Html
from dense_cli.render.notation import STATES
from dense_cli.render.page import Grid, Part, Sentence, Statement, page

SHEET = """
:root { color-scheme: light dark;
  --ink: #1b1f24; --paper: #fff; --line: #ccd3da; --head: #0b5d75; --result: #eef6f0 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7eb; --paper: #14171b; --line: #3a424b; --head: #7cc7de; --result: #1b2a20 }
}
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: var(--ink); background: var(--paper);
  font: 1.05rem/1.65 Georgia, "Songti SC", "Noto Serif CJK SC", serif; overflow-wrap: anywhere }
h1 { font-size: 1.6rem; line-height: 1.3 }
h2 { font-size: 1.2rem; margin: 1.8rem 0 .4rem; color: var(--head) }
h3, h4, h5, h6 { font-size: 1.05rem; margin: 1.1rem 0 .2rem }
ul { padding-left: 1.2rem; margin: .3rem 0 } p { margin: .4rem 0 }
.chain { margin: .35rem 0 .35rem 1.2rem; padding-left: 2rem; text-indent: -2rem;
  font-variant-numeric: lining-nums }
.link { display: inline-block; vertical-align: top; text-indent: 0; max-width: 100% }
sub, sup { line-height: 0; margin-left: .08em }
.result { border: 1px solid var(--line); border-left: .3rem solid var(--head); background: var(--result);
  padding: .2rem 1rem .7rem; margin: 1.8rem 0 } .result h2 { margin-top: .6rem }
.wide { overflow-x: auto } table { border-collapse: collapse; margin: .6rem 0 }
th, td { padding: .25rem .8rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  overflow-wrap: break-word }
td.number, th.number { text-align: right; font-variant-numeric: lining-nums tabular-nums }
th, td.number, td.value { white-space: nowrap }
@media print {
  body { max-width: none; margin: 0; font-size: 10.5pt }
  .chain, tr, .result { break-inside: avoid }
  h2, h3 { break-after: avoid } .wide { overflow: visible } td.value { white-space: normal } }
"""


def write(derivation: Derivation, say: Say, digits: int, width: int, colour: bool) -> str:
    """The page as HTML."""
    told = page(derivation, Html(say, digits))
    colon = markup(say("common.colon"))
    body = [f"<h1>{told.title}</h1>", *(line for part in told.parts for line in _part(part, colon, 2))]
    language = {"zh": "zh-Hans"}.get(say("common.language"), say("common.language"))
    return "\n".join(
        (
            f'<!DOCTYPE html>\n<html lang="{markup(language)}">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_without_tags(told.title)}</title>\n<style>{SHEET}</style>\n</head>\n<body>\n<main>",
            *body,
            "</main>\n</body>\n</html>\n",
        )
    )


def _part(part: Part, colon: str, level: int) -> Iterator[str]:
    tag = f"h{min(level, 6)}"
    dot = "" if "." in part.number else "."
    number = f"{part.number}{dot} " if part.number else ""
    yield f'<section class="{part.kind}">\n<{tag}>{number}{part.title}</{tag}>'
    listed = part.kind in ("given", "assumed", "cautions")
    if listed:
        yield "<ul>"
    for item in part.items:
        match item:
            case Sentence(text):
                yield f"<li>{text}</li>" if listed else f"<p>{text}</p>"
            case Statement():
                chain = _chain(item, colon)
                yield f"<li>{chain}</li>" if listed else f'<p class="chain">{chain}</p>'
            case Grid():
                yield from _table(item)
    if listed:
        yield "</ul>"
    for below in part.parts:
        yield from _part(below, colon, level + 1)
    yield "</section>"


def _chain(statement: Statement, colon: str) -> str:
    symbol, links = statement.chain
    told = "".join(
        colon + text if sign == STATES else f' <span class="link">{sign} {text}</span>'
        for sign, text in links
    )
    return symbol + told


def _table(grid: Grid) -> Iterator[str]:
    yield '<div class="wide"><table>'
    heads = zip(grid.columns, grid.kinds, strict=True)
    yield "<tr>" + "".join(f'<th scope="col" class="{kind}">{head}</th>' for head, kind in heads) + "</tr>"
    columns = [
        _on_the_point(cells) if kind == "number" else cells
        for cells, kind in zip(zip(*grid.rows, strict=True), grid.kinds, strict=False)
    ]
    for row in zip(*columns, strict=True):
        cells = zip(row, grid.kinds, strict=True)
        yield "<tr>" + "".join(f'<td class="{kind}">{cell}</td>' for cell, kind in cells) + "</tr>"
    yield "</table></div>"


def _on_the_point(numbers: Sequence[str]) -> list[str]:
    """Numbers with spaces as wide as a digit or a point behind them, so that their points meet."""
    behind = [number.partition(".")[1:] for number in numbers]
    digits = max((len(part) for _, part in behind), default=0)
    points = any(point for point, _ in behind)
    return [
        number + ("" if point or not points else "\u2008") + "\u2007" * (digits - len(part))
        for number, (point, part) in zip(numbers, behind, strict=True)
    ]


def _without_tags(text: str) -> str:
    """A title bar shows no subscripts; tags in a written title are only ever our own."""
    for tag in ("sub", "sup", "i"):
        text = text.replace(f"<{tag}>", "").replace(f"</{tag}>", "")
    return text
