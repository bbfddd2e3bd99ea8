"""The pieces of a report in HTML: text that is safe, numbers, bars, tables, sections.

What ends in `_html` or comes from a function here is HTML; everything else is text and is escaped on its way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dense_cli.derivation import Say
from dense_cli.numerals import numeral
from dense_cli.reading.characters import visible
from dense_cli.render.escaping import markup

LONGEST_NAME = 100
LONGEST_TEXT = 10_000


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its HTML, and whether it is a number, or the heading of its row with an id.

    What is `short` stays on one line.
    """

    html: str
    number: bool = False
    heads: bool = False
    id: str = ""
    short: bool = False


def name(text: str) -> str:
    """A user's name or value in one line, harmless."""
    return markup(visible(text, LONGEST_NAME))


def text(given: str) -> str:
    """A longer text of a user or of a language, its line breaks kept.

    >>> text("a < b\\nc")
    'a &lt; b<br>c'
    """
    lines = given.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
    return "<br>".join(markup(visible(line, LONGEST_TEXT)) for line in lines)


def number(value: float | Fraction | None, digits: int, missing: str = "–") -> str:
    """A number rounded to `digits` decimals, without zeros at the end.

    >>> number(Fraction(2, 3), 1), number(2.0, 1), number(None, 1)
    ('0.7', '2', '–')
    """
    if value is None:
        return missing
    return numeral(Fraction(round(Fraction(value) * 10**digits), 10**digits), digits).text


def bar(share: float | Fraction | None, label: str) -> str:
    """A bar of a share of the whole, beside its label; a reader without eyes or colours has the label."""
    part = min(max(float(share or 0), 0.0), 1.0)
    return (
        f'<span class="barred"><span class="track" aria-hidden="true">'
        f'<span class="bar" style="width:{100 * part:.1f}%"></span></span>'
        f'<span class="label">{label}</span></span>'
    )


def table(
    caption: str, heads: Sequence[str], rows: Iterable[Sequence[Cell]], *, kind: str = "", told: bool = True
) -> str:
    """A table with a caption and column heads (text) that scrolls by itself where it is too wide.

    A caption that is not `told` repeats the heading above and is for readers who hear the page.
    """
    written = [list(row) for row in rows]
    numbers = [bool(written) and written[0][place].number for place in range(len(heads))]
    head = "".join(
        f'<th scope="col"{" class=number" if is_number else ""}>{text(one)}</th>'
        for one, is_number in zip(heads, numbers, strict=True)
    )
    body = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in written)
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{markup(caption)}">'
        f"<table{f' class={kind}' if kind else ''}>"
        f"<caption{'' if told else ' class=heard'}>{text(caption)}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _cell(cell: Cell) -> str:
    own = f' id="{cell.id}"' if cell.id else ""
    kind = " class=number" if cell.number else " class=short" if cell.short else ""
    return f'<th scope="row"{own}{kind}>{cell.html}</th>' if cell.heads else f"<td{kind}>{cell.html}</td>"


def section(anchor: str, title: str, *parts: str) -> str:
    """A part of the page under its own heading; `parts` are HTML."""
    body = "\n".join(part for part in parts if part)
    return f'<section id="{anchor}" aria-labelledby="{anchor}-title">\n' + (
        f'<h2 id="{anchor}-title">{text(title)}</h2>\n{body}\n</section>'
    )


def paragraph(given: str, kind: str = "") -> str:
    return f"<p{f' class={kind}' if kind else ''}>{text(given)}</p>"


@dataclass(frozen=True, slots=True)
class Words:
    """The words of the report in one language; facts are given as text."""

    say: Say

    def __call__(self, key: str, **facts: str) -> str:
        return self.say(f"statistics.page.{key}", **facts)

    def column(self, key: str) -> str:
        return self.say(f"statistics.column-{key}")

    def verdict(self, verdict: str) -> str:
        return self.say(f"check.verdict-{verdict}")
