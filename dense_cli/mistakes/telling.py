"""Inputs that tell mistakes apart, for a user whose own input hides some; and why it hides them.

They are chosen once, irregular on purpose: no zeros, no equal coordinates, positions that are neither 0 nor
equal. What the user set (base, layout, epsilon, activation …) stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log10
from typing import Any

from dense_cli.core import Matrix, Row
from dense_cli.core.ffn import Ffn, unpacked
from dense_cli.core.norms import Norm
from dense_cli.core.rope import Rope
from dense_cli.core.schedule import QUARTER_TURN, Schedule, unscaled
from dense_cli.frozen import dataclass, field, replace
from dense_cli.mistakes.params import BudgetQuestion

QUERY: Row = (0.5, -1.25, 2.0, 0.75, -0.6, 1.5, -2.25, 0.9)
KEY: Row = (1.75, 0.4, -0.8, 1.1, 2.5, -0.3, 0.65, -1.4)
POSITIONS = (3, 5)
FAR_POSITIONS = (777, 500)
"""For scalings, which only change pairs that turn slowly."""

ROW: Row = (0.5, -1.25, 2.0)
TWO_ROWS: Matrix = (ROW, (1.5, 0.75, -0.5))
GAIN: Row = (1.5, 0.25, -0.75)

X: Row = (1.5, -0.7)
GATE: Matrix = ((0.8, -1.1), (0.4, 1.3))
UP: Matrix = ((-0.6, 0.9), (1.2, 0.5))
DOWN: Matrix = ((0.7, -0.3), (-1.2, 0.4))
BIASES = {"bg": (0.3, -0.2), "bu": (-0.4, 0.6), "bd": (0.1, -0.5)}

MOST_WRITTEN = 8
"""Coordinates up to which an input is offered as a call."""


@dataclass(frozen=True, slots=True)
class Telling:
    """An input that shows mistakes, and the options that make it; none where it is too long to type."""

    given: Any
    options: Mapping[str, str] = field(default_factory=dict)


def telling_rope(given: Rope) -> Telling:
    """Wider where one pair is all there is and the angles allow it; positions 3 and 5.

    >>> from dense_cli.core.schedule import QUARTER_TURN
    >>> telling_rope(Rope((1.0, 0.0), (1.0, 0.0), ((0, 1),), (QUARTER_TURN,), rotary_dim=2)).options["--pos"]
    '3 5'
    """
    options: dict[str, str] = {}
    if len(given.query) == 2 and QUARTER_TURN in given.rates:
        options["--angle"] = "90deg"  # the default is another one for more coordinates
    scaled = isinstance(given.rates, Schedule) and given.rates.scale is not unscaled
    positions = FAR_POSITIONS if scaled else POSITIONS
    given = _with_two_pairs(given)
    width = len(given.query)
    query, key = (tuple(row[i % 8] + i // 8 for i in range(width)) for row in (QUERY, KEY))
    turned = replace(given, query=query, key=key, positions=(positions,))
    pos = " ".join(map(str, positions))
    if width > MOST_WRITTEN:
        return Telling(turned)
    return Telling(turned, {"--q": written_row(query), "--k": written_row(key), "--pos": pos, **options})


def _with_two_pairs(given: Rope) -> Rope:
    width = len(given.query)
    if width != 2 or given.rotary_dim != 2:
        return given
    wide = replace(given, query=given.query * 2, key=given.key * 2, rotary_dim=4)
    if isinstance(given.rates, Schedule):
        if given.rates.scale is not unscaled or given.rates.width not in (None, 2):
            return given
        return replace(wide, rates=Schedule(given.rates.base, 4))
    return replace(wide, rates=(given.rates[0],) * 2)


def why_rope(given: Rope, name: str) -> Iterator[str]:
    """What about this input hides mistakes."""
    m, n = given.positions[0]
    if (name == "query" and m == 0) or (name == "key" and n == 0) or m == n == 0:
        yield "position-zero"
    elif name in ("dot", "score") and m == n:
        yield "same-position"
    if len(given.rates) == 1:
        yield "one-pair"
    if given.query == given.key:
        yield "equal-vectors"


def telling_norm(given: Norm) -> Telling:
    """Irregular rows of about the size of √eps, so that the place of epsilon shows; two at most.

    >>> telling_norm(Norm(x=((1.0, 1.0),))).options
    {'--x': '0.5,-1.25,2'}
    """
    size = 10.0 ** round(log10(given.eps) / 2) if given.eps else 1.0
    rows = TWO_ROWS if len(given.x) > 1 else (ROW,)
    x = tuple(tuple(float(f"{value * size:.3g}") for value in row) for row in rows)
    options = {"--x": written_matrix(x)}
    gain = None if given.gain is None else GAIN
    if gain is not None:
        options["--gain"] = written_row(gain)
    return Telling(replace(given, x=x, gain=gain), options)


def why_norm(given: Norm) -> Iterator[str]:
    rows = given.x
    if all(len(set(map(abs, row))) == 1 for row in rows):
        yield "equal-coordinates"
    elif all(sum(row) == 0 for row in rows):
        yield "mean-zero"
    if given.gain is not None and set(given.gain) == {1.0}:
        yield "gain-one"
    if given.eps and all(sum(v * v for v in row) > 1e4 * given.eps * len(row) for row in rows):
        yield "large-row"


def telling_ffn(given: Ffn) -> Telling:
    """Two coordinates everywhere; large enough that a limit limits."""
    size = 1.0 if not given.limit else float(f"{2 * given.limit:.3g}")
    x = (tuple(float(f"{value * size:.3g}") for value in X),)
    options = {"--x": written_matrix(x)}
    parts: dict[str, Any] = {"x": x}
    if given.packed is None:
        parts |= {"wg": GATE, "wu": UP}
        options |= {"--wg": written_matrix(GATE), "--wu": written_matrix(UP)}
    else:
        packed = tuple((*gate, *up) for gate, up in zip(GATE, UP, strict=True))
        parts["packed"] = packed
        options["--wgu"] = written_matrix(packed)
    if given.wd is not None:
        parts["wd"] = DOWN
        options["--wd"] = written_matrix(DOWN)
    for name, bias in BIASES.items():
        if getattr(given, name) is not None:
            parts[name] = bias
            options[f"--{name}"] = written_row(bias)
    return Telling(replace(given, **parts), options)


def why_ffn(given: Ffn) -> Iterator[str]:
    apart = unpacked(given)
    if apart.wg == apart.wu and apart.bg == apart.bu:
        yield "equal-branches"
    square = [matrix for matrix in (apart.wg, apart.wu, apart.wd) if matrix is not None and _square(matrix)]
    if square and all(matrix == tuple(zip(*matrix, strict=True)) for matrix in square):
        yield "symmetric-matrices"
    if not any(any(row) for row in given.x):
        yield "zero-input"


def _square(matrix: Matrix) -> bool:
    return len(matrix) > 1 and len(matrix) == len(matrix[0])


def telling_budget(given: BudgetQuestion) -> Telling:
    """Four times a width that three does not divide."""
    width = 1000 if given.multiple_of is None else 1000 * given.multiple_of + 1
    wide = replace(given, width=width, hidden=4 * width)
    return Telling(wide, {"--width": str(width), "--hidden": str(4 * width)})


def written_row(row: Row) -> str:
    """A row as it is typed.

    >>> written_row((0.5, -2.0))
    '0.5,-2'
    """
    return ",".join(f"{value:g}" for value in row)


def written_matrix(matrix: Matrix) -> str:
    """A matrix as it is typed in every shell."""
    return ":".join(map(written_row, matrix))
