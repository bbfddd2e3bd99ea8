"""Calls the command line in this process: fast, with its own environment and streams."""

import io
import json
import os
import sys
from dataclasses import dataclass
from unittest.mock import patch

from dense_cli.cli.main import run

QUIET = {"DENSE_LANG": "en", "COLUMNS": "100", "NO_COLOR": "1", "TERM": "xterm"}


@dataclass(frozen=True)
class Called:
    """How a call ended and what it printed."""

    exit: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out, parse_constant=lambda name: pytest_fail(name))


def pytest_fail(name):
    raise ValueError(f"{name} is no JSON")


def call(*arguments, stdin="", **environment):
    """`dense` with these arguments; keyword arguments are environment variables."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    with (
        patch.dict(os.environ, {**QUIET, **environment}),
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", err),
        patch.object(sys, "stdin", given),
    ):
        code = run(list(arguments))
    return Called(code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode())


def started(*arguments, code=None):
    """`python -m dense_cli` as a process of its own, for what only a process shows."""
    import subprocess

    words = [sys.executable, *(["-c", code] if code else ["-m", "dense_cli"]), *arguments]
    environment = {**os.environ, **QUIET}
    return subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment, check=False
    )
