"""Whole arrays from options. It imports NumPy: import it where arrays are compared."""

from __future__ import annotations

import numpy as np

from dense_cli.cli.values import named
from dense_cli.core.kernels.walking import Array
from dense_cli.errors import DenseError
from dense_cli.reading.given import is_source, load

MOST_AXES = 8


def array_of(option: str, typed: str, masked: bool = False) -> Array:
    """The array that a file holds or that was typed, in the number type of the file; at least one axis.

    With `masked`, −∞ (in JSON null) may stand in it.
    """

    def read() -> Array:
        if is_source(typed):
            from dense_cli.reading.files import source

            return source(typed, masked=masked).own_array(masked)
        if masked and "".join(typed.split())[:3] == "[[[":
            from dense_cli.reading.documents import json_document, nested_numbers

            return np.array(nested_numbers(json_document(typed, typed), typed, masked)[0])
        return np.array(load(typed, "array"))

    array = named(option, read)
    if array.ndim > MOST_AXES:
        raise DenseError("file-too-deep", option=option, typed=typed, limit=MOST_AXES)
    return np.atleast_1d(array)
