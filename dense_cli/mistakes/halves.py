"""The two half-precision formats, which a diagnosis tries."""

from __future__ import annotations

from collections.abc import Callable

from dense_cli.core.precision import to_bfloat16, to_float16

__all__ = ["HALVES", "to_bfloat16", "to_float16"]

HALVES: tuple[Callable[[float], float], ...] = (to_bfloat16, to_float16)
