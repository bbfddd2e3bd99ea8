"""What an answer may follow from, for each rule of `questions.FOLLOW_RULES`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import contains

from dense_cli.errors import DenseError
from dense_cli.grading.exercises.exercise import Field

SOURCES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "dot": (("vector",), ("vector",)),
    "gated-count": (("whole", "number"),),
}
"""For each rule, in the order of `from`, the kinds of fields that it takes."""

CALCULATION: Mapping[str, str] = {"gated-count": "budget"}
"""Rules that read the given numbers of one calculation."""


def check_follows(fields: Sequence[Field], where: str) -> None:
    """Raises DenseError where a field follows by no rule of ours, or from fields that it cannot take."""
    for place, one in enumerate(fields):
        if one.follows is None:
            continue
        facts = {"source": where, "field": one.name}
        earlier = {before.name: before for before in fields[:place]}
        rule, sources = one.follows.rule, one.follows.sources
        if rule not in SOURCES:
            raise DenseError("exercise-rule", **facts, typed=rule, known=tuple(SOURCES))
        if not earlier.keys() >= set(sources):
            raise DenseError("exercise-follows", **facts, typed=sources)
        kinds = [earlier[name].kind for name in sources]
        wanted = SOURCES[rule]
        taken = len(kinds) == len(wanted) and all(map(contains, wanted, kinds))
        if not taken:
            told = tuple("/".join(some) for some in wanted)
            raise DenseError("exercise-follows-kinds", **facts, rule=rule, typed=tuple(kinds), wanted=told)
        calculation = CALCULATION.get(rule)
        if calculation is not None and one.calculation != calculation:
            raise DenseError("exercise-follows-calculation", **facts, rule=rule, calculation=calculation)
