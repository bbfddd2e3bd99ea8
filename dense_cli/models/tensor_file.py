"""Values of stored tensors: of a ``.safetensors`` file, an index of shards, or a folder with either."""

from __future__ import annotations

from collections.abc import Mapping

from dense_cli.core.attention import Array
from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.models.checkpoint import Checkpoint, checkpoint
from dense_cli.reading.files import opened
from dense_cli.reading.stored import BFLOAT16, Stored

KINDS = {"F64": "d", "F32": "f", "F16": "e", "BF16": BFLOAT16}
"""Kinds of numbers that weights are stored in; quantized ones need scales that no header tells."""

MOST_BYTES = 1 << 40


@dataclass(frozen=True, slots=True)
class TensorFile:
    """What was typed, and the headers that were found there; no value is read before it is asked for."""

    headers: Checkpoint

    @property
    def name(self) -> str:
        return self.headers.name

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The shape of every tensor by its name."""
        return {name: tensor.shape for name, tensor in self.headers.tensors.items()}

    def array(self, name: str) -> Array:
        """The values of one tensor in float64.

        Raises DenseError "block-tensor-kind" for one that is no plain floating-point tensor,
        "file-not-finite", "file-broken" where the file changed meanwhile.
        """
        tensor = self.headers.tensors[name]
        if tensor.kind not in KINDS:
            known = tuple(KINDS)
            raise DenseError(
                "block-tensor-kind", typed=self.name, tensor=name, found=tensor.kind, known=known
            )
        with opened(self.headers.holder(name).path, self.name, MOST_BYTES) as file:
            file.seek(tensor.begin)
            raw = file.read(tensor.size)
        if len(raw) < tensor.size:
            raise DenseError("file-broken", typed=self.name)
        return Stored(f"{self.name}:{name}", tensor.shape, KINDS[tensor.kind], raw).array()


def tensor_file(typed: str) -> TensorFile:
    """The tensors that are stored at `typed`. Raises what `checkpoint` raises."""
    return TensorFile(checkpoint(typed))
