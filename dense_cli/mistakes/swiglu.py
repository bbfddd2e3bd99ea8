"""What is done otherwise in a gated feed-forward network.

A change of one branch alone first takes a packed matrix apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from dense_cli.core import Matrix, Row
from dense_cli.core.activations import ACTIVATIONS, Activation, identity, sigmoid
from dense_cli.core.ffn import Ffn, unpacked
from dense_cli.core.linear import transpose
from dense_cli.frozen import replace
from dense_cli.mistakes import Catalogue, Change, Kind, Mistake, always

# Branches and weights


def swapped_branches(given: Ffn) -> Iterator[Ffn]:
    apart = unpacked(given)
    yield replace(apart, wg=apart.wu, wu=apart.wg, bg=apart.bu, bu=apart.bg)


def packed_interleaved(given: Ffn) -> Iterator[Ffn]:
    if given.packed is not None:
        yield replace(given, order="gate-up" if given.order == "interleaved" else "interleaved")


def packed_order(given: Ffn) -> Iterator[Ffn]:
    if given.packed is not None and given.order != "interleaved":
        yield replace(given, order="up-gate" if given.order == "gate-up" else "gate-up")


def transposed(given: Ffn) -> Iterator[Ffn]:
    apart = unpacked(given)
    turned = {
        name: transpose(matrix)
        for name, matrix in (("wg", apart.wg), ("wu", apart.wu), ("wd", apart.wd))
        if matrix is not None
    }
    for name, matrix in turned.items():
        yield _with_matrices(apart, {name: matrix})
    yield _with_matrices(apart, turned)


def _with_matrices(given: Ffn, matrices: dict[str, Matrix]) -> Ffn:
    return replace(given, **matrices)  # type: ignore[arg-type]


def up_sign(given: Ffn) -> Iterator[Ffn]:
    apart = unpacked(given)
    if apart.wu is not None:
        yield replace(apart, wu=tuple(tuple(map(abs, row)) for row in apart.wu))


def down_missing(given: Ffn) -> Iterator[Ffn]:
    if given.wd is not None:
        yield replace(given, wd=None, bd=None)


def bias_missing(given: Ffn) -> Iterator[Ffn]:
    """All left out, then each alone where there are several."""
    there = [name for name in ("bg", "bu", "bd") if getattr(given, name) is not None]
    if there:
        yield replace(given, bg=None, bu=None, bd=None)
    if len(there) > 1:
        for name in there:
            yield replace(given, **{name: None})  # type: ignore[arg-type]


# Activation


def other_activation(name: str) -> Change:
    """That activation, where another was asked."""

    def changed(given: Ffn) -> Iterator[Ffn]:
        asked = given.activation == name and given.beta is None and given.alpha is None
        if given.act is not None or not asked:
            yield replace(given, act=ACTIVATIONS[name])

    return changed


def exponent_sign(given: Ffn) -> Iterator[Ffn]:
    if given.act is None and given.activation == "silu":
        slope = given.beta if given.alpha is None else given.alpha
        yield replace(given, act=partial(growing_exponent, 1.0 if slope is None else slope))


def growing_exponent(slope: float, a: float) -> float:
    """a / (1 + e^(+slope·a)).

    >>> round(growing_exponent(1.0, 1.0), 6)
    0.268941
    """
    return a * sigmoid(-slope * a)


# How the branches meet


def activation_after_product(gate: Row, up: Row, act: Activation) -> Row:
    return tuple(act(g * u) for g, u in zip(gate, up, strict=True))


def activation_on_both(gate: Row, up: Row, act: Activation) -> Row:
    return tuple(act(g) * act(u) for g, u in zip(gate, up, strict=True))


def gate_alone(gate: Row, up: Row, act: Activation) -> Row:
    return tuple(map(act, gate))


def outer_over_gates(gate: Row, up: Row, act: Activation) -> Row:
    total = sum(map(act, gate))
    return tuple(total * u for u in up)


def outer_over_ups(gate: Row, up: Row, act: Activation) -> Row:
    total = sum(up)
    return tuple(act(g) * total for g in gate)


def matrix_product(given: Ffn) -> Iterator[Ffn]:
    for combine in (outer_over_gates, outer_over_ups):
        yield replace(given, combine=combine)


def residual_added(given: Ffn) -> Iterator[Ffn]:
    yield replace(given, finish=lambda x, output: tuple(a + b for a, b in zip(x, output, strict=True)))


# Clamped form


def up_offset_missing(given: Ffn) -> Iterator[Ffn]:
    if given.up_offset:
        yield replace(given, up_offset=0.0)


def limit_zero(given: Ffn) -> Iterator[Ffn]:
    # Outside the clamped form it would explain every zero row.
    if given.limit is not None or given.alpha is not None or given.up_offset:
        yield replace(given, limit=0.0)


def limit_ignored(given: Ffn) -> Iterator[Ffn]:
    if given.limit is not None:
        yield replace(given, limit=None)


def gate_clamped_below(given: Ffn) -> Iterator[Ffn]:
    if given.limit is not None:
        found, lowest = given.combine, -given.limit

        def clamped(gate: Row, up: Row, act: Activation) -> Row:
            return found(tuple(max(lowest, g) for g in gate), up, act)

        yield replace(given, combine=clamped)


ENTRIES: Iterable[tuple[str, Kind, Change]] = (
    ("swapped-branches", "slip", swapped_branches),
    ("packed-interleaved", "convention", packed_interleaved),
    ("packed-order", "convention", packed_order),
    ("activation-after-product", "slip", always(combine=activation_after_product)),
    ("activation-both", "slip", always(combine=activation_on_both)),
    ("activation-missing", "slip", always(act=identity)),
    *((name, "slip", other_activation(name)) for name in ACTIVATIONS if name != "identity"),
    ("exponent-sign", "slip", exponent_sign),
    ("up-missing", "slip", always(combine=gate_alone)),
    ("down-missing", "slip", down_missing),
    ("transposed", "slip", transposed),
    ("residual-added", "slip", residual_added),
    ("bias-missing", "slip", bias_missing),
    ("up-offset-missing", "slip", up_offset_missing),
    ("limit-zero", "slip", limit_zero),
    ("limit-ignored", "slip", limit_ignored),
    ("gate-clamped-below", "slip", gate_clamped_below),
    ("matrix-product", "slip", matrix_product),
    ("up-sign", "slip", up_sign),
)

SWIGLU: Catalogue = tuple(Mistake(id, "swiglu", kind, change) for id, kind, change in ENTRIES)
