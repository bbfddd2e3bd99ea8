"""What a short number format makes of the angles of a rotation, told after the story in float64."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from dense_cli.core.angles import Position, angle, cos_sin
from dense_cli.core.angles_precision import HELD, HeldAngle, held_angles
from dense_cli.core.precision import Format
from dense_cli.core.rope import Rope
from dense_cli.derivation import Data, Derivation, Note, Step, Table
from dense_cli.derive.stating import WRITTEN_OUT, more, scalar
from dense_cli.frozen import replace

Place = tuple[Position, int]
"""A position, and a pair counted from 0."""


def rope_in(before: Derivation, given: Rope, dtype: Format) -> Derivation:
    """`before` with a step that tells which angles come out where positions, frequencies or their product are
    held in `dtype`, and with "dtype" and "held_angles" in the result; the rows stay those of float64.

    >>> from dense_cli.core import rope as core
    >>> from dense_cli.core.angles import Rate
    >>> from dense_cli.core.precision import BFLOAT16
    >>> from dense_cli.derive.rope import rope
    >>> given = core.Rope((1.0, 0.0), (1.0, 0.0), ((257, 0),), (Rate.radians(1),), rotary_dim=2)
    >>> told = rope_in(rope(given, core.rope(given)), given, BFLOAT16).result["held_angles"]
    >>> told[1]["position"], told[1]["positions"]["angle"]
    (257, 256.0)
    """
    positions = sorted({position for both in given.positions for position in both})
    places = [(position, pair) for position in positions for pair in range(len(given.rates))]
    found = [held_angles(given.rates[pair], position, dtype) for position, pair in places]
    truths = [angle(given.rates[pair], position) for position, pair in places]
    inner = tuple(
        Step(
            f"held-{held}",
            Note(f"precision.held-{held}", {"format": dtype.name}),
            table=_table(places, truths, [angles[way] for angles in found]),
            notes=more("precision.angles", len(places)),
        )
        for way, held in enumerate(HELD)
    )
    step = Step("precision", Note("precision.rope", {"format": dtype.name}), steps=inner)
    data: list[Data] = [_data(given, place, angles) for place, angles in zip(places, found, strict=True)]
    return replace(
        before,
        given={**before.given, "dtype": dtype.name},
        result={**before.result, "dtype": dtype.name, "held_angles": data},
        steps=(*before.steps, step),
    )


def _table(places: Sequence[Place], truths: Sequence[float], found: Sequence[HeldAngle]) -> Table:
    names = ("position", "pair", "true-angle", "held-position", "held-theta", "held-angle", "radians-off")
    rows = tuple(
        (
            position,
            pair + 1,
            truth,
            held.position,
            held.theta,
            None if isnan(held.angle) else held.angle,
            None if isnan(held.cosine) else held.angle - truth,
        )
        for (position, pair), truth, held in zip(places[:WRITTEN_OUT], truths, found, strict=False)
    )
    return Table(tuple(Note(f"precision.{name}") for name in names), rows)


def _data(given: Rope, place: Place, found: tuple[HeldAngle, ...]) -> dict[str, Data]:
    position, pair = place
    rate = given.rates[pair]
    cosine, sine = cos_sin(rate, position)
    return {
        "position": position if isinstance(position, int) else float(position),
        "pair": pair,
        "float64": {"angle": scalar(angle(rate, position)), "cos": cosine, "sin": sine},
        **{
            held.held: {
                "position": scalar(held.position),
                "theta": scalar(held.theta),
                "angle": scalar(held.angle),
                "cos": scalar(held.cosine),
                "sin": scalar(held.sine),
            }
            for held in found
        },
    }
