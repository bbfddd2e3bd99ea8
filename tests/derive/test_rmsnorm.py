"""The story of RMSNorm: the chapter's numbers, formulas that make their values, words in both languages."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core.norms import LayerNormRow, Norm, NormRow, layer_norm, norm, scaled, shifted
from dense_cli.derivation import Derivation, Line, Step
from dense_cli.derive.rmsnorm import rmsnorm
from dense_cli.derive.rmsnorm_changes import SCALE, SHIFT, Change
from dense_cli.derive.stating import WRITTEN_OUT
from dense_cli.errors import DenseError
from dense_cli.lang import LANGUAGES, placeholders, say_in, topic_texts
from dense_cli.render.notation import Text
from tests.derive.walking import check_lines, lines_of, notes_of, steps_of

EXAMPLE = Norm(x=((3.0, 4.0),))
SIZES = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))


def told(of: Norm, layer: bool = False, changes: tuple[tuple[str, float], ...] = ()) -> Derivation:
    """The derivation with everything computed by the core."""
    made = []
    for kind, amount in changes:
        other = replace(of, x=(shifted if kind == SHIFT else scaled)(of.x, amount))
        made.append(Change(kind, amount, norm(other), layer_norm(other) if layer else None))
    return rmsnorm(of, norm(of), layer_norm(of) if layer else None, tuple(made))


def steps(derivation: Derivation) -> dict[str, Step]:
    """The first step of every name."""
    return {step.name: step for step in reversed(list(steps_of(derivation)))}


def values(step: Step) -> list[object]:
    return [line.value for line in step.lines]


def page(line: Line) -> str:
    """A line as it stands on a page."""
    chain = Text(say_in("en")).chain(line)
    return " ".join([chain.symbol, *(f"{link.sign} {link.text}" for link in chain.links)])


def keys(step: Step) -> list[str]:
    return [note.key for note in step.notes]


def test_example_of_the_chapter() -> None:
    """Squares 9 and 16, mean 12.5, root 3.535534, output [0.848528, 1.131371]."""
    found = steps(told(EXAMPLE))
    assert values(found["squares"]) == [9, 16]
    assert values(found["mean-square"]) == [12.5]
    assert values(found["root"]) == pytest.approx([3.535534], abs=5e-7)
    assert values(found["divide"]) == pytest.approx([0.848528, 1.131371], abs=5e-7)
    assert values(found["check"])[-1] == 1


def test_lines_can_be_followed_with_a_pencil() -> None:
    """Symbols, numbers put in and value; `=` only where all of them are exact."""
    found = steps(told(EXAMPLE))
    assert page(found["squares"].lines[0]) == "x₁² = 3² = 9"
    assert page(found["mean-square"].lines[0]) == "ms = (x₁² + x₂²) / C = (9 + 16) / 2 = 12.5"
    assert page(found["root"].lines[0]) == "rms = √ms = √12.5 ≈ 3.535534"
    assert page(found["divide"].lines[1]) == "y₂ = x₂ / rms ≈ 4 / 3.535534 ≈ 1.131371"


def test_result_is_the_data_of_the_interface() -> None:
    """The keys that scripts read, and no LayerNorm where none was asked for."""
    result = told(EXAMPLE).result
    assert result["eps"] == 0
    assert result["unit_offset"] is False
    assert result["rows"] == [
        {
            "x": [3.0, 4.0],
            "mean_square": 12.5,
            "denominator": pytest.approx(3.5355339059327378, rel=1e-15),
            "normalized": pytest.approx([0.848528137423857, 1.131370849898476], rel=1e-15),
            "output": pytest.approx([0.848528137423857, 1.131370849898476], rel=1e-15),
        }
    ]


def test_shifted_row_of_the_chapter_beside_layernorm() -> None:
    """[4, 5]: RMSNorm [0.883452, 1.104315]; LayerNorm [-1, 1] for both rows."""
    derivation = told(Norm(x=((3.0, 4.0), (4.0, 5.0))), layer=True)
    rows = derivation.result["rows"]
    assert isinstance(rows, list)
    assert [row["layernorm"]["output"] for row in rows] == [[-1, 1], [-1, 1]]  # type: ignore[index,call-overload]
    assert rows[1]["output"] == pytest.approx([0.883452, 1.104315], abs=5e-7)  # type: ignore[index,call-overload]
    assert rows[1]["layernorm"]["mean"] == 4.5  # type: ignore[index,call-overload]
    second = derivation.steps[2]
    table = second.steps[2].table
    assert table is not None
    assert [row[3] for row in table.rows] == [-1, 1]


def test_layernorm_is_worked_out_step_by_step() -> None:
    """Mean 3.5, deviations ∓0.5, variance 0.25, root 0.5, result ∓1."""
    found = steps(told(EXAMPLE, layer=True))
    assert values(found["mean"]) == [3.5]
    assert values(found["deviations"]) == [-0.5, 0.5]
    assert values(found["variance"]) == [0.25, 0.25, 0.25]
    assert values(found["std"]) == [0.5]
    assert values(found["layernorm-output"]) == [-1, 1]


@pytest.mark.parametrize(("rows", "key"), [(1, "divisor"), (3, "divisor-of-rows")])
def test_the_page_says_what_the_mean_divides_by(rows: int, key: str) -> None:
    """By the coordinates of a row, not by the rows, said once."""
    notes = [note for note in notes_of(told(Norm(x=((3.0, 4.0),) * rows))) if "divisor" in note.key]
    assert [note.key for note in notes] == [f"rmsnorm.{key}"]
    assert notes[0].facts == {"rows": rows, "width": 2}


def test_epsilon_is_added_under_the_root() -> None:
    """12.5 + 0.5 = 13 before the root; the check says how much is missing from 1."""
    found = steps(told(replace(EXAMPLE, eps=0.5)))
    assert page(found["epsilon"].lines[0]) == "ms + ε = 12.5 + 0.5 = 13"
    assert page(found["root"].lines[0]) == "rms = √(ms + ε) = √(12.5 + 0.5) ≈ 3.605551"
    assert values(found["check"]) == pytest.approx([12.5 / 13, 12.5 / 13, 0.5 / 13], rel=1e-15)
    assert keys(found["check"]) == ["rmsnorm.nearly-one"]


def test_without_epsilon_no_step_adds_it() -> None:
    """And the mean square of the result is said to be exactly 1."""
    found = steps(told(EXAMPLE))
    assert "epsilon" not in found
    assert keys(found["check"]) == ["rmsnorm.exactly-one"]


@pytest.mark.parametrize(
    ("unit_offset", "line", "output"),
    [
        (False, "y₁ = g₁ · n₁ ≈ 0.5 × 0.848528 ≈ 0.424264", [0.424264, -0.282843]),
        (True, "y₁ = (1 + g₁) · n₁ ≈ (1 + 0.5) × 0.848528 ≈ 1.272792", [1.272792, 0.848528]),
    ],
)
def test_gain(unit_offset: bool, line: str, output: list[float]) -> None:
    """A stored gain acts as itself, or as 1 + itself."""
    derivation = told(replace(EXAMPLE, gain=(0.5, -0.25), unit_offset=unit_offset))
    gain = steps(derivation)["gain"]
    assert page(gain.lines[0]) == line
    assert values(gain) == pytest.approx(output, abs=5e-7)
    assert not derivation.assumed


def test_a_missing_gain_is_assumed_to_be_one() -> None:
    assert [note.key for note in told(EXAMPLE).assumed] == ["rmsnorm.gain-one"]


@pytest.mark.parametrize(("power", "square", "note"), [(200, None, "large"), (-200, 0.0, "small")])
def test_squares_beyond_floats(power: int, square: float | None, note: str) -> None:
    """The steps divide by a power of ten first; the data has null or 0 for the mean square: it is said."""
    derivation = told(Norm(x=((float(f"3e{power}"), float(f"4e{power}")),)), layer=True)
    check_lines(derivation)
    row = derivation.result["rows"][0]  # type: ignore[index,call-overload]
    assert row["mean_square"] == square
    assert row["output"] == pytest.approx([0.848528137423857, 1.131370849898476], rel=1e-14)
    assert row["layernorm"]["output"] == [-1, 1]
    found = steps(derivation)
    assert keys(found["rescale"]) == [f"rmsnorm.squares-too-{note}"]
    assert values(found["rescale"]) == [float(f"1e{power}"), 3, 4]
    assert values(found["squares"]) == [9, 16]


def test_epsilon_beside_squares_beyond_floats_is_left_out_and_said() -> None:
    """1e-6 beside 1e401 changes no digit; beside equal coordinates LayerNorm still has only epsilon."""
    derivation = told(Norm(x=((3e200, 4e200), (5e200, 5e200)), eps=1e-6), layer=True)
    check_lines(derivation)
    found = derivation.steps[1].steps[0].steps
    assert keys(found[0]) == ["rmsnorm.squares-too-large", "rmsnorm.epsilon-lost"]
    assert keys(found[-1]) == ["rmsnorm.one-but-for-epsilon"]
    layernorm = derivation.steps[2].steps[1].steps
    assert [step.name for step in layernorm] == ["mean", "deviations", "variance", "std", "layernorm-output"]
    assert values(layernorm[3]) == [0.001]
    assert values(layernorm[4]) == [0, 0]


def test_the_data_has_no_infinity() -> None:
    """An infinite mean square or variance is null."""
    row = NormRow((1.0,), inf, 1.0, (1.0,), (-0.0,))
    layer = LayerNormRow((1.0,), 0.0, inf, 1.0, (1.0,), (1.0,))
    data = rmsnorm(Norm(x=((1.0,),)), (row,), (layer,)).result["rows"][0]  # type: ignore[index,call-overload]
    assert data["mean_square"] is None
    assert data["layernorm"]["variance"] is None
    assert str(data["output"]) == "[0.0]"


def changes(step: Step) -> list[bool]:
    """What the last column of a table of a change says."""
    assert step.table is not None
    return [row[3] for row in step.table.rows]  # type: ignore[misc]


def test_shift_of_the_chapter() -> None:
    """[3, 4] + 10: RMSNorm becomes [0.962303, 1.036326], LayerNorm stays [-1, 1]."""
    derivation = told(EXAMPLE, layer=True, changes=((SHIFT, 10.0),))
    step = steps(derivation)["shift"]
    assert changes(step) == [True, True, True, True, False, False]
    assert keys(step) == ["rmsnorm.shift-changes-rmsnorm", "rmsnorm.shift-keeps-layernorm"]
    assert step.table is not None
    assert step.table.rows[2][2] == pytest.approx((0.962303, 1.036326), abs=5e-7)
    assert step.table.rows[5][1:3] == ((-1, 1), (-1, 1))
    after = derivation.result["after_shift"]
    assert after["rows"][0]["x"] == [13, 14]  # type: ignore[index,call-overload]
    assert after["shift"] == 10  # type: ignore[index,call-overload]


@pytest.mark.parametrize(
    ("x", "shift", "expected"),
    [
        ((3.0, 4.0), 0.0, ["shift-by-zero"]),
        ((2.0, 2.0), 3.0, ["shift-of-equal-coordinates", "no-layernorm"]),
        ((2.0, 2.0), -3.0, ["shift-changes-rmsnorm", "no-layernorm"]),
    ],
)
def test_shifts_that_are_special(x: tuple[float, ...], shift: float, expected: list[str]) -> None:
    """Zero, and rows whose coordinates are all equal: LayerNorm has no value there."""
    step = steps(told(Norm(x=(x,)), changes=((SHIFT, shift),)))["shift"]
    assert keys(step) == [f"rmsnorm.{key}" for key in expected]


def test_rounding_of_a_far_shift_is_told_as_rounding() -> None:
    """Small coordinates lose digits at 1e10: what is seen of it is not said to be LayerNorm's doing."""
    step = steps(told(Norm(x=((0.1, 0.2, 0.4),)), layer=True, changes=((SHIFT, 1e10),)))["shift"]
    assert changes(step)[-1] is False
    assert keys(step)[-1] == "rmsnorm.shift-rounded"


@pytest.mark.parametrize(
    ("eps", "factor", "expected", "output_changes"),
    [
        (0.0, 2.0, ["scale-cancels"], False),
        (0.0, -2.0, ["scale-flips-sign", "scale-cancels"], True),
        (0.5, 2.0, ["scale-nearly-cancels"], True),
        (0.5, -2.0, ["scale-flips-sign", "scale-nearly-cancels"], True),
        (0.5, 0.0, ["scale-by-zero"], True),
    ],
)
def test_scales(eps: float, factor: float, expected: list[str], output_changes: bool) -> None:
    """A factor's size cancels only without epsilon; its sign never does."""
    step = steps(told(replace(EXAMPLE, eps=eps), changes=((SCALE, factor),)))["scale"]
    assert keys(step) == [f"rmsnorm.{key}" for key in expected]
    assert changes(step)[2] is output_changes


def test_how_nearly_a_factor_cancels() -> None:
    """[3, 4] with epsilon 12.5: 4/5 before, 8/√62.5 after doubling."""
    step = steps(told(replace(EXAMPLE, eps=12.5), changes=((SCALE, 2.0),)))["scale"]
    assert step.notes[0].facts["difference"] == pytest.approx(8 / 62.5**0.5 - 4 / 5, rel=1e-14)


@pytest.mark.parametrize(("width", "rows"), [(WRITTEN_OUT, 1), (WRITTEN_OUT + 4, 1), (2, WRITTEN_OUT + 3)])
def test_long_input_is_cut_on_the_page_and_whole_in_the_data(width: int, rows: int) -> None:
    """Eight coordinates and eight rows are written out; a note says how many more there are."""
    matrix = tuple(tuple(float(row + place) for place in range(width)) for row in range(rows))
    derivation = told(Norm(x=matrix), layer=True, changes=((SHIFT, 1.0),))
    check_lines(derivation)
    assert max(len(step.lines) for step in steps_of(derivation)) <= WRITTEN_OUT + 2
    told_more = {note.facts["count"] for note in notes_of(derivation) if note.key.endswith("more")}
    assert told_more == ({max(width, rows) - WRITTEN_OUT} if max(width, rows) > WRITTEN_OUT else set())
    data = derivation.result["rows"]
    assert isinstance(data, list)
    assert [len(row["output"]) for row in data] == [width] * rows  # type: ignore[index,call-overload,arg-type]


def test_wide_row_has_its_sum_in_a_line() -> None:
    """0² + … + 11² = 506; 506/12."""
    lines = steps(told(Norm(x=(tuple(map(float, range(12))),))))["mean-square"].lines
    assert lines[0].value == 506
    assert page(lines[1]) == "ms = Q / C = 506 / 12 ≈ 42.166667"


def test_each_step_that_is_cut_says_so() -> None:
    """Eight of twelve coordinates, and four more, in the squares and again in the division."""
    found = steps(told(Norm(x=(tuple(map(float, range(12))),))))
    for step in (found["squares"], found["divide"]):
        assert len(step.lines) == 8
        assert [(note.key, note.facts["count"]) for note in step.notes] == [("rmsnorm.more", 4)]


def test_typed_fractions_are_shown_as_what_they_are() -> None:
    """1/2 and 1/4 exactly, although the core's records hold floats."""
    derivation = told(Norm(x=((Fraction(1, 2), Fraction(1, 4)),)))  # type: ignore[arg-type]
    assert page(steps(derivation)["squares"].lines[1]) == "x₂² = 0.25² = 0.0625"


@settings(max_examples=50, deadline=None)
@given(
    st.integers(1, 10).flatmap(
        lambda width: st.tuples(
            st.lists(st.lists(SIZES, min_size=width, max_size=width), min_size=1, max_size=3),
            st.none() | st.lists(SIZES, min_size=width, max_size=width),
        )
    ),
    st.sampled_from([0.0, 1e-6, 0.5]),
    st.booleans(),
    st.sampled_from([10**-150, 1, 10**150, 10**160]),
)
def test_every_line_makes_its_value(
    drawn: tuple[list[list[float]], list[float] | None], eps: float, unit_offset: bool, size: float
) -> None:
    """For any rows, gain and epsilon: formulas give the values, and both languages have the words."""
    matrix, gain = drawn
    x = tuple(tuple(value * float(size) for value in row) for row in matrix)
    case = Norm(x=x, gain=None if gain is None else tuple(gain), eps=eps, unit_offset=unit_offset)
    try:
        derivation = told(case, layer=True, changes=((SHIFT, float(size)), (SCALE, -0.5)))
    except DenseError:
        try:
            derivation = told(case)
        except DenseError:
            return
    check_lines(derivation)
    assert lines_of(derivation)


@pytest.mark.parametrize("topic", ["rmsnorm", "swiglu", "params"])
def test_languages_have_the_same_words(topic: str) -> None:
    """Same keys, same placeholders."""
    texts = {language: topic_texts(language, topic) for language in LANGUAGES}
    speak = {
        language: {key: placeholders(text) for key, text in words.items()}
        for language, words in texts.items()
    }
    assert all(spoken == speak["en"] for spoken in speak.values())
    assert all(text.strip() for words in texts.values() for text in words.values())
