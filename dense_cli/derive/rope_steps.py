"""The steps of a rotation and comparison, from terms to lines, tables and notes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dense_cli.core.rope import Rope, RopeRow
from dense_cli.core.schedule import Schedule
from dense_cli.derivation import Line, Note, Step, Table, Value
from dense_cli.derive import symbols
from dense_cli.derive.rope_terms import (
    WRITTEN_COORDINATES,
    WRITTEN_PAIRS,
    Comparison,
    Side,
    Term,
    Turn,
    written_coordinates,
)
from dense_cli.expression import Constant, Expression, Negative, Power, Quotient, product, total
from dense_cli.frozen import replace
from dense_cli.numerals import PiMultiple

WORKED_POSITIONS = 3
"""How many pairs of positions are worked out; a table has all of them."""


def line(term: Term) -> Line:
    """symbol = formula = numbers = value."""
    return Line(term.symbol, term.formula, term.symbol.value)


# --- for all positions


def power_rule() -> tuple[Expression, Expression]:
    """θ_i = B^(−2(i−1)/r), RoFormer section 3.2.2."""
    steps = product(Constant(2), total(symbols.PAIR, Negative(Constant(1))))
    return symbols.THETA.at("i"), Power(symbols.BASE, Negative(Quotient(steps, symbols.ROTARY_WIDTH)))


def pairs_from_one() -> Note:
    """Why the exponent has i − 1 where code has i."""
    in_code = Negative(Quotient(product(Constant(2), symbols.PAIR), symbols.ROTARY_WIDTH))
    return Note(
        "rope.pairs-from-one", {"exponent": in_code, "base": symbols.BASE, "width": symbols.ROTARY_WIDTH}
    )


def pairs_step(given: Rope, thetas: Sequence[Term]) -> Step:
    """Which coordinates turn together, and by how much per position."""
    count, several = len(thetas), len(thetas) > 1
    from_base = isinstance(given.rates, Schedule) and thetas[-1].formula is not None
    notes: list[Note] = []
    if several and given.layout == "half":
        notes.append(Note("rope.layout-half", {"partner": given.pairs[0][1] + 1}))
    elif several:
        notes.append(Note("rope.layout-interleaved"))
    if from_base and several:
        notes.append(pairs_from_one())
    elif isinstance(given.rates, Schedule) and not from_base:
        notes.append(Note("rope.scaled"))
    if given.rotary_dim < len(given.query):
        first, last = given.rotary_dim + 1, len(given.query)
        if first == last:
            notes.append(Note("rope.unturned-one", {"coordinate": first}))
        else:
            notes.append(Note("rope.unturned", {"first": first, "last": last}))
    if given.attention_factor != 1:
        notes.append(
            Note("rope.attention-factor", {"a": symbols.ATTENTION_FACTOR, "factor": given.attention_factor})
        )
    if count > WRITTEN_PAIRS:
        notes.append(Note("rope.more-pairs", {"written": WRITTEN_PAIRS, "count": count}))
    written = thetas[:WRITTEN_PAIRS]
    return Step(
        "pairs",
        Note("rope.pairs" if several else "rope.pair-angle", {"theta": symbols.THETA}),
        formula=power_rule() if from_base and several else None,
        lines=tuple(line(theta) for theta in written if theta.formula or not several),
        table=_pairs_table(given, written) if several else None,
        notes=tuple(notes),
    )


def _pairs_table(given: Rope, thetas: Sequence[Term]) -> Table:
    """Pair, both coordinates, and θ unless lines say it already."""
    named = (Note("rope.pair"), Note("rope.first-coordinate"), Note("rope.second-coordinate"))
    pairs = enumerate(given.pairs[: len(thetas)], start=1)
    rows = tuple((number, a + 1, b + 1) for number, (a, b) in pairs)
    if all(theta.formula for theta in thetas):
        return Table(named, rows)
    with_theta = tuple((*row, theta.number) for row, theta in zip(rows, thetas, strict=True))
    return Table((*named, symbols.THETA), with_theta)


def summary_step(rows: Sequence[RopeRow], told: Sequence[Comparison]) -> Step:
    """All positions at a glance, as in table 25.1; the first rows, `told`, have exact numbers where known."""
    columns = (
        symbols.QUERY_POSITION,
        symbols.KEY_POSITION,
        symbols.OFFSET,
        symbols.TURNED_QUERY,
        symbols.TURNED_KEY,
        symbols.DOT,
        Note("rope.usable-short"),
    )
    cells: list[tuple[Value, ...]] = [(each.query.vector, each.key.vector, each.dot.number) for each in told]
    cells += [(row.query, row.key, row.dot) for row in rows[len(told) :]]
    filled = tuple(
        (row.query_position, row.key_position, row.offset, *cell, row.visible)
        for row, cell in zip(rows, cells, strict=True)
    )
    notes = [Note("rope.summary-columns", {"m": symbols.QUERY_POSITION, "n": symbols.KEY_POSITION})]
    if len({row.offset for row in rows}) < len(rows):
        notes.append(Note("rope.same-offset", {"offset": symbols.OFFSET}))
    if len(rows) > WORKED_POSITIONS:
        notes.append(Note("rope.more-positions", {"worked": WORKED_POSITIONS, "count": len(rows)}))
    return Step("summary", Note("rope.summary"), table=Table(columns, filled), notes=tuple(notes))


# --- for one query and one key


def comparison_steps(given: Rope, told: Comparison, explained: bool = False) -> tuple[Step, ...]:
    """Angles, both rotations, the dot product, the same by the offset alone, the score, the mask.

    What was `explained` beside earlier positions is not said again.
    """
    steps: tuple[Step, ...] = (
        _angles(told),
        _rotation("query", given, told.query),
        _rotation("key", given, told.key),
        _dot(given, told),
        _relative(given, told),
        _score(told),
    )
    if explained:
        steps = tuple(replace(step, notes=()) for step in steps)
    return (*steps, _visibility(told))


def _angles(told: Comparison) -> Step:
    query, key = told.query.turns[:WRITTEN_PAIRS], told.key.turns[:WRITTEN_PAIRS]
    lines = [each for pair in zip(query, key, strict=True) for turn in pair for each in _angle_lines(turn)]
    notes = [Note("rope.angle-names", {"query": symbols.QUERY_ANGLE, "key": symbols.KEY_ANGLE})]
    if any(turn.rest for turn in (*query, *key)):
        notes.append(Note("rope.full-turns", {"turn": Constant(PiMultiple(Fraction(2)))}))
    notes += _in_degrees(query, key)
    return Step(
        "angles", Note("rope.angles", {"theta": symbols.THETA}), lines=tuple(lines), notes=tuple(notes)
    )


def _in_degrees(query: Sequence[Turn], key: Sequence[Turn]) -> tuple[Note, ...]:
    """The angles in degrees where all are parts of a turn that a thousandth of a degree divides."""
    parts = [tuple(turn.part for turn in turns if turn.part is not None) for turns in (query, key)]
    degrees = [tuple(360 * part for part in side if (360_000 * part).denominator == 1) for side in parts]
    if any(len(side) < len(query) for side in degrees):
        return ()
    if len(query) > 1:
        return (Note("rope.degrees-list", {"query": degrees[0], "key": degrees[1]}),)
    return (Note("rope.degrees", {"query": degrees[0][0], "key": degrees[1][0]}),)


def _angle_lines(turn: Turn) -> tuple[Line, ...]:
    lines = () if turn.angle is None else (line(turn.angle),)
    if turn.rest is None:
        return lines
    name = Note("rope.less-full-turns", {"angle": turn.rest.symbol})
    return (*lines, Line(name, turn.rest.formula, turn.rest.symbol.value))


def _direction_lines(turns: Sequence[Turn]) -> list[Line]:
    return [line(each) for turn in turns[:WRITTEN_PAIRS] for each in (turn.cosine, turn.sine)]


def _rotation(name: str, given: Rope, side: Side) -> Step:
    lines = _direction_lines(side.turns)
    lines += [line(side.coordinates[index]) for index in written_coordinates(given)]
    angle = symbols.QUERY_ANGLE if name == "query" else symbols.KEY_ANGLE
    if len(side.coordinates) <= WRITTEN_COORDINATES:
        turned = symbols.TURNED_QUERY if name == "query" else symbols.TURNED_KEY
        lines.append(Line(turned, None, side.vector))
    return Step(name, Note(f"rope.rotate-{name}", {"angle": angle}), lines=tuple(lines))


def _dot(given: Rope, told: Comparison) -> Step:
    written = written_coordinates(given)
    lines = [line(told.products[index]) for index in written]
    notes: tuple[Note, ...] = ()
    if len(written) < len(told.products):
        notes = (Note("rope.other-products", {"sum": symbols.OTHER_PRODUCTS}),)
    return Step("dot", Note("rope.dot"), lines=(*lines, line(told.dot)), notes=notes)


def _relative(given: Rope, told: Comparison) -> Step:
    """q·R((n−m)θ)k, RoFormer section 3.2.2: only the offset counts."""
    written = written_coordinates(given)
    turns = told.offset.turns[:WRITTEN_PAIRS]
    lines = [each for turn in turns for each in _angle_lines(turn)]
    lines += _direction_lines(turns)
    lines += [line(told.offset.coordinates[index]) for index in written]
    lines.append(line(told.relative))
    notes = []
    if len(written) < len(told.products):
        notes.append(Note("rope.other-products", {"sum": symbols.OTHER_OFFSET_PRODUCTS}))
    turn = product(total(symbols.KEY_POSITION, Negative(symbols.QUERY_POSITION)), symbols.THETA)
    facts = {"u": symbols.OFFSET_KEY, "relative": symbols.RELATIVE_DOT, "dot": symbols.DOT}
    if given.attention_factor != 1:
        notes.append(Note("rope.factor-twice", {"a": symbols.ATTENTION_FACTOR}))
    notes.append(Note("rope.only-offset", {**facts, "offset": told.row.offset}))
    return Step(
        "relative",
        Note("rope.relative", {"angle": symbols.OFFSET_ANGLE, "turn": turn}),
        lines=tuple(lines),
        notes=tuple(notes),
    )


def _score(told: Comparison) -> Step:
    return Step(
        "score",
        Note("rope.score", {"s": symbols.SCORE, "d": symbols.WIDTH}),
        lines=(line(told.score),),
        notes=(Note("rope.before-softmax"),),
    )


def _visibility(told: Comparison) -> Step:
    positions = {"query": told.row.query_position, "key": told.row.key_position}
    sentence = Note("rope.visible" if told.row.visible else "rope.not-visible", positions)
    return Step(
        "visible",
        Note("rope.visibility"),
        lines=(Line(Note("rope.usable"), None, told.row.visible),),
        notes=(sentence,),
    )
