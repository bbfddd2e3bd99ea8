"""Wrong values as one question sees them: what mistakes make of one quantity, and is not the right value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, Protocol

from dense_cli.frozen import dataclass
from dense_cli.mistakes.agreement import Shaped, Steps, WrongValues, agreement, shaped, shaped_agreement

Pick = Callable[[Any], Any]
"""From records to the quantity that was asked for."""


@dataclass(frozen=True, slots=True)
class Path:
    """What came out where these mistakes were made; `steps` are their places in the catalogue."""

    steps: tuple[int, ...]
    result: Any


class Paths(Protocol):
    """What is made of one given value: the right records, those of each mistake, and of two together."""

    @property
    def right(self) -> tuple[Any, ...]: ...
    @property
    def singles(self) -> tuple[Path, ...]: ...
    @property
    def pairs(self) -> tuple[Path, ...]: ...


@dataclass(frozen=True)
class Seen:
    """The wrong values as one question sees them: only those that are told from the right one."""

    paths: Paths
    pick: Pick
    atol: float
    rtol: float

    @cached_property
    def right(self) -> list[Shaped]:
        return [shaped(self.pick(result)) for result in self.paths.right]

    @cached_property
    def alone(self) -> WrongValues:
        return self.told_from_right(self.paths.singles)

    def told_from_right(self, paths: Iterable[Path]) -> WrongValues:
        """The values of single mistakes that are not right."""
        return WrongValues(self._told_from(paths, lambda steps: self.right))

    @cached_property
    def together(self) -> WrongValues:
        return self.told_in_pairs(self.paths.pairs)

    @cached_property
    def _parts(self) -> dict[int, list[Shaped]]:
        parts: dict[int, list[Shaped]] = {}
        for path in self.paths.singles:
            parts.setdefault(path.steps[0], []).append(shaped(self.pick(path.result)))
        return parts

    def told_in_pairs(self, pairs: Iterable[Path]) -> WrongValues:
        """The values of pairs that neither part makes alone."""

        def others(steps: Steps) -> list[Shaped]:
            return self.right + [value for step in steps for value in self._parts.get(step, [])]

        return WrongValues(self._told_from(pairs, others))

    def _told_from(
        self, paths: Iterable[Path], others: Callable[[Steps], list[Shaped]]
    ) -> Iterator[tuple[Steps, Shaped]]:
        for path in paths:
            value = shaped(self.pick(path.result))
            if all(
                shaped_agreement(value, other, self.atol, self.rtol) is None for other in others(path.steps)
            ):
                yield path.steps, value


def agree(value: Any, other: Any, atol: float, rtol: float) -> bool:
    """Whether two values agree."""
    return agreement(value, other, atol, rtol) is not None
