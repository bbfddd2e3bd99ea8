"""Answer files in a folder: one file a student, or one folder a student with the files somewhere in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from dense_cli.errors import DenseError
from dense_cli.frozen import replace
from dense_cli.grading.intake.files import entries
from dense_cli.grading.intake.gradescope_folder import METADATA, student_of, submission_of
from dense_cli.grading.intake.sheets import Sheet
from dense_cli.grading.intake.student_pattern import StudentPattern

DEEPEST = 3
"""Folders below a student's own, as ``student/assignment/files``."""

MOST_FILES = 50
"""Files of one student that are looked at."""

SHEETS = (".toml", ".json")
"""Kinds of files that hold one student's answers: a table among these could speak for others."""

MOODLE = re.compile(r"(.+)_[0-9]+_assignsubmission_[a-z]+_?")
"""A student's folder in Moodle's download of submissions (``mod/assign/locallib.php``); the name is first."""

ReadFile = Callable[[Path], Iterator[Sheet]]
"""Reads a file without following links."""


def folder_sheets(
    folder: Path,
    kinds: tuple[str, ...],
    read: ReadFile,
    pattern: StudentPattern | None,
    gradescope: bool | None,
) -> Iterator[Sheet]:
    """Every sheet in a folder, in the order of names.

    `gradescope` says whether it holds submissions to Gradescope; None: where it looks like one. Raises
    DenseError for a folder with nothing in it that could hold answers.
    """
    found = None if gradescope is False else submission_of(folder)
    if found is not None:
        return _submission(*found, read)
    there = entries(folder)
    files = [path for path in there if path.suffix.casefold() in kinds and path.name != METADATA]
    people = [path for path in there if path not in files and path.is_dir()]
    if not files and not people:
        raise DenseError("empty-folder", source=str(folder), known=kinds)
    return _sheets(folder, files, people, read, pattern, bool(gradescope))


def _sheets(
    folder: Path,
    files: list[Path],
    people: list[Path],
    read: ReadFile,
    pattern: StudentPattern | None,
    gradescope: bool,
) -> Iterator[Sheet]:
    names = _names(people)
    for path in sorted([*files, *people]):
        if path in files:
            yield from (by_pattern(one, path, folder, pattern) for one in read(path))
        elif path.is_symlink():
            yield Sheet(path.name, str(path), error=DenseError("sheet-is-link", source=str(path)))
        elif gradescope and (found := submission_of(path)) is not None:
            yield from _submission(*found, read)
        else:
            yield from _person(path, folder, read, pattern, names, only_people=not files)


def _names(people: list[Path]) -> Mapping[Path, str]:
    """Whose each folder is: its name, without what Moodle adds to it, unless two would have one name then."""
    short = {path: found[1] if (found := MOODLE.fullmatch(path.name)) else path.name for path in people}
    often = Counter(short.values())
    return {path: name if often[name] == 1 else path.name for path, name in short.items()}


def _submission(folder: Path, metadata: Path, read: ReadFile) -> Iterator[Sheet]:
    try:
        student = student_of(metadata)
        files = list(_answer_files(folder))
    except DenseError as error:
        yield Sheet(folder.name, str(folder), error=error)
        return
    yield from _named(student, folder, files, read)


def _person(
    person: Path,
    folder: Path,
    read: ReadFile,
    pattern: StudentPattern | None,
    names: Mapping[Path, str],
    only_people: bool,
) -> Iterator[Sheet]:
    """The sheets in one person's folder, whose name beats the one on the sheet."""
    try:
        files = list(_answer_files(person))
    except DenseError as error:
        yield Sheet(person.name, str(person), error=error)
        return
    if pattern is None or not files:
        if files or only_people:
            yield from _named(_folder_name(person, folder, pattern, names[person]), person, files, read)
        return
    for path in files:
        yield from (by_pattern(one, path, folder, pattern) for one in read(path))


def _folder_name(person: Path, folder: Path, pattern: StudentPattern | None, name: str) -> str:
    try:
        return name if pattern is None else pattern.student(_below(person, folder))
    except DenseError:
        return name


def _named(student: str, folder: Path, files: list[Path], read: ReadFile) -> Iterator[Sheet]:
    if not files:
        nothing = DenseError("no-submission", source=str(folder), student=student)
        yield Sheet(student, str(folder), warnings=(nothing,), submitted=False)
    for path in files:
        for one in read(path):
            own = one.student
            if own in (student, path.stem) or one.error is not None:
                yield replace(one, student=student)
            else:
                differs = DenseError("student-differs", source=one.where, typed=own, student=student)
                yield replace(one, student=student, warnings=(*one.warnings, differs))


def _answer_files(folder: Path, deeper: int = DEEPEST) -> Iterator[Path]:
    """The answer files of one person; links are among them and refused when they are read."""
    found = 0
    for path in entries(folder):
        if path.suffix.casefold() in SHEETS and path.name != METADATA:
            found += 1
            if found > MOST_FILES:
                raise DenseError("too-many-files", source=str(folder), most=MOST_FILES)
            yield path
        elif deeper and path.is_dir() and not path.is_symlink():
            yield from _answer_files(path, deeper - 1)


def by_pattern(one: Sheet, path: Path, folder: Path, pattern: StudentPattern | None) -> Sheet:
    """The sheet under the name that the pattern finds in its path below `folder`."""
    if pattern is None or path.suffix.casefold() not in SHEETS or one.error is not None:
        return one
    try:
        return replace(one, student=pattern.student(_below(path, folder)))
    except DenseError as error:
        return replace(one, answers={}, error=error)


def _below(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()
