"""What is asked, what was claimed, and how the two compare: values alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from dense_cli.derivation import Data, Note
from dense_cli.frozen import dataclass
from dense_cli.mistakes import Catalogue
from dense_cli.mistakes.diagnosis import Compute, Found
from dense_cli.mistakes.observations import Seen
from dense_cli.mistakes.pairing import Glance
from dense_cli.mistakes.wrong_values import Pick

ATOL, RTOL = Fraction(5, 100_000), Fraction(0)
"""Right to four decimals."""

LARGEST_LOOK = 20_000
"""Numbers up to which it is also asked what the input cannot show."""

LARGEST_EXACT_LOOK = 4_000
"""The same of what is calculated exactly: every mistake takes as long as the right value."""


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

    `looser` is added to the relative tolerance: for values that another arithmetic has rounded. `glance`
    makes the first number alone, or the only one, of what `pick` takes: with it two mistakes together, and
    those of a large given value, are calculated in full only where they begin like the found value.
    """

    catalogue: Catalogue
    given: Any
    compute: Compute
    pick: Pick
    looser: float = 0.0
    pairs: bool = True
    glance: Glance | None = None


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
    told_apart: bool = False
    """Whether the telling input makes other values of each of the mistakes."""
    pairs_tried: bool = False
    """Whether two mistakes together were looked for, since none makes the value alone."""
