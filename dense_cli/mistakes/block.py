"""What is done otherwise in a whole decoder block: one part or one given of it replaced.

A mistake that is known from a calculation of its own keeps its topic, and so its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from dense_cli.core.attention import Array
from dense_cli.core.block import Block, Projection
from dense_cli.core.kernels.activations import ACTIVATIONS
from dense_cli.core.rope import LAYOUTS
from dense_cli.frozen import replace
from dense_cli.mistakes import Catalogue, Change, Kind, Mistake, always, catalogue
from dense_cli.mistakes.rmsnorm import SETTINGS, eps_other
from dense_cli.mistakes.rope import BASES

# Rotation


def where_turned(change: Callable[[Block], Iterator[Block]]) -> Change:
    """The change where anything turns; elsewhere none."""
    return lambda given: () if given.rates is None else change(given)


def other_layout(given: Block) -> Iterator[Block]:
    yield replace(given, layout=LAYOUTS[1 - LAYOUTS.index(given.layout)])


def clockwise(given: Block) -> Iterator[Block]:
    yield replace(given, rates=tuple(-rate for rate in given.rates or ()))


def moved(by: int) -> Callable[[Block], Iterator[Block]]:
    """Positions counted from another one."""

    def changed(given: Block) -> Iterator[Block]:
        yield replace(given, start=given.start + by)

    return changed


def of_rope(id: str) -> Change:
    """What the mistake of that name does to the rates of one query and key, done to those of a block."""
    (mistake,) = (mistake for mistake in catalogue("rope") if mistake.id == id)
    return where_turned(lambda given: iter(mistake.change(given)))


def key_alone(given: Block) -> Iterator[Block]:
    yield replace(given, rotated=("k",))


def query_alone(given: Block) -> Iterator[Block]:
    yield replace(given, rotated=("q",))


def value_rotated(given: Block) -> Iterator[Block]:
    yield replace(given, rotated=("q", "k", "v"))


# The order of the rows of Q and K, which goes with the pair layout


def permuted_weights(given: Block) -> Iterator[Block]:
    """Queries and keys regrouped for the other layout, in both directions."""
    for order in (_grouped, _spread):
        yield _with_orders(given, order(given.heads), order(given.kv_heads))


def key_permuted_by_heads(given: Block) -> Iterator[Block]:
    """Keys regrouped as H/K heads, where there are K: so once in a converter, and not seen where both are one
    number."""
    groups = given.heads // given.kv_heads
    width = given.kv_heads * given.head_dim
    if groups != given.kv_heads and width % (2 * groups) == 0:
        yield _with_orders(given, None, lambda columns: _grouped(groups)(_spread(given.kv_heads)(columns)))


Order = Callable[[Array], Array]
"""The last axis, all heads side by side, in another order."""


def _grouped(heads: int) -> Order:
    """In each head first the even coordinates, then the odd ones."""
    return lambda flat: _pairs_turned(flat, (heads, -1, 2))


def _spread(heads: int) -> Order:
    """The reverse: the halves of each head in turn."""
    return lambda flat: _pairs_turned(flat, (heads, 2, -1))


def _pairs_turned(flat: Array, cut: tuple[int, int, int]) -> Array:
    apart = flat.reshape(*flat.shape[:-1], *cut)
    return apart.swapaxes(-1, -2).reshape(flat.shape)


def _with_orders(given: Block, query: Order | None, key: Order | None) -> Block:
    q, k = (
        one if order is None else Projection(order(one.weight), None if one.bias is None else order(one.bias))
        for one, order in ((given.weights.q, query), (given.weights.k, key))
    )
    return replace(given, weights=replace(given.weights, q=q, k=k))


# Attention


def window_ignored(given: Block) -> Iterator[Block]:
    if given.window is not None:
        yield replace(given, window=None)


def scaled_by_width(given: Block) -> Iterator[Block]:
    if given.heads > 1:
        yield replace(given, score_width=given.heads * given.head_dim)


def scaled_without_root(given: Block) -> Iterator[Block]:
    yield replace(given, score_width=given.head_dim**2)


def heads_interleaved(given: Block) -> Iterator[Block]:
    """Query head h reads key and value head h mod K, where it should read h // (H/K)."""
    heads, kv_heads, weights = given.heads, given.kv_heads, given.weights
    one_norm = weights.k_norm is not None and weights.k_norm.size != given.head_dim
    if not 1 < kv_heads < heads or one_norm:
        return
    read = np.arange(heads) % kv_heads
    k, v = (_heads_picked(projection, kv_heads, read) for projection in (weights.k, weights.v))
    yield replace(given, kv_heads=heads, weights=replace(weights, k=k, v=v))


def _heads_picked(projection: Projection, heads: int, picked: NDArray[np.int_]) -> Projection:
    def of(array: Array) -> Array:
        apart = array.reshape(*array.shape[:-1], heads, -1)[..., picked, :]
        return apart.reshape(*array.shape[:-1], -1)

    return Projection(of(projection.weight), None if projection.bias is None else of(projection.bias))


def qk_norm_missing(given: Block) -> Iterator[Block]:
    weights = given.weights
    if weights.q_norm is not None or weights.k_norm is not None:
        yield replace(given, weights=replace(weights, q_norm=None, k_norm=None))


# Norms


def gain_ignored(given: Block) -> Iterator[Block]:
    weights = given.weights
    plain = {name: np.full_like(getattr(weights, name), not given.unit_offset) for name in ("norm1", "norm2")}
    yield replace(given, weights=replace(weights, **plain))
    for name, gain in plain.items():
        yield replace(given, weights=replace(weights, **{name: gain}))


def offset(unit_offset: bool) -> Change:
    """A stored gain read with or without its offset, where it is the other way."""
    return lambda given: (
        () if given.unit_offset is unit_offset else (replace(given, unit_offset=unit_offset),)
    )


# Projections and the network


PROJECTIONS = ("q", "k", "v", "o", "gate", "up", "down")


def transposed(given: Block) -> Iterator[Block]:
    """Each square matrix alone, then all of them."""
    found = {name: getattr(given.weights, name) for name in PROJECTIONS}
    turned = {
        name: replace(projection, weight=projection.weight.T)
        for name, projection in found.items()
        if projection.weight.shape[0] == projection.weight.shape[1]
    }
    for name, projection in turned.items():
        yield replace(given, weights=replace(given.weights, **{name: projection}))
    if len(turned) > 1:
        yield replace(given, weights=replace(given.weights, **turned))


def bias_missing(given: Block) -> Iterator[Block]:
    """All left out, then each alone."""
    found = {name: getattr(given.weights, name) for name in PROJECTIONS}
    plain = {name: replace(one, bias=None) for name, one in found.items() if one.bias is not None}
    if plain:
        yield replace(given, weights=replace(given.weights, **plain))
    for name, projection in plain.items() if len(plain) > 1 else ():
        yield replace(given, weights=replace(given.weights, **{name: projection}))


def swapped_branches(given: Block) -> Iterator[Block]:
    yield replace(given, weights=replace(given.weights, gate=given.weights.up, up=given.weights.gate))


def other_activation(name: str) -> Change:
    """That activation, where another was asked."""
    return lambda given: () if given.activation == name else (replace(given, activation=name),)


def residual_normalised(given: Block) -> Iterator[Block]:
    for residuals in (("norm1", "residual"), ("x", "norm2"), ("norm1", "norm2")):
        yield replace(given, residuals=residuals)


ENTRIES: Iterable[tuple[str, str, Kind, Change]] = (
    ("rope", "other-layout", "convention", where_turned(other_layout)),
    ("rope", "clockwise", "convention", where_turned(clockwise)),
    ("block", "permuted-weights", "slip", where_turned(permuted_weights)),
    ("block", "key-permuted-by-heads", "slip", where_turned(key_permuted_by_heads)),
    ("rope", "one-based", "slip", where_turned(moved(1))),
    ("rope", "position-minus-one", "slip", where_turned(moved(-1))),
    ("rope", "no-rotation", "slip", where_turned(lambda given: iter((replace(given, rates=None),)))),
    ("rope", "value-rotated", "slip", where_turned(value_rotated)),
    ("rope", "key-only", "slip", where_turned(key_alone)),
    ("rope", "query-only", "slip", where_turned(query_alone)),
    *(
        ("rope", id, "slip", of_rope(id))
        for id in (
            "exponent-without-two",
            "exponent-odd",
            "exponent-sign",
            "scaling-ignored",
            "attention-factor-ignored",
            "half-turn",
            "one-angle",
        )
    ),
    ("block", "mask-ignored", "slip", always(causal=False)),
    ("block", "window-ignored", "slip", window_ignored),
    ("rope", "not-scaled", "slip", always(score_width=1)),
    ("rope", "scaled-by-width", "slip", scaled_by_width),
    ("rope", "scaled-without-root", "slip", scaled_without_root),
    ("block", "kv-heads-interleaved", "slip", heads_interleaved),
    ("block", "qk-norm-missing", "slip", qk_norm_missing),
    ("block", "first-residual-missing", "slip", lambda given: _residuals(given, (None, "residual"))),
    ("block", "second-residual-missing", "slip", lambda given: _residuals(given, ("x", None))),
    ("block", "residual-missing", "slip", lambda given: _residuals(given, (None, None))),
    ("block", "residual-from-input", "slip", lambda given: _residuals(given, ("x", "x"))),
    ("block", "residual-normalised", "slip", residual_normalised),
    ("rmsnorm", "gain-ignored", "slip", gain_ignored),
    ("rmsnorm", "unit-offset-missing", "convention", offset(False)),
    ("rmsnorm", "unit-offset-unwanted", "convention", offset(True)),
    ("swiglu", "swapped-branches", "slip", swapped_branches),
    ("swiglu", "activation-missing", "slip", other_activation("identity")),
    *(("swiglu", name, "slip", other_activation(name)) for name in ACTIVATIONS if name != "identity"),
    ("swiglu", "bias-missing", "slip", bias_missing),
    ("swiglu", "transposed", "slip", transposed),
    *(("rope", f"base-{base}", "choice", of_rope(f"base-{base}")) for base in BASES),
    ("rmsnorm", "eps-other", "choice", eps_other),
)


def _residuals(given: Block, residuals: tuple[str | None, str | None]) -> Iterator[Block]:
    yield replace(given, residuals=residuals)


BLOCK: Catalogue = tuple(
    Mistake(id, topic, kind, change, SETTINGS.get(id, "")) for topic, id, kind, change in ENTRIES
)
