"""Who is in a class: a table of another system, or one name a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from dense_cli.errors import DenseError, nearest, some
from dense_cli.frozen import dataclass
from dense_cli.grading.intake.files import LARGEST_TABLE, content, letters
from dense_cli.grading.intake.tables import cells_of
from dense_cli.reading.headers import FIRST_NAME, IDENTITIES, LAST_NAME, folded_header

Places = tuple[int, ...]

POINTS_ROW = "points possible"
"""In the first cell of the row in which Canvas keeps what each assignment is worth."""

TEST_STUDENT = "student, test"
"""Whom Canvas adds to every class for the teacher to try things with."""


@dataclass(frozen=True, slots=True)
class Member:
    """One person of the class: the row of the list as it stands, and what identifies, the surest first."""

    cells: tuple[str, ...]
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Roster:
    """A class list. `points` is Canvas's second row, if there is one."""

    source: str
    header: tuple[str, ...]
    members: tuple[Member, ...]
    points: tuple[str, ...] | None = None

    @cached_property
    def _known(self) -> tuple[Mapping[str, Member], ...]:
        """For each column that identifies, whom it identifies: what two people share names nobody."""
        found: list[dict[str, Member]] = []
        for column in zip(*(one.ids for one in self.members), strict=True):
            often = Counter(map(_folded, column))
            named = zip(column, self.members, strict=True)
            found.append({_folded(text): one for text, one in named if text and often[_folded(text)] == 1})
        return tuple(found)

    def member(self, student: str) -> Member | None:
        """Whom a sheet names, by the surest column that knows the name."""
        name = _folded(student)
        return next((column[name] for column in self._known if name in column), None)

    def identity(self, student: str) -> object:
        """What is the same for two names of one person."""
        found = self.member(student)
        return student if found is None else found.cells

    def missing(self, students: Iterable[str]) -> tuple[str, ...]:
        """Who has no sheet, each by the column that most sheets use."""
        there, columns = set(), Counter[int]()
        for student in students:
            name = _folded(student)
            place = next((place for place, column in enumerate(self._known) if name in column), None)
            if place is not None:
                columns[place] += 1
                there.add(self._known[place][name].cells)
        usual = columns.most_common(1)[0][0] if columns else 0
        return tuple(
            one.ids[usual] or next(filter(None, one.ids)) for one in self.members if one.cells not in there
        )

    def unknown(self, student: str, source: str, compare: bool = True) -> DenseError:
        """The warning about a student who is not in the class, `compare` for the nearest."""
        ids = [text for one in self.members for text in one.ids if text] if compare else []
        close = nearest(student, ids, most=2)
        hint = "not-in-roster" if close else "not-in-roster-list"
        return DenseError("not-in-roster", hint=hint, source=source, typed=student, nearest=close)

    def cell(self, one: Member, *names: str) -> str:
        """What a person's row has under the first of these headers that is there; empty if none is."""
        folded = [folded_header(header) for header in self.header]
        places = [folded.index(name) for name in map(folded_header, names) if name in folded]
        return one.cells[places[0]] if places else ""


def roster_in(path: str, encoding: str | None = None) -> Roster:
    """The class list in a file. Raises DenseError for one that cannot be read."""
    return roster(letters(content(Path(path), LARGEST_TABLE), path, encoding), path)


def roster(text: str, source: str) -> Roster:
    """A class list: a table with a header that another system wrote, or one student a line without any.

    Raises DenseError for a table in which no column tells the students apart.
    """
    rows = [
        tuple(cells)
        for _, cells in cells_of(text, source, as_it_stands=True)
        if any(cell.strip() for cell in cells)
    ]
    if not rows:
        raise DenseError("roster-empty", source=source)
    places = _identifying(rows[0])
    if not places and max(map(len, rows)) == 1:
        rows, places = [("student",), *rows], ((0,),)
    if not places:
        raise DenseError("roster-without-student", source=source, typed=some(rows[0]))
    header, body = rows[0], [_wide(row, len(rows[0])) for row in rows[1:]]
    points = next((row for row in body if POINTS_ROW in row[0].casefold()), None)
    members = tuple(
        Member(row, ids)
        for row in body
        if row is not points and any(ids := tuple(_joined(row, group) for group in places))
        if folded_header(row[0]) != TEST_STUDENT
    )
    if not members:
        raise DenseError("roster-empty", source=source)
    return Roster(source, header, members, points)


def _identifying(header: Sequence[str]) -> tuple[Places, ...]:
    """The columns that tell students apart; a first and a last name do so together, in either order."""
    folded = [folded_header(cell) for cell in header]
    alone = [folded.index(name) for names in IDENTITIES for name in names if name in folded]
    first, last = (
        [folded.index(name) for name in names if name in folded] for names in (FIRST_NAME, LAST_NAME)
    )
    both = ((first[0], last[0]), (last[0], first[0])) if first and last else ()
    return (*((place,) for place in alone), *both)


def _joined(row: Sequence[str], places: Places) -> str:
    return " ".join(row[place].strip() for place in places).strip()


def _wide(row: tuple[str, ...], width: int) -> tuple[str, ...]:
    """A row with as many cells as the header: spreadsheets leave out empty ones at the end."""
    return (*row, *[""] * (width - len(row)))[:width]


def _folded(name: str) -> str:
    """A name as it is compared: only an email address is the same in capitals."""
    name = name.strip()
    return name.casefold() if "@" in name else name
