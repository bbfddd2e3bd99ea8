"""Values of options, read by `reading`, with the option's name in every refusal."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from dense_cli.core import Matrix, Row
from dense_cli.errors import DenseError
from dense_cli.reading.given import is_source, load
from dense_cli.reading.numbers import number, real_number, whole
from dense_cli.reading.vectors import vector

T = TypeVar("T")


def named(option: str, read: Callable[[], T]) -> T:
    """What `read` reads; a refusal says which option it is about."""
    try:
        return read()
    except DenseError as error:
        raise error.about(option=option) from error


def numbers(option: str, typed: str | None) -> tuple[Fraction | float, ...]:
    """A vector, exact where it was typed exactly."""
    text = typed or ""
    return named(option, lambda: load(text, "vector") if is_source(text) else vector(text))


def floats(option: str, typed: str | None) -> Row:
    """A vector in float64."""
    return named(option, lambda: load(typed or "", "vector"))


def matrix(option: str, typed: str | None) -> Matrix:
    """A matrix in float64; a vector is a matrix of one row."""
    return named(option, lambda: load(typed or "", "matrix"))


def one_number(option: str, typed: str) -> Fraction | float:
    return named(option, lambda: number(typed))


def tolerance(option: str, typed: str | None, default: Fraction) -> Fraction:
    """How far off a number may be; the default where nothing was typed. Raises DenseError below nought."""
    if typed is None:
        return default
    value = Fraction(one_number(option, typed))
    if value < 0:
        raise DenseError("negative-tolerance", option=option, typed=typed)
    return value


def one_float(option: str, typed: str) -> float:
    """A number in float64; what is too near to zero to be held is refused, never taken for zero."""
    return named(option, lambda: real_number(typed))


def one_whole(option: str, typed: str) -> int:
    return named(option, lambda: whole(typed))
