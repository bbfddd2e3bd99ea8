"""Hints for one question, in levels: which entry, which step, which mistake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dense_cli.derivation import Note, Prose, Step
from dense_cli.frozen import dataclass
from dense_cli.grading.exercises.calculations import SAME
from dense_cli.grading.exercises.exercise import Field
from dense_cli.grading.handouts.pages import words
from dense_cli.grading.handouts.solution import derived
from dense_cli.grading.marks.marking import ATOL, RTOL, Mark, within
from dense_cli.grading.marks.questions import Question
from dense_cli.grading.marks.telling import Teller
from dense_cli.mistakes.agreement import agreement
from dense_cli.mistakes.diagnosis import FAILURES
from dense_cli.render.notation import Notation

LEVELS = 3

Stages = tuple[tuple[str, str], ...]

STAGES: Mapping[str, Stages] = {
    "rope": (
        ("query_angles", "angles"), ("key_angles", "angles"), ("query", "query"), ("key", "key"),
        ("dot", "dot"), ("scaled_score", "score"), ("visible", "visible"),
    ),
    "rmsnorm": (("mean_square", "mean-square"), ("denominator", "root"), ("output", "divide")),
    "layernorm": (
        ("mean", "mean"), ("variance", "variance"), ("denominator", "std"), ("output", "layernorm-output"),
    ),
    "swiglu": (
        ("gate", "gate"), ("up", "up"), ("activated", "activation"), ("product", "product"),
        ("output", "down"),
    ),
    "budget": (("relu", "plain"), ("hidden", "match"), ("swiglu", "check"), ("growth", "same-width")),
}  # fmt: skip
"""For each calculation, in its order: what the core's record holds, and the step that tells it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What hints speak about: a question, the mark of its last answer, and the call for the solution."""

    question: Question
    mark: Mark | None
    call: str


def hint(asked: Asked, level: int, teller: Teller) -> tuple[str, ...]:
    """The hint of this level, from 1 to LEVELS, as lines."""
    if level == 1:
        return (_entry(asked, teller),)
    if level == 2:
        return (_step(asked, teller),)
    return tuple(_mistakes(asked, teller))


def _say(teller: Teller, key: str, **facts: str) -> str:
    return teller.say(f"practice.{key}", **facts)


# --- which entry


def _entry(asked: Asked, teller: Teller) -> str:
    field, mark = asked.question.field, asked.mark
    if mark is None or mark.value is None or mark.right is None:
        return _form(asked.question, teller)
    if field.kind == "yes-no":
        return _say(teller, "hint-other-way")
    if field.kind == "choice":
        others = tuple(name for name in field.options if name != mark.value)
        return _say(teller, "hint-other-choice", options=_choices(field, others, teller))
    if field.kind == "vector":
        return _places(mark, teller)
    assert not isinstance(mark.value, str | tuple)
    assert not isinstance(mark.right, str | tuple)
    value, right = Fraction(mark.value), Fraction(mark.right)
    if within(-value, right, ATOL, RTOL):
        return _say(teller, "hint-sign")
    return _say(teller, "hint-too-large" if value > right else "hint-too-small")


def _form(question: Question, teller: Teller) -> str:
    """What kind of answer is asked for, where there is none yet to speak about."""
    field = question.field
    facts = {}
    if field.kind == "vector":
        facts["count"] = str(question.width)
    if field.kind == "choice":
        facts["options"] = _choices(field, tuple(field.options), teller)
    return _say(teller, f"hint-kind-{field.kind}", **facts)


def _places(mark: Mark, teller: Teller) -> str:
    values = mark.value if isinstance(mark.value, tuple) else (mark.value,)
    rights = mark.right if isinstance(mark.right, tuple) else (mark.right,)
    if len(values) != len(rights):
        return _say(teller, "hint-count")
    wrong = [
        place
        for place, (value, right) in enumerate(zip(values, rights, strict=True), 1)
        if not within(value, right, ATOL, RTOL)  # type: ignore[arg-type]
    ]
    if len(wrong) == len(rights):
        return _say(teller, "hint-every-entry")
    return _say(teller, "hint-entries", places=_listed(map(str, wrong), teller))


def _choices(field: Field, names: tuple[str, ...], teller: Teller) -> str:
    return _listed((teller.choice(field, name) for name in names), teller)


def _listed(names: Any, teller: Teller) -> str:
    return _say(teller, "separator").join(names)


# --- which step


def _step(asked: Asked, teller: Teller) -> str:
    question = asked.question
    if question.worked is None or question.field.calculation is None:
        return _say(teller, "hint-think", task=words(question.exercise.text, teller.language))
    steps = dict(_named(derived(question.worked.asked, question.field.calculation).steps))
    stages = tuple(stage for stage in STAGES.get(question.field.calculation, ()) if stage[1] in steps)
    departed = _departure(asked, stages)
    if departed is not None:
        return _say(teller, "hint-step", step=_title(steps[departed], teller))
    titles = (_title(steps[name], teller) for name in dict.fromkeys(name for _, name in stages))
    return _say(teller, "hint-steps", steps=_say(teller, "separator-steps").join(titles))


def _named(steps: tuple[Step, ...]) -> Iterator[tuple[str, Step]]:
    for step in steps:
        yield step.name, step
        yield from _named(step.steps)


def _title(step: Step, teller: Teller) -> str:
    return Notation(teller.say).sentence(step.title)


def _departure(asked: Asked, stages: Stages) -> str | None:
    """The first step at which a mistake that makes this answer leaves the right way."""
    question, mark = asked.question, asked.mark
    if mark is None or not mark.mistakes or question.paths is None or question.worked is None:
        return None
    named = {one.id for one in mark.mistakes[0].mistakes}
    for path in question.paths.singles:
        if question.paths.catalogue[path.steps[0]].id not in named:
            continue
        if agreement(question.pick(path.result), _floats(mark.value), float(ATOL)) is None:
            continue
        _, record = path.result
        for attribute, step in stages:
            if _differ(getattr(record, attribute), getattr(question.worked.right, attribute)):
                return step
    return None


def _floats(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(float, value))
    return float(value) if isinstance(value, Fraction) else value


def _differ(value: Any, right: Any) -> bool:
    try:
        return agreement(value, right, SAME) is None
    except FAILURES:
        return True


# --- which mistake


def _mistakes(asked: Asked, teller: Teller) -> Iterator[str]:
    if asked.mark is None:
        yield _say(teller, "hint-before")
    elif asked.mark.mistakes:
        if len(asked.mark.mistakes) > 1:
            yield teller.text(Note("check.several", {"count": len(asked.mark.mistakes)}))
        for found in asked.mark.mistakes:
            yield teller.about(found)
    elif asked.question.paths is None:
        yield _say(teller, "hint-think", task=words(asked.question.exercise.text, teller.language))
    else:
        yield _say(teller, "hint-unexplained", call=Prose(asked.call))
