"""What `--config` brings to `dense rope`: a model's rotation as the core takes it, and what was assumed."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose
from typing import TYPE_CHECKING

from dense_cli.cli.values import named, one_whole
from dense_cli.core.angles import Rate
from dense_cli.derivation import Note
from dense_cli.derive.assumptions import notes
from dense_cli.derive.rope_frequencies import Frequencies
from dense_cli.frozen import dataclass
from dense_cli.models.config import Config, read_config

if TYPE_CHECKING:
    from dense_cli.models.rope_settings import RopeSettings


@dataclass(frozen=True, slots=True)
class ModelRope:
    """A model's rotation: what the core turns by, what the table of frequencies tells, what was assumed."""

    rates: Sequence[Rate]
    rotary_dim: int
    layout: str
    attention_factor: float
    head_dim: int
    writes: str
    frequencies: Frequencies
    assumed: tuple[Note, ...]
    model_width: int | None = None
    asked: tuple[Config, str | None, int | None] | None = None
    """The config, and the kind of layer and the length that were asked for."""


def rope_of(
    typed: str, layer_type: str | None = None, seq_len: str | None = None, as_family: str | None = None
) -> ModelRope:
    """The rotation that a config describes."""
    from dense_cli.models.rope_rates import schedule_of
    from dense_cli.models.rope_settings import rope_settings

    config = named("--config", lambda: read_config(typed, as_family))
    length = one_whole("--seq-len", seq_len) if seq_len is not None else None
    settings = rope_settings(config, layer_type, length)
    told = Frequencies(
        theta=settings.theta,
        unscaled_theta=settings.unscaled_theta,
        rotary_dim=settings.rotary_dim,
        layout=settings.layout,
        base=settings.base,
        width=settings.exponent_width,
        rope_type=settings.rope_type,
        attention_factor=settings.attention_factor,
        capacity=_capacity(config.data.get("max_position_embeddings")),
        treatments=_treatments(settings),
    )
    return ModelRope(
        schedule_of(settings),
        settings.rotary_dim,
        settings.layout,
        settings.attention_factor,
        settings.head_dim,
        settings.writes,
        told,
        notes(settings.assumed),
        _width(config),
        (config, layer_type, length),
    )


BY_PAIR = ("linear", "yarn", "llama3")
"""Types that leave a pair alone, divide it by the factor, or do something in between."""


def _treatments(settings: RopeSettings) -> tuple[str, ...] | None:
    """What the scaling did to each pair, where the type works pair by pair."""
    factor = settings.parameters.get("factor")
    if settings.rope_type not in BY_PAIR or not isinstance(factor, int | float):
        return None

    def treatment(before: float, after: float) -> str:
        if after == before:
            return "kept"
        return "divided" if isclose(after * factor, before, rel_tol=1e-12) else "blended"

    return tuple(map(treatment, settings.unscaled_theta, settings.theta))


def _width(config: Config) -> int | None:
    """The width of the whole model, where the config says it."""
    names = config.family.fields.get("hidden", ())
    return next(filter(None, (_capacity(config.data.get(name)) for name in names)), None)


def _capacity(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
