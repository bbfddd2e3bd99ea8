"""One token's row on its way through the block, as symbols, vectors and shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dense_cli.core import Row
from dense_cli.core.block import Block, Trace
from dense_cli.derivation import Line, Note, Step
from dense_cli.derive import symbols
from dense_cli.derive.stating import WIDEST_ANSWER, WRITTEN_OUT, define, shown
from dense_cli.expression import Constant, Expression, Quotient, Root, Sum, Symbol, product
from dense_cli.frozen import dataclass

FOLLOWED = 4
"""So many coordinates of a row are calculated in sight; the vector below them has the rest."""


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """A block and its trace, seen from the last token and the first head."""

    given: Block
    trace: Trace

    @property
    def tokens(self) -> int:
        return len(self.given.x)

    @property
    def position(self) -> int:
        """Where the last token stands."""
        return self.given.start + self.tokens - 1

    def row(self, name: str) -> Row:
        """The last token's row of a tensor [T, C], or of the first head of one [H, T, D]."""
        array = self.trace[name]
        row: list[float] = (array[0, -1] if array.ndim == 3 else array[-1]).tolist()
        return tuple(row)

    def vector(self, symbol: Symbol, name: str) -> Line:
        """That row as a line."""
        return Line(symbol, None, shown(self.row(name)))

    def shape(self, *names: str) -> tuple[Note, ...]:
        """The shapes of tensors, and a word on it where only first coordinates of their rows are shown."""
        notes = [
            Note("block.has-shape", {"tensor": name, "shape": self.trace.shapes[name]}) for name in names
        ]
        if any(self.trace.shapes[name][-1] > WIDEST_ANSWER for name in names):
            notes.append(Note("block.first-coordinates", {"count": WRITTEN_OUT}))
        return tuple(notes)

    def coordinates(
        self, symbol: Symbol, name: str, formula: Callable[[int], Expression], count: int = FOLLOWED
    ) -> tuple[Line, ...]:
        """The first coordinates of a row, each by the formula of its place from 0."""
        values = self.row(name)[:count]
        return tuple(
            define(symbol.at(place + 1), formula(place), value)[0] for place, value in enumerate(values)
        )


def bound(symbol: Symbol, row: Iterable[float], *before: int) -> tuple[Symbol, ...]:
    """One symbol a coordinate, counted from 1 behind the indices `before`."""
    return tuple(symbol.at(*before, place).bound(value) for place, value in enumerate(row, start=1))


def norm_step(followed: Followed, name: str, source: tuple[Symbol, str], result: Symbol) -> Step:
    """The norm before a sublayer, from the row `source` to the row `result`."""
    symbol, tensor = source
    gain: Expression = symbols.GAIN.at("i")
    if followed.given.unit_offset:
        gain = Sum((Constant(1), gain))
    under: Expression = symbols.of(symbols.MEAN_SQUARE, symbol)
    if followed.given.eps:
        under = Sum((under, symbols.EPS.bound(followed.given.eps)))
    return Step(
        name,
        Note(f"block.{name}"),
        formula=(result.at("i"), Quotient(product(gain, symbol.at("i")), Root(under))),
        lines=(followed.vector(symbol, tensor), followed.vector(result, name)),
        notes=(Note(f"block.{name}-alone"), *followed.shape(name)),
    )


def residual_step(
    followed: Followed, name: str, old: tuple[Symbol, str], new: tuple[Symbol, str], result: Symbol
) -> Step:
    """A sublayer's row added to the row that went around it."""
    around, through = bound(old[0], followed.row(old[1])), bound(new[0], followed.row(new[1]))
    lines = followed.coordinates(result, name, lambda place: Sum((around[place], through[place])))
    return Step(
        name,
        Note(f"block.{name}"),
        formula=(result, Sum((old[0], new[0]))),
        lines=(*lines, followed.vector(result, name)),
        notes=(Note(f"block.{name}-why"), *followed.shape(name)),
    )
