"""Which mistakes make exactly these numbers? Every known one is computed on the user's own numbers.

A mistake is found by what it makes, never by what it looks like. So nothing is named that does not give the
found value, and everything known that gives it is named, alone first and two together only then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import permutations
from typing import Any

from dense_cli.frozen import dataclass, field
from dense_cli.mistakes import Catalogue, Kind, Mistake, catalogue
from dense_cli.mistakes.agreement import Shape, Steps, first_number, shaped
from dense_cli.mistakes.extent import numbers_in, significant
from dense_cli.mistakes.pairing import FAILURES as FAILURES
from dense_cli.mistakes.pairing import Glance, begins_otherwise, both, changed
from dense_cli.mistakes.wrong_values import Path, Pick, Seen, agree

Compute = Callable[[Any], Any]
PAIR_DIGITS = 3
"""Significant digits that one number must have for pairs to be tried: one of hundreds always gives 0.5."""

PAIR_NUMBERS = 2_000
"""Numbers, given and in the records, up to which pairs are tried: a second or two at most."""

LATER: tuple[Kind, ...] = ("precision", "choice")


@dataclass(frozen=True, slots=True)
class Found:
    """A mistake, or two together, whose value is the found one up to `max_abs_error`.

    `settings`: of a family of settings, those that make the value; empty where nobody has asked for them.
    """

    mistakes: tuple[Mistake, ...]
    max_abs_error: float
    settings: tuple[float, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """In alphabetical order."""
        return tuple(sorted(mistake.id for mistake in self.mistakes))

    @property
    def id(self) -> str:
        return "+".join(self.ids)

    @property
    def kind(self) -> Kind:
        """Of a pair: a convention only if both are, and a slip if one is."""
        kinds = {mistake.kind for mistake in self.mistakes}
        order: tuple[Kind, ...] = ("slip", "choice", "precision", "convention")
        return next(kind for kind in order if kind in kinds)


@dataclass(frozen=True)
class WrongPaths:
    """Everything that the mistakes of a catalogue make of one given value, each computed once.

    For a class, make it once and diagnose every answer with it. `compute` is the right calculation from a
    given value to records, as the core has it; a `pick` takes from the records what was asked for.
    """

    catalogue: Catalogue
    given: Any
    compute: Compute
    _seen: dict[tuple[Pick, float, float], Seen] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def right(self) -> tuple[Any, ...]:
        """The right records, or nothing where the right calculation refuses."""
        return tuple(self._computed((self.given,)))

    @cached_property
    def singles(self) -> tuple[Path, ...]:
        return tuple(self._paths(self._once()))

    @cached_property
    def pairs(self) -> tuple[Path, ...]:
        return tuple(self._paths(self._twice()))

    def _once(self) -> Iterator[tuple[Steps, Any]]:
        """What each mistake makes of the given value: its place, and the changed value."""
        for step, mistake in enumerate(self.catalogue):
            for given in changed(mistake, self.given):
                yield (step,), given

    def _twice(self) -> Iterator[tuple[Steps, Any]]:
        """What two mistakes make of the given value: their places, and the changed value."""
        made = [changed(mistake, self.given) for mistake in self.catalogue]
        for first, one in enumerate(self.catalogue):
            for second in range(first + 1, len(self.catalogue)):
                other = self.catalogue[second]
                for given in both((one, made[first]), (other, made[second])):
                    yield (first, second), given

    def _paths(self, made: Iterable[tuple[Steps, Any]]) -> Iterator[Path]:
        return (Path(steps, result) for steps, given in made for result in self._computed((given,)))

    def _like(
        self, made: Iterable[tuple[Steps, Any]], found: Any, glance: Glance, atol: float, rtol: float
    ) -> Iterator[Path]:
        """Those that begin like the found value; where that cannot be seen, they may."""
        begins = first_number(shaped(found)[1])
        return self._paths(
            (steps, given)
            for steps, given in made
            if begins is None or not begins_otherwise(glance, given, begins, atol, rtol)
        )

    def diagnose(
        self,
        pick: Pick,
        found: Any,
        atol: float = 5e-5,
        rtol: float = 0.0,
        pairs: bool = True,
        digits: int | None = None,
        glance: Glance | None = None,
    ) -> tuple[Found, ...]:
        """All single mistakes that give `found`, or else all pairs that do; see `diagnose`. With a `glance`,
        for one question alone, only those pairs are calculated that begin like it."""
        values = self._wrong_values(pick, atol, rtol)
        alone = self.alone(pick, found, atol, rtol)
        if alone or not pairs or not self.pairs_allowed(found, digits):
            return alone
        if glance is None:
            return self._named(values.together.fitting(found, atol, rtol))
        like = values.told_in_pairs(self._like(self._twice(), found, glance, atol, rtol))
        return self._named(like.fitting(found, atol, rtol))

    def alone(
        self, pick: Pick, found: Any, atol: float, rtol: float, glance: Glance | None = None
    ) -> tuple[Found, ...]:
        """All single mistakes that give `found`; with a `glance`, only what begins like it is calculated."""
        values = self._wrong_values(pick, atol, rtol)
        if glance is None:
            return self._named(values.alone.fitting(found, atol, rtol))
        like = values.told_from_right(self._like(self._once(), found, glance, atol, rtol))
        return self._named(like.fitting(found, atol, rtol))

    def settings(self, mistake: Mistake, pick: Pick, found: Any, atol: float, rtol: float) -> Iterator[float]:
        """Of a family of settings, those that make `found`."""
        for given in changed(mistake, self.given):
            if any(agree(found, pick(result), atol, rtol) for result in self._computed((given,))):
                yield getattr(given, mistake.setting)

    def firsts(self, pick: Pick, shape: Shape, atol: float) -> list[float] | None:
        """What the wrong values of a shape begin with, in order: a found one that begins otherwise is none.

        None where that cannot be said. `atol` is what they are told from the right one by.
        """
        values = self._wrong_values(pick, atol, 0.0)
        alone, together = values.alone.firsts(shape), values.together.firsts(shape)
        return None if alone is None or together is None else sorted((*alone, *together))

    def _wrong_values(self, pick: Pick, atol: float, rtol: float) -> Seen:
        key = pick, atol, rtol
        if key not in self._seen:
            self._seen[key] = Seen(self, pick, atol, rtol)
        return self._seen[key]

    def _named(self, errors: Mapping[Steps, float]) -> tuple[Found, ...]:
        return tuple(
            Found(tuple(self.catalogue[step] for step in steps), errors[steps])
            for steps in sorted(errors, key=self._simplicity)
        )

    def hidden(self, pick: Pick, atol: float = 5e-5, rtol: float = 0.0) -> Catalogue:
        """The mistakes that apply, but all of whose values are the right one."""
        right = [pick(result) for result in self.right]
        told: dict[int, bool] = {}
        for path in self.singles:
            value = pick(path.result)
            same = any(agree(value, other, atol, rtol) for other in right)
            told[path.steps[0]] = told.get(path.steps[0], False) or not same
        return tuple(self.catalogue[step] for step, seen in told.items() if not seen)

    def all_differ(self, pick: Pick, ids: Collection[str], atol: float, rtol: float) -> bool:
        """Whether each of these mistakes makes something that none of the others makes."""
        values: dict[str, list[Any]] = {id: [] for id in ids}
        for path in self.singles:
            values.get(self.catalogue[path.steps[0]].id, []).append(pick(path.result))
        return all(
            any(all(not agree(value, other, atol, rtol) for other in others) for value in own)
            for own, others in permutations(values.values(), 2)
        )

    @cached_property
    def _is_small(self) -> bool:
        return numbers_in(self.given) + sum(map(numbers_in, self.right)) <= PAIR_NUMBERS

    def pairs_allowed(self, found: Any, digits: int | None) -> bool:
        """Whether the found value tells enough, and the given one is small enough, for two together."""
        _, entries = shaped(found)
        if len(entries) == 1 and (significant(entries[0]) if digits is None else digits) < PAIR_DIGITS:
            return False
        return self._is_small

    def _simplicity(self, steps: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        return sum(self.catalogue[step].kind in LATER for step in steps), steps

    def _computed(self, givens: Iterable[Any]) -> Iterator[Any]:
        for given in givens:
            try:
                yield self.compute(given)
            except FAILURES:
                continue


def diagnose(
    topic: str | Catalogue,
    given: Any,
    compute: Compute,
    pick: Pick,
    found: Any,
    atol: float = 5e-5,
    rtol: float = 0.0,
    pairs: bool = True,
    digits: int | None = None,
) -> tuple[Found, ...]:
    """The mistakes that make `found` of `given`, simplest first; empty where no known one does.

    `found` is a number, vector or matrix that is known not to be right: the caller compares that first. A
    mistake fits when every entry is within |a − t| ≤ atol + rtol·|t| of its value t and the shapes agree. It
    is left out when its value is the right one on this input. Two together are tried only when none fits
    alone, and not for one number of fewer than three significant `digits` (as typed; counted from its
    value where None). Of two together, each must make a difference to the other.

    >>> from dense_cli.core.norms import Norm, norm
    >>> told = diagnose("rmsnorm", Norm(x=((1.0, 7.0),)), norm, lambda rows: rows[0].output, (5.0, 35.0))
    >>> [(found.id, found.kind) for found in told]
    [('multiplied', 'slip')]
    """
    return _paths(topic, given, compute).diagnose(pick, found, atol, rtol, pairs, digits)


def hidden(
    topic: str | Catalogue, given: Any, compute: Compute, pick: Pick, atol: float = 5e-5, rtol: float = 0.0
) -> Catalogue:
    """The mistakes that this input cannot tell from the right answer.

    >>> from dense_cli.core.norms import Norm, norm
    >>> alike = hidden("rmsnorm", Norm(x=((1.0, 1.0),)), norm, lambda rows: rows[0].output)
    >>> "no-root" in {mistake.id for mistake in alike}
    True
    """
    return _paths(topic, given, compute).hidden(pick, atol, rtol)


def _paths(topic: str | Catalogue, given: Any, compute: Compute) -> WrongPaths:
    return WrongPaths(catalogue(topic) if isinstance(topic, str) else topic, given, compute)
