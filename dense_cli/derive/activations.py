"""Each activation as a formula of its input, to write down and to evaluate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from dense_cli.expression import Call, Constant, Expression, Function, Negative, Product, Quotient, Root, Sum
from dense_cli.numerals import Exact, PiMultiple

Form = Callable[[Expression], Expression]


def _exp(value: float) -> float:
    """e^value; infinite where it is too large for a float, so that a/(1 + e^(-a)) is 0 far out."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def _exact_exp(value: Exact) -> Exact | None:
    return Fraction(1) if value == Fraction(0) else None


def _exact_relu(value: Exact) -> Exact | None:
    return max(value, Fraction(0)) if isinstance(value, Fraction) else None


EXP = Function("exp", r"\exp", _exp, _exact_exp)
ERF = Function("erf", r"\operatorname{erf}", math.erf)
TANH = Function("tanh", r"\tanh", math.tanh)
RELU = Function("ReLU", r"\operatorname{ReLU}", lambda value: max(value, 0.0), _exact_relu)


def sloped(a: Expression, slope: Expression | None) -> Expression:
    """a / (1 + exp(−slope·a)), as SiLU and all that differ from it by a slope alone.

    >>> sloped(Constant(0.0), None).evaluate()
    0.0
    """
    inner = a if slope is None else Product((slope, a))
    return Quotient(a, Sum((Constant(1), Call(EXP, Negative(inner)))))


def _sigmoid(a: Expression) -> Expression:
    return Quotient(Constant(1), Sum((Constant(1), Call(EXP, Negative(a)))))


def _half_times_one_plus(a: Expression, part: Expression) -> Expression:
    return Product((Quotient(a, Constant(2)), Sum((Constant(1), part))))


def _gelu(a: Expression) -> Expression:
    return _half_times_one_plus(a, Call(ERF, Quotient(a, Root(Constant(2)))))


def _gelu_tanh(a: Expression) -> Expression:
    slope = Root(Quotient(Constant(2), Constant(PiMultiple(Fraction(1)))))
    cubic = Product((Constant(0.044715), a, a, a))
    return _half_times_one_plus(a, Call(TANH, Product((slope, Sum((a, cubic))))))


FORMS: Mapping[str, Form] = {
    "silu": lambda a: sloped(a, None),
    "relu": lambda a: Call(RELU, a),
    "gelu": _gelu,
    "gelu-tanh": _gelu_tanh,
    "sigmoid": _sigmoid,
    "identity": lambda a: a,
    "quick-gelu": lambda a: sloped(a, Constant(1.702)),
}
"""The formula of every activation that the core knows, by its name there."""
