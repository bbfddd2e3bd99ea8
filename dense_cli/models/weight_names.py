"""How files name the tensors that a config implies: as the newer library does, or as published files do.

Both are right. What a file calls its tensors is found by trying: the names of which most are there are its
own. Published names are those that the model library turns into its own when it loads a file (transformers,
``conversion_mapping.py`` and the base model prefixes).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from dense_cli.frozen import dataclass, replace
from dense_cli.models.families import CHAPTER
from dense_cli.models.families.names import names_of
from dense_cli.models.shape import ModelShape
from dense_cli.models.tensors import TensorPattern, tensor_patterns

Names = Mapping[str, tuple[str, ...]]
"""What the library calls a tensor, without what stands before it → what files call it, or its parts. {e} is
the number of an expert."""


SEPARATE: Names = {
    "mlp.experts.gate_up_proj": (
        "mlp.experts.{e}.gate_proj.weight",
        "mlp.experts.{e}.up_proj.weight",
    ),
    "mlp.experts.down_proj": ("mlp.experts.{e}.down_proj.weight",),
}
MIXTRAL: Names = {
    "mlp.gate.weight": ("block_sparse_moe.gate.weight",),
    "mlp.experts.gate_up_proj": (
        "block_sparse_moe.experts.{e}.w1.weight",
        "block_sparse_moe.experts.{e}.w3.weight",
    ),
    "mlp.experts.down_proj": ("block_sparse_moe.experts.{e}.w2.weight",),
}
PHI_MOE: Names = {
    "mlp.router.weight": MIXTRAL["mlp.gate.weight"],
    "mlp.experts.gate_up_proj": MIXTRAL["mlp.experts.gate_up_proj"],
    "mlp.experts.down_proj": MIXTRAL["mlp.experts.down_proj"],
}
PHI_MOE_SHORT: Names = {
    "mlp.experts.gate_up_proj": ("mlp.experts.{e}.w1.weight", "mlp.experts.{e}.w3.weight"),
    "mlp.experts.down_proj": ("mlp.experts.{e}.w2.weight",),
}
GRANITE_MOE: Names = {
    "block_sparse_moe.router.weight": ("block_sparse_moe.router.layer.weight",),
    "block_sparse_moe.experts.gate_up_proj": ("block_sparse_moe.input_linear.weight",),
    "block_sparse_moe.experts.down_proj": ("block_sparse_moe.output_linear.weight",),
}
PACKED: Names = {
    f"mlp.experts.{name}": (f"mlp.experts.{name}_blocks", f"mlp.experts.{name}_scales")
    for name in ("gate_up_proj", "down_proj")
}
"""MXFP4: 32 numbers of four bits in 16 bytes, with one scale for all."""

GPT_NEOX: Names = {"lm_head.weight": ("embed_out.weight",)}

PUBLISHED: Mapping[str, tuple[Names, ...]] = {
    "deepseek_v2": (SEPARATE,),
    "deepseek_v3": (SEPARATE,),
    "gpt_neox": (GPT_NEOX,),
    "gpt_oss": (PACKED,),
    "granitemoe": (GRANITE_MOE,),
    "mixtral": (MIXTRAL, SEPARATE),
    "olmoe": (SEPARATE,),
    "phimoe": (PHI_MOE, PHI_MOE_SHORT),
    "qwen2_moe": (SEPARATE,),
    "qwen3_moe": (SEPARATE,),
}
"""By family, what published files call otherwise than the newer library."""

TEXT_PARTS = ("language_model.model.", "model.language_model.", "language_model.")
"""What stands before the names of a text model inside a larger one."""

_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)|^\d+(?=\.)|\{[ie]\}")


@dataclass(frozen=True, slots=True)
class FileNames:
    """The tensors that a config implies, as one file names them.

    `base`: what stands before the names in the file where the library has `usual`; `patterns` may hold {e},
    one tensor for each of `experts`.
    """

    patterns: tuple[TensorPattern, ...]
    base: str
    usual: str
    experts: int = 0

    def tensors(self, shape: ModelShape) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Every tensor's name and sizes, layer after layer; lazily."""
        yield from ((one.name, one.sizes) for one in self.patterns if one.kind == "once")
        for layer in range(shape.layers):
            sparse = shape.experts is not None and shape.experts.has(layer)
            kinds = ("all", "sparse" if sparse else "dense")
            for one in self.patterns:
                if one.kind not in kinds:
                    continue
                name = one.name.replace("{i}", str(layer), 1)
                if "{e}" not in name:
                    yield name, one.sizes
                else:
                    yield from (
                        (name.replace("{e}", str(expert)), one.sizes) for expert in range(self.experts)
                    )

    def number(self, shape: ModelShape) -> int:
        """How many tensors there are, without making them."""
        sparse = shape.experts.layers if shape.experts is not None else 0
        layers = {"once": 1, "all": shape.layers, "sparse": sparse, "dense": shape.layers - sparse}
        return sum(layers[one.kind] * (self.experts if "{e}" in one.name else 1) for one in self.patterns)


def folded(name: str) -> str:
    """A name with {} for every number in it, and for {i} and {e}.

    >>> folded("model.layers.11.mlp.experts.3.w1.weight")
    'model.layers.{}.mlp.experts.{}.w1.weight'
    """
    return _NUMBER.sub("{}", name)


def file_names(shape: ModelShape, found: Collection[str]) -> FileNames:
    """What a file with tensors called `found` calls those of a model.

    >>> from dense_cli.models.config import read_config
    >>> from dense_cli.models.shape import model_shape
    >>> gpt2 = model_shape(read_config('{"model_type": "gpt2"}'))
    >>> file_names(gpt2, ["wte.weight", "h.0.ln_1.weight"]).patterns[0].name
    'wte.weight'
    """
    there = {folded(name) for name in found}
    family = shape.family.model_type
    usual = names_of(family).base
    library = tensor_patterns(shape)

    def present(patterns: tuple[TensorPattern, ...]) -> int:
        return sum(folded(one.name) in there for one in patterns)

    spellings = [library, *(_spelled(library, names) for names in PUBLISHED.get(family, ()))]
    experts = shape.experts.number if shape.experts is not None else 0
    candidates = [
        FileNames(_based(patterns, usual, base), base, usual, experts)
        for patterns in spellings
        for base in _bases(shape, usual)
    ]
    return max(candidates, key=lambda one: present(one.patterns))  # the first of equals: the library's own


def _bases(shape: ModelShape, usual: str) -> tuple[str, ...]:
    """What may stand before the names: all of it, or less; for a text part also more."""
    words = usual.split(".")
    shorter = tuple(".".join(words[cut:]) for cut in range(1, len(words)))
    if shape.family is CHAPTER:
        return (usual, *shorter, "{layer}")
    return (usual, *shorter, *(TEXT_PARTS if is_text_part(shape) else ()))


def is_text_part(shape: ModelShape) -> bool:
    """Whether the config describes a larger model of which only the text part was read."""
    return any(key == "config-text-part" for key, _ in shape.assumed)


def _based(patterns: tuple[TensorPattern, ...], usual: str, base: str) -> tuple[TensorPattern, ...]:
    if base == usual:
        return patterns
    if base == "{layer}":  # one layer alone
        return tuple(replace(one, name=one.name.partition("{i}.")[2] or one.name) for one in patterns)
    outer = "language_model." if base.startswith("language_model.") else ""
    return tuple(
        replace(one, name=base + one.name.removeprefix(usual))
        if one.name.startswith(usual)
        else replace(one, name=outer + one.name)
        for one in patterns
    )


def _spelled(patterns: tuple[TensorPattern, ...], names: Names) -> tuple[TensorPattern, ...]:
    """The same tensors by other names, in parts where they are stored so."""
    found: list[TensorPattern] = []
    for one in patterns:
        layer, mark, within = one.name.rpartition("{i}.")
        found += (
            TensorPattern(layer + mark + name, _part(one.sizes, name, names, within), one.kind)
            for name in names.get(within, (within,))
        )
    return tuple(found)


def _part(sizes: tuple[int, ...], name: str, names: Names, within: str) -> tuple[int, ...]:
    """The sizes of what is stored under one name: one expert's, one of several stacked, packed, or the
    same."""
    if "{e}" in name:
        _, rows, columns = sizes
        return rows // len(names[within]), columns
    if names is PACKED and within in names:
        experts, columns, rows = sizes
        blocks = (experts, rows, columns // 32)
        return blocks if name.endswith("_scales") else (*blocks, 16)
    return sizes
