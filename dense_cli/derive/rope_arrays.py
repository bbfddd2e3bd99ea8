"""The page about whole arrays of rotated heads: what was compared, and with which rotation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dense_cli.core.rope import Rope
from dense_cli.derivation import Data, Derivation, Note, Step, Table, Value
from dense_cli.derive.stating import scalar
from dense_cli.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Compared:
    """One array and how it compares; None where the shapes differ and nothing more can be said."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    matches: bool
    max_abs_error: float | int | None
    close: bool | None = None
    lengths_kept: bool | None = None
    rows_beyond: tuple[int, int, int] | None = None
    """Rows with a wrong number, heads that have such rows, tokens that have."""


def rope_arrays(
    given: Rope,
    positions: range,
    arrays: Sequence[Compared],
    assumed: tuple[Note, ...] = (),
    typed: Mapping[str, Data] | None = None,
) -> Derivation:
    """The derivation for arrays at these positions; `typed` is what was typed, JSON-ready.

    >>> from dense_cli.core.schedule import QUARTER_TURN
    >>> given = Rope((), (), (), (QUARTER_TURN,), rotary_dim=2)
    >>> told = rope_arrays(given, range(3), [Compared("query", (3, 2), "float32", True, 0.0)])
    >>> told.result["positions"], told.result["arrays"][0]["shape"]
    ([0, 3], [3, 2])
    """
    return Derivation(
        command="rope",
        title=Note("expect.array.title"),
        given=dict(typed or {}),
        result={
            "layout": given.layout,
            "rotary_dim": given.rotary_dim,
            "theta": [scalar(rate.theta) for rate in given.rates],
            "attention_factor": scalar(given.attention_factor),
            "positions": [positions.start, positions.stop],
            "arrays": [_data(array) for array in arrays],
        },
        assumed=assumed,
        steps=(Step("arrays", Note("expect.array.compared"), table=_table(arrays)),),
    )


def _data(array: Compared) -> Data:
    rows, heads, tokens = array.rows_beyond or (None, None, None)
    return {
        "name": array.name,
        "shape": list(array.shape),
        "dtype": array.dtype,
        "matches": array.matches,
        "max_abs_error": array.max_abs_error,
        "close": array.close,
        "lengths_kept": array.lengths_kept,
        "rows_beyond": rows,
        "heads_beyond": heads if len(array.shape) > 2 else None,
        "tokens_beyond": tokens,
    }


def _table(arrays: Sequence[Compared]) -> Table:
    names = ("quantity", "shape", "is-right", "largest", "lengths", "rows")
    rows: list[tuple[Value | Note, ...]] = [
        (
            Note(f"expect.name.{array.name}"),
            array.shape,
            array.matches,
            array.max_abs_error,
            array.lengths_kept,
            None if array.rows_beyond is None else array.rows_beyond[0],
        )
        for array in arrays
    ]
    return Table(tuple(Note(f"expect.column.{name}") for name in names), tuple(rows))
