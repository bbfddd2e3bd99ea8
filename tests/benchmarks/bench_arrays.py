"""How fast the kernels are, measured against a copy of the same bytes and against PyTorch if it is installed.

Not part of the tests: ``python -m pytest tests/benchmarks/bench_arrays.py -n 0`` runs it.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dense_cli.core.block import block
from dense_cli.core.kernels import gating, rms
from dense_cli.core.kernels.rotation import table, turned
from dense_cli.core.kernels.tables import directions
from dense_cli.core.rope import Rope
from dense_cli.core.schedule import Schedule
from dense_cli.mistakes.arrays import rotation_report
from tests.benchmarks import peers
from tests.core.blocks import drawn_block

HEAD_DIM, TOKENS = 128, 2048
RATES = Schedule(Fraction(10000), HEAD_DIM)


def drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape, dtype=np.float32)


@pytest.fixture
def heads() -> np.ndarray:
    return drawn(1, 32, TOKENS, HEAD_DIM)


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_rotation_into_a_given_array(against, heads, layout):
    by, out = table(RATES, range(TOKENS), layout, np.float32), np.empty_like(heads)
    against(
        f"rotation, {layout}, into a given array",
        lambda: turned(heads, by, out),
        {"np.copyto": lambda: np.copyto(out, heads)},
    )


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_rotation_into_a_new_array(against, heads, layout):
    by = table(RATES, range(TOKENS), layout, np.float32)
    others = peers.rotation(heads, directions(RATES, range(TOKENS), np.complex64))
    against(
        f"rotation, {layout}, into a new array", lambda: turned(heads, by), {"np.copy": heads.copy, **others}
    )


@pytest.mark.parametrize("tokens", [2048, 8192, 131072])
def test_table(against, tokens):
    others = peers.table(tokens, HEAD_DIM)
    against(
        f"cosines and sines of {tokens} positions",
        lambda: directions(RATES, range(tokens), np.complex64),
        {"np.copy": directions(RATES, range(tokens), np.complex64).copy, **others},
        rounds=9,
    )


def test_rms_norm_into_a_given_array(against):
    x, gain = drawn(4096, 4096), np.ones(4096, np.float32)
    out = np.empty_like(x)
    against(
        "RMSNorm [4096, 4096], into a given array",
        lambda: rms.rms_norm(x, gain, 1e-5, out=out),
        {"np.copyto": lambda: np.copyto(out, x)},
    )


def test_rms_norm_into_a_new_array(against):
    x, gain = drawn(4096, 4096), np.ones(4096, np.float32)
    against(
        "RMSNorm [4096, 4096], into a new array",
        lambda: rms.rms_norm(x, gain, 1e-5),
        {"np.copy": x.copy, **peers.rms_norm(x, gain)},
    )


def test_gating_into_a_given_array(against):
    gate, up = drawn(2048, 11008), drawn(2048, 11008)
    out = np.empty_like(gate)
    against(
        "silu(g)·u [2048, 11008], into a given array",
        lambda: gating.gated(gate, up, out=out),
        {"np.copyto": lambda: np.copyto(out, gate)},
    )


def test_gating_into_a_new_array(against):
    gate, up = drawn(2048, 11008), drawn(2048, 11008)
    against(
        "silu(g)·u [2048, 11008], into a new array",
        lambda: gating.gated(gate, up),
        {"np.copy": gate.copy, **peers.gated(gate, up)},
    )


def test_gated_network(against):
    x, wg, wu, wd = drawn(512, 1024), drawn(1024, 2816), drawn(1024, 2816), drawn(2816, 1024)
    product = np.zeros((512, 2816), np.float32)

    def three_products() -> None:
        x @ wg, x @ wu, product @ wd

    against(
        "gated FFN 1024/2816, 512 rows",
        lambda: gating.gated_ffn(x, wg, wu, wd),
        {"its three matrix products": three_products, **peers.network(x, 2816)},
        rounds=25,
    )


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_which_convention_an_array_follows(against, heads, layout):
    right = Rope((), (), (), RATES, HEAD_DIM, layout)
    x, out = heads[0], np.empty_like(heads[0])
    by = table(RATES, range(TOKENS), layout, np.float32)
    wrong = turned(x, table(RATES, range(1, TOKENS + 1), layout, np.float32))
    against(
        f"finding the mistake in a rotated array, {layout}",
        lambda: rotation_report(right, x, wrong),
        {"one rotation": lambda: turned(x, by, out)},
        rounds=9,
    )


def test_a_block_of_many_tokens(against):
    """All of it in float64, as the program calculates; its peers also in float32."""
    tokens, heads, head_dim, hidden = 4096, 3, 4, 32
    given = drawn_block(0, tokens=tokens, width=12, heads=heads, kv_heads=heads, layout="half", hidden=hidden)
    q, k, v = drawn(3, heads, tokens, head_dim).astype(np.float64)
    against(
        f"block of {tokens} tokens, width 12",
        lambda: block(given, keep_scores=False),
        {
            "its attention with full matrices of scores": lambda: by_full_matrices(q, k, v),
            **peers.layer(given.x, heads, hidden),
        },
        rounds=5,
    )


def by_full_matrices(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    scores = np.where(np.tri(q.shape[-2], dtype=bool), scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ v
