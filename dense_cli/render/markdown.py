"""GitHub-flavoured Markdown: headings, lists, tables, formulas as LaTeX between dollars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dense_cli.derivation import Derivation, Say
from dense_cli.render.latex_notation import Markdown
from dense_cli.render.notation import STATES, Link
from dense_cli.render.page import ColumnKind, Part, Sentence, Statement, page

DEEPEST_HEADING = 6


def write(derivation: Derivation, say: Say, digits: int, width: int, colour: bool) -> str:
    """The page as Markdown; the result is a table."""
    writer = _Writer(Markdown(say, digits), say("common.colon"))
    told = page(derivation, writer.notation)
    blocks = [f"# {told.title}"]
    for part in told.parts:
        blocks += writer.part(part, level=2)
    return "\n\n".join(blocks) + "\n"


class _Writer:
    def __init__(self, notation: Markdown, colon: str) -> None:
        self.notation = notation
        self.colon = colon

    def part(self, part: Part, level: int) -> Iterator[str]:
        dot = "" if "." in part.number else "."
        number = f"{part.number}{dot} " if part.number else ""
        yield f"{'#' * min(level, DEEPEST_HEADING)} {number}{part.title}"
        if part.kind == "result":
            yield self.results(part)
        else:
            yield from self.items(part)
        for below in part.parts:
            yield from self.part(below, level + 1)

    def items(self, part: Part) -> Iterator[str]:
        listed: list[str] = []
        for item in part.items:
            match item:
                case Statement():
                    listed.append(f"- {self.statement(item)}")
                    continue
                case Sentence(text) if part.kind in ("assumed", "cautions"):
                    listed.append(f"- {text}")
                    continue
            if listed:
                yield "\n".join(listed)
                listed = []
            yield item.text if isinstance(item, Sentence) else table(item.columns, item.rows, item.kinds)
        if listed:
            yield "\n".join(listed)

    def statement(self, statement: Statement) -> str:
        """A chain as one formula, with the words around it outside the dollars."""
        symbol, links = statement.chain
        formal = " ".join(f"{sign} {text}" for sign, text in links if sign != STATES)
        words = "".join(self.colon + text for sign, text in links if sign == STATES)
        if statement.named:
            return symbol + (f" {self.notation.inline(formal)}" if formal else "") + words
        return self.notation.inline(f"{symbol} {formal}".rstrip()) + words

    def results(self, part: Part) -> str:
        """What came out, as a table of names and values."""
        rows = []
        for item in part.items:
            if isinstance(item, Statement):
                symbol = item.chain.symbol if item.named else self.notation.inline(item.chain.symbol)
                rows.append((symbol, self.outcome(item.chain.links)))
        say = self.notation.told
        return table((say("common.quantity"), say("common.value")), rows, ("words", "words"))

    def outcome(self, links: Sequence[Link]) -> str:
        """All that a result equals; a leading = is left out."""
        formal = " ".join(f"{sign} {text}" for sign, text in links if sign != STATES)
        formal = formal.removeprefix("= ")
        told = [self.notation.inline(formal)] if formal else []
        return self.colon.join([*told, *(text for sign, text in links if sign == STATES)])


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], kinds: Sequence[ColumnKind]) -> str:
    """A pipe table; no cell holds a bare `|` or a line break."""
    rule = ["---:" if kind == "number" else "---" for kind in kinds]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (columns, rule, *rows))
