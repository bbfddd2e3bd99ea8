"""Are these the tensors of a block, and if not, which mistake makes them? Data and keys, no words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain

import numpy as np

from dense_cli.core.attention import Array
from dense_cli.core.block import TENSORS, Block, Trace, block
from dense_cli.core.precision import Format
from dense_cli.derivation import Data, Note
from dense_cli.frozen import dataclass, field, replace
from dense_cli.mistakes import Catalogue, Mistake
from dense_cli.mistakes.array_comparison import kept_in, place_note, short_notes
from dense_cli.mistakes.asking import ATOL, LARGEST_LOOK, RTOL, Comparison
from dense_cli.mistakes.block import BLOCK
from dense_cli.mistakes.block_near import MASKED, Near, in_shape, stacked
from dense_cli.mistakes.block_pairs import Single, affordable, first_changed, pairs_of, settings
from dense_cli.mistakes.block_start import SQUARES, Start, traces
from dense_cli.mistakes.diagnosis import LATER, Found
from dense_cli.mistakes.measuring import plain
from dense_cli.mistakes.observations import Seen, observed_of_many
from dense_cli.mistakes.short_formats import nearly

TELLING_TOKENS, TELLING_START = 5, 3
"""Rows of a block that show what fewer rows, or the position 0 alone, may hide."""

MOST_LOOKED_AT = 2_000
"""Numbers of a tensor up to which it is asked whether they are the right ones times a factor, or alike."""

WIDEST_WINDOW = 64
"""A wider window is not looked past."""


def block_comparisons(
    given: Sequence[Block],
    made: Sequence[Trace],
    claims: Mapping[str, Array],
    atol: Fraction = ATOL,
    rtol: Fraction = RTOL,
) -> dict[str, Comparison]:
    """The comparison of each claimed tensor, by name, in the order in which the block makes them.

    `given` and `made` are the sequences of a batch, or one alone. Each mistake is made once, and compared
    with all that was claimed; two together are made where none alone gives what was claimed. A claimed
    scores tensor needs traces that kept them.

    >>> from dense_cli.core.block import BlockWeights, Projection
    >>> eye, one = Projection(np.eye(2)), np.ones(2)
    >>> weights = BlockWeights(one, eye, eye, eye, eye, one, eye, eye, eye)
    >>> given = Block(np.array([[3.0, 4.0]]), weights, heads=1, kv_heads=1, rates=None, rotary_dim=2)
    >>> attention = np.array([[0.848528, 1.131371]])
    >>> found = block_comparisons([given], [block(given)], {"residual": attention})["residual"]
    >>> [one.id for one in found.mistakes]
    ['first-residual-missing', 'residual-missing']
    """
    near = Near(float(atol), float(rtol))
    right = {name: stacked(made, name) for name in TENSORS if name in claims}
    told = {name: _compared(name, claims[name], right[name], near, len(made) > 1) for name in right}
    small = sum(array.size for trace in made for array in trace.tensors.values()) <= LARGEST_LOOK
    if not small and all(one.matches for one in told.values()):
        return told
    kept = dict(_kept_in(told, claims))
    loose = {name: replace(near, atol=near.atol + slack) for name, (_, slack) in kept.items()}
    search = _Search(claims, right, near, loose=loose)
    start = None  # where two together may be asked for, each is made in full
    if not small and not affordable(given):
        fitting = {name: in_shape(claims[name], array.shape) for name, array in right.items()}
        start = Start.of(fitting, {name: loose.get(name, near) for name in right}, len(made) > 1)
    singles = tuple(_singles(given, made, search, start))
    hidden = search.hidden(_idle(given[0], tuple(right), near)) if small else {}
    found = {name: () if one.matches else search.followed(name) for name, one in told.items()}
    open_ones = [name for name, one in told.items() if not one.matches and not found[name]]
    tried = bool(open_ones) and affordable(given)
    if tried:
        untold = {name: claims[name] for name in open_ones}
        found |= pairs_of(singles, tuple(given), right, untold, near)
    return {
        name: replace(
            one,
            mistakes=found[name],
            seen=() if one.matches or found[name] else _seen(claims[name], right[name], atol, rtol),
            unseen=hidden.get(name, ()),
            cannot_tell=hidden.get(name, ()),
            notes=(
                *one.notes,
                *(() if found[name] else search.nearly_notes(name, kept)),
                *_drop_out(one, given[0], claims),
            ),
            pairs_tried=tried and name in open_ones,
        )
        for name, one in told.items()
    }


def _seen(claim: Array, right: Array, atol: Fraction, rtol: Fraction) -> tuple[Seen, ...]:
    """What the two tensors have to do with each other, where they are small."""
    if right.size > MOST_LOOKED_AT or in_shape(claim, right.shape).shape != right.shape:
        return ()
    return observed_of_many(in_shape(claim, right.shape).tolist(), right.tolist(), atol, rtol)


def _kept_in(
    told: Mapping[str, Comparison], claims: Mapping[str, Array]
) -> Iterator[tuple[str, tuple[Format, float]]]:
    """The wrong tensors that were kept in a short format, and how far it may have moved them."""
    for name, one in told.items():
        if one.matches or one.first_difference is None or not one.first_difference["index"]:
            continue
        finite = claims[name][np.isfinite(claims[name])]
        kept = kept_in(finite[finite > MASKED], 0.0)
        if kept is not None and (one.max_abs_error is None or one.max_abs_error > kept[1]):
            yield name, kept


def _singles(
    given: Sequence[Block], right: Sequence[Trace], search: _Search, start: Start | None
) -> Iterator[Single]:
    """Each mistake that can be made here, made alone and looked at; with a `start` only if it begins so."""
    keep = any(name in SQUARES for name in search.claims)
    for mistake in BLOCK:
        batches, first = [], len(TENSORS)
        for batch in settings(mistake, given):
            if start is not None and not start.like(batch[0], search.right.keys()):
                continue
            made = traces(batch, keep)
            if made is not None:
                search.look(mistake, made, batch[0])
                first = min(first, first_changed(made, right))
            batches.append(batch)
        yield Single(mistake, batches, first)


@dataclass(frozen=True, slots=True)
class _Search:
    """What the mistakes make of each claimed tensor."""

    claims: Mapping[str, Array]
    right: Mapping[str, Array]
    near: Near
    changed: dict[str, set[str]] = field(default_factory=dict)
    tried: dict[str, Mistake] = field(default_factory=dict)
    errors: dict[str, dict[str, float]] = field(default_factory=dict)
    loose: Mapping[str, Near] = field(default_factory=dict)
    """What counts as the same of a tensor that was kept in a short format."""
    nearly: dict[str, list[str]] = field(default_factory=dict)
    settings: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    """By tensor and mistake: of a family of settings, those that make it."""

    def look(self, mistake: Mistake, made: Sequence[Trace], given: Block) -> None:
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
                if mistake.setting:
                    settings = self.settings.setdefault((name, mistake.id), [])
                    settings.append(getattr(given, mistake.setting))
            elif name in self.loose and self.loose[name].error(self.claims[name], value) is not None:
                self.nearly.setdefault(name, []).append(mistake.id)

    def nearly_notes(self, name: str, kept: Mapping[str, tuple[Format, float]]) -> Iterator[Note]:
        """What makes this tensor up to the rounding of its format."""
        if name in kept:
            ids = dict.fromkeys(self.nearly.get(name, ()))
            yield from nearly(*kept[name], [self.tried[id] for id in ids])

    def followed(self, name: str) -> tuple[Found, ...]:
        found = [
            Found((self.tried[id],), error, tuple(self.settings.get((name, id), ())))
            for id, error in self.errors.get(name, {}).items()
        ]
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


def _idle(given: Block, names: Sequence[str], near: Near) -> dict[str, set[str]]:
    """For each tensor the mistakes that never show in it: not on random rows far from position 0 either."""
    window = given.window if given.window is not None and given.window < WIDEST_WINDOW else 0
    shape = (max(TELLING_TOKENS, window + 1), given.x.shape[-1])
    telling = replace(given, x=np.random.default_rng(0).normal(size=shape), start=TELLING_START)
    right = block(telling)
    claims = {name: right[name] for name in names}
    search = _Search(claims, claims, near)
    for mistake in BLOCK:
        for (changed,) in settings(mistake, (telling,)):
            made = traces((changed,), keep=True)
            if made is not None:
                search.look(mistake, made, changed)
    return {name: search.tried.keys() - search.changed.get(name, set()) for name in names}


# --- one tensor


def _compared(name: str, found: Array, right: Array, near: Near, batch: bool) -> Comparison:
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
