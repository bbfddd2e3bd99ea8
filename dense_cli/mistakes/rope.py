"""What is done otherwise in rotary position embeddings. Changes compose: each wraps the part it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from dense_cli.core.angles import Position, Rate
from dense_cli.core.rope import LAYOUTS, Rope
from dense_cli.core.schedule import Schedule, unscaled
from dense_cli.frozen import replace
from dense_cli.mistakes import Catalogue, Change, Kind, Mistake, always
from dense_cli.mistakes.rope_tables import (
    half_precision_angles,
    half_precision_table,
    mirrored,
    sine_with_cosine,
    table,
)

Turn = Callable[[Position, Position], Position | None]

PI = Fraction("3.14159265358979323846264338327950288419716939937511")
NO_TURN = Rate.turns(0)

BASES = (10_000, 500_000, 1_000_000)
"""Bases in use: that of the paper and most models, Llama 3's, and that of most models for long texts."""


def unturned(query_position: Position, key_position: Position) -> None:
    """The part `query_turn` or `key_turn` of a side that stays as it was."""


# Layouts


def other_layout(given: Rope) -> Iterator[Rope]:
    yield replace(given, layout=_other(given.layout))


def spread_output(given: Rope) -> Iterator[Rope]:
    if given.rotary_dim > 2:  # one pair has nowhere else to stand
        yield replace(given, layout="half", output_layout="interleaved")


def mixed_table(given: Rope) -> Iterator[Rope]:
    yield replace(given, table_layout=_other(given.layout))


def _other(layout: str) -> str:
    return LAYOUTS[1 - LAYOUTS.index(layout)]


# Positions


def turns(change: Callable[[Turn, Turn], tuple[Turn, Turn]]) -> Change:
    """The change of the positions by which query and key turn, from those found."""

    def changed(given: Rope) -> Iterator[Rope]:
        query_turn, key_turn = change(given.query_turn, given.key_turn)
        yield replace(given, query_turn=query_turn, key_turn=key_turn)

    return changed


def moved(turn: Turn, by: int) -> Turn:
    """The position moved; a side that does not turn has none to move."""

    def further(query_position: Position, key_position: Position) -> Position | None:
        position = turn(query_position, key_position)
        return None if position is None else position + by

    return further


def offset(query_position: Position, key_position: Position) -> Position:
    return key_position - query_position


def exchanged(given: Rope) -> Iterator[Rope]:
    # Of two equal vectors it is the same as turning each by the other's position.
    if given.query != given.key:
        yield replace(
            given,
            query=given.key,
            key=given.query,
            query_turn=given.key_turn,
            key_turn=given.query_turn,
        )


# Angles


def exponent(change: Callable[[int, int], Fraction]) -> Change:
    """Another rule for the exponent of pair i, where a base gives the rates."""

    def changed(given: Rope) -> Iterator[Rope]:
        if isinstance(given.rates, Schedule):
            yield replace(given, rates=replace(given.rates, exponent=change))

    return changed


def other_base(base: int) -> Change:
    """The angles of a common base that is not the given one."""

    def changed(given: Rope) -> Iterator[Rope]:
        if isinstance(given.rates, Schedule) and given.rates.base != base:
            yield replace(given, rates=replace(given.rates, base=Fraction(base)))

    return changed


def each_rate(change: Callable[[Rate], Rate]) -> Change:
    """Another angle per position for each pair."""
    return lambda given: (replace(given, rates=tuple(map(change, given.rates))),)


def in_degrees(rate: Rate) -> Rate:
    """The angle's number of degrees, taken as radians."""
    return rate.scaled(180 / PI) if rate.turn is None else Rate.radians(rate.turn * 360)


def of_degrees(rate: Rate) -> Rate:
    """The angle's number of radians, taken as degrees."""
    return rate.scaled(PI / 180) if rate.turn is None else Rate.turns(rate.turn * 2 * PI / 360)


def unit_angle(given: Rope) -> Iterator[Rope]:
    if not isinstance(given.rates, Schedule):
        yield replace(given, rates=(Rate.radians(1),) * len(given.rates))


def one_angle(given: Rope) -> Iterator[Rope]:
    if len(given.rates) > 1:
        yield replace(given, rates=(given.rates[0],) * len(given.rates))


def scaling_ignored(given: Rope) -> Iterator[Rope]:
    if isinstance(given.rates, Schedule) and given.rates.scale is not unscaled:
        plain = replace(given.rates, scale=unscaled)
        if plain.rates != given.rates.rates:
            yield replace(given, rates=plain)


def factor_ignored(given: Rope) -> Iterator[Rope]:
    if given.attention_factor != 1:
        yield replace(given, attention_factor=1.0)


# Partial rotation


def by_head_dim(given: Rope) -> Iterator[Rope]:
    """Exponents and partners of the whole head, of which only the first r/2 pairs turn."""
    width = len(given.query)
    if isinstance(given.rates, Schedule) and given.rotary_dim < width:
        turning = replace(given.rates, width=width)
        still = (NO_TURN,) * ((width - given.rotary_dim) // 2)
        yield replace(given, rates=(*turning, *still), rotary_dim=width)


def exponents_by_head_dim(given: Rope) -> Iterator[Rope]:
    # In the interleaved layout the partners are the same either way.
    if isinstance(given.rates, Schedule) and given.rotary_dim < len(given.query) and given.layout == "half":
        yield replace(given, rates=replace(given.rates, width=len(given.query)))


def leading_slice(given: Rope) -> Iterator[Rope]:
    turning = tuple(rate for rate in given.rates if rate.factor)
    if turning and len(turning) < len(given.rates):
        yield replace(given, rates=turning, rotary_dim=2 * len(turning))


def partial_ignored(given: Rope) -> Iterator[Rope]:
    width, rates = len(given.query), given.rates
    if given.rotary_dim == width:
        return
    if isinstance(rates, Schedule):
        yield replace(given, rates=replace(rates, rotary_dim=width, width=None), rotary_dim=width)
    elif len(set(rates)) == 1:  # one given angle is every pair's
        yield replace(given, rates=(rates[0],) * (width // 2), rotary_dim=width)


# Score and mask


def scaled_by_width(width: int) -> Mistake:
    """The score over the root of a whole model width, for a caller who knows one.

    >>> scaled_by_width(16).id
    'scaled-by-width'
    """
    return Mistake("scaled-by-width", "rope", "slip", always(score_width=width))


def unrooted_width(given: Rope) -> Iterator[Rope]:
    width = given.score_width or len(given.query)
    yield replace(given, score_width=width * width)


def everything(query_position: Position, key_position: Position) -> bool:
    return True


def only_later(query_position: Position, key_position: Position) -> bool:
    return key_position >= query_position


def only_earlier(query_position: Position, key_position: Position) -> bool:
    return key_position < query_position


ENTRIES: Iterable[tuple[str, Kind, Change]] = (
    ("other-layout", "convention", other_layout),
    ("permuted-output", "convention", always(layout="interleaved", output_layout="half")),
    ("spread-output", "slip", spread_output),
    ("mixed-table", "slip", mixed_table),
    ("clockwise", "convention", table(mirrored)),
    ("one-based", "slip", turns(lambda query, key: (moved(query, 1), moved(key, 1)))),
    ("position-minus-one", "slip", turns(lambda query, key: (moved(query, -1), moved(key, -1)))),
    ("no-rotation", "slip", always(query_turn=unturned, key_turn=unturned)),
    ("swapped", "slip", turns(lambda query, key: (key, query))),
    ("exchanged", "slip", exchanged),
    ("key-only", "slip", always(query_turn=unturned)),
    ("query-only", "slip", always(key_turn=unturned)),
    ("offset-both", "slip", always(query_turn=offset, key_turn=offset)),
    ("exponent-without-two", "slip", exponent(lambda i, width: Fraction(-i, width))),
    ("exponent-odd", "slip", exponent(lambda i, width: Fraction(-2 * i - 1, width))),
    ("exponent-sign", "slip", exponent(lambda i, width: Fraction(2 * i, width))),
    ("exponent-by-head-dim", "convention", by_head_dim),
    ("exponents-alone-by-head-dim", "slip", exponents_by_head_dim),
    ("leading-slice", "slip", leading_slice),
    ("partial-ignored", "slip", partial_ignored),
    ("scaling-ignored", "slip", scaling_ignored),
    ("attention-factor-ignored", "slip", factor_ignored),
    ("half-turn", "slip", each_rate(lambda rate: rate.scaled(2))),
    ("degrees-as-radians", "slip", each_rate(in_degrees)),
    ("radians-as-degrees", "slip", each_rate(of_degrees)),
    ("unit-angle", "slip", unit_angle),
    ("one-angle", "slip", one_angle),
    ("sine-with-cosine", "slip", table(sine_with_cosine)),
    ("not-scaled", "slip", always(score_width=1)),
    ("scaled-without-root", "slip", unrooted_width),
    ("mask-ignored", "slip", always(visible=everything)),
    ("mask-reversed", "slip", always(visible=only_later)),
    ("mask-without-itself", "slip", always(visible=only_earlier)),
    ("half-precision-angles", "precision", half_precision_angles),
    ("half-precision-table", "precision", half_precision_table),
    *((f"base-{base}", "choice", other_base(base)) for base in BASES),
)

ROPE: Catalogue = tuple(Mistake(id, "rope", kind, change) for id, kind, change in ENTRIES)
