"""`dense block` from its options on: what is read, chosen, saved, shown and refused."""

import json
import struct

import numpy as np
import pytest

from dense_cli import render
from dense_cli.cli.block import CHAPTER, block
from dense_cli.cli.exits import Exit
from dense_cli.errors import DenseError, DenseErrors
from dense_cli.lang import LANGUAGES, say_in
from tests.core.blocks import CASES, Reference
from tests.derive.walking import check_lines

KEYS = {
    *("x", "norm1", "q", "k", "v", "q_rotated", "k_rotated", "scores", "probabilities", "heads"),
    *("attention", "residual", "norm2", "gate", "up", "activated", "product", "down", "output"),
}


@pytest.fixture
def model(tmp_path):
    """A reference layer as a folder with a config, weights and rows."""
    reference = Reference(CASES[1])
    data, header = b"", {}
    for name, array in reference.weights().items():
        raw = array.astype("<f8").tobytes()
        ends = [len(data), len(data) + len(raw)]
        header[f"model.layers.0.{name}"] = {"dtype": "F64", "shape": array.shape, "data_offsets": ends}
        data += raw
    text = json.dumps(header).encode()
    (tmp_path / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    (tmp_path / "config.json").write_text(json.dumps(reference.case["config"]))
    (tmp_path / "x.json").write_text(json.dumps(reference.trace("X").tolist()))
    return tmp_path, reference


def of(folder, **options):
    files = {"config": f"{folder}/config.json", "weights": f"{folder}/model.safetensors"}
    return block(**{**files, "x": f"@{folder}/x.json", **options})


def result(**options):
    return block(**{"config": CHAPTER, "seed": "1", **options}).derivation.result


def refused(**options):
    with pytest.raises(DenseError) as caught:
        block(**options)
    return caught.value.errors if isinstance(caught.value, DenseErrors) else [caught.value]


def assumed(outcome):
    return {note.key: note.facts for note in outcome.derivation.assumed}


# --- what is calculated


def test_files_give_the_library_s_tensors(model):
    folder, reference = model
    outcome = of(folder)
    assert outcome.exit is Exit.DONE
    tensors = outcome.derivation.result["tensors"]
    assert tensors.keys() == KEYS
    expected = pytest.approx(reference.trace("output"), rel=1e-10, abs=5e-11)
    assert np.array(tensors["output"]) == expected
    check_lines(outcome.derivation)


def test_the_chapter_s_block_has_the_shapes_of_the_figure():
    shapes = result(tokens="5")["shapes"]
    assert shapes.keys() == KEYS
    assert (shapes["x"], shapes["q"], shapes["scores"]) == ([5, 12], [3, 5, 4], [3, 5, 5])
    assert (shapes["gate"], shapes["down"]) == ([5, 32], [5, 12])


def test_a_row_alone_and_a_batch_are_read():
    row = ",".join(["1", "-1"] * 6)
    alone = result(x=row)
    assert alone["shapes"]["x"] == [1, 12]
    batch = json.dumps([[[1, -1] * 6], [[2, 3] * 6]])
    several = result(x=batch)
    assert several["shapes"]["scores"] == [2, 3, 1, 1]
    assert several["tensors"]["output"][0] == alone["tensors"]["output"]
    assert several["tensors"]["output"][1] != several["tensors"]["output"][0]


def test_the_same_seed_gives_the_same_bytes():
    first, again, other = result(), result(), result(seed="2")
    assert first == again
    assert first["tensors"]["output"] != other["tensors"]["output"]


def test_a_layout_beats_the_config_s(model):
    folder, _ = model
    half, interleaved = (of(folder, layout=layout) for layout in ("half", "interleaved"))
    assert half.derivation.result == of(folder).derivation.result
    changed = interleaved.derivation.result["tensors"]
    assert changed["q_rotated"] != half.derivation.result["tensors"]["q_rotated"]
    assert "block.assumed.layout" in assumed(of(folder))
    assert "block.assumed.layout" not in assumed(half)


def test_start_moves_the_positions():
    here, there = result(), result(start="7")
    assert here["tensors"]["q"] == there["tensors"]["q"]
    assert here["tensors"]["q_rotated"] != there["tensors"]["q_rotated"]
    near = np.array(there["tensors"]["output"])
    assert near == pytest.approx(np.array(here["tensors"]["output"]), rel=1e-9, abs=1e-9)


def test_scaling_by_length_reads_the_last_position():
    """Dynamic frequencies change once the sequence ends beyond the trained length, so scores do too."""
    config = json.dumps(
        {
            "model_type": "llama",
            "hidden_size": 8,
            "num_attention_heads": 1,
            "intermediate_size": 8,
            "num_hidden_layers": 1,
            "max_position_embeddings": 16,
            "rope_scaling": {"rope_type": "dynamic", "factor": 4.0},
        }
    )

    def scores(start):
        return np.array(result(config=config, start=start)["tensors"]["probabilities"])

    assert scores("12") == pytest.approx(scores("0"), abs=1e-12)
    assert np.abs(scores("13") - scores("0")).max() > 1e-6


def test_what_was_not_typed_is_said(model):
    folder, _ = model
    drawn = assumed(block(config=CHAPTER, seed="3"))
    assert drawn["block.assumed.weights"] == {"seed": 3}
    assert drawn["block.assumed.rows"] == {"tokens": 4, "seed": 3}
    assert "block.assumed.start" in drawn
    read = assumed(of(folder))
    assert read["block.assumed.layer"] == {"layer": 0}
    assert "block.assumed.weights" not in read
    assert "block.assumed.layer" not in assumed(of(folder, layer="0", start="0"))


def test_drawn_weights_are_called_drawn(model):
    folder, _ = model
    assert "block.drawn-weights" in {note.key for note in block(config=CHAPTER, seed="1").derivation.cautions}
    assert "block.drawn-weights" not in {note.key for note in of(folder).derivation.cautions}


def test_a_sliding_window_is_felt():
    config = {
        "model_type": "mistral",
        "hidden_size": 8,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 4,
        "intermediate_size": 8,
        "num_hidden_layers": 1,
        "sliding_window": 2,
    }
    scores = result(config=json.dumps(config))["tensors"]["scores"][0]
    assert [[score is not None for score in row] for row in scores] == [
        [True, False, False, False],
        [True, True, False, False],
        [False, True, True, False],
        [False, False, True, True],
    ]


# --- what is kept


def test_save_has_every_tensor(model, tmp_path):
    folder, reference = model
    path = tmp_path / "saved.npz"
    path.write_bytes(b"old")
    of(folder, save=str(path))
    with np.load(path, allow_pickle=False) as saved:
        assert set(saved.files) == KEYS
        assert np.isneginf(saved["scores"][0, 0, 1])
        assert saved["output"] == pytest.approx(reference.trace("output"), rel=1e-10, abs=5e-11)
    assert [entry.name for entry in tmp_path.iterdir() if "part" in entry.name] == []


def test_save_has_every_sequence_of_a_batch(tmp_path):
    path = tmp_path / "saved.npz"
    told = result(x=json.dumps([[[1, -1] * 6], [[2, 3] * 6]]), save=str(path))
    with np.load(path) as saved:
        assert saved["output"].tolist() == told["tensors"]["output"]


def test_what_cannot_be_saved_leaves_nothing_behind(tmp_path):
    folder = tmp_path / "folder.npz"
    folder.mkdir()
    (error,) = refused(config=CHAPTER, seed="1", save=str(folder))
    assert error.key == "block-save"
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder.npz"]


def test_large_sequences_keep_no_scores_unless_saved(tmp_path):
    path = tmp_path / "saved.npz"
    told = result(tokens="200", save=str(path))
    assert "tensors" not in told
    assert told["shapes"]["scores"] == [3, 200, 200]
    with np.load(path) as saved:
        assert saved["scores"].shape == (3, 200, 200)
    assert "scores" in told["summary"]
    assert "scores" not in result(tokens="200")["summary"]


# --- every page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", render.FORMATS)
def test_every_format_shows_it(name, language):
    derivation = block(config=CHAPTER, seed="1").derivation
    text = render.show(derivation, format=name, say=say_in(language), digits=6, width=80, colour=False)
    assert "q_rotated" in text.replace("\\_", "_")


# --- refusals


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"seed": "1"}, "missing-option"),
        ({"config": CHAPTER}, "block-no-source"),
        ({"config": CHAPTER, "seed": "1", "x": "1", "tokens": "2"}, "block-x-and-tokens"),
        ({"config": CHAPTER, "seed": "-1"}, "block-number-range"),
        ({"config": CHAPTER, "seed": "1", "tokens": "0"}, "block-number-range"),
        ({"config": CHAPTER, "seed": "1", "tokens": "1000000000000"}, "block-number-range"),
        ({"config": CHAPTER, "seed": "1", "start": "-1"}, "block-number-range"),
        ({"config": CHAPTER, "seed": "1", "layer": "1"}, "block-layer-range"),
        ({"config": CHAPTER, "seed": "1", "layout": "halves"}, "unknown-layout"),
        ({"config": CHAPTER, "seed": "1", "x": "1,2"}, "block-x-width"),
        ({"config": CHAPTER, "seed": "1", "x": "[[[[1]]]]"}, "block-x-axes"),
        ({"config": CHAPTER, "seed": "1", "save": "block.npy"}, "block-save-suffix"),
        ({"config": CHAPTER, "seed": "1", "save": "/nowhere/at/all/block.npz"}, "block-save"),
        ({"config": CHAPTER, "seed": "1", "save": "\0.npz"}, "block-save"),
        ({"config": CHAPTER, "weights": "/nowhere.safetensors"}, "weights-not-found"),
        ({"config": CHAPTER, "seed": "1", "save": "x.npz", "tokens": "60000"}, "block-too-large"),
    ],
)
def test_unusable_calls_are_refused(options, key):
    assert [error.key for error in refused(**options)] == [key]


def test_a_refusal_says_which_option_it_is_about():
    (error,) = refused(config=CHAPTER, seed="1", tokens="two")
    assert error.facts["option"] == "--tokens"


def test_weights_of_another_config_are_refused_one_by_one(model):
    folder, _ = model
    wide = {**json.loads((folder / "config.json").read_text()), "intermediate_size": 41}
    found = refused(config=json.dumps(wide), weights=f"{folder}/model.safetensors", tokens="2")
    assert {error.key for error in found} == {"block-tensor-shape"}
    assert len(found) == 3
    assert all(error.facts["option"] == "--weights" for error in found)
