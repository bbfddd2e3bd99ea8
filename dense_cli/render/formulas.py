"""Formulas on the page: which parts stand in parentheses, and how each kind of node is joined.

The rules are the same in every notation; only the marks differ. A test reads the written text back
and compares it with what the tree computes.
"""

from __future__ import annotations

from typing import ClassVar

from dense_cli.expression import (
    ATOM,
    POWER,
    PRODUCT,
    SUM,
    Call,
    Constant,
    Expression,
    Negative,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Symbol,
)
from dense_cli.numerals import Exact, Number, Numeral, numeral

SUBSCRIPTS = dict(zip("0123456789+-aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
"""Letters not among them have no subscript in Unicode."""

GROUPED = SUM - 1
"""The place of a part that braces, a fraction bar or a raised position hold together."""

EXPONENTS = {"2": "²", "3": "³"}


class Formulas:
    """Writes trees with the marks of plain text; other notations replace marks and joints."""

    digits: int

    times: ClassVar[str] = "·"
    times_numbers: ClassVar[str] = "×"
    minus: ClassVar[str] = "-"
    compound: ClassVar[tuple[str, ...]] = ("/", "e")
    """Marks inside a written number that an exponent or a root would split."""
    fractions_group: ClassVar[bool] = False
    """Whether a quotient holds together by itself, as a drawn fraction does."""

    def number(self, value: Number, exact: Exact | None = None, factor: bool = False) -> Numeral:
        """The digits of one number; of a factor not only zeros, unless it is zero."""
        return numeral(value, self.digits, exact, factor)

    def symbols(self, expression: Expression) -> str:
        """The formula with its symbols."""
        return self._write(expression, numbers=False).text

    def numbers(self, expression: Expression) -> Numeral:
        """The formula with the numbers put in; exact where all of them are."""
        written = self._write(expression, numbers=True)
        return Numeral(self._unsigned(written.text), written.exact)

    # --- marks that notations replace; parts come in parentheses already where they need them

    def name(self, symbol: Symbol) -> str:
        """A symbol with its indices."""
        if not symbol.indices:
            return symbol.text
        indices = [str(index) for index in symbol.indices]
        if all(mark in SUBSCRIPTS for index in indices for mark in index):
            return symbol.text + ",".join("".join(SUBSCRIPTS[mark] for mark in index) for index in indices)
        return f"{symbol.text}_{','.join(indices)}"

    def quotient(self, top: str, bottom: str) -> str:
        """One part over another."""
        return f"{top} / {bottom}"

    def power(self, base: str, exponent: str) -> str:
        """A base with its exponent."""
        return base + EXPONENTS[exponent] if exponent in EXPONENTS else f"{base}^{exponent}"

    def root(self, part: str) -> str:
        """The square root of a part."""
        return f"√{part}"

    def call(self, call: Call, part: str) -> str:
        """A function of a part."""
        return call.function.text + ("" if part.startswith("(") else " ") + part

    def parentheses(self, text: str) -> str:
        """A part in parentheses."""
        return f"({text})"

    def places(self, node: Expression) -> tuple[int, ...]:
        """How tightly each part of a node must bind to stand without parentheses."""
        match node:
            case Product():
                return (PRODUCT,) * len(node.factors)
            case Quotient():
                return (PRODUCT, POWER)
            case Negative():
                return (PRODUCT,)
        return (ATOM,) * len(_parts(node))

    # --- the rules

    def _write(
        self,
        node: Expression,
        numbers: bool,
        followed: bool = False,
        leads: bool = True,
        factor: bool = False,
    ) -> Numeral:
        """The node without parentheses around it.

        `followed`: a factor or a divisor comes next, which an open function would swallow; `leads`: no
        operator stands before, so that a sign may begin it; `factor`: it is no term of a sum, so that a
        zero in its place would make something else of the whole.
        """
        node = _bare(node)
        if isinstance(node, Constant):
            return self.number(node.value, factor=factor)
        if isinstance(node, Symbol):
            if numbers and node.value is not None:
                return self.number(node.value, node.known, factor)
            return Numeral(self.name(node), True)
        if isinstance(node, Sum):
            return self._sum(node, numbers)
        parts, places = _parts(node), self.places(node)
        texts, exact = [], True
        for index, (part, place) in enumerate(zip(parts, places, strict=True)):
            ends = isinstance(node, Negative | Product) and index == len(parts) - 1
            part_followed = followed if ends else isinstance(node, Product | Quotient)
            begins = leads and index == 0 and not isinstance(node, Negative)
            alone = place == GROUPED or _bare(part).binding < place
            scales = factor or not isinstance(node, Negative)
            shown = self._write(part, numbers, part_followed, begins or alone, scales)
            fenced = self._needs_fence(shown.text, part, place, begins, numbers) or self._unclear(
                part, node, index, followed
            )
            text = self._unsigned(shown.text)
            texts.append(self.parentheses(text) if fenced else text)
            exact = exact and shown.exact
        return Numeral(self._joined(node, texts, numbers), exact)

    def _needs_fence(self, text: str, part: Expression, place: int, leads: bool, numbers: bool) -> bool:
        """Whether a part binds looser than its place, or a sign would meet an operator."""
        if place == GROUPED:
            return False
        part = _bare(part)
        signed = text.startswith(self.minus) and (place > PRODUCT or not leads)
        is_number = isinstance(part, Constant) or (isinstance(part, Symbol) and numbers)
        split = is_number and place > PRODUCT and any(mark in text for mark in self.compound)
        leading_sign = isinstance(part, Negative) and leads and place == PRODUCT
        return (part.binding < place and not leading_sign) or signed or split

    def _unclear(self, part: Expression, node: Expression, index: int, followed: bool) -> bool:
        """Whether a part would be read differently by some: cos φ², √x², cos φ · x, a / b · c."""
        part = _bare(part)
        match node:
            case Power():
                return index == 0 and isinstance(part, Call | Root)
            case Root():
                return isinstance(part, Call) and not self.fractions_group
            case Call():
                return isinstance(part, Call | Root) or (followed and part.binding == ATOM)
            case Product():
                last = index == len(node.factors) - 1
                return isinstance(part, Quotient) and not self.fractions_group and not last
            case Negative():
                return isinstance(part, Quotient) and not self.fractions_group and followed
            case Quotient():
                return isinstance(part, Quotient) and not self.fractions_group
        return False

    def _sum(self, node: Sum, numbers: bool) -> Numeral:
        written, exact = "", True
        for term in map(_bare, node.terms):
            negative = isinstance(term, Negative)
            part = term.part if isinstance(term, Negative) else term
            place, leads = PRODUCT if negative else SUM, not (written or negative)
            shown = self._write(part, numbers, leads=leads)
            fenced = self._needs_fence(shown.text, part, place, leads, numbers)
            text = self.parentheses(shown.text) if fenced else shown.text
            sign = f" {self.minus if negative else '+'} " if written else self.minus * negative
            written, exact = self._unsigned(written + sign + text), exact and shown.exact
        return Numeral(written, exact)

    def _unsigned(self, text: str) -> str:
        """Zero has no sign: exp(0), where the rule -a would give exp(-0)."""
        return "0" if text == f"{self.minus}0" else text

    def _joined(self, node: Expression, texts: list[str], numbers: bool) -> str:
        match node:
            case Negative():
                return self.minus + texts[0]
            case Product():
                return f" {self.times_numbers if numbers else self.times} ".join(texts)
            case Quotient():
                return self.quotient(texts[0], texts[1])
            case Power():
                return self.power(texts[0], texts[1])
            case Root():
                return self.root(texts[0])
            case Call():
                return self.call(node, texts[0])
        raise TypeError(f"no way to write {type(node).__name__}")


def _bare(node: Expression) -> Expression:
    """A sum or product of one part is that part."""
    while isinstance(node, Sum | Product):
        parts = node.terms if isinstance(node, Sum) else node.factors
        if len(parts) != 1:
            break
        node = parts[0]
    return node


def _parts(node: Expression) -> tuple[Expression, ...]:
    match node:
        case Product():
            return node.factors
        case Quotient():
            return (node.top, node.bottom)
        case Power():
            return (node.base, node.exponent)
        case Negative() | Root() | Call():
            return (node.part,)
    raise TypeError(f"{type(node).__name__} has no parts")
