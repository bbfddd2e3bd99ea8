"""What a command shows, for a caller in Python: options as values in, the derivation out, nothing printed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from typing import Any

from dense_cli import render
from dense_cli.cli import language
from dense_cli.cli.running import ran
from dense_cli.derivation import Data, Derivation, Say
from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass, field
from dense_cli.lang import say_in

CALCULATORS = ("rope", "rmsnorm", "swiglu", "params", "block")
"""The commands that derive something."""

WIDTH = 100
"""Columns of text where nothing says how many there are."""


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """A derivation with the language and the decimals in which to show it.

    As text it is the plain page; a notebook shows it with formulas and tables.
    """

    derivation: Derivation
    say: Say = field(compare=False)
    digits: int = 6

    @property
    def result(self) -> Mapping[str, Data]:
        """The numbers, with full precision."""
        return self.derivation.result

    @property
    def comparison(self) -> Mapping[str, Data] | None:
        """How `expect` compares, and which mistakes make it; None where nothing was expected."""
        return self.derivation.comparison

    def show(self, format: str = "plain", width: int = WIDTH) -> str:
        """The page in one of `render.FORMATS`. Raises `DenseError` "unknown-format"."""
        if format not in render.FORMATS:
            close = nearest(format, render.FORMATS) or render.FORMATS
            raise DenseError("unknown-format", typed=format, nearest=tuple(close))
        return render.show(
            self.derivation, format=format, say=self.say, digits=self.digits, width=width, colour=False
        )

    def __repr__(self) -> str:
        return self.show()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What a notebook shows: Markdown with formulas and tables, or else text."""
        return {"text/plain": self.show(), "text/markdown": self.show("markdown")}


def explained(
    command: str, sources: Sequence[object], digits: int, lang: str | None, options: Mapping[str, object]
) -> Explanation:
    """The derivation of a command called with these options.

    Raises `DenseError` as the command does, and "unknown-command" for one that derives nothing.

    >>> explained("rmsnorm", (), 6, "en", {"x": (3, 4)}).result["rows"][0]["mean_square"]
    12.5
    """
    if command not in CALCULATORS:
        close = nearest(command, CALCULATORS) or CALCULATORS
        raise DenseError("unknown-command", typed=command, nearest=tuple(close))
    spoken = language.of_environment() if lang is None else language.checked(lang)
    module: Any = import_module(f"dense_cli.cli.{command}")
    given = {**options, "digits": digits}
    words = [word for name, value in given.items() for word in as_typed(name, value)]
    words += ["--", *(text_of(source) for source in sources)] if sources else []
    outcome, page = ran(module, getattr(module, command), command, words, spoken)
    assert outcome.derivation is not None  # CALCULATORS derive
    return Explanation(outcome.derivation, say_in(spoken), page.digits)


def as_typed(name: str, value: object) -> Iterator[str]:
    """The words of one option, as they would be typed.

    >>> [*as_typed("pos", [(0, 1), (1, 2)]), *as_typed("unit_offset", True), *as_typed("gain", None)]
    ['--pos=0,1', '--pos=1,2', '--unit-offset']
    >>> [*as_typed("wg", [[1, 0], [0, 0.5]]), *as_typed("expect", {"dot": 0})]
    ['--wg=1,0:0,0.5', '--expect=dot=0']
    """
    option = "--" + name.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return
    if value is True:
        yield option
    elif name == "pos" and _nested(value):
        yield from (f"{option}={text_of(each)}" for each in _listed(value))
    elif name == "expect" and isinstance(value, Mapping):
        yield from (f"{option}={each}={text_of(wanted)}" for each, wanted in value.items())
    else:
        yield f"{option}={text_of(value)}"


def text_of(value: Any) -> str:
    """A number, vector, matrix, config or path, as it would be typed.

    >>> text_of(-0.1), text_of(Fraction(1, 3)), text_of([(1, 2), (3, 4)]), text_of({"eps": 0})
    ('-0.1', '1/3', '1,2:3,4', '{"eps": 0}')
    """
    value = _plain(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int | float | Fraction):
        return str(value)
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, Mapping):
        import json

        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Sequence):
        return (":" if _nested(value) else ",").join(map(text_of, value))
    raise DenseError("array-kind", name="explain", kind=type(value).__name__)


def _plain(value: Any) -> Any:
    """What NumPy holds, as Python's own numbers and lists."""
    return value.tolist() if hasattr(value, "tolist") else value


def _listed(value: object) -> Sequence[object]:
    listed: Sequence[object] = _plain(value)
    return listed


def _nested(value: object) -> bool:
    """Whether it is a list of lists."""
    value = _plain(value)
    return isinstance(value, list | tuple) and any(isinstance(_plain(each), list | tuple) for each in value)
