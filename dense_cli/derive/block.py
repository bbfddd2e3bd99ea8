"""The story of one decoder block: the shapes of all tensors, and the last token's row on its way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from dense_cli.core.attention import Array
from dense_cli.core.block import Block, Trace, extent
from dense_cli.derivation import Data, Derivation, Line, Note, Step, Table, Value
from dense_cli.derive.block_attention import attention_steps
from dense_cli.derive.block_network import network_steps
from dense_cli.derive.block_row import Followed
from dense_cli.derive.stating import WIDEST_ANSWER, WRITTEN_OUT, scalar, shown

MOST_VALUES = 100_000
"""So many numbers of all tensors together are told; of more there are shapes and a summary."""


def block(
    given: Block,
    trace: Trace,
    told: Mapping[str, Data] | None = None,
    assumed: tuple[Note, ...] = (),
    cautions: tuple[Note, ...] = (),
    beside: Sequence[Trace] = (),
) -> Derivation:
    """How the rows of `given` became what the core made of them, told for the last token.

    `trace` is what `core.block.block` gives; `told` what was typed, by option; `assumed` what was chosen.
    `beside` are the traces of other sequences of a batch; the data have them too, with a batch axis.

    Source: figure 25.1.

    >>> import numpy as np
    >>> from dense_cli.core.block import BlockWeights, Projection, block as calculated
    >>> eye, one = Projection(np.eye(2)), np.ones(2)
    >>> weights = BlockWeights(one, eye, eye, eye, eye, one, eye, eye, eye)
    >>> given = Block(np.array([[3.0, 4.0]]), weights, heads=1, kv_heads=1, rates=None, rotary_dim=2)
    >>> block(given, calculated(given)).result["shapes"]["scores"]
    [1, 1, 1]
    """
    followed = Followed(given, trace)
    traces = (trace, *beside)
    whole = told_whole(traces)
    return Derivation(
        command="block",
        title=Note("block.title"),
        given=dict(told or {}),
        result=_result(traces, whole),
        assumed=assumed,
        answer=_answer(followed),
        steps=(
            _shapes(trace),
            *(() if whole else (_summary(traces),)),
            *attention_steps(followed),
            *network_steps(followed),
        ),
        cautions=(
            *cautions,
            *((Note("block.first-of-batch", {"sequences": len(traces)}),) if beside else ()),
            Note("block.rows-meet-in-attention"),
        ),
    )


def values_of(traces: Sequence[Trace]) -> int:
    """How many numbers all tensors hold together, kept or not."""
    return sum(prod(shape) for trace in traces for shape in trace.shapes.values())


def told_whole(traces: Sequence[Trace]) -> bool:
    """Whether all tensors are told, number by number."""
    kept = all(trace.tensors.keys() == trace.shapes.keys() for trace in traces)
    return kept and values_of(traces) <= MOST_VALUES


def _result(traces: Sequence[Trace], whole: bool) -> dict[str, Data]:
    first = traces[0]
    batch = [len(traces)] if len(traces) > 1 else []
    told: dict[str, Data] = {"shapes": {name: [*batch, *shape] for name, shape in first.shapes.items()}}
    if whole:
        told["tensors"] = {name: _tensor(name, traces) for name in first.tensors}
        return told
    told["summary"] = {
        name: dict(zip(("smallest", "largest", "mean"), map(scalar, numbers), strict=True))
        for name, numbers in _extents(traces).items()
    }
    return told


def _tensor(name: str, traces: Sequence[Trace]) -> Data:
    told = [nested(trace[name].tolist()) for trace in traces]
    return told if len(told) > 1 else told[0]


def _extents(traces: Sequence[Trace]) -> dict[str, tuple[float, float, float]]:
    """Smallest, largest and mean entry of each tensor, over all sequences."""
    found = {}
    for name in traces[0].tensors:
        lows, highs, means = zip(*(extent(trace[name]) for trace in traces), strict=True)
        found[name] = min(lows), max(highs), sum(means) / len(means)
    return found


def nested(values: Data) -> Data:
    """Nested lists for JSON: None where a score is masked, no negative zero."""
    if isinstance(values, list):
        return [nested(value) for value in values]
    return scalar(values) if isinstance(values, float) else values


def _answer(followed: Followed) -> tuple[Line, ...]:
    rows: Array = followed.trace["output"]
    key = "block.output-start" if rows.shape[1] > WIDEST_ANSWER else "block.output-row"
    first = max(0, len(rows) - WRITTEN_OUT)
    return tuple(
        Line(
            Note(key, {"token": place, "position": followed.given.start + place - 1, "count": WRITTEN_OUT}),
            None,
            shown(row),
        )
        for place, row in enumerate(rows[first:].tolist(), start=first + 1)
    )


def _shapes(trace: Trace) -> Step:
    rows: tuple[tuple[Value | Note, ...], ...] = tuple(
        (name, Note(f"block.tensor.{name}"), shape) for name, shape in trace.shapes.items()
    )
    columns = (Note("block.tensor-name"), Note("block.tensor-meaning"), Note("block.tensor-shape"))
    return Step("shapes", Note("block.shapes"), table=Table(columns, rows), notes=(Note("block.axes"),))


def _summary(traces: Sequence[Trace]) -> Step:
    """Smallest, largest and mean of each tensor, in place of all its numbers."""
    rows = tuple((name, *numbers) for name, numbers in _extents(traces).items())
    columns = tuple(Note(f"block.{name}") for name in ("tensor-name", "smallest", "largest", "mean"))
    facts = {"values": values_of(traces), "most": MOST_VALUES}
    note = Note("block.left-out", facts)
    return Step("summary", Note("block.summary"), table=Table(columns, rows), notes=(note,))
