"""``results.json`` of Gradescope's autograder, for one submission.

Source: Gradescope, "Autograder Specifications", output format.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from dense_cli.grading.export.documents import dumped
from dense_cli.grading.export.gradebook import Gradebook, all_right
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import REVIEW, Mark
from dense_cli.grading.marks.telling import Teller
from dense_cli.lang.refusal import hint, message
from dense_cli.numerals import plain_number
from dense_cli.reading.characters import visible

LONGEST_OUTPUT = 4000


def write(book: Gradebook) -> str:
    """One test an answer; `score` is the total, which stands above the sum of the tests."""
    one = book.alone("gradescope")
    document = {
        "score": plain_number(one.score),
        "output": _summary(one, book.teller),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "tests": [_test(number, mark, book.teller) for number, mark in _numbered(one)],
        "extra_data": {
            "exercises": book.teller.set.id,
            "max_score": plain_number(one.max_score),
            "to_review": plain_number(one.to_review),
        },
    }
    return dumped(document, indent=2) + "\n"


def _numbered(one: Marked) -> Iterator[tuple[str, Mark]]:
    """The answers with the number of their exercise and their place in it, as ``2.1``."""
    for exercise, marks in groupby(one.marks, key=lambda mark: mark.field.exercise):
        for place, mark in enumerate(marks, 1):
            yield f"{exercise}.{place}", mark


def _summary(one: Marked, teller: Teller) -> str:
    if one.error is not None:
        told = f"{message(one.error, teller.say)}\n{hint(one.error, teller.say)}"
    else:
        key = "export.points-review" if one.to_review else "export.points"
        numbers = {
            "score": plain_number(one.score),
            "maximum": plain_number(one.max_score),
            "review": plain_number(one.to_review),
        }
        told = teller.say(key, **{name: format(number) for name, number in numbers.items()})
    return "\n".join(visible(line, LONGEST_OUTPUT) for line in told.split("\n"))


def _test(number: str, mark: Mark, teller: Teller) -> dict[str, Any]:
    """An answer that a person must read has neither a score nor a status yet."""
    told: dict[str, Any] = {"name": mark.field.key, "number": number}
    if mark.verdict != REVIEW or mark.reviewed:
        told["score"] = plain_number(mark.points)
        told["status"] = "passed" if all_right(mark) else "failed"
    told["max_score"] = plain_number(mark.field.points)
    told["output"] = output(mark, teller)
    told["tags"] = [found.id for found in mark.mistakes]
    told["extra_data"] = {"verdict": mark.verdict, "given": mark.given, "read_as": mark.read_as}
    return told


def output(mark: Mark, teller: Teller) -> str:
    """The verdict, the answer, and what there is to say about it, in one line."""
    verdict = teller.say(f"check.verdict-{mark.verdict}")
    parts = [verdict if mark.given is None else f"{verdict}: {mark.given}", teller.message(mark)]
    return visible(" — ".join(part for part in parts if part), LONGEST_OUTPUT)
