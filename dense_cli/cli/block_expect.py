"""`dense block --expect`: the user's own tensors, and at which step the block first goes wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dense_cli.cli.array_values import array_of
from dense_cli.cli.exits import Exit
from dense_cli.cli.expect import Expected
from dense_cli.cli.expect_asked import Asked, name_and_value
from dense_cli.cli.expect_words import told as in_words
from dense_cli.cli.options import Outcome
from dense_cli.cli.values import named
from dense_cli.core.attention import Array
from dense_cli.core.block import TENSORS, Block, Trace
from dense_cli.derivation import Derivation, Listed, Note, Say, Step, Table, Value
from dense_cli.errors import DenseError, nearest, some
from dense_cli.frozen import dataclass, replace
from dense_cli.mistakes.asking import Claim, Comparison, Question
from dense_cli.mistakes.block_comparison import block_comparisons
from dense_cli.mistakes.block_start import SQUARES
from dense_cli.reading.files import names_in
from dense_cli.reading.given import is_source

NAMES_TOLD = 8

ALIASES = {
    "q_rot": "q_rotated",
    "k_rot": "k_rotated",
    "probs": "probabilities",
    "attn": "attention",
    "out": "output",
}


@dataclass(frozen=True, slots=True)
class Claims:
    """The user's tensors by the block's names, and the names in archives that are none of these."""

    tensors: Mapping[str, Array]
    left_aside: tuple[str, ...]

    @property
    def of_scores(self) -> bool:
        """Whether all scores must be kept to compare them."""
        return any(name in self.tensors for name in SQUARES)


def claims_of(typed: Sequence[str]) -> Claims:
    """What was typed behind each `--expect`: NAME=VALUE, NAME=@FILE, or @FILE with several tensors."""
    found: dict[str, Array] = {}
    aside: list[str] = []
    for text in typed:
        for name, value in _named(text, aside):
            if name in found:
                raise DenseError("expect-too-many", option="--expect", typed=name, count=2, most=1)
            found[name] = array_of("--expect", value, masked=name == "scores")
    return Claims(found, tuple(aside))


def _named(text: str, aside: list[str]) -> Iterator[tuple[str, str]]:
    """The name and the value of each tensor; names that are none of the block's go to `aside`."""
    inside = named("--expect", lambda: names_in(text)) if is_source(text) else ()
    known = [name for name in inside if _own(name) in TENSORS]
    if known or len(inside) > 1:
        if not known:
            names = some(inside, NAMES_TOLD)
            raise DenseError(
                "expect-no-tensor", option="--expect", typed=text, names=names, known=tuple(TENSORS)
            )
        aside += [name for name in inside if name not in known]
        for name in known:
            yield _own(name), f"{text.strip()}:{name}"
    else:
        yield name_and_value(text, ASKED)


def _own(name: str) -> str:
    plain = name.strip().casefold().replace("-", "_")
    return ALIASES.get(plain, plain)


def against_block(
    outcome: Outcome,
    given: Sequence[Block],
    traces: Sequence[Trace],
    claims: Claims,
    wanted: Expected,
    say: Say,
) -> Outcome:
    """The outcome with the comparison of every claimed tensor, in the order in which they are made."""
    assert outcome.derivation is not None
    made = list(traces[0].tensors)
    for name in claims.tensors:
        if name not in made:
            close = nearest(name, made) or tuple(made)
            raise DenseError("expect-unknown-name", option="--expect", typed=name, known=close)
    found = block_comparisons(given, traces, claims.tensors, wanted.atol, wanted.rtol)
    shown = _with_table(outcome.derivation, found, claims)
    answers = [(0, Claim(()), comparison) for comparison in found.values()]
    about = replace(ASKED, notes=lambda comparison, claim: _where(comparison, list(found), claims))
    derivation = in_words(shown, wanted.typed, answers, about, say)
    right = all(comparison.matches for comparison in found.values())
    return Outcome(derivation, outcome.exit if right else Exit.DIFFERS, outcome.warnings)


def _where(comparison: Comparison, names: Sequence[str], claims: Claims) -> Iterator[Note]:
    """Where the block first goes wrong, as far as the given tensors tell; and what was left aside."""
    name = comparison.name
    if not comparison.matches and names.index(name):
        yield Note("expect.block.first-wrong", {"tensor": name, "meaning": Note(f"block.tensor.{name}")})
    elif not comparison.matches and not comparison.mistakes and name != "x":
        yield Note("expect.block.first-given", {"tensor": name})
    if claims.left_aside:
        yield Note("expect.block.left-aside", {"names": Listed(some(claims.left_aside, NAMES_TOLD))})


def _with_table(before: Derivation, found: Mapping[str, Comparison], claims: Claims) -> Derivation:
    rows: list[tuple[Value | Note, ...]] = [
        (name, claims.tensors[name].shape, comparison.matches, comparison.max_abs_error)
        for name, comparison in found.items()
    ]
    names = ("quantity", "shape", "is-right", "largest")
    table = Table(tuple(Note(f"expect.column.{name}") for name in names), tuple(rows))
    return replace(before, steps=(*before.steps, Step("expect", Note("expect.block.compared"), table=table)))


def _no_question(name: str, place: int) -> Question:
    raise NotImplementedError  # the comparison is made with the arrays


ASKED = Asked(dict.fromkeys(TENSORS, "rows"), _no_question, bare="output", aliases=ALIASES, whole_arrays=True)
