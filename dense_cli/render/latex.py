"""A whole LaTeX document: aligned chains, tables, lists.

English compiles with any engine; a document with Chinese in it uses ctex and wants XeLaTeX.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from dense_cli.derivation import Derivation, Say
from dense_cli.render.escaping import CHINESE
from dense_cli.render.latex_notation import Latex
from dense_cli.render.notation import STATES
from dense_cli.render.page import Grid, Part, Sentence, Statement, page

LONGEST_ROW = 64
"""Characters of a chain, marks left out, that fit on one row."""
LONGEST_LINK = 62
"""Characters of one link that fit on a row of its own; a longer chain is set as running text."""
LONGEST_NAME = 28
"""Characters before the first sign; a longer name would push the other rows of its alignment off the page."""
WIDEST_TABLE = 84
ALIGNED = r"\begin{align*}"
SECTIONS = ("section*", "subsection*", "subsubsection*", "step")

PREAMBLE = r"""\usepackage{amsmath}
\usepackage{amssymb}
\usepackage{longtable}
\usepackage[margin=25mm]{geometry}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\setlength{\mathindent}{2em}
\newcommand{\step}[1]{\par\addvspace{1.2ex}\noindent{\bfseries #1}\par\nobreak}
\newcommand{\breakable}[1]{{\raggedright\leftskip=4em\parindent=-2em\indent #1\par}}
"""


def write(derivation: Derivation, say: Say, digits: int, width: int, colour: bool) -> str:
    """The page as a document that compiles."""
    writer = _Writer(Latex(say, digits), say("common.colon"))
    told = page(derivation, writer.notation)
    body = [
        rf"\section*{{\Large {told.title}}}",
        *(line for part in told.parts for line in writer.part(part, 1)),
    ]
    text = "\n".join(body)
    head = _chinese_head(say("common.language")) if CHINESE.search(text) else LATIN_HEAD
    return f"{head}{PREAMBLE}\\begin{{document}}\n{text}\n\\end{{document}}\n"


LATIN_HEAD = r"""\documentclass[11pt,fleqn]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
"""


def _chinese_head(language: str) -> str:
    scheme = "" if language == "zh" else ",scheme=plain"
    return f"% !TeX program = xelatex\n\\documentclass[11pt,fleqn{scheme}]{{ctexart}}\n"


class _Writer:
    def __init__(self, notation: Latex, colon: str) -> None:
        self.notation = notation
        self.colon = notation.words(colon)

    def part(self, part: Part, level: int) -> Iterator[str]:
        dot = "" if "." in part.number else "."
        number = f"{part.number}{dot} " if part.number else ""
        yield rf"\{SECTIONS[min(level, len(SECTIONS) - 1)]}{{{number}{part.title}}}"
        if part.kind in ("given", "assumed", "cautions"):
            yield r"\begin{itemize}\setlength{\itemsep}{0pt}\raggedright"
            for item in part.items:
                if not isinstance(item, Grid):
                    text = item.text if isinstance(item, Sentence) else self.running(item)
                    yield rf"  \item {text}"
            yield r"\end{itemize}"
        else:
            told = list(self.items(part.items))
            if told and told[0] == ALIGNED:  # or TeX sets an empty line under the heading
                yield r"\vspace{-\baselineskip}"
            yield from told
        for below in part.parts:
            yield from self.part(below, level + 1)

    def items(self, items: Sequence[object]) -> Iterator[str]:
        rows: list[str] = []
        for item in items:
            if isinstance(item, Statement) and self.fits(item):
                rows += self.rows(item)
                continue
            yield from _aligned(rows)
            rows = []
            match item:
                case Statement():
                    yield rf"\breakable{{{self.running(item)}}}"
                case Sentence(text):
                    yield text + r"\par"
                case Grid():
                    yield from self.table(item)
        yield from _aligned(rows)

    def fits(self, statement: Statement) -> bool:
        symbol, links = statement.chain
        longest = max(map(_length, (text for _, text in links)))
        return _length(symbol) <= min(LONGEST_NAME, LONGEST_LINK - longest)

    def rows(self, statement: Statement) -> list[str]:
        """A chain as rows of an alignment: one if it is short, else one a link."""
        symbol, links = statement.chain
        lead = rf"\text{{{symbol}}}" if statement.named else symbol
        told = [self.told(sign, text) for sign, text in links]
        if _length(symbol) + sum(map(_length, told)) <= LONGEST_ROW:
            return [f"{lead} {told[0]}" + "".join(link.replace("&", " ", 1) for link in told[1:])]
        return [f"{lead} {told[0]}", *told[1:]]

    def told(self, sign: str, text: str) -> str:
        if sign != STATES:
            return f"&{sign} {text}"
        return rf"&\text{{{self.colon}{text}}}"

    def running(self, statement: Statement) -> str:
        """A chain in running text, where TeX breaks it at its signs and commas."""
        symbol, links = statement.chain
        text = symbol if statement.named else f"${symbol}$"
        for sign, part in links:
            text += self.colon + part if sign == STATES else f" ${sign} {_breakable(part)}$"
        return text

    def table(self, grid: Grid) -> Iterator[str]:
        """A table, or its rows told one by one where it is too wide for the page."""
        widths = [
            max(map(_length, (head, *(row[place] for row in grid.rows))))
            for place, head in enumerate(grid.columns)
        ]
        if sum(widths) + 3 * len(widths) > WIDEST_TABLE:
            for row in grid.rows:
                cells = zip(grid.columns, map(_breakable, row), strict=True)
                yield rf"\breakable{{{'; '.join(label + self.colon + cell for label, cell in cells)}}}"
            return
        places = "".join("r" if kind == "number" else "l" for kind in grid.kinds)
        yield rf"\begin{{longtable}}[l]{{{places}}}"
        yield rf"{' & '.join(grid.columns)} \\ \hline \endhead"
        yield from (rf"{' & '.join(row)} \\" for row in grid.rows)
        yield r"\end{longtable}"


def _aligned(rows: Sequence[str]) -> Iterator[str]:
    if rows:
        yield ALIGNED
        yield " \\\\\n".join(f"  {row}" for row in rows)
        yield r"\end{align*}"


def _breakable(text: str) -> str:
    return text.replace(Latex.between, r",\allowbreak\; ")


_MARK = re.compile(r"\\(?:begin|end)\{[a-z]+\}|\\text|\\[a-zA-Z]+ ?|\\.|[{}$&^_]")


def _length(text: str) -> int:
    """About how many characters of a formula are printed; a Chinese one counts twice."""
    shown = _MARK.sub(lambda mark: "m" if mark[0].startswith("\\") else "", text)
    return sum(2 if CHINESE.match(mark) else 1 for mark in shown)
