"""Tables as other systems write them: one module a layout, told by its header or named in the call.

A layout is a module here with ``recognises(header) -> bool``, where the header is folded, and
``columns(header, source, names) -> Columns``. The first that recognises a header reads it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from dense_cli.errors import DenseError, nearest
from dense_cli.grading.intake.layouts.columns import Columns
from dense_cli.grading.intake.sheets import FieldNames
from dense_cli.reading.headers import folded_header

TABLES = ("google-forms", "canvas", "moodle", "plain")
"""In the order in which they are tried; the last takes every header."""

LAYOUTS = ("moodle", "canvas", "google-forms", "gradescope", "plain")
"""What a call may name; the folder of a Gradescope submission is no table."""


def layout_of(typed: str | None) -> str | None:
    """The layout that was asked for. Raises DenseError for a name that is none."""
    if typed is not None and typed not in LAYOUTS:
        close = nearest(typed, LAYOUTS) or LAYOUTS
        raise DenseError("unknown-system", option="--from", typed=typed, nearest=close)
    return typed


def columns_of(header: list[str], source: str, names: FieldNames, layout: str | None) -> Columns:
    """What each column holds. Raises DenseError for a header without students or with a field twice."""
    folded = tuple(folded_header(cell) for cell in header)
    if layout in TABLES:
        found = _module(layout)
    else:
        found = next(module for module in map(_module, TABLES) if module.recognises(folded))
    columns: Columns = found.columns(header, source, names)
    return columns


def _module(name: str) -> Any:
    return import_module(f"{__name__}.{name.replace('-', '_')}")
