"""A formula as a small tree: written with symbols, written with numbers, and evaluated.

There is no parsing and no simplification. The same tree is what a page shows and what a test
evaluates, so what is shown cannot drift from what is computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dense_cli.frozen import dataclass, replace
from dense_cli.numerals import Exact, Number, PiMultiple, exact_value

SUM, PRODUCT, POWER, ATOM = range(4)
"""How tightly a node binds; a part that binds looser than its place gets parentheses."""

LARGEST_EXACT_BITS = 4096
"""Beyond this size an exact value is no longer followed; the float is."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A node of a formula. `binding` is one of SUM, PRODUCT, POWER, ATOM."""

    @property
    def binding(self) -> int:
        return ATOM

    def evaluate(self) -> float:
        """The value in float64."""
        raise NotImplementedError

    def exact(self) -> Exact | None:
        """The exact value where the arithmetic keeps one, else None."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Constant(Expression):
    """A number that belongs to the formula itself, the 2 of 2·C·F."""

    value: Number

    def evaluate(self) -> float:
        return float(self.value)

    def exact(self) -> Exact | None:
        return exact_value(self.value)


@dataclass(frozen=True, slots=True)
class Symbol(Expression):
    """A name, plain and in LaTeX, with its indices, and the number it stands for where it is bound."""

    text: str
    latex: str
    indices: tuple[int | str, ...] = ()
    value: Number | None = None
    known: Exact | None = None

    def at(self, *indices: int | str) -> Symbol:
        """The same name with an index, as x with index 2."""
        return replace(self, indices=indices)

    def bound(self, value: Number, known: Exact | None = None) -> Symbol:
        """The same name, standing for `value`; `known` is its exact value where the caller has one."""
        return replace(self, value=value, known=exact_value(value) if known is None else known)

    def evaluate(self) -> float:
        if self.value is None:
            raise ValueError(f"{self.text} stands for no number")
        return float(self.value)

    def exact(self) -> Exact | None:
        return self.known


@dataclass(frozen=True, slots=True)
class Sum(Expression):
    """Terms added; a `Negative` term is subtracted."""

    terms: tuple[Expression, ...]

    @property
    def binding(self) -> int:
        return SUM if len(self.terms) > 1 else self.terms[0].binding

    def evaluate(self) -> float:
        return math.fsum(term.evaluate() for term in self.terms)

    def exact(self) -> Exact | None:
        total: Exact = Fraction(0)
        for term in self.terms:
            value = term.exact()
            if value is None:
                return None
            if total == 0:
                total = value
            elif value == Fraction(0):
                continue
            elif isinstance(total, PiMultiple) and isinstance(value, PiMultiple):
                total = PiMultiple(total.factor + value.factor)
            elif isinstance(total, Fraction) and isinstance(value, Fraction):
                total += value
            else:
                return None
        return _bounded(total)


@dataclass(frozen=True, slots=True)
class Negative(Expression):
    """The opposite of a part."""

    part: Expression

    @property
    def binding(self) -> int:
        return SUM

    def evaluate(self) -> float:
        return -self.part.evaluate()

    def exact(self) -> Exact | None:
        value = self.part.exact()
        return None if value is None else -value


@dataclass(frozen=True, slots=True)
class Product(Expression):
    """Factors multiplied. Left to right in float64."""

    factors: tuple[Expression, ...]

    @property
    def binding(self) -> int:
        return PRODUCT if len(self.factors) > 1 else self.factors[0].binding

    def evaluate(self) -> float:
        return math.prod(factor.evaluate() for factor in self.factors)

    def exact(self) -> Exact | None:
        factor, with_pi = Fraction(1), False
        values = [part.exact() for part in self.factors]
        if any(isinstance(value, Fraction) and value == 0 for value in values):
            return Fraction(0)
        for value in values:
            if value is None or (with_pi and isinstance(value, PiMultiple)):
                return None
            with_pi = with_pi or isinstance(value, PiMultiple)
            factor *= value.factor if isinstance(value, PiMultiple) else value
        return _bounded(PiMultiple(factor) if with_pi else factor)


@dataclass(frozen=True, slots=True)
class Quotient(Expression):
    """One part over another."""

    top: Expression
    bottom: Expression

    @property
    def binding(self) -> int:
        return PRODUCT

    def evaluate(self) -> float:
        return self.top.evaluate() / self.bottom.evaluate()

    def exact(self) -> Exact | None:
        top, bottom = self.top.exact(), self.bottom.exact()
        if top == Fraction(0) and self.bottom.evaluate():
            return top
        if top is None or not isinstance(bottom, Fraction) or bottom == 0:
            return None
        if isinstance(top, PiMultiple):
            return _bounded(PiMultiple(top.factor / bottom))
        return _bounded(top / bottom)


@dataclass(frozen=True, slots=True)
class Power(Expression):
    """A base with an exponent."""

    base: Expression
    exponent: Expression

    @property
    def binding(self) -> int:
        return POWER

    def evaluate(self) -> float:
        base, exponent = self.base.evaluate(), self.exponent.evaluate()
        return base * base if exponent == 2 else float(base**exponent)

    def exact(self) -> Exact | None:
        base, exponent = self.base.exact(), self.exponent.exact()
        if not isinstance(base, Fraction) or not isinstance(exponent, Fraction):
            return None
        if exponent == 0:
            return Fraction(1)
        if abs(exponent) > 64 or base == 0 > exponent or _bounded(base) is None:
            return None
        root = _exact_root(base, exponent.denominator)
        return None if root is None else _bounded(root**exponent.numerator)


@dataclass(frozen=True, slots=True)
class Root(Expression):
    """The square root of a part."""

    part: Expression

    def evaluate(self) -> float:
        return math.sqrt(self.part.evaluate())

    def exact(self) -> Exact | None:
        value = self.part.exact()
        return _exact_root(value, 2) if isinstance(value, Fraction) else None


@dataclass(frozen=True, slots=True)
class Function:
    """A named function of one number: how it is written, and how it is computed."""

    text: str
    latex: str
    compute: Callable[[float], float]
    exactly: Callable[[Exact], Exact | None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """A function of a part, as cos φ."""

    function: Function
    part: Expression

    def evaluate(self) -> float:
        return self.function.compute(self.part.evaluate())

    def exact(self) -> Exact | None:
        value = self.part.exact()
        return None if value is None else self.function.exactly(value)


def _exact_root(value: Fraction, degree: int) -> Fraction | None:
    """The rational whose power of `degree` is `value`, if there is one."""
    if degree == 1:
        return value
    if value < 0 or degree > 64 or max(value.numerator.bit_length(), value.denominator.bit_length()) > 512:
        return None
    root = Fraction(*(round(part ** (1 / degree)) for part in (value.numerator, value.denominator)))
    return root if root**degree == value else None


def _bounded(value: Exact) -> Exact | None:
    factor = value.factor if isinstance(value, PiMultiple) else value
    size = max(factor.numerator.bit_length(), factor.denominator.bit_length())
    return value if size <= LARGEST_EXACT_BITS else None


_COSINES = {Fraction(0): Fraction(1), Fraction(1, 3): Fraction(1, 2), Fraction(1, 2): Fraction(0)}


def _exact_cosine(angle: Exact) -> Exact | None:
    """Niven's theorem: at rational parts of a turn only 0, ±1/2 and ±1 are rational."""
    if not isinstance(angle, PiMultiple):
        return Fraction(1) if angle == 0 else None
    half_turns = abs(angle.factor) % 2
    half_turns = min(half_turns, 2 - half_turns)
    if half_turns in _COSINES:
        return _COSINES[half_turns]
    mirrored = _COSINES.get(1 - half_turns)
    return None if mirrored is None else -mirrored


def _exact_sine(angle: Exact) -> Exact | None:
    if not isinstance(angle, PiMultiple):
        return Fraction(0) if angle == 0 else None
    return _exact_cosine(PiMultiple(Fraction(1, 2) - angle.factor))


COS = Function("cos", r"\cos", math.cos, _exact_cosine)
SIN = Function("sin", r"\sin", math.sin, _exact_sine)
EXP = Function("exp", r"\exp", math.exp, lambda value: Fraction(1) if value == Fraction(0) else None)


def total(*terms: Expression) -> Sum:
    """Terms added, as a + b."""
    return Sum(terms)


def product(*factors: Expression) -> Product:
    """Factors multiplied, as a · b."""
    return Product(factors)


def square(part: Expression) -> Power:
    """A part with exponent two."""
    return Power(part, Constant(2))
