"""What a difference between a config and a file means: causes that names and shapes give away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from dense_cli.errors import some
from dense_cli.frozen import dataclass, field
from dense_cli.models.comparison import HEADS, Comparison, Mismatch
from dense_cli.models.families.names import LLAMA, NAMES, Names, names_of
from dense_cli.models.shape import ModelShape
from dense_cli.models.weight_names import folded

POSITIONS = re.compile(r"(^|\.)(wpe|embed_positions|position_embeddings?|pos_emb)\.weight$")
PLAIN_UP = re.compile(r"\.(c_fc|fc1|fc_in|dense_h_to_4h)\.weight$")
QUANTIZED = (".weight_scale_inv", ".weight_scale", ".qweight", ".qzeros", ".scales", ".g_idx", ".absmax")
MOST_NAMED = 3
"""Examples in one sentence."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A cause, by its key, and the facts that show it."""

    key: str
    facts: Mapping[str, int | str | tuple[str, ...]] = field(default_factory=dict)


def meanings(comparison: Comparison) -> tuple[Meaning, ...]:
    """The causes of the mismatches, as far as names and shapes tell; none where all fits."""
    if comparison.fits:
        return ()
    another = (*_architecture(comparison), *_shard(comparison))
    if any(cause.key.startswith("other-architecture") for cause in another):
        return another  # sizes say nothing more where hardly a tensor has a partner
    questions = (_layers, _widths, _heads, _transposed, _biases, _head, _quantized)
    return (*another, *(cause for question in questions for cause in question(comparison)))


def hidden_from_headers(shape: ModelShape) -> tuple[Meaning, ...]:
    """What fits in every file, right or wrong: the layout of the rotation, which way a square matrix lies."""
    found = []
    if shape.family.rope is not None:
        found.append(Meaning("layout-not-seen"))
    squares = [name for name, rows, columns in _matrices(shape) if rows == columns]
    if squares:
        found.append(Meaning("square-not-seen", {"names": tuple(squares)}))
    return tuple(found)


def _matrices(shape: ModelShape) -> Iterator[tuple[str, int, int]]:
    """The projections that lie alone in a tensor: the last part of the name, and both sizes."""
    from dense_cli.models.tensors import tensor_patterns

    for one in tensor_patterns(shape):
        if one.kind != "once" and len(one.sizes) == 2 and one.name.endswith(".weight"):
            yield one.name.split(".")[-2], one.sizes[0], one.sizes[1]


def _missing(comparison: Comparison) -> Iterator[Mismatch]:
    return (one for one in comparison.mismatches if one.kind == "missing_tensor")


def _unexpected(comparison: Comparison) -> Iterator[Mismatch]:
    return (one for one in comparison.mismatches if one.kind == "unexpected_tensor")


def _reshaped(comparison: Comparison) -> Iterator[tuple[Mismatch, tuple[int, ...], tuple[int, ...]]]:
    for one in comparison.mismatches:
        if one.kind == "shape_mismatch" and one.expected is not None and one.found is not None:
            yield one, one.expected, one.found


def _architecture(comparison: Comparison) -> Iterator[Meaning]:
    """Another kind of model: hardly a name in common, positions learned, norms with offsets, no gate."""
    unexpected = list(_unexpected(comparison))
    named = comparison.expected - sum(1 for _ in _missing(comparison))
    parts = [*_other_parts(comparison, unexpected)]
    if 2 * named < comparison.expected and unexpected:
        like = _named_like(comparison)
        key = "other-architecture-of" if like else "other-architecture"
        facts: dict[str, int | str | tuple[str, ...]] = {"found": named, "expected": comparison.expected}
        yield Meaning(key, facts | ({"family": like} if like else {}))
    yield from parts
    if parts:
        yield Meaning("not-loadable")


def _other_parts(comparison: Comparison, unexpected: list[Mismatch]) -> Iterator[Meaning]:
    shape, tensors = comparison.shape, comparison.checkpoint.tensors
    positions = [one for one in unexpected if POSITIONS.search(one.name)]
    if positions and not shape.family.embedding.positions and (found := positions[0].found):
        yield Meaning("learned-positions", {"name": positions[0].name, "rows": found[0]})
    offsets = [one.name for one in unexpected if len(_weight_beside(one.name, tensors)) == 1]
    if offsets and not shape.norm_bias:
        yield Meaning("norm-offsets", {"names": _some(offsets)})
    plain = [one for one in unexpected if PLAIN_UP.search(one.name) and one.found and len(one.found) == 2]
    if plain and shape.family.ffn.gated:
        first, second = plain[0].found or (0, 0)
        width = second if first == shape.hidden else first
        yield Meaning("plain-ffn", {"width": width, "expected": shape.ffn})


def _weight_beside(bias: str, tensors: Mapping[str, object]) -> tuple[int, ...]:
    """The shape of the weight that a bias goes with."""
    beside = tensors.get(f"{bias.removesuffix('.bias')}.weight") if bias.endswith(".bias") else None
    return tuple(getattr(beside, "shape", ()))


def _named_like(comparison: Comparison) -> str | None:
    """The family whose names these are, if one has more of them than the config's own."""
    there = {folded(name) for name in comparison.checkpoint.tensors}
    own = names_of(comparison.shape.family.model_type)
    best, most = None, _hits(own, there)
    for family, names in {"llama": LLAMA, **NAMES}.items():
        if (hits := _hits(names, there)) > most:
            best, most = family, hits
    return best


def _hits(names: Names, there: set[str]) -> int:
    """How many of a family's names are in a file, with or without what stands before them."""
    modules = names.modules.values()
    places = {folded(base + layer) for base in (names.base, "") for layer in (names.layer, "")}
    return sum(f"{place}{module}.weight" in there for module in modules for place in places)


def _shard(comparison: Comparison) -> Iterator[Meaning]:
    if comparison.checkpoint.shard is not None:
        number, of = comparison.checkpoint.shard
        yield Meaning("one-shard", {"number": number, "of": of})


def _layers(comparison: Comparison) -> Iterator[Meaning]:
    """More or fewer layers in the file than in the config."""
    names = names_of(comparison.shape.family.model_type)
    before = re.escape(comparison.names.base + names.layer.partition("{i}")[0])
    number = re.compile(rf"{before}(\d{{1,9}})\.")
    matches = (number.match(name) for name in comparison.checkpoint.tensors)
    found = max((int(match[1]) + 1 for match in matches if match), default=0)
    expected = comparison.shape.layers
    if found > expected or (0 < found < expected and comparison.checkpoint.shard is None):
        yield Meaning("layers", {"found": found, "expected": expected})


def _roles(comparison: Comparison) -> dict[str, str]:
    """Which piece, or which fused ones, a tensor holds, by its folded name."""
    shape, names = comparison.shape, names_of(comparison.shape.family.model_type)
    roles = {}
    for key, module in names.modules.items():
        for place in ("", names.layer):
            roles[folded(f"{comparison.names.base}{place}{module}.weight")] = key
    if not shape.tied:
        roles |= dict.fromkeys(HEADS, "lm_head.head")
    return roles


def _widths(comparison: Comparison) -> Iterator[Meaning]:
    """Another hidden width, vocabulary, FFN width or number of experts, each told once."""
    shape, roles = comparison.shape, _roles(comparison)
    in_out = names_of(shape.family.model_type).in_out
    told = set()
    for one, expected, found in _reshaped(comparison):
        role = roles.get(folded(one.name), "")
        if len(found) != 2 or len(expected) != 2 or found == expected[::-1]:
            continue
        if role.partition(".")[0] in in_out:
            expected, found = expected[::-1], found[::-1]
        for key, was, now in _changed(role, expected, found):
            if key not in told and was != now:
                told.add(key)
                yield Meaning(key, {"found": now, "expected": was})


def _changed(role: str, expected: tuple[int, ...], found: tuple[int, ...]) -> Iterator[tuple[str, int, int]]:
    """What the sizes of a tensor, [out, in], say: key, the config's number, the file's."""
    match role:
        case "embedding.token" | "lm_head.head":
            yield "vocabulary", expected[0], found[0]
            yield "hidden", expected[1], found[1]
        case "embedding.position":
            yield "positions", expected[0], found[0]
        case "ffn.gate" | "ffn.up":
            yield "ffn-width", expected[0], found[0]
        case "ffn.gate+up":
            yield "ffn-width", expected[0] // 2, found[0] // 2
        case "ffn.down":
            yield "ffn-width", expected[1], found[1]
        case "moe.router":
            yield "experts", expected[0], found[0]


def _heads(comparison: Comparison) -> Iterator[Meaning]:
    """Grouped key/value heads where the config says full, or the other way round, or other groups."""
    shape, roles = comparison.shape, _roles(comparison)
    in_out = "attention" in names_of(shape.family.model_type).in_out
    for one, expected, found in _reshaped(comparison):
        role = roles.get(folded(one.name), "")
        if len(found) != 2 or len(expected) != 2 or shape.latent is not None:
            continue
        rows = found[1] if in_out else found[0]
        if role == "attention.q+k+v":
            rows = (rows - shape.heads * shape.head_dim) // 2
        elif role not in ("attention.k", "attention.v"):
            continue
        heads, rest = divmod(rows, shape.head_dim)
        if rest or heads < 1 or heads == shape.kv_heads or shape.heads % heads:
            continue
        key = "full-heads" if heads == shape.heads else "grouped-heads"
        facts: dict[str, int | str | tuple[str, ...]] = {
            "rows": rows,
            "found": heads,
            "expected": shape.kv_heads,
            "heads": shape.heads,
            "width": shape.head_dim,
        }
        yield Meaning(key, facts)
        return


def _transposed(comparison: Comparison) -> Iterator[Meaning]:
    names = [one.name for one, expected, found in _reshaped(comparison) if found == expected[::-1]]
    if names:
        yield Meaning("transposed", {"names": _some(names)})


def _biases(comparison: Comparison) -> Iterator[Meaning]:
    """Biases of projections on one side only."""
    tensors = comparison.checkpoint.tensors
    extra = [one.name for one in _unexpected(comparison) if len(_weight_beside(one.name, tensors)) == 2]
    if extra:
        yield Meaning("more-biases", {"names": _some(extra)})
    lacking = [one.name for one in _missing(comparison) if len(_weight_beside(one.name, tensors)) == 2]
    if lacking:
        yield Meaning("fewer-biases", {"names": _some(lacking)})


def _head(comparison: Comparison) -> Iterator[Meaning]:
    """No head in the file: perhaps the model reads its embedding twice."""
    missing = {one.name for one in _missing(comparison)}
    if missing & {*HEADS} and comparison.checkpoint.shard is None and comparison.expected > 2 * len(missing):
        yield Meaning("head-missing")


def _quantized(comparison: Comparison) -> Iterator[Meaning]:
    names = [one.name for one in _unexpected(comparison) if one.name.endswith(QUANTIZED)]
    if names:
        yield Meaning("quantized", {"names": _some(names)})


def _some(names: list[str]) -> tuple[str, ...]:
    """A few examples by the end of their names, where all layers agree."""
    return some(list(dict.fromkeys(_ending(name) for name in names)), MOST_NAMED)


def _ending(name: str) -> str:
    """``mlp.up_proj`` of ``model.layers.3.mlp.up_proj.weight``; a bias keeps its word."""
    words = folded(name).removesuffix(".weight").split(".")
    cut = len(words) - words[::-1].index("{}") if "{}" in words else max(0, len(words) - 3)
    return ".".join(words[cut:]) or name
