"""What a format writes of one sheet, cut where the student's name stands: equal sheets have equal pieces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dense_cli.grading.marking import Mark
from dense_cli.grading.report import Marked
from dense_cli.grading.telling import Teller

MOST_KEPT = 4096
"""Marks whose text is kept at hand."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What is written of a sheet without its name: what comes first, and the pieces that have it between.

    Sheets share the texts of equal marks, so they are kept apart until they are written.
    """

    first: tuple[str, ...]
    pieces: tuple[str, ...]

    def with_name(self, name: str) -> str:
        return "".join(self.first) + name.join(self.pieces)


class Pieces:
    """How one format writes sheet after sheet.

    A format gives the `header` of the whole file, the parts `of` a sheet, between which the name goes as it
    is `spelled`. A name of ASCII letters, digits and ``_ . @ -`` that begins with a letter or digit is
    spelled as it stands in every format.
    """

    header = ""

    def __init__(self, teller: Teller) -> None:
        self.teller = teller

    def of(self, one: Marked) -> Parts:
        """Everything but the student's name."""
        raise NotImplementedError

    def spelled(self, student: str) -> str:
        """The name as this format writes it."""
        raise NotImplementedError

    def text(self, one: Marked) -> str:
        """All that is written of a sheet."""
        return self.of(one).with_name(self.spelled(one.student))


class OfMarks:
    """The text of each mark, made once while the same mark comes again."""

    def __init__(self, text: Callable[[Mark], str]) -> None:
        self._text = text
        self._kept: dict[int, tuple[Mark, str]] = {}

    def of(self, mark: Mark) -> str:
        # The mark is kept too: as long as it lives, nothing else has its identity.
        kept = self._kept.get(id(mark))
        if kept is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            kept = self._kept[id(mark)] = mark, self._text(mark)
        return kept[1]
