"""A ``.safetensors`` file: names and shapes from its header, one tensor's values when asked for.

The format: the safetensors README, "Format". Nothing in a header is believed before it is checked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from dense_cli.core.attention import Array
from dense_cli.errors import DenseError
from dense_cli.reading.archives import MAX_HEADER
from dense_cli.reading.documents import decoded, json_document
from dense_cli.reading.files import opened
from dense_cli.reading.stored import BFLOAT16, WIDTHS, Stored

KINDS = {"F64": "d", "F32": "f", "F16": "e", "BF16": BFLOAT16}
"""Kinds of numbers that weights are stored in; quantized ones need scales that no header tells."""

MOST_BYTES = 1 << 40
MOST_AXES = 8
LONGEST_KIND = 20


@dataclass(frozen=True, slots=True)
class TensorFile:
    """`shapes` by name. `name` is the file as typed."""

    name: str
    path: str
    shapes: Mapping[str, tuple[int, ...]]
    places: Mapping[str, tuple[str, int, int]]
    """What each tensor's numbers are, where they begin in the file, and how many bytes they take."""

    def array(self, name: str) -> Array:
        """The values of one tensor in float64.

        Raises DenseError "block-tensor-kind" for one that is no plain floating-point tensor, "file-broken".
        """
        kind, begin, size = self.places[name]
        if kind not in KINDS:
            raise DenseError(
                "block-tensor-kind", typed=self.name, tensor=name, found=kind, known=", ".join(KINDS)
            )
        if size != prod(self.shapes[name]) * WIDTHS[KINDS[kind]]:
            raise DenseError("file-broken", typed=self.name)
        with opened(self.path, self.name, MOST_BYTES) as file:
            file.seek(begin)
            raw = file.read(size)
        if len(raw) < size:
            raise DenseError("file-broken", typed=self.name)
        return Stored(f"{self.name}:{name}", self.shapes[name], KINDS[kind], raw).array()


def tensor_file(typed: str) -> TensorFile:
    """The tensors of a ``.safetensors`` file, from its header alone.

    Raises DenseError: "weights-not-safetensors", "file-broken", and what opening the file raises.
    """
    path = os.path.expanduser(typed.removeprefix("@"))
    if not path.lower().endswith(".safetensors"):
        raise DenseError("weights-not-safetensors", typed=typed)
    with opened(path, typed, MOST_BYTES) as file:
        room = os.fstat(file.fileno()).st_size
        start = file.read(8)
        length = int.from_bytes(start, "little")
        if len(start) < 8 or not 2 <= length <= min(MAX_HEADER, room - 8):
            raise DenseError("file-broken", typed=typed)
        header = json_document(decoded(file.read(length), typed), typed)
    if not isinstance(header, dict):
        raise DenseError("file-broken", typed=typed)
    shapes: dict[str, tuple[int, ...]] = {}
    places: dict[str, tuple[str, int, int]] = {}
    for name, entry in header.items():
        if name != "__metadata__":
            kind, shapes[name], begin, end = _checked(entry, typed)
            if not begin <= end <= room - 8 - length:
                raise DenseError("file-broken", typed=typed)
            places[name] = kind, 8 + length + begin, end - begin
    return TensorFile(typed, path, shapes, places)


def _checked(entry: object, typed: str) -> tuple[str, tuple[int, ...], int, int]:
    """Kind, shape, and both ends of the data of one entry of a header."""
    if not isinstance(entry, dict):
        raise DenseError("file-broken", typed=typed)
    kind, shape, ends = entry.get("dtype"), _sizes(entry.get("shape")), _sizes(entry.get("data_offsets"))
    if not isinstance(kind, str) or len(kind) > LONGEST_KIND or shape is None or ends is None:
        raise DenseError("file-broken", typed=typed)
    if len(ends) != 2 or len(shape) > MOST_AXES:
        raise DenseError("file-broken", typed=typed)
    return kind, shape, ends[0], ends[1]


def _sizes(value: object) -> tuple[int, ...] | None:
    if isinstance(value, list) and all(type(size) is int and 0 <= size < 1 << 63 for size in value):
        return tuple(value)
    return None
