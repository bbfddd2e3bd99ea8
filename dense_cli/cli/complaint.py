"""The one way an error reaches a person, or a script that asked for JSON."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from dense_cli.cli.exits import Exit
from dense_cli.errors import DenseError, DenseErrors
from dense_cli.lang.refusal import SHOWN, hint, message
from dense_cli.reading.characters import visible

if TYPE_CHECKING:
    from dense_cli.derivation import Say

MOST = 20
"""Violations told at once; a thousand lines help nobody."""


def complain(error: DenseError, say: Say, as_json: bool = False) -> Exit:
    """Tell what is wrong on stderr, and as JSON on stdout where the call asked for it."""
    errors = error.errors if isinstance(error, DenseErrors) else (error,)
    told = [(message(one, say), hint(one, say)) for one in errors[:MOST]]
    colon = say("common.colon")
    lines = [f"{say('common.error')}{colon}{text}" for text, _ in told]
    if len(errors) > MOST:
        lines.append(say("common.more-errors", count=str(len(errors) - MOST)))
    lines += [f"{say('common.hint')}{colon}{text}" for text in dict.fromkeys(text for _, text in told)]
    print("\n".join(lines), file=sys.stderr)
    if as_json:
        import json

        messages, hints = zip(*told, strict=True)
        body = {"code": error.key, "message": "\n".join(messages), "hint": "\n".join(dict.fromkeys(hints))}
        print(json.dumps({"schema": "dense/1", "error": body}, ensure_ascii=False))
    return Exit.UNUSABLE


def confess(say: Say) -> Exit:
    """A fault of the program: say so and how to report it; the traceback only where it is asked for."""
    if os.environ.get("DENSE_DEBUG") == "1":
        import traceback

        traceback.print_exc()
    kind, value = sys.exc_info()[:2]
    name = kind.__name__ if kind else "?"
    print(f"{say('common.fault', fault=name)} {visible(str(value), SHOWN)}", file=sys.stderr)
    print(f"{say('common.hint')}{say('common.colon')}{say('common.fault-hint')}", file=sys.stderr)
    return Exit.FAULT
