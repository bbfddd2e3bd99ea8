"""How wide text is on a screen, and where it may be broken.

A Chinese character takes two columns. Numbers are never broken as long as they fit into a line, and
nothing is ever cut off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from unicodedata import combining, east_asian_width

NEVER_FIRST = frozenset("，。、；：？！）」』》〉】”’…·,.;:?!)]}%")
NEVER_LAST = frozenset("（「『《〈【“‘([{")
OPERATORS = frozenset("+-×·/=≈")
VECTOR = r"\[[-0-9., ]+\]"  # compiled where a text has one: not every page needs it


def columns_of(text: str) -> int:
    """The columns that `text` takes on a screen.

    >>> columns_of("RoPE"), columns_of("旋转")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    return sum(0 if combining(mark) else 2 if east_asian_width(mark) in "WF" else 1 for mark in text)


def wrapped(text: str, width: int) -> list[str]:
    """Running text as lines of at most `width` columns; at least one line, possibly empty.

    Breaks at spaces and between Chinese characters, never before closing punctuation nor in a short vector.

    >>> wrapped("the causal mask", 11), wrapped("the query is [1, 0]", 16)
    (['the causal', 'mask'], ['the query is', '[1, 0]'])
    """
    return filled(pieces(text, width // 2), width)


def filled(parts: Iterable[str], width: int, hang: int = 0) -> list[str]:
    """Pieces put into lines in turn; all lines but the first are indented by `hang`."""
    width = max(width, 2)  # one Chinese character
    hang = min(hang, max(width - 10, 0))
    lines, line = [], ""
    for piece in parts:
        if line.strip() and columns_of(line) + columns_of(piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = " " * hang
        line += piece
        while columns_of(line.rstrip()) > width:
            fits = _fitting(line, width)
            lines.append(line[:fits])
            line = " " * hang + line[fits:]
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def formula_pieces(text: str) -> list[str]:
    """A written formula or vector in pieces that may stand on lines of their own.

    >>> formula_pieces("1 × cos 0 - 2.5 × 0")
    ['1 ', '× cos 0 ', '- 2.5 ', '× 0']
    """
    parts: list[str] = []
    glued = False
    for word in text.split(" "):
        if glued:
            parts[-1] += word + " "
        else:
            parts.append(word + " ")
        glued = word in OPERATORS or (word.isalpha() and word.isascii() and len(word) > 1)
    if parts:
        parts[-1] = parts[-1][:-1]
    return parts


def padded(text: str, width: int, right: bool = False) -> str:
    """`text` in a field of `width` columns."""
    space = " " * (width - columns_of(text))
    return space + text if right else text + space


def pieces(text: str, longest: int = 0) -> Iterator[str]:
    """Running text in pieces that may stand on lines of their own, each with the space behind it.

    A vector of at most `longest` columns is in one piece.
    """
    start = 0
    whole = set[int]()
    for vector in re.finditer(VECTOR, text) if longest and "[" in text else ():
        if len(vector[0]) <= longest:
            whole.update(range(vector.start() + 1, vector.end()))
    for place in range(1, len(text)):
        before, after = text[place - 1], text[place]
        if place in whole or after == " " or after in NEVER_FIRST or before in NEVER_LAST:
            continue
        if before == " " or _is_wide(before) or _is_wide(after):
            yield text[start:place]
            start = place
    yield text[start:]


def _is_wide(mark: str) -> bool:
    return not mark.isascii() and east_asian_width(mark) in "WF"


def _fitting(text: str, width: int) -> int:
    """How many characters fit into `width` columns, one at least."""
    taken = 0
    for place, mark in enumerate(text):
        taken += columns_of(mark)
        if taken > width:
            return max(place, 1)
    return len(text)
