"""Wrong paths: the right calculation on the user's own numbers, with one given value or one part replaced.

No list of wrong values stands anywhere. What a mistake makes is computed by the core, so the same entry
explains a student's answer, a number from somebody's code and the statistics of a class. The words of a
mistake are in ``lang/<code>/mistakes/`` under its topic and id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from dense_cli.frozen import dataclass, replace

Kind = Literal["slip", "convention", "precision", "choice"]

Change = Callable[[Any], Iterable[Any]]
"""From a given value to those that the mistake makes of it: none where it does not apply, several where it
is a family of settings."""

TOPICS = ("rope", "rmsnorm", "swiglu", "params", "params-models", "block")


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing done otherwise. `id` is unique within `topic`.

    A slip is an error; a convention is right in some code; precision is a calculation with fewer digits; a
    choice is another setting. `setting` names the part of a given value that a family of settings changes,
    where it should be told which of them it was.
    """

    id: str
    topic: str
    kind: Kind
    change: Change
    setting: str = ""

    def __reduce__(self) -> tuple[Callable[..., Mistake], tuple[str, str, Kind]]:
        # A change is a function and cannot travel to another process; its name can.
        return _named, (self.id, self.topic, self.kind)

    def words(self, name: str) -> str:
        """The key of its words: `name` is title, explanation, tell, or for a convention users.

        >>> Mistake("old-matrix", "exercises", "slip", always(wd=None)).words("title")
        'mistakes.exercises.old-matrix.title'
        """
        return f"mistakes.{self.topic}.{self.id}.{name}"


Catalogue = tuple[Mistake, ...]


def _named(id: str, topic: str, kind: Kind) -> Mistake:
    """The mistake of this name; one that an exercise brings itself changes nothing any more."""
    known = catalogue(topic) if topic in TOPICS else ()
    return next((one for one in known if one.id == id), Mistake(id, topic, kind, lambda given: ()))


def always(**parts: Any) -> Change:
    """The change that puts these values in, whatever was given.

    >>> from dense_cli.core.norms import Norm
    >>> [changed.eps for changed in always(eps=1e-6)(Norm(x=((0.0, 2.0),)))]
    [1e-06]
    """
    return lambda given: (replace(given, **parts),)


def catalogue(topic: str) -> Catalogue:
    """Every mistake of one of the `TOPICS`; KeyError for another. Order: the more usual ones first.

    >>> [mistake.id for mistake in catalogue("rmsnorm")][:2]
    ['sum-not-mean', 'no-root']
    """
    # Imported only now: a calculation that is right needs no catalogue.
    if topic == "rope":
        from dense_cli.mistakes.rope import ROPE

        return ROPE
    if topic == "rmsnorm":
        from dense_cli.mistakes.rmsnorm import RMSNORM

        return RMSNORM
    if topic == "swiglu":
        from dense_cli.mistakes.swiglu import SWIGLU

        return SWIGLU
    if topic == "params":
        from dense_cli.mistakes.params import BUDGET

        return BUDGET
    if topic == "params-models":
        from dense_cli.mistakes.params_models import MODELS

        return MODELS
    if topic == "block":
        from dense_cli.mistakes.block import BLOCK

        return BLOCK
    raise KeyError(topic)
