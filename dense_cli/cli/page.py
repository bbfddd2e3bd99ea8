"""How a result is shown: format, digits, language, and where it goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dense_cli import render
from dense_cli.cli import console
from dense_cli.cli.options import Outcome
from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass
from dense_cli.lang import say_in
from dense_cli.lang.refusal import hint, message

if TYPE_CHECKING:
    from dense_cli.derivation import Derivation, Note, Say

MOST_DIGITS = 17
"""More decimals than a float64 has tell nothing."""


@dataclass(frozen=True, slots=True)
class Page:
    """The shared options of one call, read and checked."""

    say: Say
    language: str
    format: str | None = None
    digits: int = 6
    output: str | None = None
    guessed: bool = False
    """Whether plain text is only a guess: no format was asked for, and the file's name tells none."""

    @classmethod
    def of(cls, options: Mapping[str, Any], language: str) -> Page:
        """The page that these options ask for. Raises DenseError for what is none."""
        output = (
            None if options.get("output") == "-" else options.get("output")
        )  # - is the screen or the pipe
        chosen, guessed = options.get("format"), False
        if options.get("json_"):
            if chosen not in (None, "json"):
                raise DenseError("option-twice", typed="--format", first="--json", second=chosen)
            chosen = "json"
        if chosen is None and output is not None:
            from dense_cli.cli.suffixes import format_for

            named = format_for(output)
            chosen, guessed = named or "plain", named is None
        if chosen is not None and chosen not in render.FORMATS:
            close = nearest(chosen, list(render.FORMATS)) or tuple(render.FORMATS)
            raise DenseError("unknown-format", option="--format", typed=chosen, nearest=tuple(close))
        return cls(say_in(language), language, chosen, _digits(options.get("digits")), output, guessed)


def _digits(typed: str | None) -> int:
    if typed is None:
        return 6
    from dense_cli.reading.numbers import whole

    try:
        digits = whole(typed)
    except DenseError as error:
        raise error.about(option="--digits") from error
    if not 0 <= digits <= MOST_DIGITS:
        raise DenseError("digits-range", option="--digits", typed=typed, most=MOST_DIGITS)
    return digits


def show(outcome: Outcome, page: Page) -> None:
    """Print an outcome, or write it to the file that was named."""
    _warn(outcome.warnings, page.say)
    if not outcome.delivered:
        _deliver(outcome, page)
    if page.output is not None and outcome.remark is not None:
        from dense_cli.reading.characters import visible

        facts = {name: str(fact) for name, fact in outcome.remark.facts.items()}
        console.warn(page.say(outcome.remark.key, file=visible(page.output), **facts))
    for note in outcome.beside:
        console.warn(page.say(note.key, **{name: str(fact) for name, fact in note.facts.items()}))


def _deliver(outcome: Outcome, page: Page) -> None:
    stream = console.standard_output()
    if outcome.derivation is not None and page.output is not None and page.guessed:
        from dense_cli.cli.suffixes import check_page

        check_page(page.output)
    text = outcome.text if outcome.derivation is None else _written(outcome.derivation, page, stream)
    if page.output is None:
        stream.write(text)
    else:
        console.write_atomically(page.output, text)


def _written(derivation: Derivation, page: Page, stream: console.Output) -> str:
    return render.show(
        derivation,
        format=page.format or ("rich" if stream.terminal else "plain"),
        say=page.say,
        digits=page.digits,
        width=stream.width,
        colour=stream.colour and page.output is None,
    )


def _warn(warnings: Sequence[Note | DenseError], say: Say) -> None:
    """Every warning on a line of its own, and below them what to do, each advice once."""
    for warning in warnings:
        if isinstance(warning, DenseError):
            text = message(warning, say)
        else:
            text = say(warning.key, **{name: str(fact) for name, fact in warning.facts.items()})
        console.warn(f"{say('common.warning')}{say('common.colon')}{text}")
    advice = dict.fromkeys(hint(warning, say) for warning in warnings if isinstance(warning, DenseError))
    for text in advice:
        console.warn(f"{say('common.hint')}{say('common.colon')}{text}")
