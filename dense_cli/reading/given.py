"""Numbers typed in place, or in a file that is named instead.

What only files need is imported where a file is named: it would double the start of every small call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from dense_cli.reading.vectors import real_matrix, real_vector
from dense_cli.rows import Matrix, Row

if TYPE_CHECKING:
    from dense_cli.reading.documents import Nested

Kind = Literal["vector", "matrix", "array"]


def is_source(text: str) -> bool:
    """Whether `text` names a file or standard input instead of being numbers itself."""
    stripped = text.strip()
    return stripped[:1] in ("@", "＠") or stripped == "-"


@overload
def load(text: str, kind: Literal["vector"]) -> Row: ...
@overload
def load(text: str, kind: Literal["matrix"]) -> Matrix: ...
@overload
def load(text: str, kind: Literal["array"]) -> Nested: ...
def load(text: str, kind: Kind) -> Row | Matrix | Nested:
    """The numbers of ``1,0``, ``@FILE`` or ``-``: a "vector", a "matrix" (of one row for a vector) or an
    "array" of any number of axes.

    >>> load("1,0:0,1", "matrix")
    ((1.0, 0.0), (0.0, 1.0))
    """
    if is_source(text):
        from dense_cli.reading.files import source

        stored = source(text, kind)
        if kind == "vector":
            return stored.vector()
        return stored.matrix() if kind == "matrix" else stored.nested()
    if kind == "vector":
        return real_vector(text)
    if kind == "matrix":
        return real_matrix(text)
    if "".join(text.split())[:3] == "[[[":
        from dense_cli.reading.documents import json_document, nested_numbers

        return nested_numbers(json_document(text, text), text)[0]
    found = real_matrix(text)
    return found if len(found) > 1 or "".join(text.split())[:2] == "[[" else found[0]
