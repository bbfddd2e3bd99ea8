"""What each calculator can be asked about by name: how a quantity is picked, and its wrong ways.

A name is the one that JSON has for the value. `VECTOR`, `ROWS`, … say how a value of it is typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from math import atan2, hypot, tau
from typing import Any, Literal

from dense_cli.core import Row
from dense_cli.core.ffn import Ffn, FfnRow, ffn
from dense_cli.core.norms import Norm, layer_norm, norm, own_rows
from dense_cli.core.rope import Rope, RopeRow, rope
from dense_cli.derivation import Note
from dense_cli.frozen import dataclass, replace
from dense_cli.mistakes import Catalogue, catalogue
from dense_cli.mistakes.agreement import agreement, shaped
from dense_cli.mistakes.asking import Question, Way
from dense_cli.mistakes.coordinates import GLANCES
from dense_cli.mistakes.diagnosis import Compute
from dense_cli.mistakes.extent import significant
from dense_cli.mistakes.pairing import Glance, begins_otherwise
from dense_cli.mistakes.rope import scaled_by_width
from dense_cli.mistakes.telling import telling_ffn, telling_norm, telling_rope
from dense_cli.mistakes.wrong_values import Pick

Kind = Literal["vector", "rows", "number", "numbers", "truth", "whole"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One value of a calculation: `kind` says its shape, `pick` takes it from the records."""

    kind: Kind
    pick: Callable[[Any], Any]


# Rope


@dataclass(frozen=True, slots=True)
class Turned:
    """What a rotation gives: its angles per position, its factor, and what they make of a query and a key."""

    theta: Row
    attention_factor: float
    row: RopeRow | None


def turned(given: Rope) -> Turned:
    """The rotation at the first pair of positions."""
    return Turned(_thetas(given), given.attention_factor, rope(given)[0])


def turning(given: Rope) -> Turned:
    """The rotation without a query and a key."""
    return Turned(_thetas(given), given.attention_factor, None)


def _thetas(given: Rope) -> Row:
    return tuple(rate.theta for rate in given.rates)


def _wavelengths(told: Turned) -> tuple[float | None, ...]:
    return tuple(abs(tau / theta) if theta else None for theta in told.theta)


COMPARED: Mapping[str, Quantity] = {
    "query": Quantity("vector", lambda told: told.row.query),
    "key": Quantity("vector", lambda told: told.row.key),
    "dot": Quantity("number", lambda told: told.row.dot),
    "score": Quantity("number", lambda told: told.row.scaled_score),
    "visible": Quantity("truth", lambda told: told.row.visible),
}
SPEEDS: Mapping[str, Quantity] = {
    "theta": Quantity("vector", lambda told: told.theta),
    "wavelength": Quantity("vector", _wavelengths),
    "attention_factor": Quantity("number", lambda told: told.attention_factor),
}
ROPE: Mapping[str, Quantity] = {**COMPARED, **SPEEDS}


def rope_question(
    given: Rope,
    name: str,
    place: int = 0,
    model_width: int | None = None,
    mistakes: Catalogue | None = None,
) -> Question:
    """About the pair of positions at `place`; `model_width` is the width of a whole model, if known, and
    `mistakes` are those that can be made in its rotation (None: in any).

    >>> from dense_cli.core.schedule import QUARTER_TURN
    >>> given = Rope((1.0, 0.0), (1.0, 0.0), ((0, 1), (2, 3)), (QUARTER_TURN,), rotary_dim=2)
    >>> rope_question(given, "query", 1).right
    (-1.0, 0.0)
    """
    # Wrong paths meet the same angles again and again.
    given = replace(given, positions=given.positions[place : place + 1], table=cache(given.table))
    quantity = ROPE[name]
    compute = turning if name in SPEEDS else turned
    mistakes = catalogue("rope") if mistakes is None else mistakes
    if model_width is not None and model_width != len(given.query):
        mistakes = (*mistakes, scaled_by_width(model_width))
    way = Way(mistakes, given, compute, quantity.pick, glance=GLANCES.get(name))
    telling = None if name in SPEEDS else telling_rope(given).given
    both = (lambda told: (told.row.query, told.row.key)) if name in ("dot", "score") else None
    right = quantity.pick(compute(given))
    return Question(name, right, (way,), telling=telling, beside=both, look=_look(given, name))


NEARBY = 32
"""So many positions to both sides are tried."""


def _look(given: Rope, name: str) -> Callable[[Any, Fraction, Fraction], Iterator[Note]] | None:
    if name in ("query", "key"):
        return lambda found, atol, rtol: _turned_elsewhere(given, name, found, float(atol), float(rtol))
    if name in ("dot", "score"):
        return lambda found, atol, rtol: _at_distance(given, name, found, float(atol), float(rtol))
    return None


def _turned_elsewhere(given: Rope, name: str, found: Any, atol: float, rtol: float) -> Iterator[Note]:
    """The position at which this comes out, else what became of the lengths."""
    own = given.query if name == "query" else given.key
    asked = given.positions[0][0 if name == "query" else 1]
    if not isinstance(found, tuple) or len(found) != len(own) or isinstance(found[0], tuple):
        return
    found = tuple(map(float, found))
    alone = replace(given, query=own, key=own)
    for away in range(1, NEARBY + 1):
        for position in (asked - away, asked + away):
            there = replace(alone, positions=((position, position),))
            if begins_otherwise(GLANCES["query"], there, found[0], atol, rtol):
                continue
            if agreement(found, rope(there)[0].query, atol, rtol) is not None:
                yield Note("expect.at-position", {"position": position, "asked": asked})
                return
    yield from _lengths(given, own, rope(given)[0], name, found, atol)


def _lengths(given: Rope, own: Row, row: RopeRow, name: str, found: Row, atol: float) -> Iterator[Note]:
    right = row.query if name == "query" else row.key
    slack = 2 * atol * len(own) ** 0.5
    kept = [abs(hypot(found[a], found[b]) - hypot(right[a], right[b])) <= slack for a, b in given.pairs]
    if not all(kept):
        lengths = {"found": hypot(*found), "right": hypot(*right)}
        same = abs(lengths["found"] - lengths["right"]) <= slack
        yield Note("expect.length-kept" if same else "expect.length-changed", {} if same else lengths)
        return
    angles = row.query_angles if name == "query" else row.key_angles
    for number, (a, b) in enumerate(given.pairs, start=1):
        gap = max(abs(found[a] - right[a]), abs(found[b] - right[b]))
        if gap > atol and hypot(own[a], own[b]):
            is_angle = (atan2(found[b], found[a]) - atan2(own[b], own[a])) % tau
            facts = {"pair": number, "found": is_angle, "right": angles[number - 1] % tau}
            yield Note("expect.pair-angle", facts)
            return


def _at_distance(given: Rope, name: str, found: Any, atol: float, rtol: float) -> Iterator[Note]:
    """The distance of two positions at which this product comes out; of a rounded number nothing is said."""
    if isinstance(found, tuple) or significant(found) < 3:
        return
    m, n = given.positions[0]
    for away in range(1, NEARBY + 1):
        for distance in (n - m - away, n - m + away):
            value = GLANCES[name](replace(given, positions=((m, m + distance),)))
            if agreement(float(found), value, atol, rtol) is not None:
                yield Note("expect.at-distance", {"distance": distance, "asked": n - m})
                return


# Norms


def each(name: str) -> Callable[[Any], Any]:
    """A field of every row; of one row alone, the field itself."""

    def picked(rows: Any) -> Any:
        values = tuple(getattr(row, name) for row in rows)
        return values[0] if len(values) == 1 else values

    return picked


NORM: Mapping[str, Quantity] = {
    "output": Quantity("rows", each("output")),
    "normalized": Quantity("rows", each("normalized")),
    "denominator": Quantity("numbers", each("denominator")),
    "mean_square": Quantity("numbers", each("mean_square")),
    "layernorm": Quantity("rows", each("output")),
}


def norm_question(given: Norm, name: str) -> Question:
    """About the rows of RMSNorm, or of LayerNorm where that is the name.

    >>> norm_question(Norm(x=((3.0, 4.0),)), "mean_square").right
    12.5
    """
    compute = layer_norm if name == "layernorm" else norm
    pick = NORM[name].pick
    way = Way(catalogue("rmsnorm"), given, compute, pick, glance=_first_of_rows(compute, pick))
    return Question(name, pick(compute(given)), (way,), telling=telling_norm(given).given)


def _first_of_rows(compute: Compute, pick: Pick) -> Glance:
    """The first number from the first row alone; from all where the rows are not calculated apart."""

    def first(given: Any) -> float:
        together = getattr(given, "pools", own_rows) is not own_rows
        entries = shaped(pick(compute(given if together else replace(given, x=given.x[:1]))))[1]
        return float(entries[0])

    return first


# The gated network


FFN: Mapping[str, Quantity] = {
    name: Quantity("rows", each(name)) for name in ("output", "gate", "up", "activated", "product")
}


def ffn_question(given: Ffn, name: str, rows: tuple[FfnRow, ...] | None = None) -> Question:
    """About the rows of a gated network.

    >>> ffn_question(Ffn(x=((2.0,),), wg=((1.0,),), wu=((3.0,),)), "up").right
    (6.0,)
    """
    pick = FFN[name].pick
    way = Way(catalogue("swiglu"), given, ffn, pick, glance=_first_of_rows(ffn, pick))
    right = pick(ffn(given) if rows is None else rows)
    return Question(name, right, (way,), telling=telling_ffn(given).given)
