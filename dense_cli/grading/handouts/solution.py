"""The worked solution of an exercise, told by the calculators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dense_cli.core.budget import budget
from dense_cli.core.ffn import Ffn, ffn
from dense_cli.core.norms import Norm, layer_norm, norm
from dense_cli.core.rope import Rope, rope
from dense_cli.derivation import Data, Derivation, Line, Prose, Step
from dense_cli.grading.exercises.exercise import Exercise, choice_word
from dense_cli.grading.handouts.pages import plain, task_of, title_of, words
from dense_cli.grading.marks.questions import Question
from dense_cli.mistakes.params import BudgetQuestion
from dense_cli.numerals import plain_number

TOLD_IN: Mapping[str | None, frozenset[str]] = {"rmsnorm": frozenset({"layernorm"})}
"""Calculations whose story is part of another's."""


def solved(one: Exercise, questions: Sequence[Question], language: str) -> Derivation:
    """The worked solution: the calculation step by step, the answers, and what to remember."""
    own = [question for question in questions if question.exercise is one]
    answers = tuple(
        Line(plain(question.field.name), None, _right(question, language))
        for question in own
        if question.field.kind != "text"
    )
    remark = words(one.remarks, language) if one.remarks else Prose("")
    told: dict[str, Data] = {
        question.field.name: _json(question.right) for question in own if question.field.kind != "text"
    }
    return Derivation(
        command="exercise",
        title=title_of(one, language),
        given={},
        result={"id": one.id, "answers": told, "remarks": remark},
        answer=answers,
        steps=(task_of(one, language), *_worked_steps(own)),
        cautions=(plain(remark),) if remark else (),
    )


def _right(question: Question, language: str) -> Any:
    """The right answer for people: a choice as it is called in their language."""
    right = question.right
    return Prose(choice_word(question.field, right, language)) if isinstance(right, str) else right


def _json(value: Any) -> Data:
    if isinstance(value, tuple):
        return [_json(entry) for entry in value]
    return plain_number(value) if isinstance(value, Fraction) else value


def _worked_steps(own: Sequence[Question]) -> Iterator[Step]:
    """The story of each calculation that the exercise names, told as the calculator tells it."""
    worked = {question.field.calculation: question.worked for question in own if question.worked is not None}
    for name, calculation in worked.items():
        if not TOLD_IN.get(name, frozenset()) & worked.keys():
            yield from derived(calculation.asked, name).steps


def derived(given: Any, calculation: str | None) -> Derivation:
    """The calculator's derivation of a given value of any topic."""
    from dense_cli.derive import params, rmsnorm, swiglu
    from dense_cli.derive import rope as turning

    match given:
        case Rope():
            return turning.rope(given, rope(given))
        case Norm() if calculation == "layernorm":
            return rmsnorm.rmsnorm(given, norm(given), layer_norm(given))
        case Norm():
            return rmsnorm.rmsnorm(given, norm(given))
        case Ffn():
            return swiglu.swiglu(given, ffn(given))
        case BudgetQuestion():
            return params.ffn_budget(budget(given.width, given.hidden))
    raise TypeError(type(given).__name__)
