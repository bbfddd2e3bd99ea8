"""The tensors that a config implies, by the names that model code gives them and with their sizes."""

from __future__ import annotations

from collections.abc import Iterator

from dense_cli.frozen import dataclass
from dense_cli.models.families.names import Names, names_of
from dense_cli.models.pieces import Piece, pieces
from dense_cli.models.shape import ModelShape

Sizes = tuple[int, ...]

SUFFIXES = {"weight": ".weight", "gain": ".weight", "bias": ".bias", "shift": ".bias", "scalar": ""}


@dataclass(frozen=True, slots=True)
class TensorPattern:
    """Tensors of one name and size: {i} stands for the layer. `kind`: in "all" layers, the "dense" or
    "sparse" ones of a mixture of experts, or "once".
    """

    name: str
    sizes: Sizes
    kind: str


def tensor_patterns(shape: ModelShape) -> tuple[TensorPattern, ...]:
    """Every tensor of a model, the layers folded: as few entries for a hundred layers as for one.

    >>> from dense_cli.models.config import read_config
    >>> from dense_cli.models.shape import model_shape
    >>> patterns = tensor_patterns(model_shape(read_config('{"model_type": "phi3"}')))
    >>> [(one.name, one.sizes) for one in patterns if "qkv" in one.name]
    [('model.layers.{i}.self_attn.qkv_proj.weight', (9216, 3072))]
    """
    names = names_of(shape.family.model_type)
    by_role: dict[tuple[str, str], Piece] = {
        (f"{piece.part}.{piece.name}", piece.role): piece for piece in pieces(shape)
    }
    found = []
    for key, module in names.modules.items():
        part, joined = key.split(".", 1)
        keys = [f"{part}.{name}" for name in joined.split("+")]
        for role in SUFFIXES:
            same = [by_role[one, role] for one in keys if (one, role) in by_role]
            if same:
                found += _patterns(shape, names, module, same)
    return tuple(found)


def tensors(shape: ModelShape) -> Iterator[tuple[str, Sizes]]:
    """Every tensor by name, layer after layer; lazily, for a config may say a trillion layers."""
    patterns = tensor_patterns(shape)
    yield from ((one.name, one.sizes) for one in patterns if one.kind == "once")
    for layer in range(shape.layers):
        sparse = shape.experts is not None and shape.experts.has(layer)
        kinds = ("all", "sparse" if sparse else "dense")
        for one in patterns:
            if one.kind in kinds:
                yield one.name.replace("{i}", str(layer), 1), one.sizes


def _patterns(shape: ModelShape, names: Names, module: str, same: list[Piece]) -> list[TensorPattern]:
    first = same[0]
    if first.layers is None:
        kind, prefix = "once", "" if first.part == "lm_head" else names.base
    else:
        kind, prefix = {"ffn": "dense", "moe": "sparse"}.get(first.part, "all"), names.base + names.layer
    stacked = first.name.startswith("experts.")
    axis = 1 if stacked else 0
    sizes = list(first.sizes)
    sizes[axis] = sum(piece.sizes[axis] for piece in same)
    if first.role == "weight" and names.in_out & {first.part, "moe.experts" if stacked else first.part}:
        sizes[-2:] = sizes[:-3:-1]
    suffix = SUFFIXES[first.role]
    if stacked:
        suffix = "" if first.role == "weight" else "_bias"
    if first.name == "activation":
        return [TensorPattern(f"{prefix}{module}.{name}", (1,), kind) for name in ("alpha_p", "alpha_n")]
    if module.endswith(".norms"):  # one module per head
        return [
            TensorPattern(f"{prefix}{module}.{head}{suffix}", (sizes[1],), kind) for head in range(sizes[0])
        ]
    return [TensorPattern(prefix + module + suffix, tuple(sizes), kind)]
