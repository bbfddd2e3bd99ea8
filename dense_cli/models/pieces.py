"""What a model is made of, piece by piece: every weight, bias and gain with its factors, fused or not in a
file.
"""

from __future__ import annotations

from collections.abc import Iterator

from dense_cli.frozen import dataclass
from dense_cli.models.expert_shape import ExpertShape, LatentShape
from dense_cli.models.shape import ModelShape

Factor = tuple[str, int]
PARTS = ("embedding", "attention", "ffn", "moe", "norms", "lm_head")


@dataclass(frozen=True, slots=True)
class Piece:
    """One kind of tensor: `layers` copies of a tensor whose size is the product of `factors`.

    `role`: a matrix ("weight"), a projection's "bias", a norm's "gain" or "shift", learned "scalar"s.
    `layers` is None for what a model has once. `routed`: one of the experts that only some tokens pass.
    `stored`: the sizes of one copy as model code keeps it, where they are not those of the factors in order.

    >>> Piece("ffn", "up", "weight", (("hidden", 12), ("ffn", 32)), layers=2).count
    768
    """

    part: str
    name: str
    role: str
    factors: tuple[Factor, ...]
    layers: int | None = None
    routed: bool = False
    stored: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """How many numbers all copies hold."""
        return _product(self.factors) * (1 if self.layers is None else self.layers)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of one copy as model code keeps it: [out, in] for a projection."""
        return self.stored or tuple(size for _, size in self.factors)


def _product(factors: tuple[Factor, ...]) -> int:
    product = 1
    for _, size in factors:
        product *= size
    return product


def pieces(shape: ModelShape) -> tuple[Piece, ...]:
    """All pieces of a model in the order in which a token meets them. A tied head adds none but its bias."""
    return tuple(_pieces(shape))


def _pieces(shape: ModelShape) -> Iterator[Piece]:
    yield from _embedding(shape)
    layers = shape.layers
    if shape.latent is None:
        yield from _attention(shape)
    else:
        yield from _latent_attention(shape, shape.latent)
    if shape.query_key_norm:
        yield from _query_key_norm(shape)
    experts = shape.experts
    dense = layers if experts is None else layers - experts.layers
    if dense:
        yield from _ffn(shape, "ffn", "", (("ffn", shape.ffn),), dense, shape.ffn_bias)
        if shape.activation_scalars:
            yield Piece("ffn", "activation", "scalar", (("scalars", shape.activation_scalars),), dense)
    if experts is not None:
        yield from _experts(shape, experts)
    for norm in shape.layer_norms:
        yield from _norm(shape, norm, (("hidden", shape.hidden),), layers)
    if shape.final_norm:
        yield from _norm(shape, "final", (("hidden", shape.hidden),), None)
    yield from _head(shape)


def _embedding(shape: ModelShape) -> Iterator[Piece]:
    embedding = shape.family.embedding
    hidden, width = ("hidden", shape.hidden), ("embedding_width", shape.embedding_width)
    projected = shape.embedding_width != shape.hidden
    if embedding.present:
        yield Piece(
            "embedding", "token", "weight", (("vocabulary", shape.vocabulary), width if projected else hidden)
        )
    if embedding.positions:
        rows = shape.positions + embedding.extra_rows
        yield Piece("embedding", "position", "weight", (("positions", rows), hidden))
    if projected:
        yield from _linear("embedding", "project_in", (width,), (hidden,), None, False)
        yield from _linear("embedding", "project_out", (hidden,), (width,), None, False)
    if shape.family.norms.embedding:
        yield from _norm(shape, "embedding", (hidden,), None)


def _attention(shape: ModelShape) -> Iterator[Piece]:
    hidden = ("hidden", shape.hidden)
    queries = (("heads", shape.heads), ("head_dim", shape.head_dim))
    keys = (("kv_heads", shape.kv_heads), ("head_dim", shape.head_dim))
    for name, out in (("q", queries), ("k", keys), ("v", keys)):
        yield from _linear("attention", name, (hidden,), out, shape.layers, shape.qkv_bias)
    read: tuple[Factor, ...] = queries if shape.family.attention.out_of == "heads" else (hidden,)
    yield from _linear("attention", "o", read, (hidden,), shape.layers, shape.output_bias)
    if shape.family.attention.sinks:
        yield Piece("attention", "sinks", "scalar", queries[:1], shape.layers)


def _latent_attention(shape: ModelShape, latent: LatentShape) -> Iterator[Piece]:
    """DeepSeek-V2 (2024), section 2.1: keys and values through a rank, queries through another or none."""
    layers, hidden, heads = shape.layers, ("hidden", shape.hidden), ("heads", shape.heads)
    query = (heads, ("head_dim", latent.unturned + latent.turned))
    kv_rank = ("kv_rank", latent.kv_rank)
    if latent.query_rank is None:
        yield from _linear("attention", "q", (hidden,), query, layers, False)
    else:
        rank = ("query_rank", latent.query_rank)
        yield from _linear("attention", "q_a", (hidden,), (rank,), layers, shape.qkv_bias)
        yield Piece("norms", "q_a", "gain", (rank,), layers)
        yield from _linear("attention", "q_b", (rank,), query, layers, False)
    down = (("kv_rank + turned", latent.kv_rank + latent.turned),)
    yield from _linear("attention", "kv_a", (hidden,), down, layers, shape.qkv_bias)
    yield Piece("norms", "kv_a", "gain", (kv_rank,), layers)
    up = (heads, ("unturned + value_dim", latent.unturned + latent.value_dim))
    yield from _linear("attention", "kv_b", (kv_rank,), up, layers, False)
    read = (heads, ("value_dim", latent.value_dim))
    yield from _linear("attention", "o", read, (hidden,), layers, shape.output_bias)


def _query_key_norm(shape: ModelShape) -> Iterator[Piece]:
    row = shape.family.attention.query_key_norm
    if row is None:
        return
    head = ("head_dim", shape.head_dim)
    one: dict[str, tuple[Factor, ...]] = {"q": (head,), "k": (head,)}
    all_heads = {"q": (("heads", shape.heads), head), "k": (("kv_heads", shape.kv_heads), head)}
    for name, factors in (one if row.over == "head" else all_heads).items():
        stored = (_product(factors),) if row.over == "projection" else ()
        yield Piece("norms", name, "gain", factors, shape.layers, stored=stored)
        if row.bias:
            yield Piece("norms", name, "shift", factors, shape.layers, stored=stored)


def _ffn(
    shape: ModelShape, part: str, prefix: str, width: tuple[Factor, ...], layers: int, bias: bool
) -> Iterator[Piece]:
    hidden = (("hidden", shape.hidden),)
    for name in ("gate", "up") if shape.family.ffn.gated else ("up",):
        yield from _linear(part, prefix + name, hidden, width, layers, bias)
    yield from _linear(part, prefix + "down", width, hidden, layers, bias)


def _experts(shape: ModelShape, experts: ExpertShape) -> Iterator[Piece]:
    hidden, number, layers = ("hidden", shape.hidden), ("experts", experts.number), experts.layers
    width = ("expert_width", experts.width)
    yield from _linear("moe", "router", (hidden,), (number,), layers, experts.biases)
    for name, read, out in (("gate", hidden, width), ("up", hidden, width), ("down", width, hidden)):
        stored = (number[1], out[1], read[1])
        yield Piece(
            "moe", f"experts.{name}", "weight", (number, read, out), layers, routed=True, stored=stored
        )
        if experts.biases:
            yield Piece("moe", f"experts.{name}", "bias", (number, out), layers, routed=True)
    if experts.shared_width:
        shared = (("shared_width", experts.shared_width),)
        yield from _ffn(shape, "moe", "shared.", shared, layers, shape.ffn_bias)
    if experts.shared_gate:
        yield from _linear("moe", "shared_gate", (hidden,), (("gates", 1),), layers, False)


def _norm(shape: ModelShape, name: str, factors: tuple[Factor, ...], layers: int | None) -> tuple[Piece, ...]:
    if not shape.norm_affine:
        return ()
    gain = Piece("norms", name, "gain", factors, layers, False, ())
    return (gain, Piece("norms", name, "shift", factors, layers)) if shape.norm_bias else (gain,)


def _head(shape: ModelShape) -> Iterator[Piece]:
    if not shape.family.embedding.present:
        return
    width = ("hidden" if shape.embedding_width == shape.hidden else "embedding_width", shape.embedding_width)
    vocabulary = ("vocabulary", shape.vocabulary)
    if not shape.tied:
        yield from _linear("lm_head", "head", (width,), (vocabulary,), None, False)
    if shape.head_bias:
        yield Piece("lm_head", "head", "bias", (vocabulary,))


def _linear(
    part: str, name: str, read: tuple[Factor, ...], out: tuple[Factor, ...], layers: int | None, bias: bool
) -> tuple[Piece, ...]:
    rows = _product(out)
    weight = Piece(part, name, "weight", read + out, layers, False, (rows, _product(read)))
    return (weight, Piece(part, name, "bias", out, layers, False, (rows,))) if bias else (weight,)
