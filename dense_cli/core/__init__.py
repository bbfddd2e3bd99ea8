"""The calculations, and nothing else: plain floats on tuples, no text, no files.

Hand-sized input needs no array library, so importing this package imports none.
"""

Row = tuple[float, ...]
"""One token's coordinates."""

Matrix = tuple[Row, ...]
"""Rows of one length: a batch of tokens, or the weights of a projection."""
