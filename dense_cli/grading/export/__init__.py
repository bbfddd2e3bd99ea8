"""One gradebook in the formats of other systems: one module a format, imported when it is asked for.

A format is a module here with ``write(book) -> str``; one that cannot hand on every student has
``cautions(book)`` too, which tells whom it leaves out and why. Every format takes its totals from the
marked sheets, where they are added up once and exactly.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import PurePath
from typing import Any

from dense_cli.errors import DenseError, nearest
from dense_cli.grading.export.gradebook import Caution, Gradebook
from dense_cli.grading.export.pieces import Pieces
from dense_cli.grading.marks.telling import Teller

FORMATS = (
    "jsonl", "csv", "csv-wide", "gradescope", "canvas", "moodle", "junit", "github-classroom", "html",
)  # fmt: skip

SUFFIXES = {".jsonl": "jsonl", ".csv": "csv", ".xml": "junit"}
"""Formats that the suffix of a file names beyond doubt."""

_MODULES = {"csv": "answers_csv", "csv-wide": "students_csv", "html": "html"}


_PIECES = {"jsonl": "Lines", "csv": "Rows", "csv-wide": "Rows"}
"""Formats that are written sheet by sheet, and the class in their module that does so."""

STREAMED = tuple(_PIECES)


def chosen(to: str | None, output: str | None) -> str | None:
    """The format that is asked for, by name or by the suffix of the output; None where none is.

    >>> chosen("junit", None), chosen(None, "marks.CSV"), chosen(None, "marks.md")
    ('junit', 'csv', None)

    Raises DenseError for a name that is none.
    """
    if to is None:
        return None if output is None else SUFFIXES.get(PurePath(output).suffix.casefold())
    if to not in FORMATS:
        close = nearest(to, FORMATS) or FORMATS
        raise DenseError("unknown-export", option="--to", typed=to, nearest=close)
    return to


def export(to: str, book: Gradebook) -> tuple[str, tuple[Caution, ...]]:
    """The file for another system, and what a teacher must know about it.

    Raises DenseError where the format cannot hold these marks.
    """
    module = _module(to)
    cautions = module.cautions(book) if hasattr(module, "cautions") else ()
    text: str = module.write(book)
    return text, tuple(cautions)


def pieces(to: str, teller: Teller) -> Pieces:
    """How one of the `STREAMED` formats writes sheet after sheet."""
    found: Pieces = getattr(_module(to), _PIECES[to])(teller)
    return found


def _module(to: str) -> Any:
    return import_module(f"{__name__}.{_MODULES.get(to, to.replace('-', '_'))}")
