"""How LaTeX writes values, sentences and lines, alone or inside Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from dense_cli.expression import ATOM, Call, Expression, Power, Quotient, Root, Symbol
from dense_cli.frozen import dataclass
from dense_cli.numerals import Exact, Number, Numeral
from dense_cli.reading.characters import visible
from dense_cli.render.escaping import escaped, markdown_typed, markdown_words
from dense_cli.render.formulas import GROUPED
from dense_cli.render.notation import LONGEST_QUOTED, Notation

MOST_MATRIX_COLUMNS = 10
"""LaTeX draws no more; a wider matrix is written in its rows."""

_PLACE_TO_BREAK = re.compile(r"(?<=[/,:])(?=[^\s/,:])")


@dataclass(frozen=True)
class Latex(Notation):
    """LaTeX: formulas are mathematics, running text has them between dollars."""

    times = r"\cdot"
    times_numbers = r"\times"
    compound = (r"\times", r"\frac")
    fractions_group = True
    almost = r"\approx"
    between = r",\; "
    row_end: ClassVar[str] = r" \\ "

    def words(self, text: str) -> str:
        return escaped(text)

    def quoted(self, text: str, limit: int = LONGEST_QUOTED) -> str:
        """Paths and JSON have no blanks, so a line may also end after their marks."""
        return _PLACE_TO_BREAK.sub(r"\\allowbreak{}", escaped(visible(text, limit)))

    def inline(self, formula: str) -> str:
        return f"${formula}$"

    def worded(self, text: str) -> str:
        return rf"\text{{{text}}}"

    def number(self, value: Number, exact: Exact | None = None, factor: bool = False) -> Numeral:
        shown = super().number(value, exact, factor)
        text = shown.text.replace("π", r"\pi").replace("∞", r"\infty")
        if "e" in text:
            mantissa, power = text.split("e")
            text = rf"{mantissa} \times 10^{{{power}}}"
        if "/" in text:
            top, bottom = text.lstrip("-").split("/")
            text = ("-" if text.startswith("-") else "") + rf"\frac{{{top}}}{{{bottom}}}"
        return Numeral(text, shown.exact)

    def sequence(self, entries: Sequence[Numeral], nested: bool) -> Numeral:
        widest = max((entry.text.count(self.between) for entry in entries), default=0) + 1
        drawn = nested and widest <= MOST_MATRIX_COLUMNS and entries[0].text.startswith("[")
        if not drawn:
            return Notation.sequence(self, entries, nested)
        rows = self.row_end.join(entry.text[1:-1].replace(self.between, " & ") for entry in entries)
        return Numeral(rf"\begin{{bmatrix}}{rows}\end{{bmatrix}}", all(entry.exact for entry in entries))

    def name(self, symbol: Symbol) -> str:
        if not symbol.indices:
            return symbol.latex
        base = f"{{{symbol.latex}}}" if "_" in symbol.latex else symbol.latex
        return f"{base}_{{{','.join(map(str, symbol.indices))}}}"

    def quotient(self, top: str, bottom: str) -> str:
        return rf"\frac{{{top}}}{{{bottom}}}"

    def power(self, base: str, exponent: str) -> str:
        base = f"{{{base}}}" if "^" in base or "'" in base else base
        return f"{base}^{{{exponent}}}"

    def root(self, part: str) -> str:
        return rf"\sqrt{{{part}}}"

    def call(self, call: Call, part: str) -> str:
        return call.function.latex + ("" if part.startswith(("(", r"\left")) else " ") + part

    def places(self, node: Expression) -> tuple[int, ...]:
        """Fractions, roots and exponents group by themselves."""
        match node:
            case Quotient():
                return (GROUPED, GROUPED)
            case Root():
                return (GROUPED,)
            case Power():
                return (ATOM, GROUPED)
        return super().places(node)

    def parentheses(self, text: str) -> str:
        tall = any(mark in text for mark in (r"\frac", r"\sqrt", r"\begin"))
        return rf"\left({text}\right)" if tall else f"({text})"


@dataclass(frozen=True)
class Markdown(Latex):
    """LaTeX between dollars inside Markdown.

    Markdown readers drop a backslash before punctuation, so none stands there.
    """

    between = r",~"
    row_end = r" \cr "

    def words(self, text: str) -> str:
        return markdown_words(text)

    def quoted(self, text: str, limit: int = LONGEST_QUOTED) -> str:
        return markdown_typed(visible(text, limit))

    def inline(self, formula: str) -> str:
        bars_named = formula.replace("|", r"\vert ")
        return formula if re.fullmatch(r"-?\d+(\.\d+)?", formula) else f"${bars_named}$"
