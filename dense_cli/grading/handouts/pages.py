"""Exercises to read: the list, one of them, an empty answer sheet."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import east_asian_width

from dense_cli.derivation import Data, Derivation, Listed, Note, Prose, Step, Table
from dense_cli.grading.exercises.exercise import Exercise, ExerciseSet, Field, Words, in_language
from dense_cli.numerals import plain_number


def listing(chosen: ExerciseSet, language: str) -> Derivation:
    """Every exercise of a set: number, title, fields, points."""
    rows = tuple(
        (
            one.id,
            words(one.title, language),
            Listed(field.name for field in one.fields),
            one.points,
        )
        for one in chosen.exercises
    )
    columns = tuple(Note(f"exercise.column-{name}") for name in ("id", "title", "fields", "points"))
    told: list[Data] = [_data(one, language) for one in chosen.exercises]
    return Derivation(
        command="exercise",
        title=Note("exercise.set", {"title": words(chosen.title, language), "id": chosen.id}),
        given={},
        result={"exercises": chosen.id, "list": told},
        steps=(Step("list", Note("exercise.list"), table=Table(columns, rows)),),
    )


def _data(one: Exercise, language: str) -> dict[str, Data]:
    return {
        "id": one.id,
        "title": words(one.title, language),
        "text": words(one.text, language),
        "fields": [
            {
                "name": field.name,
                "kind": field.kind,
                "points": plain_number(field.points),
                "ask": words(field.ask, language),
                "options": list(field.options),
            }
            for field in one.fields
        ],
    }


def words(texts: Words, language: str) -> Prose:
    """A text of an exercise in one language, without the line breaks of its file."""
    return Prose(one_paragraph(in_language(texts, language)))


def one_paragraph(text: str) -> str:
    """A text without its line breaks: a blank between words, none beside Chinese punctuation or in Chinese.

    >>> one_paragraph("positions\\n2 and 3"), one_paragraph("取位置\\n2，\\n键在\\n后")
    ('positions 2 and 3', '取位置 2，键在后')
    """
    joined = ""
    for line in map(str.strip, text.splitlines()):
        joined += _between(joined[-1:], line[:1]) + line
    return joined


def _between(before: str, after: str) -> str:
    """What stands between the end of one line and the start of the next."""
    if not before or not after:
        return ""
    wide = [east_asian_width(mark) in "WF" for mark in (before, after)]
    punctuation = [
        is_wide and not mark.isalnum() for is_wide, mark in zip(wide, (before, after), strict=True)
    ]
    return "" if all(wide) or any(punctuation) else " "


def set_option(chosen: ExerciseSet) -> str:
    """What a call must say besides, so that it is about this set: nothing for our own.

    >>> set_option(ExerciseSet("s", {}, (), "my set"))
    " --exercises 'my set'"
    """
    if not chosen.folder:
        return ""
    from shlex import quote  # only for a teacher's own set: it costs start-up time

    return f" --exercises {quote(chosen.folder)}"


def asked(one: Exercise, language: str, variant: str = "") -> Derivation:
    """One exercise to read, with the fields to answer; `variant` is the seed of its numbers."""
    return Derivation(
        command="exercise",
        title=title_of(one, language),
        given={},
        result=_data(one, language) | ({"variant": variant} if variant else {}),
        assumed=numbers_of(variant),
        steps=(
            task_of(one, language),
            Step("fields", Note("exercise.answer-with"), table=_fields(one.fields, language)),
        ),
    )


def numbers_of(variant: str) -> tuple[Note, ...]:
    """Which numbers these are, where they are not the printed ones."""
    return (Note("practice.variant", {"seed": Prose(variant)}),) if variant else ()


def title_of(one: Exercise, language: str) -> Note:
    return Note("exercise.title", {"id": one.id, "title": words(one.title, language)})


def task_of(one: Exercise, language: str) -> Step:
    """The text of an exercise."""
    return Step("text", Note("exercise.task"), notes=(plain(words(one.text, language)),))


def plain(text: str) -> Note:
    """A text of an exercise as it stands."""
    return Note("exercise.plain", {"text": text})


def _fields(fields: Sequence[Field], language: str) -> Table:
    columns = tuple(Note(f"exercise.column-{name}") for name in ("field", "ask", "points"))
    return Table(columns, tuple((one.name, words(one.ask, language), one.points) for one in fields))
