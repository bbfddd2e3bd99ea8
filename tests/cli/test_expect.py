"""Give it your numbers and it names the mistake: each report is a right value and a wrong one."""

import json
import re
import shlex
from math import cos, sin

import pytest

from dense_cli import render
from dense_cli.lang import LANGUAGES
from tests.cli.calling import call

RAMP4, RAMP8 = "1,2,3,4", "1,2,3,4,5,6,7,8"


def rope(q, positions, *options, k=None):
    return ["rope", "--q", q, "--k", k or q, "--pos", *positions.split(), *options]


def speeds(config, *options):
    return ["rope", "--frequencies", "--config", json.dumps(config), *options]


def llama(**fields):
    return json.dumps({"model_type": "llama", **fields})


def sized(vocabulary, hidden, ffn, layers, heads, kv_heads, tied, model_type="llama", **more):
    return json.dumps(
        {
            "model_type": model_type,
            "vocab_size": vocabulary,
            "hidden_size": hidden,
            "intermediate_size": ffn,
            "num_hidden_layers": layers,
            "num_attention_heads": heads,
            "num_key_value_heads": kv_heads,
            "tie_word_embeddings": tied,
            **more,
        }
    )


SCALED = {"model_type": "llama", "hidden_size": 8, "num_attention_heads": 1, "rope_theta": 10000}
LLAMA3 = {
    **SCALED,
    "max_position_embeddings": 8192,
    "rope_scaling": {
        "rope_type": "llama3",
        "factor": 8,
        "low_freq_factor": 1,
        "high_freq_factor": 4,
        "original_max_position_embeddings": 1024,
    },
}
DYNAMIC = {
    **SCALED,
    "max_position_embeddings": 64,
    "rope_scaling": {"rope_type": "dynamic", "factor": 2},
}
LONGROPE = {
    **SCALED,
    "rope_theta": 100,
    "max_position_embeddings": 64,
    "original_max_position_embeddings": 16,
    "rope_scaling": {
        "rope_type": "longrope",
        "short_factor": [1.0, 1.5, 1.5, 2.0],
        "long_factor": [2.0, 4.0, 6.0, 8.0],
    },
}
YARN = {
    **SCALED,
    "hidden_size": 16,
    "max_position_embeddings": 256,
    "rope_scaling": {
        "rope_type": "yarn",
        "factor": 4,
        "original_max_position_embeddings": 64,
        "beta_fast": 32,
        "beta_slow": 1,
        "truncate": False,
    },
}


def with_scales(factor, mscale, all_dim, **more):
    scaling = {"rope_type": "yarn", "factor": factor, "mscale": mscale, "mscale_all_dim": all_dim, **more}
    return {**SCALED, "max_position_embeddings": 4096, "rope_scaling": scaling}


def one_and_one(width, product, config):
    """A query and a key at position 0, whose product is this number."""
    zeros = ",0" * (width - 1)
    config = json.dumps({**config, "hidden_size": width})
    return rope(f"{product}{zeros}", "0 0", "--config", config, k=f"1{zeros}")


GEMMA3 = {
    "model_type": "gemma3_text",
    "hidden_size": 8,
    "num_attention_heads": 2,
    "head_dim": 4,
    "rope_theta": 1000000,
    "rope_local_base_freq": 10000,
    "rope_scaling": {"rope_type": "linear", "factor": 8},
}
SMALL_TIED = sized(100, 12, 32, 2, 3, 3, True)
SMALL = sized(100, 12, 32, 2, 3, 3, False)
GPT2 = json.dumps(
    {
        "model_type": "gpt2",
        "vocab_size": 50257,
        "n_positions": 1024,
        "n_embd": 768,
        "n_layer": 12,
        "n_head": 12,
    }
)
LLAMA2 = sized(32000, 4096, 11008, 32, 32, 32, False)
GEMMA7B = sized(256000, 3072, 24576, 28, 16, 16, True, "gemma", head_dim=256)
MIXTRAL = sized(32000, 4096, 14336, 32, 32, 8, False, "mixtral", num_local_experts=8, num_experts_per_tok=2)
EYE = "1,0:0,1"
BRANCHES = ["swiglu", "--x", "1,-1", "--wg", EYE, "--wu", "2,0:0,-3", "--wd", EYE]
CLAMPED = [
    "swiglu",
    "--x",
    "1",
    "--wg",
    "2",
    "--wu",
    "0.5",
    "--wd",
    "1",
    "--alpha",
    "1.702",
    "--limit",
    "7",
    "--up-offset",
    "1",
]
NO_LIMIT = [
    "swiglu",
    "--x",
    "1",
    "--wg",
    "1.5,-1",
    "--wu",
    "0.5,2",
    "--wd",
    EYE,
    "--alpha",
    "1.702",
    "--up-offset",
    "1",
]
FINE = ["--atol", "1e-6"]


def angle(rate, position, *options):
    return rope("1,0", f"{position} {position}", "--angle", rate, *options, *FINE)


def row(angle):
    return f"query={cos(angle)!r},{sin(angle)!r}"


# report: the call, the right value, the wrong one, the mistake (None: in no catalogue)
REPORTS = {
    "R01": (
        [*rope(RAMP4, "3 3", "--rope-theta", "100", "--layout", "half"), *FINE],
        "query=-1.41335252,0.728592152,-2.82885748,4.41238637",
        "query=-1.27223251,-1.83886499,1.68392864,4.70790658",
        "other-layout",
    ),
    "R02": (
        [*rope("1,3", "2 5", "--angle", "0.5", k="2,-1"), *FINE],
        "query=-1.98411065,2.4623779",
        "query=3.06471526,0.779435933",
        "clockwise",
    ),
    "R02 key": (
        [*rope("1,3", "2 5", "--angle", "0.5", k="2,-1"), *FINE],
        "key=-1.00381509,1.9980879",
        "key=-2.20075938,-0.395800673",
        "clockwise",
    ),
    "R02 score": (
        [*rope("1,3", "2 5", "--angle", "0.5", k="2,-1"), *FINE],
        "dot=6.9117277",
        "dot=-7.05320211",
        "clockwise",
    ),
    "R03": (
        [*rope("1,0,0,2", "2 2", "--rope-theta", "100"), *FINE],
        "query=-0.416146837,0.909297427,-0.397338662,1.96013316",
        "query=-0.416146837,0.198669331,-1.81859485,1.96013316",
        "mixed-table",
    ),
    "R06": (
        ["rope", "--frequencies", "--head-dim", "4", "--rope-theta", "100", *FINE],
        "theta=1,0.1",
        "theta=0.316227766,0.0316227766",
        "exponent-odd",
    ),
    "R09": (
        [*rope(RAMP8, "2 2", "--rope-theta", "100", "--rotary-dim", "4", "--layout", "half"), *FINE],
        "query=-3.14403912,1.16545583,-0.339143083,4.31760497,5,6,7,8",
        "query=-4.96263397,-1.93360588,3,4,-1.17143676,6.02172469,7,8",
        "exponent-by-head-dim",
    ),
    "R12": (
        [*speeds(LLAMA3), "--atol", "1e-9"],
        "theta=1,0.1,0.00308676097,0.000125",
        "theta=1,0.1,0.01,0.001",
        "scaling-ignored",
    ),
    "R14": (
        [*speeds(GEMMA3, "--layer-type", "full_attention"), "--atol", "1e-9"],
        "theta=0.125,0.000125",
        "theta=1,0.001",
        "scaling-ignored",
    ),
    "R15": (
        [*speeds(GEMMA3, "--layer-type", "sliding_attention"), "--atol", "1e-9"],
        "theta=1,0.01",
        "theta=0.125,0.00125",
        "scaling-of-other-layers",
    ),
    "R15 base too": (
        [*speeds(GEMMA3, "--layer-type", "sliding_attention"), "--atol", "1e-9"],
        "theta=1,0.01",
        "theta=0.125,0.000125",
        "other-layer-type",
    ),
    "R16": (
        [*speeds(DYNAMIC, "--seq-len", "96"), "--atol", "1e-9"],
        "theta=1,0.0793700526,0.00629960525,0.0005",
        "theta=1,0.0693361274,0.00480749857,0.000333333333",
        "dynamic-length-fixed",
    ),
    "R17 bracket of −0.25": (  # its power is complex: no numbers that could be compared
        [*speeds(DYNAMIC, "--seq-len", "24"), "--atol", "1e-9"],
        "theta=1,0.1,0.01,0.001",
        "theta=1,0.1,0.01,0.002",
        None,
    ),
    "R17 bracket of 0.5": (  # the base is 10000 · 0.5^(4/3), and 10000^(−i/4) · 2^(i/3) its powers
        [*speeds(DYNAMIC, "--seq-len", "48"), "--atol", "1e-9"],
        "theta=1,0.1,0.01,0.001",
        f"theta=1,{0.1 * 2 ** (1 / 3)!r},{0.01 * 2 ** (2 / 3)!r},0.002",
        "dynamic-below-trained",
    ),
    "R18": (
        [*speeds(LONGROPE, "--seq-len", "16"), "--atol", "1e-9"],
        "theta=1,0.210818511,0.0666666667,0.0158113883",
        "theta=0.5,0.0790569415,0.0166666667,0.00395284708",
        "longrope-other-list",
    ),
    "R18 one further": (
        [*speeds(LONGROPE, "--seq-len", "17"), "--atol", "1e-9"],
        "theta=0.5,0.0790569415,0.0166666667,0.00395284708",
        "theta=1,0.210818511,0.0666666667,0.0158113883",
        "longrope-other-list",
    ),
    "R19": (
        [*speeds(with_scales(40, 1.0, 1.0)), "--atol", "1e-8"],
        "attention_factor=1",
        "attention_factor=1.36888795",
        "yarn-scales-ignored",
    ),
    "R20": (  # the score told here is over √192 alone; a model that multiplies has another
        [*one_and_one(192, 1, with_scales(40, 0.707, 0.707)), "--atol", "1e-8"],
        "score=0.0721687836",
        "score=0.114721387",
        "softmax-multiplier",
    ),
    "R21": (  # a product of 2 over √4
        [*one_and_one(4, 2, with_scales(16, 1.0, 0.5, attention_factor=1)), "--atol", "1e-8"],
        "score=1",
        "score=1.63139023",
        "multiplier-from-mscale",
    ),
    "R21 right multiplier": (
        [*one_and_one(4, 2, with_scales(16, 1.0, 0.5, attention_factor=1)), "--atol", "1e-8"],
        "score=1",
        "score=1.29647699",
        "softmax-multiplier",
    ),
    "R22": (
        [*speeds(YARN), "--atol", "1e-9"],
        "theta=1,0.19858352,0.0255952459,0.00790569415,0.0025,0.000790569415,0.00025,7.90569415e-05",
        "theta=1,0.237170825,0.05,0.00790569415,0.0025,0.000790569415,0.00025,7.90569415e-05",
        "ramp-rounding",
    ),
    "R23": (angle("1", 257), row(257), row(256), "half-precision-angles"),
    "R24": (angle("0.7", 1501), row(1050.7), row(1051), "half-precision-angles"),
    "R25": (angle("1", 2049), row(2049), row(2048), "half-precision-angles"),
    "R27 head 1": (angle("0.25", 4), row(1), row(1.25), "one-based"),
    "R28": (
        [*rope("1,2", "3 3", "--angle", "0.5"), *FINE],
        "query=-1.92425277,1.13896939",
        "query=-0.0812685153,2.23459066",
        None,
    ),
    "R29": (
        [*rope("1,0", "3 1", "--angle", "0.3"), *FINE],
        "dot=0.825335615",
        "dot=0.362357754",
        "half-turn",
    ),
    "R30": (angle("0.3", 2), "query=0.825335615,0.564642473", "query=1,0", "no-rotation"),
    "R34": (
        [
            *rope(
                "1,1,2,0",
                "0 0",
                "--config",
                json.dumps({**SCALED, "hidden_size": 16, "num_attention_heads": 4}),
            )
        ],
        "score=3",
        "score=1.50",
        "scaled-by-width",
    ),
    "R36": (
        ["rmsnorm", "--x", "1,1:10,10", *FINE],
        "1,1:1,1",
        "0.140719509,0.140719509:1.40719509,1.40719509",
        "all-rows-together",
    ),
    "N01": (
        ["rmsnorm", "--x", "0.003,0.004", "--eps", "1e-5", *FINE],
        "0.632455532,0.843274043",
        "0.846134907,1.12817988",
        "eps-outside",
    ),
    "N03": (["rmsnorm", "--x", "1,7", *FINE], "0.2,1.4", "5,35", "multiplied"),
    "N05": (["rmsnorm", "--x", "1,7", *FINE], "0.2,1.4", "0.1,0.7", "over-root-width"),
    "N06": (["rmsnorm", "--x", "0,2", *FINE], "0,1.41421356", "0,1", "sum-not-mean"),
    "N08": (
        ["rmsnorm", "--x", "3,4", "--gain", "0.5,-0.25", "--unit-offset", *FINE],
        "1.27279221,0.848528137",
        "0.424264069,-0.282842712",
        "unit-offset-missing",
    ),
    "N10": (
        ["rmsnorm", "--x", "3,4", "--gain", "7.03125,7.03125", "--unit-offset", *FINE],
        "6.8147416,9.08632214",
        "6.78822510,9.05096680",
        "half-precision-offset",
    ),
    "N11": (["rmsnorm", "--x", "300,400", *FINE], "0.848528137,1.13137085", "0,0", "half-precision-squares"),
    "N12": (
        ["rmsnorm", "--x", "2^-12,2^-12", "--eps", "2^-23", *FINE],
        "0.577350269,0.577350269",
        "0.237174572,0.237174572",
        "eps-other",
    ),
    "N13": (
        [
            "rmsnorm",
            "--x",
            "1,1.0625",
            "--gain",
            "1.375,1.375",
            "--dtype",
            "bfloat16",
            "--cast",
            "after-gain",
            "--atol",
            "0",
        ],
        "1.3359375,1.4140625",
        "1.328125,1.421875",
        "cast-order",
    ),
    "S01": ([*BRANCHES, *FINE], "1.46211716,-0.806824264", "1.76159416,-2.85772238", "swapped-branches"),
    "S03": (
        ["swiglu", "--x", "1", "--packed", "interleaved", "--wgu", "1,2,-1,3", "--wd", EYE, *FINE],
        "1.46211716,-0.806824264",
        "-0.731058579,5.28478247",
        "packed-interleaved",
    ),
    "S04": (
        [*BRANCHES, *FINE],
        "product=1.46211716,-0.806824264",
        "product=1.76159416,-0.14227762",
        "activation-after-product",
    ),
    "S07": ([*CLAMPED, *FINE], "2.90348793", "0.967829312", "up-offset-missing"),
    "S08": ([*NO_LIMIT, *FINE], "2.0874933,-0.462612702", "0,-0.154204234", "limit-zero"),
    "S09": (
        ["swiglu", "--x", "1", "--wg", "-9", "--wu", "12", "--wd", "1", "--limit", "7", *FINE],
        "-0.00777385829",
        "-0.0446415085",
        "gate-clamped-below",
    ),
    "S10": ([*BRANCHES, *FINE], "1.46211716,-0.806824264", "1.69159153,-0.462612702", "quick-gelu"),
    "S13": (
        ["params", "--width", "97", "--hidden", "388", "--multiple-of", "256"],
        "512",
        "256",
        "cut-before-four",
    ),
    "S14": (["params", "--width", "24", "--hidden", "144"], "96", "48", "third-width"),
    "S15": (["params", "--width", "12", "--hidden", "48"], "32", "48", "same-width"),
    "S15 count": (
        ["params", "--width", "12", "--hidden", "48"],
        "parameters=1152",
        "parameters=1728",
        "same-width",
    ),
    "P01": (["params", SMALL_TIED], "4716", "5916", "tied-twice"),
    "P02": (["params", SMALL_TIED], "4716", "3516", "embedding-missing"),
    "P04": (["params", GPT2], "124439808", "163037184", "tied-twice"),
    "P05": (["params", LLAMA2], "6738415616", "5033164800", "layer-matrices-alone+two-matrices"),
    "P05 three matrices": (["params", LLAMA2], "6738415616", "6476005376", "layer-matrices-alone"),
    "P06": (["params", GPT2], "124439808", "84934656", "layer-matrices-alone"),
    "P07": (  # two matrices, no norms, no biases, and 1024 positions that no config has
        ["params", sized(152064, 8192, 24576, 80, 64, 64, False, "qwen2")],
        "72287920128",
        "56186896384",
        None,
    ),
    "P08": (
        ["params", sized(128256, 4096, 14336, 32, 32, 8, False)],
        "8030261248",
        "8835567616",
        "kv-as-heads",
    ),
    "P10": (
        ["params", sized(262144, 640, 2048, 18, 4, 1, True, "gemma3_text", head_dim=256)],
        "268098176",
        "257006720",
        "plain-block",
    ),
    "P11": (
        ["params", sized(151936, 896, 4864, 24, 14, 2, True, "qwen2")],
        "494032768",
        "494005120",
        "qkv-bias-missing",
    ),
    "P13": (["params", GEMMA7B], "8537680896", "8185359360", "head-dim-quotient"),
    "P13 parts": (["params", GEMMA7B], "non_embedding=7751248896", "non_embedding=8537680896", None),
    "P15": (["params", MIXTRAL], "46702792704", "7241732096", "dense-reading-of-experts"),
    "P15 whole": (["params", MIXTRAL], "46702792704", "57933856768", "dense-reading-of-experts"),
    "P15 active": (["params", MIXTRAL], "active=12879925248", "active=46702792704", None),
    "P16": (["params", SMALL], "5916", "7068", "ffn-four-times"),
    "P18": (["params", sized(32000, 288, 768, 6, 6, 6, True)], "15191712", "24407712", "tied-twice"),
    "C01": (
        ["swiglu", "--x", "1", "--wg", "11,12", "--wu", "9,10", "--wd", EYE, "--atol", "1e-4"],
        "98.9983,119.9993",
        "108,120",
        None,
    ),
}


def ids(comparison):
    return [mistake["id"] for mistake in comparison["mistakes"]]


@pytest.mark.parametrize("report", REPORTS)
def test_the_right_value_of_a_report_is_recognised(report):
    arguments, right, _, _ = REPORTS[report]
    done = call(*arguments, "--expect", right, "--json")
    comparison = done.json["comparison"]
    assert (done.exit, comparison["matches"], comparison["mistakes"]) == (0, True, [])
    assert comparison["first_difference"] is None
    assert comparison["convention"] is None


@pytest.mark.parametrize("report", REPORTS)
def test_the_wrong_value_of_a_report_is_named(report):
    arguments, _, wrong, mistake = REPORTS[report]
    done = call(*arguments, "--expect", wrong, "--json")
    comparison = done.json["comparison"]
    assert (done.exit, comparison["matches"]) == (1, False)
    if mistake is not None:
        assert mistake in ids(comparison)
        assert {"+" in one for one in ids(comparison)} == {"+" in mistake}, "pairs only where none fits alone"
    else:
        assert not comparison["mistakes"] or "+" in ids(comparison)[0]


# What else the comparison says


def compared(*arguments):
    return call(*arguments, "--json").json["comparison"]


def cautions(*arguments):
    return {note["id"]: note["text"] for note in call(*arguments, "--json").json["cautions"]}


def test_a_convention_is_told_with_its_users_and_does_not_match():
    comparison = compared(*REPORTS["R01"][0], "--expect", REPORTS["R01"][2])
    assert comparison["convention"].keys() == {"id", "title", "users"}
    assert "GPT-NeoX" in comparison["convention"]["users"]
    assert comparison["mistakes"][0]["kind"] == "convention"


def test_mistakes_have_the_documented_keys():
    comparison = compared("rmsnorm", "--x", "1,7", "--expect", "5,35")
    assert comparison["mistakes"][0].keys() == {"id", "kind", "title", "explanation", "max_abs_error"}
    assert comparison["max_abs_error"] == pytest.approx(33.6)
    assert comparison["first_difference"] == {"index": [0], "found": 5, "expected": pytest.approx(0.2)}


def test_two_mistakes_together_are_told_where_none_fits_alone():
    value = "query=-2.1672486114794682,-0.5504847464192957,4.320856351243258,2.515988949085589"
    comparison = compared(*rope(RAMP4, "3 3", "--rope-theta", "100"), "--expect", value)
    assert ids(comparison)[0] == "clockwise+one-based"
    assert "other way, and positions" in comparison["mistakes"][0]["title"]


@pytest.mark.parametrize(
    ("arguments", "index", "shapes"),
    [
        (["rmsnorm", "--x", "3,4", "--expect", "1,2,3"], [], ([3], [2])),
        (["rmsnorm", "--x", "3,4:4,5", "--expect", "1,2"], [], ([2], [2, 2])),
        (["rope", "--q", "1,0", "--k", "1,0", "--pos", "1", "2", "--expect", "dot=0,1,2"], [], ([3], [1])),
    ],
)
def test_another_shape_is_told_with_both_shapes(arguments, index, shapes):
    done = call(*arguments, "--json")
    comparison = done.json["comparison"]
    assert (done.exit, comparison["max_abs_error"]) == (1, None)
    first = comparison["first_difference"]
    assert (first["index"], first["found"], first["expected"]) == (index, *shapes)


def test_the_first_difference_of_a_matrix_has_its_row_and_column():
    value = "0.848528,1.131371:0.9,1.104315"
    comparison = compared("rmsnorm", "--x", "3,4:4,5", "--expect", value)
    assert comparison["first_difference"]["index"] == [1, 0]


@pytest.mark.parametrize(("atol", "exit"), [("0.00001", 0), ("0.000009", 1)])
def test_the_tolerance_is_inclusive_and_exact(atol, exit):
    arguments = ["rope", "--q", "1,0", "--k", "1,0", "--pos", "1", "1"]
    assert call(*arguments, "--expect", "dot=1.00001", "--atol", atol).exit == exit


def test_a_relative_tolerance_grows_with_the_right_value():
    arguments = ["rmsnorm", "--x", "30000,40000", "--expect", "denominator=35356"]
    assert call(*arguments).exit == 1
    assert call(*arguments, "--rtol", "1e-4").exit == 0


# Several values


def test_each_position_has_its_value_in_turn():
    positions = ["--pos", "0", "1", "--pos", "1", "2", "--pos", "0", "2"]
    arguments = ["rope", "--q", "1,0", "--k", "1,0", *positions]
    right = call(*arguments, "--expect", "dot=0", "--expect", "dot=0", "--expect", "dot=-1", "--json")
    assert right.exit == 0
    assert [one["place"] for one in right.json["comparison"]["comparisons"]] == [1, 2, 3]
    wrong = call(*arguments, "--expect", "dot=0", "--expect", "dot=0", "--expect", "dot=1", "--json")
    comparison = wrong.json["comparison"]
    assert (wrong.exit, comparison["place"]) == (1, 3)
    assert [one["matches"] for one in comparison["comparisons"]] == [True, True, False]
    assert call(*arguments, "--expect", "dot=0,0,-1").exit == 0
    assert call(*arguments, "--expect", "query=1,0:0,1:1,0").exit == 0


def test_values_of_several_names_hold_only_together():
    arguments = ["rope", "--q", "1,0", "--k", "1,0", "--pos", "2", "3"]
    values = ["--expect", "query=-1,0", "--expect", "key=0,-1", "--expect", "dot=0"]
    assert call(*arguments, *values, "--expect", "visible=no", "--expect", "score=0").exit == 0
    wrong = call(*arguments, *values, "--expect", "visible=是", "--json")
    assert (wrong.exit, ids(wrong.json["comparison"])) == (1, ["mask-ignored", "mask-reversed"])


def test_what_one_value_hides_another_may_rule_out():
    arguments = ["rope", "--q", "1,2,3,4", "--k", "2,1,0,1", "--pos", "3", "0"]
    alone = compared(*arguments, "--expect", "key=2,1,0,1")
    assert "position-zero" in cautions(*arguments, "--expect", "key=2,1,0,1") or alone["cannot_tell"]
    assert "clockwise" in alone["cannot_tell"]
    query = call(*arguments, "--json").json["result"]["rows"][0]["query"]
    both = compared(*arguments, "--expect", "key=2,1,0,1", "--expect", f"query={query}")
    assert both["matches"]
    assert "clockwise" not in both["cannot_tell"]


def test_several_models_are_compared_in_turn():
    assert call("params", SMALL_TIED, SMALL, "--expect", "4716", "--expect", "5916").exit == 0
    assert call("params", SMALL_TIED, SMALL, "--expect", "4716", "--expect", "4716").exit == 1


# Honest answers


@pytest.mark.parametrize(
    ("arguments", "hidden"),
    [
        (["rope", "--q", "1,0", "--k", "1,0", "--pos", "0", "0", "--expect", "query=1,0"], "clockwise"),
        (["rope", "--q", "1,0", "--k", "2,1", "--pos", "1", "2", "--expect", "query=0,1"], "other-layout"),
        (
            ["swiglu", "--x", "1,-1", "--wg", EYE, "--wu", EYE, "--expect", "0.731059,0.268941"],
            "swapped-branches",
        ),
        (["swiglu", "--x", "1,2", "--wg", EYE, "--wu", "2,1:1,2", "--expect", "gate=1,2"], "transposed"),
        (["rmsnorm", "--x", "1,1", "--expect", "1,1"], "no-root"),
        (["rmsnorm", "--x", "3,4", "--eps", "1e-6", "--expect", "0.8485,1.1314"], "eps-outside"),
        (["rmsnorm", "--x", "1,-1", "--expect", "1,-1"], "centred"),
    ],
)
def test_a_right_value_says_which_mistakes_this_input_hides(arguments, hidden):
    comparison = compared(*arguments)
    assert comparison["matches"]
    assert hidden in comparison["cannot_tell"]
    assert comparison["try"] in cautions(*arguments)["try"]


def test_the_offered_call_works_and_shows_what_was_hidden():
    arguments = ["rope", "--q", "1,0", "--k", "1,0", "--pos", "0", "0", "--expect", "query=1,0"]
    comparison = compared(*arguments)
    offered = shlex.split(comparison["try"])[1:]
    row = call(*offered, "--json").json["result"]["rows"][0]
    again = compared(*offered, "--expect", f"query={row['query']}")
    assert again["matches"]
    assert again["cannot_tell"] == []


def test_no_call_is_offered_where_no_input_tells_two_mistakes_apart():
    """Without biases, the halves in the other order are the branches exchanged, whatever the numbers are."""
    packed = ["swiglu", "--packed", "gate-up", "--x", "1", "--wgu", "1,2,-1,3", "--wd", EYE]
    silu = {a: a / (1 + 2.718281828459045**-a) for a in (-1, 3)}
    comparison = compared(*packed, "--expect", f"{silu[-1] * 1!r},{silu[3] * 2!r}")
    assert ids(comparison) == ["swapped-branches", "packed-order"]
    assert comparison["try"] is None
    assert not {"expect.try"} & cautions(*packed, "--expect", f"{silu[-1]!r},{silu[3] * 2!r}").keys()
    several = compared("rmsnorm", "--x", "2,2", "--expect", "0.5,0.5")
    assert len(ids(several)) > 1
    assert several["try"].startswith("dense rmsnorm")


@pytest.mark.parametrize(
    ("arguments", "value", "tried"),
    [
        (rope("1,0,2,1", "3 1"), "dot=0.7", False),  # one digit fits too much
        (rope("1,0,2,1", "3 1"), "dot=0.7123", True),
        (["rmsnorm", "--x", "3,4,8"], "0.31,0.72,1.93", True),
        (["rmsnorm", "--x", "3,4,8", "--dtype", "float16"], "0.31,0.72,1.93", False),
    ],
)
def test_whether_two_together_were_tried_is_said_as_it_was(arguments, value, tried):
    comparison = compared(*arguments, "--expect", value)
    assert (ids(comparison), comparison["pairs_tried"]) == ([], tried)
    page = call(*arguments, "--expect", value).out
    assert ("alone or two together" in page) == tried
    assert ("two together were not tried" in page) == (not tried)


def test_an_input_that_hides_nothing_offers_nothing():
    comparison = compared(
        *rope("1,2,3,4", "3 5", "--rope-theta", "100", k="2,0.5,1,-1"), "--expect", "query=1"
    )
    assert comparison["try"] is None


@pytest.mark.parametrize(
    ("arguments", "note"),
    [
        ([*angle("0.25", 4), "--expect", row(1.5)], "at-position"),
        ([*rope("1,2", "3 3", "--angle", "0.5"), "--expect", "query=-0.0812685,2.2345907"], "at-position"),
        ([*rope("1,0", "9 2", "--angle", "0.3"), "--expect", f"dot={cos(0.3 * 3)!r}"], "at-distance"),
        ([*rope(RAMP4, "3 3"), "--expect", "query=0.1,0.2,0.3,0.4"], "length-changed"),
        (["rmsnorm", "--x", "3,4,8", "--expect", "5.50791,7.34388,14.68776"], "factor"),
        (["rmsnorm", "--x", "3,4,8", "--expect", "-0.550791,-0.734388,-1.468776"], "negative"),
        (["rmsnorm", "--x", "3,4,8", "--expect", "-0.550791,0.734388,1.468776"], "signs"),
        (["rmsnorm", "--x", "3,4,8", "--expect", "1.468776,0.734388,0.550791"], "permuted"),
        (["rmsnorm", "--x", "3,4,8", "--expect", "0.650791,0.834388,1.568776"], "added"),
        (["rmsnorm", "--x", "3,4,8", "--expect", "0.55,0.73,1.47"], "rounded"),
        (["rmsnorm", "--x", "3,4,8", "--expect", "-0.93,-0.46,1.39"], "nearly"),
        (["rmsnorm", "--x", "3,4,8", "--expect", "0.550791,9,1.468776"], "some-right"),
        (["rmsnorm", "--x", "3,4,8", "--expect", "0.550791,0.734388"], "beginning"),
        (["rmsnorm", "--x", "3,4,8", "--expect", "denominator=13.616779"], "ratio"),
        (["params", SMALL_TIED, "--expect", "4704"], "smaller-one"),
        (["params", SMALL_TIED, "--expect", "6468"], "layers-more"),
        (["params", SMALL_TIED, "--expect", "4715"], "no-term"),
        (["params", SMALL_TIED, "--expect", "4720"], "rounded-whole"),
    ],
)
def test_what_can_still_be_said_of_a_value_that_nothing_explains(arguments, note):
    comparison = compared(*arguments)
    assert not comparison["matches"]
    assert not comparison["mistakes"] or "+" in comparison["mistakes"][0]["id"]
    assert note in cautions(*arguments)


def test_the_position_that_was_used_is_named():
    """R27, head 2 at position 4: the angle of position 6."""
    note = cautions(*angle("0.25", 4), "--expect", row(1.5))["at-position"]
    assert "position 6" in note
    assert "position 4" in note


# Counts


@pytest.mark.parametrize(
    ("arguments", "term"),
    [
        (["params", SMALL_TIED, "--expect", "5916"], "larger by V · C = 100 · 12 = 1200"),
        (
            ["params", sized(128256, 4096, 14336, 32, 32, 8, False), "--expect", "8835567616"],
            "larger by 2 · L · C · (H - K) · D = 2 · 32 · 4096 · (32 - 8) · 128 = 805306368",
        ),
        (
            ["params", SMALL, "--expect", "7068"],
            "larger by 3 · L · C · (4 · C - F) = 3 · 2 · 12 · (4 · 12 - 32) = 1152",
        ),
        (
            ["params", sized(151936, 896, 4864, 24, 14, 2, True, "qwen2"), "--expect", "494005120"],
            "smaller by",
        ),
    ],
)
def test_the_term_that_makes_the_difference_is_written_out(arguments, term):
    explanations = " ".join(mistake["explanation"] for mistake in compared(*arguments)["mistakes"])
    assert term in explanations.replace("·", " · ").replace("  ", " ")


@pytest.mark.parametrize(
    "typed", ["6.74B", "6.74 G", "6.7b", "7B", "6738M", "6.74e9", "67亿", "~6.74B", "6,738,415,616"]
)
def test_a_rounded_count_is_right_where_the_count_rounds_to_it(typed):
    assert call("params", LLAMA2, "--expect", typed).exit == 0


@pytest.mark.parametrize("typed", ["6.73B", "6.75B", "6.8B", "8B", "6738415617", "6740000000", "68亿"])
def test_a_count_that_it_does_not_round_to_is_wrong(typed):
    assert call("params", LLAMA2, "--expect", typed).exit == 1


def test_the_term_is_that_of_the_setting_that_makes_the_count():
    """Embedding and head left out: 2 · 32000 · 4096, and not the embedding alone."""
    comparison = compared("params", LLAMA2, "--expect", str(6738415616 - 262144000))
    (told,) = (one for one in comparison["mistakes"] if one["id"] == "embedding-missing")
    assert told["explanation"].endswith("smaller by 2 · V · C = 2 · 32000 · 4096 = 262144000.")


def test_a_rounded_count_names_the_mistake_that_rounds_to_it():
    comparison = compared("params", sized(128256, 4096, 14336, 32, 32, 8, False), "--expect", "8.836B")
    assert "kv-as-heads" in ids(comparison)


@pytest.mark.parametrize(
    ("typed", "exit"), [("33", 0), ("34", 0), ("33.333", 0), ("33.3", 0), ("32", 1), ("33.4", 1)]
)
def test_widths_next_to_one_that_is_not_whole_are_right(typed, exit):
    assert call("params", "--width", "12", "--hidden", "50", "--expect", typed).exit == exit


def test_every_number_of_a_model_can_be_asked_about():
    """Each with the value that the result itself has."""
    model = call("params", MIXTRAL, "--json").json["result"]["models"][0]
    flat = {
        **model["parts"],
        **{name: model[name] for name in ("total", "active", "non_embedding", "biases")},
    }
    flat |= {name: model[name] for name in ("kv_cache_bytes_per_token", "weight_bytes")}
    values = [f"--expect={name}={value}" for name, value in flat.items()]
    comparison = compared("params", MIXTRAL, *values)
    assert comparison["matches"]
    assert len(comparison["comparisons"]) == len(flat) == 12


# Other sources, formats, refusals


def test_values_may_come_from_a_file(tmp_path):
    file = tmp_path / "a=b.csv"
    file.write_text("0.2,1.4\n", encoding="utf-8")
    assert call("rmsnorm", "--x", "1,7", "--expect", f"@{file}").exit == 0
    assert call("rmsnorm", "--x", "1,7", "--expect", f"output=@{file}").exit == 0
    file.write_text("5\n35\n", encoding="utf-8")
    assert ids(compared("rmsnorm", "--x", "1,7", "--expect", f"@{file}")) == ["multiplied"]


def test_a_config_in_a_file_brings_its_mistakes_too(tmp_path):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(DYNAMIC), encoding="utf-8")
    wrong = ["--atol", "1e-9", "--expect", "theta=1,0.0693361274,0.00480749857,0.000333333333"]
    for source in (file, tmp_path):
        arguments = ["rope", "--frequencies", "--config", str(source), "--seq-len", "96", *wrong]
        assert ids(compared(*arguments)) == ["dynamic-length-fixed"]


def test_angles_typed_beside_a_config_are_not_those_of_its_settings():
    """A base of its own: the config's lengths and kinds of layers say nothing of it."""
    config = json.dumps({**DYNAMIC, "hidden_size": 4})
    arguments = rope("1,2,3,4", "3 5", "--config", config, "--rope-theta", "100")
    base = 10000 * 3 ** (4 / 2)  # of the config at its greatest length
    turned = (1 * cos(3) - 3 * sin(3), 0.0, 1 * sin(3) + 3 * cos(3), 0.0)
    angle = 3 * base**-0.5
    turned = (turned[0], 2 * cos(angle) - 4 * sin(angle), turned[2], 2 * sin(angle) + 4 * cos(angle))
    told = compared(*arguments, "--expect", f"query={','.join(map(repr, turned))}")
    assert "dynamic-length-fixed" not in "+".join(ids(told))


def test_a_short_format_is_compared_with_its_own_arithmetic():
    arguments = ["rmsnorm", "--x", "3,4", "--dtype", "bfloat16"]
    assert call(*arguments, "--expect", "0.84765625,1.1328125", "--atol", "0").exit == 0
    wrong = compared(*arguments, "--expect", "0.848528137423857,1.131370849898476", "--atol", "1e-9")
    assert ids(wrong) == ["not-rounded"]
    assert "multiplied" in ids(compared("rmsnorm", "--x", "1,7", "--dtype", "bfloat16", "--expect", "5,35"))


def test_layernorm_is_compared_with_layernorm():
    arguments = ["rmsnorm", "--x", "3,4", "--layernorm"]
    assert call(*arguments, "--expect", "layernorm=-1,1").exit == 0
    assert call(*arguments, "--expect", "output=-1,1").exit == 1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("format", render.FORMATS)
@pytest.mark.parametrize(
    "arguments",
    [
        [*REPORTS["R01"][0], "--expect", REPORTS["R01"][2]],
        ["rope", "--q", "1,0", "--k", "1,0", "--pos", "0", "1", "--expect", "query=1,0", "--expect", "dot=1"],
        ["rmsnorm", "--x", "0,2", "--expect", "0,1"],
        ["params", SMALL_TIED, "--expect", "5916"],
    ],
    ids=["convention", "several", "alike", "count"],
)
def test_a_comparison_is_told_in_every_format_and_language(arguments, format, language):
    shown = call(*arguments, "--format", format, "--lang", language)
    assert shown.exit == 1 or "dot=1" in arguments
    assert shown.err == ""
    if language == "zh" and format == "plain":
        below = shown.out.partition("你的结果")[2]
        assert not re.search(r"\b(the|is|not|and|with)\b", below), below


def test_words_follow_the_language():
    english = compared("rmsnorm", "--x", "1,7", "--expect", "5,35")["mistakes"][0]["title"]
    chinese = compared("rmsnorm", "--x", "1,7", "--expect", "5,35", "--lang", "zh")["mistakes"][0]["title"]
    assert (english, chinese) == ("Multiplied, not divided", "该除却乘")


REFUSED = [
    (["rope", "--q", "1,0", "--k", "1,0", "--pos", "0", "1", "--expect", "0,1"], "query="),
    (["rope", "--q", "1,0", "--k", "1,0", "--pos", "0", "1", "--expect", "qery=0,1"], "query"),
    (["rope", "--q", "1,0", "--k", "1,0", "--pos", "0", "1", "--expect", "query="], "query="),
    (["rope", "--q", "1,0", "--k", "1,0", "--pos", "0", "1", "--expect", "query=x"], "x"),
    (["rope", "--q", "1,0", "--k", "1,0", "--pos", "0", "1", "--expect", "visible=1"], "1"),
    (["rope", "--q", "1,0", "--k", "1,0", "--pos", "0", "1", "--expect", "dot=0", "--expect", "dot=1"], "2"),
    (["rope", "--q", "1,0", "--k", "1,0", "--pos", "0", "1", "--atol", "1"], "--atol"),
    (["rope", "--frequencies", "--head-dim", "4", "--expect", "query=1"], "theta"),
    (["rmsnorm", "--x", "3,4", "--expect", "1,nan"], "nan"),
    (["rmsnorm", "--x", "3,4", "--expect", "layernorm=1,1"], "output"),
    (["rmsnorm", "--x", "3,4", "--expect", "1,1", "--atol", "-1"], "-1"),
    (["rmsnorm", "--x", "3,4", "--expect", "@nobody.npy"], "nobody.npy"),
    (["params", SMALL, "--expect", "5.9Q"], "Q"),
    (["params", SMALL, "--expect", "many"], "many"),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("arguments", "says"), REFUSED, ids=[" ".join(row[0][-2:]) for row in REFUSED])
def test_what_cannot_be_compared_is_refused(arguments, says, language):
    refused = call(*arguments, "--lang", language)
    assert (refused.exit, refused.out) == (2, "")
    assert says in refused.err
    assert len(refused.err.splitlines()) == 2


@pytest.mark.parametrize(
    ("x", "eps", "taken", "english", "chinese"),
    [
        ((0.003, 0.004), "1e-5", 1e-6, "Here it is 1e-6.", "这里是 1e-6。"),
        ((0.003, 0.004), "1e-5", 2.0**-7, "Here it is 0.0078125.", "这里是 0.0078125。"),
        (
            (3.0, 4.0),
            "0.1",
            0.0,
            "Here it may be any of 0, 1e-12, 1e-8, 1.19209e-7, 1e-6, 1e-5: this input",
            "这里可能是 0、1e-12、1e-8、1.19209e-7、1e-6、1e-5 中的任何一个",
        ),
    ],
)
def test_another_epsilon_is_told_by_its_value(x, eps, taken, english, chinese):
    root = ((x[0] ** 2 + x[1] ** 2) / 2 + taken) ** 0.5
    typed = ",".join(repr(value / root) for value in x)
    asked = ("rmsnorm", "--x", ",".join(map(repr, x)), "--eps", eps, "--expect", f"output={typed}")
    assert call(*asked).exit == 1
    assert english in call(*asked).out
    assert chinese in call(*asked, "--lang", "zh").out
    (found,) = call(*asked, "--json").json["comparison"]["mistakes"]
    assert found["id"] == "eps-other"
    assert english in found["explanation"]
