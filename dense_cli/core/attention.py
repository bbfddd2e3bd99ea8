"""Causal attention with grouped heads on arrays, and the rotation of all positions at once.

This file and `core.block` are the array side of the calculations; hand-sized commands import neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import frexp, sqrt

import numpy as np
from numpy.typing import NDArray

from dense_cli.core.angles import Rate, cos_sin
from dense_cli.core.kernels.walking import is_large, rows_where_they_stand
from dense_cli.core.rope import pairs
from dense_cli.errors import DenseError

Array = NDArray[np.float64]
Directions = NDArray[np.complex128]

QUERIES = 64
"""The most queries that are scored at once."""

FEWEST = 8
"""So many queries are scored at once, however long the sequence."""

AT_ONCE = 1 << 16
"""So many scores stay in the cache, and in narrow heads their product waits for no second thread."""

TAME, MOST_TAME = 512.0, 2.0**200
"""Many scores no larger than the first are exponents as they are: e**512 is 2**739, the last float 2**1024.
Values no larger than the second, however many, may then be added up before they are divided."""

MOST_EXACT = 4096
"""Up to so many angles each cosine and sine is rounded once; for more, a table is multiplied together."""


def directions(rates: Sequence[Rate], start: int, tokens: int) -> Directions:
    """cos + i·sin of every pair at `tokens` positions from `start` on: [T, r/2].

    Each is the nearest float64 for few angles. For many they are those of `kernels.tables`, off by at most
    three units in the last place of 1.

    >>> from fractions import Fraction
    >>> directions([Rate.turns(Fraction(1, 4))], start=1, tokens=2).tolist()
    [[1j], [(-1+0j)]]
    """
    positions = range(start, start + tokens)
    if tokens * len(rates) > MOST_EXACT:
        from dense_cli.core.kernels import tables

        return tables.directions(rates, positions)
    rows = [[complex(*cos_sin(rate, position)) for rate in rates] for position in positions]
    return np.array(rows, dtype=np.complex128).reshape(len(positions), len(rates))


def turned(x: Array, table: Directions, layout: str, factor: float = 1.0) -> Array:
    """Each pair of x [..., T, D] turned by its direction in `table` [T, r/2], times the attention factor.

    Coordinates in no pair stay as they are. No −0 in a pair. Raises `DenseError` "unknown-layout".

    Source: Su et al., RoFormer, equation 15.

    >>> turned(np.array([[1.0, 0.0]]), np.array([[1j]]), "half").tolist()
    [[0.0, 1.0]]
    """
    first, second = (list(side) for side in zip(*pairs(layout, 2 * table.shape[-1]), strict=True))
    if is_large(x):
        return _turned_in_blocks(x, table * factor, layout)
    cosine, sine = table.real * factor, table.imag * factor
    output = x.copy()
    output[..., first] = x[..., first] * cosine - x[..., second] * sine + 0.0
    output[..., second] = x[..., first] * sine + x[..., second] * cosine + 0.0
    return output


def _turned_in_blocks(x: Array, table: Directions, layout: str) -> Array:
    from dense_cli.core.kernels import rotation

    output = rotation.turned(x, rotation.arranged(table, layout))
    pairs_of_output = output[..., : 2 * table.shape[-1]]
    pairs_of_output += 0.0  # no −0
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
    tame = tokens > QUERIES and _are_tame(q, k, v, root)
    with rows_where_they_stand():
        for some, block in _blocks(shape):
            first, last = block.start, block.stop
            begin = max(0, first - window + 1) if causal and window is not None else 0
            end = last if causal else tokens
            rows, columns = (some, slice(None), slice(first, last)), (some, slice(None), slice(begin, end))
            seen = (*rows, slice(begin, end))
            part = _scores(queries[rows], keys[columns], root, tame)
            if causal:
                _hide(part, block, begin, window)
            if scores is not None:
                scores[seen] = part
            if last == tokens:
                last_scores[some, :, begin:end] = part[..., -1, :]
            sums = _powers_in_place(part, tame)
            if not tame:
                part /= sums
            output[rows] = part @ values[columns]
            if tame:
                output[rows] /= sums  # the heads are narrower than their scores
            if probabilities is not None:
                probabilities[seen] = part / sums if tame else part
            if last == tokens:
                share = part[..., -1, :]
                last_probabilities[some, :, begin:end] = share / sums[..., -1, :] if tame else share
    return Attended(
        heads=output.reshape(heads, tokens, v.shape[-1]),
        last_scores=last_scores.reshape(heads, tokens),
        last_probabilities=last_probabilities.reshape(heads, tokens),
        scores=None if scores is None else scores.reshape(heads, tokens, tokens),
        probabilities=None if probabilities is None else probabilities.reshape(heads, tokens, tokens),
    )


def _blocks(shape: tuple[int, int, int]) -> Iterator[tuple[slice, range]]:
    """Which key heads and queries are scored at once, of [key heads, query heads for each, T]."""
    groups, heads, tokens = shape
    rows = AT_ONCE // max(heads * tokens, 1)
    queries = min(max(rows, FEWEST), QUERIES)
    together = max(1, rows // queries)
    for some, first in product(range(0, groups, together), range(0, tokens, queries)):
        yield slice(some, some + together), range(first, min(first + queries, tokens))


def _hide(scores: Array, queries: range, begin: int, window: int | None) -> None:
    """−∞ for the keys, counted from `begin`, that a query may not use. Those that some may and some may not
    are near the diagonal, and as near the far end of the window."""
    ends = [] if window is None else [range(begin, max(begin, queries.stop - window))]
    for keys in (queries, *ends):
        part = scores[..., keys.start - begin : keys.stop - begin]
        np.copyto(part, -np.inf, where=_hidden(queries.start - keys.start, len(queries), len(keys), window))


@lru_cache(maxsize=8)
def _hidden(offset: int, queries: int, keys: int, window: int | None) -> NDArray[np.bool_]:
    """The same for every block of queries: the first stands so far behind the first key."""
    return ~visible(range(offset, offset + queries), range(keys), window)


def visible(queries: range, keys: range, window: int | None = None) -> NDArray[np.bool_]:
    """Whether each query may use each key: none after it, and within the window none too far before it.

    >>> visible(range(1, 3), range(3), window=2).tolist()
    [[True, True, False], [False, True, True]]
    """
    offset = np.arange(queries.start, queries.stop)[:, None] - np.arange(keys.start, keys.stop)[None, :]
    seen: NDArray[np.bool_] = offset >= 0
    return seen if window is None else seen & (offset < window)


def _scores(queries: Array, keys: Array, root: float, tame: bool) -> Array:
    is_power_of_two = frexp(root)[0] == 0.5  # then the few queries can be divided without a rounding
    with np.errstate(over="ignore", invalid="ignore"):
        part: Array = (queries / root if is_power_of_two else queries) @ keys.swapaxes(-1, -2)
    if not is_power_of_two:
        part /= root
    if not tame and not np.isfinite(part).all():
        raise DenseError("block-overflow", stage="scores")
    return part


def _are_tame(q: Array, k: Array, v: Array, root: float) -> bool:
    """Whether no power of e, and no sum of them times values, can come near the ends of the floats.

    No score is larger than the longest query times the longest key, over the root (Cauchy, Schwarz).
    """
    with np.errstate(over="ignore", invalid="ignore"):
        of_q, of_k = (sqrt(np.square(part).sum(axis=-1).max(initial=0.0)) for part in (q, k))
        return bool(of_q * of_k / root <= TAME and np.abs(v).max(initial=0.0) <= MOST_TAME)  # not for NaN


def _powers_in_place(scores: Array, tame: bool) -> Array:
    """Each row e^(s − max), and their sums: the largest exponent is 0, so no e overflows, no sum is 0.

    Tame scores are not made smaller first: it is not needed, and costs a rounding.
    """
    if not tame:
        scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    sums: Array = scores.sum(axis=-1, keepdims=True)
    return sums
