"""Is an array of rotated heads the right one, and if not, what does it follow? Data and keys, no words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import prod

import numpy as np

from dense_cli.core.kernels.walking import Array
from dense_cli.core.precision import Format
from dense_cli.core.rope import Rope
from dense_cli.derivation import Data, Note
from dense_cli.frozen import dataclass, replace
from dense_cli.mistakes import Catalogue, Mistake
from dense_cli.mistakes.array_question import Difference, RotationReport
from dense_cli.mistakes.arrays import followed_within, rotation_report, unseen
from dense_cli.mistakes.asking import ATOL, RTOL, Comparison
from dense_cli.mistakes.diagnosis import Found
from dense_cli.mistakes.rope import ROPE
from dense_cli.mistakes.short_formats import nearly, room, short_format

SINGLE_PRECISION = Mistake("single-precision-angles", "rope", "precision", lambda given: ())
"""Angles calculated in float32: their error is bounded, not computed, as each library rounds otherwise."""

SAMPLED = 4096
"""So many numbers tell in which format an array was kept."""

AXES = ("coordinate", "token", "head", "sequence")
"""What the axes of an array are, from the last one on."""


@dataclass(frozen=True, slots=True)
class Rotated:
    """What was found out about one array: the comparison, and the report where the shapes agree."""

    comparison: Comparison
    shape: tuple[int, ...]
    dtype: str
    report: RotationReport | None


def rotation_comparison(
    name: str,
    given: Rope,
    x: Array,
    y: Array,
    start: int = 0,
    atol: Fraction = ATOL,
    rtol: Fraction = RTOL,
    mistakes: Catalogue = ROPE,
) -> Rotated:
    """Compare y with the input x [..., T, D] rotated as `given` says, by positions from `start` on.

    `mistakes` are those that can be made in its rotation. Leading axes of length 1 do not count. Raises
    `DenseError`: "rotary-dim-out-of-range".

    >>> from dense_cli.core.schedule import QUARTER_TURN
    >>> given = Rope((), (), (), (QUARTER_TURN,), rotary_dim=2)
    >>> x = np.array([[1.0, 0.0], [1.0, 0.0]])
    >>> found = rotation_comparison("query", given, x, x).comparison
    >>> found.first_difference, [one.id for one in found.mistakes][:1]
    ({'index': [1, 0], 'found': 1.0, 'expected': 0.0}, ['no-rotation'])
    """
    tolerances = float(atol), float(rtol)
    if _long(y.shape) == _long(x.shape):
        x = x.reshape(y.shape) if y.ndim > 1 else x
        y = y.reshape(x.shape)
        report = rotation_report(given, x, y, start, *tolerances, mistakes)
        told = _compared(name, report, y)
        if report.first_beyond is not None and not told.mistakes:
            kept = kept_in(y, report.first_beyond[2])
            if kept is not None and not _within(report.max_abs_error, kept[1]):
                kind, slack = kept
                loose = followed_within(given, x, y, start, tolerances[0] + slack, tolerances[1], mistakes)
                told = replace(told, notes=(*told.notes, *nearly(kind, slack, loose)))
        if not told.mistakes:
            hidden = unseen(given, x, start, *tolerances, mistakes)
            told = replace(told, unseen=hidden, cannot_tell=hidden)
        return Rotated(told, y.shape, y.dtype.name, report)
    shapes: dict[str, Data] = {"found": list(y.shape), "expected": list(x.shape)}
    told = Comparison(name, False, None, {"index": [], **shapes})

    def report_of(same: Array) -> RotationReport:
        return rotation_report(given, x, same, start, *tolerances, mistakes)

    notes = tuple(_of_other_axes(y, x.shape, report_of))
    return Rotated(replace(told, notes=notes), y.shape, y.dtype.name, None)


def _compared(name: str, report: RotationReport, y: Array) -> Comparison:
    mistakes = report.followed
    if report.close and not report.matches and report.max_abs_error is not None:
        mistakes = (Found((SINGLE_PRECISION,), report.max_abs_error),)
    return Comparison(
        name=name,
        matches=report.matches,
        max_abs_error=report.max_abs_error,
        first_difference=_data(report.first_beyond),
        mistakes=mistakes,
        notes=tuple(_notes(report, y)),
        pairs_tried=report.pairs_tried,
    )


def _within(error: float | None, slack: float) -> bool:
    return error is not None and error <= slack


def _data(first: Difference | None) -> dict[str, Data] | None:
    if first is None:
        return None
    index, found, expected = first
    return {"index": list(index), "found": found + 0.0, "expected": expected + 0.0}


def _notes(report: RotationReport, y: Array) -> Iterator[Note]:
    if report.first_beyond is None:
        return
    yield place_note(report.first_beyond[0], y.shape)
    first = report.first_difference
    if first is not None and first[0] != report.first_beyond[0]:
        yield Note("expect.array.beyond-float32", {"place": place_note(first[0], y.shape, "at")})
    rows, heads, tokens = report.rows_beyond
    counts = {"rows": rows, "all-rows": prod(y.shape[:-1]), "tokens": tokens, "all-tokens": y.shape[-2]}
    facts = {name.replace("-", "_"): count for name, count in counts.items()}
    if y.ndim > 2:
        facts |= {"heads": heads, "all_heads": prod(y.shape[:-2])}
    yield Note("expect.array.rows-in-heads" if y.ndim > 2 else "expect.array.rows", facts)
    if not report.lengths_kept:
        yield Note("expect.array.lengths-changed")
    elif not report.followed and not report.close:
        yield Note("expect.array.lengths-kept")
    if not report.close:
        yield from short_notes(y, report.max_abs_error, report.first_beyond[2])


def place_note(index: tuple[int, ...], shape: tuple[int, ...], key: str = "first") -> Note:
    """Where a place is, in words: its sequence, head, token and coordinate, each counted from 1."""
    facts: dict[str, int] = {}
    for name, at, width in zip(AXES, index[::-1], shape[::-1], strict=False):
        facts |= {name: at + 1, f"{name}s": width}
    return Note(f"expect.array.{key}-{min(len(shape), len(AXES))}", facts)


def kept_in(y: Array, expected: float) -> tuple[Format, float] | None:
    """The short format in which the numbers were kept, and how far it may have moved them."""
    flat = y.reshape(-1)
    kind = short_format(flat[:: max(1, flat.size // SAMPLED)].tolist())
    largest = max(float(np.abs(y[np.isfinite(y)]).max(initial=0.0)), abs(expected))
    return None if kind is None else (kind, room(kind, largest))


def short_notes(y: Array, error: float | None, expected: float) -> Iterator[Note]:
    """That so small a difference may come of the format in which the numbers were kept."""
    kept = kept_in(y, expected)
    if kept is not None and error is not None and error <= kept[1]:
        yield Note("expect.array.short", {"atol": kept[1]})


# --- other shapes


def _of_other_axes(
    y: Array, shape: tuple[int, ...], report_of: Callable[[Array], RotationReport]
) -> Iterator[Note]:
    """What the numbers are once their axes stand in the order of the input's."""
    for same in _in_order(y, shape):
        report = report_of(same)
        if report.close:
            yield Note("expect.array.axes-right")
            return
        if report.followed:
            title = titles(report.followed[0].mistakes)
            yield Note("expect.array.axes-mistake", {"title": title})
            return


def titles(mistakes: Sequence[Mistake]) -> Note:
    """What a mistake is called, or two together."""
    first, *others = (Note(mistake.words("title")) for mistake in mistakes)
    for other in others:
        first = Note("expect.both", {"first": first, "second": other})
    return first


def _in_order(y: Array, shape: tuple[int, ...]) -> Iterator[Array]:
    """Heads and tokens exchanged, or heads side by side in one row."""
    if len(shape) < 3:
        return
    *leading, heads, tokens, width = shape
    by_token = (*leading, tokens, heads, width)
    if _long(y.shape) in (_long(by_token), _long((*leading, tokens, heads * width))):
        yield y.reshape(by_token).swapaxes(-2, -3)


def _long(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape without leading ones."""
    ones = next((place for place, length in enumerate(shape) if length != 1), len(shape))
    return shape[ones:]
