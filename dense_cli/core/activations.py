"""The functions that a gate goes through, without overflow, warnings or lost digits at any float.

All but `gelu` are x·σ(z) with their own z, and share one careful σ. Where z is no float, the difference to
the nearest float is carried along, because far out σ(z) multiplies an error of z by z itself. Results are
within two units in the last place; those of `gelu` within three or four,
as the platform's `erfc` is, unless they are subnormal.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import erfc, exp, isinf, pi

from dense_cli.core.exact import rounded
from dense_cli.errors import DenseError, nearest

Activation = Callable[[float], float]

ROOT_HALF = Fraction("0.70710678118654752440084436210484903928")
ROOT_TWO_OVER_PI = Fraction("0.79788456080286535587989211986876373695")
CUBIC = Fraction("0.044715")
QUICK_SLOPE = Fraction("1.702")

FAR = -700.0
"""Below it e^(-z) would overflow soon, while e^z is already too small to be seen beside 1."""


def sigmoid(x: float) -> float:
    """1 / (1 + e^(-x)).

    >>> sigmoid(0.0), sigmoid(-1000.0)
    (0.5, 0.0)
    """
    return _times_sigmoid(1.0, x)


def silu(x: float) -> float:
    """x / (1 + e^(-x)), also called Swish with the slope 1.

    Source: Elfwing, Uchibe and Doya, Sigmoid-Weighted Linear Units, equation 2.

    >>> silu(1.0), silu(-1.0), silu(-1000.0)
    (0.7310585786300049, -0.2689414213699951, 0.0)
    """
    return _times_sigmoid(x, x)


def swish(x: float, slope: float | Fraction) -> float:
    """x·σ(slope·x).

    Source: Ramachandran, Zoph and Le, Searching for Activation Functions, section 4.

    >>> swish(3.0, 0.0), swish(1.0, 1.0) == silu(1.0)
    (1.5, True)
    """
    return _times_exact_sigmoid(x, Fraction(slope) * Fraction(x))


def quick_gelu(x: float) -> float:
    """x·σ(1.702 x).

    Source: Hendrycks and Gimpel, Gaussian Error Linear Units, section 2.

    >>> round(quick_gelu(1.0), 12)
    0.845795765933
    """
    return swish(x, QUICK_SLOPE)


def gelu_tanh(x: float) -> float:
    """x/2 · (1 + tanh(√(2/π)(x + 0.044715 x³))), written with 1 + tanh z = 2σ(2z) so that nothing cancels.

    Source: Hendrycks and Gimpel, Gaussian Error Linear Units, section 2.

    >>> round(gelu_tanh(1.0), 12), gelu_tanh(-1e200)
    (0.841191990608, 0.0)
    """
    exact = Fraction(x)
    return _times_exact_sigmoid(x, 2 * ROOT_TWO_OVER_PI * (exact + CUBIC * exact**3))


def gelu(x: float) -> float:
    """x·Φ(x), Φ the normal distribution function, as x/2 · erfc(-x/√2): 1 + erf would cancel far out.

    Source: Hendrycks and Gimpel, Gaussian Error Linear Units, equation 1.

    >>> round(gelu(1.0), 12), gelu(-1000.0)
    (0.841344746069, 0.0)
    """
    exact = -Fraction(x) * ROOT_HALF
    z = float(exact)
    # erfc at the exact point: its slope there is -2/√π·e^(-z²).
    tail = erfc(z) - 2 / pi**0.5 * exp(-z * z) * float(exact - Fraction(z))
    return _no_negative_zero(x / 2 * tail)


def relu(x: float) -> float:
    """The larger of x and 0.

    >>> relu(2.0), relu(-2.0)
    (2.0, 0.0)
    """
    return x if x > 0 else 0.0


def identity(x: float) -> float:
    """x itself: the bilinear unit."""
    return x


ACTIVATIONS: dict[str, Activation] = {
    "silu": silu,
    "relu": relu,
    "gelu": gelu,
    "gelu-tanh": gelu_tanh,
    "sigmoid": sigmoid,
    "identity": identity,
    "quick-gelu": quick_gelu,
}


def activation(name: str) -> Activation:
    """The function of that name. Raises `DenseError` "unknown-activation".

    >>> activation("relu")(-1.0)
    0.0
    """
    if name not in ACTIVATIONS:
        known = tuple(ACTIVATIONS)
        raise DenseError(
            "unknown-activation", typed=name, nearest=nearest(name, tuple(ACTIVATIONS)), known=known
        )
    return ACTIVATIONS[name]


def _times_exact_sigmoid(x: float, exact: Fraction) -> float:
    z = rounded(exact)
    return _times_sigmoid(x, z, 0.0 if isinf(z) else float(exact - Fraction(z)))


def _times_sigmoid(x: float, z: float, rest: float = 0.0) -> float:
    """x·σ(z + rest), `rest` being smaller than the last digit of z."""
    if z < FAR:
        half = exp(z / 2)  # e^z itself may be too small for a float where x·e^z is not
        return _no_negative_zero(x * half * half * (1 + rest))
    grown = exp(-z)
    below = 1 + grown
    lost = (grown - below) + 1 if grown > 1 else (1 - below) + grown  # what rounding took from `below`
    value = x / below
    return _no_negative_zero(value + value * (rest * (1 - 1 / below) - lost / below))


def _no_negative_zero(value: float) -> float:
    return value + 0.0
