"""Small checkpoints written for tests, after the format's description and not by the code that reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Any

Sizes = tuple[int, ...]


def header_of(shapes: Mapping[str, Sizes], kind: str = "U8", width: int = 1) -> dict[str, Any]:
    """One entry a tensor, each right behind the one before."""
    entries: dict[str, Any] = {}
    place = 0
    for name, shape in shapes.items():
        end = place + prod(shape) * width
        entries[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [place, end]}
        place = end
    return entries


def packed(header: bytes, data: bytes = b"") -> bytes:
    """Length, header, numbers."""
    return len(header).to_bytes(8, "little") + header + data


def packed_json(header: Mapping[str, Any], size: int) -> bytes:
    return packed(json.dumps(header).encode(), bytes(size))


def sparse(path: Path, shapes: Mapping[str, Sizes]) -> Path:
    """A file with these tensors, whose numbers take no room on the disk."""
    raw = packed(json.dumps(header_of(shapes)).encode())
    with path.open("wb") as file:
        file.write(raw)
        file.truncate(len(raw) + sum(map(prod, shapes.values())))
    return path


def sharded(folder: Path, shards: Iterable[Mapping[str, Sizes]], **changes: Any) -> Path:
    """Numbered shards and their index; `changes` replace entries of the index."""
    parts = list(shards)
    places: dict[str, str] = {}
    for number, shapes in enumerate(parts, 1):
        file = f"model-{number:05d}-of-{len(parts):05d}.safetensors"
        sparse(folder / file, shapes)
        places |= dict.fromkeys(shapes, file)
    total = sum(prod(shape) for shapes in parts for shape in shapes.values())
    index = {"metadata": {"total_size": total}, "weight_map": places, **changes}
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps(index))
    return path
