"""Weights of a layer: from files that fit, files that do not, hostile files, and from a seed."""

import json
import struct
from dataclasses import replace

import numpy as np
import pytest

from dense_cli.core.block import block
from dense_cli.errors import DenseError, DenseErrors
from dense_cli.models.block_weights import (
    expected_shapes,
    seeded_rows,
    seeded_weights,
    stored_layer,
    stored_weights,
)
from dense_cli.models.config import read_config
from dense_cli.models.shape import model_shape
from dense_cli.models.tensor_file import tensor_file
from tests.core.blocks import CASES, Reference

CASE = Reference(CASES[0])
SHAPE = model_shape(read_config(json.dumps(CASE.case["config"])))
CODES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I8": "<i1"}


def written(path, tensors, kind="F64", prefix="", **header):
    """A .safetensors file of these arrays; `header` replaces or adds entries."""
    data, entries = b"", {}
    for name, array in tensors.items():
        raw = stored_as(array, kind)
        ends = [len(data), len(data) + len(raw)]
        entries[prefix + name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": ends}
        data += raw
    text = json.dumps({**entries, **header}).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return str(path)


def stored_as(array, kind):
    if kind == "BF16":
        return (array.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    return array.astype(CODES[kind]).tobytes()


def read(path, layer=None, shape=SHAPE):
    file = tensor_file(path)
    found, prefix = stored_layer(shape, file, layer)
    return found, stored_weights(shape, file, prefix)


def refusals(call, *arguments):
    with pytest.raises(DenseError) as caught:
        call(*arguments)
    return list(caught.value.errors) if isinstance(caught.value, DenseErrors) else [caught.value]


# --- files that fit


@pytest.mark.parametrize(
    "prefix", ["model.layers.0.", "layers.0.", "model.language_model.layers.0.", "", "a.b."]
)
def test_names_fit_whatever_stands_before_them(tmp_path, prefix):
    path = written(tmp_path / "w.safetensors", CASE.weights(), prefix=prefix)
    _, weights = read(path)
    theirs = CASE.block().weights
    for name in ("q", "k", "v", "o", "gate", "up", "down"):
        assert (getattr(weights, name).weight == getattr(theirs, name).weight).all()
    assert (weights.norm1 == theirs.norm1).all()
    assert (weights.norm2 == theirs.norm2).all()


def test_the_layer_asked_for_is_read(tmp_path):
    tensors = {
        f"model.layers.{layer}.{name}": array + layer
        for layer in (0, 3, 12)
        for name, array in CASE.weights().items()
    }
    path = written(tmp_path / "w.safetensors", {**tensors, "model.norm.weight": np.ones(12)})
    for layer in (None, 3, 12):
        found, weights = read(path, layer)
        assert found == (layer or 0)
        assert (weights.norm1 == CASE.weights()["input_layernorm.weight"] + found).all()


def test_the_only_layer_of_a_shard_needs_no_number(tmp_path):
    path = written(tmp_path / "w.safetensors", CASE.weights(), prefix="model.layers.7.")
    assert read(path)[0] == 7
    assert read(path, 7)[0] == 7
    assert [error.key for error in refusals(read, path, 0)] == ["block-layer-missing"]


def test_what_has_no_number_is_no_layer_among_numbered_ones(tmp_path):
    tensors = {
        f"{prefix}.{name}": array
        for prefix in ("model.layers.0", "extra")
        for name, array in CASE.weights().items()
    }
    path = written(tmp_path / "w.safetensors", tensors)
    assert [error.key for error in refusals(read, path, 4)] == ["block-layer-missing"]


def test_one_layer_alone_is_the_layer_that_is_said(tmp_path):
    path = written(tmp_path / "w.safetensors", CASE.weights())
    assert read(path)[0] == 0
    assert read(path, 5)[0] == 5


def test_another_stack_of_layers_is_not_mistaken_for_it(tmp_path):
    """A vision tower with the same names and other widths, earlier in the alphabet and shorter."""
    other = {f"a.layers.0.{name}": np.zeros((3,) * array.ndim) for name, array in CASE.weights().items()}
    own = {f"model.layers.0.{name}": array for name, array in CASE.weights().items()}
    _, weights = read(written(tmp_path / "w.safetensors", {**other, **own}))
    assert weights.norm1.shape == (12,)


@pytest.mark.parametrize(("kind", "digits"), [("F64", 0), ("F32", 1e-6), ("F16", 1e-2), ("BF16", 1e-1)])
def test_kinds_of_numbers(tmp_path, kind, digits):
    _, weights = read(written(tmp_path / "w.safetensors", CASE.weights(), kind))
    theirs = CASE.weights()["input_layernorm.weight"]
    assert np.abs(weights.norm1 - theirs).max() <= digits
    assert weights.norm1.dtype == np.float64


def test_buffers_and_other_parts_do_not_disturb(tmp_path):
    extra = {"rotary_emb.inv_freq": np.ones(2), "lm_head.weight": np.ones((16, 12))}
    read(written(tmp_path / "w.safetensors", {**CASE.weights(), **extra}))
    inside = {**CASE.weights(), "self_attn.rotary_emb.inv_freq": np.ones(2)}
    read(written(tmp_path / "w.safetensors", inside, prefix="model.layers.0."))


def fused(parts):
    return np.concatenate(parts)


def test_fused_matrices_come_apart(tmp_path):
    """Phi-3 stores q, k, v as one matrix, and gate before up in another."""
    fields = {**CASE.case["config"], "model_type": "phi3"}
    shape = model_shape(read_config(json.dumps(fields)))
    tensors = dict(CASE.weights())
    qkv = [tensors.pop(f"self_attn.{name}_proj.weight") for name in "qkv"]
    pair = [tensors.pop(f"mlp.{name}_proj.weight") for name in ("gate", "up")]
    tensors |= {"self_attn.qkv_proj.weight": fused(qkv), "mlp.gate_up_proj.weight": fused(pair)}
    _, weights = read(written(tmp_path / "w.safetensors", tensors), shape=shape)
    for name, matrix in zip(("q", "k", "v", "gate", "up"), (*qkv, *pair), strict=True):
        assert (getattr(weights, name).weight == matrix.T).all()


def test_biases_and_norms_of_queries_and_keys_are_read(tmp_path):
    fields = {**CASE.case["config"], "model_type": "qwen3", "attention_bias": True}
    shape = model_shape(read_config(json.dumps(fields)))
    rng = np.random.default_rng(1)
    tensors = {name: rng.normal(size=size) for name, size in expected_shapes(shape).items()}
    assert "self_attn.q_norm.weight" in tensors
    _, weights = read(written(tmp_path / "w.safetensors", tensors), shape=shape)
    assert (weights.q_norm == tensors["self_attn.q_norm.weight"]).all()
    for name in "qkvo":
        assert (getattr(weights, name).bias == tensors[f"self_attn.{name}_proj.bias"]).all()
    assert weights.gate.bias is None


# --- files that do not fit


def test_every_mismatch_is_told_at_once(tmp_path):
    tensors = dict(CASE.weights())
    del tensors["mlp.up_proj.weight"], tensors["input_layernorm.weight"]
    tensors["self_attn.q_proj.bias"] = np.ones(12)
    tensors["self_attn.o_proj.weight"] = np.ones((12, 11))
    tensors["mlp.down_proj.weight"] = tensors["mlp.down_proj.weight"].T
    found = refusals(read, written(tmp_path / "w.safetensors", tensors, prefix="model.layers.0."))
    told = {(error.key, error.facts["tensor"].removeprefix("model.layers.0.")) for error in found}
    assert told == {
        ("block-missing-tensor", "mlp.up_proj.weight"),
        ("block-missing-tensor", "input_layernorm.weight"),
        ("block-unexpected-tensor", "self_attn.q_proj.bias"),
        ("block-tensor-shape", "self_attn.o_proj.weight"),
        ("block-tensor-shape", "mlp.down_proj.weight"),
    }
    by_name = {error.facts["tensor"]: error for error in found}
    assert by_name["model.layers.0.mlp.down_proj.weight"].hint == "block-tensor-transposed"
    wrong = by_name["model.layers.0.self_attn.o_proj.weight"]
    assert (wrong.facts["expected"], wrong.facts["found"]) == ("12×12", "12×11")


def test_a_file_of_something_else_is_refused(tmp_path):
    path = written(tmp_path / "w.safetensors", {"conv.weight": np.ones((2, 2))})
    assert [error.key for error in refusals(read, path)] == ["block-no-weights"]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_refused_by_name(tmp_path, value):
    tensors = {name: array.copy() for name, array in CASE.weights().items()}
    tensors["mlp.up_proj.weight"][3, 4] = value
    (error,) = refusals(read, written(tmp_path / "w.safetensors", tensors))
    assert error.key == "file-not-finite"
    assert "mlp.up_proj.weight" in error.facts["typed"]


def test_quantized_weights_are_refused(tmp_path):
    tensors = {name: np.ones(array.shape) for name, array in CASE.weights().items()}
    (error,) = refusals(read, written(tmp_path / "w.safetensors", tensors, "I8"))
    assert (error.key, error.facts["found"]) == ("block-tensor-kind", "I8")


def test_a_config_too_large_to_draw_is_refused():
    big = '{"hidden_size": 1000000, "query_heads": 1000, "ffn_hidden_size": 4000000, "bias": false}'
    (error,) = refusals(seeded_weights, model_shape(read_config(big)), 1)
    assert error.key == "block-too-large"


# --- hostile files

HEADERS = {
    "no object": [],
    "entry no object": {"a": 3},
    "no dtype": {"a": {"shape": [1], "data_offsets": [0, 8]}},
    "dtype a list": {"a": {"dtype": ["F64"], "shape": [1], "data_offsets": [0, 8]}},
    "negative size": {"a": {"dtype": "F64", "shape": [-1], "data_offsets": [0, 8]}},
    "truth as a size": {"a": {"dtype": "F64", "shape": [True], "data_offsets": [0, 8]}},
    "text as a size": {"a": {"dtype": "F64", "shape": ["1"], "data_offsets": [0, 8]}},
    "three ends": {"a": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8, 16]}},
    "ends swapped": {"a": {"dtype": "F64", "shape": [1], "data_offsets": [8, 0]}},
    "beyond the end": {"a": {"dtype": "F64", "shape": [1], "data_offsets": [0, 800]}},
    "many axes": {"a": {"dtype": "F64", "shape": [1] * 99, "data_offsets": [0, 8]}},
    "huge size": {"a": {"dtype": "F64", "shape": [2**70], "data_offsets": [0, 8]}},
}


@pytest.mark.parametrize("name", HEADERS)
def test_broken_headers_are_refused(tmp_path, name):
    text = json.dumps(HEADERS[name]).encode()
    path = tmp_path / "w.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(8))
    assert refusals(tensor_file, str(path))[0].key.startswith("weights-")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"1234567",
        bytes(8),
        b"\xff" * 8,
        b"version https://git-lfs.github.com/spec/v1\n",
        b"PK\x03\x04" + bytes(99),
    ],
    ids=["empty", "short", "no header", "endless header", "pointer", "zip"],
)
def test_files_that_are_no_safetensors_are_refused(tmp_path, data):
    path = tmp_path / "w.safetensors"
    path.write_bytes(data)
    assert refusals(tensor_file, str(path))[0].key.startswith("weights-")


def test_a_shape_that_its_bytes_do_not_hold_is_refused(tmp_path):
    entry = {"dtype": "F64", "shape": [12], "data_offsets": [0, 88]}
    path = written(tmp_path / "w.safetensors", CASE.weights(), **{"input_layernorm.weight": entry})
    assert [error.key for error in refusals(read, path)] == ["weights-tensor-size"]


def test_a_file_that_was_cut_after_its_header_was_read_is_refused(tmp_path):
    path = written(tmp_path / "w.safetensors", CASE.weights())
    file = tensor_file(path)
    (tmp_path / "w.safetensors").write_bytes(b"")
    assert [error.key for error in refusals(file.array, "input_layernorm.weight")] == ["file-broken"]


def test_a_folder_of_shards_is_one_model(tmp_path):
    names = sorted(CASE.weights())
    for part, chosen in ((1, names[:4]), (2, names[4:])):
        tensors = {name: CASE.weights()[name] for name in chosen}
        written(tmp_path / f"model-0000{part}-of-00002.safetensors", tensors, prefix="model.layers.0.")
    _, weights = read(str(tmp_path))
    assert (CASE.weights()["self_attn.q_proj.weight"] == weights.q.weight.T).all()
    assert (weights.norm1 == CASE.weights()["input_layernorm.weight"]).all()


def test_names_with_escapes_stay_data(tmp_path):
    path = written(tmp_path / "w.safetensors", {**CASE.weights(), "mlp.\x1b[31m": np.ones(2)})
    (error,) = refusals(read, path)
    assert error.facts["tensor"] == "mlp.\x1b[31m"  # made harmless where it is shown


@pytest.mark.parametrize(
    ("name", "key"),
    [("missing.safetensors", "weights-not-found"), ("\0.safetensors", "weights-unreadable")],
)
def test_files_that_cannot_be_opened_are_refused(name, key):
    assert [error.key for error in refusals(tensor_file, name)] == [key]


# --- seeds


def test_a_seed_gives_these_numbers_everywhere():
    """The first raw words of PCG64 for this stream, each by hand: (word >> 11) / 2^53, from [0, 1) to ±√3."""
    stream = int.from_bytes(b"x", "little")
    words = np.random.PCG64(np.random.SeedSequence([1, stream])).random_raw(3).tolist()
    expected = [(2 * ((word >> 11) / 2**53) - 1) * 3**0.5 for word in words]
    assert seeded_rows(1, 3, seed=1).tolist() == [expected]
    assert seeded_rows(1, 2, seed=1)[0] == pytest.approx(SEED_ONE, abs=1e-15)


SEED_ONE = [0.022118243080613564, 0.42673588031704857]
"""Written down once: another NumPy that gives others breaks the promise."""


def test_seeds_differ_and_repeat():
    first, again, other = (seeded_weights(SHAPE, seed) for seed in (1, 1, 2))
    assert (first.q.weight == again.q.weight).all()
    assert not (first.q.weight == other.q.weight).any()
    assert not (first.q.weight == first.k.weight).any()


def test_drawn_weights_have_the_sizes_that_are_said():
    big = '{"hidden_size": 256, "query_heads": 4, "ffn_hidden_size": 512, "bias": true}'
    weights = seeded_weights(model_shape(read_config(big)), 3)
    assert weights.down.weight.std() == pytest.approx(512**-0.5, rel=0.02)
    assert weights.q.weight.std() == pytest.approx(256**-0.5, rel=0.02)
    assert weights.norm1.mean() == pytest.approx(1, abs=0.02)
    assert weights.gate.bias.std() == pytest.approx(0.1, rel=0.1)
    assert weights.gate.bias.mean() == pytest.approx(0, abs=0.02)


def test_gains_that_act_as_one_plus_themselves_are_drawn_around_zero():
    fields = {**CASE.case["config"], "model_type": "gemma"}
    weights = seeded_weights(model_shape(read_config(json.dumps(fields))), 3)
    assert abs(weights.norm1.mean()) < 0.2


def test_stored_weights_give_the_library_s_output(tmp_path):
    path = written(tmp_path / "w.safetensors", CASE.weights(), prefix="model.layers.0.")
    found = block(replace(CASE.block(), weights=read(path)[1]))["output"]
    assert found == pytest.approx(CASE.trace("output"), rel=1e-10, abs=5e-11)
