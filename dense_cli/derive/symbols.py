"""Every symbol of every derivation once, in text and in LaTeX.

Indices in derivations count from 1, as on paper.
"""

from __future__ import annotations

import math

from dense_cli.expression import Symbol

# --- rope: begin

QUERY = Symbol("q", "q")
KEY = Symbol("k", "k")
TURNED_QUERY = Symbol("q′", "q'")
TURNED_KEY = Symbol("k′", "k'")
OFFSET_KEY = Symbol("u", "u")
"""The key turned by the offset n − m alone."""

QUERY_POSITION = Symbol("m", "m")
KEY_POSITION = Symbol("n", "n")
OFFSET = Symbol("n - m", "n - m")
THETA = Symbol("θ", r"\theta")
BASE = Symbol("B", "B")
ROTARY_WIDTH = Symbol("r", "r")
PAIR = Symbol("i", "i")

QUERY_ANGLE = Symbol("α", r"\alpha")
KEY_ANGLE = Symbol("β", r"\beta")
OFFSET_ANGLE = Symbol("γ", r"\gamma")

ATTENTION_FACTOR = Symbol("a", "a")
PRODUCT_OF_COORDINATES = Symbol("p", "p")
OTHER_PRODUCTS = Symbol("P", "P")
OTHER_OFFSET_PRODUCTS = Symbol("U", "U")
DOT = Symbol("q′·k′", r"q' \cdot k'")
RELATIVE_DOT = Symbol("q·u", r"q \cdot u")
WIDTH = Symbol("d", "d")
UNSCALED_THETA = Symbol("θ⁰", r"\theta^{0}")
PI = Symbol("π", r"\pi").bound(math.pi)
WAVELENGTH = Symbol("λ", r"\lambda")
SCORE = Symbol("s", "s")


def cosine_of(angle: Symbol) -> Symbol:
    """The cosine of a named angle, as a name of its own: a line shows its number, not the function."""
    return Symbol(f"cos {angle.text}", rf"\cos {angle.latex}", angle.indices)


def sine_of(angle: Symbol) -> Symbol:
    """The sine of a named angle, likewise."""
    return Symbol(f"sin {angle.text}", rf"\sin {angle.latex}", angle.indices)


# --- rope: end

# --- rmsnorm, swiglu, params: begin

X = Symbol("x", "x")
Y = Symbol("y", "y")
COORDINATES = Symbol("C", "C")
"""The width of a token row: how many coordinates it has."""

EPS = Symbol("ε", r"\epsilon")
GAIN = Symbol("g", "g")
MEAN_SQUARE = Symbol("ms", r"\mathrm{ms}")
RMS = Symbol("rms", r"\mathrm{rms}")
SQUARE_SUM = Symbol("Q", "Q")
NORMALIZED = Symbol("n", "n")
POWER_OF_TEN = Symbol("s", "s")
RESCALED = Symbol("u", "u")
RESCALED_EPS = Symbol("ε′", r"\epsilon'")
MEAN = Symbol("μ", r"\mu")
TOTAL = Symbol("T", "T")
DEVIATION = Symbol("d", "d")
VARIANCE = Symbol("var", r"\mathrm{var}")
STD = Symbol("std", r"\mathrm{std}")
LAYERNORM = Symbol("z", "z")

GATE_WEIGHT = Symbol("Wg", "W_g")
UP_WEIGHT = Symbol("Wu", "W_u")
DOWN_WEIGHT = Symbol("Wd", "W_d")
GATE_BIAS = Symbol("bg", "b_g")
UP_BIAS = Symbol("bu", "b_u")
DOWN_BIAS = Symbol("bd", "b_d")
GATE = Symbol("a", "a")
UP = Symbol("u", "u")
GATE_USED = Symbol("a′", "a'")
UP_USED = Symbol("u′", "u'")
ACTIVATED = Symbol("h", "h")
PRODUCT = Symbol("p", "p")
BETA = Symbol("β", r"\beta")
ALPHA = Symbol("α", r"\alpha")
LIMIT = Symbol("L", "L")

HIDDEN = Symbol("F", "F")
MATCHED_HIDDEN = Symbol("F′", "F'")
MULTIPLE = Symbol("M", "M")

LAYERS = Symbol("L", "L")
DENSE_LAYERS = Symbol("Ld", "L_d")
EXPERT_LAYERS = Symbol("Le", "L_e")
HEADS = Symbol("H", "H")
KEY_HEADS = Symbol("K", "K")
HEAD_WIDTH = Symbol("D", "D")
VOCABULARY = Symbol("V", "V")
POSITIONS = Symbol("P", "P")
EMBEDDING_WIDTH = Symbol("W", "W")
EXPERTS = Symbol("E", "E")
EXPERTS_PASSED = Symbol("k", "k")
EXPERT_WIDTH = Symbol("Fe", "F_e")
SHARED_WIDTH = Symbol("Fs", "F_s")
GATES = Symbol("G", "G")
SCALARS = Symbol("S", "S")
QUERY_RANK = Symbol("Rq", "R_q")
KEY_VALUE_RANK = Symbol("Rkv", "R_{kv}")
LATENT_ROW = Symbol("Rt", "R_t")
VALUE_WIDTH = Symbol("Dv", "D_v")
KEY_AND_VALUE_WIDTH = Symbol("Dkv", "D_{kv}")
BYTES = Symbol("B", "B")
CONTEXT = Symbol("N", "N")


def of(statistic: Symbol, row: Symbol) -> Symbol:
    """A statistic of a named row, as ms(u)."""
    return Symbol(f"{statistic.text}({row.text})", rf"{statistic.latex}({row.latex})")


def entrywise(left: Symbol, right: Symbol) -> Symbol:
    """The entrywise product of two rows, h ⊙ u."""
    return Symbol(f"{left.text} ⊙ {right.text}", rf"{left.latex} \odot {right.latex}")


def short_of_one(statistic: Symbol) -> Symbol:
    """How much a statistic lacks to be 1, as 1 - ms(y)."""
    return Symbol(f"1 - {statistic.text}", f"1 - {statistic.latex}")


def squared(coordinate: Symbol) -> Symbol:
    """The square of a coordinate as a name of its own, x₁²: a line shows its number, not its factor."""
    index = ",".join(map(str, coordinate.indices))
    below = index.translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))
    return Symbol(f"{coordinate.text}{below}²", f"{coordinate.latex}_{{{index}}}^{{2}}")


# --- rmsnorm, swiglu, params: end

# --- block: begin

QUERY_WEIGHT = Symbol("Wq", "W_q")
OUTPUT_WEIGHT = Symbol("Wo", "W_o")
FIRST_NORM = Symbol("n", "n")
SECOND_NORM = Symbol("n′", "n'")
VALUE = Symbol("v", "v")
PROBABILITY = Symbol("w", "w")
"""What the softmax makes of a score: how much of a key's value is taken."""

LARGEST_SCORE = Symbol("s max", r"s_{\max}")
MIX = Symbol("z", "z")
"""What one head reads: the values, weighted and added."""

ATTENTION = Symbol("c", "c")
RESIDUAL = Symbol("R", "R")
DOWN = Symbol("f", "f")

# --- block: end

# --- precision: begin

RECIPROCAL = Symbol("r", "r")
"""One over the root mean square: model code multiplies by it."""

# --- precision: end
