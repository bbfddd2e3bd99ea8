"""Two mistakes together in a whole block: tried on its first tokens, then compared with all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from dense_cli.core.attention import Array
from dense_cli.core.block import TENSORS, Block, Trace
from dense_cli.frozen import dataclass, field
from dense_cli.mistakes import Mistake
from dense_cli.mistakes.block_near import Near, in_shape, stacked
from dense_cli.mistakes.block_start import SQUARES, Start, traces
from dense_cli.mistakes.diagnosis import LATER, Found
from dense_cli.mistakes.pairing import changed

MOST_WEIGHTS = 60_000
"""Numbers in the weights up to which all pairs are tried: some two thousand blocks, a second or two."""

MOST_WORK = 30_000_000
"""Weights times tokens up to which pairs without a causal mask, which need all tokens, are made too."""

Batch = tuple[Block, ...]
"""The sequences that go through the block."""


@dataclass(frozen=True, slots=True)
class Single:
    """One mistake made alone, in each of its settings, and the place in `TENSORS` of the first tensor that
    it changes."""

    mistake: Mistake
    made: list[Batch] = field(default_factory=list)
    first: int = len(TENSORS)


def affordable(given: Sequence[Block]) -> bool:
    """Whether two mistakes together are tried: every pair is a block of its own."""
    weights, one = given[0].weights, given[0]
    matrices = (weights.q, weights.k, weights.v, weights.o, weights.gate, weights.up, weights.down)
    size = sum(matrix.weight.size for matrix in matrices)
    tokens = sum(len(each.x) for each in given)
    return size <= MOST_WEIGHTS and (size + one.heads * len(one.x)) * tokens <= MOST_WORK


def first_changed(made: Sequence[Trace], right: Sequence[Trace]) -> int:
    """The place in `TENSORS` of the first tensor that is not the right one; one not kept says nothing."""
    return next((place for place, name in enumerate(TENSORS) if _differs(name, made, right)), len(TENSORS))


def _differs(name: str, made: Sequence[Trace], right: Sequence[Trace]) -> bool:
    there = [[trace.tensors.get(name) for trace in traces] for traces in (made, right)]
    pairs = tuple(zip(*there, strict=True))
    if any(here is None or other is None for here, other in pairs):
        return name not in SQUARES and any(here is not other for here, other in pairs)
    return any(
        not np.array_equal(here, other) for here, other in pairs if here is not None and other is not None
    )


def pairs_of(
    singles: Sequence[Single],
    given: Batch,
    right: Mapping[str, Array],
    claims: Mapping[str, Array],
    near: Near,
) -> dict[str, tuple[Found, ...]]:
    """For each claimed tensor that no single mistake makes, the pairs that make it."""
    fitting = {name: in_shape(claim, right[name].shape) for name, claim in claims.items()}
    question = _Question(given, right, {n: a for n, a in fitting.items() if a.shape == right[n].shape}, near)
    found: dict[str, list[Found]] = {name: [] for name in claims}
    for one, other in combinations(singles, 2):
        reached = max(one.first, other.first)
        names = [name for name in question.claims if TENSORS.index(name) >= reached]
        errors: dict[str, float] = {}
        for twice in _both(one, other) if names else ():
            for name, error in question.errors(twice, names, (one, other)):
                errors[name] = min(error, errors.get(name, error))
        for name, error in errors.items():
            found[name].append(Found((one.mistake, other.mistake), error))
    return {name: tuple(sorted(each, key=_lateness)) for name, each in found.items()}


def _lateness(found: Found) -> int:
    return sum(mistake.kind in LATER for mistake in found.mistakes)


def _both(one: Single, other: Single) -> list[Batch]:
    """What the second makes of what the first made, or the other way round where it applies only so."""
    for first, second in ((one, other), (other, one)):
        told = [twice for once in first.made for twice in settings(second.mistake, once)]
        if told:
            return told
    return []


def settings(mistake: Mistake, given: Sequence[Block]) -> Iterator[Batch]:
    """Each way of making the mistake, in all sequences alike."""
    every = [changed(mistake, one) for one in given]
    if len({len(each) for each in every}) == 1:
        yield from zip(*every, strict=True)


@dataclass(frozen=True)
class _Question:
    """The claimed tensors in the shapes of the right ones."""

    given: Batch
    right: Mapping[str, Array]
    claims: Mapping[str, Array]
    near: Near

    def errors(
        self, made: Batch, names: Sequence[str], parts: Sequence[Single]
    ) -> Iterator[tuple[str, float]]:
        """The tensors that are made so, with the largest difference left; not what a part alone makes."""
        names = self._start.like(made[0], names)
        whole = traces(made, self._keep(names)) if names else None
        for name in names if whole is not None else ():
            if whole is None or name not in whole[0].tensors:
                continue
            value = stacked(whole, name)
            error = self.near.error(self.claims[name], value)
            if error is not None and self._is_new(value, name, parts):
                yield name, error

    @cached_property
    def _start(self) -> Start:
        return Start.of(self.claims, dict.fromkeys(self.claims, self.near), len(self.given) > 1)

    def _is_new(self, value: Array, name: str, parts: Sequence[Single]) -> bool:
        """Whether neither the right block nor one of the two mistakes makes this too."""
        if self.near.error(value, self.right[name]) is not None:
            return False
        for batch in (batch for part in parts for batch in part.made):
            alone = traces(batch, self._keep((name,)))
            if alone is None or name not in alone[0].tensors:
                continue
            if self.near.error(value, stacked(alone, name)) is not None:
                return False
        return True

    def _keep(self, names: Sequence[str]) -> bool:
        return any(name in SQUARES for name in names)
