"""What `--expect` can be about in each command: its names, its questions, and a call that tells more."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from dense_cli.cli.expect_asked import Asked
from dense_cli.cli.expect_models import rope_mistakes
from dense_cli.core.budget import Budget
from dense_cli.core.ffn import Ffn, FfnRow
from dense_cli.core.norms import Norm
from dense_cli.core.precision import number_format
from dense_cli.core.rope import Rope
from dense_cli.derivation import Note
from dense_cli.frozen import replace
from dense_cli.mistakes import telling
from dense_cli.mistakes.asking import Claim, Comparison, Question
from dense_cli.mistakes.counts import Term
from dense_cli.mistakes.diagnosis import Found
from dense_cli.mistakes.quantities import (
    FFN,
    NORM,
    ROPE,
    SPEEDS,
    Quantity,
    ffn_question,
    norm_question,
    rope_question,
)
from dense_cli.models.counting import Count

if TYPE_CHECKING:
    from dense_cli.cli.config_rope import ModelRope

LONGEST_CALL = 400
"""A longer call is no example."""

Typed = Mapping[str, str | bool | None]


def asked_of_rope(given: Rope, typed: Typed, model: ModelRope | None) -> Asked:
    """About each pair of positions; without one, about the speeds alone."""
    names = ROPE if given.positions else SPEEDS
    found = telling.telling_rope(given) if given.positions else telling.Telling(given)
    kept = {name: value for name, value in typed.items() if name not in ("q", "k")}
    if len(given.query) == 2:
        kept.pop("rotary-dim", None)
    stands_alone = not given.positions
    mistakes = rope_mistakes(typed, model)
    model_width = model.model_width if model else None

    def question(name: str, place: int) -> Question:
        asked = given if given.positions else _at_zero(given)
        return rope_question(asked, name, place, model_width, mistakes)

    return Asked(
        _kinds(names),
        question,
        places=max(1, len(given.positions)),
        aliases={"q": "query", "k": "key", "scaled_score": "score"},
        call=None if stands_alone else _call("rope", kept, found),
        why=lambda name, place: () if stands_alone else telling.why_rope(_only(given, place), name),
    )


def _only(given: Rope, place: int) -> Rope:
    return replace(given, positions=given.positions[place : place + 1])


def _at_zero(given: Rope) -> Rope:
    return replace(given, positions=((0, 0),))


def asked_of_norm(given: Norm, typed: Typed, cast: str | None) -> Asked:
    """About the rows, in the arithmetic that was asked for."""
    names = {name: one for name, one in NORM.items() if name != "layernorm" or typed.get("layernorm")}
    dtype = typed.get("dtype")

    def question(name: str, place: int) -> Question:
        if isinstance(dtype, str) and name == "output":
            from dense_cli.core.norms_precision import BEFORE_GAIN
            from dense_cli.mistakes.precise import norm_in_format

            return norm_in_format(given, name, number_format(dtype), cast or BEFORE_GAIN)
        return norm_question(given, name)

    found = telling.telling_norm(given)
    return Asked(
        _kinds(names),
        question,
        bare="output",
        call=_call("rmsnorm", typed, found),
        why=lambda name, place: telling.why_norm(given),
    )


def asked_of_ffn(given: Ffn, rows: tuple[FfnRow, ...], typed: Typed) -> Asked:
    """About every stage of the rows, in the arithmetic that was asked for."""
    dtype = typed.get("dtype")

    def question(name: str, place: int) -> Question:
        if isinstance(dtype, str):
            from dense_cli.mistakes.precise import ffn_in_format

            return ffn_in_format(given, name, number_format(dtype))
        return ffn_question(given, name, rows)

    return Asked(
        _kinds(FFN),
        question,
        bare="output",
        call=_call("swiglu", typed, telling.telling_ffn(given)),
        why=lambda name, place: telling.why_ffn(given),
    )


def asked_of_budget(found: Budget) -> Asked:
    """About the matched width and what the networks cost."""
    from dense_cli.mistakes.counts import BUDGET, budget_question, neighbour
    from dense_cli.mistakes.params import BudgetQuestion

    given = BudgetQuestion(found.width, found.hidden, found.bias, found.multiple_of)
    kinds = {name: "number" if name == "growth" else "whole" for name in BUDGET}

    def notes(comparison: Comparison, claim: Claim) -> Iterator[Note]:
        is_neighbour = comparison.matches and comparison.name == "hidden" and found.matched is None
        if is_neighbour and given.multiple_of is None and Fraction(claim.value).denominator == 1:
            cost, more = neighbour(given, int(claim.value))
            key = "expect.neighbour-more" if more > 0 else "expect.neighbour-less"
            yield Note(key, {"hidden": int(claim.value), "cost": cost, "difference": abs(more)})

    kept = {"bias": found.bias, "multiple-of": None if found.multiple_of is None else str(found.multiple_of)}
    return Asked(
        kinds,
        lambda name, place: budget_question(given, name),
        bare="hidden",
        aliases={"matched_hidden": "hidden", "width": "hidden"},
        call=_call("params", kept, telling.telling_budget(given)),
        notes=notes,
    )


def asked_of_counts(counts: Sequence[Count]) -> Asked:
    """About every count of each model."""
    from dense_cli.mistakes.counts import (
        ALIASES,
        MODELS,
        explaining_terms,
        model_question,
        terms_of,
        whole_layers,
    )

    def terms(name: str, place: int, claim: Claim, found: Found | None) -> tuple[Term, ...]:
        if found is not None:
            value = None if isinstance(claim.value, tuple) else Fraction(claim.value)
            return terms_of(found, counts[place], name, value)
        return explaining_terms(counts[place], name, int(claim.value)) if _is_count(claim) else ()

    def notes(name: str, place: int, claim: Claim) -> Iterator[Note]:
        if _is_count(claim) and name not in ("kv_cache_bytes_per_token", "weight_bytes", "active"):
            number, one = whole_layers(counts[place], name, int(claim.value))
            if number:
                yield Note(
                    f"expect.layers-{'more' if number > 0 else 'less'}", {"layers": abs(number), "one": one}
                )

    return Asked(
        dict.fromkeys(MODELS, "whole"),
        lambda name, place: model_question(counts[place], name),
        bare="total",
        places=len(counts),
        aliases=ALIASES,
        terms=terms,
        unexplained=notes,
        symbols=counts,
    )


def _is_count(claim: Claim) -> bool:
    return (
        claim.slack is None and not isinstance(claim.value, tuple) and Fraction(claim.value).denominator == 1
    )


def _kinds(names: Mapping[str, Quantity]) -> dict[str, str]:
    return {name: quantity.kind for name, quantity in names.items()}


def _call(command: str, kept: Typed, found: telling.Telling) -> str | None:
    """The call with the telling input and the settings that were typed; None where it is too long."""
    if not found.options:
        return None
    words = ["dense", command]
    for name, written in found.options.items():
        words += [name, *(written.split() if name == "--pos" else [written])]
    for name, value in kept.items():
        if value is True:
            words.append(f"--{name}")
        elif isinstance(value, str) and f"--{name}" not in found.options:
            words += [f"--{name}", value]
    call = shlex.join(words)
    return call if len(call) <= LONGEST_CALL else None
