"""Headers are read without their numbers, and nothing that they say is believed unchecked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dense_cli.errors import DenseError
from dense_cli.models import file_start, headers
from dense_cli.models.checkpoint import checkpoint
from dense_cli.models.comparison import compare
from dense_cli.models.config import config_of, read_config
from dense_cli.models.file_start import FOREIGN, LONGEST_HEADER
from dense_cli.models.headers import MOST_MARKS, header
from dense_cli.models.shape import model_shape
from tests.models.checkpoint_files import packed, packed_json, sharded, sparse
from tests.models.reference import DATA, cases

CASES = [case for case in cases("checkpoints.json") if "directory" in case]
TENSOR = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}


def ids(path: str) -> list[tuple[str, str]]:
    """What else was noticed of a checkpoint."""
    return [(one.id, one.name) for one in checkpoint(path).findings]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_reference_checkpoints(case: dict[str, Any]) -> None:
    """Names and shapes disagree exactly where the model library says so."""
    folder = str(DATA / case["directory"])
    target = case["target_config"]
    config = read_config(folder) if isinstance(target, str) else config_of(target, "target")
    expected = case["expected"]
    if "unreadable" in expected:
        with pytest.raises(DenseError) as refusal:
            checkpoint(folder)
        assert "safetensors" in str(refusal.value.facts["typed"])
        return
    found = compare(model_shape(config), checkpoint(folder))
    assert found.fits is expected["fits"]
    assert [
        {
            "kind": one.kind,
            "name": one.name,
            **({"expected_shape": list(one.expected)} if one.expected is not None else {}),
            **({"found_shape": list(one.found)} if one.found is not None else {}),
        }
        for one in found.mismatches
    ] == expected["mismatches"]


def entry(**changes: Any) -> bytes:
    """A file of one tensor, with this changed in its entry."""
    return packed_json({"x": {**TENSOR, **changes}}, 24)


def two(first: list[int], second: list[int], size: int) -> bytes:
    """A file of two tensors at these places."""
    entries = {
        name: {"dtype": "U8", "shape": [ends[1] - ends[0]], "data_offsets": ends}
        for name, ends in (("x", first), ("y", second))
    }
    return packed_json(entries, size)


HOSTILE = {
    "empty": (b"", "weights-empty"),
    "seven bytes": (b"\x02" + bytes(6), "weights-short"),
    "terabytes of header": ((1 << 42).to_bytes(8, "little") + b"{}", "weights-header-length"),
    "largest length": (b"\xff" * 8 + b"{}", "weights-header-length"),
    "one byte too long": ((3).to_bytes(8, "little") + b"{}", "weights-header-length"),
    "no header": (bytes(8) + b"{}", "weights-header-length"),
    "not JSON": (packed(b"{x}"), "weights-header-json"),
    "a list": (packed(b"[{}]"), "weights-header-json"),
    "not UTF-8": (packed(b'{"\xff": 1}'), "weights-header-json"),
    "UTF-16": (packed('{"x": 1}'.encode("utf-16-le")), "weights-header-json"),
    "two documents": (packed(b"{}{}"), "weights-header-json"),
    "NaN": (packed(b'{"x": NaN}'), "weights-header-json"),
    "infinity": (packed(b'{"x": {"shape": [-Infinity]}}'), "weights-header-json"),
    "decimal": (entry(shape=[2.0, 3]), "weights-header-json"),
    "a number of 5000 digits": (packed(b'{"x": ' + b"9" * 5000 + b"}"), "weights-header-json"),
    "endless nesting": (packed(b'{"x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"), "weights-header-json"),
    "a key twice in an entry": (
        packed(b'{"x": {"dtype": "U8", "dtype": "U8", "shape": [], "data_offsets": [0, 1]}}', b"."),
        "weights-header-json",
    ),
    "entry is a list": (packed(b'{"x": []}'), "weights-entry"),
    "entry is null": (packed(b'{"x": null}'), "weights-entry"),
    "no shape": (packed(b'{"x": {"dtype": "F32", "data_offsets": [0, 0]}}'), "weights-entry"),
    "negative size": (entry(shape=[-2, -3]), "weights-entry"),
    "size true": (entry(shape=[True, 6]), "weights-entry"),
    "size null": (entry(shape=[None]), "weights-entry"),
    "size text": (entry(shape=["2", 3]), "weights-entry"),
    "shape is text": (entry(shape="23"), "weights-entry"),
    "huge size of nothing": (entry(shape=[0, 1 << 63], data_offsets=[0, 0]), "weights-entry"),
    "shape is an object": (entry(shape={}, data_offsets=[0, 4]), "weights-entry"),
    "shape is an empty text": (entry(shape="", data_offsets=[0, 4]), "weights-entry"),
    "text beside a huge size": (entry(shape=["", 1 << 63], data_offsets=[0, 0]), "weights-entry"),
    "text that would be repeated": (entry(shape=["x", 10**12], data_offsets=[0, 0]), "weights-entry"),
    "list that would be repeated": (entry(shape=[[0], 10**12], data_offsets=[0, 0]), "weights-entry"),
    "a product of many digits": (
        entry(shape=[(1 << 63) - 1] * 200_000, data_offsets=[0, 0]),
        "weights-entry",
    ),
    "sizes of many digits": (entry(shape=[10**4000] * 100, data_offsets=[0, 0]), "weights-entry"),
    "a product too large before a nought": (
        entry(shape=[1 << 32, 1 << 32, 0], data_offsets=[0, 0]),
        "weights-tensor-size",
    ),
    "nought with a sign": (
        packed(b'{"x": {"dtype": "U8", "shape": [-0], "data_offsets": [0, 0]}}'),
        "weights-header-json",
    ),
    "half a pair of surrogates": (packed_json({"\ud800": TENSOR}, 24), "weights-header-json"),
    "metadata of numbers": (packed_json({"__metadata__": {"a": 1}, "x": TENSOR}, 24), "weights-metadata"),
    "metadata of lists": (packed_json({"__metadata__": {"a": ["b"]}, "x": TENSOR}, 24), "weights-metadata"),
    "metadata is a list": (packed_json({"__metadata__": [], "x": TENSOR}, 24), "weights-metadata"),
    "metadata is a number": (packed_json({"__metadata__": 5, "x": TENSOR}, 24), "weights-metadata"),
    "metadata of numbers replaced": (
        packed(
            b'{"__metadata__": {"a": 1}, "__metadata__": {}, "x": {"dtype": "U8", "shape": [], '
            b'"data_offsets": [0, 1]}}',
            b".",
        ),
        "weights-metadata",
    ),
    "a thousand axes": (entry(shape=[1] * 1000 + [6]), "weights-entry"),
    "kind is a number": (entry(dtype=32), "weights-entry"),
    "kind is a list": (entry(dtype=["F32"]), "weights-entry"),
    "three ends": (entry(data_offsets=[0, 24, 24]), "weights-entry"),
    "no ends": (entry(data_offsets=[]), "weights-entry"),
    "negative begin": (entry(data_offsets=[-24, 0]), "weights-entry"),
    "begin false": (entry(data_offsets=[False, 24]), "weights-entry"),
    "end before begin": (entry(data_offsets=[24, 0]), "weights-tensor-size"),
    "unknown kind": (entry(dtype="F33"), "weights-dtype"),
    "kind in small letters": (entry(dtype="f32"), "weights-dtype"),
    "shape larger than its bytes": (entry(shape=[2, 4]), "weights-tensor-size"),
    "sizes whose product wraps around": (entry(shape=[1 << 32, 1 << 32]), "weights-tensor-size"),
    "beyond the file": (entry(shape=[1 << 40], data_offsets=[0, 1 << 42]), "weights-truncated"),
    "one byte short": (packed_json({"x": TENSOR}, 23), "weights-truncated"),
    "one byte left over": (packed_json({"x": TENSOR}, 25), "weights-offsets"),
    "overlap": (two([0, 8], [4, 12], 12), "weights-offsets"),
    "same place": (two([0, 8], [0, 8], 8), "weights-offsets"),
    "hole": (two([0, 8], [9, 17], 17), "weights-offsets"),
    "does not begin at 0": (two([1, 8], [8, 12], 12), "weights-offsets"),
    "Git LFS": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 1234\n",
        "weights-lfs-pointer",
    ),
    "torch.save": (b"PK\x03\x04" + bytes(100), "weights-torch-zip"),
    "older torch.save": (b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19." + bytes(100), "weights-pickle"),
    "GGUF": (b"GGUF\x03" + bytes(100), "weights-gguf"),
    "login page": (b"\n<!DOCTYPE html><html>" + b"." * 100, "weights-web-page"),
    "config": (b'{"model_type": "llama"}', "weights-json"),
    "NumPy": (b"\x93NUMPY\x01\x00" + bytes(100), "weights-numpy"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_with_their_reason(name: str, tmp_path: Path) -> None:
    raw, key = HOSTILE[name]
    path = tmp_path / "model.safetensors"
    path.write_bytes(raw)
    with pytest.raises(DenseError) as refusal:
        checkpoint(str(path))
    assert refusal.value.key == key


def test_every_foreign_format_is_in_the_table() -> None:
    assert {key for _, key in FOREIGN} <= {key for _, key in HOSTILE.values()}


def test_what_the_format_allows_is_read(tmp_path: Path) -> None:
    """Entries in any order, empty tensors, scalars, spaces behind the header, metadata, odd names, half
    bytes."""
    entries = {
        "b": {"dtype": "F4", "shape": [2, 3], "data_offsets": [4, 7]},
        "none": {"dtype": "F64", "shape": [0, 5], "data_offsets": [4, 4]},
        "a": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]},
        '权重 "dtype"\x1b': {"dtype": "BOOL", "shape": [1], "data_offsets": [7, 8]},
        "__metadata__": {"format": "pt"},
    }
    path = tmp_path / "x"
    path.write_bytes(packed(json.dumps(entries).encode() + b"   ", bytes(8)))
    assert {name: one.shape for name, one in header(str(path), "x").tensors.items()} == {
        "b": (2, 3),
        "none": (0, 5),
        "a": (),
        '权重 "dtype"\x1b': (1,),
    }


def test_a_header_longer_than_one_read(tmp_path: Path) -> None:
    shapes = {f"model.layers.{layer}.weight": (layer,) for layer in range(3000)}
    path = sparse(tmp_path / "long.safetensors", shapes)
    assert path.read_bytes()[:8] > b"\x00\x00\x01"
    assert {name: one.shape for name, one in header(str(path), "x").tensors.items()} == shapes


def test_a_file_that_becomes_shorter_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes((50).to_bytes(8, "little") + b'{"x":{}}')
    monkeypatch.setattr(file_start, "_size", lambda file, name: 100)
    with pytest.raises(DenseError, match="weights-header-length"):
        header(str(path), "x")


def test_a_crowded_header_is_not_taken_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headers, "usual_tensors", None)
    monkeypatch.setattr(headers, "json", None)
    path = tmp_path / "x.safetensors"
    path.write_bytes(packed(b'{"x":[' + b"[]," * (MOST_MARKS // 2 + 1) + b"[]]}"))
    assert path.stat().st_size < LONGEST_HEADER
    with pytest.raises(DenseError, match="weights-header-crowded"):
        header(str(path), "x")


def test_numbers_are_not_read(tmp_path: Path) -> None:
    """Eight gigabytes of them are as quickly looked at as none."""
    path = sparse(tmp_path / "model.safetensors", {"x": (1 << 33,)})
    assert checkpoint(str(path)).tensors["x"].shape == (1 << 33,)


@pytest.mark.parametrize("same_place", [True, False])
def test_a_name_twice_is_noticed_and_the_last_entry_holds(same_place: bool, tmp_path: Path) -> None:
    first = '"x": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}'
    ends = "[0, 4]" if same_place else "[4, 8]"
    last = f'"x": {{"dtype": "U8", "shape": [2, 2], "data_offsets": {ends}}}'
    path = tmp_path / "model.safetensors"
    path.write_bytes(packed(f"{{{first}, {last}}}".encode(), bytes(4 if same_place else 8)))
    found = checkpoint(str(path))
    assert found.tensors["x"].shape == (2, 2)
    assert [(one.id, one.name) for one in found.findings] == [("duplicate_name", "x")]


def test_a_name_three_times_may_have_left_its_numbers_in_the_file(tmp_path: Path) -> None:
    one = '"x": {{"dtype": "U8", "shape": [4], "data_offsets": [{}, {}]}}'
    path = tmp_path / "model.safetensors"
    path.write_bytes(
        packed(f"{{{', '.join(one.format(at, at + 4) for at in (0, 4, 8))}}}".encode(), bytes(12))
    )
    found = checkpoint(str(path))
    assert found.tensors["x"].begin == found.headers[str(path)].tensors["x"].begin
    assert [(one.id, one.name) for one in found.findings] == [("duplicate_name", "x")]


def test_metadata_twice_is_noticed_and_none_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    body = json.dumps(TENSOR)
    for metadata, findings in (
        ('"__metadata__": null', []),
        ('"__metadata__": {"a": "1", "a": "2"}', []),
        ('"__metadata__": {}, "__metadata__": {}', [("duplicate_name", "__metadata__")]),
    ):
        path.write_bytes(packed(f'{{{metadata}, "x": {body}}}'.encode(), bytes(24)))
        assert ids(str(path)) == findings


def test_what_comes_twice_in_the_metadata_of_an_index_is_of_no_account(tmp_path: Path) -> None:
    index = sharded(tmp_path, SHARDS)
    index.write_text('{"metadata": {"a": 1, "a": 2}, ' + index.read_text()[1:].partition(", ")[2])
    text = index.read_text()
    assert text.startswith('{"metadata": {"a": 1, "a": 2}')
    assert ids(str(index)) == []


def test_devices_pipes_and_folders_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.safetensors")
    for path in (str(tmp_path / "pipe.safetensors"), "/dev/zero"):
        with pytest.raises(DenseError, match="file-not-regular"):
            checkpoint(path)
    for path in ("nowhere.safetensors", "nowhere.json", "x/nowhere"):
        with pytest.raises(DenseError, match="weights-not-found"):
            checkpoint(path)
    with pytest.raises(DenseError, match="weights-unreadable"):
        checkpoint("null\0character")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "model.safetensors").mkdir()
    with pytest.raises(DenseError, match="weights-folder"):
        checkpoint(str(tmp_path / "own"))


def test_a_link_is_the_file_it_names(tmp_path: Path) -> None:
    (tmp_path / "blobs").mkdir()
    (tmp_path / "snapshot").mkdir()
    sparse(tmp_path / "blobs" / "4d7a", {"x": (2,)})
    os.symlink("../blobs/4d7a", tmp_path / "snapshot" / "model.safetensors")
    assert set(checkpoint(str(tmp_path / "snapshot")).tensors) == {"x"}


# --- shards and folders

SHARDS = ({"a": (2,), "b": (3,)}, {"c": (4,)})
FIRST, SECOND = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"


def test_shards_are_one_checkpoint(tmp_path: Path) -> None:
    index = sharded(tmp_path, SHARDS)
    for typed in (str(tmp_path), str(index)):
        found = checkpoint(typed)
        assert {name: one.shape for name, one in found.tensors.items()} == {"a": (2,), "b": (3,), "c": (4,)}
        assert found.findings == ()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"weight_map": {"a": FIRST, "b": SECOND, "c": SECOND}}, [("wrong_shard", "b")]),
        ({"weight_map": {"a": FIRST, "c": SECOND}}, [("not_in_index", "b")]),
        (
            {"weight_map": {"a": FIRST, "b": FIRST, "c": SECOND, "d": SECOND}},
            [("wrong_shard", "d")],
        ),
        ({"metadata": {"total_size": 10}}, [("total_size", "model.safetensors.index.json")]),
        ({"metadata": {"total_size": "9"}}, [("total_size", "model.safetensors.index.json")]),
        ({"metadata": {"total_size": 9.0}}, []),
        ({"metadata": {}}, []),
        ({"metadata": None}, []),
    ],
)
def test_what_an_index_says_wrongly_is_noticed(
    changes: dict[str, Any], expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    sharded(tmp_path, SHARDS, **changes)
    assert ids(str(tmp_path)) == expected


def test_a_tensor_in_two_shards_is_the_one_that_the_index_names(tmp_path: Path) -> None:
    sharded(tmp_path, ({"a": (2,)}, {"a": (3,), "c": (4,)}), weight_map={"a": SECOND, "c": FIRST})
    assert checkpoint(str(tmp_path)).tensors["a"].shape == (3,)
    sharded(tmp_path, ({"a": (2,)}, {"a": (3,), "c": (4,)}), weight_map={"a": FIRST, "c": SECOND})
    assert checkpoint(str(tmp_path)).tensors["a"].shape == (2,)
    assert ids(str(tmp_path)) == [("duplicate_name", "a")]


@pytest.mark.parametrize(
    "file",
    ["../x.safetensors", "/etc/passwd", "a/../../x", "a\\..\\..\\x", "C:x", "C:\\x", "..", "", "a\0b", "./x"],
)
def test_an_index_does_not_lead_out_of_its_folder(file: str, tmp_path: Path) -> None:
    sparse(tmp_path / "x.safetensors", {"a": (1,)})
    (tmp_path / "inner").mkdir()
    sharded(tmp_path / "inner", SHARDS, weight_map={"a": file})
    with pytest.raises(DenseError, match="weights-shard-outside"):
        checkpoint(str(tmp_path / "inner"))


@pytest.mark.parametrize("places", [None, [], {"a": 1}, {"a": FIRST, "b": 1}, {"a": [FIRST]}, {"a": None}])
def test_an_index_without_places_is_refused(places: object, tmp_path: Path) -> None:
    sharded(tmp_path, SHARDS, weight_map=places)
    with pytest.raises(DenseError, match="weights-index"):
        checkpoint(str(tmp_path))


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    index = sharded(tmp_path, SHARDS)
    (tmp_path / SECOND).unlink()
    with pytest.raises(DenseError, match=f"weights-shard-missing.*{SECOND}"):
        checkpoint(str(tmp_path))
    index.unlink()
    with pytest.raises(DenseError, match=f"weights-shard-missing.*{SECOND}"):
        checkpoint(str(tmp_path))


def test_folders(tmp_path: Path) -> None:
    """Numbered files need no index; one file needs no usual name; the usual name is taken first."""
    with pytest.raises(DenseError, match="weights-none\\("):
        checkpoint(str(tmp_path))
    (tmp_path / "pytorch_model.bin").write_bytes(b"PK\x03\x04")
    with pytest.raises(DenseError, match=r"weights-none-but.*pytorch_model"):
        checkpoint(str(tmp_path))
    for number in range(9):
        (tmp_path / f"part-{number}.bin").write_bytes(b"PK\x03\x04")
    with pytest.raises(DenseError, match="weights-none-but") as refusal:
        checkpoint(str(tmp_path))
    assert refusal.value.facts["found"][-1] == "…"
    sparse(tmp_path / "weights.safetensors", {"x": (1,)})
    assert set(checkpoint(str(tmp_path)).tensors) == {"x"}
    sparse(tmp_path / "other.safetensors", {"y": (1,)})
    with pytest.raises(DenseError, match="weights-several"):
        checkpoint(str(tmp_path))
    sparse(tmp_path / "model.safetensors", {"z": (1,)})
    assert set(checkpoint(str(tmp_path)).tensors) == {"z"}


def test_numbered_files_need_no_index(tmp_path: Path) -> None:
    sharded(tmp_path, SHARDS).unlink()
    assert set(checkpoint(str(tmp_path)).tensors) == {"a", "b", "c"}
    alone = checkpoint(str(tmp_path / SECOND))
    assert set(alone.tensors) == {"c"}
    assert alone.shard == (2, 2)


def test_a_config_of_a_trillion_layers_is_not_compared(tmp_path: Path) -> None:
    path = sparse(tmp_path / "model.safetensors", {"model.norm.weight": (4096,)})
    shape = model_shape(config_of({"model_type": "llama", "num_hidden_layers": 10**12}, "m"))
    with pytest.raises(DenseError, match="weights-too-many-tensors"):
        compare(shape, checkpoint(str(path)))


def test_numpy_is_not_needed() -> None:
    """Its import costs more than the headers of a thousand shards."""
    folder = str(DATA / "checkpoints" / "fits-but-non-finite")
    code = (
        "import sys\n"
        "from dense_cli.models.checkpoint import checkpoint\n"
        "from dense_cli.models.comparison import compare\n"
        "from dense_cli.models.weight_values import non_finite\n"
        "from dense_cli.models.config import read_config\n"
        "from dense_cli.models.shape import model_shape\n"
        f"found = checkpoint({folder!r})\n"
        f"assert compare(model_shape(read_config({folder!r})), found).fits and len(non_finite(found)) == 2\n"
        "assert 'numpy' not in sys.modules\n"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root, timeout=60)
