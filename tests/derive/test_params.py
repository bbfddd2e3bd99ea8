"""The story of counts: table 25.2 and exercise 5, whole models with every product written out."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core.budget import budget
from dense_cli.derivation import Derivation, Line, Note, Step
from dense_cli.derive.params import ffn_budget
from dense_cli.derive.params_models import models
from dense_cli.lang import say_in
from dense_cli.models.config import read_config
from dense_cli.models.counting import Count, count
from dense_cli.render.notation import Text
from tests.derive.walking import check_lines, lines_of, notes_of, steps_of

CHAPTER = {
    "hidden_size": 12,
    "query_heads": 3,
    "head_dim": 4,
    "pre_norm": True,
    "bias": False,
    "ffn_hidden_size": 32,
    "rope_theta": 10000,
    "max_sequence_slots": 2048,
}
SMALL = {
    "model_type": "llama",
    "vocab_size": 10,
    "hidden_size": 8,
    "intermediate_size": 6,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 2,
    "hidden_act": "silu",
    "attention_bias": False,
    "mlp_bias": False,
    "tie_word_embeddings": False,
    "torch_dtype": "float32",
}
EXPERTS = {
    "model_type": "qwen2_moe",
    "vocab_size": 10,
    "hidden_size": 8,
    "intermediate_size": 6,
    "moe_intermediate_size": 5,
    "shared_expert_intermediate_size": 7,
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [0],
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "hidden_act": "silu",
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
}


def counted(config: dict[str, object], **changes: object) -> Count:
    return count(read_config(json.dumps(config | changes)))


def steps(derivation: Derivation) -> dict[str, Step]:
    return {step.name: step for step in steps_of(derivation)}


def page(line: Line) -> str:
    """A line as it stands on a page."""
    chain = Text(say_in("en")).chain(line)
    return " ".join([chain.symbol, *(f"{link.sign} {link.text}" for link in chain.links)])


def pages(step: Step) -> list[str]:
    return [page(line) for line in step.lines]


def check_counts(derivation: Derivation) -> None:
    """Whole numbers exactly, whatever their size, and all that holds of every derivation."""
    check_lines(derivation)
    for line in lines_of(derivation):
        if line.formula is not None:
            assert line.formula.exact() == line.value, line


def test_table_of_the_chapter() -> None:
    """1152, 1728, and 32 for 1152 again, each product written out."""
    derivation = ffn_budget(budget(12, 48))
    found = steps(derivation)
    assert pages(found["plain"]) == ["plain FFN = 2 · C · F = 2 × 12 × 48 = 1152"]
    assert pages(found["same-width"])[0] == "gated FFN = 3 · C · F = 3 × 12 × 48 = 1728"
    assert pages(found["match"]) == ["F′ = 2 · F / 3 = 2 × 48 / 3 = 32"]
    assert pages(found["check"]) == ["gated FFN of width F′ = 3 · C · F′ = 3 × 12 × 32 = 1152"]
    assert found["table"].table is not None
    assert [row[1:] for row in found["table"].table.rows] == [
        (2, 12, 48, 1152, 0),
        (3, 12, 48, 1728, 576),
        (3, 12, 32, 1152, 0),
    ]
    check_counts(derivation)


def test_exercise_5() -> None:
    """24 × 96: 4608 with width 64; half as much again, 6912, if 96 is kept."""
    derivation = ffn_budget(budget(24, 96))
    ffn = derivation.result["ffn"]
    assert isinstance(ffn, list)
    assert [row["parameters"] for row in ffn] == [4608, 6912, 4608]  # type: ignore[index,call-overload]
    assert derivation.result["matched_hidden"] == 64
    assert derivation.result["matched_exactly"] is True
    assert steps(derivation)["same-width"].lines[2].value == Fraction(1, 2)


def test_result_is_the_data_of_the_interface() -> None:
    """The keys that scripts read; each row also says how far it is from the budget."""
    assert ffn_budget(budget(12, 48)).result["ffn"][0] == {  # type: ignore[index,call-overload]
        "kind": "relu",
        "matrices": 2,
        "width": 12,
        "hidden": 48,
        "parameters": 1152,
        "difference": 0,
    }


def test_no_whole_width_gives_the_neighbours() -> None:
    """50: 33 lacks 12, 34 has 24 too many; no width is called the match."""
    derivation = ffn_budget(budget(12, 50))
    found = steps(derivation)
    assert pages(found["match"]) == ["F′ = 2 · F / 3 = 2 × 50 / 3 ≈ 33.333333"]
    assert pages(found["below"])[1] == "difference from the budget = 1188 - 1200 = -12"
    assert pages(found["above"])[1] == "difference from the budget = 1224 - 1200 = 24"
    assert derivation.result["matched_hidden"] is None
    assert derivation.result["matched_exactly"] is False
    assert "check" not in found


def test_the_smallest_network_has_no_width_below() -> None:
    """2/3 of 1: only width 1 is near, there is no network of width 0."""
    found = steps(ffn_budget(budget(12, 1)))
    assert "below" not in found
    assert found["above"].lines[0].value == 36


def test_multiples_as_model_families_round() -> None:
    """4096 × 16384 with multiples of 256: 43 of them, 11008; the multiple below is 10752."""
    derivation = ffn_budget(budget(4096, 16384, multiple_of=256))
    found = steps(derivation)
    assert page(found["rounded"].lines[0]) == "F′ = 43 · M = 43 × 256 = 11008"
    assert page(found["multiple-below"].lines[0]) == "F′ = 42 · M = 42 × 256 = 10752"
    rounded = derivation.result["rounded"]
    assert isinstance(rounded, dict)
    assert rounded["hidden"] == 11008
    assert found["multiples"].notes[0].facts == {"multiple": 256, "floor": 10922}


def test_a_multiple_that_fits_is_told_once() -> None:
    """32 is a multiple of 16: no second one beside it, and no second row in the table."""
    found = steps(ffn_budget(budget(12, 48, multiple_of=16)))
    assert [step.name for step in found["multiples"].steps] == ["rounded"]
    assert found["table"].table is not None
    assert len(found["table"].table.rows) == 3


def test_biases_are_counted() -> None:
    """2·12·48 + 48 + 12 = 1212, and 48·25/38 = 600/19 for the gated width."""
    derivation = ffn_budget(budget(12, 48, bias=True))
    found = steps(derivation)
    assert pages(found["plain"]) == ["plain FFN = 2 · C · F + F + C = 2 × 12 × 48 + 48 + 12 = 1212"]
    assert pages(found["same-width"])[0].endswith("= 3 × 12 × 48 + 2 × 48 + 12 = 1836")
    assert found["match"].lines[0].value == Fraction(600, 19)
    assert not derivation.assumed
    check_counts(derivation)


def test_counts_of_any_size_are_exact() -> None:
    """Nineteen digits, where a float64 has lost three."""
    derivation = ffn_budget(budget(1000000007, 3000000021))
    assert steps(derivation)["plain"].lines[0].value == 6000000084000000294
    assert "= 6000000084000000294" in pages(steps(derivation)["check"])[0]
    check_counts(derivation)


def test_equal_counts_prove_nothing_about_quality() -> None:
    assert [note.key for note in ffn_budget(budget(12, 48)).cautions] == ["params.no-quality"]


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 10**12), st.integers(1, 10**12), st.none() | st.integers(1, 10**6), st.booleans())
def test_every_line_makes_its_value(width: int, hidden: int, multiple: int | None, bias: bool) -> None:
    """For any widths, multiples and biases."""
    check_counts(ffn_budget(budget(width, hidden, multiple, bias)))


def test_the_block_of_the_chapter() -> None:
    """4·144 + 3·384 + 2·12 = 1752, with the cautions that it is one block and declared capacity only."""
    derivation = models((counted(CHAPTER),))
    found = steps(derivation)
    assert pages(found["attention"])[0] == "query projection = C · H · D = 12 × 3 × 4 = 144"
    assert pages(found["attention"])[4] == "attention = 144 + 144 + 144 + 144 = 576"
    assert pages(found["ffn"])[3] == "FFN = 384 + 384 + 384 = 1152"
    assert pages(found["norms"])[1] == "norm before the FFN, gain = C = 12"
    assert pages(found["total"])[0] == "total = 576 + 1152 + 24 = 1752"
    assert [note.key for note in derivation.cautions] == [
        "params.one-block",
        "params.declared-capacity",
        "params.count-is-not-quality",
    ]
    assert [note.key for note in derivation.assumed] == [
        "models.assumed.config-same",
        "models.assumed.config-default-block",
        "models.assumed.config-dtype",
    ]
    check_counts(derivation)


def test_whole_model_by_hand() -> None:
    """Two layers, four heads, two for keys: 80 + 2·(64+32+32+64) + 2·144 + 40 + 80."""
    derivation = models((counted(SMALL),), context=100)
    found = steps(derivation)
    assert pages(found["attention"])[1] == "key projection = L · C · K · D = 2 × 8 × 2 × 2 = 64"
    assert pages(found["total"])[:2] == [
        "total = 80 + 384 + 288 + 40 + 80 = 872",
        "without embeddings and head = 872 - 80 - 80 = 712",
    ]
    assert pages(found["memory"]) == [
        "bytes of the weights = 872 · B = 872 × 4 = 3488",
        "key/value cache, bytes a token = 2 · L · K · D · B = 2 × 2 × 2 × 2 × 4 = 64",
        "key/value cache of N tokens, bytes = 64 · N = 64 × 100 = 6400",
    ]
    assert derivation.result["models"] == [
        {
            "name": "{…}",
            "model_type": "llama",
            "total": 872,
            "active": 872,
            "non_embedding": 712,
            "tied": False,
            "parts": {"embedding": 80, "attention": 384, "ffn": 288, "moe": 0, "norms": 40, "lm_head": 80},
            "biases": 0,
            "kv_cache_bytes_per_token": 64,
            "weight_bytes": 3488,
            "dtype": "float32",
            "kv_cache_bytes": 6400,
        }
    ]
    check_counts(derivation)


def test_biases_and_a_tied_head_are_told() -> None:
    """Biases have lines of their own; a tied head adds nothing, and that is said."""
    derivation = models((counted(SMALL, attention_bias=True, tie_word_embeddings=True),))
    found = steps(derivation)
    assert "query projection, bias = L · H · D = 2 × 4 × 2 = 16" in pages(found["attention"])
    assert found["total"].lines[-1].value == 2 * (8 + 4 + 4 + 8)
    assert "lm_head" not in found
    assert [note.key for note in found["total"].notes] == ["params.tied"]


def test_experts_and_plain_layers_have_letters_of_their_own() -> None:
    """One of three layers is plain; two of four experts are passed: 2·4·3·8·5 routed, half of it asleep."""
    derivation = models((counted(EXPERTS),))
    found = steps(derivation)
    assert found["names"].table is not None
    letters = {row[0].text: row[2] for row in found["names"].table.rows}  # type: ignore[union-attr]
    assert {name: letters[name] for name in ("L", "Ld", "Le", "E", "k", "Fe", "Fs")} == {
        "L": 3,
        "Ld": 1,
        "Le": 2,
        "E": 4,
        "k": 2,
        "Fe": 5,
        "Fs": 7,
    }
    assert len(letters) == len(found["names"].table.rows)
    assert pages(found["ffn"])[0] == "gate projection = Ld · C · F = 1 × 8 × 6 = 48"
    active = next(line for line in found["total"].lines if line.symbol == Note("params.active"))
    assert page(active).endswith("- 960 × (4 - 2) / 4 = " + str(active.value))
    assert active.value == derivation.answer[0].value - 480  # type: ignore[operator]
    assert [note.key for note in found["total"].notes] == ["params.tied", "params.routed"]
    check_counts(derivation)


def test_two_models_side_by_side() -> None:
    """One table with the difference of every quantity, then each model alone."""
    pair = (counted(SMALL), counted(SMALL, num_hidden_layers=3))
    derivation = models(pair)
    table = steps(derivation)["side-by-side"].table
    assert table is not None
    assert table.rows[0] == (Note("params.total"), 872, 872 + 192 + 144 + 16, 352)
    assert [step.name for step in derivation.steps] == ["side-by-side", "model-1", "model-2"]
    check_counts(derivation)


def test_three_models_are_compared_with_the_first() -> None:
    """Two differences, and assumptions that say whose they are."""
    trio = (counted(SMALL), counted(CHAPTER), counted(EXPERTS))
    derivation = models(trio)
    found = steps(derivation)
    assert [line.value for name in ("difference-2", "difference-3") for line in found[name].lines] == [
        1752 - 872,
        trio[2].total - 872,
    ]
    assert {note.key for note in derivation.assumed} == {"params.of-model"}
    assert "params.one-block" in [note.key for note in derivation.cautions]
    check_counts(derivation)


def test_the_norm_after_attention_is_called_so_only_where_it_is_one() -> None:
    """In the families with four norms a layer it is; in the others it is what the FFN reads."""
    four = counted(
        {
            **SMALL,
            "model_type": "gemma2",
            "hidden_activation": "gelu_pytorch_tanh",
            "query_pre_attn_scalar": 2,
        }
    )
    said = {note.key for note in notes_of(models((four,)))}
    assert {"params.piece.norms.post_attention", "params.piece.norms.pre_feedforward"} <= said
    assert "params.piece.norms.second" in {note.key for note in notes_of(models((counted(SMALL),)))}


@pytest.mark.parametrize(
    ("names", "called"),
    [
        (("a/llama/config.json", "b/qwen.json"), ["llama", "qwen.json"]),
        (("a\\llama\\config.json", "config.json"), ["llama", "config.json"]),
        (("a/m.json", "b/m.json"), ["m.json (1)", "m.json (2)"]),
    ],
)
def test_models_are_called_by_what_tells_them_apart(names: tuple[str, str], called: list[str]) -> None:
    """The page shortens paths, the data keeps them as they were typed."""
    pair = tuple(replace(counted(SMALL), name=name) for name in names)
    derivation = models(pair)
    text = Text(say_in("en"))
    assert [text.prose(line.symbol) for line in derivation.answer] == called
    data = derivation.result["models"]
    assert isinstance(data, list)
    assert [model["name"] for model in data] == list(names)  # type: ignore[index,call-overload]
