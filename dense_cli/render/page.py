"""What stands on a page, in which order, written in one notation.

Formats differ only in how they set the parts; none of them reads a derivation itself but JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from dense_cli.derivation import Data, Derivation, Line, Note, Say, Step, Table, Value
from dense_cli.expression import Expression
from dense_cli.frozen import dataclass
from dense_cli.render.notation import STATES, Chain, Link, Notation, says_words

MOST_GIVEN = 64
"""More numbers than these are given by their shape: the reader has them already."""

LONGEST_TOLD = 4000
"""Characters of a sentence that came ready-made, as the explanation of a mistake."""

PartKind = Literal["given", "assumed", "step", "result", "comparison", "cautions"]
ColumnKind = Literal["number", "value", "words"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A line; `named` where it is about words (a label) and not about a symbol."""

    chain: Chain
    named: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """Running text."""

    text: str


@dataclass(frozen=True, slots=True)
class Grid:
    """A table, all cells written for running text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    kinds: tuple[ColumnKind, ...]


Item = Statement | Sentence | Grid


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page under its own heading; steps are numbered, as 2.1."""

    kind: PartKind
    title: str
    items: tuple[Item, ...] = ()
    number: str = ""
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """Title and parts: given, assumed, the steps, the result, the comparison, cautions."""

    title: str
    parts: tuple[Part, ...]


def page(derivation: Derivation, notation: Notation) -> Page:
    """The page that tells a derivation; parts with nothing in them are left out."""
    parts = (
        _part("given", notation, _given(derivation, notation)),
        _part("assumed", notation, map(Sentence, map(notation.sentence, derivation.assumed))),
        *_steps(derivation.steps, notation),
        _part("result", notation, (_statement(line, notation) for line in derivation.answer)),
        _part("comparison", notation, _comparison(derivation.comparison, notation)),
        _part("cautions", notation, map(Sentence, map(notation.sentence, derivation.cautions))),
    )
    kept = tuple(part for part in parts if part.items or part.parts or part.kind == "step")
    return Page(notation.sentence(derivation.title), kept)


def told_on_one_line(statement: Statement, colon: str) -> str:
    """A chain as one line of any length."""
    symbol, links = statement.chain
    return symbol + "".join(colon + text if sign == STATES else f" {sign} {text}" for sign, text in links)


def value_of(data: Data) -> Value:
    """JSON-ready data as the value it was made from: lists become vectors."""
    if isinstance(data, list):
        return tuple(map(value_of, data))
    if isinstance(data, dict):
        return str(data)
    return data


def _part(kind: PartKind, notation: Notation, items: Iterator[Item]) -> Part:
    return Part(kind, notation.told(f"common.{kind}"), tuple(items))


def _given(derivation: Derivation, notation: Notation) -> Iterator[Item]:
    for name, data in _flat(derivation.given):
        label = _label(derivation.command, name, notation)
        if (shape := _shape(data)) and _size(shape) > MOST_GIVEN:
            text = notation.told("common.numbers", shape=notation.words(" × ".join(map(str, shape))))
            yield Statement(Chain(label, (Link(STATES, text),)), named=True)
        else:
            value = value_of(data)
            exact = says_words(value) or notation.value(value).exact
            sign = STATES if exact else notation.almost
            text = notation.prose(value) if exact else notation.value(value).text
            yield Statement(Chain(label, (Link(sign, text),)), named=True)


def _flat(given: Mapping[str, Data], prefix: str = "") -> Iterator[tuple[str, Data]]:
    for name, data in given.items():
        if isinstance(data, dict):
            yield from _flat(data, f"{prefix}{name}.")
        elif data is not None and data != []:
            yield prefix + name, data


def _label(command: str, name: str, notation: Notation) -> str:
    """What a given is called: the topic's word, else the common one, else the name that JSON has."""
    plain = name.replace("-", "_")  # an option is echoed as it is typed
    for key in (f"{command}.label.{plain}", f"common.label.{plain}"):
        if (text := _known(notation.say, key)) is not None:
            return notation.words(text)
    return notation.quoted(name)


def _known(say: Say, key: str) -> str | None:
    try:
        return say(key)
    except KeyError:
        return None


def _shape(data: Data) -> tuple[int, ...]:
    shape = []
    while isinstance(data, list):
        shape.append(len(data))
        data = data[0] if data else None
    return tuple(shape)


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size


def _steps(steps: tuple[Step, ...], notation: Notation, above: str = "") -> Iterator[Part]:
    for place, step in enumerate(steps, 1):
        number = f"{above}{place}"
        yield Part(
            "step",
            notation.sentence(step.title),
            tuple(_items(step, notation)),
            number,
            tuple(_steps(step.steps, notation, number + ".")),
        )


def _items(step: Step, notation: Notation) -> Iterator[Item]:
    if step.formula:
        left, right = map(notation.symbols, step.formula)
        yield Statement(Chain(left, (Link(notation.equals, right),)))
    for line in step.lines:
        yield _statement(line, notation)
    if step.table:
        yield _grid(step.table, notation)
    for note in step.notes:
        yield Sentence(notation.sentence(note))


def _statement(line: Line, notation: Notation) -> Statement:
    return Statement(notation.chain(line), isinstance(line.symbol, Note))


def _grid(table: Table, notation: Notation) -> Grid:
    columns = tuple(map(notation.prose, table.columns))
    rows = tuple(tuple(map(notation.prose, row)) for row in table.rows)
    kinds = tuple(_kind([row[place] for row in table.rows]) for place in range(len(columns)))
    return Grid(columns, rows, kinds)


def _kind(cells: list[Value | Note]) -> ColumnKind:
    told = [cell for cell in cells if cell is not None]
    if told and all(not isinstance(cell, bool | str | tuple | Expression | Note) for cell in told):
        return "number"
    return "value" if told and not any(map(says_words, told)) else "words"


def _comparison(comparison: Mapping[str, Data] | None, notation: Notation) -> Iterator[Item]:
    if comparison is None:
        return
    matches = comparison.get("matches") is True
    yield _said(notation, "matches" if matches else "differs")
    error = comparison.get("max_abs_error")
    if isinstance(error, int | float) and not isinstance(error, bool) and error:
        yield _said(notation, "error", error=notation.prose(error))
    first = comparison.get("first_difference")
    if isinstance(first, dict):
        yield from _first_difference(first, notation)
    mistakes = comparison.get("mistakes")
    convention = comparison.get("convention")
    told = convention.get("id") if isinstance(convention, dict) else None
    if isinstance(convention, dict):
        title, users = (_ready(convention.get(name), notation) for name in ("title", "users"))
        yield _said(notation, "convention-of" if users else "convention", title=title, users=users)
    if not isinstance(mistakes, list):
        return
    if not mistakes and not matches:
        alone = comparison.get("pairs_tried") is False
        yield _said(notation, "unexplained-alone" if alone else "unexplained")
    for mistake in mistakes:
        if isinstance(mistake, dict) and mistake.get("id") != told:
            title, why = (_ready(mistake.get(name), notation) for name in ("title", "explanation"))
            yield _said(notation, "mistake", title=title, explanation=why)


def _first_difference(first: Mapping[str, Data], notation: Notation) -> Iterator[Item]:
    found, expected = (value_of(first.get(name)) for name in ("found", "expected"))
    shapes = [first.get(f"{name}_shape") for name in ("found", "expected")]
    if None not in shapes:
        found, expected = map(value_of, shapes)
    sides = {"found": notation.prose(found), "expected": notation.prose(expected)}
    index = first.get("index")
    if isinstance(found, tuple) or isinstance(expected, tuple):
        yield _said(notation, "shapes", **sides)
    elif isinstance(index, list) and index:
        counted = ", ".join(str(place + 1) for place in index if isinstance(place, int))
        yield _said(notation, "difference-at", index=notation.inline(counted), **sides)
    else:
        yield _said(notation, "difference", **sides)


def _said(notation: Notation, key: str, **facts: str) -> Sentence:
    return Sentence(notation.told(f"common.compared.{key}", **facts))


def _ready(text: Data, notation: Notation) -> str:
    """A sentence that is in the reader's language already."""
    return notation.quoted(str(text), LONGEST_TOLD) if text else ""
