"""Which convention does an array of rotated heads follow? The catalogue for one query and key, on arrays.

Each mistake is first tried on a few pairs of a few rows, one angle at a time, as for hand-sized input. What
makes these numbers is then calculated for the whole array and compared with all of it. Two together are
tried in the same way, where none makes them alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from dense_cli.core.kernels.walking import Array
from dense_cli.core.rope import Rope
from dense_cli.errors import DenseError
from dense_cli.frozen import replace
from dense_cli.mistakes import Catalogue
from dense_cli.mistakes.array_question import ArrayQuestion, Nearest, RotationReport
from dense_cli.mistakes.array_ways import Way, two_ways, ways
from dense_cli.mistakes.diagnosis import Found
from dense_cli.mistakes.rope import ROPE


def rotation_report(
    given: Rope,
    x: Array,
    y: Array,
    start: int = 0,
    atol: float = 5e-5,
    rtol: float = 0.0,
    mistakes: Catalogue = ROPE,
) -> RotationReport:
    """Is y the input x [..., T, D] rotated as `given` says, and if not, which known mistake makes it?

    Positions run from `start` along the last axis but one; heads are the axis before. Of `given`, the vectors
    and positions are left aside. Raises `DenseError`: "array-shapes", "rotary-dim-out-of-range".

    >>> import numpy as np
    >>> from dense_cli.core.kernels.rotation import table, turned
    >>> from dense_cli.core.schedule import Schedule
    >>> rates = Schedule(10000, 4)
    >>> x = np.arange(1.0, 25.0).reshape(2, 3, 4)
    >>> y = turned(x, table(rates, range(3), "half"))
    >>> report = rotation_report(Rope((), (), (), rates, rotary_dim=4), x, y)
    >>> report.matches, report.first_difference[0], [found.id for found in report.followed]
    (False, (0, 1, 0), ['other-layout'])
    """
    if x.shape != y.shape or x.ndim < 2:
        raise DenseError("array-shapes", input=str(x.shape), output=str(y.shape))
    right = _of_no_row(given, x)
    question = ArrayQuestion(x, y, start, atol, rtol)
    found = question.compared(Way((), right))
    if found.close:
        return found
    alone = tuple(ways(right, x.shape, mistakes))
    followed = question.followed(alone)
    if not followed:
        followed = _followed_by_two(question, (Way((), right), *alone), mistakes)
    return replace(found, followed=followed, pairs_tried=not followed or len(followed[0].mistakes) > 1)


def _followed_by_two(question: ArrayQuestion, alone: Sequence[Way], mistakes: Catalogue) -> tuple[Found, ...]:
    """Two mistakes together that make the numbers, where neither makes them alone, nor is it right.

    What an angle in float32 may change could hide that a format is short, so such pairs must be exact."""
    exact, nearest = question.strictly(), Nearest()
    for way in two_ways(alone[0].rope, question.x.shape, mistakes):
        asked = exact if any(mistake.kind == "precision" for mistake in way.mistakes) else question
        error = asked.error(way) if any(asked.likely((way,))) else None
        if error is not None and _is_new(asked.of(way), way, alone):
            nearest.keep(way, error)
    return nearest.found


def _is_new(made: ArrayQuestion, way: Way, alone: Sequence[Way]) -> bool:
    """Whether neither the right rotation nor a part of this way makes the same."""
    return all(made.error(part) is None for part in alone if set(part.mistakes) <= set(way.mistakes))


def followed_within(
    given: Rope, x: Array, y: Array, start: int, atol: float, rtol: float, mistakes: Catalogue
) -> Catalogue:
    """The single mistakes that make y of x as nearly as this."""
    right = _of_no_row(given, x)
    found = ArrayQuestion(x, y, start, atol, rtol).followed(ways(right, x.shape, mistakes))
    return tuple(one.mistakes[0] for one in found)


def _of_no_row(given: Rope, x: Array) -> Rope:
    zeros = (0.0,) * x.shape[-1]
    return replace(given, query=zeros, key=zeros, positions=())


def unseen(
    given: Rope,
    x: Array,
    start: int = 0,
    atol: float = 5e-5,
    rtol: float = 0.0,
    mistakes: Catalogue = ROPE,
) -> Catalogue:
    """The mistakes that make of x what is right, in each of their ways: no output of x tells of them.

    >>> import numpy as np
    >>> from dense_cli.core.schedule import QUARTER_TURN
    >>> given = Rope((), (), (), (QUARTER_TURN,), rotary_dim=2)
    >>> [mistake.id for mistake in unseen(given, np.ones((3, 2)))][:2]
    ['other-layout', 'permuted-output']
    """
    right = _of_no_row(given, x)
    question = ArrayQuestion(x, x, start, atol, rtol).of(Way((), right))
    every = tuple(ways(right, x.shape, mistakes))
    alike = {id(way) for way in question.likely(iter(every)) if question.error(way) is not None}
    shown = {way.mistakes[0].id for way in every if id(way) not in alike}
    hidden = {way.mistakes[0].id: way.mistakes[0] for way in every}
    return tuple(mistake for id, mistake in hidden.items() if id not in shown)
