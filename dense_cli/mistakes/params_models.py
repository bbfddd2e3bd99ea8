"""What is counted otherwise of a whole model: its shape changed, or some of its pieces left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dense_cli.frozen import dataclass, replace
from dense_cli.mistakes import Catalogue, Change, Kind, Mistake
from dense_cli.models.pieces import PARTS, Piece, pieces
from dense_cli.models.shape import ModelShape

Keep = Callable[[Piece], bool]


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """How many parameters has a model of this shape? The part: `counted` lists the pieces that count."""

    shape: ModelShape
    counted: Callable[[ModelShape], tuple[Piece, ...]] = pieces


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """Total, its six parts, and the total without embeddings and head."""

    total: int
    parts: dict[str, int]
    non_embedding: int


def model_answer(given: ModelQuestion) -> ModelAnswer:
    """The count, as `models.counting` has it.

    >>> from dense_cli.models.config import read_config
    >>> from dense_cli.models.shape import model_shape
    >>> block = read_config('{"hidden_size": 12, "query_heads": 3, "ffn_hidden_size": 32}')
    >>> model_answer(ModelQuestion(model_shape(block))).total
    1752
    """
    found = given.counted(given.shape)
    parts = {part: sum(piece.count for piece in found if piece.part == part) for part in PARTS}
    total = sum(parts.values())
    return ModelAnswer(total, parts, total - parts["embedding"] - parts["lm_head"])


def reshaped(change: Callable[[ModelShape], ModelShape]) -> Change:
    """The count of another shape, where it is another."""

    def changed(given: ModelQuestion) -> Iterator[ModelQuestion]:
        other = change(given.shape)
        if other != given.shape:
            yield replace(given, shape=other)

    return changed


def without(*kinds: Keep) -> Change:
    """Pieces of one kind left out; each of several kinds is an alternative."""

    def changed(given: ModelQuestion) -> Iterator[ModelQuestion]:
        there = given.counted(given.shape)
        for kind in kinds:
            if any(map(kind, there)):
                yield replace(given, counted=_lacking(given.counted, kind))

    return changed


def _lacking(
    counted: Callable[[ModelShape], tuple[Piece, ...]], kind: Keep
) -> Callable[[ModelShape], tuple[Piece, ...]]:
    return lambda shape: tuple(piece for piece in counted(shape) if not kind(piece))


def is_token_embedding(piece: Piece) -> bool:
    return piece.part == "embedding" and piece.name == "token"


def is_position_embedding(piece: Piece) -> bool:
    return piece.part == "embedding" and piece.name == "position"


def is_embedding(piece: Piece) -> bool:
    return piece.part == "embedding"


def is_outside_the_blocks(piece: Piece) -> bool:
    return piece.part in ("embedding", "lm_head")


def is_gate(piece: Piece) -> bool:
    return piece.part in ("ffn", "moe") and piece.name.rpartition(".")[2] == "gate"


def is_query_key_bias(piece: Piece) -> bool:
    return piece.part == "attention" and piece.name in ("q", "k", "v") and piece.role == "bias"


def is_bias(piece: Piece) -> bool:
    return piece.role == "bias"


def is_norm(piece: Piece) -> bool:
    return piece.part == "norms"


def is_query_key_norm(piece: Piece) -> bool:
    return is_norm(piece) and piece.name in ("q", "k")


def is_row_norm(piece: Piece) -> bool:
    return is_norm(piece) and not is_query_key_norm(piece)


def is_no_matrix_of_a_layer(piece: Piece) -> bool:
    return piece.part not in ("attention", "ffn", "moe") or piece.role != "weight"


def untied(shape: ModelShape) -> ModelShape:
    return replace(shape, tied=False) if shape.tied else shape


def tied(shape: ModelShape) -> ModelShape:
    return replace(shape, tied=True) if shape.tied is False else shape


def kv_as_heads(shape: ModelShape) -> ModelShape:
    return shape if shape.latent else replace(shape, kv_heads=shape.heads)


def head_dim_quotient(shape: ModelShape) -> ModelShape:
    return shape if shape.latent else replace(shape, head_dim=shape.hidden // shape.heads)


def ffn_four_times(shape: ModelShape) -> ModelShape:
    return replace(shape, ffn=4 * shape.hidden) if shape.ffn else shape


def plain_block(given: ModelQuestion) -> Iterator[ModelQuestion]:
    """Every layer counted as Llama's, where it differs in more than one thing: one has its own mistake."""
    shape = given.shape
    if shape.latent is not None or shape.experts is not None or not shape.family.ffn.gated:
        return
    plain = {
        "head_dim": shape.hidden // shape.heads,
        "query_key_norm": False,
        "layer_norms": shape.layer_norms[:2],
        "qkv_bias": False,
        "output_bias": False,
        "ffn_bias": False,
    }
    if sum(getattr(shape, name) != value for name, value in plain.items()) > 1:
        yield replace(given, shape=replace(shape, **plain))  # type: ignore[arg-type]


def dense_reading_of_experts(given: ModelQuestion) -> Iterator[ModelQuestion]:
    """The experts as one network of their width, then the whole model once for each expert."""
    experts = given.shape.experts
    if experts is not None:
        dense = replace(given.shape, experts=None, ffn=experts.width)
        number, counted = experts.number, given.counted
        yield replace(given, shape=dense)
        yield replace(given, shape=dense, counted=lambda shape: counted(shape) * number)


ENTRIES: Iterable[tuple[str, Kind, Change]] = (
    ("tied-twice", "slip", reshaped(untied)),
    ("head-missing", "slip", reshaped(tied)),
    ("kv-as-heads", "slip", reshaped(kv_as_heads)),
    ("head-dim-quotient", "slip", reshaped(head_dim_quotient)),
    ("ffn-four-times", "slip", reshaped(ffn_four_times)),
    ("dense-reading-of-experts", "slip", dense_reading_of_experts),
    ("two-matrices", "slip", without(is_gate)),
    ("embedding-missing", "slip", without(is_token_embedding, is_embedding, is_outside_the_blocks)),
    ("layer-matrices-alone", "convention", without(is_no_matrix_of_a_layer)),
    ("position-missing", "slip", without(is_position_embedding)),
    ("norms-missing", "slip", without(is_norm, is_row_norm)),
    ("qk-norm-missing", "slip", without(is_query_key_norm)),
    ("qkv-bias-missing", "slip", without(is_query_key_bias)),
    ("biases-missing", "slip", without(is_bias)),
    ("plain-block", "slip", plain_block),
)

MODELS: Catalogue = tuple(Mistake(id, "params", kind, change) for id, kind, change in ENTRIES)
