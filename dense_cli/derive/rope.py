"""Tells how a query and a key are turned by their positions and compared.

The core's numbers come in as records; what goes out has no word of any language.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from dense_cli.core.angles import Position
from dense_cli.core.rope import Rope, RopeRow
from dense_cli.core.schedule import Schedule
from dense_cli.derivation import Data, Derivation, Line, Note, Step
from dense_cli.derive import symbols
from dense_cli.derive.rope_steps import (
    WORKED_POSITIONS,
    comparison_steps,
    pairs_step,
    summary_step,
)
from dense_cli.derive.rope_terms import Comparison, comparison, thetas
from dense_cli.expression import total

SHORT_VECTOR = 4
"""Up to this width the answer shows the dot product with its products, as on paper."""

EXACT_COORDINATES = 128
"""So many coordinates in a table of positions are followed exactly; those after them are shown as floats."""

LONGEST_PERIOD = 10**6
"""A repetition further away than this is no news for a reader."""


def rope(
    given: Rope,
    rows: Sequence[RopeRow],
    assumed: tuple[Note, ...] = (),
    chosen: Mapping[str, Data] | None = None,
) -> Derivation:
    """The derivation of core rows: one `RopeRow` for each of the positions in `given`.

    `chosen` is echoed beside q, k and the positions: what else was typed, JSON-ready. One pair of
    positions is worked out step by step; several begin with a table.

    >>> from dense_cli.core import rope as core
    >>> given = core.Rope((1.0, 0.0), (1.0, 0.0), ((1, 2),), (core.QUARTER_TURN,), rotary_dim=2)
    >>> told = rope(given, core.rope(given))
    >>> told.result["rows"][0]["dot"], [step.name for step in told.steps][:3]
    (0.0, ['pairs', 'angles', 'query'])
    """
    rates = thetas(given)
    exact_rows = max(WORKED_POSITIONS, EXACT_COORDINATES // len(given.query))
    told = [comparison(given, row, rates) for row in rows[:exact_rows]]
    return Derivation(
        command="rope",
        title=Note("rope.title"),
        given={
            "q": list(given.query),
            "k": list(given.key),
            "positions": [[position_data(m), position_data(n)] for m, n in given.positions],
            **(chosen or {}),
        },
        result=result(given, rows),
        assumed=assumed,
        answer=_answer(told[0]) if len(told) == 1 else (),
        steps=tuple(_steps(given, rows, told, pairs_step(given, rates))),
        cautions=tuple(cautions(given, rows)),
    )


def _steps(given: Rope, rows: Sequence[RopeRow], told: Sequence[Comparison], pairs: Step) -> list[Step]:
    if len(told) == 1:
        return [pairs, *comparison_steps(given, told[0])]
    worked = [
        Step(
            f"positions-{number}",
            Note("rope.at-positions", {"query": each.row.query_position, "key": each.row.key_position}),
            steps=comparison_steps(given, each, explained=number > 1),
        )
        for number, each in enumerate(told[:WORKED_POSITIONS], start=1)
    ]
    return [summary_step(rows, told), pairs, *worked]


def _answer(told: Comparison) -> tuple[Line, ...]:
    """What a reader came for, each number with its name."""
    short = len(told.products) <= SHORT_VECTOR
    spelt_out = total(*(each.formula for each in told.products if each.formula)) if short else None
    return (
        Line(Note("rope.turned-query", {"symbol": symbols.TURNED_QUERY}), None, told.query.vector),
        Line(Note("rope.turned-key", {"symbol": symbols.TURNED_KEY}), None, told.key.vector),
        Line(Note("rope.dot-product", {"symbol": symbols.DOT}), spelt_out, told.dot.number),
        Line(Note("rope.score-name", {"symbol": symbols.SCORE}), told.score.formula, told.score.number),
        Line(Note("rope.usable"), None, told.row.visible),
    )


# --- data


def result(given: Rope, rows: Sequence[RopeRow]) -> dict[str, Data]:
    """The numbers for scripts: θ in radians per position, pairs counted from 0."""
    return {
        "layout": given.layout,
        "rotary_dim": given.rotary_dim,
        "theta": [rate.theta for rate in given.rates],
        "attention_factor": given.attention_factor,
        "pairs": [list(pair) for pair in given.pairs],
        "rows": [_row(row) for row in rows],
    }


def _row(row: RopeRow) -> dict[str, Data]:
    return {
        "query_position": position_data(row.query_position),
        "key_position": position_data(row.key_position),
        "offset": position_data(row.offset),
        "query": list(row.query),
        "key": list(row.key),
        "dot": row.dot,
        "relative_dot": row.relative_dot,
        "scaled_score": row.scaled_score,
        "visible": row.visible,
    }


def position_data(position: Position) -> int | float:
    """A whole position as an int, another as the nearest float: an int too where that is beyond float64.

    >>> from fractions import Fraction
    >>> position_data(Fraction(4, 2)), position_data(Fraction(1, 2))
    (2, 0.5)
    """
    if position.denominator == 1:
        return position.numerator
    try:
        return float(position)
    except OverflowError:
        return round(position)


# --- what was not typed, and what the numbers do not say


def assumptions(given: Rope, typed: Collection[str]) -> tuple[Note, ...]:
    """What had to be chosen; `typed` holds the options that were given, without dashes.

    >>> from dense_cli.core.rope import QUARTER_TURN
    >>> given = Rope((1.0, 0.0), (1.0, 0.0), ((0, 1),), (QUARTER_TURN,), rotary_dim=2)
    >>> [note.key for note in assumptions(given, {"q", "k", "pos"})]
    ['rope.assume-quarter-turn', 'rope.assume-from-zero']
    """
    notes = []
    if not {"angle", "rope-theta", "config"} & set(typed):
        if isinstance(given.rates, Schedule):
            notes.append(Note("rope.assume-base", {"base": given.rates.base}))
        else:
            notes.append(Note("rope.assume-quarter-turn"))
    if "angle" in typed and any(rate.turn is None for rate in given.rates):
        notes.append(Note("rope.assume-radians"))
    if not {"layout", "config"} & set(typed) and len(given.rates) > 1:
        notes.append(Note("rope.assume-interleaved"))
    if isinstance(given.rates, Schedule) and "config" not in typed:
        notes.append(Note("rope.assume-unscaled"))
    return (*notes, Note("rope.assume-from-zero"))


def cautions(given: Rope, rows: Sequence[RopeRow]) -> list[Note]:
    """What these numbers do not say, as far as this input raises it."""
    notes = []
    if not all(row.visible for row in rows):
        notes.append(Note("rope.no-permission"))
    notes.append(Note("rope.values-not-turned"))
    if (period := _period(given)) is not None:
        key = "rope.repeats" if len(given.rates) == 1 else "rope.all-repeat"
        notes.append(Note(key, {"period": period}))
    return notes


def _period(given: Rope) -> int | None:
    """Positions after which every pair stands as before, where all turn by exact parts of a turn."""
    turns = [rate.turn for rate in given.rates]
    parts = [turn.denominator for turn in turns if turn is not None]
    if len(parts) < len(turns) or not any(turns):
        return None
    period = math.lcm(*parts)
    return period if period <= LONGEST_PERIOD else None
