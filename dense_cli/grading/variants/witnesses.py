"""A second witness for computed answers: laws that right results obey, worked from the given text alone.

A variant has no answer written by hand. What these laws use is short and shares no code with `core`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import exp, isclose
from typing import Any

Law = Callable[[Mapping[str, str], Any], bool]
"""From the given text and the core's result to whether they belong together."""


def _row(text: str) -> list[float]:
    return [float(Fraction(part.strip())) for part in text.split(",")]


def _matrix(text: str) -> list[list[float]]:
    return [_row(part) for part in text.split(":")]


def _near(value: float, other: float) -> bool:
    return isclose(value, other, rel_tol=1e-9, abs_tol=1e-9)


def _length(row: Sequence[float]) -> float:
    return sum(entry * entry for entry in row)


def rotation_keeps_lengths(given: Mapping[str, str], row: Any) -> bool:
    """Rotated rows are as long as before, their product depends on the offset, and later keys are hidden."""
    query, key = (int(part) for part in given["positions"].split(","))
    return (
        _near(_length(row.query), _length(_row(given["query"])))
        and _near(_length(row.key), _length(_row(given["key"])))
        and _near(row.dot, row.relative_dot)
        and row.visible == (key <= query)
    )


def mean_square_is_one(given: Mapping[str, str], row: Any) -> bool:
    """The mean square of a normalized row is 1, but for what epsilon adds below."""
    shift, eps = (Fraction(given.get(name, "0")) for name in ("shift", "eps"))
    x = [Fraction(part.strip()) + shift for part in given["x"].split(",")]
    mean_square = sum(entry * entry for entry in x) / len(x)
    ratios = (value * row.denominator for value in row.normalized)
    return _near(_length(row.normalized) / len(x), float(mean_square / (mean_square + eps))) and all(
        _near(ratio, float(entry)) for ratio, entry in zip(ratios, x, strict=True)
    )


def mean_is_zero(given: Mapping[str, str], row: Any) -> bool:
    """A layer-normalized row has mean 0 and, without epsilon, mean square 1."""
    count = len(row.normalized)
    without_eps = not Fraction(given.get("eps", "0"))
    return _near(sum(row.normalized), 0) and (not without_eps or _near(_length(row.normalized) / count, 1))


def gate_by_exponentials(given: Mapping[str, str], row: Any) -> bool:
    """The network again in plain sums, with a / (1 + e^(−a)) for the gate."""
    if given.get("activation", "silu") != "silu":
        return True
    x = _row(given["x"])
    gate, up = (_through(x, _matrix(given[name])) for name in ("wg", "wu"))
    product = [a / (1 + exp(-a)) * u for a, u in zip(gate, up, strict=True)]
    output = _through(product, _matrix(given["wd"]))
    return all(_near(a, b) for a, b in zip(output, row.output, strict=True))


def _through(x: Sequence[float], matrix: Sequence[Sequence[float]]) -> list[float]:
    columns = zip(*matrix, strict=True)
    return [sum(entry * weight for entry, weight in zip(x, column, strict=True)) for column in columns]


def counts_are_equal(given: Mapping[str, str], answer: Any) -> bool:
    """2CF = 3CF′, and half as much again where F is kept."""
    width, hidden = int(given["width"]), int(given["hidden"])
    return (
        answer.relu == 2 * width * hidden
        and 3 * answer.hidden == 2 * hidden
        and answer.swiglu in (None, answer.relu)
        and answer.growth == Fraction(1, 2)
    )


LAWS: Mapping[str, Law] = {
    "rope": rotation_keeps_lengths,
    "rmsnorm": mean_square_is_one,
    "layernorm": mean_is_zero,
    "swiglu": gate_by_exponentials,
    "budget": counts_are_equal,
}
