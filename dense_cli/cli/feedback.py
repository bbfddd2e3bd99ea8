"""`check --into`: a page for each student about their own sheet, in a folder, to hand back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from dense_cli import render
from dense_cli.cli import console
from dense_cli.cli.page import Page
from dense_cli.cli.suffixes import OF_FORMAT
from dense_cli.derivation import Note
from dense_cli.errors import DenseError
from dense_cli.grading.handouts.handout import file_names
from dense_cli.grading.intake.sources import STDIN
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import Rules
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.reports.report import report
from dense_cli.reading.characters import visible

PLAIN = ".txt"


def fed_back(
    page: Page, into: str, sources: Sequence[str], students: Iterable[Marked], teller: Teller, rules: Rules
) -> Note:
    """Write what each student is told of their own sheet; how many files there are, and where.

    Whoever handed in nothing gets none. Files of an earlier call are replaced. Raises DenseError where the
    folder holds the sheets themselves, or cannot be written.
    """
    _keep_apart(into, sources)
    told = [one for one in students if one.submitted]
    suffix = OF_FORMAT.get(page.format or "", PLAIN)
    console.make_folder(into)
    for one, name in zip(told, file_names([one.student for one in told], suffix), strict=True):
        text = render.show(
            report([one], teller, rules),
            format=page.format if page.format in OF_FORMAT else "plain",
            say=page.say,
            digits=page.digits,
            width=console.USUAL,
            colour=False,
        )
        console.write_atomically(os.path.join(into, name), text)
    return Note("check.fed-back", {"count": len(told), "folder": visible(into)})


def _keep_apart(into: str, sources: Sequence[str]) -> None:
    """What is handed back must not lie among the sheets: it could replace one, or be read as one."""
    folder = Path(into).resolve()
    for source in sources:
        if source == STDIN:
            continue
        place = Path(source).resolve()
        if (place.is_dir() and folder.is_relative_to(place)) or folder == place.parent:
            raise DenseError("into-sheets", option="--into", typed=into, source=source)
