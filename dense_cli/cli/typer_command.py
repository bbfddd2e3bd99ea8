"""A call parsed by Typer: every way to write one, and every complaint.

Calls that are written plainly need none of it (`cli.parsing`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter as PythonParameter
from inspect import Signature
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from dense_cli.cli.options import Parameter
from dense_cli.cli.parsing import only_value
from dense_cli.errors import DenseError, nearest


class TypedText(TyperCommand):
    """A command that takes its values as they were typed, and turns Click's complaints into ours."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        found, rest = self._split(ctx, args)
        ctx.params.update(found)
        ctx.args = rest
        return rest

    def _split(self, ctx: Any, args: list[str]) -> tuple[dict[str, Any], list[str]]:
        refused: Any = typer.BadParameter.__base__  # whatever Click refuses; it has no public name in Typer
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
                return DenseError("unknown-option", typed=name, nearest=tuple(close))
            return DenseError("unknown-option", hint="unknown-option-help", typed=name, command=self.name)
        return DenseError("option-without-value", option=name, command=self.name)


def found_by_typer(name: str, parameters: Sequence[Parameter], words: Sequence[str]) -> dict[str, Any]:
    """What was typed for each parameter that was typed. Raises DenseError for words that are no call."""
    context = command(name, parameters).make_context(f"dense {name}", list(words))
    found: dict[str, Any] = context.params
    if context.args:
        raise _unexpected(name, parameters, found, context.args[0])
    for one in parameters:
        if one.kind == "text" and one.options and found.get(one.name):
            found[one.name] = only_value(one, found[one.name], name)
    return found


def _unexpected(name: str, parameters: Sequence[Parameter], found: dict[str, Any], typed: str) -> DenseError:
    """The complaint about a word too many, with what this command takes."""
    facts: dict[str, Any] = {"typed": typed, "command": name}
    for one in parameters:
        if not one.options:
            facts |= {"what": one.metavar, "first": found.get(one.name)}
            return DenseError("unexpected-argument", hint="unexpected-argument-one", **facts)
    for one in parameters:
        if "VEC" in (one.metavar or ""):
            return DenseError("unexpected-argument", **facts, vector=one.options[0])
    return DenseError("unexpected-argument", hint="unexpected-argument-none", **facts)


def command(name: str, parameters: Sequence[Parameter]) -> TypedText:
    """The Typer command with these parameters, and with no option of Typer's own."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name=name, cls=TypedText, add_help_option=False)(_function_with(parameters))
    made = typer.main.get_command(app)
    assert isinstance(made, TypedText)
    return made


def _function_with(parameters: Sequence[Parameter]) -> Callable[..., None]:
    """A function as Typer reads parameters from one; what to do with the values is not Typer's business."""

    def function(**values: Any) -> None: ...

    function.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            PythonParameter(
                one.name,
                PythonParameter.KEYWORD_ONLY,
                default=False if one.kind == "flag" else None,
                annotation=Annotated[_kind(one), _typers(one)],
            )
            for one in parameters
        ]
    )
    return function


def _kind(parameter: Parameter) -> Any:
    """How Typer takes a parameter: an option for one text as several, so that two values are seen."""
    if parameter.kind == "flag":
        return bool
    return list[str] | None if parameter.options or parameter.kind == "texts" else str | None


def _typers(parameter: Parameter) -> Any:
    if parameter.options:
        return typer.Option(*parameter.options, metavar=parameter.metavar)
    return typer.Argument(metavar=parameter.metavar)
