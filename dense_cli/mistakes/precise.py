"""Questions about results in a short number format: the right value is what that arithmetic gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dense_cli.core.ffn import Ffn, ffn
from dense_cli.core.ffn_precision import ffn_in
from dense_cli.core.norms import Norm, norm
from dense_cli.core.norms_precision import CASTS, norm_in
from dense_cli.core.precision import Format
from dense_cli.frozen import dataclass, replace
from dense_cli.mistakes import Catalogue, Mistake, catalogue
from dense_cli.mistakes.asking import Question, Way
from dense_cli.mistakes.quantities import FFN, NORM
from dense_cli.mistakes.telling import telling_ffn, telling_norm

ROUNDINGS = 4
"""So many roundings in a row, at most, tell a result of the format from the same in float64."""


@dataclass(frozen=True, slots=True)
class InFormat:
    """A calculation and the arithmetic it is done in; the part `compute` does it."""

    given: Any
    dtype: Format
    cast: str
    compute: Callable[[Any, Format, str], Any]


def in_format(asked: InFormat) -> Any:
    """The records in the arithmetic that was asked for."""
    return asked.compute(asked.given, asked.dtype, asked.cast)


def _lifted(mistake: Mistake) -> Mistake:
    """The same mistake, made in that arithmetic. Where it replaces a part, that makes no difference there."""

    def changed(asked: InFormat) -> Iterator[InFormat]:
        return (replace(asked, given=given) for given in mistake.change(asked.given))

    return replace(mistake, change=changed)


def _other_cast(asked: InFormat) -> Iterator[InFormat]:
    yield replace(asked, cast=CASTS[1 - CASTS.index(asked.cast)])


def _in_float64(compute: Callable[[Any], Any]) -> Callable[[InFormat], Iterator[InFormat]]:
    def changed(asked: InFormat) -> Iterator[InFormat]:
        yield replace(asked, compute=lambda given, dtype, cast: compute(given))

    return changed


def norm_in_format(given: Norm, name: str, dtype: Format, cast: str) -> Question:
    """About RMSNorm in a format.

    >>> from dense_cli.core.precision import BFLOAT16
    >>> given = Norm(x=((1.0, 1.0625),), gain=(1.375, 1.375))
    >>> norm_in_format(given, "output", BFLOAT16, "before-gain").right
    (1.328125, 1.421875)
    """
    asked = InFormat(given, dtype, cast, norm_in)
    own = (
        Mistake("cast-order", "rmsnorm", "convention", _other_cast),
        Mistake("not-rounded", "rmsnorm", "precision", _in_float64(norm)),
    )
    telling = replace(asked, given=telling_norm(given).given)
    return _question(name, asked, own, telling, NORM[name].pick, norm)


def ffn_in_format(given: Ffn, name: str, dtype: Format) -> Question:
    """About a gated network in a format."""
    asked = InFormat(given, dtype, CASTS[0], lambda one, kind, _: ffn_in(one, kind))
    own = (Mistake("not-rounded", "swiglu", "precision", _in_float64(ffn)),)
    telling = replace(asked, given=telling_ffn(given).given)
    return _question(name, asked, own, telling, FFN[name].pick, ffn)


def _question(
    name: str,
    asked: InFormat,
    own: Catalogue,
    telling: InFormat,
    pick: Callable[[Any], Any],
    exact: Callable[[Any], Any],
) -> Question:
    """First what that arithmetic makes of a mistake, then what float64 makes of it up to rounding."""
    mistakes = catalogue(own[0].topic)
    ways = (
        Way((*own, *map(_lifted, mistakes)), asked, in_format, pick, pairs=False),
        Way(mistakes, asked.given, exact, pick, looser=ROUNDINGS * 2.0**-asked.dtype.bits),
    )
    return Question(name, pick(in_format(asked)), ways, telling=telling)
