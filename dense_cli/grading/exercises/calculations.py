"""The calculations that exercises name: from given text to the core's input, to named quantities.

A calculation's input is the core's own frozen value, so the catalogue of mistakes applies to an
exercise as it does to a command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dense_cli.core import Matrix, Row
from dense_cli.core.angles import Rate
from dense_cli.core.ffn import Ffn, ffn
from dense_cli.core.norms import Norm, layer_norm, norm, shifted
from dense_cli.core.rope import QUARTER_TURN, Rope, rope
from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass, replace
from dense_cli.mistakes.agreement import agreement
from dense_cli.mistakes.params import BudgetQuestion, budget_answer
from dense_cli.reading.angles import angles
from dense_cli.reading.numbers import number, whole
from dense_cli.reading.vectors import matrix, vector

Given = Mapping[str, str]
"""An exercise's numbers by name, as text."""

Vector = tuple[Fraction | float, ...]

Answer = Vector | Fraction | float | int | bool | str
"""What an answer can be; text is the id of a choice."""

SAME = 1e-9
"""Two results nearer than this are one result with rounding."""

TEXTS = 64
"""Given texts that are kept with their numbers: each is read for the right answer and for many wrong ones."""


@dataclass(frozen=True, slots=True)
class Calculation:
    """How an exercise's numbers become answers.

    `read` turns given text into the core's input, `compute` runs it; a quantity is a function of the given
    text, the core's input and what came out. `topic` is the catalogue of mistakes that applies, `keys` the
    given names; `refusing` are the quantities that may refuse where the calculation did not.
    """

    topic: str
    keys: frozenset[str]
    read: Callable[[Given], Any]
    compute: Callable[[Any], Any]
    quantities: Mapping[str, Callable[[Given, Any, Any], Answer]]
    refusing: frozenset[str] = frozenset()


@lru_cache(maxsize=TEXTS)
def _row(text: str) -> Row:
    return tuple(float(entry) for entry in vector(text))


@lru_cache(maxsize=TEXTS)
def _matrix(text: str) -> Matrix:
    return tuple(tuple(float(entry) for entry in row) for row in matrix(text))


def _rope(given: Given) -> Rope:
    query, key = _row(given["query"]), _row(given["key"])
    positions = [whole(part) for part in given["positions"].split(",")]
    if len(positions) != 2:
        raise DenseError("two-positions", typed=given["positions"], count=len(positions))
    rates = _rates(given["angle"]) if "angle" in given else (QUARTER_TURN,)
    rates = rates * (len(query) // 2) if len(rates) == 1 else rates
    return Rope(query, key, ((positions[0], positions[1]),), rates, rotary_dim=len(query))


def _rates(text: str) -> tuple[Rate, ...]:
    """The angle per position of each pair, or one for all of them."""
    return tuple(
        Rate.turns(Fraction(amount)) if unit == "turn" else Rate.radians(amount)
        for unit, amount in angles(text)
    )


def _norm(given: Given) -> Norm:
    x = _matrix(given["x"])
    shift = float(number(given.get("shift", "0")))
    gain = _row(given["gain"]) if "gain" in given else None
    return Norm(shifted(x, shift) if shift else x, gain=gain, eps=float(number(given.get("eps", "0"))))


def _ffn(given: Given) -> Ffn:
    return Ffn(
        x=_matrix(given["x"]),
        wg=_matrix(given["wg"]),
        wu=_matrix(given["wu"]),
        wd=_matrix(given["wd"]),
        activation=given.get("activation", "silu"),
    )


def _zero_row(_: Given, asked: Norm, __: Any) -> str:
    """What becomes of a row of zeros under the settings asked about."""
    try:
        (row,) = norm(Norm(((0.0,) * len(asked.x[0]),), gain=asked.gain, eps=asked.eps))
    except DenseError as error:
        if error.key == "zero-row":
            return "undefined"
        raise
    return "zero" if not any(row.output) else "one"


def _unchanged_by_shift(given: Given, asked: Norm, shifted_row: Any) -> bool:
    """Whether the row has the same result before and after the shift that was asked about."""
    (row,) = norm(replace(asked, x=_matrix(given["x"])))
    return bool(agreement(shifted_row.output, row.output, SAME) is not None)


def _reads_another_token(_: Given, asked: Ffn, alone: Any) -> bool:
    """Whether a row's output depends on which row stands beside it."""
    stranger = tuple(1.0 - coordinate for coordinate in asked.x[0])
    beside = ffn(replace(asked, x=(*asked.x, stranger)))[0]
    return bool(beside.output != alone.output)


CALCULATIONS: Mapping[str, Calculation] = {
    "rope": Calculation(
        topic="rope",
        keys=frozenset({"query", "key", "positions", "angle"}),
        read=_rope,
        compute=lambda given: rope(given)[0],
        quantities={
            "query": lambda _, __, row: row.query,
            "key": lambda _, __, row: row.key,
            "dot": lambda _, __, row: row.dot,
            "score": lambda _, __, row: row.scaled_score,
            "visible": lambda _, __, row: row.visible,
        },
    ),
    "rmsnorm": Calculation(
        topic="rmsnorm",
        keys=frozenset({"x", "shift", "gain", "eps"}),
        read=_norm,
        compute=lambda given: norm(given)[0],
        quantities={
            "output": lambda _, __, row: row.output,
            "denominator": lambda _, __, row: row.denominator,
            "mean-square": lambda _, __, row: row.mean_square,
            "zero-row": _zero_row,
            "same": _unchanged_by_shift,
        },
        refusing=frozenset({"same"}),
    ),
    "layernorm": Calculation(
        topic="rmsnorm",
        keys=frozenset({"x", "shift", "gain", "eps"}),
        read=_norm,
        compute=lambda given: layer_norm(given)[0],
        quantities={"output": lambda _, __, row: row.output, "mean": lambda _, __, row: row.mean},
    ),
    "swiglu": Calculation(
        topic="swiglu",
        keys=frozenset({"x", "wg", "wu", "wd", "activation"}),
        read=_ffn,
        compute=lambda given: ffn(given)[0],
        quantities={
            "output": lambda _, __, row: row.output,
            "product": lambda _, __, row: row.product,
            "cross-token": _reads_another_token,
        },
    ),
    "budget": Calculation(
        topic="params",
        keys=frozenset({"width", "hidden"}),
        read=lambda given: BudgetQuestion(whole(given["width"]), whole(given["hidden"])),
        compute=budget_answer,
        quantities={
            "hidden": lambda _, __, answer: answer.hidden,
            "plain": lambda _, __, answer: answer.relu,
            "gated": lambda _, __, answer: answer.swiglu,
            "growth": lambda _, __, answer: answer.growth,
        },
    ),
}
