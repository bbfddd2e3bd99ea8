"""Tables that spreadsheets open: no cell runs, no character hides, any reader gets the same cells back."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from dense_cli.reading.characters import visible

_RUNS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How a cell begins that a spreadsheet calculates, full-width forms included."""

_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?"
_ONLY_NUMBERS = re.compile(rf"{_NUMBER}(?:(?:[,;] *| +){_NUMBER})*")
"""A signed number, or several with separators, which no spreadsheet calculates."""


def written(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table as CSV (RFC 4180, with single line feeds)."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(cell, header))
    writer.writerows([cell(text) for text in row] for row in rows)
    return file.getvalue()


def line(row: Sequence[str]) -> str:
    """One row as it stands in such a table; cells do not depend on their neighbours.

    >>> line(("a,b", "c", "")) == '"a,b",c,' + chr(10)
    True
    """
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerow(map(cell, row))
    return file.getvalue()


def cell(text: str) -> str:
    """One cell: an apostrophe before what would run, control characters as escapes, line breaks kept.

    >>> cell("=1+1"), cell("-0.806824"), cell("-2+3"), cell("a\\x1bb")
    ("'=1+1", '-0.806824', "'-2+3", 'a\\\\x1bb')
    """
    if not text.isprintable():
        lines = text.replace("\r\n", "\n").split("\n")
        text = "\n".join(visible(line, len(line) * 10) for line in lines)
    begun = text.lstrip()
    return f"'{text}" if begun.startswith(_RUNS) and not _ONLY_NUMBERS.fullmatch(begun.rstrip()) else text
