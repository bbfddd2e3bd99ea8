"""Written formulas: what a reader sees, and that it means what the tree computes."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense_cli.derivation import Line, Note
from dense_cli.expression import (
    COS,
    EXP,
    SIN,
    Call,
    Constant,
    Expression,
    Negative,
    Power,
    Product,
    Quotient,
    Root,
    Sum,
    Symbol,
)
from dense_cli.lang import say_in
from dense_cli.numerals import PiMultiple
from dense_cli.render.html_notation import Html
from dense_cli.render.latex_notation import Latex, Markdown
from dense_cli.render.notation import STATES, Text

TEXT, LATEX = Text(say_in("en"), 6), Latex(say_in("en"), 6)

A, B, X = Symbol("a", "a"), Symbol("b", "b"), Symbol("x", "x").at(1)
PHI = Symbol("φ", r"\varphi")
TWO = Constant(2)
NEGATIVE = Symbol("n", "n").bound(-3)
HALF_TURN = Symbol("t", "t").bound(PiMultiple(Fraction(1, 2)))
SMALL = Symbol("s", "s").bound(2.5e-7)

WRITTEN: list[tuple[Expression, str, str]] = [
    (Sum((A, Negative(B))), "a - b", "a - b"),
    (Sum((Negative(A), B)), "-a + b", "-a + b"),
    (Sum((A, Negative(Sum((A, B))))), "a - (a + b)", "a - (a + b)"),
    (Sum((A, Sum((Negative(B), X)))), "a + (-b + x₁)", "a + (-b + x_{1})"),
    (Sum((A, NEGATIVE)), "a + (-3)", "a + (-3)"),
    (Sum((A, Negative(NEGATIVE))), "a - (-3)", "a - (-3)"),
    (Sum((A, Product((NEGATIVE, B)))), "a + (-3) × b", r"a + (-3) \times b"),
    (Sum((A, Negative(Product((NEGATIVE, B))))), "a - (-3) × b", r"a - (-3) \times b"),
    (Sum((Product((NEGATIVE, B)), A)), "-3 × b + a", r"-3 \times b + a"),
    (Sum((A, Quotient(NEGATIVE, B))), "a + (-3) / b", r"a + \frac{-3}{b}"),
    (Product((A, Power(Sum((NEGATIVE, B)), TWO))), "a × (-3 + b)²", r"a \times (-3 + b)^{2}"),
    (Product((A, Power(Product((NEGATIVE, B)), TWO))), "a × (-3 × b)²", r"a \times (-3 \times b)^{2}"),
    (Sum((A, Quotient(Product((NEGATIVE, B)), X))), "a + (-3) × b / x₁", r"a + \frac{-3 \times b}{x_{1}}"),
    (Negative(NEGATIVE), "-(-3)", "-(-3)"),
    (Negative(Sum((A, B))), "-(a + b)", "-(a + b)"),
    (Product((A, Sum((A, B)))), "a × (a + b)", r"a \times (a + b)"),
    (Product((NEGATIVE, A, NEGATIVE)), "-3 × a × (-3)", r"-3 \times a \times (-3)"),
    (Product((Negative(A), B)), "-a × b", r"-a \times b"),
    (Product((A, Negative(B))), "a × (-b)", r"a \times (-b)"),
    (Product((Quotient(A, B), X)), "(a / b) × x₁", r"\frac{a}{b} \times x_{1}"),
    (Product((X, Quotient(A, B))), "x₁ × a / b", r"x_{1} \times \frac{a}{b}"),
    (Quotient(A, Product((A, B))), "a / (a × b)", r"\frac{a}{a \times b}"),
    (Quotient(Sum((A, B)), B), "(a + b) / b", r"\frac{a + b}{b}"),
    (Quotient(Quotient(A, B), X), "(a / b) / x₁", r"\frac{\frac{a}{b}}{x_{1}}"),
    (Quotient(A, Quotient(B, X)), "a / (b / x₁)", r"\frac{a}{\frac{b}{x_{1}}}"),
    (Quotient(NEGATIVE, NEGATIVE), "-3 / (-3)", r"\frac{-3}{-3}"),
    (Quotient(A, HALF_TURN), "a / (π/2)", r"\frac{a}{\frac{\pi}{2}}"),
    (Power(NEGATIVE, TWO), "(-3)²", "(-3)^{2}"),
    (Power(Sum((A, B)), TWO), "(a + b)²", "(a + b)^{2}"),
    (Power(Power(A, B), TWO), "(a^b)²", "{(a^{b})}^{2}"),
    (Power(A, Negative(Quotient(TWO, B))), "a^(-2 / b)", r"a^{-\frac{2}{b}}"),
    (Power(HALF_TURN, TWO), "(π/2)²", r"\left(\frac{\pi}{2}\right)^{2}"),
    (Power(SMALL, TWO), "(2.5e-7)²", r"{(2.5 \times 10^{-7})}^{2}"),
    (Negative(Power(NEGATIVE, TWO)), "-(-3)²", "-(-3)^{2}"),
    (Power(Call(COS, PHI), TWO), "(cos φ)²", r"(\cos \varphi)^{2}"),
    (Power(Root(A), TWO), "(√a)²", r"\left(\sqrt{a}\right)^{2}"),
    (Root(Sum((A, B))), "√(a + b)", r"\sqrt{a + b}"),
    (Root(Power(A, TWO)), "√(a²)", r"\sqrt{a^{2}}"),
    (Root(HALF_TURN), "√(π/2)", r"\sqrt{\frac{\pi}{2}}"),
    (Call(COS, PHI), "cos φ", r"\cos \varphi"),
    (Call(COS, HALF_TURN), "cos(π/2)", r"\cos\left(\frac{\pi}{2}\right)"),
    (Call(EXP, Negative(A)), "exp(-a)", r"\exp(-a)"),
    (Product((A, Call(COS, PHI))), "a × cos φ", r"a \times \cos \varphi"),
    (Product((Call(COS, PHI), A)), "cos(φ) × a", r"\cos(\varphi) \times a"),
    (Quotient(Call(COS, PHI), A), "cos(φ) / a", r"\frac{\cos(\varphi)}{a}"),
    (Sum((Constant(1), Call(EXP, NEGATIVE))), "1 + exp(-3)", r"1 + \exp(-3)"),
]


@pytest.mark.parametrize(("expression", "text", "latex"), WRITTEN, ids=[text for _, text, _ in WRITTEN])
def test_parentheses_stand_where_a_textbook_has_them(expression: Expression, text: str, latex: str) -> None:
    assert TEXT.numbers(expression).text == text
    assert LATEX.numbers(expression).text == latex


def test_factors_are_joined_by_a_dot_between_symbols_and_by_a_cross_between_numbers() -> None:
    expression = Product((A.bound(2), B.bound(3)))
    assert (TEXT.symbols(expression), TEXT.numbers(expression).text) == ("a · b", "2 × 3")
    assert LATEX.symbols(expression) == r"a \cdot b"


def test_a_sum_or_product_of_one_part_is_that_part() -> None:
    assert TEXT.numbers(Power(Product((HALF_TURN,)), TWO)).text == "(π/2)²"
    assert TEXT.numbers(Sum((A, Sum((Negative(B),))))).text == "a - b"


@pytest.mark.parametrize(
    ("symbol", "text", "latex", "html"),
    [
        (X, "x₁", "x_{1}", "<i>x</i><sub>1</sub>"),
        (Symbol("q′", "q'").at(12), "q′₁₂", "q'_{12}", "<i>q′</i><sub>12</sub>"),
        (Symbol("W", "W").at("d"), "W_d", "W_{d}", "<i>W</i><sub>d</sub>"),
        (Symbol("W", "W_d").at(1, 2), "W₁,₂", "{W_d}_{1,2}", "<i>W</i><sub>1,2</sub>"),
        (Symbol("rms", r"\operatorname{rms}"), "rms", r"\operatorname{rms}", "rms"),
    ],
)
def test_names_carry_their_indices(symbol: Symbol, text: str, latex: str, html: str) -> None:
    assert (TEXT.name(symbol), LATEX.name(symbol)) == (text, latex)
    assert Html(say_in("en")).name(symbol) == html


# --- what is written is what is computed


def trees() -> st.SearchStrategy[Expression]:
    numbers = st.one_of(
        st.integers(-12, 12),
        st.integers(-300, 300).map(lambda hundredths: hundredths / 100),
        st.sampled_from([1e-5, -2.5e-7, 3e16, PiMultiple(Fraction(1, 2)), PiMultiple(Fraction(-2, 3))]),
    )
    leaves = st.one_of(numbers.map(Constant), numbers.map(lambda number: Symbol("x", "x").bound(number)))
    exponents = st.sampled_from([Constant(2), Constant(3), Constant(-1), Negative(Constant(2))])

    def larger(part: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        some = st.lists(part, min_size=1, max_size=3).map(tuple)
        return st.one_of(
            some.map(Sum),
            some.map(Product),
            part.map(Negative),
            st.tuples(part, part).map(lambda both: Quotient(*both)),
            st.tuples(part, exponents).map(lambda both: Power(*both)),
            part.map(lambda inner: Root(Power(inner, Constant(2)))),
            st.tuples(st.sampled_from([COS, SIN]), part).map(lambda both: Call(*both)),
        )

    return st.recursive(leaves, larger, max_leaves=9)


def scale_of(node: Expression) -> float:
    """The largest magnitude anywhere in a tree: rounding below is measured against it."""
    parts = [
        getattr(node, name) for name in ("part", "top", "bottom", "base", "exponent") if hasattr(node, name)
    ]
    parts += [*getattr(node, "terms", ()), *getattr(node, "factors", ())]
    return max([abs(node.evaluate()), *map(scale_of, parts)])


def read_text(written: str) -> float:
    """The value of a formula in text, by Python's own precedence; functions take the next atom."""
    python = written.replace("²", "**2").replace("³", "**3").replace("^", "**").replace("×", "*")
    python = re.sub(r"(\d*)π", lambda found: f"{found[1] or 1}*pi", python)
    python = re.sub(r"(?:√|sin |cos )+[\w.]+", applied, python)
    python = re.sub(r"√", "sqrt", python)
    names = {"sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "pi": math.pi, "__builtins__": {}}
    return float(eval(python, names))


def applied(found: re.Match[str]) -> str:
    """`cos 2` and `√2` as calls."""
    *functions, atom = re.findall(r"√|sin |cos |[\w.].*", found[0])
    names = ["sqrt" if function == "√" else function.strip() for function in functions]
    return "".join(f"{name}(" for name in names) + atom + ")" * len(names)


def read_latex(written: str) -> float:
    """The value of a formula in LaTeX: fractions and roots take their braces, functions the next atom."""
    python = written.replace(r"\left(", "(").replace(r"\right)", ")").replace(r"\times", "*")
    while r"\frac" in python:
        python = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", unbraced(python), count=1)
    python = re.sub(r"(\d*)\\pi", lambda found: f"{found[1] or 1}*pi", unbraced(python))
    python = re.sub(r"\\(cos|sin)", r"\1", python)
    python = re.sub(r"(?:sin |cos )+[\w.]+", applied, python)
    names = {"sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "pi": math.pi, "__builtins__": {}}
    return float(eval(python, names))


def unbraced(latex: str) -> str:
    """Roots and exponents whose braces hold no other braces, as Python writes them."""
    before = None
    while before != latex:
        before = latex
        latex = re.sub(r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)", latex)
        latex = re.sub(r"\^\{([^{}]*)\}", r"**(\1)", latex)
        latex = re.sub(r"(?<![\w}])\{(\([^{}]*\))\}", r"\1", latex)
    return latex


def defined(tree: Expression) -> float | None:
    try:
        value = tree.evaluate()
        scale = scale_of(tree)
    except (ZeroDivisionError, OverflowError, ValueError):
        return None
    return value if math.isfinite(value) and scale < 1e6 and smallest_divisor(tree) > 1e-6 else None


def smallest_divisor(node: Expression) -> float:
    """Division by what rounding left over says nothing about parentheses."""
    parts = [
        getattr(node, name) for name in ("part", "top", "bottom", "base", "exponent") if hasattr(node, name)
    ]
    parts += [*getattr(node, "terms", ()), *getattr(node, "factors", ())]
    own = [abs(getattr(node, name).evaluate()) for name in ("bottom", "base") if hasattr(node, name)]
    return min([math.inf, *own, *map(smallest_divisor, parts)])


@settings(max_examples=300, deadline=None)
@given(trees())
def test_a_formula_read_back_has_the_value_that_the_tree_computes(tree: Expression) -> None:
    """In plain text and in LaTeX, whatever the signs, fractions and powers in it."""
    value = defined(tree)
    if value is None:
        return
    tolerance = 1e-7 * max(scale_of(tree), 1.0) ** 2
    assert read_text(Text(say_in("en"), 17).numbers(tree).text) == pytest.approx(value, abs=tolerance)
    assert read_latex(Latex(say_in("en"), 17).numbers(tree).text) == pytest.approx(value, abs=tolerance)


# --- lines


def links(line: Line) -> str:
    symbol, chain = TEXT.chain(line)
    return symbol + "".join(f" {sign} {text}" for sign, text in chain)


def test_equals_stands_only_where_every_number_shown_is_exact() -> None:
    third = Symbol("t", "t").bound(1 / 3, Fraction(1, 3))
    assert links(Line(A, Product((third, Constant(3))), 1.0)) == "a = t · 3 ≈ 0.333333 × 3 ≈ 1"
    assert links(Line(A, Root(Constant(2)), math.sqrt(2))) == "a = √2 ≈ 1.414214"
    assert links(Line(A, Root(Constant(2)), 1.5)) == "a = √2 ≈ 1.5"
    assert links(Line(A, Quotient(Constant(1), Constant(4)), 0.25)) == "a = 1 / 4 = 0.25"
    assert links(Line(A, None, (0.5, 1 / 3))) == "a ≈ [0.5, 0.333333]"


def test_what_was_said_is_not_said_again() -> None:
    assert links(Line(A, B.bound(2), 2.0)) == "a = b = 2"
    assert links(Line(A, Product((TWO, Constant(3))), 6)) == "a = 2 × 3 = 6"
    assert links(Line(A, A.bound(2), 2.0)) == "a = 2"


def test_a_missing_value_is_told_in_words() -> None:
    chain = TEXT.chain(Line(A, Quotient(B.bound(0), X.bound(0)), None))
    assert chain.links[-1] == (STATES, "undefined")
    assert TEXT.chain(Line(Note("common.result"), None, True)) == ("Result", ((STATES, "yes"),))


def test_facts_of_a_sentence_are_written_for_its_place() -> None:
    """Words are escaped, formulas stand between dollars, and a user's text can be neither."""
    note = Note("common.compared.error", {"error": ((1.0, 2.0), (0.0, -0.5))})
    assert TEXT.sentence(note) == "Largest difference: [[1, 2], [0, -0.5]]"
    assert LATEX.sentence(note) == r"Largest difference: $\begin{bmatrix}1 & 2 \\ 0 & -0.5\end{bmatrix}$"
    typed = Note("common.compared.error", {"error": "$a_b|"})
    assert LATEX.sentence(typed) == r"Largest difference: \$a\_b\textbar{}"
    assert Markdown(say_in("en")).sentence(typed) == r"Largest difference: &#36;a\_b&#124;"


def test_a_wide_or_deep_matrix_is_written_in_its_rows() -> None:
    """LaTeX draws ten columns at most, and nothing of three dimensions."""
    assert r"\begin" not in LATEX.value((tuple(range(11)), tuple(range(11)))).text
    deep = LATEX.value((((1, 2), (3, 4)), ((5, 6), (7, 8)))).text
    assert deep.count(r"\begin{bmatrix}") == 2
    assert deep.startswith("[")
