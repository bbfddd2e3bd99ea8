"""How HTML writes values, sentences and lines."""

from __future__ import annotations

from dense_cli.expression import ATOM, Call, Expression, Power, Symbol
from dense_cli.frozen import dataclass
from dense_cli.reading.characters import visible
from dense_cli.render.escaping import markup
from dense_cli.render.formulas import GROUPED
from dense_cli.render.notation import LONGEST_QUOTED, Notation


@dataclass(frozen=True)
class Html(Notation):
    """HTML with real subscripts and exponents."""

    def words(self, text: str) -> str:
        return markup(text)

    def quoted(self, text: str, limit: int = LONGEST_QUOTED) -> str:
        return markup(visible(text, limit))

    def name(self, symbol: Symbol) -> str:
        is_letter = len(symbol.text.rstrip("′")) == 1
        base = f"<i>{markup(symbol.text)}</i>" if is_letter else markup(symbol.text)
        indices = markup(",".join(map(str, symbol.indices)))
        return f"{base}<sub>{indices}</sub>" if indices else base

    def power(self, base: str, exponent: str) -> str:
        return f"{base}<sup>{exponent}</sup>"

    def call(self, call: Call, part: str) -> str:
        return markup(call.function.text) + ("" if part.startswith("(") else " ") + part

    def places(self, node: Expression) -> tuple[int, ...]:
        """A raised exponent groups by itself."""
        return (ATOM, GROUPED) if isinstance(node, Power) else super().places(node)
