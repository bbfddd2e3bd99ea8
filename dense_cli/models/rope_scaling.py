"""Frequencies of every RoPE type, in float64: the angle per position of each pair, and the factor on cos and
sin.

Each function takes the exponent width r (the pairs' exponents are 2i/r), the base, and what its type needs;
it checks nothing. The rules are those of the papers, with the roundings that model code has made part of the
models.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Thetas = tuple[float, ...]


def unscaled(base: float, width: int, pairs: int | None = None) -> Thetas:
    """base^(-2i/width) for each pair (Su et al., RoFormer, equation 15).

    >>> unscaled(10000.0, 4)
    (1.0, 0.01)
    """
    number = (width + 1) // 2 if pairs is None else pairs
    return tuple(base ** (-2 * i / width) for i in range(number))


def linear(thetas: Thetas, factor: float) -> Thetas:
    """Position interpolation (Chen et al. 2023): every angle divided by one factor."""
    return tuple(theta / factor for theta in thetas)


def dynamic_base(base: float, width: int, factor: float, length: int, trained: int) -> float:
    """The base of NTK-aware scaling that grows with the sequence; never below `base`.

    base · (factor · L / trained − (factor − 1))^(r / (r − 2)) with L the longer of `length` and `trained`.

    >>> round(dynamic_base(10000.0, 128, 2.0, 4096, 2048), 4)
    30527.7367
    """
    longest = max(length, trained)
    if longest == trained:
        return base
    growth = factor * longest / trained - (factor - 1)
    return float(base * growth ** (width / (width - 2)))


def yarn_range(
    base: float, width: int, trained: float, fast: float, slow: float, truncate: bool
) -> tuple[float, float]:
    """Between which pair indices YaRN blends (Peng et al. 2023, section 3.2): pairs that turn more than
    `fast` times over the trained length keep their angle, those that turn less than `slow` times are
    divided.

    Model code rounds outwards if `truncate`, and clamps to [0, r − 1] although there are only r / 2 pairs.
    """

    def pair_with(turns: float) -> float:
        return width * math.log(trained / (turns * 2 * math.pi)) / (2 * math.log(base))

    low, high = pair_with(fast), pair_with(slow)
    if truncate:
        low, high = float(math.floor(low)), float(math.ceil(high))
    return max(low, 0.0), min(high, float(width - 1))


def yarn(thetas: Thetas, factor: float, low: float, high: float) -> Thetas:
    """Blend from kept (below `low`) to divided by `factor` (above `high`)."""
    if low == high:
        high += 0.001  # as model code: a ramp needs a width
    blended = []
    for i, theta in enumerate(thetas):
        ramp = min(max((i - low) / (high - low), 0.0), 1.0)
        blended.append(theta / factor * ramp + theta * (1.0 - ramp))
    return tuple(blended)


def yarn_attention_factor(factor: float, mscale: float | None, mscale_all_dim: float | None) -> float:
    """0.1 · ln(factor) + 1, or the ratio of two such where both scales are given and not 0; 1 where nothing
    is stretched.

    >>> round(yarn_attention_factor(4.0, None, None), 6)
    1.138629
    """

    def scale(weight: float) -> float:
        return 1.0 if factor <= 1 else 0.1 * weight * math.log(factor) + 1.0

    if mscale and mscale_all_dim:
        return scale(mscale) / scale(mscale_all_dim)
    return scale(1.0)


def longrope(thetas: Thetas, factors: Sequence[float]) -> Thetas:
    """LongRoPE (Ding et al. 2024): every pair divided by a factor of its own."""
    return tuple(theta / factor for theta, factor in zip(thetas, factors, strict=True))


def longrope_attention_factor(factor: float, trained: float) -> float:
    """√(1 + ln(factor) / ln(trained length)); 1 where nothing is stretched."""
    return 1.0 if factor <= 1 else math.sqrt(1 + math.log(factor) / math.log(trained))


def llama3(thetas: Thetas, factor: float, low: float, high: float, trained: float) -> Thetas:
    """Llama 3.1: short waves kept, long ones divided, those between blended by how often they fit the trained
    length.

    A wave is 2π/theta positions; short is below trained / `high`, long above trained / `low`.
    """
    return tuple(_llama3(theta, factor, low, high, trained) for theta in thetas)


def llama3_band(theta: float, low: float, high: float, trained: float) -> str:
    """In which of the three bands a pair is: "keep", "blend" or "divide"."""
    wave = 2 * math.pi / theta
    if wave < trained / high:
        return "keep"
    return "divide" if wave > trained / low else "blend"


def _llama3(theta: float, factor: float, low: float, high: float, trained: float) -> float:
    band = llama3_band(theta, low, high, trained)
    if band == "keep":
        return theta
    if band == "divide":
        return theta / factor
    smooth = (trained / (2 * math.pi / theta) - low) / (high - low)
    return (1 - smooth) * theta / factor + smooth * theta


def proportional(base: float, head_dim: int, partial: float, factor: float) -> Thetas:
    """Exponents over the whole head, and the pairs beyond the partial factor stand still.

    >>> proportional(10000.0, 8, 0.5, 1.0)
    (1.0, 0.1, 0.0, 0.0)
    """
    turning = int(partial * head_dim // 2)
    still = head_dim // 2 - turning
    return tuple(theta / factor for theta in unscaled(base, head_dim, turning)) + (0.0,) * still
