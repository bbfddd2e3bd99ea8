"""A gradebook for Canvas to import: its own export with one column of marks.

Source: Canvas, ``lib/gradebook_importer.rb``. A student who has no mark is left out: an empty cell over
an old mark would count as a change. Numbers have no grouping: the last comma would be read as a point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from dense_cli.errors import DenseError, nearest, some
from dense_cli.grading.export.cells import written
from dense_cli.grading.export.gradebook import Caution, Gradebook, decimal
from dense_cli.grading.intake.roster import Roster
from dense_cli.reading.headers import folded_header

IDENTITY = ("Student", "LastName", "FirstName", "ID", "SIS User ID", "SIS Login ID", "Integration ID",
            "Root Account", "Section")  # fmt: skip
"""The columns that say who it is, in the order in which Canvas writes them."""

POINTS_POSSIBLE = "    Points Possible"

_ASSIGNMENT = re.compile(r"(.*\S) \([0-9]+\)")


def write(book: Gradebook) -> str:
    """The identity columns of the class list unchanged, then the marks, in the order of the list."""
    roster = _list(book)
    kept = _identity(roster)
    place = _assignment(roster, book)
    name = book.teller.set.id if place is None else roster.header[place]
    marks = {roster.member(one.student): one for one in book.graded}
    worth = decimal(_worth(book))
    if place is not None and roster.points is not None and roster.points[place].strip():
        worth = roster.points[place].strip()
    rows = [(POINTS_POSSIBLE, *[""] * (len(kept) - 1), worth)]
    rows += [
        (*(one.cells[column] for column in kept), decimal(marks[one].score))
        for one in roster.members
        if one in marks
    ]
    return written((*(roster.header[column] for column in kept), name), rows)


def cautions(book: Gradebook) -> Iterator[Caution]:
    """Whom the file leaves out, and an assignment that is worth something else than the exercises."""
    yield from book.left_out()
    roster = _list(book)
    place = _assignment(roster, book)
    if place is None or roster.points is None or not (worth := roster.points[place].strip()):
        return
    ours = decimal(_worth(book))
    if not _same(worth, ours):
        yield DenseError("canvas-worth", source=roster.header[place], worth=worth, maximum=ours)


def _same(worth: str, ours: str) -> bool:
    try:
        return float(worth) == float(ours)
    except ValueError:
        return False


def _worth(book: Gradebook) -> Fraction:
    return sum((field.points for field in book.teller.set.fields), Fraction(0))


def _list(book: Gradebook) -> Roster:
    """The class list. Raises DenseError where there is none, or it is not Canvas's."""
    if book.roster is None:
        raise DenseError("export-needs-roster", option="--to", typed="canvas")
    header = [folded_header(cell) for cell in book.roster.header]
    if "id" not in header or "section" not in header or not {"student", "lastname"} & set(header):
        typed = some(book.roster.header)
        raise DenseError("canvas-roster", option="--roster", source=book.roster.source, typed=typed)
    return book.roster


def _identity(roster: Roster) -> list[int]:
    names = [folded_header(name) for name in IDENTITY]
    return [place for place, cell in enumerate(roster.header) if folded_header(cell) in names]


def _assignment(roster: Roster, book: Gradebook) -> int | None:
    """The column that takes the marks: the one that was named, the only one, or the one with the set's name.

    None where the list has none: Canvas then makes a new assignment. Raises DenseError where it is not clear.
    """
    if book.column is not None:
        wanted = folded_header(book.column)
        for place, cell in enumerate(roster.header):
            if wanted == folded_header(cell):
                return place
        close = nearest(book.column, roster.header) or _titles(roster)
        raise DenseError("canvas-column", option="--map", typed=book.column, known=close)
    found = [place for place, cell in enumerate(roster.header) if _ASSIGNMENT.fullmatch(cell.strip())]
    if len(found) <= 1:
        return found[0] if found else None
    named = [place for place in found if book.teller.set.id in folded_header(roster.header[place])]
    if len(named) == 1:
        return named[0]
    raise DenseError("canvas-assignments", option="--roster", known=_titles(roster))


def _titles(roster: Roster) -> tuple[str, ...]:
    return tuple(cell for cell in roster.header if _ASSIGNMENT.fullmatch(cell.strip()))
