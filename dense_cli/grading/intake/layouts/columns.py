"""What the columns of a table hold, and what all layouts share in finding it out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dense_cli.errors import DenseError, nearest, some
from dense_cli.frozen import dataclass, replace
from dense_cli.grading.intake.sheets import STUDENT_FIELD, FieldNames
from dense_cli.reading.headers import folded_header

Places = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """Where in a row who and what stands.

    `students` are groups of columns; the first group that has something in it names the student. `fields`
    pairs a column with the field whose answers it holds. `answer` turns a cell into what the student wrote.
    """

    width: int
    students: tuple[Places, ...]
    fields: tuple[tuple[int, str], ...]
    warnings: tuple[DenseError, ...] = ()
    answer: Callable[[str], str] | None = None

    def student(self, cells: Sequence[str]) -> str:
        """Who a row belongs to; empty where nobody is named."""
        for group in self.students:
            named = " ".join(_text_of(cells[place]) for place in group if place < len(cells)).strip()
            if named:
                return named
        return ""


def _text_of(cell: str) -> str:
    """A cell without the formula ``="007"`` that keeps a spreadsheet program from reading a number in it."""
    cell = cell.strip()
    return cell[2:-1] if cell.startswith('="') and cell.endswith('"') and len(cell) > 3 else cell


def students_of(
    header: Sequence[str], names: FieldNames, *groups: Sequence[Sequence[str]]
) -> tuple[Places, ...]:
    """The columns that name the student: the one that the call says, else these in turn.

    A group is a list of columns that make a name together, each by what it may be called.
    """
    folded = [folded_header(cell) for cell in header]
    mapped = [folded_header(name) for name, meaning in names.mapped.items() if meaning == STUDENT_FIELD]
    said = tuple((folded.index(name),) for name in mapped if name in folded)
    if said:
        return said
    found = []
    for group in groups:
        places = [next((folded.index(name) for name in called if name in folded), None) for called in group]
        if None not in places:
            found.append(tuple(place for place in places if place is not None))
    return tuple(found)


def asked(
    header: Sequence[str],
    source: str,
    names: FieldNames,
    questions: Mapping[int, str],
    students: tuple[Places, ...],
) -> Columns:
    """The columns of a table of questions, each by the field that it names, or else by its place.

    `questions` has the text of each column of answers. Where none names a field and there are as many as the
    set has, they are taken in order, and that is said. Raises DenseError where that is not so either.
    """
    if not students:
        raise DenseError("table-without-student", source=source, typed=some(header))
    taken = {place for group in students for place in group}
    found = {
        place: _field(header[place], text, names) for place, text in questions.items() if place not in taken
    }
    warnings = unused(header, source, names)
    fields = {place: key for place, key in found.items() if key is not None}
    if not fields and len(found) == len(names.fields):
        fields = dict(zip(found, names.fields, strict=True))
        warnings += (
            DenseError("questions-in-order", source=source, first=names.fields[0], count=len(found)),
        )
    if not fields:
        raise DenseError(
            "questions-unknown",
            source=source,
            typed=some([*questions.values()], 3),
            count=len(found),
            all=len(names.fields),
            field=names.fields[0],
        )
    warnings += tuple(
        DenseError("question-unknown", source=source, typed=header[place].strip(), field=names.fields[0])
        for place in found
        if place not in fields
    )
    return checked(Columns(len(header), students, tuple(fields.items()), warnings), header, source)


def checked(columns: Columns, header: Sequence[str], source: str) -> Columns:
    """The columns. Raises DenseError where two hold one field."""
    seen: set[str] = set()
    for place, key in columns.fields:
        if key in seen:
            raise DenseError("duplicate-column", source=source, typed=header[place])
        seen.add(key)
    return columns


def unused(header: Sequence[str], source: str, names: FieldNames) -> tuple[DenseError, ...]:
    """A warning for every column that the call speaks of and the table does not have."""
    folded = {folded_header(cell) for cell in header}
    return tuple(
        DenseError(
            "map-no-column",
            option="--map",
            source=source,
            typed=name,
            known=nearest(name, header) or tuple(header),
        )
        for name in names.mapped
        if folded_header(name) not in folded
    )


def _field(header: str, text: str, names: FieldNames) -> str | None:
    key = names.key(header) or names.key(text) or names.within(text)
    return None if key == STUDENT_FIELD else key


def with_answers(columns: Columns, answer: Callable[[str], str]) -> Columns:
    """The columns with cells that another system has changed on the way."""
    return replace(columns, answer=answer)
