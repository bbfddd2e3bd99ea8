"""What can go wrong with what a person typed, as data: a key, the facts, and no words.

The words live in ``lang/<code>/errors/`` under the key; the command line joins the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class DenseError(Exception):
    """One refusal: which rule was broken (`key`) and the facts a person needs to see it.

    >>> error = DenseError("odd-width", typed="1,0,1", width=3)
    >>> error.key, error.facts["width"]
    ('odd-width', 3)
    """

    def __init__(self, key: str, /, *, hint: str | None = None, **facts: object) -> None:
        super().__init__(key)
        self.key = key
        self.hint = hint or key
        self.facts: dict[str, object] = facts

    def __str__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.facts.items())
        return f"{self.key}({told})"

    def about(self, **facts: object) -> DenseError:
        """The same refusal with more facts, for a caller who knows which option was typed."""
        more = DenseError(self.key, hint=self.hint)
        more.facts = {**self.facts, **facts}
        return more


class DenseErrors(DenseError):
    """Several refusals at once, for input where one at a time would be a guessing game."""

    def __init__(self, errors: Iterable[DenseError]) -> None:
        self.errors: tuple[DenseError, ...] = tuple(errors)
        super().__init__(self.errors[0].key, hint=self.errors[0].hint)
        self.facts = self.errors[0].facts

    def about(self, **facts: object) -> DenseErrors:
        return DenseErrors(error.about(**facts) for error in self.errors)


def nearest(word: str, candidates: Sequence[str], most: int = 3) -> tuple[str, ...]:
    """The candidates that `word` was probably meant to be, nearest first; may be none.

    >>> nearest("rop", ["rope", "rmsnorm", "params"])
    ('rope',)
    """
    import difflib  # only where something was misspelt: it costs start-up time

    folded = {candidate.casefold(): candidate for candidate in candidates}
    found = difflib.get_close_matches(word[:100].casefold(), folded, n=most, cutoff=0.6)
    return tuple(folded[name] for name in found)


MOST_LISTED = 8
"""Names that a refusal lists where there may be any number of them."""


def some(names: Sequence[str], most: int = MOST_LISTED) -> tuple[str, ...]:
    """The first of many names, and a sign that there are more.

    >>> some(["a", "b", "c"], most=2)
    ('a', 'b', '…')
    """
    return (*names[:most], *(("…",) if len(names) > most else ()))
