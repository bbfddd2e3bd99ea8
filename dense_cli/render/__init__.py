"""One derivation in many formats: one module a format, imported when it is asked for.

A format is a module here with ``write(derivation, say, digits, width, colour) -> str``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dense_cli.derivation import Derivation, Say

FORMATS = ("rich", "plain", "json", "markdown", "latex", "html", "svg")


def show(derivation: Derivation, *, format: str, say: Say, digits: int, width: int, colour: bool) -> str:
    """The page of a derivation in one of FORMATS, ending with a line break.

    `digits` are the decimals shown, `width` the columns of the screen; formats that need no width or
    no colour leave them aside. Raises KeyError for a format that is none.
    """
    if format not in FORMATS:
        raise KeyError(format)
    written: str = import_module(f"dense_cli.render.{format}").write(derivation, say, digits, width, colour)
    return written
