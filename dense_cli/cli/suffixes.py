"""What the suffix of `--output` asks for: a format of ours, or one that nobody here writes."""

from __future__ import annotations

import os

from dense_cli.errors import DenseError

FORMATS = {
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".svg": "svg",
    ".txt": "plain",
}
"""Suffixes that choose a format. One that says nothing, as of ``result.v2``, is plain text."""

OF_FORMAT = {"json": ".json", "markdown": ".md", "latex": ".tex", "html": ".html", "svg": ".svg"}
"""How files are called that a call names itself; what is no such format has a suffix of its own kind."""

_HINTS = {
    "output-kind-print": ".pdf .ps .eps .dvi",
    "output-kind-text": ".doc .docx .odt .rtf .ppt .pptx .odp .epub .pages",
    "output-kind-picture": ".png .jpg .jpeg .gif .webp .bmp .tif .tiff",
    "output-kind-data": ".xls .xlsx .xlsm .ods .numbers .ipynb .parquet",
}

FOREIGN = {suffix: hint for hint, suffixes in _HINTS.items() for suffix in suffixes.split()}
"""Suffixes of files that no command writes, with the hint that says what comes nearest."""

OF_DATA = (".csv", ".tsv", ".jsonl", ".xml", ".yaml", ".yml", ".toml", ".npy", ".npz", ".safetensors")
"""Suffixes of files that some command writes, or reads, and that are never a page."""


def format_for(output: str) -> str | None:
    """The format that the name of a file asks for; None where it leaves that open.

    >>> format_for("page.MD"), format_for("answers.toml"), format_for("result")
    ('markdown', None, None)

    Raises DenseError for a file that no command writes.
    """
    suffix = _suffix(output)
    if suffix in FOREIGN:
        raise _refused(output, FOREIGN[suffix])
    return FORMATS.get(suffix)


def check_page(output: str) -> None:
    """Raises DenseError where a page, which is for people, would go into a file of data."""
    if _suffix(output) in OF_DATA:
        raise _refused(output, "output-kind-data")


def _suffix(output: str) -> str:
    return os.path.splitext(output)[1].casefold()


def _refused(output: str, hint: str) -> DenseError:
    stem, suffix = os.path.splitext(output)
    return DenseError(
        "output-kind",
        hint=hint,
        option="--output",
        typed=output,
        stem=stem,
        suffix=suffix,
    )
