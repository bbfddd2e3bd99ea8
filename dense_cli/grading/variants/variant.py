"""Other numbers for an exercise, drawn from a seed, that tell every mistake from the right answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass, field, replace
from dense_cli.grading.exercises.drawing import drawn_numbers, seed_for, words
from dense_cli.grading.exercises.exercise import Exercise, ExerciseSet
from dense_cli.grading.exercises.placeholders import drawn_given, with_numbers
from dense_cli.grading.intake.sheets import Sheet
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.marking import Marker, Rules
from dense_cli.grading.marks.questions import Question, SetQuestions, questions_about
from dense_cli.grading.variants.separating import OF_METHOD, hidden_ids, tell_all
from dense_cli.grading.variants.witnesses import LAWS
from dense_cli.mistakes.diagnosis import FAILURES

MOST_DRAWS = 200
"""After so many unsuitable draws an exercise's ranges are at fault."""

DRAWS_LOOKED_AT = 20
"""So many of them tell what is at fault."""

MOST_MARKERS = 64
"""Variants whose wrong paths are kept at hand while a class is marked."""


def variant(one: Exercise, seed: str) -> tuple[Question, ...]:
    """The questions of an exercise with the numbers of this seed; as they are where it has no variants.

    Numbers are drawn again until every mistake that applies shows in some field, no wrong value is close to
    the right one, and whole answers are whole. Raises DenseError `variant-not-found` where that takes too
    long, `exercise-law` where a computed answer breaks a law of its calculation.
    """
    if one.variation is None:
        return questions_about(one)
    for candidate in islice(_candidates(one, seed), MOST_DRAWS):
        if candidate[0].exercise.given != one.given and _is_suitable(candidate):
            _check_laws(candidate)
            return candidate
    never = _never_shown(one, seed)
    hint = "variant-not-found-unseen" if never else None
    facts: dict[str, Any] = {"source": one.source, "typed": seed, "tries": MOST_DRAWS, "unseen": never}
    raise DenseError("variant-not-found", hint=hint, **facts)


def _candidates(one: Exercise, seed: str) -> Iterator[tuple[Question, ...]]:
    """The questions of an exercise with one draw of numbers after another, suitable or not."""
    assert one.variation is not None
    drawn = words(seed, one.id)
    while True:
        yield questions_about(_redrawn(one, drawn_numbers(one.variation.numbers, drawn)))


def _never_shown(one: Exercise, seed: str) -> tuple[str, ...]:
    """Which mistakes none of the first draws shows, besides those that the exercise names."""
    assert one.variation is not None
    hidden: list[frozenset[str]] = []
    for candidate in islice(_candidates(one, seed), DRAWS_LOOKED_AT):
        with suppress(*FAILURES):
            hidden.append(hidden_ids(candidate, OF_METHOD))
    never = frozenset.intersection(*hidden) if hidden else frozenset()
    return tuple(sorted(never - set(one.variation.unseen)))


def variant_set(chosen: ExerciseSet, seed: str) -> SetQuestions:
    """A whole set with the numbers of this seed, ready for marking."""
    drawn = [variant(one, seed) for one in chosen.exercises]
    exercises = tuple(questions[0].exercise for questions in drawn)
    return SetQuestions(
        replace(chosen, exercises=exercises), tuple(one for questions in drawn for one in questions)
    )


def _redrawn(one: Exercise, numbers: dict[str, str]) -> Exercise:
    """The exercise with drawn numbers. Its answers are computed: none is written by hand."""
    assert one.variation is not None
    filled = with_numbers(one, drawn_given(one, numbers))
    fields = tuple(replace(each, answer=None) if each.quantity else each for each in filled.fields)
    return replace(filled, fields=fields, remarks=one.variation.remarks)


def _is_suitable(questions: tuple[Question, ...]) -> bool:
    variation = questions[0].exercise.variation
    assert variation is not None
    try:
        if any(one.field.kind == "whole" and not isinstance(one.right, int) for one in questions):
            return False
        return tell_all(questions, variation.unseen)
    except FAILURES:
        return False


def _check_laws(questions: tuple[Question, ...]) -> None:
    """The second witness of the computed answers."""
    for name, worked in {str(one.field.calculation): one.worked for one in questions}.items():
        if worked is not None and name in LAWS and not LAWS[name](worked.exercise.given, worked.right):
            raise DenseError("exercise-law", source=worked.exercise.source, calculation=name)


@dataclass(frozen=True)
class Markers:
    """Marks sheets of one set, each with the numbers of its seed; no seed stands for the printed ones."""

    chosen: ExerciseSet
    rules: Rules = field(default_factory=Rules)
    _known: dict[str, Marker] = field(default_factory=dict, repr=False)

    def of(self, seed: str) -> Marker:
        """The marker for a seed; the last few are kept."""
        if seed not in self._known:
            while len(self._known) >= MOST_MARKERS:
                del self._known[next(iter(self._known))]
            self._known[seed] = Marker(questions_for(self.chosen, seed), self.rules)
        return self._known[seed]


def questions_for(chosen: ExerciseSet, seed: str) -> SetQuestions:
    """The set's questions for a seed, with the printed numbers where it is empty."""
    if seed:
        return variant_set(chosen, seed)
    return SetQuestions(chosen, tuple(one for each in chosen.exercises for one in questions_about(each)))


def marked_with(markers: Markers, sheet: Sheet, wanted: str) -> Marked:
    """A sheet marked with the numbers that the call asks for, else with those that it names itself."""
    if sheet.error:
        return Marked(sheet.student, sheet.source, (), sheet.error)
    try:
        seed = seed_for(wanted or sheet.variant, markers.chosen.id, sheet.student)
    except DenseError as error:  # a name of which no numbers can be drawn
        return Marked(sheet.student, sheet.source, (), error.about(source=sheet.where))
    marks = markers.of(seed).sheet(sheet.answers)
    return Marked(sheet.student, sheet.source, marks, variant=seed, submitted=sheet.submitted)


def other_numbers(sheets: Iterable[Sheet], wanted: str, set_id: str) -> Iterator[DenseError]:
    """A warning for each sheet that names other numbers than those that the call asks for."""
    for sheet in sheets if wanted else ():
        if sheet.error is None and sheet.variant:
            asked = seed_for(wanted, set_id, sheet.student)
            named = seed_for(sheet.variant, set_id, sheet.student)
            if asked != named:
                yield DenseError("variant-differs", source=sheet.source, typed=named, variant=asked)
