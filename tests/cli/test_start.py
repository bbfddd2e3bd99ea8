"""What a start costs: modules that are imported, never seconds, so that a slow machine does not fail."""

import pytest

from tests.cli.calling import started

REPORT = """
import contextlib, io, sys
from dense_cli.__main__ import main
sys.argv = ["dense", *sys.argv[1:]]
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    try:
        main()
    except SystemExit:
        pass
print(" ".join(name for name in ("numpy", "pydantic", "rich", "typer", "tomllib", "difflib") if name in sys.modules))
"""

HEAVY = {"numpy", "pydantic", "rich"}


def imported(*arguments):
    return set(started(*arguments, code=REPORT).stdout.split())


def test_version_imports_nothing():
    assert imported("--version") == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["rope", "--help"],
        ["exercise"],
        ["rop"],
        ["rope", "--q", "1,0", "--k", "1,0", "--pos", "1", "2"],
        ["rope", "--q", "1,0", "--k", "1,0", "--pos", "1", "2", "--json"],
        ["rmsnorm", "--x", "3,4"],
        ["swiglu", "--example"],
        ["params", "--width", "12", "--hidden", "48"],
        ["params", '{"hidden_size": 12, "query_heads": 3, "ffn_hidden_size": 32}'],
        ["check", "--exercise", "2", "--answer", "output=0,1"],
        ["exercise", "template"],
    ],
    ids=" ".join,
)
def test_small_work_imports_nothing_heavy(arguments):
    assert not imported(*arguments) & HEAVY
