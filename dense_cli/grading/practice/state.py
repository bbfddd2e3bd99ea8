"""Where a practice stands, and what of it is kept from one sitting to the next, as data for a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from dense_cli.derivation import Data
from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass, field
from dense_cli.grading.exercises.drawing import seed_of
from dense_cli.grading.marks.marking import Mark

FORMAT = 1

How = Literal["alone", "hinted", "shown", "skipped", "kept"]
"""How a question was done: right alone, right after hints, answer shown, left open, kept for a person."""

HOW: tuple[How, ...] = get_args(How)

MOST = 10_000
"""Entries, hints and draws that a file can speak of."""


@dataclass(frozen=True, slots=True)
class Done:
    """A question that is over: how, and after how many hints."""

    how: How
    hints: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept: the questions that are done, the seed of each exercise's numbers, the last one drawn."""

    done: Mapping[str, Done] = field(default_factory=dict)
    seeds: Mapping[str, str] = field(default_factory=dict)
    drawn: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """Where the dialogue stands: at a question, or at the end (`place` is None).

    `mark` judges the last answer to the question at hand; `level` counts the hints about that answer, `hints`
    all for this question.
    """

    kept: Kept = field(default_factory=Kept)
    place: str | None = None
    mark: Mark | None = None
    level: int = 0
    hints: int = 0
    ended: bool = False


def as_data(kept: Kept, set_id: str) -> dict[str, Data]:
    """What is kept, for a file."""
    return {
        "format": FORMAT,
        "set": set_id,
        "drawn": kept.drawn,
        "seeds": dict(kept.seeds),
        "done": {key: {"how": one.how, "hints": one.hints} for key, one in kept.done.items()},
    }


def from_data(data: object, set_id: str) -> Kept | None:
    """What a file keeps; None where it is not such a file. A file can hold anything: all of it is checked.

    >>> from_data(as_data(Kept({"1.dot": Done("alone")}), "s"), "s")
    Kept(done={'1.dot': Done(how='alone', hints=0)}, seeds={}, drawn=0)
    >>> from_data({"format": 1, "set": "s", "drawn": -1, "seeds": {}, "done": {}}, "s") is None
    True
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("set") != set_id:
        return None
    drawn, seeds, done = data.get("drawn"), data.get("seeds"), data.get("done")
    if not _is_count(drawn) or not isinstance(seeds, dict) or not isinstance(done, dict):
        return None
    if len(seeds) > MOST or len(done) > MOST or not all(map(_is_seed, seeds.values())):
        return None
    found = {key: _done(one) for key, one in done.items()}
    if None in found.values():
        return None
    assert isinstance(drawn, int)
    return Kept({key: one for key, one in found.items() if one is not None}, seeds, drawn)


def with_changes(kept: Kept, before: Kept, after: Kept) -> Kept:
    """What is kept, with what changed from `before` to `after`, exercise by exercise.

    An exercise that did not change stays as it is kept: another sitting may have worked on it.

    >>> with_changes(Kept({"2.x": Done("alone")}), Kept(), Kept({"1.x": Done("shown")})).done.keys()
    dict_keys(['2.x', '1.x'])
    """
    keys = {*before.done, *after.done}
    changed = {_exercise(key) for key in keys if before.done.get(key) != after.done.get(key)}
    names = {*before.seeds, *after.seeds}
    changed |= {name for name in names if before.seeds.get(name) != after.seeds.get(name)}
    return Kept(
        {key: one for key, one in kept.done.items() if _exercise(key) not in changed}
        | {key: one for key, one in after.done.items() if _exercise(key) in changed},
        {name: seed for name, seed in kept.seeds.items() if name not in changed}
        | {name: seed for name, seed in after.seeds.items() if name in changed},
        max(kept.drawn, after.drawn),
    )


def _exercise(key: str) -> str:
    return key.partition(".")[0]


def _done(data: object) -> Done | None:
    if not isinstance(data, dict) or data.get("how") not in HOW or not _is_count(data.get("hints")):
        return None
    return Done(data["how"], data["hints"])


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST


def _is_seed(value: object) -> bool:
    try:
        return value == "" or (isinstance(value, str) and seed_of(value) == value)
    except DenseError:
        return False
