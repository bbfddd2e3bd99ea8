"""The entries of a ``.safetensors`` header, one a tensor: kind, shape and place, each checked.

`tensors_of` reads any header exactly and names what is wrong with it. `usual_tensors` reads at once what
nearly every file holds, and leaves the rest to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, NoReturn

from dense_cli.errors import DenseError

Sizes = tuple[int, ...]

METADATA = "__metadata__"
MOST_AXES = 16
LARGEST = 1 << 63
MOST_NUMBERS = 1 << 64
"""The format's own library counts so far, also on the way to a nought."""

BITS: Mapping[str, int] = {
    "F64": 64,
    "F32": 32,
    "F16": 16,
    "BF16": 16,
    "F8_E4M3": 8,
    "F8_E5M2": 8,
    "F8_E8M0": 8,
    "F8_E4M3FNUZ": 8,
    "F8_E5M2FNUZ": 8,
    "F6_E2M3": 6,
    "F6_E3M2": 6,
    "F4": 4,
    "C64": 64,
    "I64": 64,
    "U64": 64,
    "I32": 32,
    "U32": 32,
    "I16": 16,
    "U16": 16,
    "I8": 8,
    "U8": 8,
    "BOOL": 8,
}
"""Bits of one number of each kind that the format knows."""


class Tensor(NamedTuple):
    """What a header says of one tensor; `begin` and `size` are bytes of the file."""

    kind: str
    shape: Sizes
    begin: int
    size: int


_new = tuple.__new__
"""Makes a named tuple without asking for its names; a tenth of all the time that headers take."""

_PLAIN = r'[^"\\\x00-\x1f]*+'
_OPENING = re.compile(rf'\{{(?:"{METADATA}":\{{"{_PLAIN}":"{_PLAIN}"\}},)?')
_BETWEEN = '","shape":['
_ENTRY = re.compile(
    rf'"({_PLAIN})":\{{"dtype":"([A-Z0-9_]*+{re.escape(_BETWEEN)}[0-9,]*+)\],'
    r'"data_offsets":\[([0-9]*+),([0-9]*+)\]\},'
)
_BLOCK = 1 << 15
"""Characters that are taken apart at a time: what comes of them stays near the processor."""


def usual_tensors(text: str, start: int, stop: int) -> dict[str, Tensor] | None:
    """The tensors of a header as the format's own library writes it; None for any other, sound or not.

    Its entries are written without a blank or an escape, no name comes twice, and the tensors fill the file
    from `start` to `stop` in the order of their entries. What this gives, `tensors_of` gives too.

    >>> usual_tensors('{"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}', 63, 65)
    {'x': Tensor(kind='U8', shape=(2,), begin=63, size=2)}
    >>> usual_tensors('{"x": {"dtype":"U8","shape":[2],"data_offsets":[0,2]}}', 64, 66)
    """
    opening, closed = _OPENING.match(text), text.rstrip(" ")
    if opening is None or not closed.endswith("}"):
        return None
    taken, end = opening.end(), len(closed) - 1
    found: dict[str, Tensor] = {}
    number, place, written = 0, start, "0"
    while taken < end:
        begin, cut = taken, text.find('},"', taken + _BLOCK, end)
        taken = end if cut < 0 else cut + 2
        block = text[begin:taken]
        pieces = _ENTRY.split(block if cut >= 0 else block + ",")
        if any(pieces[::5]):  # something that is no entry, or between two
            return None
        names = pieces[1::5]
        number += len(names)
        try:
            for name, layout, first, last in zip(
                names, pieces[2::5], pieces[3::5], pieces[4::5], strict=True
            ):
                kind, shape, size = _layout(layout)
                found[name] = _new(Tensor, (kind, shape, place, size))
                place += size
                before, written = written, f"{place - start}"
                if first != before or last != written:
                    return None
        except (KeyError, ValueError):
            return None
    return found if place == stop and len(found) == number > 0 and METADATA not in found else None


@lru_cache(maxsize=1024)
def _layout(written: str) -> tuple[str, Sizes, int]:
    """Kind, shape and bytes of a tensor: layer after layer has the same.

    Raises KeyError or ValueError for what is no whole number of bytes of a known kind, or oddly written.

    >>> _layout('F32","shape":[2,3')
    ('F32', (2, 3), 24)
    """
    kind, _, after = written.partition(_BETWEEN)
    sizes = after.split(",", MOST_AXES) if after else []
    shape = [*map(int, sizes)]
    bits = _count(shape) * BITS[kind]
    if bits % 8 or [*map(str, shape)] != sizes:
        raise ValueError(written)
    return kind, tuple(shape), bits // 8


def tensors_of(data: Mapping[str, object], start: int, name: str) -> tuple[dict[str, Tensor], int]:
    """Every tensor of a header, and where the last ends, if each begins where the one before ends; else 0.

    Raises DenseError "weights-entry", "weights-dtype", "weights-tensor-size".
    """
    found: dict[str, Tensor] = {}
    place = start
    for key, entry in data.items():
        if key == METADATA:
            continue
        try:
            kind, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]  # type: ignore[index]
            count = _count(shape)
            fits = count * BITS[kind] == (end - begin) * 8 and 0 <= begin <= end < LARGEST
            fits = fits and type(begin) is type(end) is int
        except (KeyError, TypeError, ValueError):
            fits = False
        if not fits:
            _refuse_entry(key, entry, name)
        found[key] = _new(Tensor, (kind, tuple(shape), start + begin, end - begin))
        place = start + end if place == start + begin else -1
    return found, max(place, 0)


def _count(shape: object) -> int:
    """How many numbers a tensor of this shape has. Raises ValueError for what is no shape, or too large a
    one, and multiplies nothing that it has not looked at."""
    if type(shape) is not list or len(shape) > MOST_AXES:
        raise ValueError
    count = 1
    for size in shape:
        if type(size) is not int or not 0 <= size < LARGEST:
            raise ValueError
        count *= size
        if count >= MOST_NUMBERS:
            raise ValueError
    return count


def _refuse_entry(key: str, entry: object, name: str) -> NoReturn:
    """Say what is wrong with an entry of a header."""
    told = entry if isinstance(entry, dict) else {}
    kind, shape, ends = told.get("dtype"), _sizes(told.get("shape")), _sizes(told.get("data_offsets"))
    if not isinstance(kind, str) or shape is None or ends is None or len(ends) != 2:
        raise DenseError("weights-entry", typed=name, tensor=key)
    if kind not in BITS:
        raise DenseError("weights-dtype", typed=name, tensor=key, found=kind, known=tuple(BITS))
    told_shape, size = f"[{', '.join(map(str, shape))}]", max(0, ends[1] - ends[0])
    raise DenseError("weights-tensor-size", typed=name, tensor=key, found=kind, shape=told_shape, size=size)


def _sizes(value: object) -> list[int] | None:
    if not isinstance(value, list) or len(value) > MOST_AXES:
        return None
    return value if all(type(size) is int and 0 <= size < LARGEST for size in value) else None
