"""Answer sheets to hand out: TOML or JSON to fill in, or a page to print; one, or one for each student."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from dense_cli.derivation import Derivation, Note, Prose, Step, Table
from dense_cli.frozen import dataclass
from dense_cli.grading.exercises.exercise import Exercise, ExerciseSet
from dense_cli.grading.handouts.pages import numbers_of, set_option, task_of, title_of, words
from dense_cli.lang import say_in
from dense_cli.reading.characters import visible

LONGEST_LINE = 1000
"""Of a template; what an exercise asks has a few words."""

LONGEST_NAME = 60
"""Characters of a file's name without its ending: every file system takes it."""

LONGEST_STUDENT = 300

LARGEST_SHEET = 1 << 20

RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
"""Names that are devices on some systems."""


@dataclass(frozen=True, slots=True)
class Handout:
    """An empty sheet of a set; `variant` is the seed of its numbers, empty for the printed ones."""

    set: ExerciseSet
    student: str = ""
    variant: str = ""


def template(sheet: Handout, language: str, as_json: bool = False) -> str:
    """An empty answer sheet: TOML with what is asked as comments, or JSON.

    A sheet with drawn numbers has the tasks in it, and the seed by which it is marked.
    """
    head = {"student": sheet.student} | ({"variant": sheet.variant} if sheet.variant else {})
    if as_json:
        document: dict[str, Any] = dict(head)
        document |= {one.id: {field.name: "" for field in one.fields} for one in sheet.set.exercises}
        return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    say = say_in(language)
    lines = [
        f"# {words(sheet.set.title, language)}",
        f"# {say('exercise.template-how')}",
        f"# {say('exercise.template-blank', options=set_option(sheet.set))}",
        "",
        *(f"{name} = {_quoted(value)}" for name, value in head.items()),
    ]
    for one in sheet.set.exercises:
        widest = max(len(field.name) for field in one.fields)
        lines += ["", f"# {say('exercise.title', id=one.id, title=words(one.title, language))}"]
        lines += [f"# {words(one.text, language)}"] if sheet.variant else []
        lines += [f"[{one.id}]"]
        lines += [f'{field.name:{widest}} = ""  # {words(field.ask, language)}' for field in one.fields]
    return "".join(f"{visible(line, LONGEST_LINE)}\n" for line in lines)


def holds_answers(path: Path) -> bool:
    """Whether a file is a sheet that somebody filled in, or began to: an empty one may be written anew."""
    import tomllib  # only where a file is there: it costs start-up time

    try:
        content = path.read_bytes()[:LARGEST_SHEET]
    except (OSError, ValueError):
        return False
    for read in (tomllib.loads, json.loads):
        try:
            tables = read(content.decode("utf-8-sig"))
        except (ValueError, RecursionError):
            continue
        found = tables.values() if isinstance(tables, dict) else ()
        return any(isinstance(one, dict) and any(map(_is_filled, one.values())) for one in found)
    return path.suffix.casefold() in (".toml", ".json") and bool(content.strip())


def _is_filled(answer: object) -> bool:
    return not isinstance(answer, str) or bool(answer.strip())


def _quoted(text: str) -> str:
    """A text as TOML writes it: what JSON escapes, TOML escapes alike."""
    return json.dumps(visible(text, LONGEST_STUDENT), ensure_ascii=False)


def paper(sheet: Handout, language: str) -> Derivation:
    """The sheet as a page to print: every task, and a line for every answer."""
    title = words(sheet.set.title, language)
    name = Prose(visible(sheet.student, LONGEST_STUDENT) or "_" * 20)
    return Derivation(
        command="exercise",
        title=Note("practice.paper-title", {"title": title, "student": name}),
        given={},
        result={"exercises": sheet.set.id, "student": sheet.student, "variant": sheet.variant},
        assumed=numbers_of(sheet.variant),
        steps=tuple(_task(one, language) for one in sheet.set.exercises),
    )


def _task(one: Exercise, language: str) -> Step:
    columns = tuple(Note(f"exercise.column-{name}") for name in ("field", "ask", "points"))
    blank = Note("practice.paper-answer")
    rows = tuple((field.name, words(field.ask, language), field.points, "") for field in one.fields)
    answers = Step("fields", Note("exercise.answer-with"), table=Table((*columns, blank), rows))
    return Step(f"exercise-{one.id}", title_of(one, language), steps=(task_of(one, language), answers))


def file_names(students: Iterable[str], suffix: str) -> Iterator[str]:
    """A file's name for each student: safe on every system, none twice.

    >>> list(file_names(["s01", "../S01", "张三", "con"], ".toml"))
    ['s01.toml', 'S01-2.toml', '张三.toml', 'con_.toml']
    """
    taken = set[str]()
    for student in students:
        stem = _stem(student)
        name, number = stem, 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.casefold())
        yield name + suffix


def _stem(student: str) -> str:
    """Letters and digits of a name; what is only signs, or too long, gets some of its hash."""
    stem = "-".join(re.findall(r"[\w@+.-]+", student)).strip("._-")
    stem = re.sub(r"-{2,}", "-", stem)
    if not stem or len(stem.encode()) > LONGEST_NAME:
        short = stem.encode()[: LONGEST_NAME - 10].decode(errors="ignore")
        stem = f"{short}-{sha256(student.encode(errors='replace')).hexdigest()[:8]}".lstrip("-")
    return f"{stem}_" if RESERVED.fullmatch(stem) else stem
