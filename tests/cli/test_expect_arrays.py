"""Whole arrays behind `--expect`: a rotation's conventions, and the tensors of a block."""

import json
import re
import struct
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from dense_cli import render
from dense_cli.cli.block import CHAPTER
from dense_cli.lang import LANGUAGES
from dense_cli.mistakes import block_start
from tests.cli.calling import call, started
from tests.mistakes.made_once import made_once

TOKENS, WIDTH = 7, 8


def heads(shape=(3, TOKENS, WIDTH), seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def by_hand(x, start=0, layout="half", base=10000.0, sign=1):
    """The rotation as model code writes it: halves [x1·cos − x2·sin, x2·cos + x1·sin], or neighbours."""
    width = x.shape[-1]
    angles = np.arange(start, start + x.shape[-2])[:, None] * base ** (-np.arange(0, width, 2) / width)
    cosine, sine = np.cos(angles), sign * np.sin(angles)
    half = width // 2
    one, two = (x[..., :half], x[..., half:]) if layout == "half" else (x[..., ::2], x[..., 1::2])
    first, second = one * cosine - two * sine, two * cosine + one * sine
    if layout == "half":
        return np.concatenate((first, second), axis=-1)
    return np.stack((first, second), axis=-1).reshape(x.shape)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def blocks_made_once(monkeypatch):
    monkeypatch.setattr(block_start, "block", made_once)


def saved(**arrays):
    for name, array in arrays.items():
        np.save(f"{name}.npy", array)


def rope(*options, q="@q.npy", out="query=@out.npy"):
    return ["rope", "--q", q, "--expect", out, *options]


def comparison(*arguments):
    done = call(*arguments, "--json")
    assert done.err == ""
    assert done.exit == (0 if done.json["comparison"]["matches"] else 1)
    return done.json["comparison"]


def ids(found):
    return [mistake["id"] for mistake in found["mistakes"]]


def notes(*arguments, language="en"):
    done = call(*arguments, "--json", "--lang", language)
    return {note["id"].rpartition(".")[2]: note["text"] for note in done.json["cautions"]}


# --- rotations


@pytest.mark.parametrize("shape", [(TOKENS, WIDTH), (3, TOKENS, WIDTH), (2, 3, TOKENS, WIDTH)])
@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_the_layout_of_an_array_is_recognised(shape, layout):
    x = heads(shape)
    saved(q=x, out=by_hand(x, 4, layout))
    options = ["--pos-range", f"4:{4 + TOKENS}", "--layout"]
    assert comparison(*rope(*options, layout))["matches"]
    other = "half" if layout == "interleaved" else "interleaved"
    found = comparison(*rope(*options, other))
    assert ids(found) == ["other-layout"]
    assert found["convention"]["id"] == "other-layout"
    assert "GPT-NeoX" in found["convention"]["users"]
    assert len(found["first_difference"]["index"]) == len(shape)


def test_what_else_an_array_follows():
    x = heads()
    for id, made in {
        "clockwise": by_hand(x, 4, sign=-1),
        "one-based": by_hand(x, 5),
        "no-rotation": x,
        "exponent-by-head-dim": None,
    }.items():
        if made is not None:
            saved(q=x, out=made)
            assert id in ids(comparison(*rope("--pos-range", f"4:{4 + TOKENS}", "--layout", "half")))


def test_queries_and_keys_with_fewer_heads_are_compared_together():
    q, k = heads(), heads((1, TOKENS, WIDTH), seed=1)
    saved(q=q, k=k, out=by_hand(q), kout=by_hand(k, sign=-1))
    arguments = [*rope("--k", "@k.npy", "--expect", "key=@kout.npy", "--layout", "half")]
    done = call(*arguments, "--json")
    found = done.json["comparison"]
    assert (done.exit, found["name"], ids(found)) == (1, "key", ["clockwise"])
    assert [one["matches"] for one in found["comparisons"]] == [True, False]
    assert [one["name"] for one in done.json["result"]["arrays"]] == ["query", "key"]
    assert call("rope", "--k", "@k.npy", "--expect", "key=@kout.npy", "--layout", "half").exit == 1


def test_a_config_brings_its_layout_and_base():
    x = heads()
    saved(q=x, out=by_hand(x, base=500000.0))
    config = json.dumps(
        {"model_type": "llama", "hidden_size": 16, "num_attention_heads": 2, "rope_theta": 500000}
    )
    assert comparison(*rope("--config", config))["matches"]


def test_what_a_config_does_not_do_is_not_said_to_be_hidden():
    """Where nothing is scaled, leaving the scaling out is no mistake that could be made."""
    x = heads((3, 1, WIDTH))
    saved(q=x, out=x)
    config = json.dumps({"model_type": "llama", "hidden_size": 16, "num_attention_heads": 2})
    hidden = comparison(*rope("--config", config))["cannot_tell"]
    assert {"base-500000", "base-1000000"} <= set(hidden)
    assert "base-10000" not in hidden
    assert "scaling-ignored" not in hidden


def test_the_settings_of_a_config_are_tried_on_arrays_too():
    """Gemma 3: the sliding layers with the factor 8 of the others, alone and with the other layout."""
    x = heads()
    scaled = {"rope_type": "linear", "factor": 8.0}
    config = {"model_type": "gemma3_text", "hidden_size": 16, "num_attention_heads": 2, "head_dim": WIDTH}
    config |= {"rope_theta": 1000000.0, "rope_local_base_freq": 10000.0, "rope_scaling": scaled}
    arguments = ["--config", json.dumps(config), "--layer-type", "sliding_attention"]
    places = np.arange(TOKENS) / 8
    angles = places[:, None] * 10000.0 ** (-np.arange(0, WIDTH, 2) / WIDTH)
    halves = (x[..., : WIDTH // 2] + 1j * x[..., WIDTH // 2 :]) * np.exp(1j * angles)
    saved(q=x, out=np.concatenate((halves.real, halves.imag), -1))
    assert ids(comparison(*rope(*arguments))) == ["scaling-of-other-layers"]
    neighbours = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
    saved(out=np.stack((neighbours.real, neighbours.imag), -1).reshape(x.shape))
    assert ids(comparison(*rope(*arguments))) == ["other-layout+scaling-of-other-layers"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_mistakes_together_are_told_in_words(language):
    x = heads()
    saved(q=x, out=by_hand(x, 1, base=500000.0))
    found = comparison(*rope("--layout", "half", "--lang", language))
    assert (ids(found), found["pairs_tried"]) == (["base-500000+one-based"], True)
    both = {
        "en": "Positions counted from 1, and another base: 500000",
        "zh": "位置从 1 开始数，并且底数用成了 500000",
    }
    assert found["mistakes"][0]["title"] == both[language]


def test_a_mistake_in_float16_is_named_as_nearly_as_it_goes():
    x = heads()
    saved(q=x, out=by_hand(x, layout="interleaved").astype(np.float16))
    arguments = rope("--layout", "half")
    assert ids(comparison(*arguments)) == []
    told = notes(*arguments)["short-nearly"]
    assert "float16" in told
    assert "the other pair layout" in told
    atol = re.search(r"--atol (\S+)", told)[1]
    assert ids(comparison(*arguments, "--atol", atol)) == ["other-layout"]


def test_partial_rotation_and_one_angle():
    x = heads()
    made = x.copy()
    made[..., :4] = by_hand(x[..., :4])
    saved(q=x, out=made)
    assert comparison(*rope("--rotary-dim", "4", "--layout", "half"))["matches"]
    turned = x.copy()
    turned[:, 1::4] = np.stack((-x[..., 1::2], x[..., ::2]), -1).reshape(x.shape)[:, 1::4]
    turned[:, 2::4] = -x[:, 2::4]
    turned[:, 3::4] = -np.stack((-x[..., 1::2], x[..., ::2]), -1).reshape(x.shape)[:, 3::4]
    saved(out=turned)
    assert comparison(*rope("--angle", "90deg"))["matches"]


@pytest.mark.parametrize("stored", ["<f4", ">f4", ">f8", "<f2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_are_read_as_files_store_them(stored, order):
    x = np.asarray(heads(), stored, order=order)
    out = by_hand(x.astype(float)).astype(stored)
    saved(q=x, out=np.asarray(out, order=order))
    atol = {"<f2": "0.005", ">f8": "1e-12"}.get(stored, "5e-5")
    assert comparison(*rope("--layout", "half", "--atol", atol))["matches"]
    assert ids(comparison(*rope("--atol", atol))) == ["other-layout"]


def test_half_precision_results_are_told_as_such():
    x = heads().astype(np.float16)
    saved(q=x, out=by_hand(x.astype(float)).astype(np.float16))
    arguments = rope("--layout", "half")
    assert not comparison(*arguments)["matches"]
    accepted = re.search(r"--atol (\S+)", notes(*arguments)["short"])[1]
    assert comparison(*arguments, "--atol", accepted)["matches"]


@pytest.mark.parametrize("kind", ["npz", "json", "safetensors"])
def test_other_files_hold_arrays_too(kind):
    x, out = heads(), by_hand(heads())
    if kind == "npz":
        np.savez("both.npz", q=x, out=out)
        q, made = "@both.npz:q", "query=@both.npz:out"
    elif kind == "json":
        for name, array in (("q", x), ("out", out)):
            with open(f"{name}.json", "w") as file:
                json.dump(array.tolist(), file)
        q, made = "@q.json", "query=@out.json"
    else:
        raw = x.tobytes() + out.tobytes()
        header = {
            name: {"dtype": "F64", "shape": list(x.shape), "data_offsets": [at, at + x.nbytes]}
            for name, at in (("q", 0), ("out", x.nbytes))
        }
        text = json.dumps(header).encode()
        with open("both.safetensors", "wb") as file:
            file.write(struct.pack("<Q", len(text)) + text + raw)
        q, made = "@both.safetensors:q", "query=@both.safetensors:out"
    assert comparison(*rope("--layout", "half", q=q, out=made))["matches"]


def test_float32_angles_are_told_as_precision():
    x = heads((2, 4000, WIDTH)).astype(np.float32)
    frequencies = (1 / 10000 ** (np.arange(0, WIDTH, 2, np.float32) / np.float32(WIDTH))).astype(np.float32)
    angles = np.arange(4000, dtype=np.float32)[:, None] * frequencies
    out = (x.view(np.complex64) * (np.cos(angles) + 1j * np.sin(angles)).astype(np.complex64)).view(
        np.float32
    )
    saved(q=x, out=out)
    found = comparison(*rope())
    assert [(one["id"], one["kind"]) for one in found["mistakes"]] == [
        ("single-precision-angles", "precision")
    ]
    assert found["convention"] is None
    head, token, coordinate = found["first_difference"]["index"]
    assert abs(out[head, token, coordinate] - found["first_difference"]["expected"]) > 5e-5
    assert comparison(*rope("--atol", "1e-3"))["matches"]
    result = call(*rope(), "--json").json["result"]["arrays"][0]
    assert (result["close"], result["lengths_kept"], result["matches"]) == (True, True, False)
    assert result["tokens_beyond"] < 4000 - token + 1


def test_where_the_first_difference_begins_is_said():
    x = heads()
    out = by_hand(x)
    out[1, 3, 5] += 0.25
    out[2, 4:, 0] += 1
    saved(q=x, out=out)
    found = comparison(*rope("--layout", "half"))
    assert found["first_difference"]["index"] == [1, 3, 5]
    assert found["first_difference"]["found"] - found["first_difference"]["expected"] == pytest.approx(0.25)
    assert found["max_abs_error"] == pytest.approx(1)
    assert ids(found) == []
    told = notes(*rope("--layout", "half"))
    assert "head 2 of 3, token 4 of 7, coordinate 6 of 8" in told["first-3"]
    assert "4 of 21 rows: in 2 of 3 heads, at 4 of 7 tokens" in told["rows-in-heads"]
    assert "lengths-changed" in told
    assert found["pairs_tried"]
    page = call(*rope("--layout", "half")).out
    assert "No known mistake, alone or two together" in page


def test_nothing_is_invented_for_random_arrays():
    saved(q=heads(), out=heads(seed=1))
    found = comparison(*rope())
    assert (ids(found), found["convention"], found["cannot_tell"]) == ([], None, [])


@pytest.mark.parametrize(
    ("shape", "reason"),
    [((1, WIDTH), "position-zero"), ((3, 1, WIDTH), "position-zero"), ((5, 2), "one-pair")],
)
def test_what_an_array_cannot_tell_is_said(shape, reason):
    x = heads(shape)
    saved(q=x, out=by_hand(x))
    arguments = rope("--rope-theta", "10000", "--layout", "half")
    found = comparison(*arguments)
    assert found["matches"]
    assert "other-layout" in found["cannot_tell"]
    assert ("clockwise" in found["cannot_tell"]) == (reason == "position-zero")
    assert {reason, "cannot-tell"} <= notes(*arguments).keys()


def test_an_array_that_tells_everything_says_nothing():
    saved(q=heads(), out=by_hand(heads()))
    assert comparison(*rope("--layout", "half"))["cannot_tell"] == []


@pytest.mark.parametrize("arranged", ["by token", "flat"])
@pytest.mark.parametrize(("layout", "note"), [("half", "axes-right"), ("interleaved", "axes-mistake")])
def test_axes_in_another_order_are_recognised(arranged, layout, note):
    x = heads()
    out = by_hand(x).swapaxes(0, 1)
    saved(q=x, out=out if arranged == "by token" else out.reshape(TOKENS, -1))
    found = comparison(*rope("--layout", layout))
    first = found["first_difference"]
    assert (first["index"], first["expected"]) == ([], [3, TOKENS, WIDTH])
    assert first["found"] == ([TOKENS, 3, WIDTH] if arranged == "by token" else [TOKENS, 3 * WIDTH])
    assert found["max_abs_error"] is None
    assert note in notes(*rope("--layout", layout))


def test_a_leading_axis_of_one_does_not_count():
    saved(q=heads(), out=by_hand(heads())[None])
    assert comparison(*rope("--layout", "half"))["matches"]
    assert comparison(*rope())["first_difference"]["index"] == [0, 0, 1, 0]


def test_positions_are_assumed_from_zero_and_said():
    saved(q=heads(), out=by_hand(heads()))
    assumed = {note["id"]: note["text"] for note in call(*rope(), "--json").json["assumed"]}
    assert "0:7" in assumed["array.assumed-range"]
    told = call(*rope("--pos-range", "0:7"), "--json").json
    assert "array.assumed-range" not in {note["id"] for note in told["assumed"]}
    assert told["result"]["positions"] == [0, 7]


def test_typed_arrays_and_full_width_ranges():
    arguments = ["rope", "--q", "1,0:1,0", "--expect", "query=0,1:-1,0", "--pos-range", "１：３"]
    assert comparison(*arguments)["matches"]


def test_the_hand_sized_call_stays_as_it_was(monkeypatch):
    np.save("q.npy", np.array([1.0, 0.0]))
    done = call("rope", "--q", "@q.npy", "--k", "1,0", "--pos", "1", "2", "--expect", "query=0,1", "--json")
    assert (done.exit, done.json["result"]["rows"][0]["query"]) == (0, [0, 1])
    monkeypatch.chdir(Path(__file__).parents[2])
    code = (
        "import sys; from dense_cli.cli.main import run; "
        "run(['rope', '--q', '1,0', '--k', '1,0', '--pos', '1', '2', '--expect', 'query=0,1']); "
        "print('numpy' in sys.modules)"
    )
    assert started(code=code).stdout.splitlines()[-1] == "False"


REFUSED = [
    (["--pos-range", "0:8"], "0:8", "[3, 7, 8]"),
    (["--pos-range", "7"], "7", "0:2048"),
    (["--pos-range", "7:0"], "7:0", "0:2048"),
    (["--pos-range", "0:x"], "x", "--pos-range"),
    (["--pos-range", "99999999999999999999:99999999999999999999999"], "9999", "--pos M N"),
    (["--pos-range", "0:7", "--pos", "1", "2"], "--pos", "--pos-range"),
    (["--pos-range", "0:7", "--dtype", "float16"], "--dtype", "--pos-range"),
    (["--rotary-dim", "10"], "10", "8"),
    (["--angle", "1,2,3"], "3", "4"),
    (["--expect", "key=1,2"], "--k", "--k"),
    (["--expect", "dot=1"], "dot", "query"),
    (["--expect", "@out.npy"], "@out.npy", "query="),
    (["--expect", "query=@out.npy"], "query", "2"),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("options", *("says", "hints")), REFUSED, ids=[" ".join(row[0]) for row in REFUSED])
def test_unusable_calls_are_refused(options, says, hints, language):
    saved(q=heads(), out=by_hand(heads()))
    refused = call(*rope(*options), "--lang", language)
    assert (refused.exit, refused.out) == (2, "")
    assert says in refused.err
    assert hints in refused.err
    assert len(refused.err.splitlines()) == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("side", ["q", "out"])
@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.array([[[1.0, np.nan], [0.0, 1.0]]]), "[0, 0, 1]"),
        (np.array([[1.0, 0.0], [-np.inf, 1.0]]), "[1, 0]"),
        (np.zeros((0, 2)), "no numbers|没有|空"),
        (np.array([["a", "b"]]), "U"),
    ],
)
def test_arrays_that_are_no_numbers_are_refused_with_the_place(side, array, says, language):
    saved(**{"q": heads(), "out": heads(), side: array})
    refused = call(*rope(), "--lang", language)
    assert (refused.exit, refused.out) == (2, "")
    assert re.search(says.replace("[", r"\[").replace("]", r"\]"), refused.err), refused.err


def test_one_axis_has_no_tokens():
    saved(q=np.arange(8.0), out=np.arange(8.0))
    refused = call(*rope())
    assert refused.exit == 2
    assert "[8]" in refused.err


def test_a_range_needs_something_to_compare():
    refused = call("rope", "--q", "1,0:0,1", "--pos-range", "0:2")
    assert (refused.exit, "--expect" in refused.err) == (2, True)


# --- blocks


def block(*options):
    return ["block", "--config", CHAPTER, "--seed", "1", "--tokens", "4", *options]


@cache
def archive(*options):
    """The file of tensors that a block is saved to."""
    call(*block("--save", "made.npz", *options))
    return Path("made.npz").read_bytes()


def tensors(*options):
    Path("made.npz").write_bytes(archive(*options))
    with np.load("made.npz") as made:
        return {name: made[name] for name in made.files}


def test_every_tensor_of_an_archive_is_compared_in_order():
    made = tensors()
    np.savez("mine.npz", **dict(reversed(made.items())))
    found = comparison(*block("--expect", "@mine.npz"))
    assert found["matches"]
    assert [one["name"] for one in found["comparisons"]] == list(made)


def test_the_step_at_which_it_first_goes_wrong_is_said():
    made = tensors()
    tensors("--layout", "half")
    found = comparison(*block("--expect", "@made.npz"))
    assert (found["name"], ids(found)) == ("q_rotated", ["other-layout"])
    assert found["convention"]["id"] == "other-layout"
    assert "q_rotated" in notes(*block("--expect", "@made.npz"))["first-wrong"]
    right = [one["name"] for one in found["comparisons"] if one["matches"]]
    assert right == ["x", "norm1", "q", "k", "v"]
    np.savez("late.npz", scores=made["scores"], up=made["gate"], notes=np.zeros(3))
    found = comparison(*block("--expect", "@late.npz"))
    assert (found["name"], ids(found)) == ("up", ["swapped-branches"])
    assert "notes" in notes(*block("--expect", "@late.npz"))["left-aside"]


@pytest.mark.parametrize("given", ["@one.npy", "output=@one.npy", "out=@one.npy", "@made.npz:output"])
def test_a_value_without_a_name_is_the_output(given):
    np.save("one.npy", tensors()["output"])
    assert comparison(*block("--expect", given))["matches"]
    assert comparison(*block("--start", "9", "--expect", given))["matches"], "only distances count"


def test_an_archive_of_one_tensor_has_its_name():
    np.savez("one.npz", residual=tensors()["residual"])
    assert comparison(*block("--expect", "@one.npz"))["name"] == "residual"


def test_positions_counted_from_one_are_seen_in_the_rotated_queries():
    made = tensors("--start", "1")
    np.save("q.npy", made["q_rotated"])
    found = comparison(*block("--expect", "q_rotated=@q.npy"))
    assert ids(found) == ["one-based"]
    assert "positions-drop-out" in notes(*block("--expect", "@made.npz:output"))


def test_masked_scores_are_null_or_infinite():
    scores = tensors()["scores"]
    text = json.dumps(
        [[[None if v == -np.inf else v for v in row] for row in head] for head in scores.tolist()]
    )
    with open("scores.json", "w") as file:
        file.write(text)
    for value in ("@scores.json", "@made.npz:scores", text):
        assert comparison(*block("--expect", f"scores={value}"))["matches"]
    refused = call(*block("--expect", "output=@scores.json"))
    assert (refused.exit, "null" in refused.err) == (2, True)


def test_scores_of_long_sequences_can_be_compared():
    arguments = ["block", "--config", CHAPTER, "--seed", "1", "--tokens", "200"]
    call(*arguments, "--save", "made.npz")
    assert comparison(*arguments, "--expect", "@made.npz")["matches"]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("stored", [">f8", "<f4", ">f4"])
def test_tensors_are_read_as_files_store_them(stored, order):
    np.save("one.npy", np.asarray(tensors()["output"], stored, order=order))
    assert comparison(*block("--expect", "@one.npy"))["matches"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("qq=1", "qq"),
        ("q_projected=1", "q_projected"),
        ("@other.npz", "notes"),
        ("output=@nan.npy", "[1, 0]"),
        ("output=", "output="),
        ("@nowhere.npz", "nowhere.npz"),
        ("@broken.npz", "broken.npz"),
    ],
)
def test_what_cannot_be_compared_is_refused(value, says, language):
    np.savez("other.npz", notes=np.zeros(3), more=np.zeros(2))
    np.save("nan.npy", np.array([[0, 0], [np.nan, 1]]))
    with open("broken.npz", "wb") as file:
        file.write(b"PK\x03\x04 and no more")
    refused = call(*block("--expect", value), "--lang", language)
    assert (refused.exit, refused.out) == (2, "")
    assert says in refused.err
    assert len(refused.err.splitlines()) == 2


def test_nothing_is_invented_for_random_tensors():
    np.savez("mine.npz", **{name: heads(array.shape) for name, array in tensors().items()})
    found = comparison(*block("--expect", "@mine.npz"))
    assert (found["name"], ids(found)) == ("x", [])
    assert all(not one["mistakes"] for one in found["comparisons"])


# --- every page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("format", render.FORMATS)
def test_comparisons_of_arrays_are_told_in_every_format_and_language(format, language):
    saved(q=heads(), out=by_hand(heads()), k=heads(seed=2), wide=heads((1, 2, 3)))
    tensors("--layout", "half")
    for arguments in (
        rope(),
        [*rope("--k", "@k.npy", "--expect", "key=@wide.npy")],
        block("--expect", "@made.npz"),
    ):
        shown = call(*arguments, "--format", format, "--lang", language)
        assert (shown.exit, shown.err) == (1, "")
        if language == "zh" and format == "plain":
            below = shown.out.partition("你的结果")[2]
            assert not re.search(r"\b(the|is|not|and|with)\b", below), below
