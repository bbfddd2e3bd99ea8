"""Headers as the format's library writes them are read at once, and mean what the exact reading says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dense_cli.errors import DenseError
from dense_cli.models import checkpoint as checkpoints
from dense_cli.models import headers
from dense_cli.models.checkpoint import checkpoint
from dense_cli.models.headers import header
from dense_cli.models.tensor_entries import BITS, usual_tensors
from tests.models.checkpoint_files import header_of, packed, sharded

AGAIN = settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
METADATA = '"__metadata__":{"format":"pt"},'


def compact(entries: dict[str, Any]) -> str:
    """Without a blank, as the format's library writes."""
    return json.dumps(entries, separators=(",", ":"), ensure_ascii=False)


def usual(text: str, size: int) -> object:
    start = 8 + len(text.encode())
    return usual_tensors(text, start, start + size)


def exact(path: Path) -> object:
    """What a header is without the quick reading."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(headers, "usual_tensors", lambda *given: None)
        return verdict(path)


def verdict(path: Path) -> object:
    """The header, or what is wrong with it."""
    try:
        return header(str(path), "x")
    except DenseError as error:
        return error.key, error.facts


ONE = '"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}'
TWO = '"y":{"dtype":"F16","shape":[],"data_offsets":[2,4]}'

USUAL = {
    "one": ("{" + ONE + "}", 2),
    "two": ("{" + ONE + "," + TWO + "}", 4),
    "metadata": ("{" + METADATA + ONE + "}", 2),
    "blanks behind": ("{" + ONE + "}     ", 2),
    "no name": (compact(header_of({"": (1,)})), 1),
    "no ASCII": (compact(header_of({"权重\x7f\u2028": (1,)})), 1),
    "nothing in it": (compact(header_of({"x": (0, 5), "y": (3,), "z": (1, 0)})), 3),
    "half bytes": ('{"x":{"dtype":"F4","shape":[2,3],"data_offsets":[0,3]}}', 3),
    "axes": (compact(header_of({"x": (1,) * 16})), 1),
    "exabytes": (compact(header_of({"x": (1 << 60,)})), 1 << 60),
    "longer than a block": (compact(header_of({f"layer.{i}": (i,) for i in range(2000)})), 1999 * 1000),
    "brackets in a name": (compact(header_of({"},x{[]},": (1,), "y": (1,)})), 2),
}


@pytest.mark.parametrize("name", USUAL)
def test_what_is_read_at_once(name: str) -> None:
    """Every tensor as JSON has it, with its place after the header."""
    text, size = USUAL[name]
    start = 8 + len(text.encode())
    expected = {
        key: (one["dtype"], tuple(one["shape"]), start + one["data_offsets"][0])
        for key, one in json.loads(text).items()
        if key != "__metadata__"
    }
    found = usual_tensors(text, start, start + size)
    assert found is not None
    assert list(found.items()) == [
        (key, (*one, BITS[one[0]] * product(one[1]) // 8)) for key, one in expected.items()
    ]


def product(sizes: tuple[int, ...]) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total


def one(**changes: str) -> str:
    """A header of one tensor, whose fields are written so."""
    fields = {"dtype": '"U8"', "shape": "[2]", "data_offsets": "[0,2]"} | changes
    return '{"x":{' + ",".join(f'"{name}":{value}' for name, value in fields.items()) + "}}"


LONG = compact(header_of({f"layer.{i}": (1,) for i in range(2000)}))

UNUSUAL = {
    "blank": ('{"x": {"dtype":"U8","shape":[2],"data_offsets":[0,2]}}', 2),
    "other order": ('{"x":{"shape":[2],"dtype":"U8","data_offsets":[0,2]}}', 2),
    "nothing": ("{}", 0),
    "metadata alone": ('{"__metadata__":{"format":"pt"}}', 0),
    "metadata before nothing": ("{" + METADATA + "}", 0),
    "metadata behind": ("{" + ONE + "," + METADATA[:-1] + "}", 2),
    "metadata twice": ("{" + METADATA + METADATA + ONE + "}", 2),
    "a key of it twice": ('{"__metadata__":{"a":"1","a":"2"},' + ONE + "}", 2),
    "metadata like a tensor": ("{" + ONE.replace('"x"', '"__metadata__"') + "}", 2),
    "and one that overlaps": ("{" + ONE.replace('"x"', '"__metadata__"') + "," + ONE + "}", 2),
    "name twice": ("{" + ONE + "," + ONE.replace("[0,2]", "[2,4]") + "}", 4),
    "name twice, once escaped": (
        "{" + ONE + "," + ONE.replace("x", "\\u0078").replace("0,2", "2,4") + "}",
        4,
    ),
    "field twice, once escaped": (one(**{"\\u0064type": '"I8"'}), 2),
    "all fields escaped in one of two": (
        "{" + ONE + ',"x":{"\\u0064type":"I8","\\u0073hape":[2],"\\u0064ata_offsets":[0,2]}}',
        2,
    ),
    "one field more": (one(more="1"), 2),
    "control character": ("{" + ONE.replace("x", "x\x1f") + "}", 2),
    "quotation mark": ("{" + ONE.replace("x", 'x\\"') + "}", 2),
    "comma behind": ("{" + ONE + ",}", 2),
    "no comma": ("{" + ONE + TWO + "}", 4),
    "two commas": ("{" + ONE + ",," + TWO + "}", 4),
    "brace between": ("{" + ONE + "}{" + TWO + "}", 4),
    "unclosed": ("{" + ONE, 2),
    "closed by a bracket": ("{" + ONE + "]", 2),
    "closed twice": ("{" + ONE + "}}", 2),
    "tab behind": ("{" + ONE + "}\t", 2),
    "zeros before": (one(data_offsets="[0,02]"), 2),
    "zeros before a size": (one(shape="[02]"), 2),
    "no size": (one(shape="[2,]"), 2),
    "no number": (one(data_offsets="[,2]"), 2),
    "other digits": (one(shape="[٢]"), 2),
    "sign": (one(data_offsets="[-0,2]"), 2),
    "exponent": (one(data_offsets="[0,2e0]"), 2),
    "thousands of digits": (one(shape="[" + "9" * 5000 + "]"), 2),
    "too large for a size": (one(shape=f"[0,{1 << 63}]", data_offsets="[0,0]"), 0),
    "axes": (one(shape="[" + "1," * 16 + "2]"), 2),
    "kind": (one(dtype='"U9"'), 2),
    "no kind": (one(dtype='""'), 2),
    "half a byte": (one(dtype='"F4"', shape="[3]"), 2),
    "bytes": (one(shape="[3]"), 2),
    "bytes left over": (one(), 3),
    "bytes missing": (one(), 1),
    "hole": ("{" + ONE + "," + TWO.replace("2,4", "3,5") + "}", 5),
    "overlap": ("{" + ONE + "," + TWO.replace("2,4", "1,3") + "}", 3),
    "not at the beginning": (one(data_offsets="[1,3]"), 3),
    "in another order": ("{" + TWO + "," + ONE + "}", 4),
    "a name like the end of a block": (
        compact(header_of({"},x{[]}," * 5000: (1,), "y": (1,)})),
        2,
    ),
    "fault in a later block": (LONG.replace("[1800,", "[1801,"), 2000),
    "name twice in two blocks": (LONG.replace("layer.1800", "layer.1"), 2000),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_what_is_left_to_the_exact_reading(name: str) -> None:
    text, size = UNUSUAL[name]
    assert usual(text, size) is None


FAULTLESS = {
    "blank", "other order", "nothing", "metadata alone", "metadata behind", "metadata twice",
    "a key of it twice", "quotation mark", "in another order", "name twice", "name twice, once escaped",
    "name twice in two blocks", "tab behind", "one field more",
    "all fields escaped in one of two", "a name like the end of a block",
}  # fmt: skip
"""What the exact reading takes all the same."""


@pytest.mark.parametrize("name", UNUSUAL)
def test_what_the_exact_reading_says_of_it(name: str, tmp_path: Path) -> None:
    text, size = UNUSUAL[name]
    path = tmp_path / "x.safetensors"
    path.write_bytes(packed(text.encode(), bytes(size)))
    assert isinstance(verdict(path), tuple) is (name not in FAULTLESS)


def test_metadata_that_comes_twice_is_noticed_and_no_tensor(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(packed(UNUSUAL["metadata twice"][0].encode(), bytes(2)))
    found = header(str(path), "x")
    assert (set(found.tensors), found.twice) == ({"x"}, ("__metadata__",))


@AGAIN
@given(st.data())
def test_both_readings_agree(tmp_path: Path, data: st.DataObject) -> None:
    """On sound headers and on those in which a few characters are other ones."""
    names = st.text(st.sampled_from('ab.0"\\é_'), max_size=4)
    entries: dict[str, Any] = {}
    place = 0
    for name in data.draw(st.lists(names, unique=data.draw(st.booleans()), max_size=4)):
        kind = data.draw(st.sampled_from(["U8", "F16", "F4", "F64"]))
        shape = data.draw(st.lists(st.integers(0, 12), max_size=3))
        end = place + product(tuple(shape)) * BITS[kind] // 8
        entries[name] = {"dtype": kind, "shape": shape, "data_offsets": [place, end]}
        place = end
    text = compact(entries)
    if data.draw(st.booleans()) and entries:
        text = "{" + METADATA + text[1:]
    for _ in range(data.draw(st.integers(0, 2))):
        at = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 2))
        text = (
            text[:at]
            + data.draw(st.text(st.sampled_from('{}[]",:0129-. \\x'), max_size=2))
            + text[at + cut :]
        )
    path = tmp_path / "x.safetensors"
    size = max(0, place + data.draw(st.sampled_from([0, 0, 0, 1, -1])))
    path.write_bytes(packed(text.encode() + b" " * data.draw(st.integers(0, 2)), bytes(size)))
    assert verdict(path) == exact(path)


@AGAIN
@given(
    shards=st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=1, max_size=3),
    moved=st.dictionaries(st.sampled_from("abcde"), st.integers(0, 2), max_size=2),
    left_out=st.sets(st.sampled_from("abcd"), max_size=1),
)
def test_an_index_that_is_right_is_seen_at_once(
    tmp_path: Path, shards: list[set[str]], moved: dict[str, int], left_out: set[str]
) -> None:
    """And gives the checkpoint that looking at each tensor gives."""
    files = [f"model-{number:05d}-of-{len(shards):05d}.safetensors" for number in range(1, len(shards) + 1)]
    places = {name: file for file, names in zip(files, shards, strict=True) for name in sorted(names)}
    places |= {name: files[number % len(files)] for name, number in moved.items()}
    told = {name: file for name, file in places.items() if name not in left_out}
    index = str(sharded(tmp_path, [dict.fromkeys(sorted(names), (2,)) for names in shards], weight_map=told))
    quick = checkpoint(index)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoints, "_lists", lambda *given: False)
        assert checkpoint(index) == quick
    held = {name: {files[at] for at, names in enumerate(shards) if name in names} for name in "abcd"}
    right = all({file} == held.get(name) for name, file in told.items()) and set(told) == set().union(*shards)
    assert right is (quick.findings == ())
