"""What an autograding step of GitHub Classroom hands on as its output ``result``: JSON in base64.

Source: the autograding actions of GitHub Classroom; their reporter adds up `score`. Points are whole there:
a fraction has been read as zero.
"""

from __future__ import annotations

from base64 import b64encode
from fractions import Fraction
from math import lcm
from typing import Any

from dense_cli.errors import DenseError
from dense_cli.grading.export.documents import dumped
from dense_cli.grading.export.gradebook import Gradebook, all_right
from dense_cli.grading.export.gradescope import output
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import INVALID, Mark
from dense_cli.grading.marks.telling import Teller
from dense_cli.lang.refusal import message
from dense_cli.reading.characters import visible

NAME = "github-classroom"
VERSION = 1
LONGEST_MESSAGE = 2000


def write(book: Gradebook) -> str:
    """The output of one step, for one student. Raises DenseError for points that are not whole."""
    one = book.alone(NAME)
    return b64encode(dumped(_result(one, book.teller)).encode()).decode("ascii") + "\n"


def _result(one: Marked, teller: Teller) -> dict[str, Any]:
    most = sum((field.points for field in teller.set.fields), Fraction(0))
    if one.error is not None:
        _refuse_parts([field.points for field in teller.set.fields], one.score, most)
        told = visible(message(one.error, teller.say), LONGEST_MESSAGE)
        return _document("error", most, [_entry("sheet", "error", told, one.source, Fraction(0))])
    parts = [part for mark in one.marks for part in (mark.points, mark.field.points)]
    _refuse_parts(parts, one.score, one.max_score)
    status = "pass" if one.score == one.max_score else "fail"
    return _document(status, one.max_score, [_test(mark, one.source, teller) for mark in one.marks])


def _document(status: str, most: Fraction, tests: list[dict[str, Any]]) -> dict[str, Any]:
    if most == 0:
        raise DenseError("export-no-points", option="--to", typed=NAME)
    return {"version": VERSION, "status": status, "max_score": int(most), "tests": tests}


def _test(mark: Mark, source: str, teller: Teller) -> dict[str, Any]:
    told = visible(output(mark, teller), LONGEST_MESSAGE)
    status = "pass" if all_right(mark) else "error" if mark.verdict == INVALID else "fail"
    return _entry(mark.field.key, status, told, source, mark.points)


def _entry(name: str, status: str, told: str, source: str, score: Fraction) -> dict[str, Any]:
    return {
        "name": name,
        "status": status,
        "message": told,
        "test_code": "",
        "filename": visible(source, LONGEST_MESSAGE),
        "line_no": 0,
        "execution_time": 0,
        "score": int(score),
    }


def _refuse_parts(parts: list[Fraction], score: Fraction, most: Fraction) -> None:
    """Refuse parts of points, with the factor that makes these whole."""
    factor = lcm(*(part.denominator for part in parts))
    if factor > 1:
        raise DenseError(
            "export-whole-points",
            option="--to",
            typed=NAME,
            score=score,
            maximum=most,
            factor=factor,
            scaled=factor * score,
            scaled_maximum=factor * most,
        )
