"""Headers of ``.safetensors`` files: every tensor's name, kind, shape and place, and none of its values.

The format: the safetensors README, "Format": eight bytes that say how long the header is, lowest first; the
header, one JSON object; then the numbers, each tensor right behind the one before. Nothing of it is believed
before it is checked, and no more is read than the header.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from typing import NamedTuple, NoReturn

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.models.file_start import LONGEST_HEADER, file_start, refuse_start

Sizes = tuple[int, ...]

MOST_MARKS = 4_000_000
"""Brackets and commas of a document: half a million tensors have that many, and few bytes can ask for more
memory than a list in a list in a list."""

METADATA = "__metadata__"
FIELDS = (b'"dtype"', b'"shape"', b'"data_offsets"')
MOST_AXES = 16
LARGEST = 1 << 63

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


def _refused(written: str) -> NoReturn:
    """No header has a decimal, a NaN or an infinity."""
    raise ValueError(written)


_NEW = tuple.__new__
"""Makes a named tuple without asking for its names; a tenth of all the time that headers take."""

_DECODER = json.JSONDecoder(parse_float=_refused, parse_constant=_refused)


class Tensor(NamedTuple):
    """What a header says of one tensor; `begin` and `size` are bytes of the file."""

    kind: str
    shape: Sizes
    begin: int
    size: int


@dataclass(frozen=True, slots=True)
class Header:
    """The tensors of one file by name. `name` is the file as typed, or as the index calls it; of the names
    `twice` the last entry holds, as everywhere in JSON."""

    name: str
    path: str
    tensors: Mapping[str, Tensor]
    twice: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of all tensors."""
        return sum(tensor.size for tensor in self.tensors.values())


def header(path: str, name: str) -> Header:
    """The header of the file at `path`; refusals call it `name`.

    Raises DenseError where there is no ordinary file ("weights-not-found", "weights-unreadable",
    "file-not-regular"), where it is something else (`FOREIGN`), and where it is broken: "weights-empty",
    "weights-header-length", "weights-header-json", "weights-entry", "weights-dtype", "weights-tensor-size",
    "weights-truncated", "weights-offsets".
    """
    start, size, rest = file_start(path, name)
    length = int.from_bytes(start[:8], "little")
    if not 2 <= length <= min(LONGEST_HEADER, size - 8) or start[8:9] != b"{":
        refuse_start(start, size, length, name)
    raw = start[8 : 8 + length] + rest
    if len(raw) < length:  # the file became shorter while it was read
        raise DenseError("weights-header-length", typed=name, length=length, size=size)
    data, twice = _entries(raw, name)
    tensors, end = _tensors(data, 8 + length, name)
    if end != size or twice:
        left_out, _ = _tensors({key: entry for key, entry in twice if key != METADATA}, 8 + length, name)
        _check_places(tensors, left_out, 8 + length, size, name)
    return Header(name, path, tensors, tuple(dict.fromkeys(key for key, _ in twice)))


def _entries(raw: bytes, name: str) -> tuple[dict[str, object], list[tuple[str, object]]]:
    """What `document` gives, quickly where every field is there as often as there are tensors: then nothing
    came twice."""
    if len(raw) <= MOST_MARKS:
        try:
            text = raw.decode("utf-8")
            data, end = _DECODER.raw_decode(text)
        except (ValueError, RecursionError):
            raise DenseError("weights-header-json", typed=name) from None
        number = len(data) - (METADATA in data)
        if text[end:].strip(" ") == "" and all(raw.count(field) == number for field in FIELDS):
            return data, []
    return document(raw, name)


def document(
    raw: bytes, name: str, decimals: bool = False
) -> tuple[dict[str, object], list[tuple[str, object]]]:
    """The object that a header or an index is, and those entries of it, or of its ``weight_map``, that a
    later one of the same name replaced. Only an index may hold `decimals`, for some write sizes so.

    Raises DenseError "weights-header-json", "weights-header-crowded".

    >>> document(b'{"a": 1, "b": 2, "a": 3}', "x.safetensors")
    ({'a': 3, 'b': 2}, [('a', 1)])
    """
    if raw.count(b",") + raw.count(b"[") + raw.count(b"{") > MOST_MARKS:
        raise DenseError("weights-header-crowded", typed=name)
    twice: list[tuple[dict[str, object], list[tuple[str, object]]]] = []

    def noticing(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice.append((found, pairs))
        return found

    try:
        data = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=noticing,
            parse_float=float if decimals else _refused,
            parse_constant=_refused,
        )
    except (
        ValueError,
        RecursionError,
    ):  # not UTF-8, not JSON, a number of thousands of digits, endless depth
        raise DenseError("weights-header-json", typed=name) from None
    if not isinstance(data, dict):
        raise DenseError("weights-header-json", typed=name)
    replaced: list[tuple[str, object]] = []
    for found, pairs in twice:
        if found is not data and found is not data.get("weight_map"):
            raise DenseError("weights-header-json", typed=name)
        seen: dict[str, object] = {}
        for key, value in pairs:
            if key in seen:
                replaced.append((key, seen[key]))
            seen[key] = value
    return data, replaced


def bounded_document(path: str, name: str) -> tuple[dict[str, object], list[tuple[str, object]]]:
    """The same from a whole file, such as an index of shards."""
    start, size, _ = file_start(path, name, whole=LONGEST_HEADER)
    if size > LONGEST_HEADER:
        raise DenseError("file-too-large", typed=name, size=size, limit=LONGEST_HEADER)
    if start.lstrip()[:1] != b"{":
        refuse_start(start, size, None, name)
    return document(start, name, decimals=True)


def _tensors(data: Mapping[str, object], start: int, name: str) -> tuple[dict[str, Tensor], int]:
    """Every tensor of a header, and where the last ends, if each begins where the one before ends; else 0.

    The hundred shards of a large model are read while a reader waits: this is written for speed.
    """
    tensors: dict[str, Tensor] = {}
    place = start
    for key, entry in data.items():
        if key == METADATA:
            continue
        try:
            kind, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]  # type: ignore[index]
            fits = prod(shape) * BITS[kind] == (end - begin) * 8 and 0 <= begin <= end < LARGEST
            fits = fits and type(begin) is type(end) is int and len(shape) <= MOST_AXES
            for size in shape:
                if type(size) is not int or not 0 <= size < LARGEST:
                    fits = False
        except (KeyError, TypeError, ValueError):
            fits = False
        if not fits:
            _refuse_entry(key, entry, name)
        tensors[key] = _NEW(Tensor, (kind, tuple(shape), start + begin, end - begin))
        place = start + end if place == start + begin else -1
    return tensors, max(place, 0)


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


def _check_places(
    tensors: Mapping[str, Tensor], left_out: Mapping[str, Tensor], start: int, size: int, name: str
) -> None:
    """Whether the tensors lie one behind the other and fill the file, as the format wants them.

    An entry whose name came again may have left its numbers in the file.
    """
    in_order = sorted(tensors.items(), key=_place)
    needed = max((one.begin + one.size for one in (*tensors.values(), *left_out.values())), default=start)
    if needed > size:
        raise DenseError("weights-truncated", typed=name, needed=needed, size=size)
    wrong = _out_of_place(in_order, start, size)
    if wrong is None:
        return
    spans = {_span(one) for one in left_out.values()} - {_span(one) for one in tensors.values()}
    fillers = [("", Tensor("", (), begin, size)) for begin, size in spans]
    if not spans or _out_of_place(sorted([*in_order, *fillers], key=_place), start, size) is not None:
        raise DenseError("weights-offsets", typed=name, tensor=wrong)


def _span(tensor: Tensor) -> tuple[int, int]:
    return tensor.begin, tensor.size


def _place(item: tuple[str, Tensor]) -> tuple[int, int]:
    return _span(item[1])


def _out_of_place(in_order: list[tuple[str, Tensor]], start: int, end: int) -> str | None:
    """The first tensor that does not begin where the one before ends; the last, if bytes are left over."""
    key = ""
    for key, tensor in in_order:
        if tensor.begin != start:
            return key
        start += tensor.size
    return None if start == end else key
