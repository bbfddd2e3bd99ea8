"""What can be imported from `dense_cli`, and that it gives what the commands give."""

import json
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import dense_cli
from dense_cli import explain, params, rms_norm, rope, swiglu
from dense_cli.core import rope as plain
from dense_cli.core.schedule import QUARTER_TURN, Schedule
from dense_cli.errors import DenseError, DenseErrors
from dense_cli.render import FORMATS

MODEL = {
    "model_type": "llama",
    "hidden_size": 16,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "intermediate_size": 24,
    "num_hidden_layers": 1,
    "vocab_size": 32,
    "rope_theta": 500000.0,
    "rms_norm_eps": 1e-5,
    "tie_word_embeddings": False,
}


def by_hand(x, places, rates, layout="interleaved", factor=1.0):
    rows = []
    for row, place in zip(x, places, strict=True):
        row = tuple(map(float, row))
        given = plain.Rope(row, row, ((place, place),), rates, 2 * len(rates), layout, factor)
        rows.append(plain.rope(given)[0].query)
    return np.array(rows)


def drawn(*shape, dtype=float):
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


# --- rotation


def test_the_textbook_rotation():
    """Table 25.1: at positions 1 and 2, [1, 0] becomes [0, 1] and [−1, 0]."""
    query, key = rope([1, 0], [1, 0], positions=1, key_positions=2)
    assert (query.tolist(), key.tolist()) == ([0.0, 1.0], [-1.0, 0.0])


def test_one_position_is_that_of_the_first_token():
    x = drawn(3, 4)
    for first in (0, 5, 10**30):
        wanted = by_hand(x, range(first, first + 3), Schedule(Fraction(10000), 4))
        np.testing.assert_allclose(rope(x, positions=first), wanted, atol=1e-15)
    wanted = by_hand(x, [Fraction(1, 2), Fraction(3, 2), Fraction(5, 2)], Schedule(Fraction(10000), 4))
    np.testing.assert_allclose(rope(x, positions=0.5), wanted, atol=1e-15)


@pytest.mark.parametrize("places", [[7, 0, 3], np.array([7, 0, 3]), (7.0, 0.0, 3.0), [Fraction(7), 0, 3]])
def test_each_token_may_have_its_own_position(places):
    x = drawn(3, 2)
    np.testing.assert_array_equal(rope(x, positions=places), by_hand(x, [7, 0, 3], [QUARTER_TURN]))


def test_queries_and_keys_of_other_lengths_and_types():
    q, k = drawn(2, 3, 4, dtype=np.float32), drawn(1, 5, 4)
    query, key = rope(q, k, positions=2)
    assert (query.dtype, key.dtype) == (np.float32, np.float64)
    rates = Schedule(Fraction(10000), 4)
    np.testing.assert_allclose(query[1], by_hand(q[1], range(2, 5), rates), atol=1e-6)
    np.testing.assert_allclose(key[0], by_hand(k[0], range(2, 7), rates), atol=1e-15)


def test_each_array_keeps_its_own_precision_and_length():
    """Two of one length and two types, then two of one type and two lengths."""
    rates = Schedule(Fraction(10000), 4)
    q, k = rope(drawn(3, 4, dtype=np.float32), drawn(3, 4), positions=7)
    assert q.dtype == np.float32
    np.testing.assert_allclose(k, by_hand(drawn(3, 4), range(7, 10), rates), atol=1e-15)
    q, k = rope(drawn(3, 4), drawn(5, 4), positions=7)
    np.testing.assert_allclose(q, by_hand(drawn(3, 4), range(7, 10), rates), atol=1e-15)
    np.testing.assert_allclose(k, by_hand(drawn(5, 4), range(7, 12), rates), atol=1e-15)


@pytest.mark.parametrize(
    ("options", "rates"),
    [
        ({}, Schedule(Fraction(10000), 4)),
        ({"rope_theta": 500}, Schedule(Fraction(500), 4)),
        ({"rotary_dim": 2}, Schedule(Fraction(10000), 2)),
        ({"angle": "90deg"}, (QUARTER_TURN, QUARTER_TURN)),
        ({"angle": ["1/4turn", "0"]}, (QUARTER_TURN, plain.Schedule(1, 2)[0].scaled(0))),
        ({"angle": 0.25}, (plain.Schedule(1, 2)[0].scaled(Fraction(1, 4)),) * 2),
        ({"angle": [1, Fraction(1, 3)]}, (Schedule(1, 2)[0], Schedule(1, 2)[0].scaled(Fraction(1, 3)))),
        ({"angle": "90deg", "rotary_dim": 2}, (QUARTER_TURN,)),
    ],
)
@pytest.mark.parametrize("layout", plain.LAYOUTS)
def test_angles_come_from_a_base_or_are_given(options, rates, layout):
    x = drawn(3, 4)
    wanted = by_hand(x, [0, 1, 2], rates, layout)
    np.testing.assert_allclose(rope(x, layout=layout, **options), wanted, atol=1e-15)


@pytest.mark.parametrize("as_text", [False, True])
def test_a_config_brings_its_settings(as_text):
    x = drawn(3, 8)
    config = json.dumps(MODEL) if as_text else MODEL
    wanted = by_hand(x, [0, 1, 2], Schedule(Fraction(500000), 8), "half")
    np.testing.assert_allclose(rope(x, config=config), wanted, atol=1e-15)
    wanted = by_hand(x, [0, 1, 2], Schedule(Fraction(500000), 4), "interleaved")
    np.testing.assert_allclose(rope(x, config=config, rotary_dim=4, layout="interleaved"), wanted, atol=1e-15)
    wanted = by_hand(x, [0, 1, 2], Schedule(Fraction(100), 8), "half")
    np.testing.assert_allclose(rope(x, config=config, rope_theta=100), wanted, atol=1e-15)


def test_a_scaled_config_turns_as_the_command_says():
    scaled = MODEL | {"rope_scaling": {"rope_type": "yarn", "factor": 4.0}, "max_position_embeddings": 64}
    x = drawn(1, 8)
    row = explain("rope", q=x[0], k=x[0], pos=(5, 7), config=scaled).result["rows"][0]
    query, key = rope(x, x, positions=5, key_positions=7, config=scaled)
    np.testing.assert_allclose(query[0], row["query"], atol=1e-15)
    np.testing.assert_allclose(key[0], row["key"], atol=1e-15)


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"q": [1, 2, 3]}, "odd-width"),
        ({"q": [1.0]}, "odd-width"),
        ({"q": []}, "array-no-coordinates"),
        ({"q": 1.0}, "array-no-coordinates"),
        ({"q": np.ma.masked_array([[1.0, 2.0]], [[False, True]])}, "array-kind"),
        ({"k": [[1, 2, 3, 4, 5, 6]]}, "width-mismatch"),
        ({"k": 1.0}, "array-no-coordinates"),
        ({"layout": 3}, "unknown-layout"),
        ({"rotary_dim": 2.0}, "array-kind"),
        ({"rotary_dim": "2"}, "array-kind"),
        ({"positions": None}, "array-kind"),
        ({"positions": [None]}, "array-kind"),
        ({"positions": [Fraction(1, 2), "1"]}, "array-kind"),
        ({"positions": np.ma.masked_array([1], [True])}, "array-kind"),
        ({"rotary_dim": 6}, "rotary-dim-out-of-range"),
        ({"rotary_dim": 3}, "odd-width"),
        ({"rotary_dim": 3, "angle": 1}, "odd-width"),
        ({"rotary_dim": 0}, "rotary-dim-out-of-range"),
        ({"layout": "halves"}, "unknown-layout"),
        ({"angle": [1, 2, 3]}, "rate-count"),
        ({"angle": "ninety"}, "unknown-name"),
        ({"angle": None, "rope_theta": "many"}, "array-kind"),
        ({"angle": float("nan")}, "array-kind"),
        ({"angle": 1, "rope_theta": 10}, "angle-and-base"),
        ({"rope_theta": 0}, "base-not-positive"),
        ({"positions": [0, 1]}, "position-count"),
        ({"positions": float("inf")}, "array-kind"),
        ({"positions": "1"}, "array-kind"),
        ({"q": ["a", "b"]}, "array-kind"),
        ({"q": [1j, 2]}, "array-kind"),
        ({"q": [True, False]}, "array-kind"),
        ({"q": [[1, 2], [3]]}, "array-kind"),
        ({"q": [None, 1]}, "array-kind"),
        ({"config": MODEL}, "config-width"),
    ],
)
def test_rotation_refuses_what_it_cannot_use(options, key):
    with pytest.raises(DenseError) as refusal:
        rope(**{"q": [[1, 2, 3, 4]], **options})
    assert refusal.value.key == key


# --- the others


def test_numbers_may_be_of_any_kind_that_is_exact():
    """Fractions and decimals are numbers; an integer is one of any type."""
    expected = rms_norm([3.0, 4.0], eps=0.5)
    for half in (Fraction(1, 2), Decimal("0.5"), np.float32(0.5), np.array(0.5)):
        np.testing.assert_array_equal(rms_norm([3.0, 4.0], eps=half), expected)
    row = [[1.0, 2.0, 3.0, 4.0]]
    partly = rope(row, positions=3, rotary_dim=2)
    np.testing.assert_array_equal(rope(row, positions=3, rotary_dim=np.int64(2)), partly)
    apart = rope(row, positions=[0.5])
    for half in (Fraction(1, 2), Decimal("0.5"), np.float16(0.5)):
        np.testing.assert_allclose(rope(row, positions=[half]), apart, rtol=1e-15)


@pytest.mark.filterwarnings("error")
def test_positions_in_a_short_format_are_the_numbers_they_store():
    x = drawn(3, 4)
    places = [1, 2, 60000]
    np.testing.assert_array_equal(rope(x, positions=np.array(places, "f2")), rope(x, positions=places))


def test_a_config_may_be_a_path_object(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(MODEL))
    x = drawn(2, 8)
    np.testing.assert_array_equal(rope(x, config=path), rope(x, config=str(path)))


def test_the_textbook_norm():
    np.testing.assert_allclose(rms_norm([3, 4]), [0.848528137423857, 1.131370849898476], rtol=1e-15)
    np.testing.assert_allclose(rms_norm([[3, 4]], [0, 1], unit_offset=True), [[0.84852814, 2.2627417]])
    x = drawn(2, 3, dtype=np.float32)
    assert rms_norm(x, eps=1e-5, out=x) is x
    np.testing.assert_allclose((x.astype(float) ** 2).mean(axis=-1), 1, atol=1e-4)


def test_the_textbook_network():
    """Example 25.3."""
    gate, up, down = [[1, 0], [0, 1]], [[2, 0], [0, -3]], [[1, 0], [1, 1]]
    np.testing.assert_allclose(
        swiglu([1, -1], gate, up, down), [0.6552928931500244, -0.8068242641099854], rtol=1e-14
    )
    product = swiglu([[1, -1]], gate, up)
    np.testing.assert_allclose(product, [[1.46211716, -0.80682426]])
    transposed = [np.transpose(matrix) for matrix in (gate, up, down)]
    np.testing.assert_array_equal(
        swiglu([1, -1], *transposed, weights_layout="out-in"), swiglu([1, -1], gate, up, down)
    )
    biased = swiglu([0.0], [[1]], [[1]], [[2]], bg=[0], bu=[1], bd=[0.5], activation="sigmoid")
    np.testing.assert_allclose(biased, [1.5])


@pytest.mark.parametrize(
    ("call", "key"),
    [
        (lambda: rms_norm([0, 0]), "zero-row"),
        (lambda: rms_norm("3,4"), "array-kind"),
        (lambda: rms_norm(3.0), "array-no-coordinates"),
        (lambda: rms_norm(np.ma.masked_array([3.0, 4.0], [False, True])), "array-kind"),
        (lambda: rms_norm([3, 4], eps="1e-6"), "array-kind"),
        (lambda: rms_norm([3, 4], eps=None), "array-kind"),
        (lambda: rms_norm([3, 4], out=[0.0, 0.0]), "out-kind"),
        (lambda: rms_norm([3, 4], out=np.zeros(2, int)), "out-kind"),
        (lambda: rms_norm([3, 4], out=np.broadcast_to(0.0, 2)), "out-read-only"),
        (lambda: rms_norm([3, 4], out=np.zeros(3)), "out-shape"),
        (lambda: swiglu([1], [[1]], [[1]], out=np.zeros(1, int)), "out-kind"),
        (lambda: swiglu([1], [[1]], [[1]], out=np.broadcast_to(0.0, 1)), "out-read-only"),
        (lambda: swiglu([1], [[1]], [[1]], [[1, 2]], out=np.zeros(1)), "out-shape"),
        (lambda: swiglu([1], [[1]], [[1]], activation=None), "unknown-activation"),
        (lambda: swiglu([1], [[1]], [[1]], weights_layout=None), "unknown-weights-layout"),
        (lambda: rms_norm([3, 4], gain=["a", "b"]), "array-kind"),
        (lambda: swiglu([1], [[1]], [[1]], weights_layout="in"), "unknown-weights-layout"),
        (lambda: swiglu([1], [[1]], [[1, 2]]), "ffn-arrays"),
        (lambda: swiglu([1], [[1]], [["a"]]), "array-kind"),
        (lambda: params({"model_type": "lama"}), "config-unknown-model-type"),
        (lambda: params("no-such-file.json"), "config-not-found"),
        (lambda: params(MODEL, dtype="float8"), "unknown-dtype"),
        (lambda: explain("exercise"), "unknown-command"),
        (lambda: explain("rope", q=[1, 0]), "missing-option"),
        (lambda: explain("rmsnorm", x=[3, 4], epsilon=1), "unknown-option"),
        (lambda: explain("rmsnorm", x=object()), "array-kind"),
        (lambda: explain("rmsnorm", x=[3, 4], lang="fr"), "unknown-language"),
        (lambda: explain("rmsnorm", x=[3, 4], digits=99), "digits-range"),
        (lambda: explain("rmsnorm", x=[3, 4]).show("pdf"), "unknown-format"),
    ],
)
def test_other_calls_refuse_what_they_cannot_use(call, key):
    with pytest.raises(DenseError) as refusal:
        call()
    assert refusal.value.key == key


@pytest.mark.parametrize(("spoken", "words"), [("en", "row 1 is all zero"), ("zh", "第 1 行全为零")])
def test_a_refusal_says_in_words_what_to_do(monkeypatch, spoken, words):
    monkeypatch.setenv("DENSE_LANG", spoken)
    with pytest.raises(DenseError) as refusal:
        rms_norm([0, 0])
    (note,) = refusal.value.__notes__
    assert words in note
    assert "--eps 1e-6" in note.splitlines()[1]


def test_several_refusals_are_all_told():
    broken = MODEL | {"num_attention_heads": 3, "vocab_size": -1}
    with pytest.raises(DenseErrors) as refusal:
        params(broken)
    assert len(refusal.value.__notes__) == len(refusal.value.errors) > 1


def test_a_model_is_counted_from_fields_text_or_a_file(tmp_path):
    """2·32·16 for embedding and head, 16·(16 + 8 + 8 + 16), 3·16·24, and 3·16 gains."""
    file = tmp_path / "config.json"
    file.write_text(json.dumps(MODEL), encoding="utf-8")
    for config in (MODEL, json.dumps(MODEL), file, str(file), tmp_path):
        assert params(config).total == 1024 + 768 + 1152 + 48
    assert params(MODEL, dtype="float32").weight_bytes == 4 * 2992
    assert (
        params({key: MODEL[key] for key in MODEL if key != "model_type"}, as_family="mistral").total == 2992
    )


# --- derivations


def test_an_explanation_is_what_the_command_shows():
    call = ["rope", "--q", "1,2", "--k", "-1,0.5", "--pos", "1", "2", "--layout", "half", "--json"]
    printed = subprocess.run(
        [sys.executable, "-m", "dense_cli", *call], capture_output=True, check=True, encoding="utf-8"
    )
    told = explain("rope", q=(1, 2), k=np.array([-1, 0.5]), pos=(1, 2), layout="half", lang="en")
    assert json.loads(told.show("json")) == json.loads(printed.stdout)


def test_an_explanation_can_be_shown_in_every_format_and_language():
    told = {lang: explain("rmsnorm", x=[[3, 4], [1, 2]], layernorm=True, lang=lang) for lang in ("en", "zh")}
    assert [row["x"] for row in told["en"].result["rows"]] == [[3, 4], [1, 2]]
    for format in FORMATS:
        shown = {lang: explanation.show(format) for lang, explanation in told.items()}
        assert shown["en"] != shown["zh"] or format == "json"
    assert repr(told["en"]) == told["en"].show("plain")
    assert told["en"] == told["zh"] or told["en"].derivation == told["zh"].derivation


def test_a_notebook_shows_formulas_and_tables():
    bundle = explain("rope", q=[1, 0], k=[1, 0], pos=[(0, 1), (1, 2)], lang="en")._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/markdown"}
    assert "| --- |" in bundle["text/markdown"].replace(":", "-").replace("---- ", "--- ")
    assert "$" in bundle["text/markdown"]


def test_digits_are_those_asked_for():
    assert "1.1314" in explain("rmsnorm", x=[3, 4], digits=4).show()
    assert "1.131371" in explain("rmsnorm", x=[3, 4]).show()


def test_several_positions_flags_and_expected_values():
    told = explain("rope", q=[1, 0], k=[1, 0], pos=[(0, 1), (1, 2)], expect={"dot": 0})
    assert [row["key_position"] for row in told.result["rows"]] == [1, 2]
    told = explain("rmsnorm", x=[[3, 4]], gain=[1, 2], unit_offset=True, eps=Fraction(1, 2))
    assert told.result["unit_offset"] is True
    assert told.result["eps"] == 0.5
    assert explain("rmsnorm", x=[3, 4], layernorm=False, gain=None).result["eps"] == 0
    assert explain("rmsnorm", x=[3, 4], expect="0.8485,1.1314").comparison["matches"] is True


def test_models_stand_without_an_option(tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(MODEL), encoding="utf-8")
    told = explain("params", MODEL, file)
    assert [model["total"] for model in told.result["models"]] == [2992, 2992]
    assert explain("params", width=12, hidden=48).result["matched_hidden"] == 32


def test_a_block_is_explained():
    told = explain("block", config=MODEL, seed=1, tokens=2)
    assert told.result["shapes"]["x"] == [2, 16]


# --- the module


def test_importing_it_imports_nothing_heavy():
    code = (
        "import sys, dense_cli; print(sorted({'numpy', 'rich', 'typer', 'dense_cli.api'} & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8")
    assert printed.stdout.strip() == "[]"


def test_its_names_are_those_it_has():
    assert set(dense_cli.__all__) <= set(dir(dense_cli))
    assert all(getattr(dense_cli, name) for name in dense_cli.__all__)
    with pytest.raises(AttributeError, match="softmax"):
        dense_cli.softmax  # noqa: B018
