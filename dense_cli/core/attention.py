"""Causal attention with grouped heads on arrays, and the rotation of all positions at once.

This file and `core.block` are the array side of the calculations; hand-sized commands import neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt, sqrt

import numpy as np
from numpy.typing import NDArray

from dense_cli.core.angles import Rate, cos_sin
from dense_cli.core.rope import Pairs
from dense_cli.errors import DenseError

Array = NDArray[np.float64]
Directions = NDArray[np.complex128]

QUERIES = 64
"""So many queries are scored at once: their scores stay in the cache, however long the sequence."""

MOST_EXACT = 4096
"""Up to so many angles each cosine and sine is rounded once; for more, a table is multiplied together."""


def directions(rates: Sequence[Rate], start: int, tokens: int) -> Directions:
    """cos + i·sin of every pair at `tokens` positions from `start` on: [T, r/2].

    Each is the nearest float64 for few angles. For many they are products of two small exact tables, as
    e^(i(a+b)θ) = e^(iaθ)·e^(ibθ), off by at most three units in the last place of 1.

    >>> from fractions import Fraction
    >>> directions([Rate.turns(Fraction(1, 4))], start=1, tokens=2).tolist()
    [[1j], [(-1+0j)]]
    """
    if tokens * len(rates) <= MOST_EXACT:
        return _table(rates, range(start, start + tokens))
    step = isqrt(tokens - 1) + 1
    near = _table(rates, range(step))
    far = _table(rates, range(start, start + tokens, step))
    return (far[:, None, :] * near[None, :, :]).reshape(-1, len(rates))[:tokens]


def _table(rates: Sequence[Rate], positions: range) -> Directions:
    rows = [[complex(*cos_sin(rate, position)) for rate in rates] for position in positions]
    return np.array(rows, dtype=np.complex128).reshape(len(positions), len(rates))


def turned(x: Array, table: Directions, pairs: Pairs, factor: float = 1.0) -> Array:
    """Each pair of x [..., T, D] turned by its direction in `table` [T, r/2], times the attention factor.

    Coordinates in no pair stay as they are.

    Source: Su et al., RoFormer, equation 15.

    >>> turned(np.array([[1.0, 0.0]]), np.array([[1j]]), ((0, 1),)).tolist()
    [[0.0, 1.0]]
    """
    first, second = (list(side) for side in zip(*pairs, strict=True))
    cosine, sine = table.real * factor, table.imag * factor
    output = x.copy()
    output[..., first] = x[..., first] * cosine - x[..., second] * sine + 0.0
    output[..., second] = x[..., first] * sine + x[..., second] * cosine + 0.0
    return output


@dataclass(frozen=True, slots=True, eq=False)
class Attended:
    """What the heads read: `heads` [H, T, D], and the scaled scores with −∞ where a key is masked, and the
    probabilities with 0 there: those of the last query [H, T], and where kept those of all [H, T, T]."""

    heads: Array
    last_scores: Array
    last_probabilities: Array
    scores: Array | None
    probabilities: Array | None


def attend(
    q: Array,
    k: Array,
    v: Array,
    *,
    score_width: int | None = None,
    causal: bool = True,
    window: int | None = None,
    keep: bool = True,
) -> Attended:
    """Scaled dot-product attention of q [H, T, D] over k and v [K, T, D], each of the K for H/K query heads.

    Scores are over the root of `score_width` (D unless said). A causal query sees its own key and earlier
    ones, with `window` the last so many of these. The memory is that of one block of queries unless the
    scores are kept. Raises `DenseError` "block-overflow" where a score is no float64 number.

    Source: Vaswani et al., Attention Is All You Need, equation 1; Ainslie et al., GQA, section 2.2.

    >>> ones = np.ones((1, 2, 1))
    >>> attend(ones, ones, np.array([[[2.0], [4.0]]])).heads.tolist()
    [[[2.0], [3.0]]]
    """
    heads, tokens, width = q.shape
    groups = k.shape[0]
    queries = q.reshape(groups, heads // groups, tokens, width)
    keys, values = k[:, None], v[:, None]
    shape = (groups, heads // groups, tokens)
    output = np.empty((*shape, v.shape[-1]))
    scores = np.full((*shape, tokens), -np.inf) if keep else None
    probabilities = np.zeros((*shape, tokens)) if keep else None
    last_scores = np.full((*shape[:2], tokens), -np.inf)
    last_probabilities = np.zeros((*shape[:2], tokens))
    root = sqrt(width if score_width is None else score_width)
    for first in range(0, tokens, QUERIES):
        last = min(first + QUERIES, tokens)
        begin = max(0, first - window + 1) if causal and window is not None else 0
        end = last if causal else tokens
        rows = (..., slice(first, last), slice(None))
        seen = (..., slice(first, last), slice(begin, end))
        part = _scores(queries[rows], keys[..., begin:end, :], root)
        if causal:
            np.copyto(part, -np.inf, where=~visible(range(first, last), range(begin, end), window))
        if scores is not None:
            scores[seen] = part
        if last == tokens:
            last_scores[..., begin:end] = part[..., -1, :]
        _softmax_in_place(part)
        if last == tokens:
            last_probabilities[..., begin:end] = part[..., -1, :]
        if probabilities is not None:
            probabilities[seen] = part
        output[rows] = part @ values[..., begin:end, :]
    return Attended(
        heads=output.reshape(heads, tokens, -1),
        last_scores=last_scores.reshape(heads, tokens),
        last_probabilities=last_probabilities.reshape(heads, tokens),
        scores=None if scores is None else scores.reshape(heads, tokens, tokens),
        probabilities=None if probabilities is None else probabilities.reshape(heads, tokens, tokens),
    )


def visible(queries: range, keys: range, window: int | None = None) -> NDArray[np.bool_]:
    """Whether each query may use each key: none after it, and within the window none too far before it.

    >>> visible(range(1, 3), range(3), window=2).tolist()
    [[True, True, False], [False, True, True]]
    """
    offset = np.arange(queries.start, queries.stop)[:, None] - np.arange(keys.start, keys.stop)[None, :]
    seen: NDArray[np.bool_] = offset >= 0
    return seen if window is None else seen & (offset < window)


def _scores(queries: Array, keys: Array, root: float) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        part: Array = queries @ keys.swapaxes(-1, -2)
    part /= root
    if not np.isfinite(part).all():
        raise DenseError("block-overflow", stage="scores")
    return part


def _softmax_in_place(scores: Array) -> None:
    """Each row e^(s − max) over their sum: the largest exponent is 0, so no e overflows, no sum is 0."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
