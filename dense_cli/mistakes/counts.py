"""Counts that can be asked about by name, and the terms that make a found count differ from the right one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import prod

from dense_cli.core.budget import GATED, MATRICES, Budget, budget, ffn_parameters, matched_width
from dense_cli.frozen import dataclass, replace
from dense_cli.mistakes import catalogue
from dense_cli.mistakes.asking import Question, Way
from dense_cli.mistakes.diagnosis import Found
from dense_cli.mistakes.params import BudgetAnswer, BudgetQuestion, budget_answer
from dense_cli.mistakes.params_models import ModelQuestion
from dense_cli.mistakes.telling import telling_budget
from dense_cli.models.counting import Count, cache_numbers_per_token
from dense_cli.models.pieces import PARTS, Piece, pieces
from dense_cli.models.shape import BYTES

# Networks of one budget

BUDGET: Mapping[str, Callable[[BudgetAnswer], int | Fraction | None]] = {
    "hidden": lambda answer: answer.hidden,
    "parameters": lambda answer: answer.swiglu,
    "relu": lambda answer: answer.relu,
    "swiglu": lambda answer: answer.swiglu,
    "growth": lambda answer: answer.growth,
}
"""`hidden` is the matched width, `swiglu` and `parameters` what the gated network of that width costs."""


def budget_question(given: BudgetQuestion, name: str) -> Question:
    """About table 25.2. Where no whole width matches, the two next to it are right too, and what they cost.

    >>> budget_question(BudgetQuestion(12, 48), "hidden").right
    32
    >>> budget_question(BudgetQuestion(12, 50), "hidden").near
    (33, 34)
    """
    answer = budget_answer(given)
    pick = BUDGET[name]
    near: tuple[int | Fraction, ...] = ()
    right = pick(answer)
    if answer.swiglu is None and name in ("hidden", "parameters", "swiglu"):
        whole = budget(given.width, given.hidden, None, given.bias)
        sides = [side for side in (whole.below, whole.above) if side is not None]
        near = tuple(side.hidden if name == "hidden" else side.parameters for side in sides)
        right = right if name == "hidden" else answer.relu
    if name == "hidden" and given.multiple_of is not None:
        near += (matched_width(given.width, given.hidden, given.bias),)
    way = Way(catalogue("params"), given, budget_answer, pick)
    return Question(
        name, right, (way,), whole=name != "growth", near=near, telling=telling_budget(given).given
    )


def neighbour(given: BudgetQuestion, hidden: int) -> tuple[int, int]:
    """What the gated network of this width costs, and how much more than the budget that is."""
    found: Budget = budget(given.width, given.hidden, None, given.bias)
    cost = ffn_parameters(given.width, hidden, MATRICES[GATED], given.bias)
    return cost, cost - found.plain.parameters


# Whole models

ALIASES = {"parameters": "total"}
MODELS = (
    "total",
    "active",
    "non_embedding",
    *PARTS,
    "biases",
    "kv_cache_bytes_per_token",
    "weight_bytes",
)


def model_numbers(given: ModelQuestion, dtype: str) -> dict[str, int]:
    """Every count of a model by its name in the result; `dtype` gives the bytes.

    >>> from dense_cli.models.config import read_config
    >>> from dense_cli.models.shape import model_shape
    >>> block = read_config('{"hidden_size": 12, "query_heads": 3, "ffn_hidden_size": 32}')
    >>> model_numbers(ModelQuestion(model_shape(block)), "bfloat16")["weight_bytes"]
    3504
    """
    found = given.counted(given.shape)
    parts = {part: sum(piece.count for piece in found if piece.part == part) for part in PARTS}
    total = sum(parts.values())
    routed = sum(piece.count for piece in found if piece.routed)
    experts = given.shape.experts
    asleep = 0 if experts is None else routed // experts.number * (experts.number - experts.per_token)
    return {
        "total": total,
        "active": total - asleep,
        "non_embedding": total - parts["embedding"] - parts["lm_head"],
        **parts,
        "biases": sum(piece.count for piece in found if piece.role == "bias"),
        "kv_cache_bytes_per_token": cache_numbers_per_token(given.shape) * BYTES[dtype],
        "weight_bytes": total * BYTES[dtype],
    }


def model_question(counted: Count, name: str) -> Question:
    """About one number of one model."""
    way = Way(
        catalogue("params-models"),
        ModelQuestion(counted.shape),
        lambda given: model_numbers(given, counted.dtype),
        lambda numbers: numbers[name],
    )
    right = model_numbers(ModelQuestion(counted.shape), counted.dtype)[name]
    return Question(name, right, (way,), whole=True)


# Terms


@dataclass(frozen=True, slots=True)
class Term:
    """times · the product of the factors; a factor is a name with its size, or with two sizes of which it
    is the difference."""

    times: int
    factors: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def value(self) -> int:
        return self.times * prod(sizes[0] - sum(sizes[1:]) for _, sizes in self.factors)


MOST_TERMS = 6
"""A longer difference explains nothing."""

ORDER = ("layers", "vocabulary", "positions", "experts", "hidden", "heads", "kv_heads", "head_dim", "ffn")


def terms_of(
    found: Found, counted: Count, name: str, value: Fraction | int | None = None
) -> tuple[Term, ...]:
    """What the mistake adds to the count or takes from it, as products; empty where they are many. Of several
    settings it is the one that makes `value` best.

    >>> from dense_cli.mistakes.diagnosis import Found
    >>> from dense_cli.models.config import read_config
    >>> from dense_cli.models.counting import count
    >>> fields = '"vocab_size": 100, "hidden_size": 12, "intermediate_size": 32, "num_hidden_layers": 2'
    >>> text = '{"model_type": "llama", "num_attention_heads": 3, "tie_word_embeddings": true, %s}'
    >>> twice = next(one for one in catalogue("params-models") if one.id == "tied-twice")
    >>> terms_of(Found((twice,), 0), count(read_config(text % fields)), "total")
    (Term(times=1, factors=(('vocabulary', (100,)), ('hidden', (12,)))),)
    """
    right = pieces(counted.shape)
    changed = (ModelQuestion(counted.shape),)
    for mistake in found.mistakes:
        changed = tuple(twice for once in changed for twice in mistake.change(once))
    wanted = _within(name)
    if value is not None:
        off = [abs(model_numbers(one, counted.dtype)[name] - Fraction(value)) for one in changed]
        changed = (changed[off.index(min(off))],)
    for given in changed:
        wrong = [piece for piece in given.counted(given.shape) if wanted(piece)]
        terms = tuple(_merged(_differences([piece for piece in right if wanted(piece)], wrong)))
        if 0 < len(terms) <= MOST_TERMS:
            return terms
    return ()


def _within(name: str) -> Callable[[Piece], bool]:
    if name == "non_embedding":
        return lambda piece: piece.part not in ("embedding", "lm_head")
    if name in PARTS:
        return lambda piece: piece.part == name
    if name == "biases":
        return lambda piece: piece.role == "bias"
    return lambda piece: True


def _differences(right: list[Piece], wrong: list[Piece]) -> Iterator[Term]:
    there = {(piece.part, piece.name, piece.role): piece for piece in right}
    seen = set()
    for piece in wrong:
        key = (piece.part, piece.name, piece.role)
        seen.add(key)
        before = there.get(key)
        if before is None:
            yield Term(1, _factors(piece))
        elif before.count != piece.count:
            yield from _change(before, piece)
    for key, piece in there.items():
        if key not in seen:
            yield Term(-1, _factors(piece))


def _change(before: Piece, after: Piece) -> Iterator[Term]:
    old, new = dict(_factors(before)), dict(_factors(after))
    differing = [name for name in old if old[name] != new.get(name)]
    if old.keys() == new.keys() and len(differing) == 1:
        name = differing[0]
        factors = tuple(
            (one, (*new[one], *old[one]) if one == name else sizes) for one, sizes in _factors(before)
        )
        yield Term(1, factors)
    else:
        yield Term(1, _factors(after))
        yield Term(-1, _factors(before))


def _factors(piece: Piece) -> tuple[tuple[str, tuple[int, ...]], ...]:
    layers = () if piece.layers is None else (("layers", piece.layers),)
    known = {name: place for place, name in enumerate(ORDER)}
    named = sorted((*layers, *piece.factors), key=lambda factor: known.get(factor[0], len(ORDER)))
    return tuple((name, (size,)) for name, size in named)


def _merged(terms: Iterator[Term]) -> Iterator[Term]:
    """Equal products once, with how often."""
    times: Counter[tuple[tuple[str, tuple[int, ...]], ...]] = Counter()
    for term in terms:
        times[term.factors] += term.times
    return (Term(count, factors) for factors, count in times.items() if count)


def explaining_terms(counted: Count, name: str, found: int) -> tuple[Term, ...]:
    """One term of the count, or two, that the found number has too much or too little of; else nothing.

    Terms are the tensors, what a layer has of each, and those that are alike together.
    """
    right = model_numbers(ModelQuestion(counted.shape), counted.dtype).get(name)
    if right is None or name.endswith(("_bytes", "_per_token")):
        return ()
    missing = found - right
    terms = {abs(term.value): term for term in reversed(_candidates(counted, name)) if term.value}
    if abs(missing) in terms:
        return (_signed(terms[abs(missing)], missing),)
    for size in terms:
        for rest in (missing - size, missing + size):
            if abs(rest) in terms and abs(rest) <= size:
                return _signed(terms[size], missing - rest), _signed(terms[abs(rest)], rest)
    return ()


def whole_layers(counted: Count, name: str, found: int) -> tuple[int, int]:
    """How many whole layers the found number has too much (negative: too little), and what one has; 0 where
    the difference is no layer, or where layers differ.

    >>> from dense_cli.models.config import read_config
    >>> from dense_cli.models.counting import count
    >>> fields = '"vocab_size": 100, "hidden_size": 12, "intermediate_size": 32, "num_hidden_layers": 2'
    >>> text = '{"model_type": "llama", "num_attention_heads": 3, "tie_word_embeddings": true, %s}'
    >>> whole_layers(count(read_config(text % fields)), "total", 4716 - 1752)
    (-1, 1752)
    """
    layers = counted.shape.layers
    inside = [piece for piece in pieces(counted.shape) if piece.layers is not None and _within(name)(piece)]
    one = sum(piece.count for piece in inside) // layers if layers else 0
    right = model_numbers(ModelQuestion(counted.shape), counted.dtype)[name]
    if not one or any(piece.layers != layers for piece in inside) or (found - right) % one:
        return 0, one
    number = (found - right) // one
    return (number, one) if abs(number) <= layers else (0, one)


def _candidates(counted: Count, name: str) -> list[Term]:
    wanted = _within(name)
    whole = [Term(1, _factors(piece)) for piece in pieces(counted.shape) if wanted(piece)]
    alike = [term for term in _merged(iter(whole)) if term.times > 1]
    layer = [
        replace(term, factors=tuple(factor for factor in term.factors if factor[0] != "layers"))
        for term in (*whole, *alike)
        if term.factors and term.factors[0][0] == "layers"
    ]
    vocabulary = [Term(1, _factors(piece)) for piece in pieces(counted.shape) if piece.part == "embedding"]
    return [*vocabulary, *whole, *alike, *layer]


def _signed(term: Term, like: int) -> Term:
    return replace(term, times=abs(term.times) if like > 0 else -abs(term.times))
