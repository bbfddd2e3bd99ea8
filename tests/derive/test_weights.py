"""The story of a checkpoint: what differs is told once, with its cause, in both languages."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dense_cli import render
from dense_cli.cli.main import run
from dense_cli.derivation import Derivation, Step
from dense_cli.derive.params_models import models
from dense_cli.derive.params_weights import MOST_ROWS, with_weights
from dense_cli.lang import LANGUAGES, placeholders, say_in, topic_texts
from dense_cli.models.checkpoint import Checkpoint, Finding, checkpoint
from dense_cli.models.comparison import Comparison, compare
from dense_cli.models.config import config_of, read_config
from dense_cli.models.counting import count
from dense_cli.models.file_start import FOREIGN
from dense_cli.models.headers import Tensor
from dense_cli.models.shape import model_shape
from dense_cli.models.tensors import tensors
from dense_cli.models.weight_meanings import hidden_from_headers, meanings
from tests.derive.walking import check_lines, notes_of, steps_of
from tests.models.checkpoint_files import Sizes, sharded, sparse

FOLDER = Path(__file__).parent.parent / "data" / "checkpoints"
CHAPTER: dict[str, Any] = json.loads((FOLDER / "fits-float32" / "config.json").read_text())
GROUPED = {
    "model_type": "llama",
    "hidden_size": 8,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 20,
    "num_hidden_layers": 3,
    "vocab_size": 32,
}


def own(config: Mapping[str, Any]) -> dict[str, Sizes]:
    return dict(tensors(model_shape(config_of(config, "m"))))


def compared(config: Mapping[str, Any], shapes: Mapping[str, Sizes]) -> Comparison:
    found = Checkpoint("m", {name: Tensor("F32", shape, 0, 0) for name, shape in shapes.items()}, {})
    return compare(model_shape(config_of(config, "m")), found)


def told(config: Mapping[str, Any], comparison: Comparison, language: str = "en") -> Derivation:
    counted = models((count(config_of(config, "m")),))
    return with_weights(counted, comparison, say_in(language))


def causes(comparison: Comparison) -> dict[str, dict[str, Any]]:
    """Each cause that is told, once, with its facts."""
    found = meanings(comparison)
    assert len({one.key for one in found}) == len(found)
    return {one.key: dict(one.facts) for one in found}


def step(derivation: Derivation, name: str) -> Step:
    return next(one for one in steps_of(derivation) if one.name == name)


# --- what a difference means


def test_mg_2_is_another_architecture() -> None:
    """The chapter: learned position rows, LayerNorm with offsets, a ReLU FFN of two matrices 48 wide."""
    found = compare(model_shape(config_of(CHAPTER, "m")), checkpoint(str(FOLDER / "mg-2-gpt2-like")))
    assert causes(found) == {
        "other-architecture-of": {"found": 0, "expected": 12, "family": "gpt2"},
        "learned-positions": {"name": "transformer.wpe.weight", "rows": 16},
        "norm-offsets": {"names": ("ln_1.bias", "ln_2.bias", "transformer.ln_f.bias")},
        "plain-ffn": {"width": 48, "expected": 32},
        "not-loadable": {},
    }


REFERENCE = {
    "wrong-ffn-width-48": {"ffn-width": {"found": 48, "expected": 32}},
    "wrong-vocab": {"vocabulary": {"found": 17, "expected": 16}},
    "gqa-file-for-mha-config": {
        "grouped-heads": {"rows": 4, "found": 1, "expected": 3, "heads": 3, "width": 4}
    },
    "transposed-ffn": {"transposed": {"names": ("mlp.down_proj", "mlp.gate_proj", "mlp.up_proj")}},
    "extra-q-bias": {"more-biases": {"names": ("self_attn.q_proj.bias",)}},
    "missing-up-proj": {},
    "fits-float32": {},
    "transposed-square-attention": {},
}


@pytest.mark.parametrize("name", REFERENCE)
def test_causes_of_the_reference_files(name: str) -> None:
    folder = str(FOLDER / name)
    found = compare(model_shape(read_config(folder)), checkpoint(folder))
    assert causes(found) == REFERENCE[name]


OTHERS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, dict[str, Any]]]] = {
    "a tied file": (GROUPED, {"tie_word_embeddings": True}, {"head-missing": {}}),
    "full heads": (
        GROUPED,
        {"num_key_value_heads": 4},
        {"full-heads": {"rows": 8, "found": 4, "expected": 2, "heads": 4, "width": 2}},
    ),
    "other groups": (
        GROUPED,
        {"num_key_value_heads": 1},
        {"grouped-heads": {"rows": 2, "found": 1, "expected": 2, "heads": 4, "width": 2}},
    ),
    "more layers": (GROUPED, {"num_hidden_layers": 5}, {"layers": {"found": 5, "expected": 3}}),
    "fewer layers": (GROUPED, {"num_hidden_layers": 2}, {"layers": {"found": 2, "expected": 3}}),
    "biases": (
        GROUPED,
        {"mlp_bias": True},
        {"more-biases": {"names": ("mlp.down_proj.bias", "mlp.gate_proj.bias", "mlp.up_proj.bias")}},
    ),
    "no biases": (
        {**GROUPED, "mlp_bias": True},
        {"mlp_bias": False},
        {"fewer-biases": {"names": ("mlp.down_proj.bias", "mlp.gate_proj.bias", "mlp.up_proj.bias")}},
    ),
    "fused groups": (
        {**GROUPED, "model_type": "phi3", "pad_token_id": 0},
        {"num_key_value_heads": 1},
        {"grouped-heads": {"rows": 2, "found": 1, "expected": 2, "heads": 4, "width": 2}},
    ),
    "fused FFN": (
        {**GROUPED, "model_type": "phi3", "pad_token_id": 0},
        {"intermediate_size": 24},
        {"ffn-width": {"found": 24, "expected": 20}},
    ),
    "GPT-2, stored the other way": (
        {"model_type": "gpt2", "n_embd": 8, "n_head": 2, "n_layer": 2, "vocab_size": 32, "n_positions": 16},
        {"n_inner": 40, "n_positions": 17},
        {"ffn-width": {"found": 40, "expected": 32}, "positions": {"found": 17, "expected": 16}},
    ),
    "experts": (
        {**GROUPED, "model_type": "mixtral", "num_local_experts": 4},
        {"num_local_experts": 6},
        {"experts": {"found": 6, "expected": 4}},
    ),
    "hidden width": (
        {**GROUPED, "head_dim": 2},
        {"hidden_size": 12},
        {"hidden": {"found": 12, "expected": 8}},
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_the_cause_is_found(name: str) -> None:
    """A file made from a config with one field changed: that field is named, and nothing else."""
    config, change, expected = OTHERS[name]
    assert causes(compared(config, own({**config, **change}))) == expected


def test_one_shard_alone(tmp_path: Path) -> None:
    names = sorted(own(GROUPED).items(), reverse=True)
    assert names[-1][0] == "lm_head.weight"
    sharded(tmp_path, (dict(names[:20]), dict(names[20:])))
    found = compare(
        model_shape(config_of(GROUPED, "m")),
        checkpoint(str(tmp_path / "model-00001-of-00002.safetensors")),
    )
    assert causes(found) == {"one-shard": {"number": 1, "of": 2}}


def test_quantized_weights() -> None:
    shapes = own(GROUPED)
    shapes |= {f"{name}_scale_inv": (1, 1) for name in shapes if ".mlp." in name}
    assert set(causes(compared(GROUPED, shapes))) == {"quantized"}


def test_what_no_file_can_show_is_said() -> None:
    """The layout of the rotation where there is one, and square matrices where there are any."""
    square = hidden_from_headers(model_shape(config_of(CHAPTER, "m")))
    assert {one.key: one.facts.get("names") for one in square} == {
        "layout-not-seen": None,
        "square-not-seen": ("q_proj", "k_proj", "v_proj", "o_proj"),
    }
    none = hidden_from_headers(model_shape(config_of({**GROUPED, "head_dim": 6}, "m")))
    assert [one.key for one in none] == ["layout-not-seen"]
    gpt2 = hidden_from_headers(model_shape(config_of({"model_type": "gpt2"}, "m")))
    assert [one.key for one in gpt2] == ["square-not-seen"]


# --- how it is told


@pytest.mark.parametrize("name", [*sorted(REFERENCE), "mg-2-gpt2-like", "fits-gqa-2-layers"])
def test_every_sentence_has_its_words(name: str) -> None:
    found = compare(model_shape(config_of(CHAPTER, "m")), checkpoint(str(FOLDER / name)))
    check_lines(told(CHAPTER, found))


def test_every_cause_and_note_has_words_for_its_facts() -> None:
    found = [causes(compared(config, own({**config, **change}))) for config, change, _ in OTHERS.values()]
    for one in found:
        for key, facts in one.items():
            for language in LANGUAGES:
                assert placeholders(topic_texts(language, "weights")[f"meaning.{key}"]) <= set(facts)
    for language in LANGUAGES:
        texts = topic_texts(language, "errors")
        assert {f"{key}.message" for _, key in FOREIGN} <= set(texts)


NOTES = (
    Finding("non_finite", "x", {"nan": 1, "infinite": 2}),
    Finding("non_finite", "y", {"nan": 1, "infinite": 2, "more": 1}),
    Finding("wrong_shard", "x", {"expected": "a", "found": "b"}),
    Finding("wrong_shard", "y", {"expected": "a", "found": ""}),
    Finding("not_in_index", "x", {"file": "a"}),
    Finding("total_size", "i", {"expected": 3, "found": 4}),
    Finding("duplicate_name", "x"),
    Finding("stored_buffer", "x"),
    Finding("tied_head_stored", "x"),
    Finding("missing_prefix", "model."),
    Finding("not_compared", "vision_tower", {"count": 3}),
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_note_has_a_text(language: str) -> None:
    shape = model_shape(config_of(GROUPED, "m"))
    found = Comparison(shape, Checkpoint("m", {}, {}), compared(GROUPED, own(GROUPED)).names, 1, (), NOTES)
    derivation = told(GROUPED, found, language)
    check_lines(derivation)
    notes = weights(derivation)["notes"]
    assert [(one["id"], one["name"]) for one in notes] == [(one.id, one.name) for one in NOTES]
    for one in notes:
        assert one["name"] in one["text"]
        assert "{" not in one["text"]


def weights(derivation: Derivation) -> dict[str, Any]:
    """What a script gets."""
    told_models: Any = derivation.result["models"]
    found: dict[str, Any] = told_models[0]["weights"]
    return found


def test_what_is_the_same_in_all_layers_is_one_row() -> None:
    """Eighty layers with another FFN width are three rows, and 240 mismatches for scripts."""
    config = {**GROUPED, "num_hidden_layers": 80}
    found = compared(config, own({**config, "intermediate_size": 24}))
    derivation = told(config, found)
    table = step(derivation, "weights").table
    assert table is not None
    assert table.rows == (
        ("model.layers.*.mlp.down_proj.weight", (8, 20), (8, 24), 80),
        ("model.layers.*.mlp.gate_proj.weight", (20, 8), (24, 8), 80),
        ("model.layers.*.mlp.up_proj.weight", (20, 8), (24, 8), 80),
    )
    assert len(weights(derivation)["mismatches"]) == 240
    assert derivation.answer[-1].value == 240


def test_a_long_table_ends() -> None:
    shapes = own(GROUPED) | {f"{chr(97 + place % 26)}{place}x": (1,) for place in range(MOST_ROWS + 5)}
    derivation = told(GROUPED, compared(GROUPED, shapes))
    table = step(derivation, "weights").table
    assert table is not None
    assert len(table.rows) == MOST_ROWS
    assert [dict(note.facts) for note in step(derivation, "weights").notes] == [{"count": 5}]


def test_many_notes_of_a_kind_end() -> None:
    buffers = {f"model.layers.{layer}.self_attn.rotary_emb.inv_freq": (1,) for layer in range(3)}
    config = {**GROUPED, "num_hidden_layers": 9}
    more = {f"model.layers.{layer}.self_attn.rotary_emb.inv_freq": (1,) for layer in range(9)}
    few = told(GROUPED, compared(GROUPED, own(GROUPED) | buffers))
    many = told(config, compared(config, own(config) | more))
    assert len(step(few, "weights-notes").notes) == 3
    assert step(many, "weights-notes").notes[-1].facts == {"count": 5}
    assert len(weights(many)["notes"]) == 9


@pytest.mark.parametrize("format", list(render.FORMATS))
def test_names_cannot_move_the_cursor(format: str) -> None:
    hostile = "\x1b[2J\u202e[red]<script>\\input{x}\ud800\nx"
    buffer = hostile + ".attn.bias"
    more = {hostile: (1,), "y" * 10**6: (2,), buffer: (1,)}
    derivation = told(GROUPED, compared(GROUPED, own(GROUPED) | more))
    [note] = weights(derivation)["notes"]
    assert note["name"] == buffer
    assert note["text"].isprintable()
    for language in LANGUAGES:
        text = render.show(derivation, format=format, say=say_in(language), digits=6, width=80, colour=False)
        assert "\x1b[2J" not in text
        assert "\u202e" not in text
        assert "<script>" not in text or format in ("plain", "rich", "json", "latex")
        text.encode("utf-8")
        assert len(text) < 10**5 or format == "json"
    if format == "json":
        names = [one["name"] for one in json.loads(text)["result"]["models"][0]["weights"]["mismatches"]]
        assert names == [hostile, "y" * 10**6]


# --- the command


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["fits-float32/config.json", "--weights", "fits-float32"], 0),
        (["fits-float32", "--weights", "fits-sharded-2/model.safetensors.index.json"], 0),
        (["fits-float32", "--weights", "fits-tied/model.safetensors"], 1),
        (["fits-float32", "--weights", "corrupt-truncated-data"], 2),
        (["fits-float32", "--weights", "nowhere"], 2),
        (["fits-float32", "fits-tied", "--weights", "fits-tied"], 2),
        (["fits-float32", "--values"], 2),
        (["--weights", "fits-float32"], 2),
        (["--width", "12", "--hidden", "48", "--weights", "fits-float32"], 2),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_how_a_call_ends(
    arguments: list[str],
    code: int,
    language: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(FOLDER)
    assert run(["params", *arguments, "--lang", language, "--format", "plain"]) == code
    out, err = capsys.readouterr()
    assert bool(out) is (code != 2)
    assert bool(err) is (code == 2)


def test_values_are_looked_at_when_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(FOLDER)
    call = ["params", "fits-float32", "--weights", "fits-but-non-finite", "--json", "--lang", "en"]
    assert run(call) == 0
    assert json.loads(capsys.readouterr().out)["result"]["models"][0]["weights"]["notes"] == []
    assert run([*call, "--values"]) == 0
    assert json.loads(capsys.readouterr().out)["result"]["models"][0]["weights"]["notes"] == [
        {"id": "non_finite", "name": "lm_head.weight", "text": "lm_head.weight: 0 NaN, 1 infinite"},
        {"id": "non_finite", "name": "model.norm.weight", "text": "model.norm.weight: 1 NaN, 0 infinite"},
    ]


def test_the_config_of_a_folder_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A config from a pipe cannot be read twice."""
    sparse(tmp_path / "model.safetensors", own(GROUPED))
    reading, writing = os.pipe()
    os.write(writing, json.dumps(GROUPED).encode())
    os.close(writing)
    try:
        assert run(["params", f"/dev/fd/{reading}", "--weights", str(tmp_path), "--lang", "en"]) == 0
    finally:
        os.close(reading)
    assert "the weights fit: yes" in capsys.readouterr().out


def test_the_counts_stay_as_they_were() -> None:
    """The weights come before the counting and change none of it."""
    alone = models((count(config_of(CHAPTER, "m")),))
    found = told(
        CHAPTER, compare(model_shape(config_of(CHAPTER, "m")), checkpoint(str(FOLDER / "wrong-vocab")))
    )
    assert found.steps[1:] == alone.steps
    assert found.steps[0].name == "weights"
    assert len(notes_of(found)) > len(notes_of(alone))
    kept: Any = found.result["models"]
    assert {name: part for name, part in kept[0].items() if name != "weights"} == alone.result["models"][0]  # type: ignore[index, call-overload]
