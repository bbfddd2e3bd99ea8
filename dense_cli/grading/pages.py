"""Exercises to read: the list, one of them, an empty answer sheet, the worked solution."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dense_cli.core.budget import budget
from dense_cli.core.ffn import Ffn, ffn
from dense_cli.core.norms import Norm, layer_norm, norm
from dense_cli.core.rope import Rope, rope
from dense_cli.derivation import Data, Derivation, Line, Note, Prose, Step, Table
from dense_cli.grading.exercise import Exercise, ExerciseSet, Field
from dense_cli.grading.questions import Question
from dense_cli.grading.report import plain_number
from dense_cli.mistakes.params import BudgetQuestion


def in_language(words: Mapping[str, str], language: str) -> str:
    """A text of an exercise, in English where the language has none."""
    return words.get(language, words["en"])


def listing(chosen: ExerciseSet, language: str) -> Derivation:
    """Every exercise of a set: number, title, fields, points."""
    rows = tuple(
        (
            one.id,
            in_language(one.title, language),
            ", ".join(field.name for field in one.fields),
            sum(field.points for field in one.fields),
        )
        for one in chosen.exercises
    )
    columns = tuple(Note(f"exercise.column-{name}") for name in ("id", "title", "fields", "points"))
    told: list[Data] = [_data(one, language) for one in chosen.exercises]
    return Derivation(
        command="exercise",
        title=Note("exercise.set", {"title": in_language(chosen.title, language), "id": chosen.id}),
        given={},
        result={"exercises": chosen.id, "list": told},
        steps=(Step("list", Note("exercise.list"), table=Table(columns, rows)),),
    )


def _data(one: Exercise, language: str) -> dict[str, Data]:
    return {
        "id": one.id,
        "title": in_language(one.title, language),
        "text": _one_paragraph(in_language(one.text, language), language),
        "fields": [
            {
                "name": field.name,
                "kind": field.kind,
                "points": plain_number(field.points),
                "ask": in_language(field.ask, language),
                "options": list(field.options),
            }
            for field in one.fields
        ],
    }


def _one_paragraph(text: str, language: str) -> str:
    """A text without its line breaks; Chinese has no blank between lines."""
    return ("" if language == "zh" else " ").join(line.strip() for line in text.splitlines())


def asked(one: Exercise, language: str) -> Derivation:
    """One exercise to read, with the fields to answer."""
    return Derivation(
        command="exercise",
        title=_title(one, language),
        given={},
        result=_data(one, language),
        steps=(
            Step("text", Note("exercise.task"), notes=(_plain(_one_paragraph(in_language(one.text, language), language)),)),
            Step("fields", Note("exercise.answer-with"), table=_fields(one.fields, language)),
        ),
    )


def _title(one: Exercise, language: str) -> Note:
    return Note("exercise.title", {"id": one.id, "title": in_language(one.title, language)})


def _plain(text: str) -> Note:
    return Note("exercise.plain", {"text": Prose(text)})


def _fields(fields: Sequence[Field], language: str) -> Table:
    columns = tuple(Note(f"exercise.column-{name}") for name in ("field", "ask", "points"))
    return Table(columns, tuple((one.name, in_language(one.ask, language), one.points) for one in fields))


def solved(one: Exercise, questions: Sequence[Question], language: str) -> Derivation:
    """The worked solution: the calculation step by step, the answers, and what to remember."""
    own = [question for question in questions if question.exercise is one]
    answers = tuple(
        Line(Note("exercise.plain", {"text": question.field.name}), None, _right(question))
        for question in own
        if question.field.kind != "text"
    )
    remark = in_language(one.remarks, language) if one.remarks else ""
    told: dict[str, Data] = {
        question.field.name: _json(_right(question)) for question in own if question.field.kind != "text"
    }
    return Derivation(
        command="exercise",
        title=_title(one, language),
        given={},
        result={"id": one.id, "answers": told, "remarks": _one_paragraph(remark, language)},
        answer=answers,
        steps=(
            Step("text", Note("exercise.task"), notes=(_plain(_one_paragraph(in_language(one.text, language), language)),)),
            *_worked_steps(own),
        ),
        cautions=(_plain(_one_paragraph(remark, language)),) if remark else (),
    )


def _right(question: Question) -> Any:
    right = question.right
    return Note(f"exercise.choice-{right}") if question.field.kind == "choice" else right


def _json(value: Any) -> Data:
    if isinstance(value, Note):
        return value.key.removeprefix("exercise.choice-")
    if isinstance(value, tuple):
        return [_json(entry) for entry in value]
    return value if isinstance(value, bool | int | float | str) else plain_number(value)


def _worked_steps(own: Sequence[Question]) -> tuple[Step, ...]:
    """The story of each calculation that the exercise names, told as the calculator tells it."""
    steps: list[Step] = []
    seen: set[int] = set()
    for question in own:
        if question.worked is None or id(question.worked) in seen:
            continue
        seen.add(id(question.worked))
        steps += derived(question.worked.asked, question.field.calculation).steps
    return tuple(steps)


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


def template(chosen: ExerciseSet, language: str, as_json: bool = False) -> str:
    """An empty answer sheet: TOML with what is asked as comments, or JSON."""
    if as_json:
        sheet: dict[str, Any] = {"student": ""}
        for one in chosen.exercises:
            sheet[one.id] = {field.name: "" for field in one.fields}
        return json.dumps(sheet, ensure_ascii=False, indent=2) + "\n"
    lines = ['student = ""']
    for one in chosen.exercises:
        lines += ["", f"# {in_language(one.title, language)}", f"[{one.id}]"]
        lines += [f'{field.name} = ""  # {in_language(field.ask, language)}' for field in one.fields]
    return "\n".join(lines) + "\n"
