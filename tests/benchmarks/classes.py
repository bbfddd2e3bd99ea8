"""Classes of any size for measuring: sheets whose answers come again and again, or are all different."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

ANSWERS: Mapping[str, tuple[str, ...]] = {
    "1.query": ("[-1, 0]", "-1, 0", "[0, -1]", "(-0.416147, 0.909297)"),
    "1.dot": ("0", "0.540302", "1", "-1"),
    "2.output": ("[0, 1.414214]", "0, 1.4142", "[0, 1]", "[-1, 1]"),
    "4.output": ("[1.761594, -2.857722]", "[1.462117, -0.806824]", "[1.4621, 5]", "[2, -3]"),
    "5.hidden": ("64", "96", "48", "64.0"),
    "6.conclusion": ("buffer", "quality", "memory", "nothing"),
}
"""One field of each of the six exercises, right and wrong answers among them."""


def sheets(students: int, distinct: bool = False) -> Iterator[dict[str, str]]:
    """The same class every time; with `distinct`, every number of every sheet is another one."""
    random = Random(25)
    for number in range(students):
        sheet = {"student": f"s{number:07d}"}
        for key, answers in ANSWERS.items():
            sheet[key] = _new(key, random) if distinct else random.choice(answers)
        yield sheet


def _new(key: str, random: Random) -> str:
    if key == "6.conclusion":
        return random.choice(ANSWERS[key])
    if key == "5.hidden":
        return str(random.randrange(10**9))
    numbers = [f"{random.uniform(-3, 3):.6f}" for _ in range(1 if key == "1.dot" else 2)]
    return numbers[0] if len(numbers) == 1 else f"[{', '.join(numbers)}]"


def write_lines(path: Path, students: int, distinct: bool = False) -> None:
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(sheet) + "\n" for sheet in sheets(students, distinct))


def write_table(path: Path, students: int, distinct: bool = False) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ("student", *ANSWERS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(sheets(students, distinct))
