"""The same calculations by PyTorch and transformers, where these are installed."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

Call = Callable[[], object]

HAS_TORCH = find_spec("torch") is not None
HAS_TRANSFORMERS = HAS_TORCH and find_spec("transformers") is not None
THREADS = (1, 2)


def _torch() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch
    return torch


def threaded(label: str, call: Call) -> dict[str, Call]:
    """The call with each number of threads."""
    torch = _torch()

    def with_threads(number: int) -> Call:
        def run() -> None:
            torch.set_num_threads(number)
            with torch.no_grad():
                call()

        return run

    return {f"{label}, {number} thread{'s' * (number > 1)}": with_threads(number) for number in THREADS}


def llama() -> Any:
    """transformers' model of the same calculations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from transformers.models.llama import modeling_llama
    return modeling_llama


def llama_config(**fields: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from transformers import LlamaConfig

        return LlamaConfig(**fields)


def rotation(x: np.ndarray, table: np.ndarray) -> dict[str, Call]:
    """One array turned in halves; transformers turns two at once, so one of them is empty."""
    if not HAS_TRANSFORMERS:
        return {}
    torch, model = _torch(), llama()
    q = torch.from_numpy(x)
    none = q[:, :0]
    twice = np.concatenate((table, table), axis=-1)
    cosine, sine = (torch.from_numpy(np.ascontiguousarray(part))[None] for part in (twice.real, twice.imag))
    return threaded("apply_rotary_pos_emb", lambda: model.apply_rotary_pos_emb(q, none, cosine, sine))


def table(tokens: int, head_dim: int) -> dict[str, Call]:
    if not HAS_TRANSFORMERS:
        return {}
    torch, model = _torch(), llama()
    made = model.LlamaRotaryEmbedding(llama_config(hidden_size=head_dim, num_attention_heads=1))
    x, places = torch.zeros(1, 1, head_dim), torch.arange(tokens)[None]
    return threaded("LlamaRotaryEmbedding", lambda: made(x, places))


def rms_norm(x: np.ndarray, gain: np.ndarray) -> dict[str, Call]:
    if not HAS_TORCH:
        return {}
    torch = _torch()
    rows, weight = torch.from_numpy(x), torch.from_numpy(gain)
    shape = (x.shape[-1],)
    return threaded("F.rms_norm", lambda: torch.nn.functional.rms_norm(rows, shape, weight, 1e-5))


def gated(gate: np.ndarray, up: np.ndarray) -> dict[str, Call]:
    if not HAS_TORCH:
        return {}
    torch = _torch()
    g, u = torch.from_numpy(gate), torch.from_numpy(up)
    return threaded("torch silu(g)·u", lambda: torch.nn.functional.silu(g) * u)


def network(x: np.ndarray, hidden: int) -> dict[str, Call]:
    if not HAS_TRANSFORMERS:
        return {}
    torch, model = _torch(), llama()
    made = model.LlamaMLP(llama_config(hidden_size=x.shape[-1], intermediate_size=hidden))
    rows = torch.from_numpy(x)
    return threaded("LlamaMLP", lambda: made(rows))


def layer(x: np.ndarray, heads: int, hidden: int) -> dict[str, Call]:
    """A whole decoder layer with causal attention, which makes no matrix of scores."""
    if not HAS_TRANSFORMERS:
        return {}
    torch, model = _torch(), llama()
    sizes = {"hidden_size": x.shape[-1], "intermediate_size": hidden, "num_attention_heads": heads}
    config = llama_config(**sizes, num_key_value_heads=heads, head_dim=x.shape[-1] // heads)
    config._attn_implementation = "sdpa"
    calls: dict[str, Call] = {}
    for dtype in (torch.float64, torch.float32):
        made = model.LlamaDecoderLayer(config, 0).to(dtype)
        turn = model.LlamaRotaryEmbedding(config)
        rows, places = torch.from_numpy(x)[None].to(dtype), torch.arange(len(x))[None]

        def run(made: Any = made, turn: Any = turn, rows: Any = rows, places: Any = places) -> object:
            return made(rows, position_ids=places, position_embeddings=turn(rows, places))

        calls |= threaded(f"LlamaDecoderLayer, {dtype}".replace("torch.", ""), run)
    return calls


def counting(fields: Mapping[str, object]) -> dict[str, Call]:
    """The same model built without memory for its numbers, and its parameters summed."""
    if not HAS_TRANSFORMERS:
        return {}
    torch, config = (
        _torch(),
        llama_config(**{key: int(str(n)) for key, n in fields.items() if key != "model_type"}),
    )

    def summed() -> int:
        with torch.device("meta"):
            made = llama().LlamaForCausalLM(config)
        return sum(one.numel() for one in made.parameters())

    return {"transformers, meta device": summed}


def opened(index: Path) -> dict[str, Call]:
    """Names and shapes of all tensors that an index lists, by safetensors' own reader."""
    if find_spec("safetensors") is None:
        return {}
    from safetensors import safe_open

    folder = str(index.parent)

    def shapes() -> dict[str, list[int]]:
        with open(index, "rb") as listed:
            places = json.load(listed)["weight_map"]
        found: dict[str, list[int]] = {}
        for part in sorted(set(places.values())):
            with safe_open(os.path.join(folder, part), "np") as file:
                found |= {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118
        assert found.keys() == places.keys()
        return found

    return {"safe_open": shapes}
