"""Calculators met by odd values: each is refused in words or read as it was meant, never left aside."""

import json

import numpy as np
import pytest

from dense_cli.errors import DenseError
from dense_cli.lang import LANGUAGES, say_in
from dense_cli.lang.refusal import message
from tests.cli.calling import call

CARD = ("rope", "--q", "1,0", "--k", "1,0", "--pos", "1", "2")
FFN = ("swiglu", "--x", "1,3,1e15", "--wg", "3:0.3:1e300", "--wu", "1e15:0.3:1e15")
WIDE = json.dumps({"model_type": "llama", "hidden_size": 2 * 10**9, "num_attention_heads": 1})


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((*CARD, "--angle", ""), "option-without-value"),
        ((*CARD, "--angle="), "option-without-value"),
        (("rmsnorm", "--x", "3,4", "--eps", ""), "option-without-value"),
        (("rmsnorm", "--x", "3,4", "--eps", "1e-400"), "number-too-small"),
        (("swiglu", "--x", "1", "--wg", "1", "--wu", "1", "--beta", "1e-400"), "number-too-small"),
        ((*FFN, "--alpha", "3.14"), "ffn-overflow"),
        (("rope", "--frequencies", "--head-dim", "10^12"), "rotation-too-wide"),
        (("rope", "--frequencies", "--head-dim", "10^12", "--angle", "1"), "rotation-too-wide"),
        (("rope", "--frequencies", "--config", WIDE), "rotation-too-wide"),
        (("rope", "--frequencies", "--head-dim", "0"), "not-positive"),
        (("rope", "--frequencies", "--head-dim", "8", "--q", "1,0"), "option-unused"),
        ((*CARD, "--head-dim", "4"), "option-unused"),
        (("params", "--width", "12", "--hidden", "48", "--context", "5"), "option-unused"),
        (("params", '{"model_type": "llama"}', "--bias"), "option-unused"),
        (("rmsnorm", "--x", "3,4", "--as", "llama"), "option-unused"),
        ((*CARD, "--format", "plain"), "option-twice"),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_cannot_be_used_is_refused(words, code, language):
    refused = call(*words, "--json", "--lang", language)
    assert refused.exit == 2
    assert refused.json["error"]["code"] == code


def test_a_refusal_in_chinese_has_full_width_colons():
    assert call(*CARD, "--digits", "99", "--lang", "zh").err.splitlines() == [
        "错误：--digits：不能显示 99 位小数",
        "提示：请给 0 到 17 的整数",
    ]


def test_a_refusal_lists_words_as_its_language_does_and_numbers_as_a_vector():
    layout = (*CARD, "--layout", "x", "--lang")
    assert "give one of: interleaved, half" in call(*layout, "en").err
    assert "可选：interleaved、half" in call(*layout, "zh").err
    error = DenseError("unknown-layout", typed=(1.0, 2.0), known=("half",))
    assert "1, 2" in message(error, say_in("zh"))


def test_of_several_that_may_be_meant_the_last_is_an_alternative(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("row.csv", "rows.csv"):
        (tmp_path / name).write_text("1")
    missing = ("rmsnorm", "--x", "@rowz.csv", "--lang")
    assert "did you mean row.csv or rows.csv?" in call(*missing, "en").err
    assert "是不是 row.csv 或 rows.csv？" in call(*missing, "zh").err


def test_of_many_names_the_first_are_listed(tmp_path):
    path = tmp_path / "class.csv"
    path.write_text(",".join(f"column {number}" for number in range(99)) + "\n")
    for language, told in (("en", "column 0, column 1, "), ("zh", "column 0、column 1、")):
        err = call("check", str(path), "--lang", language).err
        assert told in err
        assert "…" in err
        assert "column 8" not in err


def test_a_page_lists_fields_as_its_language_does():
    asked = ("check", "--exercise", "2", "--answer", "zero_row=1", "--lang")
    assert "2.output, 2.denominator" in call(*asked, "en").out
    assert "2.output、2.denominator" in call(*asked, "zh").out
    assert "query、key、dot、visible" in call("exercise", "list", "--lang", "zh").out


def test_an_angle_without_a_unit_is_said_to_be_radians():
    assumed = "An angle without a unit is in radians. In degrees, write 90deg."
    assert assumed in call(*CARD, "--angle", "90").out
    assert assumed not in call(*CARD, "--angle", "90deg").out


def test_a_limit_of_zero_has_no_sign():
    told = call("swiglu", "--x", "1,0", "--wg", "1,0:0,1", "--wu", "1,0:0,1", "--limit", "0").out
    assert "kept between 0 and 0" in told
    assert "-0" not in told.replace("-0 × ", "")


def test_options_are_told_in_the_language_of_the_page():
    told = call("rope", "--frequencies", "--head-dim", "8", "--rope-theta", "100", "--lang", "zh").out
    assert "底数：100\n  头宽度：8\n" in told


def test_the_textbooks_block_is_called_by_no_family_name():
    told = call("block", "--example").out
    assert "hidden_act is not in the config; silu is taken." in told
    assert "chapter takes" not in told


def test_a_number_format_that_is_not_known_is_said():
    told = call("params", '{"model_type": "llama", "torch_dtype": "float7"}').out
    assert "The config stores its numbers as float7, whose size is not known here" in told
    assert "does not say" not in told


def test_a_departure_names_the_field_that_the_config_has():
    config = '{"model_type": "mixtral", "num_local_experts": 8}'
    assert "(num_local_experts)" in call("block", "--config", config, "--seed", "1").err


def test_rmsnorm_reads_a_config_as_another_family():
    told = call("rmsnorm", "--x", "3,4", "--config", '{"model_type": "wat"}', "--as", "llama")
    assert told.exit == 0
    assert "model_type wat was read as llama." in told.out


@pytest.mark.parametrize(("typed", "hint"), [("lama", "did you mean llama?"), ("wat", "say so: --as llama")])
def test_an_unknown_family_gets_a_hint_that_can_be_followed(typed, hint):
    refused = call("params", json.dumps({"model_type": typed})).err
    assert hint in refused
    assert "—" not in refused


def test_hints_about_files_name_what_is_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("two.npz", a=np.ones(2), b=np.ones(2))
    assert "`@two.npz:a`" in call("rmsnorm", "--x", "@two.npz").err
    (tmp_path / "gone.npy").symlink_to("nothing.npy")
    assert "gone.npy" not in call("rmsnorm", "--x", "@gone.npy").err.split("hint")[1]


def test_a_dash_as_output_is_standard_output(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call(*CARD, "--output", "-").out == call(*CARD).out
    assert not list(tmp_path.iterdir())


def test_what_turns_is_told_of_a_model_of_which_not_all_layers_do():
    for name, language, sentence in (
        ("cohere2", "en", "Only layers of the type sliding_attention turn."),
        ("cohere2", "zh", "只有 sliding_attention 类型的层旋转。"),
        ("smollm3", "en", "Layers marked 0 in no_rope_layers do not turn"),
        ("smollm3", "zh", "no_rope_layers 中标为 0 的层不旋转"),
    ):
        config = json.dumps({"model_type": name, "head_dim": 4})
        assert sentence in call("rope", "--frequencies", "--config", config, "--lang", language).out


def test_every_base_that_a_family_brings_is_told():
    for name, fields, told in (
        ("olmo3", {}, ("olmo3 takes 500000.",)),
        ("gemma3_text", {}, ("gemma3_text takes 1000000.", "gemma3_text takes 10000.")),
        ("gemma3_text", {"rope_theta": 5.0}, ("gemma3_text takes 10000.",)),
        ("gemma3_text", {"rope_local_base_freq": 5.0}, ("gemma3_text takes 1000000.",)),
    ):
        config = json.dumps({"model_type": name, "head_dim": 4, **fields})
        kind = ("--layer-type", "sliding_attention")
        out = call("rope", "--frequencies", "--config", config, *(kind if name == "gemma3_text" else ())).out
        assert all(sentence in out for sentence in told)
        assert out.count("takes") == len(told)


def test_a_head_width_beside_a_config_is_refused():
    told = call("rope", "--frequencies", "--head-dim", "8", "--config", '{"model_type":"llama","head_dim":4}')
    assert (told.exit, "--head-dim" in told.err) == (2, True)
