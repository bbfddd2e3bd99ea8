"""What the core computed for one query and one key, bound to the symbols that a page shows.

A term is a symbol with its number and the formula that makes it, so that a line, the next formula and
the check of both use the same thing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from dense_cli.core import Row
from dense_cli.core.angles import Position, Rate
from dense_cli.core.rope import Rope, RopeRow
from dense_cli.core.schedule import Schedule
from dense_cli.derive import symbols
from dense_cli.expression import (
    COS,
    SIN,
    Call,
    Constant,
    Expression,
    Negative,
    Power,
    Quotient,
    Root,
    Sum,
    Symbol,
    product,
    square,
    total,
)
from dense_cli.frozen import dataclass, replace
from dense_cli.numerals import Number, PiMultiple, exact_value

WRITTEN_PAIRS = 4
WRITTEN_COORDINATES = 2 * WRITTEN_PAIRS
"""How much of a long vector is worked out by hand; the result always has all of it."""

PLAIN_ANGLE = 1000.0
"""Radians up to which the cosine of a float64 angle still has twelve right digits."""


@dataclass(frozen=True, slots=True)
class Term:
    """A bound symbol and the formula it comes from, or None where it is a given."""

    symbol: Symbol
    formula: Expression | None = None

    @property
    def number(self) -> Number:
        """The number to show: exact where it is known, else the float."""
        value = self.symbol.value
        assert value is not None
        return value if self.symbol.known is None else self.symbol.known


@dataclass(frozen=True, slots=True)
class Turn:
    """One pair's angle at one position, its cosine and its sine.

    `angle` is None where position · θ is beyond float64. `rest` is what remains of it where full turns
    are taken off, `part` the exact part of a turn that then remains, None where there is none.
    """

    angle: Term | None
    rest: Term | None
    part: Fraction | None
    cosine: Term
    sine: Term


@dataclass(frozen=True, slots=True)
class Side:
    """A query or a key and how it turns: one `Turn` per pair, one term per turned coordinate."""

    turns: tuple[Turn, ...]
    coordinates: tuple[Term, ...]

    @property
    def vector(self) -> tuple[Number, ...]:
        """All turned coordinates, exact where they are known."""
        return tuple(term.number for term in self.coordinates)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything a page tells of one query against one key; `offset` is the key turned by n − m."""

    row: RopeRow
    query: Side
    key: Side
    offset: Side
    products: tuple[Term, ...]
    dot: Term
    relative: Term
    score: Term


def term(symbol: Symbol, formula: Expression, value: Number) -> Term:
    """A symbol that stands for what the core computed; exact where the formula is."""
    return Term(replace(symbol, value=value, known=formula.exact()), formula)


def written_coordinates(given: Rope) -> tuple[int, ...]:
    """The coordinates worked out by hand: those of the first pairs, then unturned ones, from 0."""
    turned = [index for pair in given.pairs[:WRITTEN_PAIRS] for index in pair]
    unturned = range(given.rotary_dim, len(given.query))
    return tuple(sorted([*turned, *unturned][:WRITTEN_COORDINATES]))


# --- angles


def thetas(given: Rope) -> tuple[Term, ...]:
    """The angle per position of each pair, with the power of the base where that is what made it."""
    count = len(given.rates)
    return tuple(_theta(given, pair, _numbered(symbols.THETA, pair, count)) for pair in range(count))


def _theta(given: Rope, pair: int, symbol: Symbol) -> Term:
    rate = given.rates[pair]
    if isinstance(given.rates, Schedule):
        width = given.rates.width or given.rotary_dim
        if rate == Rate.power(given.rates.base, Fraction(-2 * pair, width)):
            return term(symbol, power_of_base(given.rates.base, width, pair), rate.theta)
    if rate.in_turns:
        return Term(symbol.bound(PiMultiple(2 * rate.factor)))
    if rate.exponent:
        return Term(replace(symbol, value=rate.theta, known=None))
    # A factor that is a float64 was meant as the decimal of its few digits, where it has few.
    decimal = exact_value(rate.theta) if rate.factor == Fraction(rate.theta) else None
    return Term(symbol.bound(rate.theta, rate.factor if decimal is None else decimal))


def power_of_base(base: Number, width: int, pair: int) -> Expression:
    """B^(−2(i−1)/r) with i put in; `pair` counts from 0."""
    exponent = Negative(Quotient(Constant(2 * pair), symbols.ROTARY_WIDTH.bound(width)))
    return Power(symbols.BASE.bound(base), exponent if pair else Constant(0))


def _numbered(symbol: Symbol, pair: int, count: int) -> Symbol:
    """With the pair's number from 1, or without one where there is only one pair."""
    return symbol if count == 1 else symbol.at(pair + 1)


def _turn(
    rate: Rate, theta: Symbol, symbol: Symbol, place: Expression, position: Position, angle: float, at: Row
) -> Turn:
    """`place` is the position as it is written, `angle` and `at` (cosine, sine) what the core made of it."""
    turned = None if rate.turn is None else rate.turn * position
    part = None if turned is None else turned - math.trunc(turned)
    finite = _is_float(place) and math.isfinite(angle)
    number: Number = angle if turned is None else PiMultiple(2 * turned)
    named = term(symbol, product(place, theta), number) if finite else None
    rest: Term | None = None
    left: Expression = named.symbol if named else symbol
    if turned is not None and part is not None:
        less: Number = PiMultiple(2 * part) if part else 0
        left = Constant(less)
        if part != turned:
            rest = Term(symbol.bound(less), _less_full_turns(named, math.trunc(turned)))
    elif not position:
        left = Constant(0)
    elif not abs(angle) <= PLAIN_ANGLE:
        # The core took the full turns off with more digits than a float64 angle has; this is what it left.
        left = replace(symbol, value=math.atan2(at[1], at[0]), known=None)
        rest = Term(left)
    cosine = term(symbols.cosine_of(symbol), Call(COS, left), at[0])
    return Turn(named, rest, part, cosine, term(symbols.sine_of(symbol), Call(SIN, left), at[1]))


def _is_float(place: Expression) -> bool:
    """Whether a position, written out, can be evaluated in float64."""
    try:
        return math.isfinite(place.evaluate())
    except OverflowError:
        return False


def _less_full_turns(angle: Term | None, count: int) -> Expression | None:
    """α − count · 2π."""
    if angle is None:
        return None
    turns = product(Constant(abs(count)), Constant(PiMultiple(Fraction(2))))
    return total(angle.symbol, turns if count < 0 else Negative(turns))


# --- turned vectors


def _side(
    given: Rope,
    row: Row,
    letters: tuple[Symbol, Symbol],
    turns: tuple[Turn, ...],
    turned: Row,
    factor: float,
) -> Side:
    """(x cos − y sin, x sin + y cos) for each pair; the other coordinates as they were."""
    before, after = letters
    x = [before.at(index + 1).bound(value) for index, value in enumerate(row)]
    formulas: list[Expression] = list(x)
    for (a, b), turn in zip(given.pairs, turns, strict=True):
        cosine, sine = turn.cosine.symbol, turn.sine.symbol
        formulas[a] = _times(factor, total(product(x[a], cosine), Negative(product(x[b], sine))))
        formulas[b] = _times(factor, total(product(x[a], sine), product(x[b], cosine)))
    names = (after.at(index + 1) for index in range(len(row)))
    return Side(turns, tuple(map(term, names, formulas, turned)))


def _times(factor: float, formula: Expression) -> Expression:
    return formula if factor == 1 else product(symbols.ATTENTION_FACTOR.bound(factor), formula)


def comparison(given: Rope, row: RopeRow, rates: Sequence[Term]) -> Comparison:
    """One row of the core as terms; `rates` are the `thetas` of the given."""
    m = symbols.QUERY_POSITION.bound(row.query_position)
    n = symbols.KEY_POSITION.bound(row.key_position)

    def turns(
        symbol: Symbol, place: Expression, position: Position, angles: Row, at: Sequence[Row]
    ) -> tuple[Turn, ...]:
        count = len(given.rates)
        return tuple(
            _turn(rate, theta.symbol, _numbered(symbol, i, count), place, position, angles[i], at[i])
            for i, (rate, theta) in enumerate(zip(given.rates, rates, strict=True))
        )

    query_turns = turns(symbols.QUERY_ANGLE, m, row.query_position, row.query_angles, row.query_cos_sin)
    key_turns = turns(symbols.KEY_ANGLE, n, row.key_position, row.key_angles, row.key_cos_sin)
    offset_turns = turns(
        symbols.OFFSET_ANGLE, total(n, Negative(m)), row.offset, row.relative_angles, row.relative_cos_sin
    )
    factor = given.attention_factor
    query = _side(given, given.query, (symbols.QUERY, symbols.TURNED_QUERY), query_turns, row.query, factor)
    key = _side(given, given.key, (symbols.KEY, symbols.TURNED_KEY), key_turns, row.key, factor)
    offset = _side(given, given.key, (symbols.KEY, symbols.OFFSET_KEY), offset_turns, row.relative_key, 1.0)
    products = tuple(
        term(symbols.PRODUCT_OF_COORDINATES.at(i + 1), product(a.symbol, b.symbol), value)
        for i, (a, b, value) in enumerate(zip(query.coordinates, key.coordinates, row.products, strict=True))
    )
    dot = term(symbols.DOT, _dot(given, products), row.dot)
    root = Root(symbols.WIDTH.bound(given.score_width or len(given.query)))
    return Comparison(
        row=row,
        query=query,
        key=key,
        offset=offset,
        products=products,
        dot=dot,
        relative=term(symbols.RELATIVE_DOT, _relative(given, offset), row.relative_dot),
        score=term(symbols.SCORE, Quotient(dot.symbol, root), row.scaled_score),
    )


# --- dot products


def _dot(given: Rope, products: Sequence[Term]) -> Expression:
    """The written products added, the others as one term."""
    written = written_coordinates(given)
    others = [each.symbol for i, each in enumerate(products) if i not in written]
    return total(*(products[i].symbol for i in written), *_gathered(symbols.OTHER_PRODUCTS, others))


def _relative(given: Rope, offset: Side) -> Expression:
    """q·u, with the attention factor of both sides on the turned coordinates."""
    terms = [
        product(symbols.QUERY.at(i + 1).bound(value), u.symbol)
        for i, (value, u) in enumerate(zip(given.query, offset.coordinates, strict=True))
    ]
    written = written_coordinates(given)
    turned = [terms[i] for i in written if i < given.rotary_dim]
    unturned = [terms[i] for i in written if i >= given.rotary_dim]
    factor = given.attention_factor
    others = [
        _twice(factor, each) if i < given.rotary_dim else each
        for i, each in enumerate(terms)
        if i not in written
    ]
    head = turned if factor == 1 else [_twice(factor, total(*turned))]
    return total(*head, *unturned, *_gathered(symbols.OTHER_OFFSET_PRODUCTS, others))


def _twice(factor: float, formula: Expression) -> Expression:
    """a²·formula."""
    return formula if factor == 1 else product(square(symbols.ATTENTION_FACTOR.bound(factor)), formula)


def _gathered(symbol: Symbol, terms: Sequence[Expression]) -> tuple[Symbol, ...]:
    """One symbol for the sum of the terms that are not written out; none where there are none."""
    rest = Sum(tuple(terms))
    return (replace(symbol, value=rest.evaluate(), known=rest.exact()),) if terms else ()
