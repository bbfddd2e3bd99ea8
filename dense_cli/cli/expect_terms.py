"""The difference of two counts as products, in the letters of the count's own story."""

from __future__ import annotations

from collections.abc import Sequence

from dense_cli.derivation import Note, Say
from dense_cli.derive.params_models import FACTORS
from dense_cli.derive.stating import given
from dense_cli.expression import Constant, Expression, Negative, Product, Quotient, Sum, Symbol, product
from dense_cli.mistakes.counts import Term
from dense_cli.models.counting import Count
from dense_cli.render.notation import Text

QUOTIENTS = {"head-dim-quotient", "plain-block"}
"""Mistakes that take width over heads for the width of a head."""

HEADS, HIDDEN = FACTORS["heads"], FACTORS["hidden"]


def written(terms: Sequence[Term], counted: Count, mistakes: Sequence[str], say: Say) -> str:
    """The sentence as text, for an explanation."""
    return Text(say).sentence(sentence(terms, counted, mistakes))


def sentence(terms: Sequence[Term], counted: Count, mistakes: Sequence[str] = ()) -> Note:
    """By which products the found number is larger or smaller, in letters and in numbers.

    >>> from dense_cli.lang import say_in
    >>> from dense_cli.models.config import read_config
    >>> from dense_cli.models.counting import count
    >>> block = count(read_config('{"hidden_size": 12, "query_heads": 3, "ffn_hidden_size": 32}'))
    >>> written((Term(1, (("hidden", (12,)), ("ffn", (32,)))),), block, (), say_in("en"))
    'Your number is larger by C · F = 12 · 32 = 384.'
    """
    total = sum(term.value for term in terms)
    sign = 1 if total >= 0 else -1
    shown = [_product(term, counted, mistakes, sign) for term in terms]
    shown.sort(key=lambda part: isinstance(part, Negative))
    whole = shown[0] if len(shown) == 1 else Sum(tuple(shown))
    key = "expect.larger" if sign > 0 else "expect.smaller"
    numbers = _numbers(whole)
    if isinstance(numbers, Product) and len(numbers.factors) == 1:
        return Note(f"{key}-one", {"letters": whole, "total": abs(total)})
    return Note(key, {"letters": whole, "numbers": numbers, "total": abs(total)})


def _numbers(formula: Expression) -> Expression:
    """The formula with the numbers that its letters stand for."""
    match formula:
        case Symbol(value=value) if value is not None:
            return Constant(value)
        case Sum(terms):
            return Sum(tuple(map(_numbers, terms)))
        case Product(factors):
            return Product(tuple(map(_numbers, factors)))
        case Negative(part):
            return Negative(_numbers(part))
        case Quotient(top, bottom):
            return Quotient(_numbers(top), _numbers(bottom))
    return formula


def _product(term: Term, counted: Count, mistakes: Sequence[str], sign: int) -> Expression:
    factors = [_factor(name, sizes, counted, mistakes) for name, sizes in term.factors]
    times = term.times * sign
    whole = product(*((Constant(abs(times)),) if abs(times) != 1 else ()), *factors)
    return Negative(whole) if times < 0 else whole


def _factor(name: str, sizes: tuple[int, ...], counted: Count, mistakes: Sequence[str]) -> Expression:
    symbol = _symbol(name, sizes[-1], counted)
    if len(sizes) == 1:
        return given(symbol, sizes[0])
    return Sum((_wrong(name, symbol, sizes[0], counted, mistakes), Negative(given(symbol, sizes[1]))))


def _symbol(name: str, size: int, counted: Count) -> Symbol:
    experts = counted.shape.experts
    if name == "layers" and size != counted.shape.layers:
        name = "moe_layers" if experts is not None and size == experts.layers else "ffn_layers"
    return FACTORS[name]


def _wrong(name: str, symbol: Symbol, size: int, counted: Count, mistakes: Sequence[str]) -> Expression:
    """What stood in place of the right size, where its formula is known; else the letter with a prime."""
    shape = counted.shape
    if name == "kv_heads" and size == shape.heads:
        return given(HEADS, size)
    if name == "head_dim" and QUOTIENTS & {*mistakes} and shape.hidden % shape.heads == 0:
        return Quotient(given(HIDDEN, shape.hidden), given(HEADS, shape.heads))
    if name == "ffn" and size == 4 * shape.hidden:
        return product(Constant(4), given(HIDDEN, shape.hidden))
    return given(Symbol(f"{symbol.text}′", f"{symbol.latex}'"), size)
