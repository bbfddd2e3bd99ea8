"""`--expect`: the user's own numbers in, whether they are right and which mistake makes them out.

What a comparison needs is imported where something is compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from dense_cli.cli.exits import Exit
from dense_cli.cli.options import Outcome, option
from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass

if TYPE_CHECKING:
    from fractions import Fraction

    from dense_cli.cli.expect_asked import Asked
    from dense_cli.derivation import Say

ExpectOption = Annotated[tuple[str, ...], option("--expect", metavar="[NAME=]VALUE")]
AtolOption = Annotated[str | None, option("--atol", metavar="A")]
RtolOption = Annotated[str | None, option("--rtol", metavar="R")]


@dataclass(frozen=True, slots=True)
class Expected:
    """What was typed behind `--expect`, and how near it must be."""

    typed: tuple[str, ...]
    atol: Fraction
    rtol: Fraction


def expected(typed: tuple[str, ...], atol: str | None, rtol: str | None) -> Expected | None:
    """The options read; None where nothing is compared."""
    if typed:
        from dense_cli.cli.values import tolerance
        from dense_cli.mistakes.asking import ATOL, RTOL

        return Expected(typed, tolerance("--atol", atol, ATOL), tolerance("--rtol", rtol, RTOL))
    for name, value in (("--atol", atol), ("--rtol", rtol)):
        if value is not None:
            raise DenseError("tolerance-without-expect", option=name, typed=value)
    return None


def against(outcome: Outcome, wanted: Expected | None, asked: Callable[[], Asked], say: Say) -> Outcome:
    """The outcome with its comparison; as it is where nothing is compared."""
    if wanted is None or outcome.derivation is None:
        return outcome
    from dense_cli.cli.expect_asked import claims_of
    from dense_cli.cli.expect_words import told
    from dense_cli.mistakes.comparison import compared

    about = asked()
    answers = [
        (place, claim, compared(about.question(name, place), claim, wanted.atol, wanted.rtol))
        for name, place, claim in claims_of(wanted.typed, about)
    ]
    derivation = told(outcome.derivation, wanted.typed, answers, about, say)
    right = all(comparison.matches for _, _, comparison in answers)
    return Outcome(derivation, outcome.exit if right else Exit.DIFFERS, outcome.warnings)
