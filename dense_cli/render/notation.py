"""Writes values, sentences and lines, in plain text; `html_notation` and `latex_notation` do it in marks.

Every format uses one of these notations, so a number reads alike wherever it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from dense_cli.derivation import Line, Listed, Note, Prose, Say, Value
from dense_cli.expression import Expression
from dense_cli.frozen import dataclass
from dense_cli.numerals import Exact, Numeral
from dense_cli.reading.characters import visible
from dense_cli.render.formulas import Formulas

STATES = ":"
"""The sign of a link that says something in words instead of giving a number."""

_FIRST_MARK = 0xF0000  # stands for a fact while the words around it are escaped; no words hold such a mark
_MARKS = re.compile("([\U000f0000-\U000ffffd])")
LONGEST_QUOTED = 100
LONGEST_PROSE = 10_000


class Link(NamedTuple):
    """What a line equals next: the sign `=`, `≈` (as the notation writes it) or STATES, and the text."""

    sign: str
    text: str


class Chain(NamedTuple):
    """A line: what it is about, and what that equals in turn."""

    symbol: str
    links: tuple[Link, ...]


@dataclass(frozen=True)
class Notation(Formulas):
    """One way to write: how many decimals, and the words for notes inside a value.

    Subclasses differ only in marks: how a fraction, a root, a vector, an index looks. There are two
    places to write in: inside a formula (`value`) and in running text (`prose`).
    """

    say: Say
    digits: int = 6

    equals: ClassVar[str] = "="
    almost: ClassVar[str] = "≈"
    between: ClassVar[str] = ", "

    # --- what the places are like

    def words(self, text: str) -> str:
        """Words of the language, in running text."""
        return text

    def quoted(self, text: str, limit: int = LONGEST_QUOTED) -> str:
        """A user's own text, in running text, harmless on any terminal."""
        return visible(text, limit)

    def inline(self, formula: str) -> str:
        """A formula in running text."""
        return formula

    def worded(self, text: str) -> str:
        """Running text inside a formula."""
        return text

    # --- values

    def value(self, value: Value | Note, exact: Exact | None = None) -> Numeral:
        """Any value, in a formula; exact where every number in it is."""
        if value is None or isinstance(value, bool | str | Note | Listed):
            return Numeral(self.worded(self.prose(value)), True)
        if isinstance(value, Expression):
            return Numeral(self.symbols(value), True)
        if isinstance(value, tuple):
            return self.sequence([self.value(entry) for entry in value], nested=_is_matrix(value))
        return self.number(value, exact)

    def prose(self, value: Value | Note) -> str:
        """Any value or sentence, in running text."""
        if isinstance(value, Note):
            return self.sentence(value)
        if value is None:
            return self.words(self.say("common.undefined"))
        if isinstance(value, bool):
            return self.words(self.say("common.yes" if value else "common.no"))
        if isinstance(value, Prose):
            return self.quoted(value, LONGEST_PROSE)
        if isinstance(value, str):
            return self.quoted(value)
        if isinstance(value, Listed):
            return self.words(self.say("common.list")).join(map(self.quoted, value))
        if isinstance(value, tuple) and says_words(value):
            return f"{self.words('[')}{', '.join(map(self.prose, value))}{self.words(']')}"
        return self.inline(self.value(value).text)

    def sequence(self, entries: Sequence[Numeral], nested: bool) -> Numeral:
        """A vector, or a matrix where the entries are rows."""
        texts = self.between.join(entry.text for entry in entries)
        return Numeral(f"[{texts}]", all(entry.exact for entry in entries))

    def sentence(self, note: Note) -> str:
        """A note with its facts written in this notation."""
        return self.told(note.key, **{name: self.prose(fact) for name, fact in note.facts.items()})

    def told(self, key: str, /, **facts: str) -> str:
        """The words of a key; the facts are already written for running text."""
        marks = {name: chr(_FIRST_MARK + place) for place, name in enumerate(facts)}
        written = dict(zip(marks.values(), facts.values(), strict=True))
        told = _MARKS.split(self.say(key, **marks))
        return "".join(written[part] if part in written else self.words(part) for part in told)

    # --- lines

    def chain(self, line: Line) -> Chain:
        """A line as its symbol and what it equals in turn, repeats left out.

        A `=` stands only where both sides, as shown, are exact.
        """
        symbol = self.sentence(line.symbol) if isinstance(line.symbol, Note) else self.symbols(line.symbol)
        if line.formula is None:
            return Chain(symbol, (self.end(line.value),))
        general, put_in = self.symbols(line.formula), self.numbers(line.formula)
        exact = line.formula.exact()
        links = [] if _same(general, put_in.text, self) else [Link(self.equals, general)]
        links.append(Link(self.sign(put_in.exact), put_in.text))
        if says_words(line.value):
            links.append(self.end(line.value))
        else:
            shown = self.value(line.value, exact)
            known = shown.exact and put_in.exact and exact is not None
            links.append(Link(self.sign(known), shown.text))
        before = [symbol, *(link.text for link in links)]
        return Chain(
            symbol, tuple(link for text, link in zip(before, links, strict=False) if text != link.text)
        )

    def end(self, value: Value | Note) -> Link:
        """The last link of a line: a number, or what is said of it in words."""
        if says_words(value):
            return Link(STATES, self.prose(value))
        shown = self.value(value)
        return Link(self.sign(shown.exact), shown.text)

    def sign(self, exact: bool) -> str:
        return self.equals if exact else self.almost


@dataclass(frozen=True)
class Text(Notation):
    """Plain text with the signs of a textbook."""


def says_words(value: Value | Note) -> bool:
    """Whether a value is, or holds, something other than numbers."""
    if isinstance(value, tuple):
        return any(map(says_words, value))
    return value is None or isinstance(value, bool | str | Note)


def _same(general: str, put_in: str, notation: Notation) -> bool:
    """Whether putting numbers in changed nothing but the sign between factors."""
    return general.replace(notation.times, notation.times_numbers) == put_in


def _is_matrix(value: tuple[Value, ...]) -> bool:
    return bool(value) and all(isinstance(entry, tuple) for entry in value)
