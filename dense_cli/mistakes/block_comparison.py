"""Are these the tensors of a block, and if not, which mistake makes them? Data and keys, no words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from dense_cli.core.attention import Array
from dense_cli.core.block import TENSORS, Block, Trace, block
from dense_cli.derivation import Data, Note
from dense_cli.mistakes import Catalogue, Mistake
from dense_cli.mistakes.array_comparison import place_note, short_notes
from dense_cli.mistakes.block import BLOCK
from dense_cli.mistakes.comparison import ATOL, LARGEST_LOOK, RTOL, Comparison, plain
from dense_cli.mistakes.diagnosis import FAILURES, LATER, Found

MASKED = -1e4
"""A masked score is −∞; a mask that adds so large a negative number makes the same probabilities."""

TELLING_TOKENS, TELLING_START = 5, 3
"""Rows of a block that show what fewer rows, or the position 0 alone, may hide."""

WIDEST_WINDOW = 64
"""A wider window is not looked past."""

SQUARES = ("scores", "probabilities")


def block_comparisons(
    given: Sequence[Block],
    traces: Sequence[Trace],
    claims: Mapping[str, Array],
    atol: Fraction = ATOL,
    rtol: Fraction = RTOL,
) -> dict[str, Comparison]:
    """The comparison of each claimed tensor, by name, in the order in which the block makes them.

    `given` and `traces` are the sequences of a batch, or one alone. Each mistake is made once, and compared
    with all that was claimed. A claimed scores tensor needs traces that kept them.

    >>> from dense_cli.core.block import BlockWeights, Projection
    >>> eye, one = Projection(np.eye(2)), np.ones(2)
    >>> weights = BlockWeights(one, eye, eye, eye, eye, one, eye, eye, eye)
    >>> given = Block(np.array([[3.0, 4.0]]), weights, heads=1, kv_heads=1, rates=None, rotary_dim=2)
    >>> attention = np.array([[0.848528, 1.131371]])
    >>> found = block_comparisons([given], [block(given)], {"residual": attention})["residual"]
    >>> [one.id for one in found.mistakes]
    ['first-residual-missing', 'residual-missing']
    """
    near = _Near(float(atol), float(rtol))
    right = {name: stacked(traces, name) for name in TENSORS if name in claims}
    told = {name: _compared(name, claims[name], right[name], near, len(traces) > 1) for name in right}
    small = sum(array.size for trace in traces for array in trace.tensors.values()) <= LARGEST_LOOK
    if not small and all(one.matches for one in told.values()):
        return told
    search = _Search(claims, right, near)
    keep = any(name in claims for name in SQUARES)
    for mistake in BLOCK:
        for changed in _settings(mistake, given):
            made = _traces(changed, keep)
            if made is not None:
                search.look(mistake, made)
    hidden = search.hidden(_idle(given[0], tuple(right), near)) if small else {}
    return {
        name: replace(
            one,
            mistakes=() if one.matches else search.followed(name),
            unseen=hidden.get(name, ()),
            cannot_tell=hidden.get(name, ()),
            notes=(*one.notes, *_drop_out(one, given[0], claims)),
        )
        for name, one in told.items()
    }


def stacked(traces: Sequence[Trace], name: str) -> Array:
    """The tensor of one sequence, or those of all with a batch axis."""
    return traces[0][name] if len(traces) == 1 else np.stack([trace[name] for trace in traces])


@dataclass(frozen=True, slots=True)
class _Near:
    """What counts as the same number."""

    atol: float
    rtol: float

    def differences(self, found: Array, right: Array) -> tuple[Array, NDArray[np.bool_]]:
        """How far each entry is off, NaN where a finite number meets none; and which are not near enough."""
        masked = np.isneginf(right)
        with np.errstate(invalid="ignore", over="ignore"):
            off = np.abs(np.subtract(found, right, dtype=np.float64))
            off[masked & (found <= MASKED)] = 0.0
            off[np.isinf(off)] = np.nan
            return off, ~(off <= self.atol + self.rtol * np.where(masked, 0.0, np.abs(right)))

    def error(self, found: Array, right: Array) -> float | None:
        """The largest difference, or None where one is beyond the tolerance or the shapes differ."""
        found = in_shape(found, right.shape)
        if found.shape != right.shape:
            return None
        off, wrong = self.differences(found, right)
        return None if wrong.any() else float(off.max())


@dataclass(frozen=True, slots=True)
class _Search:
    """What the mistakes make of each claimed tensor."""

    claims: Mapping[str, Array]
    right: Mapping[str, Array]
    near: _Near
    changed: dict[str, set[str]] = field(default_factory=dict)
    tried: dict[str, Mistake] = field(default_factory=dict)
    errors: dict[str, dict[str, float]] = field(default_factory=dict)

    def look(self, mistake: Mistake, made: Sequence[Trace]) -> None:
        self.tried[mistake.id] = mistake
        for name, right in self.right.items():
            if name not in made[0].tensors:
                continue
            value = stacked(made, name)
            if self.near.error(value, right) is not None:
                continue
            self.changed.setdefault(name, set()).add(mistake.id)
            error = self.near.error(self.claims[name], value)
            if error is not None:
                known = self.errors.setdefault(name, {})
                known[mistake.id] = min(error, known.get(mistake.id, error))

    def followed(self, name: str) -> tuple[Found, ...]:
        found = [Found((self.tried[id],), error) for id, error in self.errors.get(name, {}).items()]
        return tuple(sorted(found, key=lambda one: one.mistakes[0].kind in LATER))

    def hidden(self, idle: Mapping[str, set[str]]) -> dict[str, Catalogue]:
        """For each tensor the mistakes that change nothing in it here, but would on another input."""
        return {
            name: tuple(
                mistake
                for id, mistake in self.tried.items()
                if id not in self.changed.get(name, ()) and id not in idle[name]
            )
            for name in self.right
        }


def _settings(mistake: Mistake, given: Sequence[Block]) -> Iterator[tuple[Block, ...]]:
    """Each way of making the mistake, in all sequences alike."""
    try:
        yield from zip(*(tuple(mistake.change(one)) for one in given), strict=True)
    except FAILURES:
        return


def _traces(given: Sequence[Block], keep: bool) -> list[Trace] | None:
    try:
        return [block(one, keep) for one in given]
    except FAILURES:
        return None


def _idle(given: Block, names: Sequence[str], near: _Near) -> dict[str, set[str]]:
    """For each tensor the mistakes that never show in it: not on random rows far from position 0 either."""
    window = given.window if given.window is not None and given.window < WIDEST_WINDOW else 0
    shape = (max(TELLING_TOKENS, window + 1), given.x.shape[-1])
    telling = replace(given, x=np.random.default_rng(0).normal(size=shape), start=TELLING_START)
    right = block(telling)
    claims = {name: right[name] for name in names}
    search = _Search(claims, claims, near)
    for mistake in BLOCK:
        for (changed,) in _settings(mistake, (telling,)):
            made = _traces((changed,), keep=True)
            if made is not None:
                search.look(mistake, made)
    return {name: search.tried.keys() - search.changed.get(name, set()) for name in names}


# --- one tensor


def _compared(name: str, found: Array, right: Array, near: _Near, batch: bool) -> Comparison:
    found = in_shape(found, right.shape)
    if found.shape != right.shape:
        shapes: dict[str, Data] = {"found": list(found.shape), "expected": list(right.shape)}
        return Comparison(name, False, None, {"index": [], **shapes})
    off, wrong = near.differences(found, right)
    largest = None if np.isnan(off).any() else float(off.max())
    if not wrong.any():
        return Comparison(name, True, largest, None)
    index = tuple(int(each) for each in np.argwhere(wrong)[0])
    entry: dict[str, Data] = {
        "index": list(index),
        "found": plain(float(found[index])),
        "expected": plain(float(right[index])),
    }
    notes = chain(_place(name, index, right.shape, batch), short_notes(found, largest, float(right[index])))
    return Comparison(name, False, largest, entry, notes=tuple(notes))


def in_shape(found: Array, shape: tuple[int, ...]) -> Array:
    """The array in this shape where they differ only in leading axes of length 1."""
    ours, wanted = ([*each] for each in (found.shape, shape))
    for each in (ours, wanted):
        while each and each[0] == 1:
            del each[0]
    return found.reshape(shape) if ours == wanted else found


def _place(name: str, index: tuple[int, ...], shape: tuple[int, ...], batch: bool) -> Iterator[Note]:
    """Where a number stands, in words; the sequence of a batch by itself."""
    inside, of = (index[1:], shape[1:]) if batch else (index, shape)
    note = place_note(inside, of)
    yield Note("expect.block.score-3", note.facts) if name in SQUARES else note
    if batch:
        yield Note("expect.block.in-sequence", {"sequence": index[0] + 1, "sequences": shape[0]})


def _drop_out(told: Comparison, given: Block, claims: Mapping[str, Array]) -> Iterator[Note]:
    late = TENSORS.index(told.name) >= TENSORS.index("scores")
    seen = {"q_rotated", "k_rotated"} & claims.keys()
    if told.matches and late and not seen and given.rates is not None:
        yield Note("expect.block.positions-drop-out")
