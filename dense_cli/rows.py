"""The two shapes of numbers that everything passes on: plain floats on tuples."""

from __future__ import annotations

Row = tuple[float, ...]
"""One token's coordinates."""

Matrix = tuple[Row, ...]
"""Rows of one length: a batch of tokens, or the weights of a projection."""
