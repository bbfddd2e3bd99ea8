"""How fast a class is marked, as a ratio to reading and writing the same lines without marking.

Not part of the tests: ``python -m pytest tests/benchmarks/bench_marking.py -n 0``. The numbers of
students come from the variable DENSE_STUDENTS, as in ``DENSE_STUDENTS=20000,200000``.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dense_cli.grading.classes.blocks import Job, _desk
from dense_cli.grading.classes.processes import in_processes
from dense_cli.grading.classes.streaming import one_by_one, stream
from dense_cli.grading.exercises.set_files import load_set
from dense_cli.grading.intake.sheets import FieldNames
from dense_cli.grading.marks.marking import Rules
from tests.benchmarks.classes import write_lines, write_table

STUDENTS = [int(number) for number in os.environ.get("DENSE_STUDENTS", "20000").split(",")]
SET = load_set()


def job(path: Path, to: str | None) -> Job:
    return Job(SET, Rules(), "en", to, path.name, FieldNames.of(SET), counted=to is None)


def mark(path: Path, to: str | None, marking=one_by_one) -> None:
    _desk.cache_clear()  # what a call has to do once is part of it
    with open(path.with_suffix(".out"), "wb") as out:
        stream(job(path, to), path, "error", out, marking)


def json_there_and_back(path: Path) -> None:
    with open(path, encoding="utf-8") as lines, open(path.with_suffix(".back"), "w", encoding="utf-8") as out:
        for line in lines:
            out.write(json.dumps(json.loads(line)) + "\n")


def csv_there_and_back(path: Path) -> None:
    with (
        open(path, encoding="utf-8", newline="") as lines,
        open(path.with_suffix(".back"), "w", encoding="utf-8", newline="") as out,
    ):
        csv.writer(out).writerows(csv.reader(lines))


@pytest.mark.parametrize("students", STUDENTS)
@pytest.mark.parametrize("to", ["jsonl", "csv-wide", None])
@pytest.mark.parametrize("distinct", [False, True], ids=["repeating", "distinct"])
def test_json_lines(against, tmp_path, students, to, distinct):
    path = tmp_path / "class.jsonl"
    write_lines(path, students, distinct)
    kind = "all distinct" if distinct else "repeating"
    name = f"{students:,} sheets of JSON Lines to {to or 'statistics'}, {kind}"
    yardstick = {"json.loads + json.dumps": lambda: json_there_and_back(path)}
    against(name, lambda: mark(path, to), yardstick, rounds=3)


@pytest.mark.parametrize("students", STUDENTS)
@pytest.mark.parametrize("to", ["csv", "csv-wide"])
@pytest.mark.parametrize("distinct", [False, True], ids=["repeating", "distinct"])
def test_table(against, tmp_path, students, to, distinct):
    path = tmp_path / "class.csv"
    write_table(path, students, distinct)
    name = f"{students:,} rows to {to}, {'all distinct' if distinct else 'repeating'}"
    yardstick = {"csv.reader + csv.writer": lambda: csv_there_and_back(path)}
    against(name, lambda: mark(path, to), yardstick, rounds=3)


@pytest.mark.parametrize("students", STUDENTS)
def test_two_processes(against, tmp_path, students):
    path = tmp_path / "class.jsonl"
    write_lines(path, students, distinct=True)
    against(
        f"{students:,} distinct sheets, two processes",
        lambda: mark(path, "jsonl", lambda packed, blocks: in_processes(2, packed, blocks)),
        {"one process": lambda: mark(path, "jsonl")},
        rounds=3,
    )


@pytest.mark.parametrize("students", STUDENTS)
def test_memory(capsys, tmp_path, students):
    """Prints the most memory that a whole call takes; it should not depend on the number of students."""
    path = tmp_path / "class.jsonl"
    write_lines(path, students)
    # What the process itself had: the kernel's own count of the most also knows what its parent held.
    call = "import sys; from dense_cli.cli.main import run; run(sys.argv[1:]);"
    call += "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"
    words = ("check", str(path), "--to", "csv-wide", "-o", str(tmp_path / "marks.csv"))
    told = subprocess.run([sys.executable, "-c", call, *words], capture_output=True, text=True, check=True)
    with capsys.disabled():
        print(f"\n{students:,} sheets: at most {int(told.stdout) / 1024:.0f} MB")
