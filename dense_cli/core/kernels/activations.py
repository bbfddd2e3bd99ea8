"""The activations on arrays. Small arrays are calculated at once; silu of a large one goes in blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import erfc
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dense_cli.core.activations import CUBIC, QUICK_SLOPE, ROOT_HALF, ROOT_TWO_OVER_PI
from dense_cli.core.kernels.walking import blocks, flat, is_large
from dense_cli.errors import DenseError, nearest

Array = NDArray[np.float64]

IN_PLACE = 1 << 18
"""The most numbers in a block that needs no room: fewer calls, and it still stays in the cache."""


def sigmoid(z: Array) -> Array:
    """1 / (1 + e^(-z)) without overflow, to a few units in the last place."""
    grown = np.exp(-np.abs(z))
    output: Array = np.where(z < 0, grown, 1.0) / (1 + grown)
    return output


def silu(x: Array) -> Array:
    """x·σ(x), without the digits that e^x alone loses far out; no −0.

    >>> silu(np.array([1.0, -1000.0])).round(6).tolist()
    [0.731059, 0.0]
    """
    if is_large(x) and x.dtype == np.float64:
        return _silu_in_blocks(x)
    half = np.exp(np.minimum(x, 0) / 2)  # its square is too small for a float long before x times it is
    grown = np.exp(-np.abs(x))
    output: Array = x * half / (1 + grown) * half + 0.0
    return output


def _silu_in_blocks(x: Array) -> Array:
    output = np.empty_like(x)
    numbers, results = flat(x, output)
    for index in blocks(numbers.shape, IN_PLACE):
        part = results[index]
        write_silu(numbers[index], part)
        part += 0.0  # no −0
    return output


def write_silu(x: NDArray[Any], out: NDArray[Any]) -> None:
    """x / (1 + e^(−x)) into `out`, which is not x; where e^(−x) overflows, x · e^(x/2) · e^(x/2).

    Source: Elfwing, Uchibe and Doya, Sigmoid-Weighted Linear Units, equation 2.

    >>> write_silu(np.array([0.0, -1000.0]), out := np.empty(2)), out.tolist()
    (None, [0.0, -0.0])
    """
    overflown: list[str] = []  # the processor notes it for nothing; to look for it takes time
    with np.errstate(over="call", call=lambda kind, _: overflown.append(kind)):
        np.negative(x, out=out)
        np.exp(out, out=out)
    far = np.isinf(out) if overflown else None
    np.add(out, 1, out=out)
    np.divide(x, out, out=out)
    if far is not None:
        half = np.exp(x[far] / 2)  # its square is too small for a float long before x times it is
        out[far] = x[far] * half * half


ACTIVATIONS: Mapping[str, Callable[[Array], Array]] = {
    "silu": silu,
    "relu": lambda x: np.maximum(x, 0.0),
    "gelu": lambda x: x / 2 * np.vectorize(erfc, otypes=[float])(-x * float(ROOT_HALF)) + 0.0,
    "gelu-tanh": lambda x: x * sigmoid(2 * float(ROOT_TWO_OVER_PI) * (x + float(CUBIC) * x**3)) + 0.0,
    "sigmoid": sigmoid,
    "identity": lambda x: x,
    "quick-gelu": lambda x: x * sigmoid(float(QUICK_SLOPE) * x) + 0.0,
}
"""The functions of `core.activations` on arrays, to about twelve digits."""


def activation(name: str) -> Callable[[Array], Array]:
    """The function of that name. Raises `DenseError` "unknown-activation"."""
    if name not in ACTIVATIONS:
        known = tuple(ACTIVATIONS)
        raise DenseError(
            "unknown-activation", typed=name, nearest=nearest(str(name), tuple(ACTIVATIONS)), known=known
        )
    return ACTIVATIONS[name]
