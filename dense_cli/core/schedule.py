"""How fast each pair turns: the rates that a base gives, and the chapter's quarter turn.

theta_i = base**(-2i/r) radians per position, Su et al., "RoFormer" (2021), section 3.2.2, with pairs
counted from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import overload

from dense_cli.core.angles import Rate
from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass, field

WIDEST = 1 << 16
"""No head is nearly as wide; a table of its angles would not be read, and could fill the memory."""

QUARTER_TURN = Rate.turns(Fraction(1, 4))


def falling_exponent(i: int, width: int) -> Fraction:
    """−2i/r, RoFormer section 3.2.2 counted from 0."""
    return Fraction(-2 * i, width)


def check_width(width: int) -> None:
    """Refuse more coordinates than a rotation is worked out for. Raises `rotation-too-wide`."""
    if width > WIDEST:
        raise DenseError("rotation-too-wide", width=width, limit=WIDEST)


def unscaled(rates: tuple[Rate, ...]) -> tuple[Rate, ...]:
    """The rates as the base gives them."""
    return rates


@dataclass(frozen=True, slots=True)
class Schedule(Sequence[Rate]):
    """The rates that a base gives, one per pair: a sequence of `Rate` that remembers its rule.

    `rotary_dim` coordinates turn, in half as many pairs; the exponents are over `width`, which is
    the same number unless a model says otherwise (an odd width w turns w + 1 coordinates with
    exponents over w). `scale` makes a model's rates from the plain ones.

    Raises `odd-width`, `base-not-positive`, `rotation-too-wide`.

    >>> [rate.theta for rate in Schedule(10000, 4)]
    [1.0, 0.01]
    >>> len(Schedule(10000, rotary_dim=6, width=5))
    3
    """

    base: Fraction | float
    rotary_dim: int
    width: int | None = None
    exponent: Callable[[int, int], Fraction] = falling_exponent
    scale: Callable[[tuple[Rate, ...]], tuple[Rate, ...]] = unscaled
    rates: tuple[Rate, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.base <= 0:
            raise DenseError("base-not-positive", typed=self.base)
        if self.rotary_dim % 2:
            raise DenseError("odd-width", width=self.rotary_dim)
        check_width(self.rotary_dim)
        width = self.rotary_dim if self.width is None else self.width
        plain = tuple(Rate.power(self.base, self.exponent(i, width)) for i in range(self.rotary_dim // 2))
        object.__setattr__(self, "rates", self.scale(plain))

    def __len__(self) -> int:
        return len(self.rates)

    def __iter__(self) -> Iterator[Rate]:
        return iter(self.rates)

    @overload
    def __getitem__(self, index: int) -> Rate: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Rate, ...]: ...
    def __getitem__(self, index: int | slice) -> Rate | tuple[Rate, ...]:
        return self.rates[index]


def schedule(base: Fraction | float, rotary_dim: int, width: int | None = None) -> tuple[Rate, ...]:
    """theta_i = base**(−2i/width) for each pair of `rotary_dim` coordinates, see `Schedule`.

    >>> [rate.theta for rate in schedule(500000, 4)]
    [1.0, 0.001414213562373095]
    """
    return Schedule(base, rotary_dim, width).rates


def default_rates(rotary_dim: int) -> Sequence[Rate]:
    """A quarter turn for two coordinates, as in table 25.1; base 10000 for more.

    >>> default_rates(2)[0] == QUARTER_TURN, default_rates(4)[1].theta
    (True, 0.01)
    """
    return (QUARTER_TURN,) if rotary_dim == 2 else Schedule(Fraction(10000), rotary_dim)
