"""How the coordinates of an array turn, from values given in Python."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Real
from operator import index
from typing import Any

from dense_cli.core.angles import Rate
from dense_cli.core.schedule import Schedule, default_rates
from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass, replace
from dense_cli.reading.angles import angles


@dataclass(frozen=True, slots=True)
class Turning:
    """How coordinates turn, as `rope` was asked."""

    rates: Sequence[Rate]
    layout: str = "interleaved"
    attention_factor: float = 1.0
    writes: str | None = None


def turning_of(
    width: int,
    base: float | None,
    angle: Any,
    layout: str | None,
    rotary_dim: int | None,
    config: str | os.PathLike[str] | Mapping[str, object] | None,
) -> Turning:
    """What was asked for, else what the config says, else the defaults of `dense rope`.

    Raises `DenseError`: "angle-and-base", "rotary-dim-out-of-range", "odd-width", "rate-count",
    "base-not-positive", "array-kind", "config-width", and what reading a config or an angle raises.

    >>> turning_of(2, base=None, angle="90deg", layout=None, rotary_dim=None, config=None).rates[0].turn
    Fraction(1, 4)
    """
    own = Turning(()) if config is None else _of_config(width, config)
    turning = replace(own, layout=layout or own.layout, writes=None if layout else own.writes)
    if base is not None and angle is not None:
        raise DenseError("angle-and-base", typed=str(angle), base=base)
    if own.rates and base is angle is rotary_dim is None:
        return turning
    turned = 2 * len(own.rates) or width if rotary_dim is None else _whole(rotary_dim)
    if not 2 <= turned <= width and turned % 2 == 0:
        raise DenseError("rotary-dim-out-of-range", typed=turned, width=width)
    if angle is not None:
        return replace(turning, rates=_angles(angle, turned))
    if base is not None:
        return replace(turning, rates=Schedule(_exact(base), turned))
    if isinstance(own.rates, Schedule):
        return replace(turning, rates=Schedule(own.rates.base, turned))
    # Of a partial rotation, two coordinates are a model's, and take the base.
    plain = default_rates(width) if turned == width else Schedule(Fraction(10000), turned)
    return replace(turning, rates=plain)


def _of_config(width: int, config: str | os.PathLike[str] | Mapping[str, object]) -> Turning:
    from dense_cli.cli.config_rope import rope_of

    model = rope_of(json.dumps(config) if isinstance(config, Mapping) else os.fsdecode(config))
    if model.head_dim != width:
        raise DenseError("config-width", option="q", width=width, head_dim=model.head_dim)
    return Turning(model.rates, model.layout, model.attention_factor, model.writes)


def _angles(given: Any, rotary_dim: int) -> tuple[Rate, ...]:
    """One angle per position for each pair, from one for all or one for each."""
    if rotary_dim % 2:
        raise DenseError("odd-width", width=rotary_dim)
    rates: list[Rate] = []
    for each in [given] if isinstance(given, str | Real) else given:
        if isinstance(each, str):
            rates += (
                Rate.turns(Fraction(v)) if unit == "turn" else Rate.radians(v) for unit, v in angles(each)
            )
        else:
            rates.append(Rate.radians(_exact(each)))
    pairs = rotary_dim // 2
    if len(rates) not in (1, pairs):
        raise DenseError("rate-count", rates=len(rates), pairs=pairs)
    return tuple(rates * pairs if len(rates) == 1 else rates)


def _whole(number: Any) -> int:
    """A whole number of any integer type. Raises "array-kind" for anything else."""
    try:
        return index(number)
    except TypeError:
        raise DenseError("array-kind", name="rotary_dim", kind=type(number).__name__) from None


def _exact(number: Any) -> Fraction:
    """A number as what it stores. Raises "array-kind" for anything else."""
    try:
        return Fraction(number if isinstance(number, int | Fraction) else float(number))
    except (TypeError, ValueError, OverflowError):
        raise DenseError("array-kind", name="rope_theta, angle", kind=type(number).__name__) from None
