"""Tells how fast each pair of a model turns, and after how many positions it is back."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from dense_cli.core.rope import pairs
from dense_cli.derivation import Data, Derivation, Line, Note, Step, Table, Value
from dense_cli.derive import symbols
from dense_cli.derive.rope_steps import pairs_from_one, power_rule
from dense_cli.derive.rope_terms import power_of_base
from dense_cli.expression import Constant, Expression, Quotient, product
from dense_cli.frozen import dataclass
from dense_cli.numerals import Number

WORKED_PAIRS = 3
"""How many pairs are worked out; the table has all of them."""

NO_ENTRY = "–"
"""In place of an exponent for a pair that does not turn."""

TREATMENTS = ("kept", "blended", "divided")
"""What a scaling does to a pair: nothing, something in between, or the full division."""


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How fast the pairs of one model turn: plain numbers, one per pair, in radians per position.

    `theta` is after scaling, `unscaled_theta` before. `base` and `width` make the plain ones,
    base**(−2i/width); `base` is None where another rule did. `capacity` is the length that the
    configuration declares. `treatments` says for each pair what the scaling did.
    """

    theta: Sequence[float]
    unscaled_theta: Sequence[float]
    rotary_dim: int
    layout: str = "half"
    base: Number | None = None
    width: int | None = None
    rope_type: str = "default"
    attention_factor: float = 1.0
    capacity: int | None = None
    treatments: Sequence[str] | None = None

    @property
    def scaled(self) -> bool:
        """Whether any pair turns at another speed than the base gives."""
        return tuple(self.theta) != tuple(self.unscaled_theta)


def frequencies(
    given: Frequencies,
    assumed: tuple[Note, ...] = (),
    chosen: Mapping[str, Data] | None = None,
) -> Derivation:
    """The derivation for a model's frequencies; `chosen` is what was typed, JSON-ready.

    >>> told = frequencies(Frequencies((1.0, 0.01), (1.0, 0.01), rotary_dim=4, base=10000))
    >>> told.result["wavelength"]
    [6.283185307179586, 628.3185307179587]
    """
    return Derivation(
        command="rope",
        title=Note("rope.frequencies-title"),
        given=dict(chosen or {}),
        result=_result(given),
        assumed=assumed,
        answer=_answer(given),
        steps=tuple(_steps(given)),
        cautions=_cautions(given),
    )


def assumptions(given: Frequencies, typed: Collection[str]) -> tuple[Note, ...]:
    """What had to be chosen; `typed` holds the options that were given, without dashes.

    >>> given = Frequencies((1.0, 0.01), (1.0, 0.01), rotary_dim=4, base=10000)
    >>> [note.key for note in assumptions(given, {"frequencies", "head-dim"})]
    ['rope.assume-base', 'rope.assume-unscaled']
    """
    if "config" in typed:
        return ()
    unscaled = () if given.scaled else (Note("rope.assume-unscaled"),)
    if given.base is None or {"angle", "rope-theta"} & set(typed):
        return unscaled
    return (Note("rope.assume-base", {"base": given.base}), *unscaled)


def wavelength(theta: float) -> float | None:
    """Positions for a full turn, 2π/θ; None for a pair that does not turn, or beyond float64."""
    length = 2 * math.pi / abs(theta) if theta else math.inf
    return length if math.isfinite(length) else None


def _result(given: Frequencies) -> dict[str, Data]:
    return {
        "layout": given.layout,
        "rotary_dim": given.rotary_dim,
        "theta": list(given.theta),
        "unscaled_theta": list(given.unscaled_theta),
        "wavelength": [wavelength(theta) for theta in given.theta],
        "attention_factor": given.attention_factor,
        "rope_type": given.rope_type,
        "pairs": [list(pair) for pair in pairs(given.layout, given.rotary_dim)],
    }


def _answer(given: Frequencies) -> tuple[Line, ...]:
    """The fastest and the slowest pair that turns, and the factor where there is one."""
    turning = [theta for theta in given.theta if theta]
    lines = [Line(Note("rope.count-of-pairs"), None, len(given.theta))]
    if turning:
        lines.append(Line(Note("rope.shortest-wavelength"), None, wavelength(max(turning))))
        lines.append(Line(Note("rope.longest-wavelength"), None, wavelength(min(turning))))
    if given.attention_factor != 1:
        lines.append(Line(Note("rope.attention-factor-name"), None, given.attention_factor))
    return tuple(lines)


def _steps(given: Frequencies) -> list[Step]:
    theta = symbols.THETA.at("i")
    full_turn = Quotient(product(Constant(2), symbols.PI), theta)
    steps = [
        Step(
            "wavelength",
            Note("rope.wavelength"),
            formula=(symbols.WAVELENGTH.at("i"), full_turn),
            lines=tuple(_wavelength_lines(given)),
        ),
        Step(
            "frequencies",
            Note("rope.frequencies", {"theta": symbols.THETA, "wavelength": symbols.WAVELENGTH}),
            table=_table(given),
            notes=tuple(_notes(given)),
        ),
    ]
    if given.base is not None:
        rule = Step(
            "base",
            Note("rope.power-of-base"),
            formula=power_rule(),
            lines=tuple(_base_lines(given, given.base)),
            notes=(pairs_from_one(),),
        )
        return [rule, *steps]
    return steps


def _base_lines(given: Frequencies, base: Number) -> list[Line]:
    symbol = symbols.UNSCALED_THETA if given.scaled else symbols.THETA
    return [
        Line(symbol.at(i + 1), power_of_base(base, given.width or given.rotary_dim, i), theta)
        for i, theta in enumerate(given.unscaled_theta[:WORKED_PAIRS])
        if theta
    ]


def _wavelength_lines(given: Frequencies) -> list[Line]:
    lines = []
    for i, theta in enumerate(given.theta[:WORKED_PAIRS]):
        formula = Quotient(product(Constant(2), symbols.PI), symbols.THETA.at(i + 1).bound(theta))
        if (length := wavelength(theta)) is not None:
            lines.append(Line(symbols.WAVELENGTH.at(i + 1), formula, length))
    return lines


def _table(given: Frequencies) -> Table:
    """One row per pair: exponent and θ before scaling where there are such, θ, wavelength."""
    columns: list[Note | Expression] = [Note("rope.pair")]
    cells: list[Sequence[Value]] = [range(1, len(given.theta) + 1)]
    if given.base is not None:
        columns.append(Note("rope.exponent"))
        width = given.width or given.rotary_dim
        cells.append(
            [Fraction(-2 * i, width) if theta else NO_ENTRY for i, theta in enumerate(given.unscaled_theta)]
        )
    if given.scaled:
        columns.append(symbols.UNSCALED_THETA)
        cells.append(given.unscaled_theta)
    columns += [symbols.THETA, symbols.WAVELENGTH]
    cells += [given.theta, [wavelength(theta) for theta in given.theta]]
    return Table(tuple(columns), tuple(zip(*cells, strict=True)))


def _notes(given: Frequencies) -> list[Note]:
    notes = []
    if given.scaled:
        facts: dict[str, Value | Note] = {"type": given.rope_type, "before": symbols.UNSCALED_THETA}
        notes.append(Note("rope.scaled-by", {**facts, "after": symbols.THETA}))
    counts = {treatment: list(given.treatments or ()).count(treatment) for treatment in TREATMENTS}
    notes += [Note(f"rope.{treatment}", {"count": count}) for treatment, count in counts.items() if count]
    if 0 in given.theta:
        still = sum(theta == 0 for theta in given.theta)
        notes.append(Note("rope.no-turn", {"theta": symbols.THETA, "count": still}))
    if given.attention_factor != 1:
        facts = {"a": symbols.ATTENTION_FACTOR, "factor": given.attention_factor}
        notes.append(Note("rope.attention-factor", facts))
    if given.capacity is not None:
        lengths = [wavelength(theta) for theta in given.theta]
        short = sum(length is None or length > given.capacity for length in lengths)
        facts = {"count": short, "pairs": len(lengths), "capacity": given.capacity}
        notes.append(Note("rope.turns-within-capacity", facts))
    return notes


def _cautions(given: Frequencies) -> tuple[Note, ...]:
    if given.capacity is None:
        return (Note("rope.frequencies-not-ability"),)
    return (Note("rope.capacity-not-ability", {"capacity": given.capacity}),)
