"""The gated feed-forward network as model code runs it in one number format, every stage rounded."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan, nan

from dense_cli.core import Matrix, Row
from dense_cli.core.activations import QUICK_SLOPE, Activation, activation, sigmoid
from dense_cli.core.ffn import Ffn, FfnRow, branches
from dense_cli.core.linear import transpose
from dense_cli.core.norms_precision import times_in_float32
from dense_cli.core.precision import Format, to_float32


def ffn_in(given: Ffn, dtype: Format) -> tuple[FfnRow, ...]:
    """Every row through the network in the arithmetic of `dtype`.

    Inputs, weights and biases are rounded to the format, and so is what each stage leaves: a projection
    (products and their sum in float32, from the first input coordinate to the last, then the bias), limit and
    offset, the activation (computed in float32 at once; with a slope in three stages: slope times value, its
    sigmoid, value times that), the product. Libraries may add up a projection in another order, which can
    change the last digit of a float32. Parts of `given` that a variant replaces are not looked at.

    `given` must be sound: `ffn` raises what is wrong with it. Entries may be infinite or not a number.

    Source: PyTorch 2.13, torch.nn.functional.linear and silu; transformers 5.24, LlamaMLP.

    >>> from dense_cli.core.precision import BFLOAT16
    >>> row, = ffn_in(Ffn(x=((1.0,),), wg=((1.0,),), wu=((3.0,),)), BFLOAT16)
    >>> row.activated, row.output
    ((0.73046875,), (2.1875,))
    """
    wg, wu = branches(given)
    act = _acting(given, dtype)
    rows = tuple(dtype.row(row) for row in given.x)
    gates = _projected(rows, wg, given.bg, dtype)
    ups = _projected(rows, wu, given.bu, dtype)
    return tuple(_row(given, dtype, act, *row) for row in zip(rows, gates, ups, strict=True))


def _row(given: Ffn, dtype: Format, act: Activation, x: Row, gate: Row, up: Row) -> FfnRow:
    gate_used, up_used = gate, up
    if given.limit is not None:
        limit = dtype.rounded(given.limit)
        gate_used = tuple(value if isnan(value) else min(value, limit) for value in gate)
        up_used = tuple(value if isnan(value) else max(-limit, min(value, limit)) for value in up)
    if given.up_offset:
        up_used = dtype.row(to_float32(value + to_float32(given.up_offset)) for value in up_used)
    activated = tuple(map(act, gate_used))
    product = dtype.row(times_in_float32(activated, up_used))
    output = product if given.wd is None else _projected((product,), given.wd, given.bd, dtype)[0]
    return FfnRow(x, gate, up, gate_used, up_used, activated, product, output)


def _projected(rows: Matrix, weights: Matrix, bias: Row | None, dtype: Format) -> Matrix:
    columns = tuple(dtype.row(column) for column in transpose(weights))
    biases = (0.0,) * len(columns) if bias is None else dtype.row(bias)
    return tuple(
        dtype.row(_accumulated(row, column, start) for column, start in zip(columns, biases, strict=True))
        for row in rows
    )


def _accumulated(row: Row, column: Row, bias: float) -> float:
    total = 0.0
    for value in times_in_float32(row, column):
        total = to_float32(total + value)
    return to_float32(total + bias)


def _acting(given: Ffn, dtype: Format) -> Activation:
    slope = given.beta if given.alpha is None else given.alpha
    if slope is None and given.activation == "quick-gelu":
        slope = float(QUICK_SLOPE)
    if slope is not None:
        return _staged(slope, dtype)
    return _once(activation(given.activation), dtype)


def _once(act: Activation, dtype: Format) -> Activation:
    return _where_a_number(lambda value: dtype.rounded(to_float32(act(value))))


def _staged(slope: float, dtype: Format) -> Activation:
    def rounded(value: float) -> float:
        return dtype.rounded(to_float32(value))

    inside = to_float32(slope)
    return _where_a_number(lambda value: rounded(value * rounded(sigmoid(rounded(inside * value)))))


def _where_a_number(act: Callable[[float], float]) -> Activation:
    """`act`, with its limits at the infinities: it is made for finite floats alone."""
    most = 2.0**1000

    def everywhere(value: float) -> float:
        return nan if isnan(value) else act(max(-most, min(value, most)))

    return everywhere
