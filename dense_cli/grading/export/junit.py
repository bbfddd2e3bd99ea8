"""JUnit XML: one test suite a student, one test case an answer.

There is no standard; the names are those that the common readers of it agree on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree

from dense_cli.grading.export.gradebook import Gradebook, all_right, decimal
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import BLANK, INVALID, REVIEW, Mark
from dense_cli.grading.marks.telling import Teller
from dense_cli.lang.refusal import hint, message
from dense_cli.reading.characters import visible

LONGEST = 4000

OUTCOMES = {INVALID: "error", BLANK: "skipped", REVIEW: "skipped"}
"""What a verdict is to JUnit, where the answer is not right and not simply wrong."""


def write(book: Gradebook) -> str:
    """No times: the same marks give the same bytes."""
    suites = [_suite(one, book.teller) for one in book.students]
    root = ElementTree.Element("testsuites", {"name": _shown(book.teller.set.id), **_counts(suites)})
    root.extend(suites)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _counts(elements: Sequence[ElementTree.Element]) -> dict[str, str]:
    """How many cases there are in these suites and how they came out."""
    outcomes = Counter(outcome.tag for each in elements for outcome in each.iterfind("./testcase/*"))
    outcomes |= {"tests": sum(len(each.findall("testcase")) for each in elements)}
    names = {"tests": "tests", "failures": "failure", "errors": "error", "skipped": "skipped"}
    return {name: str(outcomes[tag]) for name, tag in names.items()}


def _suite(one: Marked, teller: Teller) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", name=_shown(one.student or teller.set.id))
    properties = ElementTree.SubElement(suite, "properties")
    totals = {"score": one.score, "max_score": one.max_score, "to_review": one.to_review}
    for name, value in totals.items():
        ElementTree.SubElement(properties, "property", name=name, value=decimal(value))
    if one.error is not None:
        case = ElementTree.SubElement(suite, "testcase", name="sheet", classname=_shown(teller.set.id))
        told = _shown(message(one.error, teller.say))
        refusal = ElementTree.SubElement(case, "error", message=told, type=one.error.key)
        refusal.text = _shown(hint(one.error, teller.say))
    for mark in one.marks:
        _case(suite, mark, teller)
    for name, count in _counts([suite]).items():
        suite.set(name, count)
    suite.set("file", _shown(one.source))
    return suite


def _case(suite: ElementTree.Element, mark: Mark, teller: Teller) -> None:
    classname = f"{teller.set.id}.{mark.field.exercise}"
    case = ElementTree.SubElement(suite, "testcase", name=_shown(mark.field.key), classname=_shown(classname))
    if all_right(mark):
        return
    tag = "failure" if mark.reviewed else OUTCOMES.get(mark.verdict, "failure")
    told = teller.message(mark) or teller.say(f"check.verdict-{mark.verdict}")
    outcome = ElementTree.SubElement(case, tag, message=_shown(told))
    if tag != "skipped":
        outcome.set("type", " ".join(found.id for found in mark.mistakes) or mark.verdict)
    if mark.given is not None:
        outcome.text = _shown(mark.given)


def _shown(text: str) -> str:
    """`text` with the characters that XML cannot hold, and all others that hide, as escapes."""
    return visible(text, LONGEST)
