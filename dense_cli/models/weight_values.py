"""NaN and infinities among stored numbers, found in blocks of bounded size and without making numbers.

A floating-point number is not finite exactly if all bits of its exponent are one (IEEE 754, 6.2.1 and 3.4;
bfloat16 is the upper half of a float32). Its highest byte nearly tells: only where that could be so is the
next one looked at.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.models.checkpoint import Checkpoint, Finding
from dense_cli.models.tensor_entries import Tensor

BLOCK = 1 << 20
"""Bytes that are held at once, a whole number of numbers of every kind."""

MOST_COUNTED = 1_000_000
"""After so many of one tensor nothing new is learned from the next."""


@dataclass(frozen=True, slots=True)
class FloatKind:
    """How a number is stored, lowest byte first: in how many bytes, and where its exponent is in the highest
    two."""

    width: int
    exponent: int


KINDS = {
    "F64": FloatKind(8, 0x7FF0),
    "F32": FloatKind(4, 0x7F80),
    "BF16": FloatKind(2, 0x7F80),
    "F16": FloatKind(2, 0x7C00),
}


@dataclass(frozen=True, slots=True)
class NonFinite:
    """How many numbers are NaN, and how many infinite; `more`: there are others, not counted any more."""

    nan: int
    infinite: int
    more: bool = False


def non_finite(checkpoint: Checkpoint) -> tuple[Finding, ...]:
    """A finding "non_finite" for every tensor that holds NaN or infinities; reads all values.

    Raises DenseError "weights-unreadable", "weights-truncated" where the file changed meanwhile.
    """
    findings = []
    by_file: dict[str, list[str]] = {}
    for name, file in checkpoint.homes.items():
        by_file.setdefault(file, []).append(name)
    for file, names in by_file.items():
        holder = checkpoint.headers[file]
        for name in sorted(names, key=lambda name: checkpoint.tensors[name].begin):
            tensor = checkpoint.tensors[name]
            if tensor.kind not in KINDS or not tensor.size:
                continue
            counted = _counted(holder.path, holder.name, tensor)
            if counted.nan or counted.infinite:
                facts: dict[str, int | str] = {"nan": counted.nan, "infinite": counted.infinite}
                findings.append(Finding("non_finite", name, facts | ({"more": 1} if counted.more else {})))
    return tuple(findings)


def _counted(path: str, file: str, tensor: Tensor) -> NonFinite:
    kind = KINDS[tensor.kind]
    nan = infinite = 0
    for block in _blocks(path, file, tensor):
        for is_nan in _found(block, kind):
            nan, infinite = nan + is_nan, infinite + (not is_nan)
        if nan + infinite >= MOST_COUNTED:
            return NonFinite(nan, infinite, more=True)
    return NonFinite(nan, infinite)


def _blocks(path: str, file: str, tensor: Tensor) -> Iterator[bytes]:
    try:
        with open(path, "rb") as opened:
            opened.seek(tensor.begin)
            for begin in range(0, tensor.size, BLOCK):
                size = min(BLOCK, tensor.size - begin)
                block = opened.read(size)
                if len(block) < size:
                    end = tensor.begin + tensor.size
                    there = os.fstat(opened.fileno()).st_size
                    raise DenseError("weights-truncated", typed=file, needed=end, size=there)
                yield block
    except OSError:
        raise DenseError("weights-unreadable", typed=file) from None


def _found(block: bytes, kind: FloatKind) -> Iterator[bool]:
    """For every number of a block that is not finite: whether it is NaN.

    >>> import struct
    >>> list(_found(struct.pack("<3f", 1.0, float("inf"), float("nan")), KINDS["F32"]))
    [False, True]
    """
    width, exponent = kind.width, kind.exponent
    suspects, highest_bytes = _SUSPECTS[exponent >> 8], block[width - 1 :: width]
    if not any(byte in highest_bytes for byte in suspects.each):  # the usual case, ten times faster
        return
    for place in suspects.pattern.finditer(highest_bytes):
        number = block[place.start() * width : (place.start() + 1) * width]
        highest = int.from_bytes(number[-2:], "little")
        if highest & exponent == exponent:
            yield bool(highest & 0x7FFF & ~exponent or any(number[:-2]))


class _Bytes(NamedTuple):
    """Some bytes, and a pattern that finds them."""

    each: bytes
    pattern: re.Pattern[bytes]


def _with_all(bits: int) -> _Bytes:
    """Every byte in which all these bits are one."""
    found = bytes(byte for byte in range(256) if byte & bits == bits)
    return _Bytes(found, re.compile(b"[" + re.escape(found) + b"]"))


_SUSPECTS = {bits: _with_all(bits) for bits in {kind.exponent >> 8 for kind in KINDS.values()}}
