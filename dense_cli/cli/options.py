"""How a command declares its options, and the options that every command shares.

Values reach a command as the text that was typed: Typer's own conversions take `1_000` for a number
and hide what was wrong, so every value is read by `reading` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass

if TYPE_CHECKING:
    from dense_cli.cli.exits import Exit
    from dense_cli.cli.page import Page
    from dense_cli.derivation import Derivation, Note


Kind = Literal["text", "texts", "flag"]


@dataclass(frozen=True, slots=True)
class Declared:
    """How something is typed: behind one of these options, or without any."""

    options: tuple[str, ...]
    metavar: str | None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a command and how it is typed."""

    name: str
    options: tuple[str, ...]
    metavar: str | None
    kind: Kind


def option(*names: str, metavar: str | None = None) -> Declared:
    """An option whose help text stands in `lang` under the command's and its own name."""
    return Declared(names, metavar)


def positional(metavar: str) -> Declared:
    """Words that stand without an option."""
    return Declared((), metavar)


FormatOption = Annotated[str | None, option("--format", metavar="FORMAT")]
JsonOption = Annotated[bool, option("--json")]
OutputOption = Annotated[str | None, option("--output", "-o", metavar="FILE")]
DigitsOption = Annotated[str | None, option("--digits", metavar="N")]
LangOption = Annotated[str | None, option("--lang", metavar="en|zh")]
ExampleOption = Annotated[bool, option("--example")]

SHARED = ("format", "json_", "output", "digits", "lang")
"""Parameters that say how to show a result; `cli.page` reads them, the commands need not."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command gives back: something to tell, or a text as it stands, and how the call ends."""

    derivation: Derivation | None
    exit: Exit
    warnings: tuple[Note | DenseError, ...] = ()
    text: str = ""
    remark: Note | None = None
    """A line on standard error beside a file that was written."""
    beside: tuple[Note, ...] = ()
    """Lines on standard error about what else was written."""
    delivered: bool = False
    """Whether the text is where it should be already: one that is too long for memory."""


@dataclass(frozen=True, slots=True)
class Example:
    """A call that works as it stands in every shell; its caption stands in `lang` under `key`."""

    key: str
    arguments: str


def parameters_of(function: Callable[..., Outcome]) -> tuple[Parameter, ...]:
    """The options and positional words that a command declares, in the order of its signature."""
    return tuple(
        Parameter(name, declared.options, declared.metavar, _KINDS[annotation.__origin__])
        for name, annotation in get_type_hints(function, include_extras=True).items()
        for declared in getattr(annotation, "__metadata__", ())
    )


def outcome_of(function: Callable[..., Outcome], page: Page, values: Mapping[str, Any]) -> Outcome:
    """What a command gives back; the page is given only to one that asks for it."""
    return function(page, **values) if "page" in function.__annotations__ else function(**values)


_KINDS: dict[Any, Kind] = {str | None: "text", tuple[str, ...]: "texts", bool: "flag"}


def joined(arguments: Sequence[str], name: str, values: int) -> list[str]:
    """Arguments with the `values` words behind option `name` made one, as ``--pos 1 2`` → ``--pos "1 2"``.

    Click takes a fixed number of words only where it also converts them, so the words are joined
    before it looks. A word that begins with ``--`` is never taken.
    """
    result: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        own, sign, first = word.partition("=")
        if word == "--":
            return [*result, word, *rest]
        if own != name:
            result.append(word)
            continue
        taken = [first] if sign else []
        while len(taken) < values and rest and not rest[0].startswith("--") and not _holds_several(taken):
            taken.append(rest.pop(0))
        result += [name, " ".join(taken)] if taken else [name]
    return result


def _holds_several(words: Sequence[str]) -> bool:
    """Whether one word already holds all the values, as ``--pos 1,2`` does."""
    return any(mark in word for word in words for mark in ",，、 ")


def required(command: str, **values: object) -> None:
    """Refuse the call where one of these was not given, naming all that are missing."""
    missing = [option_name(name) for name, value in values.items() if value is None or value == ()]
    if missing:
        raise DenseError("missing-option", options=tuple(missing), command=command)


def unused(hint: str, place: str, /, **values: object) -> None:
    """Refuse options that would be left aside without a word.

    They need `place` to be typed too (`hint` is "option-needs"), or cannot stand beside it
    ("option-excludes").
    """
    for name, value in values.items():
        if value not in (None, False, ()):
            option = option_name(name)
            typed = option if value is True else " ".join(value) if isinstance(value, tuple) else value
            raise DenseError("option-unused", hint=hint, option=option, typed=typed, place=place)


def option_name(parameter: str) -> str:
    """The option of a parameter.

    >>> option_name("rope_theta")
    '--rope-theta'
    """
    return "--" + parameter.rstrip("_").replace("_", "-")


def typed_options(**values: str | bool | None) -> dict[str, str | bool]:
    """What was typed, by the name of its option without dashes, to be echoed beside the result."""
    return {option_name(name)[2:]: value for name, value in values.items() if value not in (None, False)}
