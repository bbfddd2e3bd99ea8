"""Marks answers to the shipped set, worked out once for all tests."""

from functools import cache

from dense_cli.grading.exercises.set_files import load_set
from dense_cli.grading.marks.marking import Marker, Rules
from dense_cli.grading.marks.questions import questions_about, questions_of
from dense_cli.grading.variants.variant import variant

SET = load_set()
QUESTIONS = questions_of(SET)
MARKER = Marker(QUESTIONS)
STRICT = Marker(QUESTIONS, Rules(follow_through=False))


def marks_of(marker=MARKER, **answers):
    """The marks by field key; keys as ``_1_query`` cannot hold a point."""
    typed = {key.lstrip("_").replace("_", ".", 1): answer for key, answer in answers.items()}
    return {mark.field.key: mark for mark in marker.sheet(typed)}


def mark_of(key, given, marker=MARKER):
    """The mark of one answer that stands alone on its sheet."""
    return next(mark for mark in marker.sheet({key: given}) if mark.field.key == key)


def ids(mark):
    return [found.id for found in mark.mistakes]


@cache
def keys():
    return [field.key for field in SET.fields]


def asked_once(one):
    """`questions_about`: for an exercise as it is in the shipped set, the same questions every time."""
    return _asked(one.id) if one in SET.exercises else questions_about(one)


def drawn_once(one, seed):
    """`variant`, likewise the same for the same seed."""
    return _drawn(one.id, seed) if one in SET.exercises else variant(one, seed)


@cache
def _asked(name):
    return tuple(one for one in QUESTIONS.questions if one.exercise.id == name)


@cache
def _drawn(name, seed):
    return variant(SET.exercise(name), seed)
