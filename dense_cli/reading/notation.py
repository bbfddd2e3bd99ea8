"""Notations around a number that students bring from elsewhere: LaTeX, ``F=``, a transpose, spreadsheets."""

from __future__ import annotations

import re

from dense_cli.errors import DenseError
from dense_cli.reading.characters import spaced

MAX_ANSWER = 4000  # characters of one answer that is a number or a vector
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june|july"
_MONTHS += "|august|september|october|november|december"
_YEAR = r"(?:19|20)\d\d"
_MONTH, _DAY = r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"

# what stands between one way to tell a value and another: "√2 ≈ 1.414", "1.414 (√2)"
_BESIDE = re.compile(r"[=≈]|\.[0-9]+ \(")

_ENCLOSING = (
    ('="', '"'), ('"', '"'), ("“", "”"), ("'", "'"), ("`", "`"), ("'", ""),
    ("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"),
)  # fmt: skip
"""Signs around an answer that are no part of it; a lone ' and a formula mark a text in a spreadsheet."""

_CODE = re.compile(r"(?:(?:np|numpy|torch)\.)?(?:array|tensor)\((.*?)(?:, ?dtype=[\w.]{1,20})?\)", re.DOTALL)
"""A vector as Python shows it."""

# in this order; each is tried wherever the one before has left a backslash or brace
_LATEX = (
    (r"\\(?:left|right|displaystyle|mathrm|mathbf|bigl?|bigr|Bigl?|Bigr)(?![a-zA-Z])|\\[,;:!]", ""),
    (r"\\(?:quad|qquad|\s)|~", " "),
    (r"\\(?:times|cdot|ast)(?![a-zA-Z])", "*"),
    (r"\\div(?![a-zA-Z])", "/"),
    (r"\\pi(?![a-zA-Z])", "π"),
    (r"\\%", "%"),
)
_BRACED = (
    (r"\\sqrt\s?\[([^][{}]{1,20})\]\s?\{([^{}]*)\}", r"((\2)^(1/(\1)))"),
    (r"\\sqrt\s?\{([^{}]*)\}", r"√(\1)"),
    (r"\\sqrt\s?(?=[0-9(])", "√"),
    (r"\\[dtc]?frac\s?\{([^{}]*)\}\s?\{([^{}]*)\}", r"((\1)/(\2))"),
    (r"\\[dtc]?frac\s?([0-9])\s?([0-9])", r"(\1/\2)"),
    (r"\^\s?\{([^{}]*)\}", r"^(\1)"),
)


def plain_notation(text: str) -> str:
    """`text` as it would be typed on a command line, for `numbers` and `vectors` to read.

    >>> plain_notation(r"$F = \\frac{\\sqrt{2}}{2}$")
    '((√(2))/(2))'
    >>> plain_notation(r"\\begin{bmatrix}-1\\\\0\\end{bmatrix}")
    '[[-1],[0]]'

    Raises DenseError for what a spreadsheet has made of an answer, and for LaTeX that is not known.
    """
    if len(text.strip()) > MAX_ANSWER:
        raise DenseError("answer-too-long", typed=text, length=len(text), limit=MAX_ANSWER)
    written = spaced(text)
    if text.rstrip().endswith("。") or re.search(r"[^0-9]\.$", written):  # the end of a sentence
        written = written.removesuffix(".").rstrip()
    refuse_spreadsheet(written, text)
    written = re.sub(r"^(?:[^\W\d]\w{0,19}'?(?:\([^()=]{0,9}\))?)? ?[=≈] ?", "", _unquoted(written))
    written = re.sub(
        r"(?<=[\])}]) ?(?:\^ ?(?:\{ ?)?(?:T|⊤|\\top|\\(?:mathsf|mathrm|text) ?\{? ?T ?\}?)(?: ?\})?|[ᵀ⊤'])$",
        "",
        written,
    )
    written = re.sub(r"根号下?|(?<!\\)(?i:sqrt)(?=[0-9])", "√", written)
    if "\\" in written or "{" in written:
        written = _without_latex(written, text)
    beside = _BESIDE.search(written)
    if beside:
        raise DenseError("answer-with-working", typed=text, part=beside.group()[-1])
    return written.strip()


def refuse_spreadsheet(written: str, typed: object) -> None:
    """Raises DenseError for a date or an error value that a spreadsheet has put in place of an answer."""
    if re.match(r"#[A-Z][A-Z0-9/]{1,8}[!?]?$", written.upper()):
        raise DenseError("spreadsheet-error", typed=typed, part=written)
    dates = (
        rf"\s*{_YEAR}[-/.]{_MONTH}[-/.]{_DAY}(?:[T ].*)?",
        rf"\s*{_DAY}[-/.]{_DAY}[-/.]{_YEAR}(?: .*)?",
        r"(?:.*\d)?\s*[年月]\s*(?:\d.*)?",
        rf".*(?<![a-z])(?:{_MONTHS})(?![a-z]).*",
    )
    if any(re.fullmatch(date, written, re.IGNORECASE) for date in dates):
        raise DenseError("spreadsheet-date", typed=typed, part=written)


def _unquoted(written: str) -> str:
    for begin, end in _ENCLOSING:
        if written.startswith(begin) and written.endswith(end) and len(written) > len(begin + end):
            written = written.removeprefix(begin).removesuffix(end).strip()
            break
    code = _CODE.fullmatch(written)
    return code[1] if code else written


def _without_latex(written: str, typed: str) -> str:
    written = re.sub(
        r"\\begin ?\{([bpvB]?matrix|smallmatrix|array)\}(?:\{[clr| ]*\})?(.*?)\\end ?\{\1\}",
        _matrix_rows,
        written,
        flags=re.DOTALL,
    )
    for pattern, plain in _LATEX:
        written = re.sub(pattern, plain, written)
    for _ in range(32):  # each round opens the innermost braces
        before = written
        for pattern, plain in _BRACED:
            written = re.sub(pattern, plain, written)
        if written == before:
            break
    unread = re.search(r"\\[a-zA-Z]*|[{}]", written)
    if unread:
        raise DenseError("latex-unknown", typed=typed, part=unread.group())
    return written


def _matrix_rows(match: re.Match[str]) -> str:
    rows = [row for row in re.split(r"\\\\(?: ?\[[^\]]{0,9}\])?", match[2]) if row.strip()]
    return "[" + ",".join("[" + ",".join(row.split("&")) + "]" for row in rows) + "]"
