"""The first half of a block: norm, projections, rotation, scores, mask, softmax, mix, first residual."""

from __future__ import annotations

from math import isfinite

from dense_cli.core.angles import angle
from dense_cli.core.rope import pairs
from dense_cli.derivation import Line, Note, Step, Table, Value
from dense_cli.derive import symbols
from dense_cli.derive.activations import EXP
from dense_cli.derive.block_row import Followed, bound, norm_step, residual_step
from dense_cli.derive.stating import WRITTEN_OUT, define
from dense_cli.expression import (
    Call,
    Expression,
    Negative,
    Product,
    Quotient,
    Root,
    Sum,
    Symbol,
    product,
)


def attention_steps(followed: Followed) -> tuple[Step, ...]:
    """From the input row to the first residual."""
    return (
        norm_step(followed, "norm1", (symbols.X, "x"), symbols.FIRST_NORM),
        _projections(followed),
        *_query_key_norm(followed),
        _rotation(followed),
        _scores(followed),
        *_mask(followed),
        _softmax(followed),
        _mix(followed),
        _output_projection(followed),
        residual_step(
            followed, "residual", (symbols.X, "x"), (symbols.ATTENTION, "attention"), symbols.RESIDUAL
        ),
    )


def _projections(followed: Followed) -> Step:
    given = followed.given
    names = ("q_projected", "k_projected", "v") if "q_projected" in followed.trace.shapes else ("q", "k", "v")
    letters = (symbols.QUERY, symbols.KEY, symbols.VALUE)
    group = given.heads // given.kv_heads
    facts: dict[str, Value] = {"heads": given.heads, "kv_heads": given.kv_heads, "group": group}
    notes = [Note("block.heads-grouped" if group > 1 else "block.heads-split", facts)]
    if given.weights.q.bias is not None:
        notes.append(Note("block.with-bias"))
    return Step(
        "projections",
        Note("block.projections"),
        formula=(symbols.QUERY, product(symbols.FIRST_NORM, symbols.QUERY_WEIGHT)),
        lines=tuple(followed.vector(letter, name) for letter, name in zip(letters, names, strict=True)),
        notes=(*notes, *followed.shape(*names)),
    )


def _query_key_norm(followed: Followed) -> tuple[Step, ...]:
    if "q_projected" not in followed.trace.shapes:
        return ()
    gain = followed.given.weights.q_norm
    over_head = gain is not None and gain.size == followed.given.head_dim
    note = Note("block.qk-norm-head" if over_head else "block.qk-norm-projection")
    lines = (followed.vector(symbols.QUERY, "q"), followed.vector(symbols.KEY, "k"))
    return (Step("qk-norm", Note("block.qk-norm"), lines=lines, notes=(note, *followed.shape("q", "k"))),)


def _rotation(followed: Followed) -> Step:
    given, table = followed.given, followed.trace.directions
    if table is None or given.rates is None:
        return Step("rotation", Note("block.rotation"), notes=(Note("block.nothing-turns"),))
    first, second = pairs(given.layout, given.rotary_dim)[0]
    position = symbols.QUERY_POSITION.bound(followed.position)
    theta = symbols.THETA.at(1).bound(given.rates[0].theta)
    turn = define(
        symbols.QUERY_ANGLE.at(1), product(position, theta), angle(given.rates[0], followed.position)
    )[0]
    cosine = symbols.cosine_of(symbols.QUERY_ANGLE.at(1)).bound(float(table[-1, 0].real))
    sine = symbols.sine_of(symbols.QUERY_ANGLE.at(1)).bound(float(table[-1, 0].imag))
    query, turned = bound(symbols.QUERY, followed.row("q")), followed.row("q_rotated")
    formulas: dict[int, Expression] = {
        first: Sum((product(query[first], cosine), Negative(product(query[second], sine)))),
        second: Sum((product(query[first], sine), product(query[second], cosine))),
    }
    if given.attention_factor != 1:
        factor = symbols.ATTENTION_FACTOR.bound(given.attention_factor)
        formulas = {place: product(factor, formula) for place, formula in formulas.items()}
    lines = [
        define(symbols.TURNED_QUERY.at(place + 1), formula, turned[place])[0]
        for place, formula in formulas.items()
    ]
    notes = [Note("block.first-pair", {"first": first + 1, "second": second + 1})]
    if given.rotary_dim < given.head_dim:
        notes.append(Note("block.partly-turned", {"rotary_dim": given.rotary_dim}))
    return Step(
        "rotation",
        Note("block.rotation"),
        lines=(
            turn,
            *lines,
            followed.vector(symbols.TURNED_QUERY, "q_rotated"),
            followed.vector(symbols.TURNED_KEY, "k_rotated"),
        ),
        notes=(*notes, Note("block.values-stay"), *followed.shape("q_rotated", "k_rotated")),
    )


def _scores(followed: Followed) -> Step:
    """The last query against each key; its own key is written out."""
    given, last = followed.given, followed.tokens
    width = symbols.WIDTH.bound(given.score_width or given.head_dim)
    scores = followed.trace.last_scores[0].tolist()
    query = bound(symbols.TURNED_QUERY, followed.row("q_rotated"))
    key = bound(symbols.TURNED_KEY, followed.row("k_rotated"), last)
    dot = Sum(tuple(product(a, b) for a, b in zip(query, key, strict=True)))
    formula: Expression | None = Quotient(dot, Root(width)) if len(query) <= WRITTEN_OUT else None
    first = max(0, last - WRITTEN_OUT)
    rows: tuple[tuple[Value | Note, ...], ...] = tuple(
        (place + 1, given.start + place, _cell(scores[place]), probability)
        for place, probability in enumerate(followed.trace.last_probabilities[0].tolist())
        if place >= first
    )
    columns = (
        Note("block.key-token"),
        Note("block.position"),
        symbols.SCORE,
        symbols.PROBABILITY,
    )
    notes = [Note("block.over-root", {"width": int(width.evaluate())})]
    if first:
        notes.append(Note("block.earlier-keys", {"count": first}))
    return Step(
        "scores",
        Note("block.scores", {"token": last, "position": followed.position}),
        formula=(
            symbols.SCORE.at("j"),
            Quotient(product(symbols.TURNED_QUERY, symbols.TURNED_KEY.at("j")), Root(symbols.WIDTH)),
        ),
        lines=(Line(symbols.SCORE.at(last), formula, scores[-1]),),
        table=Table(columns, rows),
        notes=(*notes, *followed.shape("scores")),
    )


def _cell(score: float) -> Value | Note:
    return score if isfinite(score) else Note("block.masked")


def _mask(followed: Followed) -> tuple[Step, ...]:
    """Every query of a short sequence against every key: the upper triangle is masked."""
    if "scores" not in followed.trace.tensors or not 1 < followed.tokens <= WRITTEN_OUT:
        return ()
    start = followed.given.start
    positions = range(start, start + followed.tokens)
    columns = (
        Note("block.query-position"),
        *(Note("block.key-at", {"position": position}) for position in positions),
    )
    rows: tuple[tuple[Value | Note, ...], ...] = tuple(
        (position, *map(_cell, scores))
        for position, scores in zip(positions, followed.trace["scores"][0].tolist(), strict=True)
    )
    window = followed.given.window
    note = Note("block.causal") if window is None else Note("block.causal-window", {"window": window})
    return (Step("mask", Note("block.mask"), table=Table(columns, rows), notes=(note,)),)


def _softmax(followed: Followed) -> Step:
    """The probability of the last token's own key, with all that it is measured against."""
    last, probabilities = followed.tokens, followed.trace.last_probabilities[0].tolist()
    seen = {
        place: symbols.SCORE.at(place).bound(score)
        for place, score in enumerate(followed.trace.last_scores[0].tolist(), start=1)
        if isfinite(score)
    }
    largest = symbols.LARGEST_SCORE.bound(max(score.evaluate() for score in seen.values()))
    formula: Expression | None = None
    if len(seen) <= WRITTEN_OUT:
        powers = {place: Call(EXP, Sum((score, Negative(largest)))) for place, score in seen.items()}
        formula = Quotient(powers[last], Sum(tuple(powers.values())))
    total = Symbol("Σ exp(s - s max)", r"\sum \exp(s - s_{\max})")
    return Step(
        "softmax",
        Note("block.softmax"),
        formula=(
            symbols.PROBABILITY.at("j"),
            Quotient(Call(EXP, Sum((symbols.SCORE.at("j"), Negative(symbols.LARGEST_SCORE)))), total),
        ),
        lines=(
            Line(symbols.LARGEST_SCORE, None, largest.evaluate()),
            Line(symbols.PROBABILITY.at(last), formula, probabilities[-1]),
        ),
        notes=(Note("block.softmax-sum"), *followed.shape("probabilities")),
    )


def _mix(followed: Followed) -> Step:
    """The first head's values, weighted by the probabilities and added."""
    probabilities = followed.trace.last_probabilities[0].tolist()
    values = followed.trace["v"][0].tolist()
    seen = [place for place, probability in enumerate(probabilities) if probability]
    lines: tuple[Line, ...] = ()
    if len(seen) <= WRITTEN_OUT and "v" not in followed.given.rotated:
        terms = [
            Product(
                (
                    symbols.PROBABILITY.at(place + 1).bound(probabilities[place]),
                    symbols.VALUE.at(place + 1, 1).bound(values[place][0]),
                )
            )
            for place in seen
        ]
        lines = followed.coordinates(symbols.MIX, "heads", lambda _: Sum(tuple(terms)), count=1)
    return Step(
        "mix",
        Note("block.mix"),
        lines=(*lines, followed.vector(symbols.MIX, "heads")),
        notes=(Note("block.mix-rows"), *followed.shape("heads")),
    )


def _output_projection(followed: Followed) -> Step:
    given = followed.given
    width = given.heads * given.head_dim
    notes = [Note("block.joined", {"heads": given.heads, "head_dim": given.head_dim, "width": width})]
    if given.weights.o.bias is not None:
        notes.append(Note("block.with-bias"))
    return Step(
        "attention",
        Note("block.attention"),
        formula=(symbols.ATTENTION, product(symbols.MIX, symbols.OUTPUT_WEIGHT)),
        lines=(followed.vector(symbols.ATTENTION, "attention"),),
        notes=(*notes, *followed.shape("attention")),
    )
