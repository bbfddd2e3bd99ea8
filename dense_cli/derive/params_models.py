"""The story of whole models: every product, the parts, the total, and several models side by side."""

from __future__ import annotations

from collections.abc import Mapping

from dense_cli.derivation import Data, Derivation, Fact, Line, Note, Step, Table
from dense_cli.derive import symbols
from dense_cli.derive.assumptions import notes
from dense_cli.derive.params_compared import names_of, side_by_side
from dense_cli.derive.stating import given
from dense_cli.expression import Constant, Expression, Negative, Product, Quotient, Sum, Symbol, product
from dense_cli.models.counting import Count, Term
from dense_cli.models.shape import BYTES

FACTORS: Mapping[str, Symbol] = {
    "layers": symbols.LAYERS,
    "ffn_layers": symbols.DENSE_LAYERS,
    "moe_layers": symbols.EXPERT_LAYERS,
    "hidden": symbols.COORDINATES,
    "heads": symbols.HEADS,
    "kv_heads": symbols.KEY_HEADS,
    "head_dim": symbols.HEAD_WIDTH,
    "ffn": symbols.HIDDEN,
    "vocabulary": symbols.VOCABULARY,
    "positions": symbols.POSITIONS,
    "embedding_width": symbols.EMBEDDING_WIDTH,
    "experts": symbols.EXPERTS,
    "experts_passed": symbols.EXPERTS_PASSED,
    "expert_width": symbols.EXPERT_WIDTH,
    "shared_width": symbols.SHARED_WIDTH,
    "gates": symbols.GATES,
    "scalars": symbols.SCALARS,
    "query_rank": symbols.QUERY_RANK,
    "kv_rank": symbols.KEY_VALUE_RANK,
    "kv_rank + turned": symbols.LATENT_ROW,
    "value_dim": symbols.VALUE_WIDTH,
    "unturned + value_dim": symbols.KEY_AND_VALUE_WIDTH,
}
"""The symbol of every factor that a count can have."""

ROUTED = "moe.experts."
"""The names of what only some tokens pass begin so."""


def models(counts: tuple[Count, ...], context: int | None = None) -> Derivation:
    """How the parameters of one model or several were counted, each product written out.

    `context` is a number of tokens for which the size of the key/value cache is told.

    >>> from dense_cli.models.config import read_config
    >>> from dense_cli.models.counting import count
    >>> block = '{"hidden_size": 12, "query_heads": 3, "head_dim": 4, "ffn_hidden_size": 32, "bias": false}'
    >>> models((count(read_config(block)),)).result["models"][0]["total"]
    1752
    """
    names = names_of(counts)
    if len(counts) == 1:
        steps = _model_steps(counts[0], context)
        assumed = notes(counts[0].assumed)
    else:
        steps = (
            side_by_side(counts, names),
            *(
                Step(f"model-{number}", name, steps=_model_steps(count, context))
                for number, (count, name) in enumerate(zip(counts, names, strict=True), start=1)
            ),
        )
        assumed = tuple(
            Note("params.of-model", {"model": name, "assumed": note})
            for count, name in zip(counts, names, strict=True)
            for note in notes(count.assumed)
        )
    blocks = any(_is_block(count) for count in counts)
    return Derivation(
        command="params",
        title=Note("params.title-block" if blocks and len(counts) == 1 else "params.title-models"),
        given=_given(counts, context),
        result={"models": [_data(count, context) for count in counts]},
        assumed=assumed,
        answer=_answer(counts, names),
        steps=steps,
        cautions=(
            *((Note("params.one-block"), Note("params.declared-capacity")) if blocks else ()),
            Note("params.count-is-not-quality"),
        ),
    )


def _given(counts: tuple[Count, ...], context: int | None) -> dict[str, Data]:
    told: dict[str, Data] = {"models": [count.name for count in counts]}
    return told | ({} if context is None else {"context": context})


def _is_block(count: Count) -> bool:
    return count.model_type is None


def _answer(counts: tuple[Count, ...], names: tuple[Note, ...]) -> tuple[Line, ...]:
    if len(counts) > 1:
        return tuple(Line(name, None, count.total) for count, name in zip(counts, names, strict=True))
    count = counts[0]
    lines = [Line(Note("params.total"), None, count.total)]
    if count.active != count.total:
        lines.append(Line(Note("params.active"), None, count.active))
    return tuple(lines)


def _model_steps(count: Count, context: int | None) -> tuple[Step, ...]:
    parts = tuple(part for part, size in count.parts.items() if size)
    return (
        _names(count),
        *(_part(count, part) for part in parts),
        Step(
            "total", Note("params.total-title"), lines=_total_lines(count, parts), notes=_total_notes(count)
        ),
        _memory(count, context),
    )


def _names(count: Count) -> Step:
    """What each letter stands for."""
    sizes = dict(factor for term in count.terms for factor in _factors(count, term))
    if count.shape.experts is not None:
        sizes["experts_passed"] = count.shape.experts.per_token
    rows = tuple((FACTORS[name], Note(f"params.factor.{_key(name)}"), size) for name, size in sizes.items())
    columns = (Note("params.letter"), Note("params.meaning"), Note("params.number"))
    return Step("names", Note("params.names"), table=Table(columns, rows))


def _key(factor: str) -> str:
    return factor.replace(" + ", "-and-")


def _factors(count: Count, term: Term) -> tuple[tuple[str, int], ...]:
    """The factors of a product, "layers" told apart where only some have the part; one block has none."""
    named = []
    for name, size in term.factors:
        if name != "layers":
            named.append((name, size))
        elif not _is_block(count):
            named.append((name if size == count.shape.layers else f"{term.part}_layers", size))
    return tuple(named)


def _part(count: Count, part: str) -> Step:
    terms = [term for term in count.terms if term.part == part]
    lines = [_term_line(count, term) for term in terms]
    if len(terms) > 1:
        whole = Sum(tuple(Constant(term.product) for term in terms))
        lines.append(Line(Note(f"params.part.{part}"), whole, count.parts[part]))
    return Step(part, Note(f"params.part.{part}"), lines=tuple(lines))


def _term_line(count: Count, term: Term) -> Line:
    piece = Note(f"params.piece.{_piece(count, term)}")
    label = Note(f"params.role.{term.role}", {"piece": piece})
    formula = Product(tuple(given(FACTORS[name], size) for name, size in _factors(count, term)))
    return Line(label, formula, term.product)


def _piece(count: Count, term: Term) -> str:
    """The name of a piece; the norm "after attention" of most models is the one that the FFN reads."""
    sandwiched = {"pre_feedforward", "post_feedforward"} & set(count.shape.layer_norms)
    return "norms.second" if term.name == "norms.post_attention" and not sandwiched else term.name


def _total_lines(count: Count, parts: tuple[str, ...]) -> tuple[Line, ...]:
    whole = Constant(count.total)
    lines = []
    if len(parts) > 1:
        added = Sum(tuple(Constant(count.parts[part]) for part in parts))
        lines.append(Line(Note("params.total"), added, count.total))
    else:
        lines.append(Line(Note("params.total"), None, count.total))
    left_out = [count.parts[part] for part in ("embedding", "lm_head") if count.parts[part]]
    if left_out:
        less = Sum((whole, *(Negative(Constant(size)) for size in left_out)))
        lines.append(Line(Note("params.non-embedding"), less, count.non_embedding))
    if count.shape.experts is not None:
        lines.append(_active_line(count))
    return (*lines, Line(Note("params.biases"), None, count.biases))


def _active_line(count: Count) -> Line:
    """What one token passes: all but the experts that it is not sent to."""
    experts = count.shape.experts
    if experts is None:
        raise ValueError("no experts")
    routed = sum(term.product for term in count.terms if term.name.startswith(ROUTED))
    number = given(symbols.EXPERTS, experts.number)
    asleep = Sum((number, Negative(given(symbols.EXPERTS_PASSED, experts.per_token))))
    formula = Sum((Constant(count.total), Negative(Quotient(product(Constant(routed), asleep), number))))
    return Line(Note("params.active"), formula, count.active)


def _total_notes(count: Count) -> tuple[Note, ...]:
    notes = [Note("params.tied")] if count.tied else []
    if count.shape.experts is not None:
        experts = count.shape.experts
        notes.append(Note("params.routed", {"experts": experts.number, "passed": experts.per_token}))
    return tuple(notes)


def _memory(count: Count, context: int | None) -> Step:
    """Bytes of the weights, and of what is kept of each token."""
    size = given(symbols.BYTES, BYTES[count.dtype])
    lines = [
        Line(Note("params.weight-bytes"), product(Constant(count.total), size), count.weight_bytes),
        Line(Note("params.cache-bytes"), product(*_cached(count), size), count.kv_cache_bytes_per_token),
    ]
    if context is not None:
        tokens = given(symbols.CONTEXT, context)
        per_token = Constant(count.kv_cache_bytes_per_token)
        lines.append(Line(Note("params.context-bytes"), product(per_token, tokens), _cache(count, context)))
    facts: dict[str, Fact] = {"dtype": count.dtype, "bytes": BYTES[count.dtype], "symbol": symbols.BYTES}
    return Step(
        "memory", Note("params.memory"), lines=tuple(lines), notes=(Note("params.bytes-each", facts),)
    )


def _cached(count: Count) -> tuple[Expression, ...]:
    """The numbers that are kept of one token: keys and values of each layer, or the latent row."""
    shape = count.shape
    layers = () if _is_block(count) else (given(symbols.LAYERS, shape.layers),)
    if shape.latent is not None:
        return (*layers, given(symbols.LATENT_ROW, shape.latent.kv_rank + shape.latent.turned))
    heads = given(symbols.KEY_HEADS, shape.kv_heads)
    return (Constant(2), *layers, heads, given(symbols.HEAD_WIDTH, shape.head_dim))


def _cache(count: Count, context: int) -> int:
    return count.kv_cache_bytes_per_token * context


def _data(count: Count, context: int | None) -> Data:
    told: dict[str, Data] = {
        "name": count.name,
        "model_type": count.model_type,
        "total": count.total,
        "active": count.active,
        "non_embedding": count.non_embedding,
        "tied": count.tied,
        "parts": dict(count.parts),
        "biases": count.biases,
        "kv_cache_bytes_per_token": count.kv_cache_bytes_per_token,
        "weight_bytes": count.weight_bytes,
        "dtype": count.dtype,
    }
    return told | ({} if context is None else {"kv_cache_bytes": _cache(count, context)})
