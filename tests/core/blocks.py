"""Blocks for tests: the reference's, and small random ones."""

import json
import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from dense_cli.core.block import Block, BlockWeights, Projection
from dense_cli.core.schedule import schedule

DATA = Path(__file__).parents[1] / "data"
# A larger set of the same kind may be named, to check more of them once.
CASES = json.loads(Path(os.environ.get("BLOCK_CASES", DATA / "block.json")).read_text())["cases"]
ARRAYS = np.load(os.environ.get("BLOCK_ARRAYS", DATA / "block.npz"), allow_pickle=False)


@dataclass(frozen=True)
class Reference:
    """One reference layer: its config, its weights by model-library name [out, in], its trace."""

    case: dict

    def weights(self):
        prefix = f"{self.case['id']}/weights/"
        return {name.removeprefix(prefix): ARRAYS[name] for name in ARRAYS.files if name.startswith(prefix)}

    def trace(self, name):
        return ARRAYS[f"{self.case['id']}/trace/{name}"]

    def block(self):
        config, stored = self.case["config"], self.weights()

        def linear(name):
            return Projection(stored[f"{name}_proj.weight"].T)

        weights = BlockWeights(
            norm1=stored["input_layernorm.weight"],
            norm2=stored["post_attention_layernorm.weight"],
            **{name: linear(f"self_attn.{name}") for name in "qkvo"},
            **{name: linear(f"mlp.{name}") for name in ("gate", "up", "down")},
        )
        return Block(
            x=self.trace("X"),
            weights=weights,
            heads=config["num_attention_heads"],
            kv_heads=config["num_key_value_heads"],
            rates=schedule(Fraction(config["rope_theta"]), config["head_dim"]),
            rotary_dim=config["head_dim"],
            layout=self.case["layout"],
            start=self.case["start"],
            eps=config["rms_norm_eps"],
        )


def drawn_weights(seed, *, width=6, heads=4, kv_heads=2, head_dim=4, hidden=5, biased=False, scale=1.0):
    """Weights of a small block, normal with the given scale."""
    draw = np.random.default_rng(seed)

    def linear(read, out):
        bias = draw.normal(size=out) if biased else None
        return Projection(scale * draw.normal(size=(read, out)), bias)

    query, key = heads * head_dim, kv_heads * head_dim
    return BlockWeights(
        norm1=1 + 0.1 * draw.normal(size=width),
        q=linear(width, query),
        k=linear(width, key),
        v=linear(width, key),
        o=linear(query, width),
        norm2=1 + 0.1 * draw.normal(size=width),
        gate=linear(width, hidden),
        up=linear(width, hidden),
        down=linear(hidden, width),
    )


def drawn_block(seed, *, tokens=5, width=6, heads=4, kv_heads=2, head_dim=4, **fields):
    """A small block with random weights and rows."""
    shape = {"width": width, "heads": heads, "kv_heads": kv_heads, "head_dim": head_dim}
    shape |= {"hidden": fields.pop("hidden", 5), "biased": fields.pop("biased", False)}
    weights = drawn_weights(seed, **shape, scale=fields.pop("scale", 1.0))
    usual = {
        "x": np.random.default_rng(seed + 1000).normal(size=(tokens, width)),
        "weights": weights,
        "heads": heads,
        "kv_heads": kv_heads,
        "rates": schedule(Fraction(10000), head_dim),
        "rotary_dim": head_dim,
        "eps": 1e-6,
    }
    return Block(**{**usual, **fields})
