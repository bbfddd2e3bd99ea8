"""The calculations, and nothing else: no text, no files.

Hand-sized input needs no array library, so importing this package imports none.
"""

from dense_cli.rows import Matrix, Row

__all__ = ["Matrix", "Row"]
