"""Where `check` may write: nowhere that it reads from."""

from __future__ import annotations

import os
from pathlib import Path

from dense_cli.cli.check import Asked
from dense_cli.errors import DenseError
from dense_cli.grading.intake.sources import SUFFIXES


def refuse_to_replace(output: str | None, asked: Asked) -> None:
    """Raises DenseError for an output that would take the place of what the call reads.

    A folder's answer files are all read, so none may be written there: the next call would take it for one.
    """
    if output is None:
        return
    target = Path(os.path.realpath(output))
    is_sheet = target.suffix.casefold() in SUFFIXES
    for read in (*asked.source, *filter(None, (asked.scores, asked.roster))):
        if is_same(target, read):
            raise DenseError("output-is-read", option="--output", typed=output)
        if is_sheet and any(is_same(folder, read) for folder in target.parents):
            raise DenseError("output-among-sheets", option="--output", typed=output, folder=read)


def is_same(place: Path, other: str) -> bool:
    """Whether both are there and are one file or folder."""
    try:
        return os.path.samefile(place, other)
    except (OSError, ValueError):
        return False
