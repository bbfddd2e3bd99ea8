"""The story of the gated FFN: the chapter's numbers, formulas that make their values, words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.core.activations import ACTIVATIONS
from dense_cli.core.ffn import ORDERS, Ffn, ffn, unpacked
from dense_cli.derivation import Derivation, Line, Step
from dense_cli.derive.activations import FORMS
from dense_cli.derive.stating import WRITTEN_OUT
from dense_cli.derive.swiglu import MOST_GIVEN, swiglu
from dense_cli.expression import Constant
from dense_cli.lang import say_in
from dense_cli.render.notation import Text
from tests.derive.walking import check_lines, notes_of, steps_of

EXAMPLE = Ffn(
    x=((1.0, -1.0),),
    wg=((1.0, 0.0), (0.0, 1.0)),
    wu=((2.0, 0.0), (0.0, -3.0)),
    wd=((1.0, 0.0), (1.0, 1.0)),
)
NUMBERS = st.floats(-6, 6).map(lambda value: round(value, 3))
"""Small enough that no exp of a sum of nine products overflows; far out has a test of its own."""


def told(of: Ffn) -> Derivation:
    return swiglu(of, ffn(of))


def steps(derivation: Derivation) -> dict[str, Step]:
    return {step.name: step for step in steps_of(derivation)}


def values(step: Step) -> list[object]:
    return [line.value for line in step.lines]


def page(line: Line) -> str:
    """A line as it stands on a page."""
    chain = Text(say_in("en")).chain(line)
    return " ".join([chain.symbol, *(f"{link.sign} {link.text}" for link in chain.links)])


def pages(step: Step) -> list[str]:
    return [page(line) for line in step.lines]


def keys(step: Step) -> list[str]:
    return [note.key for note in step.notes]


def test_example_of_the_chapter() -> None:
    """Branches [1, -1] and [2, 3], SiLU, product, output, as printed there."""
    found = steps(told(EXAMPLE))
    assert values(found["gate"]) == [1, -1]
    assert values(found["up"]) == [2, 3]
    assert values(found["activation"]) == pytest.approx([0.731059, -0.268941], abs=5e-7)
    assert values(found["product"]) == pytest.approx([1.462117, -0.806824], abs=5e-7)
    assert values(found["down"]) == pytest.approx([0.655293, -0.806824], abs=5e-7)


def test_lines_can_be_followed_with_a_pencil() -> None:
    """Row times column with its numbers, the activation's own formula, the product of two entries."""
    found = steps(told(EXAMPLE))
    assert pages(found["up"])[1] == "u₂ = x₁ · Wu₁,₂ + x₂ · Wu₂,₂ = 1 × 0 + (-1) × (-3) = 3"
    assert pages(found["activation"])[0] == "h₁ = a₁ / (1 + exp(-a₁)) = 1 / (1 + exp(-1)) ≈ 0.731059"
    assert pages(found["product"])[1] == "p₂ = h₂ · u₂ ≈ -0.268941 × 3 ≈ -0.806824"
    assert pages(found["down"])[0].endswith("≈ 1.462117 × 1 + (-0.806824) × 1 ≈ 0.655293")


def test_result_is_the_data_of_the_interface() -> None:
    """The keys that scripts read."""
    result = told(EXAMPLE).result
    assert result["activation"] == "silu"
    assert result["rows"] == [
        {
            "x": [1, -1],
            "gate": [1, -1],
            "up": [2, 3],
            "activated": pytest.approx([0.7310585786300049, -0.2689414213699951], rel=1e-15),
            "product": pytest.approx([1.4621171572600098, -0.8068242641099853], rel=1e-15),
            "output": pytest.approx([0.6552928931500245, -0.8068242641099853], rel=1e-15),
        }
    ]


def test_without_down_projection_the_product_is_the_output() -> None:
    """Said among what is assumed; no step projects."""
    derivation = told(replace(EXAMPLE, wd=None))
    assert "down" not in steps(derivation)
    assert [note.key for note in derivation.assumed] == ["swiglu.no-bias", "swiglu.no-down"]
    assert derivation.answer[0].value == pytest.approx((1.462117, -0.806824), abs=5e-7)


def test_biases_stand_in_the_sums() -> None:
    """1·1 + (−1)·0 + 0.5 = 1.5, and the same after the down projection."""
    derivation = told(replace(EXAMPLE, bg=(0.5, 0.0), bu=(0.0, 1.0), bd=(0.25, 0.0), activation="identity"))
    found = steps(derivation)
    assert pages(found["gate"])[0].endswith("+ bg₁ = 1 × 1 + (-1) × 0 + 0.5 = 1.5")
    assert values(found["up"]) == [2, 4]
    assert values(found["down"]) == [3 - 4 + 0.25, -4]
    assert not derivation.assumed


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("silu", "h₁ = a₁ / (1 + exp(-a₁)) = -1 / (1 + exp(-(-1))) ≈ -0.268941"),
        ("relu", "h₁ = ReLU a₁ = ReLU(-1) = 0"),
        ("gelu", "h₁ = (a₁ / 2) · (1 + erf(a₁ / √2)) = (-1 / 2) × (1 + erf(-1 / √2)) ≈ -0.158655"),
        ("sigmoid", "h₁ = 1 / (1 + exp(-a₁)) = 1 / (1 + exp(-(-1))) ≈ 0.268941"),
        ("identity", "h₁ = a₁ = -1"),
        ("quick-gelu", "h₁ = a₁ / (1 + exp(-1.702 · a₁)) = -1 / (1 + exp(-1.702 × (-1))) ≈ -0.154204"),
    ],
)
def test_each_activation_has_its_own_formula(name: str, line: str) -> None:
    """At −1, with values known from tables of these functions."""
    step = steps(told(Ffn(x=((-1.0,),), wg=((1.0,),), wu=((1.0,),), activation=name)))["activation"]
    assert pages(step) == [line]
    assert keys(step) == [f"swiglu.about.{name}"]


def test_gelu_in_its_tanh_form() -> None:
    """At −1: −0.158808, not the −0.158655 of the other form."""
    step = steps(told(Ffn(x=((-1.0,),), wg=((1.0,),), wu=((1.0,),), activation="gelu-tanh")))["activation"]
    assert "tanh(√(2 / π) × (-1 + 0.044715 × (-1) × (-1) × (-1)))" in pages(step)[0]
    assert values(step) == pytest.approx([-0.158808], abs=5e-7)


def test_every_activation_of_the_core_has_a_formula() -> None:
    assert set(FORMS) == set(ACTIVATIONS)


@pytest.mark.parametrize("name", sorted(FORMS))
@pytest.mark.parametrize("x", [-1e300, -1000.0, -800.0, -40.0, -1e-300, 0.0, 1e-300, 40.0, 800.0, 1e150])
def test_formulas_hold_far_out(name: str, x: float) -> None:
    """No overflow and no NaN: the formula's value is the core's, to the size of x times rounding."""
    expected = ACTIVATIONS[name](x)
    tolerance = 1e-15 * abs(x) if name.startswith("gelu") and abs(x) < 50 else 0.0
    assert FORMS[name](Constant(x)).evaluate() == pytest.approx(expected, rel=1e-12, abs=tolerance)


@pytest.mark.parametrize(("given_slope", "letter"), [({"beta": 2.0}, "β"), ({"alpha": 1.702}, "α")])
def test_slopes(given_slope: dict[str, float], letter: str) -> None:
    """Swish with its slope inside the exponent, under the letter that was typed."""
    step = steps(told(replace(EXAMPLE, **given_slope)))["activation"]  # type: ignore[arg-type]
    assert f"exp(-{letter} · a₁)" in pages(step)[0]
    assert step.title.facts["activation"].key == "swiglu.activation.swish"  # type: ignore[union-attr]


def test_clamped_form() -> None:
    """Gate at most 1.5, not limited below; up within ±1.5, then + 1."""
    case = Ffn(
        x=((1.0,),),
        wg=((2.0, -2.0, 1.0),),
        wu=((2.0, -2.0, 1.0),),
        limit=1.5,
        alpha=1.702,
        up_offset=1.0,
    )
    step = steps(told(case))["limit"]
    assert pages(step) == [
        "a′₁ = L = 1.5",
        "a′₂ = a₂ = -2",
        "a′₃ = a₃ = 1",
        "u′₁ = L + 1 = 1.5 + 1 = 2.5",
        "u′₂ = -L + 1 = -1.5 + 1 = -0.5",
        "u′₃ = u₃ + 1 = 1 + 1 = 2",
    ]
    assert keys(step) == ["swiglu.limits", "swiglu.offset"]
    check_lines(told(case))


def test_offset_without_limit() -> None:
    """Only the up branch changes."""
    step = steps(told(replace(EXAMPLE, up_offset=1.0)))["limit"]
    assert values(step) == [3, 4]
    assert keys(step) == ["swiglu.offset"]


@pytest.mark.parametrize("order", ORDERS)
def test_packed_matrix_is_shown_split(order: str) -> None:
    """The two matrices that the core read, and how the columns stood."""
    packed = ((1.0, 2.0, 3.0, 4.0), (5.0, 6.0, 7.0, 8.0))
    case = Ffn(x=((1.0, 1.0),), packed=packed, order=order)
    step = told(case).steps[0]
    apart = unpacked(case)
    assert values(step) == [apart.wg, apart.wu]
    assert keys(step) == [f"swiglu.packed.{order}"]
    assert step.notes[0].facts == {"columns": 4, "half": 2}


@pytest.mark.parametrize(("rows", "key"), [(1, "row-alone"), (2, "rows-alone")])
def test_nothing_crosses_between_tokens(rows: int, key: str) -> None:
    """Always said; what is explained on the first row is not said again on the others."""
    derivation = told(replace(EXAMPLE, x=((1.0, -1.0), (0.0, 0.0))[:rows]))
    assert [note.key for note in derivation.cautions] == [f"swiglu.{key}"]
    assert [note.key for note in notes_of(derivation)].count("swiglu.entrywise") == 1


def test_long_input_is_cut_on_the_page_and_whole_in_the_data() -> None:
    """Eight entries and rows are written, sums of more than eight products are not, the data has all."""
    wide, tall = WRITTEN_OUT + 2, WRITTEN_OUT + 1
    matrix = tuple(tuple((row * column % 5) / 4 for column in range(wide)) for row in range(wide))
    case = Ffn(x=matrix[:1] * tall, wg=matrix, wu=matrix, wd=matrix)
    derivation = told(case)
    check_lines(derivation)
    found = steps(derivation)
    assert all(line.formula is None for line in found["gate"].lines)
    assert len(found["activation"].lines) == WRITTEN_OUT
    assert found["activation"].lines[0].formula is not None
    assert {note.facts["count"] for note in notes_of(derivation) if note.key.endswith("more")} == {1, 2}
    data = derivation.result["rows"]
    assert isinstance(data, list)
    assert len(data) == tall
    assert len(data[0]["output"]) == wide  # type: ignore[index,call-overload,arg-type]


def test_large_matrices_are_not_repeated_among_the_givens() -> None:
    """Their shape is."""
    weights = ((0.0,) * (MOST_GIVEN + 1),)
    case = Ffn(x=((1.0,),), wg=weights, wu=weights)
    assert told(case).given["wg"] == {"shape": [1, MOST_GIVEN + 1]}


@settings(max_examples=50, deadline=None)
@given(
    st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 2)).flatmap(
        lambda sizes: st.lists(
            NUMBERS,
            min_size=sizes[0] * (3 * sizes[1] + sizes[2]),
            max_size=sizes[0] * (3 * sizes[1] + sizes[2]),
        ).map(lambda numbers: (sizes, numbers))
    ),
    st.sampled_from(sorted(ACTIVATIONS)),
    st.none() | st.floats(0, 10).map(lambda value: round(value, 2)),
    st.sampled_from([0.0, 1.0]),
)
def test_every_line_makes_its_value(
    drawn: tuple[tuple[int, int, int], list[float]], activation: str, limit: float | None, offset: float
) -> None:
    """For any weights, shapes, activation, limit and offset."""
    (width, hidden, rows), numbers = drawn

    def matrix(height: int, breadth: int) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(numbers.pop() for _ in range(breadth)) for _ in range(height))

    case = Ffn(
        x=matrix(rows, width),
        wg=matrix(width, hidden),
        wu=matrix(width, hidden),
        wd=matrix(hidden, width),
        activation=activation,
        limit=limit,
        up_offset=offset,
        bg=tuple(float(place) for place in range(hidden)),
    )
    check_lines(told(case))
