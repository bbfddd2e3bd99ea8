"""Parameters of plain and gated feed-forward networks, and the gated width that costs the same.

Whole numbers and fractions only, so counts of any size are exact.
"""

from __future__ import annotations

from fractions import Fraction

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass

PLAIN, GATED = "relu", "swiglu"
MATRICES = {PLAIN: 2, GATED: 3}


@dataclass(frozen=True, slots=True)
class FfnCount:
    """One row of table 25.2. `difference` is how many parameters more than the budget it has."""

    kind: str
    width: int
    hidden: int
    parameters: int
    difference: int

    @property
    def matrices(self) -> int:
        return MATRICES[self.kind]


@dataclass(frozen=True, slots=True)
class Budget:
    """The plain network, whose parameters are the budget, and gated networks beside it.

    `ideal` is the hidden width, whole or not, of the gated network that costs exactly the budget. `matched`
    has it where it is whole. `below` and `above` are the nearest whole widths, both `matched` where there is
    one; `below` is None where no positive width is small enough. With `multiple_of`, `rounded` is the width
    that model families take (the whole part of the ideal width, rounded up to a multiple) and
    `multiple_below` the largest multiple that does not exceed the ideal width, if there is one.
    """

    width: int
    hidden: int
    bias: bool
    plain: FfnCount
    same_width: FfnCount
    ideal: Fraction
    matched: FfnCount | None
    below: FfnCount | None
    above: FfnCount
    multiple_of: int | None = None
    rounded: FfnCount | None = None
    multiple_below: FfnCount | None = None

    @property
    def rows(self) -> tuple[FfnCount, ...]:
        """Table 25.2: plain, gated of the same width, then the matching width or its two neighbours."""
        nearest = (self.below, self.above) if self.matched is None else (self.matched,)
        return self.plain, self.same_width, *(count for count in nearest if count is not None)


def ffn_parameters(width: int, hidden: int, matrices: int, bias: bool = False) -> int:
    """Parameters of a network from `width` to `hidden` and back: matrices · C · F.

    All matrices but the last lead to the hidden width, so biases add (matrices - 1) · F + C. Raises
    `DenseError` "not-positive" or "count-not-whole", naming the number.

    >>> ffn_parameters(12, 48, 2), ffn_parameters(12, 48, 3), ffn_parameters(12, 32, 3)
    (1152, 1728, 1152)
    >>> ffn_parameters(12, 48, 2, bias=True)
    1212
    """
    _check_positive(width=width, hidden=hidden, matrices=matrices)
    biases = (matrices - 1) * hidden + width if bias else 0
    return matrices * width * hidden + biases


def matched_width(width: int, hidden: int, bias: bool = False) -> Fraction:
    """The hidden width F' of a gated network with as many parameters as a plain one of hidden width F.

    From 2CF = 3CF', so F' = 2F/3; with biases from 2CF + F + C = 3CF' + 2F' + C. Raises what
    `ffn_parameters` raises.

    Source: Shazeer, GLU Variants Improve Transformer, section 2: the hidden width is cut to 2/3.

    >>> matched_width(12, 48), matched_width(12, 50)
    (Fraction(32, 1), Fraction(100, 3))
    >>> matched_width(12, 48, bias=True)
    Fraction(600, 19)
    """
    _check_positive(width=width, hidden=hidden)
    if bias:
        return Fraction(hidden * (2 * width + 1), 3 * width + 2)
    return Fraction(2 * hidden, 3)


def budget(width: int, hidden: int, multiple_of: int | None = None, bias: bool = False) -> Budget:
    """Table 25.2 for any widths: what the plain network costs, and which gated ones cost the same.

    Raises `DenseError` "not-positive" or "count-not-whole", naming the number.

    >>> [(count.kind, count.hidden, count.parameters) for count in budget(12, 48).rows]
    [('relu', 48, 1152), ('swiglu', 48, 1728), ('swiglu', 32, 1152)]
    >>> near = budget(12, 50)
    >>> near.matched, near.below.hidden, near.below.difference, near.above.hidden, near.above.difference
    (None, 33, -12, 34, 24)
    >>> budget(4096, 16384, multiple_of=256).rounded.hidden
    11008
    """
    ideal = matched_width(width, hidden, bias)
    available = ffn_parameters(width, hidden, MATRICES[PLAIN], bias)

    def count(kind: str, wide: int) -> FfnCount:
        parameters = ffn_parameters(width, wide, MATRICES[kind], bias)
        return FfnCount(kind, width, wide, parameters, parameters - available)

    def gated(wide: int) -> FfnCount | None:
        return count(GATED, wide) if wide else None

    floor = int(ideal)
    exact = ideal == floor
    multiple_down, multiple_up = _multiples(floor, multiple_of)
    return Budget(
        width=width,
        hidden=hidden,
        bias=bias,
        plain=count(PLAIN, hidden),
        same_width=count(GATED, hidden),
        ideal=ideal,
        matched=count(GATED, floor) if exact else None,
        below=gated(floor),
        above=count(GATED, floor if exact else floor + 1),
        multiple_of=multiple_of,
        rounded=gated(multiple_up),
        multiple_below=gated(multiple_down),
    )


def _multiples(floor: int, step: int | None) -> tuple[int, int]:
    """The multiples of `step` next to the whole part of the ideal width; 0 is no width."""
    # Llama's own rule takes the whole part first, then rounds up: 64 2/3 with step 64 is 64.
    if step is None:
        return 0, 0
    _check_positive(multiple_of=step)
    down = floor // step * step
    return down, down if down == floor and down else down + step


def _check_positive(**numbers: int) -> None:
    for parameter, value in numbers.items():
        name = parameter.replace("_", "-")
        if isinstance(value, bool) or not isinstance(value, int):
            raise DenseError("count-not-whole", name=name, value=value)
        if value < 1:
            raise DenseError("not-positive", name=name, value=value)
