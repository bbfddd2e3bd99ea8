"""The gated feed-forward network on arrays: three matrix products, and act(gate) · up in blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dense_cli.core.kernels.activations import IN_PLACE, write_silu
from dense_cli.core.kernels.activations import activation as of_array
from dense_cli.core.kernels.walking import (
    BLOCK,
    Array,
    Scratch,
    block_size,
    blocks,
    check_out,
    flat,
    is_ready,
    overlaps,
    result_dtype,
    same,
    working_dtype,
)
from dense_cli.errors import DenseError

Activation = Callable[[Array, Array], None]
"""Writes the function of its first array into its second, which is another one."""


def gated(gate: Array, up: Array, activation: str = "silu", out: Array | None = None) -> Array:
    """act(gate) · up, number by number, into `out` or a new array; `out` may be one of the two.

    `activation` is one of `core.activations.ACTIVATIONS`. Raises `DenseError`: "branch-arrays" (the shapes
    differ), "unknown-activation", and what `check_out` refuses.

    Source: Shazeer, GLU Variants Improve Transformer, equation 5.

    >>> gated(np.array([1.0, -1000.0]), np.array([2.0, 1.0])).round(6).tolist()
    [1.462117, -0.0]
    """
    if gate.shape != up.shape:
        raise DenseError("branch-arrays", gate=str(gate.shape), up=str(up.shape))
    act = _activation(activation)
    if out is None:
        out = np.empty(gate.shape, np.result_type(result_dtype(gate), result_dtype(up)))
    else:
        check_out(out, gate.shape)
        if overlaps(out, gate, up):
            np.copyto(out, gated(gate, up, activation), casting="same_kind")
            return out
    return _gate(gate, up, act, out, block_size(gate.size))


def _gate(gate: Array, up: Array, act: Activation, out: Array, most: int) -> Array:
    """The same into `out`, in blocks of at most so many numbers where they need room."""
    dtype = working_dtype(gate, up)
    gates, ups, into = flat(gate, up, out)
    ready = [is_ready(array, dtype) for array in (gates, ups, into)]
    read, beside, room = Scratch(dtype), Scratch(dtype), Scratch(dtype)
    is_input = same(into, gates) or same(into, ups)
    if act is write_silu and all(ready) and not is_input:
        most = IN_PLACE
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for index in blocks(gates.shape, most):
            g = gates[index] if ready[0] else read.copy(gates[index])
            u = ups[index] if ready[1] else beside.copy(ups[index])
            result = into[index] if ready[2] else room.like(g)
            activated = room.like(g) if ready[2] and is_input else result
            act(g, activated)
            np.multiply(activated, u, out=result)
            if not ready[2]:
                np.copyto(into[index], result, casting="same_kind")
    return out


def _activation(name: str) -> Activation:
    return write_silu if name == "silu" else _in_float64(name)


def _in_float64(activation: str) -> Callable[[Array, Array], None]:
    act = of_array(activation)

    def into(x: Array, out: Array) -> None:
        np.copyto(out, act(x.astype(np.float64)), casting="same_kind")

    return into


def gated_ffn(
    x: Array,
    wg: Array,
    wu: Array,
    wd: Array | None = None,
    *,
    bg: Array | None = None,
    bu: Array | None = None,
    bd: Array | None = None,
    activation: str = "silu",
    out: Array | None = None,
) -> Array:
    """(act(x·Wg + bg) ⊙ (x·Wu + bu))·Wd + bd of every row of x [..., C], into `out` or a new array.

    Matrices are stored input by output: `wg` and `wu` [C, F], `wd` [F, C']; without `wd` the product is the
    output. Raises `DenseError`: "ffn-arrays" naming all shapes, "unknown-activation",
    "bias-without-down", and what `check_out` refuses.

    Source: Shazeer, GLU Variants Improve Transformer, equations 5 and 6.

    >>> up = np.array([[2.0, 0.0], [0.0, -3.0]])
    >>> down = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> gated_ffn(np.array([1.0, -1.0]), np.eye(2), up, down).round(6).tolist()
    [0.655293, -0.806824]
    """
    _refuse_other_shapes(x, {"wg": wg, "wu": wu, "wd": wd}, {"bg": bg, "bu": bu, "bd": bd})
    act = _activation(activation)
    given = [array for array in (x, wg, wu, wd, bg, bu, bd) if array is not None]
    if out is not None:
        check_out(out, (*x.shape[:-1], (wu if wd is None else wd).shape[1]))
    dtype = working_dtype(*given)
    result = np.result_type(*map(result_dtype, given))
    x, wg, wu = _in(dtype, x), _in(dtype, wg), _in(dtype, wu)
    gate, up = _plus(x @ wg, bg), _plus(x @ wu, bu)
    product = _gate(gate, up, act, gate, most=BLOCK)  # a block is little beside gate and up
    made = product if wd is None else _plus(product @ _in(dtype, wd), bd)
    if out is None:
        return made.astype(result, copy=False)
    np.copyto(out, made, casting="same_kind")
    return out


def _in(dtype: np.dtype[Any], array: Array) -> Array:
    return array.astype(dtype, copy=False)


def _plus(x: Array, bias: Array | None) -> Array:
    if bias is not None:
        np.add(x, bias, out=x, casting="same_kind")
    return x


def _refuse_other_shapes(
    x: Array, matrices: dict[str, Array | None], biases: dict[str, Array | None]
) -> None:
    named = {"x": x, **matrices, **biases}
    shapes = {name: array.shape for name, array in named.items() if array is not None}
    if "bd" in shapes and "wd" not in shapes:
        raise DenseError("bias-without-down")
    gate = shapes["wg"]
    fits = len(gate) == 2 and shapes["wu"] == gate and x.shape[-1:] == gate[:1]
    if fits and "wd" in shapes:
        fits = len(shapes["wd"]) == 2 and shapes["wd"][0] == gate[1]
    for bias, matrix in (("bg", "wg"), ("bu", "wu"), ("bd", "wd")):
        if fits and bias in shapes:
            fits = shapes[bias] == shapes[matrix][1:]
    if not fits:
        told = ", ".join(f"{name} {'×'.join(map(str, shape)) or '1'}" for name, shape in shapes.items())
        raise DenseError("ffn-arrays", shapes=told)
