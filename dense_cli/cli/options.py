"""Options that every command shares, and how commands are handed to Typer.

Typer parses; values reach our functions as the text that was typed. Its own conversions take `1_000`
for a number and hide what was wrong, so every value is read by `reading` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from dense_cli.derivation import Derivation, Note
from dense_cli.errors import DenseError, nearest

if TYPE_CHECKING:
    from dense_cli.cli.exits import Exit


def option(*names: str, metavar: str | None = None) -> Any:
    """An option whose help text stands in `lang` under the command's and its own name."""
    return typer.Option(*names, metavar=metavar)


def positional(metavar: str) -> Any:
    """Words that stand without an option."""
    return typer.Argument(metavar=metavar)


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


@dataclass(frozen=True, slots=True)
class Example:
    """A call that works as it stands in every shell; its caption stands in `lang` under `key`."""

    key: str
    arguments: str


class TypedText(TyperCommand):
    """A command that takes its values as they were typed, and turns Click's complaints into ours."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        found, rest = self._split(ctx, args)
        for parameter in self.params:
            if parameter.name is not None:
                ctx.params[parameter.name] = found.get(parameter.name) or self._absent(parameter)
        if rest:
            raise DenseError("unexpected-argument", typed=rest[0], command=ctx.command_path)
        ctx.args = []
        return []

    @staticmethod
    def _absent(parameter: Any) -> Any:
        several = getattr(parameter, "multiple", False) or parameter.nargs == -1
        return () if several else False if getattr(parameter, "is_flag", False) else None

    def _split(self, ctx: Any, args: list[str]) -> tuple[dict[str, Any], list[str]]:
        refused = typer.BadParameter.__base__
        assert refused is not None
        try:
            found, rest, _ = self.make_parser(ctx).parse_args(args=list(args))
        except refused as error:
            raise self._ours(error) from error
        return dict(found), list(rest)

    def _ours(self, error: Any) -> DenseError:
        name = str(getattr(error, "option_name", "") or "")
        known = sorted(name for parameter in self.params for name in parameter.opts if name[:2] == "--")
        if type(error).__name__ == "NoSuchOption":
            close = nearest(name, known)
            if close:
                return DenseError("unknown-option", typed=name, nearest=", ".join(close))
            return DenseError("unknown-option", hint="unknown-option-help", typed=name, command=self.name)
        return DenseError("option-without-value", option=name, command=self.name)


def command(function: Callable[..., Outcome], name: str) -> TypedText:
    """The Typer command of a function, with no option of Typer's own."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name=name, cls=TypedText, add_help_option=False)(function)
    made = typer.main.get_command(app)
    assert isinstance(made, TypedText)
    return made


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
        raise DenseError("missing-option", options=", ".join(missing), command=command)


def option_name(parameter: str) -> str:
    """The option of a parameter.

    >>> option_name("rope_theta")
    '--rope-theta'
    """
    return "--" + parameter.rstrip("_").replace("_", "-")


def typed_options(**values: str | bool | None) -> dict[str, str | bool]:
    """What was typed, by the name of its option without dashes, to be echoed beside the result."""
    return {option_name(name)[2:]: value for name, value in values.items() if value not in (None, False)}
