"""What a format writes of one sheet: a text for each answer, and the rest, which only the totals change.

So equal answers have equal texts, whoever gave them, and of a class each is made once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import Mark
from dense_cli.grading.marks.telling import Teller

NAME = "\0"
"""Stands for the student. Every format escapes control characters, so it is nothing else."""

Wrong = Callable[[Sequence[str], Sequence[str], Sequence[Sequence[str]]], list[str]]
"""The texts of answers that are wrong for no known reason: of what was given, read as, and their numbers."""


def encoded(text: str) -> bytes:
    """As it stands in a file; half a pair of surrogates, which no file can hold, as an escape."""
    return text.encode("utf-8", "backslashreplace")


def each_encoded(texts: Iterable[str]) -> list[bytes]:
    return [text.encode("utf-8", "backslashreplace") for text in texts]


class Pieces:
    """How one format writes sheet after sheet.

    A format gives the `header` of the whole file; of a sheet the text of each `answer` and the `rest` behind
    them, both with `NAME` for the student; and how a name is `spelled`. The rest depends on the answers only
    through their points and verdicts. A name of ASCII letters, digits and ``_ . @ -`` that begins with a
    letter or digit is spelled as it stands in every format.
    """

    header = ""
    names_answers = False
    """Whether the name stands at every answer, and not once behind them."""

    def __init__(self, teller: Teller) -> None:
        self.teller = teller

    def answer(self, mark: Mark) -> str:
        """What is written of one answer."""
        raise NotImplementedError

    def wrong(self, mark: Mark) -> Wrong | None:
        """The texts of any answers that get this mark and nothing is said of but that it is wrong.

        They are made for answers of plain decimals, brackets, commas and blanks. None where nothing is
        written of an answer.
        """
        raise NotImplementedError

    def rest(self, one: Marked) -> str:
        """What follows the answers."""
        raise NotImplementedError

    def before(self, one: Marked) -> str:
        """What comes first where there are no answers, or where a sheet was not read."""
        return ""

    def spelled(self, student: str) -> str:
        """The name as this format writes it."""
        raise NotImplementedError

    def text(self, one: Marked) -> str:
        """All that is written of a sheet."""
        pieces = (self.before(one), *map(self.answer, one.marks), self.rest(one))
        return "".join(pieces).replace(NAME, self.spelled(one.student))
