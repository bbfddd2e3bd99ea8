"""What counts as the same tensor of a block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dense_cli.core.attention import Array
from dense_cli.core.block import Trace
from dense_cli.frozen import dataclass, replace

MASKED = -1e4
"""A masked score is −∞; a mask that adds so large a negative number makes the same probabilities."""

SLACK = 1e-9
"""By how much of its numbers a tensor may differ where fewer rows are multiplied at once."""


@dataclass(frozen=True, slots=True)
class Near:
    """What counts as the same number."""

    atol: float
    rtol: float

    def differences(self, found: Array, right: Array) -> tuple[Array, NDArray[np.bool_]]:
        """How far each entry is off, NaN where a finite number meets none; and which are not near enough."""
        masked = np.isneginf(right)
        with np.errstate(invalid="ignore", over="ignore"):
            off = np.abs(np.subtract(found, right, dtype=np.float64))
            off[masked & (found <= MASKED)] = 0.0
            off[np.isinf(off)] = np.nan
            return off, ~(off <= self.atol + self.rtol * np.where(masked, 0.0, np.abs(right)))

    def error(self, found: Array, right: Array) -> float | None:
        """The largest difference, or None where one is beyond the tolerance or the shapes differ."""
        found = in_shape(found, right.shape)
        if found.shape != right.shape:
            return None
        off, wrong = self.differences(found, right)
        return None if wrong.any() else float(off.max())

    def loosened(self, found: Array) -> Near:
        """The same, with room for sums in another order."""
        finite = found[np.isfinite(found) & (found > MASKED)]
        return replace(self, atol=self.atol + SLACK * float(np.abs(finite).max(initial=0.0)))


def in_shape(array: Array, shape: tuple[int, ...]) -> Array:
    """The array in this shape where they differ only in leading axes of length 1."""
    ours, wanted = ([*each] for each in (array.shape, shape))
    for each in (ours, wanted):
        while each and each[0] == 1:
            del each[0]
    return array.reshape(shape) if ours == wanted else array


def stacked(traces: Sequence[Trace], name: str) -> Array:
    """The tensor of one sequence, or those of all with a batch axis."""
    return traces[0][name] if len(traces) == 1 else np.stack([trace[name] for trace in traces])
