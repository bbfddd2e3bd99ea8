"""The weights of one layer: from stored tensors with model-library names, or drawn from a seed.

Linear layers are stored [out, in], as model code has them; the block multiplies with [in, out].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod, sqrt
from typing import Protocol

import numpy as np

from dense_cli.core.attention import Array
from dense_cli.core.block import BlockWeights, Projection
from dense_cli.errors import DenseError, DenseErrors, some
from dense_cli.models.shape import ModelShape
from dense_cli.models.tensors import tensor_patterns

Sizes = tuple[int, ...]
Shapes = Mapping[str, Sizes]

MOST_VALUES = 2**28
"""Numbers of one layer that are held at once: two gibibytes."""

INPUT_NORM, SECOND_NORM = "input_layernorm.weight", "post_attention_layernorm.weight"
QUERY_NORM, KEY_NORM = "self_attn.q_norm.weight", "self_attn.k_norm.weight"
FUSED_QKV, FUSED_GATE_UP = "self_attn.qkv_proj", "mlp.gate_up_proj"
QKV = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj")
GATE_UP = ("mlp.gate_proj", "mlp.up_proj")
OUTPUT, DOWN = "self_attn.o_proj", "mlp.down_proj"

BUFFERS = ("rotary_emb.inv_freq", "attn.bias", "attn.masked_bias")
"""Stored by some versions of model code, learned by none."""


class Stored(Protocol):
    """Tensors of a file: shapes known from its header, values read when asked for."""

    @property
    def name(self) -> str: ...

    @property
    def shapes(self) -> Shapes: ...

    def array(self, name: str) -> Array: ...


def stored_layer(shape: ModelShape, stored: Stored, layer: int | None) -> tuple[int, str]:
    """Which layer of the file is meant, and what stands before its tensors' names.

    A file may hold a whole model (the layer's number stands in the names), or one layer alone. Without
    `layer` it is the only one, else 0. Raises DenseError "block-no-weights", "block-layer-missing".
    """
    expected, shapes = expected_shapes(shape), stored.shapes
    found = _layers(shapes, expected)
    if not found:
        raise DenseError("block-no-weights", typed=stored.name, example="self_attn.q_proj.weight")
    numbers = sorted({number for number, _ in found if number is not None})
    only = numbers[0] if len(numbers) == 1 else 0
    wanted = only if layer is None else layer
    candidates = [prefix for number, prefix in found if number == wanted] or [
        prefix for number, prefix in found if number is None and not numbers
    ]
    if not candidates:
        told = some([*map(str, numbers)])
        raise DenseError("block-layer-missing", typed=stored.name, layer=wanted, found=told)

    def fitting(prefix: str) -> tuple[int, int]:
        fits = sum(shapes.get(prefix + name) == size for name, size in expected.items())
        return fits, -len(prefix)

    return wanted, max(candidates, key=fitting)


def stored_weights(shape: ModelShape, stored: Stored, prefix: str) -> BlockWeights:
    """The weights of the layer whose tensors begin with `prefix`.

    Raises DenseErrors with every tensor that is missing, unexpected or of another shape:
    "block-missing-tensor", "block-unexpected-tensor", "block-tensor-shape"; "block-too-large"; and what
    reading the values raises.
    """
    here = {
        name.removeprefix(prefix): size for name, size in stored.shapes.items() if name.startswith(prefix)
    }
    expected = expected_shapes(shape)
    found = [*_mismatches(expected, here, prefix, stored.name)]
    if found:
        raise DenseErrors(found)
    _check_size(expected, stored.name)
    tensors = {name: stored.array(prefix + name) for name in expected}
    return _assembled(shape, tensors)


def seeded_weights(shape: ModelShape, seed: int) -> BlockWeights:
    """Weights from a seed, the same on every machine and with every version of NumPy.

    Assumed: matrices uniform with variance 1/inputs; biases with deviation 0.1 around 0, gains around 1
    (around 0 where a gain g acts as 1 + g). What is drawn for a tensor depends on the seed, its name and its
    size alone.

    >>> from dense_cli.models.config import read_config
    >>> from dense_cli.models.shape import model_shape
    >>> config = read_config('{"hidden_size": 4, "query_heads": 1, "ffn_hidden_size": 8, "bias": false}')
    >>> seeded_weights(model_shape(config), seed=1).down.weight.shape
    (8, 4)
    """
    expected = expected_shapes(shape)
    _check_size(expected, shape.name)
    return _assembled(
        shape, {name: _seeded(shape, seed, name, size) for name, size in sorted(expected.items())}
    )


def seeded_rows(tokens: int, width: int, seed: int) -> Array:
    """Token rows [T, C] from a seed, uniform with variance 1; how many follow changes no earlier row.

    >>> bool((seeded_rows(2, 3, seed=1) == seeded_rows(5, 3, seed=1)[:2]).all())
    True
    """
    return _uniform(seed, "x", (tokens, width))


def expected_shapes(shape: ModelShape) -> dict[str, Sizes]:
    """Names within a layer and shapes of everything that a block of this shape has learned, as stored."""
    return {
        pattern.name.partition("{i}.")[2]: pattern.sizes
        for pattern in tensor_patterns(shape)
        if pattern.kind != "once"
    }


def _layers(shapes: Shapes, expected: Shapes) -> list[tuple[int | None, str]]:
    """Every place in the names where a layer seems to begin: its number, if it has one, and the prefix."""
    prefixes = {
        name.removesuffix(known)
        for name in shapes
        for known in expected
        if name == known or name.endswith(f".{known}")
    }
    return [(_number(prefix), prefix) for prefix in sorted(prefixes)]


def _number(prefix: str) -> int | None:
    """The last whole number among the parts of ``model.layers.3.``"""
    for part in reversed(prefix.split(".")):
        if part.isascii() and part.isdecimal() and len(part) <= 9:
            return int(part)
    return None


def _mismatches(expected: Shapes, here: Shapes, prefix: str, file: str) -> Iterator[DenseError]:
    for name in sorted(expected.keys() | here.keys()):
        facts = {"typed": file, "tensor": prefix + name}
        if name not in here:
            yield DenseError("block-missing-tensor", **facts, expected=_told(expected[name]))
        elif name not in expected:
            if not name.endswith(BUFFERS) and (prefix or _is_of_a_layer(name)):
                yield DenseError("block-unexpected-tensor", **facts, found=_told(here[name]))
        elif here[name] != expected[name]:
            turned = len(here[name]) == 2 and here[name][::-1] == expected[name]
            hint = "block-tensor-transposed" if turned else None
            sizes = {"expected": _told(expected[name]), "found": _told(here[name])}
            yield DenseError("block-tensor-shape", hint=hint, **facts, **sizes)


def _is_of_a_layer(name: str) -> bool:
    """Whether a name without a prefix is a layer's own, and not that of an embedding or a head beside it."""
    first = name.partition(".")[0]
    return first in ("self_attn", "mlp") or "layernorm" in first


def _told(size: Sizes) -> str:
    return "×".join(map(str, size)) or "1"


def _check_size(expected: Shapes, name: str) -> None:
    values = sum(map(prod, expected.values()))
    if values > MOST_VALUES:
        raise DenseError("block-too-large", typed=name, values=values, most=MOST_VALUES)


def _seeded(shape: ModelShape, seed: int, name: str, size: Sizes) -> Array:
    drawn = _uniform(seed, name, size)
    if len(size) == 2:
        return drawn / sqrt(size[1])
    is_gain = name.endswith("norm.weight") and not shape.family.norms.unit_offset
    return (1.0 if is_gain else 0.0) + 0.1 * drawn


def _uniform(seed: int, name: str, size: Sizes) -> Array:
    """Uniform between ±√3, so with variance 1: 53 bits of each raw word of PCG64, and no arithmetic that
    rounds differently anywhere."""
    stream = int.from_bytes(name.encode(), "little")
    raw = np.random.PCG64(np.random.SeedSequence([seed, stream])).random_raw(prod(size))
    part = (np.asarray(raw, dtype=np.uint64) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    drawn: Array = ((2 * part - 1) * sqrt(3)).reshape(size)
    return drawn


def _assembled(shape: ModelShape, tensors: Mapping[str, Array]) -> BlockWeights:
    query, key = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim

    def linear(name: str, rows: slice = slice(None)) -> Projection:
        bias = tensors.get(f"{name}.bias")
        return Projection(tensors[f"{name}.weight"][rows].T, None if bias is None else bias[rows])

    def parts(fused: str, names: tuple[str, ...], sizes: tuple[int, ...]) -> list[Projection]:
        if f"{fused}.weight" not in tensors:
            return [linear(name) for name in names]
        ends = [sum(sizes[: place + 1]) for place in range(len(sizes))]
        return [linear(fused, slice(end - size, end)) for end, size in zip(ends, sizes, strict=True)]

    q, k, v = parts(FUSED_QKV, QKV, (query, key, key))
    gate, up = parts(FUSED_GATE_UP, GATE_UP, (shape.ffn, shape.ffn))
    return BlockWeights(
        norm1=tensors[INPUT_NORM],
        q=q,
        k=k,
        v=v,
        o=linear(OUTPUT),
        norm2=tensors[SECOND_NORM],
        gate=gate,
        up=up,
        down=linear(DOWN),
        q_norm=tensors.get(QUERY_NORM),
        k_norm=tensors.get(KEY_NORM),
    )
