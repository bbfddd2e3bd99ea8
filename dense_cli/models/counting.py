"""Exact counts of whole models, and of the chapter's one block, from the config alone."""

from __future__ import annotations

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.models.config import Assumption, Config
from dense_cli.models.pieces import PARTS, Factor, Piece, pieces
from dense_cli.models.shape import BYTES, DTYPE_TAKEN, ModelShape, model_shape


@dataclass(frozen=True, slots=True)
class Term:
    """One product of a count, written out: `factors` begin with ("layers", n) for what every layer has.

    `name` is the part and the piece, such as ``attention.q``; `role` tells weight, bias, gain, shift and
    scalar apart.
    """

    part: str
    name: str
    role: str
    factors: tuple[Factor, ...]
    product: int


@dataclass(frozen=True, slots=True)
class Count:
    """What a model has, each parameter once. The `pieces` add up to the six `parts`, and those to `total`.

    `active`: what one token passes. `non_embedding`: without embeddings and head. `biases`: of projections
    and head, not of norms; they are in the parts too. Bytes are those of `dtype`.
    """

    name: str
    model_type: str | None
    total: int
    active: int
    non_embedding: int
    tied: bool | None
    parts: dict[str, int]
    biases: int
    kv_cache_bytes_per_token: int
    weight_bytes: int
    dtype: str
    pieces: tuple[Piece, ...]
    assumed: tuple[Assumption, ...]
    shape: ModelShape

    @property
    def terms(self) -> tuple[Term, ...]:
        """The pieces written out, those without a parameter left out."""
        return tuple(_term(piece) for piece in self.pieces if piece.count)


def count(config: Config, dtype: str | None = None) -> Count:
    """Count the model that a config describes; `dtype` beats the config's for the bytes.

    Raises what `model_shape` raises, and an unknown dtype.

    >>> from dense_cli.models.config import read_config
    >>> block = count(read_config('{"hidden_size": 12, "query_heads": 3, "ffn_hidden_size": 32}'))
    >>> block.total, block.parts["attention"], block.parts["ffn"], block.parts["norms"]
    (1752, 576, 1152, 24)
    """
    if dtype is not None and dtype not in BYTES:
        raise DenseError("unknown-dtype", typed=dtype, known=tuple(BYTES))
    return count_of(model_shape(config), dtype)


def count_of(shape: ModelShape, dtype: str | None = None) -> Count:
    """The same from a shape."""
    found = pieces(shape)
    parts = dict.fromkeys(PARTS, 0)
    biases = 0
    for piece in found:
        number = piece.count
        parts[piece.part] += number
        if piece.role == "bias":
            biases += number
    total = sum(parts.values())
    stored = dtype or shape.dtype
    assumed = shape.assumed
    if dtype is not None:
        assumed = tuple(note for note in assumed if note[0] not in DTYPE_TAKEN)
    return Count(
        name=shape.name,
        model_type=shape.model_type,
        total=total,
        active=total - _asleep(shape, found),
        non_embedding=total - parts["embedding"] - parts["lm_head"],
        tied=shape.tied,
        parts=parts,
        biases=biases,
        kv_cache_bytes_per_token=cache_numbers_per_token(shape) * BYTES[stored],
        weight_bytes=total * BYTES[stored],
        dtype=stored,
        pieces=found,
        assumed=assumed,
        shape=shape,
    )


def cache_numbers_per_token(shape: ModelShape) -> int:
    """Kept of one token: a key and a value per layer and head, or the latent row and the turned key."""
    if shape.latent is not None:
        return shape.layers * (shape.latent.kv_rank + shape.latent.turned)
    return 2 * shape.layers * shape.kv_heads * shape.head_dim


def _asleep(shape: ModelShape, found: tuple[Piece, ...]) -> int:
    """The experts that one token does not pass: routed · (E − k) / E, whole since E divides routed."""
    if shape.experts is None:
        return 0
    routed = sum(piece.count for piece in found if piece.routed)
    return routed // shape.experts.number * (shape.experts.number - shape.experts.per_token)


def _term(piece: Piece) -> Term:
    layers = () if piece.layers is None else (("layers", piece.layers),)
    return Term(piece.part, f"{piece.part}.{piece.name}", piece.role, (*layers, *piece.factors), piece.count)
