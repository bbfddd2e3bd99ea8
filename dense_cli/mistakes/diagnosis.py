"""Which mistakes make exactly these numbers? Every known one is computed on the user's own numbers.

A mistake is found by what it makes, never by what it looks like. So nothing is named that does not give the
found value, and everything known that gives it is named, alone first and two together only then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from typing import Any

from dense_cli.errors import DenseError
from dense_cli.mistakes import Catalogue, Kind, Mistake, catalogue
from dense_cli.mistakes.agreement import Steps, WrongValues, agreement, shaped

Compute = Callable[[Any], Any]
Pick = Callable[[Any], Any]

FAILURES = (DenseError, ArithmeticError, ValueError)
"""What a wrong path may come to: a refusal, a division by zero, an overflow, a root of a negative number.
Then it has no value and explains nothing."""

PAIR_DIGITS = 3
"""Significant digits that one number must have for pairs to be tried: one of hundreds always gives 0.5."""

PAIR_NUMBERS = 2_000
"""Numbers, given and in the records, up to which pairs are tried: a second or two at most."""

MANY = 10**100
"""A number this long has digits enough, and is not written out to count them."""

LATER: tuple[Kind, ...] = ("precision", "choice")


@dataclass(frozen=True, slots=True)
class Found:
    """A mistake, or two together, whose value is the found one up to `max_abs_error`."""

    mistakes: tuple[Mistake, ...]
    max_abs_error: float

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


@dataclass(frozen=True, slots=True)
class Path:
    """What came out where these mistakes were made; `steps` are their places in the catalogue."""

    steps: tuple[int, ...]
    result: Any


@dataclass(frozen=True)
class WrongPaths:
    """Everything that the mistakes of a catalogue make of one given value, each computed once.

    For a class, make it once and diagnose every answer with it. `compute` is the right calculation from a
    given value to records, as the core has it; a `pick` takes from the records what was asked for.
    """

    catalogue: Catalogue
    given: Any
    compute: Compute
    _seen: dict[tuple[Pick, float, float], _Seen] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def right(self) -> tuple[Any, ...]:
        """The right records, or nothing where the right calculation refuses."""
        return tuple(self._computed((self.given,)))

    @cached_property
    def singles(self) -> tuple[Path, ...]:
        return tuple(
            Path((step,), result)
            for step, mistake in enumerate(self.catalogue)
            for result in self._computed(_changed(mistake, self.given))
        )

    @cached_property
    def pairs(self) -> tuple[Path, ...]:
        apart = tuple(enumerate(self.catalogue))
        return tuple(
            Path((first, second), result)
            for first, one in apart
            for second, other in apart[first + 1 :]
            for result in self._computed(_both(one, other, self.given))
        )

    def diagnose(
        self,
        pick: Pick,
        found: Any,
        atol: float = 5e-5,
        rtol: float = 0.0,
        pairs: bool = True,
        digits: int | None = None,
    ) -> tuple[Found, ...]:
        """All single mistakes that give `found`, or else all pairs that do; see `diagnose`."""

        values = self._wrong_values(pick, atol, rtol)
        alone = self._named(values.alone.fitting(found, atol, rtol))
        if alone or not pairs or not self._pairs_allowed(found, digits):
            return alone
        return self._named(values.together.fitting(found, atol, rtol))

    def _wrong_values(self, pick: Pick, atol: float, rtol: float) -> _Seen:
        key = pick, atol, rtol
        if key not in self._seen:
            self._seen[key] = _Seen(self, pick, atol, rtol)
        return self._seen[key]

    def _named(self, errors: Mapping[Steps, float]) -> tuple[Found, ...]:
        return tuple(self._found(steps, errors[steps]) for steps in sorted(errors, key=self._simplicity))

    def hidden(self, pick: Pick, atol: float = 5e-5, rtol: float = 0.0) -> Catalogue:
        """The mistakes that apply, but all of whose values are the right one."""
        right = [pick(result) for result in self.right]
        told: dict[int, bool] = {}
        for path in self.singles:
            value = pick(path.result)
            same = any(_same(value, other, atol, rtol) for other in right)
            told[path.steps[0]] = told.get(path.steps[0], False) or not same
        return tuple(self.catalogue[step] for step, seen in told.items() if not seen)

    @cached_property
    def _is_small(self) -> bool:
        return numbers_in(self.given) + sum(map(numbers_in, self.right)) <= PAIR_NUMBERS

    def _pairs_allowed(self, found: Any, digits: int | None) -> bool:
        _, entries = shaped(found)
        if len(entries) == 1 and (significant(entries[0]) if digits is None else digits) < PAIR_DIGITS:
            return False
        return self._is_small

    def _found(self, steps: tuple[int, ...], error: float) -> Found:
        return Found(tuple(self.catalogue[step] for step in steps), error)

    def _simplicity(self, steps: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        return sum(self.catalogue[step].kind in LATER for step in steps), steps

    def _computed(self, givens: Iterable[Any]) -> Iterator[Any]:
        for given in givens:
            try:
                yield self.compute(given)
            except FAILURES:
                continue


@dataclass(frozen=True)
class _Seen:
    """The wrong values as one question sees them: only those that are told from the right one."""

    paths: WrongPaths
    pick: Pick
    atol: float
    rtol: float

    @cached_property
    def right(self) -> list[Any]:
        return [self.pick(result) for result in self.paths.right]

    @cached_property
    def alone(self) -> WrongValues:
        return WrongValues(self._told_from(self.paths.singles, lambda steps: self.right))

    @cached_property
    def together(self) -> WrongValues:
        parts: dict[int, list[Any]] = {}
        for path in self.paths.singles:
            parts.setdefault(path.steps[0], []).append(self.pick(path.result))
        return WrongValues(
            self._told_from(
                self.paths.pairs,
                lambda steps: self.right + [value for step in steps for value in parts.get(step, [])],
            )
        )

    def _told_from(
        self, paths: Iterable[Path], others: Callable[[Steps], list[Any]]
    ) -> Iterator[tuple[Steps, Any]]:
        for path in paths:
            value = self.pick(path.result)
            if not any(_same(value, other, self.atol, self.rtol) for other in others(path.steps)):
                yield path.steps, value


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


def significant(number: Any) -> int:
    """The significant digits that a number shows when nothing is known of how it was typed.

    >>> from fractions import Fraction
    >>> [significant(number) for number in (0.5, 100, -0.0123, 4608.0, Fraction(1, 3))]
    [1, 3, 3, 4, 16]
    """
    if number is None:
        return 0
    if abs(number) >= MANY or number == number // 1:
        return len(str(min(abs(int(number)), MANY)))
    return len(repr(abs(float(number))).partition("e")[0].replace(".", "").lstrip("0"))


def _paths(topic: str | Catalogue, given: Any, compute: Compute) -> WrongPaths:
    return WrongPaths(catalogue(topic) if isinstance(topic, str) else topic, given, compute)


def _changed(mistake: Mistake, given: Any) -> tuple[Any, ...]:
    try:
        return tuple(mistake.change(given))
    except FAILURES:
        return ()


def _both(one: Mistake, other: Mistake, given: Any) -> Iterator[Any]:
    """What the second makes of what the first made, or the other way round where it applies only so."""
    for first, second in ((one, other), (other, one)):
        told = [twice for once in _changed(first, given) for twice in _changed(second, once)]
        if told:
            return iter(told)
    return iter(())


def _same(value: Any, other: Any, atol: float, rtol: float) -> bool:
    return agreement(value, other, atol, rtol) is not None


def numbers_in(value: Any) -> int:
    """How many numbers stand in a given value or in records."""
    if isinstance(value, tuple):
        return sum(map(numbers_in, value))
    if is_dataclass(value):
        return sum(numbers_in(getattr(value, part.name)) for part in fields(value))
    return 1
