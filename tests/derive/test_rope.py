"""The derivation of RoPE says what table 25.1 says, and every line of it can be recalculated."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core import rope as core
from dense_cli.core.angles import Rate
from dense_cli.core.schedule import QUARTER_TURN, Schedule, default_rates
from dense_cli.derivation import Derivation, Line, Note, Step, Value
from dense_cli.derive.rope import assumptions, rope
from dense_cli.derive.rope_frequencies import Frequencies, frequencies
from dense_cli.expression import Constant, Expression, Symbol, total
from dense_cli.lang import LANGUAGES, say_in, topic_texts
from dense_cli.numerals import PiMultiple
from dense_cli.render.notation import Text

from .walking import check_lines, check_value, check_words, lines_of, notes_of, steps_of

SPREAD = Schedule(Fraction(10000), 4)


def told(query, key, *positions, rates=None, **parts) -> Derivation:
    """The derivation for plain numbers, with the default speeds unless others are given."""
    rotary_dim = parts.pop("rotary_dim", len(query))
    asked = core.Rope(
        tuple(map(float, query)),
        tuple(map(float, key)),
        positions,
        rates or default_rates(rotary_dim),
        rotary_dim,
        **parts,
    )
    return rope(asked, core.rope(asked))


def step(derivation: Derivation, name: str) -> Step:
    """The first step of that name."""
    return next(each for each in steps_of(derivation) if each.name == name)


def line(where: Step, written: str) -> Line:
    """The line whose symbol is written so in plain text."""
    return next(each for each in where.lines if name(each.symbol) == written)


def name(symbol: Expression | Note) -> str:
    plain = Text(say_in("en"))
    return plain.sentence(symbol) if isinstance(symbol, Note) else plain.symbols(symbol)


def formula(each: Line) -> str:
    assert each.formula is not None
    return Text(say_in("en")).symbols(each.formula)


def said(derivation: Derivation) -> set[str]:
    return {note.key.removeprefix("rope.") for note in notes_of(derivation)}


def plain(value: Value) -> Value:
    """Exact numbers as floats, to compare with what is printed."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return float(value) if isinstance(value, Fraction | PiMultiple) else value


# --- the chapter's numbers


def test_table_25_1():
    """All four rows as printed, with the offset and whether a causal query may use the key."""
    derivation = told((1, 0), (1, 0), (0, 0), (0, 1), (1, 2), (0, 2))
    table = derivation.steps[0].table
    assert [tuple(map(plain, row)) for row in table.rows] == [
        (0, 0, 0, (1, 0), (1, 0), 1, True),
        (0, 1, 1, (1, 0), (0, 1), 0, False),
        (1, 2, 1, (0, 1), (-1, 0), 0, False),
        (0, 2, 2, (1, 0), (-1, 0), -1, False),
    ]
    check_lines(derivation)


def test_third_row_step_by_step():
    """0 × (−1) + 1 × 0 = 0 and, by the offset alone, [1, 0] against [0, 1]."""
    derivation = told((1, 0), (1, 0), (1, 2))
    assert line(step(derivation, "angles"), "α").value == PiMultiple(Fraction(1, 2))
    assert line(step(derivation, "angles"), "β").value == PiMultiple(Fraction(1))
    assert [each.value for each in step(derivation, "dot").lines] == [0, 0, 0]
    assert [line(step(derivation, "relative"), u).value for u in ("u₁", "u₂", "q·u")] == [0, 1, 0]
    degrees = next(note for note in step(derivation, "angles").notes if note.key == "rope.degrees")
    assert degrees.facts == {"query": 90, "key": 180}


def test_exercise_1():
    """Positions 2 and 3: [−1, 0] and [0, −1], product 0, and the key is out of reach."""
    derivation = told((1, 0), (1, 0), (2, 3))
    (row,) = derivation.result["rows"]
    assert (row["query"], row["key"], row["dot"], row["visible"]) == ([-1, 0], [0, -1], 0, False)
    answer = [plain(each.value) for each in derivation.answer]
    assert answer == [(-1, 0), (0, -1), 0, 0, False]
    sentence = step(derivation, "visible").notes[0]
    assert sentence == Note("rope.not-visible", {"query": 2, "key": 3})


def test_four_coordinates_by_the_base():
    """q = k = [1, 2, 3, 4] at 3 and 3, base 10000, against values calculated elsewhere."""
    derivation = told((1, 2, 3, 4), (1, 2, 3, 4), (3, 3))
    values = [line(step(derivation, "query"), f"q′{i}").value for i in "₁₂₃₄"]
    expected = [-1.27223251272018, -1.8388649851410237, 2.87866810043698, 4.088186635603437]
    assert values == pytest.approx(expected, rel=1e-14)
    assert line(step(derivation, "dot"), "q′·k′").value == pytest.approx(30, rel=1e-14)
    assert line(step(derivation, "score"), "s").value == pytest.approx(15, rel=1e-14)
    assert [each.value for each in step(derivation, "pairs").lines] == [1, 0.01]
    assert formula(line(step(derivation, "pairs"), "θ₂")) == "B^(-2 / r)"


# --- which coordinates, which factor


@pytest.mark.parametrize(
    ("layout", "partner", "expected"),
    [("interleaved", "₂", -1.27223251272018), ("half", "₃", -1.413352520780047)],
)
def test_the_layout_decides_the_partner(layout, partner, expected):
    """The first coordinate turns with its neighbour, or with the first of the second half."""
    derivation = told((1, 2, 3, 4), (1, 2, 3, 4), (3, 3), layout=layout)
    first = line(step(derivation, "query"), "q′₁")
    assert formula(first) == f"q₁ · cos α₁ - q{partner} · sin α₁"
    assert first.value == pytest.approx(expected, rel=1e-14)
    assert f"layout-{layout}" in said(derivation)
    assert step(derivation, "pairs").table.rows[0] == (1, 1, 2 if layout == "interleaved" else 3)


def test_coordinates_beyond_the_rotary_width_stay():
    """They are told as they were, also in the key that is turned by the offset."""
    derivation = told((1, 2, 3, 4), (5, 6, 7, 8), (1, 2), rotary_dim=2)
    assert [line(step(derivation, "query"), f"q′{i}").value for i in "₃₄"] == [3, 4]
    assert [line(step(derivation, "relative"), f"u{i}").value for i in "₃₄"] == [7, 8]
    unturned = next(note for note in notes_of(derivation) if note.key == "rope.unturned")
    assert unturned.facts == {"first": 3, "last": 4}
    check_lines(derivation)
    one = told((1, 2, 3), (5, 6, 7), (1, 2), rotary_dim=2)
    assert "unturned-one" in said(one)


def test_the_attention_factor_counts_twice_in_the_relative_form():
    """a (…) in both rotations, a² (…) by the offset, and neither on coordinates that do not turn."""
    derivation = told((1, 0, 3), (1, 0, 5), (1, 1), rotary_dim=2, attention_factor=1.5)
    assert formula(line(step(derivation, "query"), "q′₁")) == "a · (q₁ · cos α - q₂ · sin α)"
    relative = line(step(derivation, "relative"), "q·u")
    assert formula(relative) == "a² · (q₁ · u₁ + q₂ · u₂) + q₃ · u₃"
    assert relative.value == 1.5 * 1.5 + 15
    assert {"attention-factor", "factor-twice"} <= said(derivation)
    assert not {"attention-factor", "factor-twice"} & said(told((1, 0), (1, 0), (1, 1)))


def test_a_long_vector_is_cut_but_its_result_is_whole():
    """Eight coordinates are worked out, the others are one term, and JSON has them all."""
    query, key = range(1, 15), range(2, 16)
    derivation = told(query, key, (3, 1), layout="half", rotary_dim=12)
    coordinates = [each for each in step(derivation, "query").lines if name(each.symbol).startswith("q′")]
    assert [name(each.symbol) for each in coordinates] == [f"q′{i}" for i in "₁₂₃₄₇₈₉"] + ["q′₁₀"]
    assert formula(line(step(derivation, "dot"), "q′·k′")).endswith("p₉ + p₁₀ + P")
    assert len(derivation.result["rows"][0]["query"]) == 14
    assert len(derivation.answer[0].value) == 14
    assert "more-pairs" in said(derivation)
    check_lines(derivation)


# --- angles


def test_full_turns_are_taken_off():
    """5 quarter turns are one full turn and π/2; nothing is taken off below a full turn."""
    angles = step(told((1, 0), (1, 0), (5, 3)), "angles")
    names = [name(each.symbol) for each in angles.lines]
    assert names == ["α", "α without full turns", "β"]
    assert angles.lines[1].value == PiMultiple(Fraction(1, 2))
    assert formula(angles.lines[1]) == "α - 1 · 2π"


@pytest.mark.parametrize("position", [10**12 + 1, -(10**40) - 3, 10**400 + 1])
def test_far_quarter_turns_are_exact(position):
    """The page has exact zeros and ones however far out the position is."""
    derivation = told((1, 0), (1, 0), (position, 0))
    check_lines(derivation)
    assert plain(derivation.answer[0].value) == (0, 1)
    pages = [Text(say_in("en")).chain(each) for each in lines_of(derivation)]
    assert not any("e-" in link.text or "≈" in link.sign for chain in pages for link in chain.links)


@pytest.mark.parametrize(
    ("rate", "m", "n"),
    [
        (Rate.turns(Fraction(1, 4)), 10**400, 10**400 + 1),
        (Rate.radians(Fraction(1, 10**200)), 10**310, 3),
        (Rate.radians(1), Fraction(2 * 10**400 + 1, 2), 0),
    ],
)
def test_positions_beyond_float64_are_told_without_an_angle(rate, m, n):
    """A product that no float64 holds is left out, and everything else is there."""
    derivation = told((1, 0), (1, 0), (m, n), rates=(rate,))
    check_lines(derivation)
    assert "α" not in {name(each.symbol) for each in step(derivation, "angles").lines}
    json.dumps([derivation.given, derivation.result], allow_nan=False)


def test_far_radians_are_told_by_what_is_left():
    """cos 10¹² and sin 10¹² (from a 60-digit calculation) where a float64 angle has lost its turns."""
    derivation = told((1, 0), (1, 0), (10**12, 0), rates=(Rate.radians(1),))
    assert line(step(derivation, "query"), "cos α").value == pytest.approx(0.7914463018528902, rel=1e-15)
    assert line(step(derivation, "query"), "sin α").value == pytest.approx(-0.6112387023768895, rel=1e-15)
    assert "less-full-turns" in said(derivation)
    check_lines(derivation)


def test_speeds_that_the_base_did_not_make_show_no_power():
    """A scaled schedule is told as numbers, with a note."""
    halved = Schedule(
        Fraction(10000), 4, scale=lambda rates: tuple(rate.scaled(Fraction(1, 2)) for rate in rates)
    )
    pairs = step(told((1, 2, 3, 4), (1, 2, 3, 4), (3, 3), rates=halved), "pairs")
    assert not pairs.lines
    assert [row[3] for row in pairs.table.rows] == [0.5, 0.005]
    assert "rope.scaled" in {note.key for note in pairs.notes}


# --- several positions


def test_many_positions_are_worked_out_for_the_first_few():
    """The table has every row, three are worked out, what is explained once is not said again."""
    derivation = told((1, 2), (3, 4), *((m, 0) for m in range(6)))
    assert len(derivation.steps[0].table.rows) == len(derivation.result["rows"]) == 6
    worked = [each for each in derivation.steps if each.name.startswith("positions-")]
    assert [each.title.facts["query"] for each in worked] == [0, 1, 2]
    assert step(worked_as_derivation(derivation, 0), "score").notes
    assert not step(worked_as_derivation(derivation, 1), "score").notes
    assert step(worked_as_derivation(derivation, 1), "visible").notes
    assert derivation.answer == ()
    assert "more-positions" in said(derivation)
    assert "more-positions" not in said(told((1, 2), (3, 4), (0, 0), (1, 0)))


def test_a_long_table_has_the_core_numbers_in_every_row():
    """Also in the rows that are not followed exactly."""
    asked = core.Rope(
        (0.1, 0.2) * 8, (0.3, 0.4) * 8, tuple((m, 0) for m in range(20)), default_rates(16), rotary_dim=16
    )
    rows = core.rope(asked)
    table = rope(asked, rows).steps[0].table
    assert [row[:3] for row in table.rows] == [(m, 0, -m) for m in range(20)]
    for shown, row in zip(table.rows, rows, strict=True):
        assert plain(shown[3]) == pytest.approx(row.query, rel=1e-14)
        assert plain(shown[4]) == pytest.approx(row.key, rel=1e-14)
        assert plain(shown[5]) == pytest.approx(row.dot, rel=1e-14)


def worked_as_derivation(derivation: Derivation, number: int) -> Derivation:
    worked = [each for each in derivation.steps if each.name.startswith("positions-")]
    return replace(derivation, steps=worked[number].steps)


def test_the_same_offset_is_pointed_out_only_where_it_occurs():
    assert "same-offset" in said(told((1, 2), (3, 4), (0, 1), (1, 2)))
    assert "same-offset" not in said(told((1, 2), (3, 4), (0, 1), (1, 3)))


def test_positions_in_json_are_whole_where_they_are_whole():
    """2.5 stays a decimal, 3 is an int; the whole result is strict JSON."""
    derivation = told((1, 0), (1, 0), (Fraction(5, 2), 3))
    (row,) = derivation.result["rows"]
    assert (row["query_position"], row["key_position"], row["offset"]) == (2.5, 3, 0.5)
    assert isinstance(row["key_position"], int)
    assert derivation.given["positions"] == [[2.5, 3]]
    assert json.loads(json.dumps(derivation.result, allow_nan=False)) == derivation.result
    assert list(derivation.result) == ["layout", "rotary_dim", "theta", "attention_factor", "pairs", "rows"]


# --- what is said beside the numbers


def test_cautions_are_true_of_the_input():
    """No permission only for a later key; a period only where every angle is an exact part of a turn."""
    assert said(told((1, 0), (1, 0), (1, 2))) >= {"no-permission", "values-not-turned", "repeats"}
    assert "no-permission" not in said(told((1, 0), (1, 0), (2, 1)))
    periods = {
        (QUARTER_TURN,): 4,
        (Rate.turns(Fraction(2, 5)),): 5,
        (Rate.turns(Fraction(1, 4)), Rate.turns(Fraction(1, 6))): 12,
        (Rate.turns(Fraction(1, 4)), Rate.radians(1)): None,
        (Rate.radians(1),): None,
    }
    for rates, period in periods.items():
        width = 2 * len(rates)
        derivation = told((1.0,) * width, (1.0,) * width, (1, 0), rates=rates)
        told_period = [note.facts["period"] for note in derivation.cautions if "period" in note.facts]
        assert told_period == ([] if period is None else [period])


def test_only_what_was_not_typed_is_assumed():
    two = core.Rope((1.0, 0.0), (1.0, 0.0), ((0, 1),), (QUARTER_TURN,), 2)
    four = core.Rope((1.0,) * 4, (1.0,) * 4, ((0, 1),), SPREAD, 4)
    keys = [note.key for note in assumptions(two, {"q", "k", "pos"})]
    assert keys == ["rope.assume-quarter-turn", "rope.assume-from-zero"]
    assert [note.key for note in assumptions(four, {"q", "k", "pos"})] == [
        "rope.assume-base",
        "rope.assume-interleaved",
        "rope.assume-unscaled",
        "rope.assume-from-zero",
    ]
    assert [note.key for note in assumptions(four, {"config"})] == ["rope.assume-from-zero"]
    for note in assumptions(four, set()):
        check_words(note)


def test_both_positions_stand_in_the_sentence_on_the_mask():
    sentence = step(told((1, 0), (1, 0), (41, 73)), "visible").notes[0]
    for language in LANGUAGES:
        text = Text(say_in(language)).sentence(sentence)
        assert "41" in text
        assert "73" in text
    assert "因果" in Text(say_in("zh")).sentence(sentence)


def test_languages_have_the_same_words():
    """The same keys in the same order, so that a reader of one finds the other."""
    first, *others = (list(topic_texts(language, "rope")) for language in LANGUAGES)
    assert all(keys == first for keys in others)


# --- random ropes

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
positions = st.integers(-(10**18), 10**18) | st.fractions(-1000, 1000, max_denominator=100)
rates = st.one_of(
    st.fractions(-2, 2, max_denominator=24).map(Rate.turns),
    st.fractions(-3, 3, max_denominator=50).map(Rate.radians),
    st.floats(-3, 3).map(Rate.radians),
)


@st.composite
def ropes(draw) -> core.Rope:
    """1 to 9 pairs, either layout, perhaps unturned coordinates, any kind of angle, several positions."""
    count = draw(st.integers(1, 9))
    width = 2 * count + draw(st.integers(0, 3))
    row = st.lists(numbers, min_size=width, max_size=width).map(tuple)
    schedule = st.integers(2, 10**6).map(lambda base: Schedule(Fraction(base), 2 * count))
    return core.Rope(
        draw(row),
        draw(row),
        tuple(draw(st.lists(st.tuples(positions, positions), min_size=1, max_size=4))),
        draw(schedule | st.lists(rates, min_size=count, max_size=count).map(tuple)),
        2 * count,
        layout=draw(st.sampled_from(core.LAYOUTS)),
        attention_factor=draw(st.sampled_from((1.0, 0.8, 1.25))),
    )


@settings(max_examples=60, deadline=None)
@given(ropes())
def test_every_line_of_any_rope_can_be_recalculated(asked):
    """Formulas make the core's numbers, words are there in both languages, JSON is strict."""
    derivation = rope(asked, core.rope(asked), assumptions(asked, {"q", "k", "pos"}))
    check_lines(derivation)
    json.dumps([derivation.given, derivation.result], allow_nan=False)
    for language in LANGUAGES:
        page = Text(say_in(language))
        assert all(page.sentence(note) for note in notes_of(derivation))
        assert all(page.chain(each).links for each in lines_of(derivation))


# --- frequencies

LLAMA_3 = Frequencies(
    (1.0, 0.05, 0.00125),
    (1.0, 0.1, 0.01),
    rotary_dim=6,
    base=1000,
    rope_type="llama3",
    capacity=2048,
    treatments=("kept", "blended", "divided"),
)


def test_plain_frequencies():
    """Base 10000 and four coordinates: 2π and 200π positions for a full turn."""
    derivation = frequencies(Frequencies((1.0, 0.01), (1.0, 0.01), rotary_dim=4, base=10000))
    check_lines(derivation)
    assert derivation.result["wavelength"] == [6.283185307179586, 628.3185307179587]
    table = step(derivation, "frequencies").table
    assert [len(table.columns), len(table.rows)] == [4, 2]
    assert [each.value for each in step(derivation, "base").lines] == [1, 0.01]
    assert "frequencies-not-ability" in said(derivation)


def test_scaled_frequencies_stand_beside_the_unscaled_ones():
    """What the base gives, what the scaling makes of it, how many pairs it leaves, and no promise."""
    derivation = frequencies(LLAMA_3)
    check_lines(derivation)
    table = step(derivation, "frequencies").table
    assert table.rows[1][1:4] == (Fraction(-1, 3), 0.1, 0.05)
    assert [name(each.symbol) for each in step(derivation, "base").lines] == ["θ⁰₁", "θ⁰₂", "θ⁰₃"]
    assert {"kept", "blended", "divided", "scaled-by", "capacity-not-ability"} <= said(derivation)
    within = next(note for note in notes_of(derivation) if note.key == "rope.turns-within-capacity")
    assert within.facts == {"count": 1, "pairs": 3, "capacity": 2048}


def test_a_pair_that_does_not_turn_has_no_wavelength():
    """null in JSON, no exponent on the page, and a note."""
    derivation = frequencies(Frequencies((1.0, 0.0), (1.0, 0.0), rotary_dim=4, base=10000))
    check_lines(derivation)
    assert derivation.result["wavelength"] == [math.tau, None]
    assert step(derivation, "frequencies").table.rows[1][1:] == ("–", 0.0, None)
    assert "no-turn" in said(derivation)


# --- the walk itself


def test_the_walk_finds_a_wrong_value():
    one = Symbol("x", "x").bound(1)
    check_value(Line(one, total(one, one), 2.0))
    with pytest.raises(AssertionError):
        check_value(Line(one, total(one, one), 2.00001))
    with pytest.raises(AssertionError):
        check_value(Line(one, Constant(1e-20), 2e-20))


@pytest.mark.parametrize(
    "note",
    [
        Note("rope.no-such-words"),
        Note("rope.rotate-query"),
        Note("rope.rotate-query", {"angle": "0.5"}),
        Note("rope.rotate-query", {"angle": None}),
    ],
)
def test_the_walk_finds_missing_words_and_facts(note):
    with pytest.raises(AssertionError):
        check_words(note)


def test_the_walk_reaches_notes_inside_steps():
    derivation = told((1, 0), (1, 0), (0, 0), (1, 2))
    inner = Step("inner", Note("rope.title"), notes=(Note("rope.no-such-words"),))
    outer = Step("outer", Note("rope.title"), steps=(inner,))
    with pytest.raises(AssertionError):
        check_lines(replace(derivation, steps=(outer,)))
