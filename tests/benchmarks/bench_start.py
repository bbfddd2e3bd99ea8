"""How soon the command answers, as a ratio to ``python -c "import numpy"``.

Not part of the tests. Run it with a Python for which the built wheel is installed and compiled:
``python -m pytest tests/benchmarks/bench_start.py -n 0``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

DENSE = str(Path(sys.executable).with_name("dense"))
MODEL = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "num_hidden_layers": 32,
    "vocab_size": 32000,
}
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
    "dense params config.json": ("params", "config.json"),
    "dense check, one answer": ("check", "--exercise", "4", "--answer", "output=1.761594,-2.857722"),
    "dense exercise show": ("exercise", "show", "4"),
    "dense exercise solve": ("exercise", "solve", "4"),
}


def run(*words: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(words, capture_output=True, check=False, env=environment)


@pytest.mark.parametrize("name", CALLS)
def test_whole_process(against, name, tmp_path, monkeypatch):
    (tmp_path / "config.json").write_text(json.dumps(MODEL), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    against(
        name,
        lambda: run(DENSE, *CALLS[name]),
        {"import numpy": lambda: run(sys.executable, "-c", "import numpy")},
        rounds=11,
    )
