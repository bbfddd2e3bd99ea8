"""A class on one page for its teacher: what was hard, which mistakes were made, what is left to read.

The page needs nothing else: no network, no script. Every bar stands beside its number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dense_cli.grading.exercises.exercise import in_language
from dense_cli.grading.export.gradebook import Gradebook
from dense_cli.grading.export.html_parts import (
    Cell,
    Words,
    bar,
    name,
    number,
    paragraph,
    section,
    table,
    text,
)
from dense_cli.grading.export.html_style import SHEET
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import REVIEW
from dense_cli.grading.marks.telling import Teller
from dense_cli.grading.reports.class_statistics import FORMULAS, ClassStatistics, Made, class_statistics
from dense_cli.lang.refusal import message
from dense_cli.render.escaping import markup

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing is loaded, whatever stands in an answer."""

BINS = 10
HTML_LANGUAGES = {"zh": "zh-Hans"}


def write(book: Gradebook) -> str:
    """The page as HTML; the same sheets give the same bytes."""
    teller, words = book.teller, Words(book.teller.say)
    found = class_statistics(book.students, teller.set)
    title = words("title", title=in_language(teller.set.title, teller.language))
    parts = [
        ("glance", words("glance"), _glance(book.students, found, words)),
        ("distribution", words("distribution"), _distribution(book.students, words)),
        ("facility", words("facility"), _facility(found, teller, words)),
        ("mistakes", words("mistakes"), _mistakes(found, teller, words)),
        ("unexplained", words("unexplained"), _unexplained(found, words)),
        ("look", words("look"), _look(book.students, found, teller, words)),
        ("test", words("test"), _test(found, words)),
        ("students", words("students"), _students(book.students, teller, words)),
    ]
    links = "".join(f'<li><a href="#{anchor}">{text(told)}</a></li>' for anchor, told, _ in parts)
    language = markup(HTML_LANGUAGES.get(teller.language, teller.language))
    return "\n".join(
        (
            f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{text(title)}</title>\n<style>{SHEET}</style>\n</head>\n<body>",
            f'<a class="skip" href="#main">{text(words("skip"))}</a>',
            f"<header><h1>{text(title)}</h1>",
            f'<nav aria-label="{text(words("contents"))}"><ul>{links}</ul></nav></header>',
            '<main id="main">',
            *(section(anchor, told, body) for anchor, told, body in parts),
            "</main>\n</body>\n</html>\n",
        )
    )


def _glance(students: Sequence[Marked], found: ClassStatistics, words: Words) -> str:
    test, maximum = found.test, number(found.test.maximum, 2)
    absent = sum(not one.submitted for one in students)
    figures = [
        (str(test.students), words("students-read")),
        (str(found.tally.unread), words("students-unread")),
        *([(str(absent), words("students-absent"))] if absent else []),
        (number(test.mean, 1), words("mean-score", maximum=maximum)),
        (number(test.median, 1), words("median-score", maximum=maximum)),
        (str(len(found.waiting)), words("to-look")),
    ]
    items = "".join(f"<li><strong>{text(value)}</strong> {text(told)}</li>" for value, told in figures)
    left_out = paragraph(words.say("statistics.left-out"), "soft") if found.waits else ""
    return f'<ul class="figures">{items}</ul>{left_out}'


def _distribution(students: Sequence[Marked], words: Words) -> str:
    percents = [one.percent for one in students if one.graded and one.percent is not None]
    if not percents:
        return paragraph(words("distribution-none"))
    counts = [0] * BINS
    for percent in percents:
        counts[min(int(percent * BINS / 100), BINS - 1)] += 1
    most = max(counts)
    rows = []
    for place, count in enumerate(counts):
        low, high = 100 * place // BINS, 100 * (place + 1) // BINS
        told = words("distribution-range", low=str(low), high=str(high))
        rows.append((Cell(text(told), heads=True), Cell(bar(Fraction(count, most), str(count)))))
    heads = (words("percent"), words("students"))
    return f'<div class="histogram">{table(words("distribution-about"), heads, rows)}</div>'


def _facility(found: ClassStatistics, teller: Teller, words: Words) -> str:
    parts = [paragraph(words("facility-about", name=FORMULAS), "soft")]
    heads = (
        words("question"),
        words.column("facility"),
        words("answers"),
        words.column("discrimination"),
        words.column("points"),
    )
    for exercise, item in found.exercises:
        title = words("exercise-title", id=exercise.id, title=in_language(exercise.title, teller.language))
        rows = [
            (
                Cell(name(field.name), heads=True, short=True),
                Cell(_share(None if one is None else one.facility, words)),
                Cell(_verdicts(found.verdicts(field), words)),
                Cell(number(None if one is None else one.discrimination, 1), number=True),
                Cell(number(field.points, 2), number=True),
            )
            for field, one in found.questions
            if field.exercise == exercise.id
        ]
        parts.append(f"<h3><span>{text(title)}</span> {_share(item.facility, words)}</h3>")
        parts.append(table(title, heads, rows, kind="questions", told=False))
    return "\n".join(parts)


def _share(facility: float | None, words: Words) -> str:
    if facility is None:
        return f'<span class="soft">{text(words("unknown"))}</span>'
    return bar(facility, f"{number(100 * facility, 1)} %")


def _verdicts(counts: Mapping[str, int], words: Words) -> str:
    told = (words("count-of", what=words.verdict(one), count=str(count)) for one, count in counts.items())
    return " · ".join(map(text, told)) or "–"


def _mistakes(found: ClassStatistics, teller: Teller, words: Words) -> str:
    if not found.mistakes:
        return paragraph(words("mistakes-none"))
    heads = tuple(words.column(one) for one in ("exercise", "mistake", "students", "answers"))
    rows = [
        (
            Cell(name(made.exercise), heads=True),
            Cell(
                f'<details class="said"><summary>{text(teller.name(made.found))}</summary>'
                f"{paragraph(teller.about(made.found))}</details>"
            ),
            Cell(bar(Fraction(made.students, found.test.students), str(made.students))),
            Cell(_examples(made)),
        )
        for made in found.mistakes
    ]
    about = words.say("check.mistakes-meaning")
    return table(about, heads, rows)


def _examples(made: Made) -> str:
    items = (
        f"<li>{name(field.name)} {' '.join(f'<code>{name(answer)}</code>' for answer in answers)}</li>"
        for field, _, answers in made.fields
    )
    return f'<ul class="examples">{"".join(items)}</ul>'


def _unexplained(found: ClassStatistics, words: Words) -> str:
    if not found.unexplained:
        return paragraph(words("unexplained-none"))
    heads = tuple(words.column(one) for one in ("field", "value", "students"))
    rows = [
        (
            Cell(name(one.field.key), heads=True, short=True),
            Cell(f"<code>{name(one.value)}</code>"),
            Cell(bar(Fraction(one.students, found.test.students), str(one.students))),
        )
        for one in found.unexplained
    ]
    return table(words("unexplained-about"), heads, rows)


def _look(students: Sequence[Marked], found: ClassStatistics, teller: Teller, words: Words) -> str:
    if not found.waiting:
        return paragraph(words("look-none"))
    heads = tuple(words.column(one) for one in ("student", "field", "verdict", "answer"))
    places = {(one.student, one.source): place for place, one in enumerate(students, 1)}
    rows = []
    for one in found.waiting:
        place = places[one.student, one.source]
        why = teller.message(one.mark) if one.mark.verdict != REVIEW else None
        answer = text(one.mark.given or "") if one.mark.verdict == REVIEW else name(one.mark.given or "")
        reason = paragraph(why, "soft") if why else ""
        rows.append(
            (
                Cell(f'<a href="#student-{place}">{name(one.student)}</a>', heads=True),
                Cell(name(one.mark.field.key), short=True),
                Cell(text(words.verdict(one.mark.verdict)), short=True),
                Cell(f'<div class="said">{answer}{reason}</div>'),
            )
        )
    return table(words("look"), heads, rows, told=False)


def _test(found: ClassStatistics, words: Words) -> str:
    test = found.test
    values = (
        ("mean", test.mean, 2),
        ("median", test.median, 2),
        ("sd", test.sd, 2),
        ("skewness", test.skewness, 3),
        ("kurtosis", test.kurtosis, 3),
        ("alpha", test.cronbach_alpha, 1),
        ("error-ratio", test.error_ratio, 1),
        ("standard-error", test.standard_error, 2),
    )
    rows = [
        (
            Cell(text(words.say(f"statistics.{key}")), heads=True),
            Cell(number(value, digits), number=True),
        )
        for key, value, digits in values
    ]
    heads = (words.column("what"), words.column("value"))
    facts = {"students": str(test.students), "maximum": number(test.maximum, 2)}
    caption = words.say("statistics.title", **facts)
    about = paragraph(words.say("statistics.formulas", name=FORMULAS), "soft")
    return f'<div class="histogram">{table(caption, heads, rows)}</div>\n{about}'


def _students(students: Sequence[Marked], teller: Teller, words: Words) -> str:
    exercises = [one.id for one in teller.set.exercises]
    heads = (
        words.column("student"),
        *(words(one) for one in ("score", "maximum", "percent", "review")),
        *(words("exercise", id=one) for one in exercises),
    )
    rows = [
        (
            Cell(name(one.student), heads=True, id=f"student-{place}"),
            Cell(number(one.score, 2), number=True),
            Cell(number(one.max_score, 2), number=True),
            Cell(number(one.percent, 1), number=True),
            Cell(number(one.to_review, 2), number=True),
            *(Cell(number(_points(one, exercise), 2), number=True) for exercise in exercises),
        )
        for place, one in enumerate(students, 1)
        if one.error is None
    ]
    unread = [
        (
            Cell(name(one.student), heads=True),
            Cell(name(one.source)),
            Cell(text(message(one.error, teller.say))),
        )
        for one in students
        if one.error is not None
    ]
    parts = [table(words("students-table"), heads, rows)]
    if unread:
        parts.append(
            table(words("unread"), (words.column("student"), words("source"), words("reason")), unread)
        )
    return "\n".join(parts)


def _points(one: Marked, exercise: str) -> Fraction:
    return sum((mark.points for mark in one.marks if mark.field.exercise == exercise), Fraction(0))
