"""The angles of a config's rotation as the core takes them: the rule of the base, and what the scaling makes
of it.

They stay a rule, not only its numbers: what another base or exponent would give is scaled as the config says.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dense_cli.core.angles import Rate
from dense_cli.core.schedule import Schedule
from dense_cli.models import rope_scaling as scaling
from dense_cli.models.rope_settings import RopeSettings

Rates = tuple[Rate, ...]
Rule = Callable[[RopeSettings, Rates], scaling.Thetas]
"""From the settings and plain rates to the angle that each pair turns by."""


def schedule_of(found: RopeSettings) -> Schedule:
    """The angle of each pair: an exact power of the base where nothing scaled it, else a float.

    >>> from dense_cli.frozen import replace
    >>> from dense_cli.models.config import read_config
    >>> from dense_cli.models.rope_settings import rope_settings
    >>> linear = '"rope_scaling": {"rope_type": "linear", "factor": 4.0}'
    >>> of = '{"model_type": "llama", "hidden_size": 4, "num_attention_heads": 1, %s}'
    >>> rates = schedule_of(rope_settings(read_config(of % linear)))
    >>> [rate.theta for rate in rates]
    [0.25, 0.0025]
    >>> [rate.theta for rate in replace(rates, base=Fraction(100))]
    [0.25, 0.025]
    """
    base = Fraction(found.base)
    plain = tuple(Rate.power(base, -exponent) for exponent in found.exponents)

    def scale(rates: Rates) -> Rates:
        if rates == plain:
            return _after(rates, found.unscaled_theta, found.theta)
        if found.rope_type not in RULES:
            return rates
        return _after(rates, _thetas(rates), RULES[found.rope_type](found, rates))

    return Schedule(base, found.rotary_dim, width=found.exponent_width, scale=scale)


def _after(rates: Rates, before: scaling.Thetas, after: scaling.Thetas) -> Rates:
    """The scaled rates; those that the scaling leaves alone stay exact."""
    return tuple(
        rate if one == other else Rate.radians(other)
        for rate, one, other in zip(rates, before, after, strict=True)
    )


def _thetas(rates: Rates) -> scaling.Thetas:
    return tuple(rate.theta for rate in rates)


def _number(found: RopeSettings, name: str, default: float = 1.0) -> float:
    value: Any = found.parameters.get(name)
    return default if value is None else float(value)


def _linear(found: RopeSettings, rates: Rates) -> scaling.Thetas:
    return scaling.linear(_thetas(rates), _number(found, "factor"))


def _dynamic(found: RopeSettings, rates: Rates) -> scaling.Thetas:
    """The base grows by the same factor, whatever it is."""
    growth = Fraction(_number(found, "effective_base")) / Fraction(found.base)
    return _thetas(tuple(Rate.power(rate.base * growth, rate.exponent) for rate in rates))


def _yarn(found: RopeSettings, rates: Rates) -> scaling.Thetas:
    base, width = float(rates[0].base), found.exponent_width
    trained = _number(found, "original_max_position_embeddings")
    fast, slow = _number(found, "beta_fast", 32.0), _number(found, "beta_slow", 1.0)
    low, high = scaling.yarn_range(
        base, width, trained, fast or 32.0, slow or 1.0, bool(found.parameters.get("truncate", True))
    )
    return scaling.yarn(_thetas(rates), _number(found, "factor"), low, high)


def _longrope(found: RopeSettings, rates: Rates) -> scaling.Thetas:
    factors: Any = found.parameters[f"{found.parameters['factors_used']}_factor"]
    return scaling.longrope(_thetas(rates), factors)


def _llama3(found: RopeSettings, rates: Rates) -> scaling.Thetas:
    low, high = _number(found, "low_freq_factor"), _number(found, "high_freq_factor")
    trained = _number(found, "original_max_position_embeddings")
    return scaling.llama3(_thetas(rates), _number(found, "factor"), low, high, trained)


def _proportional(found: RopeSettings, rates: Rates) -> scaling.Thetas:
    """Pairs that stand still in the model stand still."""
    thetas = scaling.linear(_thetas(rates), _number(found, "factor"))
    return tuple(theta if turns else 0.0 for theta, turns in zip(thetas, found.theta, strict=True))


RULES: Mapping[str, Rule] = {
    "linear": _linear,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "longrope": _longrope,
    "llama3": _llama3,
    "proportional": _proportional,
}
"""What each type makes of rates that are not the config's own; "default" leaves all as they are."""
