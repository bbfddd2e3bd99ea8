"""How soon the command answers, as a ratio to ``python -c "import numpy"``.

Not part of the tests. Run it with a Python for which the built wheel is installed and compiled:
``python -m pytest tests/benchmarks/bench_start.py -n 0``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DENSE = str(Path(sys.executable).with_name("dense"))
CALLS = {
    "dense --version": ("--version",),
    "dense --help": ("--help",),
    "dense rope --help": ("rope", "--help"),
    "a misspelt command": ("ropee",),
    "dense rope": ("rope", "--q", "1,0", "--k", "1,0", "--pos", "1", "2"),
    "dense rope, as a Rich table": [
        "rope",
        "--q",
        "1,0",
        "--k",
        "1,0",
        "--pos",
        "1",
        "2",
        "--format",
        "rich",
    ],
    "dense rmsnorm": ("rmsnorm", "--x", "3,4"),
    "dense swiglu": ["swiglu", "--x", "1,-1", "--wg", "1,0:0,1", "--wu", "2,0:0,-3", "--wd", "1,0:1,1"],
    "dense params": ("params", "--width", "12", "--hidden", "48"),
}


def run(*words: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(words, capture_output=True, check=False, env=environment)


@pytest.mark.parametrize("name", CALLS)
def test_whole_process(against, name):
    against(
        name,
        lambda: run(DENSE, *CALLS[name]),
        {"import numpy": lambda: run(sys.executable, "-c", "import numpy")},
        rounds=11,
    )
