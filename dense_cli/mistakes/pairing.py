"""What mistakes make of a given value, one of them or two together, before anything is calculated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dense_cli.errors import DenseError
from dense_cli.mistakes import Mistake
from dense_cli.mistakes.agreement import SLACK

Glance = Callable[[Any], float]
"""From a given value to the first number of the result, without the rest."""

FAILURES = (DenseError, ArithmeticError, ValueError)
"""What a wrong path may come to: a refusal, a division by zero, an overflow, a root of a negative number.
Then it has no value and explains nothing."""


def changed(mistake: Mistake, given: Any) -> tuple[Any, ...]:
    try:
        return tuple(mistake.change(given))
    except FAILURES:
        return ()


Made = tuple[Mistake, tuple[Any, ...]]
"""A mistake, and what it makes of the given value."""


def both(one: Made, other: Made) -> list[Any]:
    """What the second makes of what the first made, or the other way round where it applies only so."""
    for (_, made), (then, _) in ((one, other), (other, one)):
        told = [twice for once in made for twice in changed(then, once)]
        if told:
            return told
    return []


def begins_otherwise(glance: Glance, given: Any, begins: float, atol: float, rtol: float) -> bool:
    """Whether the first number is surely not the found one; a failure says nothing."""
    try:
        first = glance(given)
        return not abs(begins - first) <= (atol + rtol * abs(first)) * (1 + SLACK) + SLACK * abs(first)
    except (*FAILURES, IndexError):
        return False
