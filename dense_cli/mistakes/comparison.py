"""Is a found value the right one, and if not, which mistake makes it? Data and keys, no words.

The right value comes first and decides alone. Mistakes are looked for only where it is not met, and what
the input cannot show is told either way: an answer that is right on it may be right by chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

from dense_cli.derivation import Note
from dense_cli.frozen import dataclass, replace
from dense_cli.mistakes import Catalogue
from dense_cli.mistakes.agreement import shaped
from dense_cli.mistakes.asking import ATOL, LARGEST_EXACT_LOOK, RTOL, Claim, Comparison, Question
from dense_cli.mistakes.diagnosis import Found, WrongPaths
from dense_cli.mistakes.extent import numbers_in
from dense_cli.mistakes.measuring import measured
from dense_cli.mistakes.observations import observed
from dense_cli.mistakes.short_formats import nearly, room, short_format

FEWEST = 2
"""Numbers that tell in which format they were kept."""


def compared(question: Question, claim: Claim, atol: Fraction = ATOL, rtol: Fraction = RTOL) -> Comparison:
    """The comparison of one claim.

    >>> from dense_cli.core.norms import Norm, norm
    >>> from dense_cli.mistakes import catalogue
    >>> from dense_cli.mistakes.asking import Way
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
    told = replace(told, pairs_tried=search.tries_pairs(claim) and not _alone(mistakes))
    if _alone(mistakes):
        told_apart = search.tells_apart(mistakes)
        return replace(told, mistakes=search.with_settings(claim, mistakes), told_apart=told_apart)
    notes = tuple(question.look(claim.value, atol, rtol)) if question.look else ()
    if mistakes:  # one reason may lie nearer than two mistakes
        return replace(told, mistakes=mistakes, notes=notes)
    seen = observed(claim.value, question.right, claim.decimals, atol, rtol)
    if any(one.id == "rounded" for one in seen):
        return replace(told, seen=seen)
    return replace(told, seen=seen, notes=(*notes, *search.nearly(claim), *search.in_short_format(claim)))


def _alone(mistakes: tuple[Found, ...]) -> bool:
    return bool(mistakes) and len(mistakes[0].mistakes) == 1


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
        if self.question.telling is None or self._is_large:
            return None
        return WrongPaths(way.catalogue, self.question.telling, way.compute)

    @cached_property
    def _is_large(self) -> bool:
        return numbers_in(self.question.ways[0].given) > LARGEST_EXACT_LOOK

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
        if alone or not self.tries_pairs(claim):
            return alone
        way, found = self.question.ways[0], _in_floats(claim.value)
        paths = WrongPaths(self._in_pairs, way.given, way.compute)
        return paths.diagnose(way.pick, found, *self._tolerances, digits=claim.digits, glance=way.glance)

    def with_settings(self, claim: Claim, mistakes: tuple[Found, ...]) -> tuple[Found, ...]:
        """Each mistake that is a family of settings, with those of them that make the value."""
        value, (atol, rtol) = _in_floats(claim.value), self._tolerances
        told = []
        for found in mistakes:
            mistake = found.mistakes[0]
            settings = [
                setting
                for way, paths in zip(self.question.ways, self.here, strict=True)
                if mistake.setting and mistake in way.catalogue
                for setting in paths.settings(mistake, way.pick, value, atol, rtol + way.looser)
            ]
            told.append(replace(found, settings=tuple(settings)))
        return tuple(told)

    def tells_apart(self, mistakes: tuple[Found, ...]) -> bool:
        """Whether every two of these make other values of the telling input."""
        if self.there is None:
            return False
        wanted = {found.mistakes[0].id for found in mistakes}
        return self.there.all_differ(self.question.ways[0].pick, wanted, *self._tolerances)

    def tries_pairs(self, claim: Claim) -> bool:
        """Whether two together would be looked for."""
        return self.question.ways[0].pairs and self.here[0].pairs_allowed(
            _in_floats(claim.value), claim.digits
        )

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

    def in_short_format(self, claim: Claim) -> Iterator[Note]:
        """That a value from a file is right, or what a mistake makes, up to the rounding of its format."""
        (_, found), (_, right) = shaped(claim.value), shaped(self.question.right)
        if self.question.whole or claim.decimals or len(found) != len(right) or len(found) < FEWEST:
            return
        kind = short_format(found)
        if kind is None:
            return
        slack = room(kind, max(abs(float(value)) for value in (*found, *right)))
        if measured(claim.value, self.question.right, self.atol + Fraction(slack), self.rtol)[0]:
            yield Note("expect.array.short", {"atol": slack})
            return
        alone = self._alone(claim, (float(self.atol) + slack, float(self.rtol)))
        yield from nearly(kind, slack, [one.mistakes[0] for one in alone])

    def _alone(self, claim: Claim, tolerances: tuple[float, float]) -> tuple[Found, ...]:
        atol, rtol = tolerances
        found = _in_floats(claim.value)
        told = (
            paths.alone(way.pick, found, atol, rtol + way.looser, way.glance if self._is_large else None)
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
