"""Published names and the newer library's are both right, and every single change is found exactly."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.models.checkpoint import Checkpoint, checkpoint
from dense_cli.models.comparison import Comparison, Mismatch, compare
from dense_cli.models.config import config_of
from dense_cli.models.headers import Tensor
from dense_cli.models.shape import ModelShape, model_shape
from dense_cli.models.tensors import tensors
from tests.models.checkpoint_files import Sizes, sparse
from tests.models.reference import cases

TINY = [case for case in cases("tiny_model_counts.json") if "tensors" in case]


def shape_of(config: dict[str, Any]) -> ModelShape:
    return model_shape(config_of(config, "m"))


def holding(shapes: dict[str, Sizes]) -> Checkpoint:
    """A checkpoint with these tensors."""
    return Checkpoint("m", {name: Tensor("F32", shape, 0, 0) for name, shape in shapes.items()}, {})


def compared(config: dict[str, Any], shapes: dict[str, Sizes]) -> Comparison:
    return compare(shape_of(config), holding(shapes))


def notes(comparison: Comparison) -> list[tuple[str, str]]:
    return [(one.id, one.name) for one in comparison.findings]


def plain(model_type: str) -> dict[str, Any]:
    """A tiny config of a family."""
    found: dict[str, Any] = next(
        case["config"] for case in TINY if case["config"]["model_type"] == model_type
    )
    return found


def own(config: dict[str, Any]) -> dict[str, Sizes]:
    """Its tensors as the newer library names them (checked against it elsewhere)."""
    return dict(tensors(shape_of(config)))


def test_files_of_every_family_fit_their_config() -> None:
    wrong = [
        case["id"]
        for case in TINY
        if not compared(case["config"], own(case["config"])).fits
        or notes(compared(case["config"], own(case["config"])))
    ]
    assert wrong == []


def test_files_of_base_models_fit_with_a_note() -> None:
    """Without what stands before the names: a GPT-2 or BLOOM as it is published, and all others alike."""
    for case in TINY:
        shapes = own(case["config"])
        base = next(name for name in shapes if not name.startswith("lm_head")).split(".")[0] + "."
        shorter = {name.removeprefix(base): sizes for name, sizes in shapes.items()}
        found = compared(case["config"], shorter)
        assert found.fits, case["id"]
        assert notes(found) == [("missing_prefix", base)], case["id"]


def experts(config: dict[str, Any], folder: str, names: tuple[str, str, str]) -> dict[str, Sizes]:
    """One matrix for each expert of each layer, [out, in]."""
    number = config.get("num_local_experts") or config.get("num_experts") or config["n_routed_experts"]
    width = config.get("moe_intermediate_size") or config["intermediate_size"]
    hidden = config["hidden_size"]
    gate, up, down = names
    sizes = {gate: (width, hidden), up: (width, hidden), down: (hidden, width)}
    return {
        f"{folder}.{expert}.{name}.weight": shape for expert in range(number) for name, shape in sizes.items()
    }


LONG = ("gate_proj", "up_proj", "down_proj")
SHORT = ("w1", "w3", "w2")
OLD = "block_sparse_moe"


@pytest.mark.parametrize(
    ("family", "router", "folder", "names"),
    [
        ("mixtral", f"{OLD}.gate", f"{OLD}.experts", SHORT),
        ("mixtral", "mlp.gate", "mlp.experts", LONG),
        ("phimoe", f"{OLD}.gate", f"{OLD}.experts", SHORT),
        ("phimoe", "mlp.router", "mlp.experts", SHORT),
        ("olmoe", "mlp.gate", "mlp.experts", LONG),
        ("qwen2_moe", "mlp.gate", "mlp.experts", LONG),
        ("qwen3_moe", "mlp.gate", "mlp.experts", LONG),
        ("deepseek_v2", "mlp.gate", "mlp.experts", LONG),
        ("deepseek_v3", "mlp.gate", "mlp.experts", LONG),
    ],
)
def test_experts_stored_one_by_one_fit(
    family: str, router: str, folder: str, names: tuple[str, str, str]
) -> None:
    config = plain(family)
    shapes: dict[str, Sizes] = {}
    for name, sizes in own(config).items():
        before, _, within = name.partition(".mlp.")
        if within in ("gate.weight", "router.weight"):
            shapes[f"{before}.{router}.weight"] = sizes
        elif within == "experts.gate_up_proj":
            shapes |= {f"{before}.{one}": size for one, size in experts(config, folder, names).items()}
        elif within != "experts.down_proj":
            shapes[name] = sizes
    found = compared(config, shapes)
    assert found.fits
    assert found.expected == len(shapes)
    lost = next(name for name in shapes if f"{folder}.3.{names[1]}" in name)
    sizes = shapes.pop(lost)
    assert compared(config, shapes).mismatches == (Mismatch("missing_tensor", lost, sizes),)


def test_granite_experts_under_their_published_names_fit() -> None:
    config = plain("granitemoe")
    renamed = {
        "router.weight": "router.layer.weight",
        "experts.gate_up_proj": "input_linear.weight",
        "experts.down_proj": "output_linear.weight",
    }
    shapes = {}
    for name, sizes in own(config).items():
        before, mark, within = name.partition(f".{OLD}.")
        shapes[f"{before}{mark}{renamed.get(within, within)}"] = sizes
    assert any("input_linear" in name for name in shapes)
    assert compared(config, shapes).fits


def test_packed_experts_of_gpt_oss_fit() -> None:
    """MXFP4: gate_up_proj of gpt-oss-20b is published as blocks [32, 5760, 90, 16], scales [32, 5760, 90]."""
    config = {
        "model_type": "gpt_oss",
        "hidden_size": 2880,
        "intermediate_size": 2880,
        "num_local_experts": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "head_dim": 64,
        "vocab_size": 201088,
    }
    shapes = own(config)
    for name, rows in (("gate_up_proj", 5760), ("down_proj", 2880)):
        del shapes[f"model.layers.0.mlp.experts.{name}"]
        shapes[f"model.layers.0.mlp.experts.{name}_blocks"] = (32, rows, 90, 16)
        shapes[f"model.layers.0.mlp.experts.{name}_scales"] = (32, rows, 90)
    assert compared(config, shapes).fits


def test_both_heads_of_gpt_neox_fit() -> None:
    config = plain("gpt_neox")
    shapes = own(config)
    assert "lm_head.weight" in shapes
    shapes["embed_out.weight"] = shapes.pop("lm_head.weight")
    assert compared(config, shapes).fits
    del shapes["embed_out.weight"]
    assert [one.name for one in compared(config, shapes).mismatches] == ["lm_head.weight"]


@pytest.mark.parametrize(
    ("family", "buffers"),
    [
        ("llama", ("model.layers.0.self_attn.rotary_emb.inv_freq", "model.rotary_emb.inv_freq")),
        ("gpt2", ("transformer.h.0.attn.bias", "transformer.h.1.attn.masked_bias")),
        ("gpt_neo", ("transformer.h.0.attn.attention.bias", "transformer.h.1.attn.attention.masked_bias")),
        (
            "gpt_neox",
            (
                "gpt_neox.layers.0.attention.bias",
                "gpt_neox.layers.0.attention.masked_bias",
                "gpt_neox.layers.0.attention.rotary_emb.inv_freq",
            ),
        ),
        ("deepseek_v3", ("model.layers.1.mlp.gate.e_score_correction_bias",)),
        ("apertus", ("model.layers.0.mlp.act_fn.beta", "model.layers.0.mlp.act_fn.eps")),
    ],
)
def test_stored_buffers_are_no_mismatch(family: str, buffers: tuple[str, ...]) -> None:
    config = plain(family)
    found = compared(config, own(config) | dict.fromkeys(buffers, (1, 1, 8, 8)))
    assert found.fits
    assert notes(found) == [("stored_buffer", name) for name in buffers]


def test_a_bias_is_no_buffer() -> None:
    config = plain("llama")
    found = compared(config, own(config) | {"model.layers.0.self_attn.bias": (8,)})
    assert [one.kind for one in found.mismatches] == ["unexpected_tensor"]


def test_a_stored_copy_of_a_tied_head_is_noticed() -> None:
    config = {**plain("llama"), "tie_word_embeddings": True}
    shapes = own(config)
    embedding = shapes["model.embed_tokens.weight"]
    found = compared(config, shapes | {"lm_head.weight": embedding})
    assert found.fits
    assert notes(found) == [("tied_head_stored", "lm_head.weight")]
    other = (embedding[0] + 1, embedding[1])
    assert compared(config, shapes | {"lm_head.weight": other}).mismatches == (
        Mismatch("shape_mismatch", "lm_head.weight", embedding, other),
    )


def test_the_text_part_of_a_larger_model() -> None:
    """What is not of the text part is counted, and neither compared nor held against the file."""
    text = plain("gemma3_text")
    config = {"model_type": "gemma3", "text_config": text, "vision_config": {}}
    older = {f"language_model.{name}": sizes for name, sizes in own(text).items()}
    newer = {name.replace("model.", "model.language_model.", 1): sizes for name, sizes in own(text).items()}
    for shapes, before in ((older, ""), (newer, "model.")):
        outside = {f"{before}vision_tower.{name}.weight": (3,) for name in "xy"}
        found = compared(config, shapes | outside)
        assert found.fits
        assert [(one.id, one.name, dict(one.facts)) for one in found.findings] == [
            ("not_compared", "vision_tower", {"count": 2})
        ]
    assert not compared(text, own(text) | {"vision_tower.x.weight": (3,)}).fits


def test_the_head_of_a_text_part() -> None:
    text = {**plain("gemma3_text"), "tie_word_embeddings": False}
    config = {"model_type": "gemma3", "text_config": text, "tie_word_embeddings": False}
    older = {f"language_model.{name}": sizes for name, sizes in own(text).items()}
    assert "language_model.lm_head.weight" in older
    assert compared(config, older).fits


def test_one_block_is_compared_by_itself() -> None:
    config = {"hidden_size": 12, "query_heads": 3, "ffn_hidden_size": 32}
    shapes = own(config)
    assert len(shapes) == 9
    for before in ("model.layers.0.", "layers.0.", ""):
        placed = {name.replace("model.layers.0.", before): sizes for name, sizes in shapes.items()}
        found = compared(config, placed)
        assert found.fits
        assert found.findings == ()


def test_mismatches_are_sorted_by_code_points() -> None:
    config = plain("llama")
    odd = ["Z", "a", "é", "\U0001f600", "\uff21", "model.layers.10.x", "model.layers.2.x"]
    found = compared(config, own(config) | dict.fromkeys(odd, (1,)))
    names = [one.name for one in found.mismatches]
    assert names == ["Z", "a", "model.layers.10.x", "model.layers.2.x", "é", "\uff21", "\U0001f600"]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_single_change_is_reported_exactly(data: st.DataObject) -> None:
    """A file with a config's own tensors fits; without one, with one more or one of another shape it does
    not, and that one is told. Read through a file, so that the header's way is tested too."""
    config = data.draw(st.sampled_from(TINY))["config"]
    shapes = own(config)
    name = data.draw(st.sampled_from(sorted(shapes)))
    sizes = shapes[name]
    change = data.draw(st.sampled_from(["nothing", "missing", "unexpected", "axis", "size"]))
    expected: tuple[Mismatch, ...] = ()
    if change == "missing":
        del shapes[name]
        expected = (Mismatch("missing_tensor", name, sizes),)
    elif change == "unexpected":
        shapes[f"{name}.more"] = (2,)
        expected = (Mismatch("unexpected_tensor", f"{name}.more", None, (2,)),)
    elif change == "axis":
        shapes[name] = (*sizes, 1)
        expected = (Mismatch("shape_mismatch", name, sizes, (*sizes, 1)),)
    elif change == "size":
        place = data.draw(st.integers(0, len(sizes) - 1))
        size = data.draw(st.integers(0, 300).filter(lambda size: size != sizes[place]))
        shapes[name] = (*sizes[:place], size, *sizes[place + 1 :])
        expected = (Mismatch("shape_mismatch", name, sizes, shapes[name]),)
    with tempfile.TemporaryDirectory() as folder:
        path = sparse(Path(folder) / "model.safetensors", shapes)
        found = compare(shape_of(config), checkpoint(str(path)))
    assert found.mismatches == expected
    assert found.fits is (change == "nothing")
