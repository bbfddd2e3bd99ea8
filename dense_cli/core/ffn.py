"""The gated feed-forward network, each row alone: (act(x·Wg) ⊙ x·Wu)·Wd.

Whatever may be done otherwise is a field of `Ffn`: a variant, a convention or a mistake is
``dataclasses.replace(given, field=...)``. Matrices are stored input by output ([C, F], [C, F] and [F, C]).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isfinite

from dense_cli.core import Matrix, Row
from dense_cli.core.activations import Activation, activation, swish
from dense_cli.core.linear import check_matrix, check_row, product, shape, shape_text
from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass, replace

Combine = Callable[[Row, Row, Activation], Row]

ORDERS = ("gate-up", "up-gate", "interleaved")
"""How the columns of a packed matrix stand: gate half first, up half first, or gate and up in turn."""


def gated(gate: Row, up: Row, act: Activation) -> Row:
    """act(gate) ⊙ up, coordinate by coordinate.

    >>> gated((2.0, -2.0), (3.0, 5.0), abs)
    (6.0, 10.0)
    """
    return tuple(act(g) * u + 0.0 for g, u in zip(gate, up, strict=True))  # + 0.0: no negative zeros


def output_alone(x: Row, output: Row) -> Row:
    """The output as it is: the residual connection belongs to the block, not to the FFN."""
    return output


@dataclass(frozen=True, slots=True)
class Ffn:
    """What goes through the network: the given numbers, then the parts of the calculation.

    `x` is [T, C]. The branches come as `wg` and `wu`, [C, F] each, or as one `packed` matrix [C, 2F] with
    its `order`. Without `wd`, [F, C], the product is the output. `beta` (Swish) and `alpha` (the clamped
    form) are two names for the slope inside the sigmoid of silu. With `limit` L the gate is at most L and up
    within ±L; then `up_offset` is added to up. `act` replaces the function that `activation` names.
    """

    x: Matrix
    wg: Matrix | None = None
    wu: Matrix | None = None
    wd: Matrix | None = None
    packed: Matrix | None = None
    order: str = "gate-up"
    bg: Row | None = None
    bu: Row | None = None
    bd: Row | None = None
    activation: str = "silu"
    beta: float | None = None
    limit: float | None = None
    alpha: float | None = None
    up_offset: float = 0.0
    act: Activation | None = None
    combine: Combine = gated
    finish: Callable[[Row, Row], Row] = output_alone


@dataclass(frozen=True, slots=True)
class FfnRow:
    """One row on its way. `gate` and `up` are the projections; `gate_used` and `up_used` what is left of them
    after limit and offset, the same where there are none."""

    x: Row
    gate: Row
    up: Row
    gate_used: Row
    up_used: Row
    activated: Row
    product: Row
    output: Row


def unpack(packed: Matrix, order: str) -> tuple[Matrix, Matrix]:
    """Gate and up matrix [C, F] of a packed one [C, 2F].

    Raises `DenseError`: "unknown-order", "packed-odd".

    >>> unpack(((1.0, 2.0, -1.0, 3.0),), "interleaved")
    (((1.0, -1.0),), ((2.0, 3.0),))
    """
    if order not in ORDERS:
        raise DenseError("unknown-order", typed=order, nearest=nearest(order, ORDERS), known=tuple(ORDERS))
    check_matrix("wgu", packed)
    columns = shape(packed)[1]
    if columns % 2:
        raise DenseError("packed-odd", columns=columns, shape=shape_text(packed))
    half = columns // 2
    halves = slice(half), slice(half, None)
    turns = slice(0, None, 2), slice(1, None, 2)
    first, second = turns if order == "interleaved" else halves
    gate, up = (second, first) if order == "up-gate" else (first, second)
    return tuple(row[gate] for row in packed), tuple(row[up] for row in packed)


def branches(given: Ffn) -> tuple[Matrix, Matrix]:
    """Gate and up matrix, whichever way they were given.

    Raises `DenseError`: "weights-missing", "weights-twice", and what `unpack` raises.
    """
    if given.packed is not None:
        if given.wg is not None or given.wu is not None:
            raise DenseError("weights-twice")
        return unpack(given.packed, given.order)
    if given.wg is None or given.wu is None:
        raise DenseError("weights-missing", missing="wg" if given.wg is None else "wu")
    return given.wg, given.wu


def unpacked(given: Ffn) -> Ffn:
    """The same network with `wg` and `wu` apart, for changes to one of them.

    >>> unpacked(Ffn(x=((1.0,),), packed=((1.0, 2.0),))).wu
    ((2.0,),)
    """
    wg, wu = branches(given)
    return replace(given, wg=wg, wu=wu, packed=None)


def acting(given: Ffn) -> Activation:
    """The function that the gate goes through.

    Raises `DenseError`: "unknown-activation"; "two-slopes" where beta and alpha differ; "slope-unused" where
    there is a slope but no silu.

    >>> acting(Ffn(x=((1.0,),), beta=0.0))(3.0)
    1.5
    """
    if given.act is not None:
        return given.act
    named = activation(given.activation)
    slopes = {slope for slope in (given.beta, given.alpha) if slope is not None}
    if not slopes:
        return named
    if given.activation != "silu":
        raise DenseError("slope-unused", activation=given.activation)
    if len(slopes) > 1:
        raise DenseError("two-slopes", beta=given.beta, alpha=given.alpha)
    check_row("beta" if given.alpha is None else "alpha", tuple(slopes))
    return partial(swish, slope=slopes.pop())


def ffn(given: Ffn) -> tuple[FfnRow, ...]:
    """Every row through the network.

    Projections are rounded once from their exact values. Raises `DenseError`, naming all shapes:
    "weight-rows", "branch-shapes", "down-shape", "bias-width", "bias-without-down"; further "negative-limit",
    "ffn-overflow" (which row, and at which stage), and what `branches`, `acting` and `check_matrix` raise.

    Source: Shazeer, GLU Variants Improve Transformer, equations 5 and 6.

    >>> identity = ((1.0, 0.0), (0.0, 1.0))
    >>> up = ((2.0, 0.0), (0.0, -3.0))
    >>> row, = ffn(Ffn(x=((1.0, -1.0),), wg=identity, wu=up, wd=((1.0, 0.0), (1.0, 1.0))))
    >>> row.gate, row.up
    ((1.0, -1.0), (2.0, 3.0))
    >>> [round(value, 6) for value in row.output]
    [0.655293, -0.806824]
    """
    wg, wu = branches(given)
    _check(given, wg, wu)
    act = acting(given)
    gates = product(given.x, wg, given.bg)
    ups = product(given.x, wu, given.bu)
    rows = zip(given.x, gates, ups, strict=True)
    return tuple(_row(given, act, number, *row) for number, row in enumerate(rows, start=1))


def _row(given: Ffn, act: Activation, number: int, x: Row, gate: Row, up: Row) -> FfnRow:
    x = tuple(map(float, x))
    gate_used, up_used = _limited(given, gate, up)
    _check_finite(number, {"gate": gate, "up": up_used})  # an activation need not know infinities
    activated = tuple(map(act, gate_used))
    multiplied = given.combine(gate_used, up_used, act)
    _check_finite(number, {"activated": activated, "product": multiplied})
    down = multiplied if given.wd is None else product((multiplied,), given.wd, given.bd)[0]
    output = given.finish(x, down)
    _check_finite(number, {"output": output})
    return FfnRow(x, gate, up, gate_used, up_used, activated, multiplied, output)


def _limited(given: Ffn, gate: Row, up: Row) -> tuple[Row, Row]:
    limit = given.limit
    if limit is not None:
        gate = tuple(min(value, limit) for value in gate)
        up = tuple(max(-limit, min(value, limit)) for value in up)
    return gate, tuple(value + given.up_offset for value in up)


def _check_finite(number: int, stages: dict[str, Row]) -> None:
    for stage, row in stages.items():
        if not all(map(isfinite, row)):
            raise DenseError("ffn-overflow", row=number, stage=stage)


def _check(given: Ffn, wg: Matrix, wu: Matrix) -> None:
    wide = {"wg": wg, "wu": wu} if given.packed is None else {"wgu": given.packed}
    down = {} if given.wd is None else {"wd": given.wd}
    matrices = {"x": given.x, **wide, **down}
    for name, matrix in matrices.items():
        check_matrix(name, matrix)
    shapes = ", ".join(f"{name} {shape_text(matrix)}" for name, matrix in matrices.items())
    for name, matrix in wide.items():
        _check_rows("weight-rows", name, matrix, shape(given.x)[1], shapes)
    hidden, up_width = shape(wg)[1], shape(wu)[1]
    if hidden != up_width:
        raise DenseError("branch-shapes", gate=hidden, up=up_width, shapes=shapes)
    if given.wd is not None:
        _check_rows("down-shape", "wd", given.wd, hidden, shapes)
    _check_biases(given, hidden, shapes)
    if given.limit is not None and not (isfinite(given.limit) and given.limit >= 0):
        raise DenseError("negative-limit", limit=given.limit)
    check_row("up-offset", (given.up_offset,))


def _check_rows(key: str, name: str, matrix: Matrix, needed: int, shapes: str) -> None:
    rows, columns = shape(matrix)
    if rows == needed:
        return
    hint = None
    if rows == 1:  # an unquoted `;` ends a command for the shell, and the other rows with it
        hint = "one-row"
    elif columns == needed:
        hint = "weights-layout"
    raise DenseError(key, hint=hint, name=name, rows=rows, columns=columns, needed=needed, shapes=shapes)


def _check_biases(given: Ffn, hidden: int, shapes: str) -> None:
    if given.wd is None and given.bd is not None:
        raise DenseError("bias-without-down")
    out = 0 if given.wd is None else shape(given.wd)[1]
    for name, bias, needed in (("bg", given.bg, hidden), ("bu", given.bu, hidden), ("bd", given.bd, out)):
        if bias is None:
            continue
        if len(bias) != needed:
            raise DenseError("bias-width", name=name, width=len(bias), needed=needed, shapes=shapes)
        check_row(name, bias)
