"""Headers of ``.safetensors`` files: every tensor's name, kind, shape and place, and none of its values.

The format: the safetensors README, "Format": eight bytes that say how long the header is, lowest first; the
header, one JSON object; then the numbers, each tensor right behind the one before. Nothing of it is believed
before it is checked, and no more is read than the header.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NoReturn

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.models.file_start import LONGEST_HEADER, header_bytes, whole_file
from dense_cli.models.tensor_entries import METADATA, Tensor, tensors_of, usual_tensors

MOST_MARKS = 4_000_000
"""Brackets and commas of a document: half a million tensors have that many, and few bytes can ask for more
memory than a list in a list in a list."""


def _refused(written: str) -> NoReturn:
    """No header has a decimal, a NaN or an infinity."""
    raise ValueError(written)


def _whole(written: str) -> int:
    """A whole number; a nought with a sign is a decimal to the format's own library."""
    return _refused(written) if written == "-0" else int(written)


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
        return sum([tensor.size for tensor in self.tensors.values()])


def header(path: str, name: str) -> Header:
    """The header of the file at `path`; refusals call it `name`.

    Raises DenseError where there is no ordinary file ("weights-not-found", "weights-unreadable",
    "file-not-regular"), where it is something else (`FOREIGN`), and where it is broken: "weights-empty",
    "weights-header-length", "weights-header-json", "weights-header-crowded", "weights-metadata",
    "weights-entry", "weights-dtype", "weights-tensor-size", "weights-truncated", "weights-offsets".
    """
    raw, size = header_bytes(path, name)
    start = 8 + len(raw)
    text = _text(raw, name)
    usual = usual_tensors(text, start, size)
    if usual is not None:
        return Header(name, path, usual, ())
    data, replaced = document(text, name)
    if not all(
        map(_is_metadata, (data.get(METADATA), *(entry for key, entry in replaced if key == METADATA)))
    ):
        raise DenseError("weights-metadata", typed=name)
    found, end = tensors_of(data, start, name)
    left_out = [one for key, entry in replaced for one in tensors_of({key: entry}, start, name)[0].values()]
    if end != size or left_out:
        _check_places(found, left_out, start, size, name)
    return Header(name, path, found, tuple(dict.fromkeys(key for key, _ in replaced)))


def _is_metadata(entry: object) -> bool:
    """What the format lets stand beside the tensors: texts by name, or nothing."""
    return entry is None or (
        isinstance(entry, dict) and all(isinstance(text, str) for text in entry.values())
    )


def _text(raw: bytes, name: str) -> str:
    """What a header or an index says, unless it says more than a memory may hold."""
    if len(raw) > MOST_MARKS and len(raw) - len(raw.translate(None, b",[{")) > MOST_MARKS:
        raise DenseError("weights-header-crowded", typed=name)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise DenseError("weights-header-json", typed=name) from None


def document(text: str, name: str, index: bool = False) -> tuple[dict[str, object], list[tuple[str, object]]]:
    """The object that a header or an `index` is, and those entries of it, or of its ``weight_map``, that a
    later one of the same name replaced. Only an index may hold decimals, for some write sizes so. What
    comes twice in the metadata is of no account.

    Raises DenseError "weights-header-json".

    >>> document('{"a": 1, "b": 2, "a": 3}', "x.safetensors")
    ({'a': 3, 'b': 2}, [('a', 1)])
    """
    twice: list[tuple[dict[str, object], list[tuple[str, object]]]] = []

    def noticing(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice.append((found, pairs))
        return found

    try:
        data = json.loads(
            text,
            object_pairs_hook=noticing,
            parse_float=float if index else _refused,
            parse_int=_whole if "-0" in text else None,
            parse_constant=_refused,
        )
        if "\\u" in text:
            json.dumps(data, ensure_ascii=False).encode()
    # not JSON, half a pair of surrogates, a number of thousands of digits, endless depth
    except (ValueError, RecursionError):
        raise DenseError("weights-header-json", typed=name) from None
    if not isinstance(data, dict):
        raise DenseError("weights-header-json", typed=name)
    replaced: list[tuple[str, object]] = []
    for found, pairs in twice:
        if found is data.get("metadata" if index else METADATA):
            continue
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
    return document(_text(whole_file(path, name, LONGEST_HEADER), name), name, index=True)


def _check_places(
    tensors: Mapping[str, Tensor], left_out: Sequence[Tensor], start: int, size: int, name: str
) -> None:
    """Whether the tensors lie one behind the other and fill the file, as the format wants them.

    An entry whose name came again may have left its numbers in the file.
    """
    in_order = sorted(tensors.items(), key=_place)
    needed = max((one.begin + one.size for one in (*tensors.values(), *left_out)), default=start)
    if needed > size:
        raise DenseError("weights-truncated", typed=name, needed=needed, size=size)
    wrong = _out_of_place(in_order, start, size)
    if wrong is None:
        return
    spans = {_span(one) for one in left_out} - {_span(one) for one in tensors.values()}
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
