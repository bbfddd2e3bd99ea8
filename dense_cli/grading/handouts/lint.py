"""Is a set of exercises sound, and which mistakes can its numbers tell apart?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dense_cli.derivation import Data, Derivation, Listed, Note, Prose, Step, Table
from dense_cli.errors import DenseError, DenseErrors
from dense_cli.frozen import dataclass
from dense_cli.grading.exercises.calculations import CALCULATIONS
from dense_cli.grading.exercises.entries import within
from dense_cli.grading.exercises.exercise import Exercise, ExerciseSet, Words
from dense_cli.grading.exercises.set_files import load_set
from dense_cli.grading.handouts.variant_lint import calculations_of, unreadable, variant_faults
from dense_cli.grading.marks.marking import CORRECT, Rules, mark_alone
from dense_cli.grading.marks.questions import Question, SetQuestions, questions_of
from dense_cli.grading.variants.separating import hidden_ids, numeric
from dense_cli.lang import LANGUAGES, topic_texts
from dense_cli.mistakes import catalogue
from dense_cli.reading.answers import told as number_text


@dataclass(frozen=True, slots=True)
class Linted:
    """What lint found: faults to be mended, and for each exercise the mistakes that its numbers hide."""

    set: ExerciseSet | None
    faults: tuple[DenseError, ...]
    hidden: tuple[tuple[str, tuple[str, ...]], ...] = ()


def lint(folder: Path | None) -> Linted:
    """Load a set, solve every exercise, and compare the two witnesses of every answer."""
    try:
        chosen = load_set(folder)
        questions = questions_of(chosen)
    except DenseErrors as errors:
        return Linted(None, errors.errors)
    except DenseError as error:
        return Linted(None, (error,))
    faults = tuple(
        fault
        for one in chosen.exercises
        for fault in (
            *_word_faults(one),
            *_given_faults(one),
            *_own_mistake_faults(one),
            *_answer_faults(one, questions),
        )
    )
    # Variants are drawn only where the exercise itself is sound: else each would tell the same fault again.
    faults += () if faults else tuple(fault for one in chosen.exercises for fault in variant_faults(one))
    faults += tuple(_untranslated(str(folder or chosen.id), {"title": chosen.title}))
    return Linted(chosen, faults, () if faults else tuple(_hidden(questions)))


def _word_faults(one: Exercise) -> Iterator[DenseError]:
    """Texts that a language lacks, and own mistakes without a name."""
    texts = {"title": one.title, "text": one.text, **{field.name: field.ask for field in one.fields}}
    texts |= {"remarks": one.remarks} if one.remarks else {}
    if one.variation is not None:
        texts |= {"variant.remarks": one.variation.remarks} if one.variation.remarks else {}
        for given, phrases in one.variation.phrases.items():
            texts |= {f"phrases.{given}.{value}": words for value, words in phrases.items()}
    for mistake in one.mistakes:
        if mistake.title:
            texts |= {mistake.id: mistake.title, f"{mistake.id} explanation": mistake.explanation}
        elif f"exercises.{mistake.id}.title" not in topic_texts("en", "mistakes"):
            yield DenseError("exercise-mistake-words", source=one.source, typed=mistake.id)
    yield from _untranslated(one.source, texts)


def _untranslated(source: str, texts: dict[str, Words]) -> Iterator[DenseError]:
    for name, words in texts.items():
        for language in LANGUAGES:
            if not words.get(language):
                yield DenseError("exercise-language", source=source, language=language, key=name)


def _given_faults(one: Exercise) -> Iterator[DenseError]:
    names = {field.calculation for field in one.fields if field.calculation}
    known = tuple(sorted({key for name in names for key in CALCULATIONS[name].keys}))
    varied = one.variation.given if one.variation is not None else {}
    for key in (*one.given, *(key for mistake in one.mistakes for key in mistake.given), *varied):
        if key not in known:
            hint = "exercise-given-name" if known else "exercise-given-unused"
            yield DenseError("exercise-given-name", hint=hint, source=one.source, typed=key, known=known)


def _own_mistake_faults(one: Exercise) -> Iterator[DenseError]:
    """Mistakes that the exercise brings, but that are called like others, or whose numbers cannot be read."""
    calculations = calculations_of(one)
    taken = {known.id for calculation in calculations for known in catalogue(calculation.topic)}
    for mistake in one.mistakes:
        place = within(one.source, mistake.id)
        if mistake.id in taken:
            yield DenseError("exercise-mistake-id", source=place, typed=mistake.id)
        taken.add(mistake.id)
        for calculation in calculations:
            fault = unreadable(calculation, {**one.given, **mistake.given})
            if fault is not None and unreadable(calculation, one.given) is None:
                yield fault.about(source=place)
                break


def _answer_faults(one: Exercise, questions: SetQuestions) -> Iterator[DenseError]:
    """The answer written by hand, marked like a student's, must be right."""
    told: set[str] = set()
    for question in questions.questions:
        field = question.field
        if question.exercise is not one or field.kind == "text":
            continue
        try:
            mark, _ = mark_alone(question, field.answer, Rules())
        except DenseError as error:  # told once: all fields of a calculation fail alike
            if str(error) not in told:
                yield error if question.worked else error.about(source=within(one.source, field.name))
            told.add(str(error))
            continue
        if isinstance(mark.message, DenseError):
            yield mark.message.about(source=within(one.source, field.name))
        elif mark.verdict != CORRECT:
            facts = {"field": field.name, "typed": field.answer, "computed": Prose(_written(question))}
            yield DenseError("exercise-answer", source=one.source, **facts)


def _written(question: Question) -> str:
    right = question.right
    if isinstance(right, bool):
        return "yes" if right else "no"
    return right if isinstance(right, str) else number_text(right)


def _hidden(questions: SetQuestions) -> Iterator[tuple[str, tuple[str, ...]]]:
    """For each calculated exercise the mistakes that apply to it and that none of its fields can show."""
    for one in questions.set.exercises:
        own = numeric(each for each in questions.questions if each.exercise is one)
        if own:
            yield one.id, tuple(sorted(hidden_ids(own)))


def page(linted: Linted, chosen: ExerciseSet) -> Derivation:
    """What lint found in a sound set."""
    columns = (Note("exercise.column-id"), Note("exercise.column-hidden"))
    table = Table(columns, tuple((name, Listed(ids or ("–",))) for name, ids in linted.hidden))
    result: dict[str, Data] = {
        "exercises": chosen.id,
        "sound": not linted.faults,
        "hidden": {exercise: list(ids) for exercise, ids in linted.hidden},
    }
    steps = (
        Step("sound", Note("exercise.sound", {"set": chosen.id, "fields": len(chosen.fields)})),
        Step("hidden", Note("exercise.hidden"), table=table, notes=(Note("exercise.hidden-meaning"),)),
    )
    return Derivation(command="exercise", title=Note("exercise.lint"), given={}, result=result, steps=steps)
