"""Walks a derivation and checks what every derivation promises, whatever it tells."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from dense_cli.derivation import Derivation, Line, Note, Step
from dense_cli.expression import Call, Expression, Negative, Power, Product, Quotient, Sum
from dense_cli.lang import LANGUAGES, placeholders, topic_texts
from dense_cli.numerals import PiMultiple

RELATIVE, ABSOLUTE = 1e-12, 1e-12


def steps_of(derivation: Derivation) -> Iterator[Step]:
    """Every step, the steps inside steps too, in reading order."""

    def walk(steps: tuple[Step, ...]) -> Iterator[Step]:
        for step in steps:
            yield step
            yield from walk(step.steps)

    return walk(derivation.steps)


def lines_of(derivation: Derivation) -> list[Line]:
    """Every line: those of the answer, then those of the steps."""
    return [*derivation.answer, *(line for step in steps_of(derivation) for line in step.lines)]


def notes_of(derivation: Derivation) -> list[Note]:
    """Everything that is said in words: titles, names of lines and columns, notes, notes inside notes."""
    found = [derivation.title, *derivation.assumed, *derivation.cautions]
    found += [line.symbol for line in lines_of(derivation) if isinstance(line.symbol, Note)]
    for step in steps_of(derivation):
        found += [step.title, *step.notes]
        if step.table:
            found += [column for column in step.table.columns if isinstance(column, Note)]
            found += [cell for row in step.table.rows for cell in row if isinstance(cell, Note)]
    for note in found:  # grows while it is walked: facts may be notes themselves
        found += [fact for fact in note.facts.values() if isinstance(fact, Note)]
    return found


def check_lines(derivation: Derivation) -> None:
    """Formulas make their values, words exist in every language with their facts, tables are whole."""
    for line in lines_of(derivation):
        check_value(line)
    for note in notes_of(derivation):
        check_words(note)
    for step in steps_of(derivation):
        if step.table:
            assert {len(row) for row in step.table.rows} <= {len(step.table.columns)}, step.name


def check_value(line: Line) -> None:
    """The formula evaluates to the value; one without a finite value has none that is finite."""
    if line.formula is None:
        return
    try:
        evaluated = line.formula.evaluate()
    except OverflowError:
        evaluated = math.inf
    if line.value is None:
        assert not math.isfinite(evaluated), line
        return
    assert isinstance(line.value, int | float | Fraction | PiMultiple), line
    tolerance = ABSOLUTE * magnitude(line.formula)
    assert math.isclose(evaluated, float(line.value), rel_tol=RELATIVE, abs_tol=tolerance), line
    exact = line.formula.exact()
    if exact is not None:
        assert math.isclose(float(exact), float(line.value), rel_tol=RELATIVE, abs_tol=tolerance), line


def magnitude(formula: Expression) -> float:
    """How large the parts of a formula are before they cancel."""
    match formula:
        case Sum():
            return sum(map(magnitude, formula.terms))
        case Product():
            return math.prod(map(magnitude, formula.factors))
        case Negative():
            return magnitude(formula.part)
        case Quotient():
            return magnitude(formula.top) / abs(formula.bottom.evaluate())
        case Power():
            exponent = formula.exponent.evaluate()
            return magnitude(formula.base) ** exponent if exponent > 0 else abs(formula.evaluate())
        case Call():
            return max(1.0, abs(formula.evaluate()))
    return abs(formula.evaluate())


def check_words(note: Note) -> None:
    """Every language has the key, and every fact that its words speak of; no number comes as text."""
    topic, _, name = note.key.partition(".")
    for language in LANGUAGES:
        texts = topic_texts(language, topic)
        assert name in texts, f"{language} has no words for {note.key}"
        missing = placeholders(texts[name]) - set(note.facts)
        assert not missing, f"{language} {note.key} lacks {missing}"
    for fact_name, fact in note.facts.items():
        check_fact(fact, f"{note.key} {fact_name}")


def check_fact(fact: object, where: str) -> None:
    """A fact is a raw value that a notation can write, not text that was written already."""
    if isinstance(fact, tuple):
        for entry in fact:
            check_fact(entry, where)
        return
    allowed = (bool, int, float, Fraction, PiMultiple, Expression, Note, str)
    assert isinstance(fact, allowed), f"{where} is {fact!r}"
    assert not (isinstance(fact, str) and looks_written(fact)), f"{where} is the number {fact!r} as text"


def looks_written(text: str) -> bool:
    """Whether a text is digits, which only a notation should write."""
    try:
        float(text.strip("[]°").replace(",", ""))
    except ValueError:
        return False
    return True
