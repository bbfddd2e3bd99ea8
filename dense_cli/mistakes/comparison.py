"""Is a found value the right one, and if not, which mistake makes it? Data and keys, no words.

The right value comes first and decides alone. Mistakes are looked for only where it is not met, and what
the input cannot show is told either way: an answer that is right on it may be right by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import Any

from dense_cli.derivation import Data, Note
from dense_cli.mistakes import Catalogue
from dense_cli.mistakes.agreement import shaped
from dense_cli.mistakes.diagnosis import Compute, Found, Pick, WrongPaths, numbers_in
from dense_cli.mistakes.observations import Seen, observed

ATOL, RTOL = Fraction(5, 100_000), Fraction(0)
"""Right to four decimals."""

LARGEST_LOOK = 20_000
"""Numbers in the given value up to which it is also asked what the input cannot show."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What someone found: a number, vector, matrix or truth, exact where it was typed exactly.

    `decimals`: for every entry the places written behind the point, None where nothing was left out.
    `slack` is half a unit of the last digit of a count such as 6.74B: it stands for all that round to it.
    """

    value: Any
    decimals: tuple[int | None, ...] = ()
    slack: Fraction | None = None
    digits: int | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """One calculation from a given value to records, and the mistakes that may be made in it.

    `looser` is added to the relative tolerance: for values that another arithmetic has rounded.
    """

    catalogue: Catalogue
    given: Any
    compute: Compute
    pick: Pick
    looser: float = 0.0
    pairs: bool = True


Look = Callable[[Any, Fraction, Fraction], Iterable[Note]]
"""From a found value and the tolerances to what can be said of it although no known mistake made it."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about: the right value of one quantity, and the ways to wrong ones.

    `near` are other values that are as right. `telling` is a given value on which mistakes show that others
    may hide. `beside` picks what should be looked at too, where the quantity itself can never show a
    mistake. `look` adds what only this topic can say.
    """

    name: str
    right: Any
    ways: tuple[Way, ...]
    whole: bool = False
    near: tuple[Any, ...] = ()
    telling: Any = None
    beside: Pick | None = None
    look: Look | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a claim and the right value compare; `found` and `expected` are shapes where those differ."""

    name: str
    matches: bool
    max_abs_error: float | int | None
    first_difference: dict[str, Data] | None
    mistakes: tuple[Found, ...] = ()
    unseen: Catalogue = ()
    """The mistakes that change nothing here; `cannot_tell` are those that would on another input, and
    `never_shown` those that only other quantities show."""
    cannot_tell: Catalogue = ()
    never_shown: Catalogue = ()
    seen: tuple[Seen, ...] = ()
    notes: tuple[Note, ...] = ()


def compared(question: Question, claim: Claim, atol: Fraction = ATOL, rtol: Fraction = RTOL) -> Comparison:
    """The comparison of one claim.

    >>> from dense_cli.core.norms import Norm, norm
    >>> from dense_cli.mistakes import catalogue
    >>> given = Norm(x=((1.0, 7.0),))
    >>> way = Way(catalogue("rmsnorm"), given, norm, lambda rows: rows[0].output)
    >>> found = compared(Question("output", norm(given)[0].output, (way,)), Claim((5.0, 35.0)))
    >>> found.matches, [one.id for one in found.mistakes]
    (False, ['multiplied'])
    """
    claim = _as_row(claim, question.right)
    if question.whole:
        atol, rtol = _slack(question, claim), Fraction(0)
    told = _measured(question, claim, atol, rtol)
    search = _Search(question, atol, rtol)
    told = replace(told, unseen=search.unseen, cannot_tell=search.cannot_tell, never_shown=search.never_shown)
    if told.matches:
        return told
    mistakes = search.mistakes(claim)
    if mistakes and len(mistakes[0].mistakes) == 1:
        return replace(told, mistakes=mistakes)
    notes = tuple(question.look(claim.value, atol, rtol)) if question.look else ()
    if mistakes:  # one reason may lie nearer than two mistakes
        return replace(told, mistakes=mistakes, notes=notes)
    seen = observed(claim.value, question.right, claim.decimals, atol, rtol)
    if any(one.id == "rounded" for one in seen):
        return replace(told, seen=seen)
    return replace(told, seen=seen, notes=(*notes, *search.nearly(claim)))


def measured(
    found: Any, right: Any, atol: Fraction, rtol: Fraction
) -> tuple[bool, float | int | None, dict[str, Data] | None]:
    """Whether every entry is within |a − t| ≤ atol + rtol·|t|, exactly and inclusive; the largest difference
    (None where there is none to speak of), and the first entry that is not within.

    >>> measured((Fraction("0.8485"), 9), (0.848528, 1.131371), ATOL, RTOL)[::2]
    (False, {'index': [1], 'found': 9, 'expected': 1.131371})
    """
    (shape, entries), (right_shape, right_entries) = shaped(found), shaped(right)
    if shape != right_shape:
        shapes: dict[str, Data] = {"found": _shape_data(found), "expected": _shape_data(right)}
        return False, None, {"index": [], **shapes}
    largest: Fraction | int = 0
    finite, first = True, None
    for place, (a, t) in enumerate(zip(entries, right_entries, strict=True)):
        error = difference(a, t)
        if error is None or isinstance(a, bool):
            finite, within = False, a == t
        else:
            largest = max(largest, error)
            within = error <= atol + rtol * abs(Fraction(t))
        if not within and first is None:
            first = {"index": _index(place, shape), "found": plain(a), "expected": plain(t)}
    return first is None, _size(largest) if finite else None, first


def difference(a: Any, t: Any) -> Fraction | None:
    """|a − t| without rounding; None where one of them is no finite number."""
    if a is None or t is None or not (isfinite(a) and isfinite(t)):
        return None
    return abs(Fraction(a) - Fraction(t))


def plain(value: Any) -> Data:
    """One number or truth as JSON has it; None for what is not finite."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float):
        return value + 0.0 if isfinite(value) else None
    exact = Fraction(value)
    return exact.numerator if exact.denominator == 1 else float(exact)


def _size(error: Fraction | int) -> float | int:
    return int(error) if error == int(error) else float(error)


def _index(place: int, shape: tuple[int, ...]) -> list[Data]:
    index: list[Data] = []
    for width in reversed(shape):
        place, inner = divmod(place, width)
        index.append(inner)
    return index[::-1]


def _shape_data(value: Any) -> list[Data]:
    """Leading ones left out, as in comparing; a lone number is said to have one entry."""
    return list(shaped(value)[0]) or [1]


def _measured(question: Question, claim: Claim, atol: Fraction, rtol: Fraction) -> Comparison:
    told = Comparison(question.name, *measured(claim.value, question.right, atol, rtol))
    if told.matches:
        return told
    others = (Comparison(question.name, *measured(claim.value, one, atol, rtol)) for one in question.near)
    return next((one for one in others if one.matches), told)


@dataclass(frozen=True)
class _Search:
    """The wrong values of one question, each computed once."""

    question: Question
    atol: Fraction
    rtol: Fraction

    @cached_property
    def here(self) -> tuple[WrongPaths, ...]:
        return tuple(WrongPaths(way.catalogue, way.given, way.compute) for way in self.question.ways)

    @cached_property
    def there(self) -> WrongPaths | None:
        """The wrong paths on the telling input, where there is one and the asked one is not too large."""
        way = self.question.ways[0]
        if self.question.telling is None or numbers_in(way.given) > LARGEST_LOOK:
            return None
        return WrongPaths(way.catalogue, self.question.telling, way.compute)

    @cached_property
    def unseen(self) -> Catalogue:
        return self.here[0].hidden(self.question.ways[0].pick, *self._tolerances) if self.there else ()

    @cached_property
    def idle(self) -> Catalogue:
        """The mistakes that change nothing on the telling input either."""
        return self.there.hidden(self.question.ways[0].pick, *self._tolerances) if self.there else ()

    @property
    def cannot_tell(self) -> Catalogue:
        return tuple(mistake for mistake in self.unseen if mistake not in self.idle)

    @property
    def never_shown(self) -> Catalogue:
        if self.there is None or self.question.beside is None:
            return ()
        aside = self.there.hidden(self.question.beside, *self._tolerances)
        return tuple(one for one in self.unseen if one in self.idle and one not in aside)

    def mistakes(self, claim: Claim) -> tuple[Found, ...]:
        """The single mistakes of the first way that has any, else the pairs of the first way that has any."""
        alone = self._alone(claim, self._tolerances)
        if alone or not self.question.ways[0].pairs:
            return alone
        way, found = self.question.ways[0], _in_floats(claim.value)
        paths = WrongPaths(self._in_pairs, way.given, way.compute)
        return paths.diagnose(way.pick, found, *self._tolerances, digits=claim.digits)

    def nearly(self, claim: Claim) -> Iterator[Note]:
        """The mistakes that make the value as coarsely as it was written, if that is coarser than asked."""
        written = [places for places in claim.decimals if places is not None]
        if self.question.whole or len(written) < max(2, len(claim.decimals)) or min(written) < 1:
            return
        half_a_unit = Fraction(1, 2 * 10 ** min(written))
        if half_a_unit > self.atol:
            for found in self._alone(claim, (float(half_a_unit), float(self.rtol))):
                title = Note(found.mistakes[0].words("title"))
                yield Note("expect.nearly", {"decimals": min(written), "title": title})

    def _alone(self, claim: Claim, tolerances: tuple[float, float]) -> tuple[Found, ...]:
        atol, rtol = tolerances
        found = _in_floats(claim.value)
        told = (
            paths.diagnose(way.pick, found, atol, rtol + way.looser, pairs=False)
            for way, paths in zip(self.question.ways, self.here, strict=True)
        )
        return next(filter(None, told), ())

    @property
    def _in_pairs(self) -> Catalogue:
        """A mistake that never changes the quantity need not be tried beside every other."""
        return tuple(mistake for mistake in self.question.ways[0].catalogue if mistake not in self.idle)

    @property
    def _tolerances(self) -> tuple[float, float]:
        return float(self.atol), float(self.rtol)


def _as_row(claim: Claim, right: Any) -> Claim:
    """A single column, as files have it, where a vector is asked for."""
    shape, entries = shaped(claim.value)
    return replace(claim, value=entries) if shape == (*shaped(right)[0], 1) and len(shape) == 2 else claim


def _slack(question: Question, claim: Claim) -> Fraction:
    """Half a unit of the last digit of a rounded count, or of a width that is no whole number."""
    if claim.slack is None and isinstance(question.right, Fraction) and question.right.denominator > 1:
        places = claim.decimals[0] if claim.decimals else None
        return Fraction(1, 2 * 10**places) if places else Fraction(0)
    return claim.slack or Fraction(0)


def _in_floats(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_in_floats, value))
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    return value
