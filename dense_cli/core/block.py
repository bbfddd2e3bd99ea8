"""One decoder block on arrays: norm, attention with rotated queries and keys, norm, gated FFN.

Everything is float64. What a variant or a mistake changes is a field of `Block`:
``dataclasses.replace(given, ...)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from dense_cli.core.angles import Rate
from dense_cli.core.attention import Array, Directions, attend, directions, turned
from dense_cli.core.kernels.activations import activation
from dense_cli.core.kernels.walking import is_large
from dense_cli.errors import DenseError

TENSORS = (
    "x",
    "norm1",
    "q_projected",
    "k_projected",
    "q",
    "k",
    "v",
    "q_rotated",
    "k_rotated",
    "scores",
    "probabilities",
    "heads",
    "attention",
    "residual",
    "norm2",
    "gate",
    "up",
    "activated",
    "product",
    "down",
    "output",
)
"""The tensors of a block in the order in which they are made. The projected ones are there only where a norm
makes q and k of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """x·W + b: the weight is [in, out], the bias [out]."""

    weight: Array
    bias: Array | None = None

    def of(self, x: Array) -> Array:
        """The rows of x [..., in] projected to [..., out]."""
        y: Array = x @ self.weight
        return y if self.bias is None else y + self.bias


@dataclass(frozen=True, slots=True, eq=False)
class BlockWeights:
    """What a block has learned: gains [C], projections, and gains of queries and keys where they have a norm,
    over one head [D] or over the whole projection [H·D]."""

    norm1: Array
    q: Projection
    k: Projection
    v: Projection
    o: Projection
    norm2: Array
    gate: Projection
    up: Projection
    down: Projection
    q_norm: Array | None = None
    k_norm: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """What goes through the block, and how.

    `x` is [T, C], its first row at position `start`. `rates` has one angle per pair of the first `rotary_dim`
    coordinates of a head; None: nothing turns. `rotated` names what turns. The scores are over the root of
    `score_width` (head_dim unless said). With `unit_offset` a stored gain g acts as 1 + g. `residuals` are
    the tensors that are added to attention and to down.
    """

    x: Array
    weights: BlockWeights
    heads: int
    kv_heads: int
    rates: Sequence[Rate] | None
    rotary_dim: int
    layout: str = "interleaved"
    attention_factor: float = 1.0
    start: int = 0
    eps: float = 0.0
    unit_offset: bool = False
    activation: str = "silu"
    window: int | None = None
    rotated: tuple[str, ...] = ("q", "k")
    causal: bool = True
    score_width: int | None = None
    residuals: tuple[str | None, str | None] = ("x", "residual")

    @property
    def head_dim(self) -> int:
        """Coordinates of one head."""
        return int(self.weights.q.weight.shape[1]) // self.heads


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """What a block made: `tensors` by their names in `TENSORS`, without scores and probabilities where they
    were not kept; `shapes` has these too. Those of the last token [H, T] are always there. `directions`
    [T, r/2] are cos + i·sin, without the attention factor."""

    tensors: Mapping[str, Array]
    shapes: Mapping[str, tuple[int, ...]]
    last_scores: Array
    last_probabilities: Array
    directions: Directions | None

    def __getitem__(self, name: str) -> Array:
        return self.tensors[name]


def block(given: Block, keep_scores: bool = True) -> Trace:
    """Every tensor of the block of figure 25.1.

    Raises `DenseError`: "block-x-width", "block-x-empty", "block-zero-row" (a norm without a value),
    "block-overflow" (which stage), "unknown-layout", "unknown-activation", "odd-width".

    Source: figure 25.1; Touvron et al., LLaMA, section 2.2.

    >>> eye, one = Projection(np.eye(2)), np.ones(2)
    >>> weights = BlockWeights(one, eye, eye, eye, eye, one, eye, eye, eye)
    >>> given = Block(np.array([[3.0, 4.0]]), weights, heads=1, kv_heads=1, rates=None, rotary_dim=2)
    >>> block(given)["residual"].round(6).tolist()
    [[3.848528, 5.131371]]
    """
    weights, x = given.weights, given.x.astype(np.float64, copy=False)
    if not x.size:
        raise DenseError("block-x-empty")
    if x.shape[-1] != weights.norm1.size:
        raise DenseError("block-x-width", width=x.shape[-1], hidden=weights.norm1.size)
    act = activation(given.activation)
    made: dict[str, Array] = {"x": x}

    def keep(name: str, array: Array) -> Array:
        if not np.isfinite(array).all():
            raise DenseError("block-overflow", stage=name)
        made[name] = array
        return array

    with np.errstate(all="ignore"):  # what is not finite is refused by name
        norm1 = keep("norm1", rms_norm(x, weights.norm1, given.eps, given.unit_offset, "norm1"))
        q = _heads_of("q", norm1, given, keep)
        k = _heads_of("k", norm1, given, keep)
        v = keep("v", _split(weights.v.of(norm1), given.kv_heads))
        table = None if given.rates is None else directions(given.rates, given.start, len(x))
        q = keep("q_rotated", _turned("q", q, given, table))
        k = keep("k_rotated", _turned("k", k, given, table))
        attended = attend(
            q,
            k,
            _turned("v", v, given, table),
            score_width=given.score_width,
            causal=given.causal,
            window=given.window,
            keep=keep_scores,
        )
        if attended.scores is not None and attended.probabilities is not None:
            made["scores"], made["probabilities"] = attended.scores, attended.probabilities
        heads = keep("heads", attended.heads)
        attention = keep("attention", weights.o.of(_joined(heads)))
        first, second = given.residuals
        residual = keep("residual", attention if first is None else made[first] + attention)
        norm2 = keep("norm2", rms_norm(residual, weights.norm2, given.eps, given.unit_offset, "norm2"))
        gate, up = keep("gate", weights.gate.of(norm2)), keep("up", weights.up.of(norm2))
        product = keep("product", keep("activated", act(gate)) * up)
        down = keep("down", weights.down.of(product))
        keep("output", down if second is None else made[second] + down)
    shapes = {name: array.shape for name, array in made.items()}
    square = (given.heads, len(x), len(x))
    shapes |= {"scores": square, "probabilities": square}
    return Trace(
        tensors={name: made[name] for name in TENSORS if name in made},
        shapes={name: shapes[name] for name in TENSORS if name in shapes},
        last_scores=attended.last_scores,
        last_probabilities=attended.last_probabilities,
        directions=table,
    )


def extent(array: Array) -> tuple[float, float, float]:
    """Smallest, largest and mean entry, without the −∞ of masked scores.

    >>> extent(np.array([1.0, -np.inf, 3.0]))
    (1.0, 3.0, 2.0)
    """
    seen = array[np.isfinite(array)]
    return float(seen.min()), float(seen.max()), float(seen.mean())


def rms_norm(x: Array, gain: Array, eps: float, unit_offset: bool = False, name: str = "x") -> Array:
    """g_i · x_i / √(Σ x_j² / C + eps) of every row of x [..., C], without overflow in the squares.

    Raises `DenseError` "block-zero-row" for a row of zeros with eps 0, naming `name` and the row.

    Source: Zhang and Sennrich, Root Mean Square Layer Normalization, equation 4, with epsilon added.

    >>> rms_norm(np.array([[3e200, 4e200]]), np.ones(2), 0.0).round(6).tolist()
    [[0.848528, 1.131371]]
    """
    x = x.astype(np.float64, copy=False)
    if is_large(x):
        return _rms_norm_in_blocks(x, gain, eps, unit_offset, name)
    size = np.maximum(np.abs(x).max(axis=-1, keepdims=True), sqrt(eps))
    if not size.all():
        # the first axis that is not the row's own coordinates but its token: the last but one
        raise DenseError("block-zero-row", name=name, row=int(np.argwhere(size == 0)[0][-2]) + 1)
    exponent = np.frexp(size)[1]
    scaled = np.ldexp(x, -exponent)
    statistic = np.square(scaled).mean(axis=-1, keepdims=True) + np.ldexp(eps, -2 * exponent)
    output: Array = scaled / np.sqrt(statistic) * (1 + gain if unit_offset else gain)
    return output


def _rms_norm_in_blocks(x: Array, gain: Array, eps: float, unit_offset: bool, name: str) -> Array:
    from dense_cli.core.kernels import rms

    try:
        return rms.rms_norm(x, gain, eps, unit_offset)
    except DenseError as error:
        if error.key != "zero-row":
            raise
    empty = ~x.any(axis=-1)
    raise DenseError("block-zero-row", name=name, row=int(np.argwhere(empty)[0][-1]) + 1)


def _heads_of(name: str, norm1: Array, given: Block, keep: Callable[[str, Array], Array]) -> Array:
    """Queries or keys, split into heads, through their own norm where they have one: [H, T, D]."""
    weights = given.weights
    projection, gain, heads = (
        (weights.q, weights.q_norm, given.heads)
        if name == "q"
        else (weights.k, weights.k_norm, given.kv_heads)
    )
    flat = projection.of(norm1)
    if gain is None:
        return keep(name, _split(flat, heads))
    projected = keep(f"{name}_projected", _split(flat, heads))
    if gain.size == flat.shape[-1] != given.head_dim:  # one norm over all heads together
        return keep(name, _split(rms_norm(flat, gain, given.eps, given.unit_offset, f"{name}_norm"), heads))
    return keep(name, rms_norm(projected, gain, given.eps, given.unit_offset, f"{name}_norm"))


def _split(flat: Array, heads: int) -> Array:
    """[T, H·D] as [H, T, D]."""
    return flat.reshape(len(flat), heads, -1).swapaxes(0, 1)


def _joined(heads: Array) -> Array:
    """[H, T, D] side by side as [T, H·D]."""
    return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)


def _turned(name: str, x: Array, given: Block, table: Directions | None) -> Array:
    if table is None or name not in given.rotated:
        return x
    return turned(x, table, given.layout, given.attention_factor)
