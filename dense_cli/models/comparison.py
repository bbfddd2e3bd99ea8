"""Tensors that a config implies against tensors that a checkpoint has, by name and shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass, replace
from dense_cli.models.checkpoint import Checkpoint, Finding
from dense_cli.models.families import CHAPTER
from dense_cli.models.shape import ModelShape
from dense_cli.models.tensor_entries import Sizes
from dense_cli.models.weight_names import FileNames, file_names, is_text_part

MismatchKind = Literal["missing_tensor", "unexpected_tensor", "shape_mismatch"]

MOST_TENSORS = 1_000_000
"""More are not compared one by one."""

BUFFERS = (
    "rotary_emb.inv_freq",
    "rotary_emb.cos_cached",
    "rotary_emb.sin_cached",
    "attn.bias",
    "attn.masked_bias",
    "attn.causal_mask",
    "attn.embed_positions",
    "attn.attention.bias",
    "attn.attention.masked_bias",
    "attention.bias",
    "attention.masked_bias",
    "act_fn.beta",
    "act_fn.eps",
    "gate.e_score_correction_bias",
)
"""Stored by some versions of model code, counted as parameters by none."""

HEADS = ("lm_head.weight", "embed_out.weight", "language_model.lm_head.weight")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A tensor that is missing, too many, or of another shape; None where there is no shape."""

    kind: MismatchKind
    name: str
    expected: Sizes | None = None
    found: Sizes | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """`mismatches` by code points of the names. `expected`: how many tensors the config implies."""

    shape: ModelShape
    checkpoint: Checkpoint
    names: FileNames
    expected: int
    mismatches: tuple[Mismatch, ...]
    findings: tuple[Finding, ...]

    @property
    def fits(self) -> bool:
        """Whether names and shapes agree; no header can tell more."""
        return not self.mismatches


def compare(shape: ModelShape, checkpoint: Checkpoint) -> Comparison:
    """Compare by name and shape. Stored buffers and the stored copy of a tied head are findings.

    Raises DenseError "weights-too-many-tensors" for a config of more than a million tensors.
    """
    names = file_names(shape, checkpoint.tensors)
    number = names.number(shape)
    if number > MOST_TENSORS:
        raise DenseError("weights-too-many-tensors", typed=shape.name, number=number, most=MOST_TENSORS)
    mismatches = []
    left = dict(checkpoint.tensors)
    for name, sizes in names.tensors(shape):
        found = left.pop(name, None)
        if found is None:
            mismatches.append(Mismatch("missing_tensor", name, sizes))
        elif found.shape != sizes:
            mismatches.append(Mismatch("shape_mismatch", name, sizes, found.shape))
    findings = [*_prefix(shape, names, len(mismatches) < number), *checkpoint.findings]
    outside: Counter[str] = Counter()
    for name, tensor in left.items():
        judged = _judged(shape, name, tensor.shape)
        if isinstance(judged, Finding):
            findings.append(judged)
        elif is_text_part(shape) and "language_model" in names.base and "language_model" not in name:
            outside[name.removeprefix("model.").partition(".")[0]] += 1
        else:
            mismatches.append(judged)
    findings += [Finding("not_compared", part, {"count": count}) for part, count in outside.items()]
    in_order = tuple(sorted(mismatches, key=lambda mismatch: mismatch.name))
    return Comparison(shape, checkpoint, names, number, in_order, tuple(findings))


def with_findings(comparison: Comparison, findings: tuple[Finding, ...]) -> Comparison:
    """The same, knowing more."""
    return replace(comparison, findings=(*comparison.findings, *findings))


def _prefix(shape: ModelShape, names: FileNames, some: bool) -> Iterator[Finding]:
    """That the names lack what the library puts before them, as files of the base model do."""
    if (
        some
        and shape.family is not CHAPTER
        and names.usual != names.base
        and names.usual.endswith(names.base)
    ):
        lacking = names.usual.removesuffix(names.base)
        yield Finding("missing_prefix", lacking)


def _judged(shape: ModelShape, name: str, found: Sizes) -> Mismatch | Finding:
    """A tensor that the config does not imply."""
    if any(name == buffer or name.endswith(f".{buffer}") for buffer in BUFFERS):
        return Finding("stored_buffer", name)
    if shape.tied and name in HEADS:
        expected = (shape.vocabulary, shape.embedding_width)
        if found == expected:
            return Finding("tied_head_stored", name)
        return Mismatch("shape_mismatch", name, expected, found)
    return Mismatch("unexpected_tensor", name, found=found)
