"""Binary files of numbers: ``.npy``, ``.npz``, ``.safetensors``. Headers are judged before data is read.

The formats: NumPy's "npy-format" specification, versions 1 to 3, and the safetensors README ("Format").
Nothing is ever unpickled.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Sequence
from typing import IO, Any

from dense_cli.errors import DenseError, nearest, some
from dense_cli.reading.documents import decoded, json_document
from dense_cli.reading.stored import BFLOAT16, KINDS, WIDTHS, Stored, checked_shape

MAX_BYTES = 1 << 30
MAX_HEADER = 1 << 25
_MAX_NPY_HEADER = 1 << 16
_MAX_MEMBERS = 10_000
_NPY = {name: letter for letter, name, _ in KINDS}
_SAFETENSORS = {**{name: letter for letter, _, name in KINDS}, "BF16": BFLOAT16}


def npy(file: IO[bytes], room: int, typed: str) -> Stored:
    """One array from a file at its beginning; at most `room` bytes are believed to follow."""
    start = file.read(8)
    if len(start) < 8 or start[:6] != b"\x93NUMPY" or start[6] not in (1, 2, 3):
        raise DenseError("file-broken", typed=typed)
    long = 2 if start[6] == 1 else 4
    told_length = file.read(long)
    length = int.from_bytes(told_length, "little")
    if len(told_length) < long or length > _MAX_NPY_HEADER:
        raise DenseError("file-broken", typed=typed)
    header = file.read(length).decode("latin-1")
    shape = re.search(r"'shape'\s*:\s*\(([0-9L, ]{0,300})\)", header)
    order = re.search(r"'fortran_order'\s*:\s*(True|False)", header)
    if not shape or not order:
        raise DenseError("file-broken", typed=typed)
    kind, big_endian = _npy_kind(header, typed)
    widths = tuple(int(width) for width in re.findall(r"[0-9]+", shape[1]))
    size = checked_shape(widths, WIDTHS[kind], min(room, MAX_BYTES) - 8 - long - length, typed)
    raw = file.read(size)
    if len(raw) < size:
        raise DenseError("file-broken", typed=typed)
    return Stored(typed, widths, kind, raw, big_endian, columns_first=order[1] == "True")


def _npy_kind(header: str, typed: str) -> tuple[str, bool]:
    described = re.search(r"'descr'\s*:\s*'([<>|=]?)([A-Za-z][0-9]{0,4})", header)
    if not described:
        raise DenseError("file-kind", typed=typed, part="record")
    if described[2] == "O":
        raise DenseError("file-objects", typed=typed)
    if described[2] not in _NPY:
        raise DenseError("file-kind", typed=typed, part=described[2])
    return _NPY[described[2]], described[1] == ">"


def npz(file: IO[bytes], name: str | None, typed: str) -> Stored:
    """One array of an archive, by its name, or the only one."""
    try:
        with zipfile.ZipFile(file) as archive:
            members = _members(archive)
            info = members[_chosen(name, list(members), typed)]
            with archive.open(info) as member:
                return npy(member, info.file_size, typed)
    except DenseError:
        raise
    except Exception:  # zipfile and zlib raise whatever a broken archive makes them run into
        raise DenseError("file-broken", typed=typed) from None


def npz_names(file: IO[bytes], typed: str) -> tuple[str, ...]:
    """The names of an archive's arrays."""
    try:
        with zipfile.ZipFile(file) as archive:
            return tuple(_members(archive))
    except Exception:  # as above
        raise DenseError("file-broken", typed=typed) from None


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    return {info.filename.removesuffix(".npy"): info for info in archive.infolist()[:_MAX_MEMBERS]}


def safetensors_names(file: IO[bytes], typed: str) -> tuple[str, ...]:
    """The names of a file's tensors."""
    return tuple(_header(file, typed)[0])


def safetensors(file: IO[bytes], name: str | None, typed: str) -> Stored:
    """One tensor of a file, by its name, or the only one; no more than the header and that tensor is read."""
    header, start = _header(file, typed)
    chosen = _chosen(name, list(header), typed)
    kind, shape, begin, end = _tensor(header[chosen], typed)
    room = os.fstat(file.fileno()).st_size - start
    expected = checked_shape(shape, WIDTHS[kind], min(room, MAX_BYTES), typed)
    if not 0 <= begin <= end <= room or end - begin != expected:
        raise DenseError("file-broken", typed=typed)
    file.seek(start + begin)
    raw = file.read(expected)
    if len(raw) < expected:
        raise DenseError("file-broken", typed=typed)
    return Stored(typed, shape, kind, raw)


def _header(file: IO[bytes], typed: str) -> tuple[dict[str, Any], int]:
    """What stands in front of the tensors, by their names, and where the first of them begins."""
    size = os.fstat(file.fileno()).st_size
    start = file.read(8)
    length = int.from_bytes(start, "little")
    if len(start) < 8 or not 2 <= length <= min(MAX_HEADER, size - 8):
        raise DenseError("file-broken", typed=typed)
    header = json_document(decoded(file.read(length), typed), typed)
    if not isinstance(header, dict):
        raise DenseError("file-broken", typed=typed)
    return {name: entry for name, entry in header.items() if name != "__metadata__"}, 8 + length


def _tensor(entry: Any, typed: str) -> tuple[str, tuple[int, ...], int, int]:
    if not isinstance(entry, dict):
        raise DenseError("file-broken", typed=typed)
    shape, offsets, kind = _sizes(entry.get("shape")), _sizes(entry.get("data_offsets")), entry.get("dtype")
    if shape is None or offsets is None or len(offsets) != 2:
        raise DenseError("file-broken", typed=typed)
    if not isinstance(kind, str) or kind not in _SAFETENSORS:
        raise DenseError("file-kind", typed=typed, part=kind if isinstance(kind, str) else "?")
    return _SAFETENSORS[kind], shape, offsets[0], offsets[1]


def _sizes(value: object) -> tuple[int, ...] | None:
    if isinstance(value, list) and all(type(size) is int and 0 <= size < 1 << 63 for size in value):
        return tuple(value)
    return None


def _chosen(name: str | None, names: Sequence[str], typed: str) -> str:
    if not names:
        raise DenseError("vector-empty", typed=typed)
    if name is None:
        if len(names) == 1:
            return names[0]
        raise DenseError("file-needs-name", typed=typed, names=some(names), example=names[0])
    if name not in names:
        near = nearest(name, names[:1000])
        raise DenseError("file-name-unknown", typed=typed, part=name, names=some(near or names))
    return name
