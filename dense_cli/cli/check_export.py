"""`check --to`: marks in the format of another system instead of a page."""

from __future__ import annotations

from collections.abc import Sequence

from dense_cli.cli.exits import Exit
from dense_cli.cli.options import Outcome
from dense_cli.cli.page import Page
from dense_cli.derivation import Note
from dense_cli.errors import DenseError
from dense_cli.grading import export
from dense_cli.grading.export.gradebook import Gradebook


def format_of(to: str | None, page: Page, format: str | None, json: bool) -> str | None:
    """The export that a call asks for; None for a page. Raises DenseError where it asks for both."""
    asked = "--json" if json else "--format" if format is not None else None
    if to is not None and asked is not None:
        raise DenseError("export-and-page", option="--to", typed=to, other=asked)
    return export.chosen(to, None if asked else page.output)


def exported(to: str, book: Gradebook, end: Exit, warnings: Sequence[Note | DenseError]) -> Outcome:
    """The export, to be written as it stands; how many students it holds is told beside a file."""
    text, cautions = export.export(to, book)
    unread = sum(one.error is not None for one in book.students)
    key = "export.count-unread" if unread else "export.count"
    facts = {"students": len(book.students)} | ({"unread": unread} if unread else {})
    return Outcome(None, end, (*warnings, *cautions), text, remark=Note(key, facts))
