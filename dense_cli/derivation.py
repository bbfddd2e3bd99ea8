"""What a command has to tell, as one frozen tree without a word of any language.

A `Derivation` holds the result as data and the way to it as steps. Titles and notes are keys with
facts; `lang` puts words to them and `render` writes them down.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from dense_cli.expression import Expression
from dense_cli.frozen import dataclass, field
from dense_cli.numerals import Number

Value = bool | Number | str | Expression | None | tuple["Value", ...]
"""What a line or a cell can hold; tuples are vectors, tuples of tuples matrices, text is a user's own."""

Data = bool | int | float | str | None | list["Data"] | dict[str, "Data"]
"""What goes into JSON."""


class Prose(str):
    """A text that is part of the page, such as an exercise: shown whole, where other text is cut short."""

    __slots__ = ()


class Listed(tuple[str, ...]):
    """Words that a language lists in its own way, where any other tuple is a vector."""

    __slots__ = ()


class Say(Protocol):
    """Words for a key in one language, with the facts put in as already written text."""

    def __call__(self, key: str, /, **facts: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence: its key, and the facts that go into it."""

    key: str
    facts: Mapping[str, Fact] = field(default_factory=dict)


Fact = Value | Note
"""What goes into a sentence or a cell: a value, or a sentence of its own."""


@dataclass(frozen=True, slots=True)
class Line:
    """symbol = formula = numbers put in = value.

    `value` is what the core computed. A line without a formula states a value; one whose value is a
    vector or a truth has no formula to evaluate.
    """

    symbol: Expression | Note
    formula: Expression | None
    value: Fact


@dataclass(frozen=True, slots=True)
class Table:
    """Columns named by notes or symbols, and rows of values."""

    columns: tuple[Note | Expression, ...]
    rows: tuple[tuple[Value | Note, ...], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the way: a stable name, a title, the general formula, the lines, what to notice."""

    name: str
    title: Note
    formula: tuple[Expression, Expression] | None = None
    lines: tuple[Line, ...] = ()
    table: Table | None = None
    notes: tuple[Note, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Derivation:
    """Everything one call of a command has to tell.

    `given` is what was typed, `assumed` what was not and had to be chosen, `result` the numbers for
    scripts, `answer` the same for people, below the steps, `cautions` what the numbers do not say.
    """

    command: str
    title: Note
    given: Mapping[str, Data]
    result: Mapping[str, Data]
    assumed: tuple[Note, ...] = ()
    answer: tuple[Line, ...] = ()
    steps: tuple[Step, ...] = ()
    cautions: tuple[Note, ...] = ()
    comparison: Mapping[str, Data] | None = None
