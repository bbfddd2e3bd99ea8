"""Rows times a matrix, with the shapes checked.

Weights are stored input by output, as in the chapter: a matrix row belongs to an input coordinate, a column
to an output coordinate. What linear layers of model code store is the transpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite
from operator import mul

from dense_cli.core import Matrix, Row
from dense_cli.errors import DenseError


def shape(matrix: Matrix) -> tuple[int, int]:
    """Rows and columns.

    >>> shape(((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)))
    (2, 3)
    """
    return len(matrix), len(matrix[0]) if matrix else 0


def shape_text(matrix: Matrix | None) -> str:
    """The shape as people write it, for the facts of an error; a dash for a matrix that was not given.

    >>> shape_text(((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))), shape_text(None)
    ('2×3', '-')
    """
    return "-" if matrix is None else "×".join(map(str, shape(matrix)))


def transpose(matrix: Matrix) -> Matrix:
    """Rows as columns.

    >>> transpose(((1.0, 2.0), (3.0, 4.0)))
    ((1.0, 3.0), (2.0, 4.0))
    """
    return tuple(zip(*matrix, strict=True))


def product(x: Matrix, weights: Matrix, bias: Row | None = None) -> Matrix:
    """x·W (+ b), every entry rounded once from its exact value; infinite where it overflows.

    x is [T, C], `weights` [C, F], `bias` [F], the result [T, F]. Entries must be finite and shapes must fit:
    see `check_matrix`.

    >>> product(((1.0, -1.0),), ((2.0, 0.0), (0.0, -3.0)))
    ((2.0, 3.0),)
    >>> product(((1e16, 1.0, -1e16),), ((1.0,), (1.0,), (1.0,)))
    ((1.0,),)
    """
    if bias is not None:  # a bias is one more row of weights, for an input that is always 1
        x = tuple((*row, 1.0) for row in x)
        weights = (*weights, bias)
    rows, row_bits = _fixed_point(x)
    stored, weight_bits = _fixed_point(weights)
    columns = tuple(zip(*stored, strict=True))
    unit = 1 << (row_bits + weight_bits)
    return tuple(tuple(_quotient(sum(map(mul, row, column)), unit) for column in columns) for row in rows)


def _fixed_point(matrix: Matrix) -> tuple[tuple[tuple[int, ...], ...], int]:
    """Whole numbers and the `bits` for which each entry is exactly whole / 2**bits."""
    ratios = [[float(entry).as_integer_ratio() for entry in row] for row in matrix]
    bits = max((below.bit_length() - 1 for row in ratios for _, below in row), default=0)
    return tuple(tuple((above << bits) // below for above, below in row) for row in ratios), bits


def _quotient(above: int, below: int) -> float:
    try:
        return above / below  # division of integers rounds correctly
    except OverflowError:
        return inf if above > 0 else -inf


def check_matrix(name: str, matrix: Matrix) -> None:
    """Refuse what is no matrix of finite numbers.

    Raises `DenseError`: "empty-matrix", "ragged-rows" (the first `row` of another width),
    "value-not-finite".
    """
    _, width = shape(matrix)
    if not width:
        raise DenseError("empty-matrix", name=name)
    for number, row in enumerate(matrix, start=1):
        if len(row) != width:
            raise DenseError("ragged-rows", name=name, row=number, width=len(row), expected=width)
        check_row(name, row)


def check_row(name: str, row: Sequence[float]) -> None:
    """Refuse infinities and NaN: `DenseError` "value-not-finite"."""
    if not all(map(isfinite, row)):
        raise DenseError("value-not-finite", name=name)
