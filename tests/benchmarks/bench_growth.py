"""How cost grows with size: the time for one of many, as a ratio to the time for one of fewer.

A ratio near 1 is growth in proportion. Not part of the tests:
``python -m pytest tests/benchmarks/bench_growth.py -n 0``. DENSE_STUDENTS=1000,10000,100000,1000000 asks for
other classes.
"""

from __future__ import annotations

import json
import os
import struct
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dense_cli.core.kernels.rotation import table
from dense_cli.core.rope import Rope, rope
from dense_cli.core.schedule import Schedule, schedule
from dense_cli.models.checkpoint import checkpoint
from dense_cli.models.config import config_of
from dense_cli.models.counting import count
from tests.benchmarks import peers
from tests.benchmarks.bench_marking import mark
from tests.benchmarks.bench_start import MODEL
from tests.benchmarks.classes import write_lines

STUDENTS = [int(number) for number in os.environ.get("DENSE_STUDENTS", "1000,10000,100000").split(",")]
ROW = tuple(range(1, 129))
SHARDS, IN_A_SHARD = 100, 9
COUNTS = 100


@pytest.mark.parametrize("position", [1, 131072, 10**12])
def test_one_rotation_far_away(against, position):
    """One row costs the same at any position."""

    def at(place: int) -> Rope:
        return Rope(ROW, ROW, ((place, 0),), schedule(Fraction(10000), 128), rotary_dim=128)

    far, near = at(position), at(1)
    against(f"one row at position {position:,}", lambda: rope(far), {"at position 1": lambda: rope(near)})


@pytest.mark.parametrize("tokens", [8192, 131072])
def test_a_table_of_more_positions(against, tokens):
    rates = Schedule(Fraction(10000), 128)
    against(
        f"cosines and sines of {tokens:,} positions, each",
        lambda: table(rates, range(tokens), "half", np.float32),
        {"of 2,048": lambda: table(rates, range(2048), "half", np.float32)},
        per=tokens / 2048,
    )


@pytest.mark.parametrize("students", STUDENTS[1:])
@pytest.mark.parametrize("to", ["csv-wide", None])
def test_a_larger_class(against, tmp_path, students, to):
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    write_lines(few, STUDENTS[0])
    write_lines(many, students)
    against(
        f"{students:,} sheets to {to or 'statistics'}, each",
        lambda: mark(many, to),
        {f"of {STUDENTS[0]:,}": lambda: mark(few, to)},
        rounds=3,
        per=students / STUDENTS[0],
    )


def counting(**changes):
    """A function that counts a model many times, for one count is over before a clock has warmed up."""
    config = {**MODEL, **changes}

    def run():
        for _ in range(COUNTS):
            count(config_of(config, "config.json"))

    return run


@pytest.mark.parametrize("layers", [32, 1000])
def test_a_deeper_model(against, layers):
    """Layers are counted, not walked: the number of them costs nothing."""
    flat = {"1 layer": counting(num_hidden_layers=1)}
    against(f"counting {layers} layers", counting(num_hidden_layers=layers), flat)


@pytest.mark.parametrize("layers", [32, 126])
def test_counting_against_building(against, layers):
    """The library builds every layer, without memory for its numbers, and adds up what it built."""
    built = peers.counting({**MODEL, "num_hidden_layers": layers})
    against(f"counting {layers} layers, once", counting(num_hidden_layers=layers), built, per=COUNTS)


@pytest.mark.parametrize("tensors", [10_000, 100_000])
def test_more_tensors_in_a_file(against, tmp_path, tensors):
    few, many = tmp_path / "few.safetensors", tmp_path / "many.safetensors"
    write_header(few, 1000)
    write_header(many, tensors)

    def as_many():
        for _ in range(tensors // 1000):
            checkpoint(str(few))

    against(
        f"the header of {tensors:,} tensors, each",
        lambda: checkpoint(str(many)),
        {"of 1,000": as_many},
        rounds=9,
    )


def test_the_headers_of_many_files(against, tmp_path):
    places = {}
    for shard in range(SHARDS):
        path = tmp_path / f"model-{shard + 1:05}-of-{SHARDS:05}.safetensors"
        places |= dict.fromkeys(write_header(path, IN_A_SHARD, f"model.layers.{shard}."), path.name)
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": places}))
    against(f"{SHARDS} shards' headers", lambda: checkpoint(str(index)), peers.opened(index))


def write_header(path: Path, tensors: int, prefix: str = "layer.") -> list[str]:
    """A file of so many tensors of one number each; their names."""
    names = [f"{prefix}{number}.weight" for number in range(tensors)]
    entries = {
        name: {"dtype": "F32", "shape": [1, 1], "data_offsets": [4 * place, 4 * place + 4]}
        for place, name in enumerate(names)
    }
    head = json.dumps(entries, separators=(",", ":")).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + bytes(4 * tensors))
    return names
