"""Which language to speak: what was asked for, else what the environment says."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from dense_cli.errors import DenseError
from dense_cli.lang import LANGUAGES

VARIABLES = ("DENSE_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


def of_environment(environment: Mapping[str, str] = os.environ) -> str:
    """The language of the first variable that is set, English where it is none of ours.

    >>> of_environment({"DENSE_LANG": "", "LANG": "zh_CN.UTF-8"}), of_environment({"LC_ALL": "C"})
    ('zh', 'en')
    """
    for name in VARIABLES:
        if value := environment.get(name):
            code = value.replace("-", "_").split("_")[0].split(".")[0].casefold()
            return code if code in LANGUAGES else LANGUAGES[0]
    return LANGUAGES[0]


def of_arguments(arguments: Sequence[str]) -> str:
    """The language of a call: ``--lang`` wherever it stands, else the environment's.

    Read before anything else, so that even the complaint about a misspelt command is in it. Raises
    DenseError for a language that is not there.
    """
    for place, word in enumerate(arguments):
        if word == "--":
            break
        if word == "--lang" and place + 1 < len(arguments):
            return checked(arguments[place + 1])
        if word.startswith("--lang="):
            return checked(word.removeprefix("--lang="))
    return of_environment()


def checked(code: str) -> str:
    """A language code of ours: ``zh``, ``zh-CN`` and ``zh_CN.UTF-8`` are all Chinese."""
    short = code.replace("-", "_").split("_")[0].split(".")[0].casefold()
    if short not in LANGUAGES:
        raise DenseError("unknown-language", typed=code, languages=tuple(LANGUAGES))
    return short
