"""NaN and infinities are counted exactly, in every kind of number and across the ends of blocks."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.models import weight_values
from dense_cli.models.checkpoint import checkpoint
from dense_cli.models.weight_values import KINDS, non_finite
from tests.models.checkpoint_files import packed

BITS = {"F64": ("<d", 8), "F32": ("<f", 4), "F16": ("<e", 2)}


def written(path: Path, kind: str, raw: bytes, width: int) -> str:
    """A file of one tensor with these bytes."""
    entry = {"dtype": kind, "shape": [len(raw) // width], "data_offsets": [0, len(raw)]}
    path.write_bytes(packed(json.dumps({"x": entry}).encode(), raw))
    return str(path)


def value(kind: str, raw: bytes) -> float:
    """A stored number, as Python's own reader or IEEE's layout has it."""
    if kind == "BF16":  # the upper half of a float32
        kind, raw = "F32", b"\0\0" + raw
    number: float = struct.unpack(BITS[kind][0], raw)[0]
    return number


@pytest.mark.parametrize("kind", list(KINDS))
@given(numbers=st.lists(st.binary(min_size=8, max_size=8), max_size=12), ones=st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_counts_are_those_of_the_numbers(
    kind: str, numbers: list[bytes], ones: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Random bits, and bits whose exponent is nearly or wholly all ones."""
    width = KINDS[kind].width
    high = (b"\x7f", b"\xff", b"\x7c", b"\x7b")[ones]
    raws = [raw[:width] for raw in numbers] + [raw[: width - 1] + high for raw in numbers]
    path = tmp_path_factory.getbasetemp() / f"{kind}.safetensors"
    found = {
        one.name: dict(one.facts)
        for one in non_finite(checkpoint(written(path, kind, b"".join(raws), width)))
    }
    values = [value(kind, raw) for raw in raws]
    nan, infinite = sum(map(math.isnan, values)), sum(map(math.isinf, values))
    assert found == ({"x": {"nan": nan, "infinite": infinite}} if nan or infinite else {})


@pytest.mark.parametrize("kind", list(KINDS))
def test_infinities_and_the_largest_numbers_are_told_apart(kind: str, tmp_path: Path) -> None:
    """Each kind's infinity of both signs, and the largest finite number below it."""
    tops = {"F64": 0x7FF0 << 48, "F32": 0x7F80 << 16, "BF16": 0x7F80, "F16": 0x7C00}
    width, top = KINDS[kind].width, tops[kind]
    sign = 1 << (8 * width - 1)
    stored = [top, top | sign, top - 1, (top - 1) | sign, top + 1, 0]
    raw = b"".join(number.to_bytes(width, "little") for number in stored)
    [found] = non_finite(checkpoint(written(tmp_path / "x.safetensors", kind, raw, width)))
    assert dict(found.facts) == {"nan": 1, "infinite": 2}


def test_every_block_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One infinity at the beginning and at the end of each of three blocks."""
    monkeypatch.setattr(weight_values, "BLOCK", 64)
    block = struct.pack("<16f", math.inf, *[1.0] * 14, -math.inf)
    [found] = non_finite(checkpoint(written(tmp_path / "x.safetensors", "F32", block * 3, 4)))
    assert dict(found.facts) == {"nan": 0, "infinite": 6}


def test_counting_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weight_values, "BLOCK", 64)
    monkeypatch.setattr(weight_values, "MOST_COUNTED", 20)
    [found] = non_finite(
        checkpoint(written(tmp_path / "x.safetensors", "F32", struct.pack("<f", math.nan) * 100, 4))
    )
    assert dict(found.facts) == {"nan": 32, "infinite": 0, "more": 1}


def test_whole_numbers_are_always_finite(tmp_path: Path) -> None:
    assert non_finite(checkpoint(written(tmp_path / "x.safetensors", "I32", b"\xff" * 40, 4))) == ()
