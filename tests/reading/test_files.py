"""Files of numbers: every format gives the same numbers, and nothing hostile is waited for or believed."""

import io
import json
import os
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.errors import DenseError
from dense_cli.reading.documents import decoded, json_document, nested_numbers
from dense_cli.reading.files import load, source

ROWS = ((1.0, -0.5, 0.1), (0.0, 2.0, 1e-3))


def safetensors(tensors, metadata=None):
    """The bytes of a file with these tensors: name → (dtype, shape, bytes)."""
    header, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def npy_header(shape, descr="'<f8'", version=1):
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY" + bytes((version, 0)) + struct.pack("<H" if version == 1 else "<I", len(text)) + text


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(text, kind="matrix"):
    with pytest.raises(DenseError) as found:
        load(text, kind)
    assert found.value.facts["typed"] == text
    return found.value


def test_every_format_gives_the_same_matrix(folder):
    array = np.array(ROWS)
    np.save("x.npy", array)
    np.save("fortran.npy", np.asfortranarray(array))
    np.save("big.npy", array.astype(">f8"))
    np.savez("x.npz", x=array, y=array * 2)
    np.savez_compressed("one.npz", only=array)
    (folder / "x.json").write_text(json.dumps(ROWS))
    (folder / "x.csv").write_text("1,-0.5,0.1\r\n0,2,1e-3\r\n")
    (folder / "semicolon.csv").write_text("1;-0,5;0,1\n0;2;1e-3\n")
    (folder / "x.tsv").write_text("1\t-0.5\t0.1\n0\t2\t1e-3\n")
    np.savetxt("x.txt", array, header="a comment")
    (folder / "typed.txt").write_text("1，−0.5，1/10\n0，2，1e-3\n", encoding="utf-8")
    (folder / "x.safetensors").write_bytes(
        safetensors({"a": ("F64", [2, 3], array.tobytes()), "b": ("F64", [1], b"\0" * 8)}, {"format": "pt"})
    )
    names = "x.npy fortran.npy big.npy x.npz:x one.npz one.npz:only x.safetensors:a"
    names += " x.json x.csv semicolon.csv x.tsv x.txt typed.txt"
    for name in names.split():
        assert load(f"@{name}", "matrix") == ROWS, name
        assert load(f"@{name}", "array") == ROWS, name
        assert np.array_equal(source(f"@{name}").array(), array), name
    assert load("@x.npz:y", "matrix")[0] == (2.0, -1.0, 0.2)


@pytest.mark.parametrize(("letter", "dtype"), [("e", "F16"), ("f", "F32"), ("d", "F64")])
def test_half_single_and_double_precision_are_widened_exactly(folder, letter, dtype):
    raw = struct.pack(f"<3{letter}", 1.5, -2.0, 0.25)
    (folder / "x.safetensors").write_bytes(safetensors({"x": (dtype, [3], raw)}))
    np.save("x.npy", np.array([1.5, -2.0, 0.25], dtype={"e": "f2", "f": "f4", "d": "f8"}[letter]))
    assert load("@x.safetensors", "vector") == load("@x.npy", "vector") == (1.5, -2.0, 0.25)


def test_bfloat16_is_the_upper_half_of_a_float32(folder):
    (folder / "x.safetensors").write_bytes(safetensors({"x": ("BF16", [3], b"\xc0\x3f\x00\xc0\xcd\x3d")}))
    expected = (1.5, -2.0, 0.10009765625)  # 0x3fc0, 0xc000, 0x3dcd
    assert load("@x.safetensors", "vector") == expected
    assert tuple(source("@x.safetensors").array()) == expected


def test_a_row_a_column_and_a_batch_of_one_are_taken_for_what_they_are(folder):
    np.save("row.npy", np.array([[1.0, 2.0]]))
    np.save("column.npy", np.array([[1.0], [2.0]]))
    np.save("vector.npy", np.array([1, 2]))
    np.save("batch.npy", np.array([[[1.0, 2.0], [3.0, 4.0]]]))
    np.save("scalar.npy", np.array(3.0))
    (folder / "column.txt").write_text("1\n2\n")
    for name in ("row.npy", "column.npy", "vector.npy", "column.txt"):
        assert load(f"@{name}", "vector") == (1.0, 2.0)
    assert load("@vector.npy", "matrix") == ((1.0, 2.0),)
    assert load("@batch.npy", "matrix") == ((1.0, 2.0), (3.0, 4.0))
    assert load("@batch.npy", "array") == (((1.0, 2.0), (3.0, 4.0)),)
    assert load("@scalar.npy", "vector") == (3.0,)
    assert refused("@batch.npy", "vector").key == "vector-has-rows"


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.booleans())
@settings(max_examples=50)
def test_axes_are_kept_in_either_order_of_storage(shape, columns_first):
    array = np.arange(np.prod(shape), dtype=float).reshape(shape)
    stored = source_of(np.asfortranarray(array) if columns_first else array)
    assert stored.nested() == as_tuples(array.tolist())
    assert np.array_equal(stored.array(), array)


def source_of(array):
    from dense_cli.reading.archives import npy

    file = io.BytesIO()
    np.save(file, array)
    size = file.tell()
    file.seek(0)
    return npy(file, size, "@x.npy")


def as_tuples(value):
    return tuple(map(as_tuples, value)) if isinstance(value, list) else value


def test_more_values_than_fit_tuples_are_for_an_array(folder):
    np.save("large.npy", np.zeros((400, 300), dtype=np.float32))
    assert refused("@large.npy").facts["count"] == 120_000
    assert source("@large.npy").count == 120_000
    assert source("@large.npy").array().shape == (400, 300)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_values_that_are_not_finite_are_refused_with_their_index(folder, bad):
    array = np.zeros((2, 3))
    array[1, 2] = bad
    np.save("x.npy", array)
    np.save("fortran.npy", np.asfortranarray(array))
    for name in ("@x.npy", "@fortran.npy"):
        error = refused(name)
        assert (error.key, error.facts["index"], error.facts["part"]) == (
            "file-not-finite",
            "[1, 2]",
            str(bad),
        )
        with pytest.raises(DenseError) as of_array:
            source(name).array()
        assert of_array.value.facts == error.facts


def test_a_header_that_claims_terabytes_is_refused_before_anything_is_read(folder):
    (folder / "x.npy").write_bytes(npy_header("(1000000, 1000000)") + b"\0" * 20)
    assert refused("@x.npy").key == "file-shape-too-large"
    (folder / "x.safetensors").write_bytes(
        struct.pack("<Q", 74)
        + b'{"x":{"dtype":"F64","shape":[1000000,1000000],"data_offsets":[0,8]}}      '
        + b"\0" * 8
    )
    assert refused("@x.safetensors").key == "file-shape-too-large"
    with zipfile.ZipFile("x.npz", "w") as archive:
        archive.writestr("x.npy", npy_header("(1000000, 1000000)") + b"\0" * 20)
    assert refused("@x.npz").key == "file-shape-too-large"


def test_pickled_objects_are_refused_without_advice_to_load_them(folder):
    np.save("x.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    np.savez("x.npz", x=np.array([None], dtype=object))
    assert refused("@x.npy").key == refused("@x.npz").key == "file-objects"


@pytest.mark.parametrize(
    "array", [np.array([True]), np.array([1j]), np.array(["a"]), np.zeros(1, dtype=[("a", "f8")])]
)
def test_values_that_are_no_real_numbers_are_refused(folder, array):
    np.save("x.npy", array)
    assert refused("@x.npy").key == "file-kind"


BROKEN = {
    "empty.npy": b"",
    "text.npy": b"1,0",
    "cut.npy": npy_header("(1,)")[:20],
    "nine.npy": npy_header("(1,)", version=9) + b"\0" * 8,
    "words.npy": npy_header("('a',)") + b"\0" * 8,
    "empty.npz": b"",
    "cut.npz": b"PK\x03\x04" + b"\0" * 40,
    "empty.safetensors": b"",
    "long.safetensors": struct.pack("<Q", 1 << 60) + b"{}",
    "list.safetensors": struct.pack("<Q", 4) + b"[1]\n" + b"\0" * 8,
    "quotes.csv": b'1,"2\n3,4',
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_damaged_file_is_refused_as_damaged(folder, name):
    (folder / name).write_bytes(BROKEN[name])
    assert refused(f"@{name}").key == "file-broken"


@pytest.mark.parametrize(
    "entry",
    [
        {"dtype": "F64", "shape": [1], "data_offsets": [0, 9]},
        {"dtype": "F64", "shape": [1], "data_offsets": [0, 7]},
        {"dtype": "F64", "shape": [1], "data_offsets": [8, 0]},
        {"dtype": "F64", "shape": [1], "data_offsets": [4, 12]},
        {"dtype": "F64", "shape": [-1], "data_offsets": [0, 8]},
        {"dtype": "F64", "shape": [True], "data_offsets": [0, 8]},
        {"dtype": "F64", "shape": "1", "data_offsets": [0, 8]},
        {"dtype": "F64", "shape": [1]},
        {"dtype": ["F64"], "shape": [1], "data_offsets": [0, 8]},
        {"dtype": "F8_E4M3", "shape": [1], "data_offsets": [0, 1]},
        {"dtype": "F64", "shape": [0], "data_offsets": [0, 0]},
        {"dtype": "F64", "shape": [1.5], "data_offsets": [0, 8]},
        [1],
        None,
    ],
)
def test_a_tensor_whose_header_lies_is_refused(folder, entry):
    text = json.dumps({"x": entry}).encode()
    (folder / "x.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + b"\0" * 8)
    assert refused("@x.safetensors").key in ("file-broken", "file-kind", "vector-empty")


def test_an_archive_of_several_arrays_needs_a_name(folder):
    np.savez("x.npz", query=np.ones(2), key=np.zeros(2))
    assert load("@x.npz:key", "vector") == (0.0, 0.0)
    assert refused("@x.npz").facts["names"] == ("query", "key")
    assert refused("@x.npz:qery").facts["names"] == ("query",)


def test_files_that_are_not_there_or_not_ordinary_are_refused_without_waiting(folder):
    (folder / "query.npy").write_bytes(b"")
    os.mkfifo(folder / "pipe.npy")
    os.mkdir(folder / "folder.npy")
    (folder / "device.npy").symlink_to("/dev/zero")
    (folder / "loop.npy").symlink_to("loop.npy")
    assert refused("@qery.npy").facts["near"][0] == "query.npy"
    assert refused("@qery.npy").hint == "file-missing-near"
    assert refused("@zzz/x.npy").hint == "file-missing"
    assert refused("@pipe.npy").key == refused("@device.npy").key == "file-not-regular"
    assert refused("@folder.npy").key == "file-is-folder"
    assert refused("@loop.npy").key == refused("@a\0b.npy").key == refused("@" + "x" * 5000 + ".npy").key
    assert refused("@x.pickle").key == refused("@").key == "file-format"


def test_a_link_to_an_ordinary_file_is_followed(folder):
    np.save("x.npy", np.ones(2))
    (folder / "link.npy").symlink_to("x.npy")
    assert load("@link.npy", "vector") == (1.0, 1.0)


def test_a_file_beyond_the_limit_is_refused_by_its_size(folder):
    with open("x.json", "wb") as file:
        file.truncate(1 << 40)
    assert refused("@x.json").key == "file-too-large"


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [
        ("x.json", "[1, NaN]", "json-not-finite"),
        ("x.json", "[1, -Infinity]", "json-not-finite"),
        ("x.json", "[1, 1e400]", "number-too-large"),
        ("x.json", "[1e-400]", "number-too-small"),
        ("x.json", "[" * 100_000, "json-too-deep"),
        ("x.json", "[" * 20 + "1" + "]" * 20, "file-too-deep"),
        ("x.json", "[" + "1" * 5000 + "]", "json-number-too-long"),
        ("x.json", '{"a": 1, "a": 2}', "json-duplicate-key"),
        ("x.json", '{"a": [1]}', "not-a-list-of-numbers"),
        ("x.json", "[1, true]", "not-numeric"),
        ("x.json", "[1, null]", "not-numeric"),
        ("x.json", "[1, [2]]", "mixed-brackets"),
        ("x.json", "[[1, 2], [3]]", "ragged-rows"),
        ("x.json", "[1,", "json-broken"),
        ("x.json", "[]", "vector-empty"),
        ("x.json", '["@x.json"]', "unexpected-sign"),
        ("x.csv", "a,b\n1,2\n", "cell-not-a-number"),
        ("x.csv", "1,2\n3\n", "ragged-rows"),
        ("x.csv", "1,\n2,3\n", "cell-not-a-number"),
        ("x.csv", "1,nan\n", "cell-not-a-number"),
        ("x.csv", "", "vector-empty"),
        ("x.csv", '"' + "1" * 200_000 + '"', "file-broken"),
        ("x.txt", "1,x", "unknown-name"),
        ("x.txt", "@x.txt", "unexpected-sign"),
        ("x.txt", "-", "number-unfinished"),
        ("x.txt", "# only a comment", "vector-empty"),
    ],
)
def test_text_files_are_as_strict_as_what_is_typed(folder, name, text, key):
    (folder / name).write_text(text)
    assert refused(f"@{name}").key == key


def test_json_gives_the_row_that_is_too_short_and_the_cell_that_is_no_number(folder):
    (folder / "x.json").write_text("[[1, 2], [3]]")
    assert refused("@x.json").facts == {
        "typed": "@x.json",
        "name": "@x.json",
        "row": 2,
        "width": 1,
        "expected": 2,
    }
    (folder / "x.csv").write_text("1,2\n3,x\n")
    assert refused("@x.csv").facts == {"typed": "@x.csv", "part": "x", "row": 2, "column": 2}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_say_what_they_are_are_read(folder, encoding):
    (folder / "x.txt").write_bytes("−1，0".encode(encoding))
    (folder / "x.json").write_bytes("[-1, 0]".encode(encoding))
    assert load("@x.txt", "vector") == load("@x.json", "vector") == (-1.0, 0.0)


def test_other_encodings_are_refused_with_the_first_byte_that_does_not_fit():
    name = "姓名,张三".encode("gb18030")
    with pytest.raises(DenseError) as error:
        decoded(name, "x.csv")
    assert (error.value.facts["byte"], error.value.facts["part"]) == (0, "0xd0")
    assert decoded(name, "x.csv", "gb18030") == "姓名,张三"
    with pytest.raises(DenseError, match="encoding-unknown"):
        decoded(name, "x.csv", "gb-what")


def test_standard_input_is_read_as_typed_text_or_an_array():
    code = "from dense_cli.reading.files import load; print(load('-', 'matrix'))"

    def printed(data):
        return subprocess.run(
            [sys.executable, "-c", code], input=data, capture_output=True, check=True
        ).stdout

    file = io.BytesIO()
    np.save(file, np.eye(2))
    assert (
        printed(b"1 0\n0 1\n") == printed(file.getvalue()) == b"((1.0, 0.0), (0.0, 1.0))\n" or os.name == "nt"
    )


def test_typed_numbers_need_no_file():
    assert load("1,0", "vector") == (1.0, 0.0)
    assert load("1,0", "matrix") == ((1.0, 0.0),)
    assert load("1,0", "array") == (1.0, 0.0)
    assert load("[[1,0]]", "array") == ((1.0, 0.0),)
    assert load("[[[1,0]],[[0,1]]]", "array") == (((1.0, 0.0),), ((0.0, 1.0),))


def test_reading_numbers_does_not_import_numpy():
    code = "import sys; from dense_cli.reading import angles, answers, files\n"
    code += "print('numpy' in sys.modules, 'tomllib' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    assert found.split() == ["False", "False"]


@given(st.binary(max_size=200))
@settings(max_examples=50, deadline=None)
def test_any_bytes_are_numbers_or_a_refusal(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp()
    for suffix in ("npy", "npz", "safetensors", "json", "csv", "txt"):
        path = folder / f"any.{suffix}"
        path.write_bytes(data)
        try:
            found = load(f"@{path}", "array")
        except DenseError:
            continue
        assert isinstance(found, float | tuple)


@given(st.integers(0, 400), st.integers(0, 255))
@settings(max_examples=100, deadline=None)
def test_one_wrong_byte_never_gives_anything_but_numbers_or_a_refusal(tmp_path_factory, at, byte):
    folder = tmp_path_factory.getbasetemp()
    file = io.BytesIO()
    np.savez(file, x=np.eye(2))
    array = io.BytesIO()
    np.save(array, np.eye(2))
    tensors = safetensors({"x": ("F64", [2, 2], np.eye(2).tobytes())})
    for suffix, good in (("npz", file.getvalue()), ("npy", array.getvalue()), ("safetensors", tensors)):
        data = bytearray(good)
        data[at % len(data)] = byte
        path = folder / f"flipped.{suffix}"
        path.write_bytes(data)
        try:
            found = load(f"@{path}", "array")
        except DenseError:
            continue
        assert isinstance(found, float | tuple)


@given(
    st.recursive(
        st.floats(allow_nan=False, allow_infinity=False)
        | st.integers(-(10**6), 10**6)
        | st.none()
        | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=10,
    )
)
@settings(max_examples=100)
def test_any_json_list_is_numbers_of_one_shape_or_a_refusal(value):
    try:
        found, shape = nested_numbers(json_document(json.dumps(value), "x.json"), "x.json")
    except DenseError:
        return
    assert np.shape(found) == shape
