"""Numbers as a file stores them: shape, kind and bytes, decoded to tuples or to a NumPy array when asked."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.reading.documents import MAX_DIMENSIONS, Nested
from dense_cli.rows import Matrix, Row

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_VALUES = 100_000  # as tuples; an array may have as many as the file
# the letter of the `struct` module; the name in .npy; the name in .safetensors
KINDS = (
    ("d", "f8", "F64"),
    ("f", "f4", "F32"),
    ("e", "f2", "F16"),
    ("b", "i1", "I8"),
    ("h", "i2", "I16"),
    ("i", "i4", "I32"),
    ("q", "i8", "I64"),
    ("B", "u1", "U8"),
    ("H", "u2", "U16"),
    ("I", "u4", "U32"),
    ("Q", "u8", "U64"),
)
BFLOAT16 = "bf16"  # no letter and no name in NumPy: the upper half of a float32
WIDTHS = {**{letter: struct.calcsize(f"<{letter}") for letter, _, _ in KINDS}, BFLOAT16: 2}
_NUMPY = {**{letter: name for letter, name, _ in KINDS}, BFLOAT16: "u2"}


@dataclass(frozen=True, slots=True)
class Stored:
    """The numbers of one source; `kind` is a letter of the `struct` module, or `BFLOAT16`.

    >>> import struct
    >>> Stored("@x.npy", (2, 2), "f", struct.pack("<4f", 1, 2, 3, 4)).matrix()
    ((1.0, 2.0), (3.0, 4.0))
    """

    typed: str
    shape: tuple[int, ...]
    kind: str
    raw: bytes
    big_endian: bool = False
    columns_first: bool = False

    @property
    def count(self) -> int:
        """How many numbers there are: 1 for a single number without a shape."""
        return math.prod(self.shape)

    def vector(self) -> Row:
        """The numbers of one row or one column."""
        long = tuple(width for width in self.shape if width != 1)
        if len(long) > 1:
            raise DenseError("vector-has-rows", typed=self.typed, rows=long[0])
        return self._flat()

    def matrix(self) -> Matrix:
        """The rows; a vector is one row, and leading axes of length 1 are left out."""
        shape = self.shape
        while len(shape) > 2 and shape[0] == 1:
            shape = shape[1:]
        if len(shape) > 2:
            raise DenseError("file-too-many-axes", typed=self.typed, shape=told(self.shape))
        width = shape[-1] if shape else 1
        height = shape[0] if len(shape) == 2 else 1
        flat = self._flat()
        if self.columns_first:
            return tuple(flat[at::height] for at in range(height))
        return tuple(flat[at * width : (at + 1) * width] for at in range(height))

    def nested(self) -> Nested:
        """All axes, as tuples in tuples."""
        flat = self._flat()
        steps, step = [], 1
        for width in self.shape if self.columns_first else self.shape[::-1]:
            steps.append(step)
            step *= width
        return _nested(flat, self.shape, steps if self.columns_first else steps[::-1], 0)

    def array(self) -> NDArray[np.float64]:
        """All numbers as float64 in one NumPy array of this shape; for any size."""
        import numpy as np  # only for numbers that are many

        return self._finite(self.as_stored().astype(np.float64))

    def own_array(self, masked: bool = False) -> NDArray[Any]:
        """All numbers in one NumPy array: float16 and float32 as they are, bfloat16 as float32, others as
        float64. With `masked`, −∞ may stand among them, as it does for a masked score."""
        import numpy as np

        found = self.as_stored()
        kept = found.dtype.kind == "f" and found.dtype.itemsize < 8
        own = found.astype(found.dtype.newbyteorder("=") if kept else np.float64, copy=False)
        return self._finite(own, masked)

    def as_stored(self) -> NDArray[Any]:
        """All numbers in one NumPy array as they are stored, whatever they are."""
        import numpy as np

        found: Any = np.frombuffer(self.raw, (">" if self.big_endian else "<") + _NUMPY[self.kind])
        if self.kind == BFLOAT16:
            found = (found.astype("<u4") << 16).view("<f4")
        return cast("NDArray[Any]", found.reshape(self.shape, order="F" if self.columns_first else "C"))

    def _finite(self, found: NDArray[Any], masked: bool = False) -> NDArray[Any]:
        import numpy as np

        wrong = ~(np.isfinite(found) | np.isneginf(found)) if masked else ~np.isfinite(found)
        if wrong.any():
            index = tuple(int(at) for at in np.argwhere(wrong)[0])
            raise self._not_finite(index, float(found[index]))
        return found

    def _flat(self) -> Row:
        if self.count > MAX_VALUES:
            raise DenseError("too-many-values", typed=self.typed, count=self.count, limit=MAX_VALUES)
        order = ">" if self.big_endian else "<"
        if self.kind == BFLOAT16:  # the upper half of a float32
            halves = struct.unpack(f"{order}{self.count}H", self.raw)
            upper = struct.pack(f"<{self.count}I", *(half << 16 for half in halves))
            found: Row = struct.unpack(f"<{self.count}f", upper)
        else:
            found = tuple(map(float, struct.unpack(f"{order}{self.count}{self.kind}", self.raw)))
        for at, value in enumerate(found):
            if not math.isfinite(value):
                raise self._not_finite(_index(at, self.shape, self.columns_first), value)
        return found

    def _not_finite(self, index: tuple[int, ...], value: float) -> DenseError:
        return DenseError("file-not-finite", typed=self.typed, part=str(value), index=told(index))


def from_numbers(typed: str, shape: tuple[int, ...], flat: Sequence[float]) -> Stored:
    return Stored(typed, shape, "d", struct.pack(f"<{len(flat)}d", *flat))


def flattened(nested: Nested) -> list[float]:
    if not isinstance(nested, tuple):
        return [nested]
    if nested and not isinstance(nested[0], tuple):
        return list(cast("Row", nested))
    return [value for inner in nested for value in flattened(inner)]


def checked_shape(shape: Sequence[int], width: int, room: int, typed: str) -> int:
    """How many bytes numbers of this shape take, before one of them is read."""
    if len(shape) > MAX_DIMENSIONS:
        raise DenseError("file-too-deep", typed=typed, limit=MAX_DIMENSIONS)
    size = math.prod(shape) * width
    if size == 0:
        raise DenseError("vector-empty", typed=typed)
    if size > room:
        raise DenseError("file-shape-too-large", typed=typed, shape=told(shape), size=size, room=room)
    return size


def told(shape: Sequence[int]) -> str:
    return "[" + ", ".join(map(str, shape)) + "]"


def _index(at: int, shape: tuple[int, ...], columns_first: bool) -> tuple[int, ...]:
    index = []
    for width in shape if columns_first else shape[::-1]:
        at, inner = divmod(at, width)
        index.append(inner)
    return tuple(index) if columns_first else tuple(reversed(index))


def _nested(flat: Row, shape: tuple[int, ...], steps: Sequence[int], begin: int) -> Nested:
    if not shape:
        return flat[begin]
    if len(shape) == 1:
        return flat[begin : begin + (shape[0] - 1) * steps[0] + 1 : steps[0]]
    return tuple(_nested(flat, shape[1:], steps[1:], begin + at * steps[0]) for at in range(shape[0]))
