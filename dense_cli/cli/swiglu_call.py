"""What `dense swiglu` calculates: a gated feed-forward network on each row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dense_cli.cli.values import floats, matrix, named, one_float
from dense_cli.core import Matrix
from dense_cli.core.ffn import Ffn, FfnRow, ffn
from dense_cli.core.linear import transpose
from dense_cli.derivation import Derivation, Note
from dense_cli.derive.swiglu import swiglu as story
from dense_cli.errors import DenseError, nearest

if TYPE_CHECKING:
    from dense_cli.cli.expect_asked import Asked

IN_OUT, OUT_IN = "in-out", "out-in"


def network(
    *,
    x: str | None,
    wg: str | None,
    wu: str | None,
    wd: str | None,
    bg: str | None,
    bu: str | None,
    bd: str | None,
    activation: str | None,
    weights_layout: str | None,
    beta: str | None,
    limit: str | None,
    alpha: str | None,
    up_offset: str | None,
    packed: str | None,
    wgu: str | None,
    dtype: str | None,
) -> tuple[Derivation, Ffn, tuple[FfnRow, ...]]:
    """The network on each row, told, and what it was given and made."""
    layout = _layout(weights_layout)

    def weights(option: str, typed: str | None) -> Matrix | None:
        if typed is None:
            return None
        rows = matrix(option, typed)
        return rows if layout == IN_OUT else transpose(rows)

    given = Ffn(
        x=matrix("--x", x),
        wg=weights("--wg", wg),
        wu=weights("--wu", wu),
        wd=weights("--wd", wd),
        packed=weights("--wgu", wgu),
        order=packed or "gate-up",
        bg=floats("--bg", bg) if bg is not None else None,
        bu=floats("--bu", bu) if bu is not None else None,
        bd=floats("--bd", bd) if bd is not None else None,
        activation=activation or "silu",
        beta=one_float("--beta", beta) if beta is not None else None,
        limit=one_float("--limit", limit) if limit is not None else None,
        alpha=one_float("--alpha", alpha) if alpha is not None else None,
        up_offset=one_float("--up-offset", up_offset) if up_offset is not None else 0.0,
    )
    rows = ffn(given)
    told = story(given, rows, (Note(f"swiglu.layout-{layout}"),))
    if dtype is not None:
        told = _in_format(told, given, rows, dtype)
    return told, given, rows


def asked(given: Ffn, rows: tuple[FfnRow, ...], typed: Mapping[str, str | bool]) -> Asked:
    from dense_cli.cli.expect_topics import asked_of_ffn

    return asked_of_ffn(given, rows, typed)


def _in_format(told: Derivation, given: Ffn, rows: tuple[FfnRow, ...], dtype: str) -> Derivation:
    """What the arithmetic of `dtype` gives."""
    from dense_cli.core.ffn_precision import ffn_in
    from dense_cli.core.precision import number_format
    from dense_cli.derive.swiglu_precision import swiglu_in

    precise = named("--dtype", lambda: number_format(dtype))
    return swiglu_in(told, given, rows, ffn_in(given, precise), precise)


def _layout(typed: str | None) -> str:
    layouts = (IN_OUT, OUT_IN)
    if typed is not None and typed not in layouts:
        close = nearest(typed, layouts) or layouts
        raise DenseError("unknown-weights-layout", option="--weights-layout", typed=typed, layouts=close)
    return typed or IN_OUT
