"""What `--config` brings to a command: a model's settings as the core takes them, and what was assumed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isclose
from typing import TYPE_CHECKING

from dense_cli.cli.exits import Exit
from dense_cli.cli.options import Outcome
from dense_cli.cli.values import named, one_whole
from dense_cli.core.angles import Rate
from dense_cli.core.norms import Norm
from dense_cli.core.schedule import Schedule
from dense_cli.derivation import Note, Say
from dense_cli.derive.rope_frequencies import Frequencies
from dense_cli.errors import DenseError, DenseErrors
from dense_cli.models.config import Assumption, Config, read_config

if TYPE_CHECKING:
    from dense_cli.cli.expect import Asked
    from dense_cli.models.counting import Count
    from dense_cli.models.rope_settings import RopeSettings

Scaling = Callable[[tuple[Rate, ...]], tuple[Rate, ...]]


def norm_of(given: Norm, typed: str, as_family: str | None = None) -> tuple[Norm, tuple[Note, ...]]:
    """`given` with the epsilon and the form of a model's norms."""
    from dense_cli.models.norm_settings import norm_settings

    settings = norm_settings(named("--config", lambda: read_config(typed, as_family)))
    if settings.kind != "rms":
        raise DenseError("config-no-rmsnorm", option="--config", typed=typed)
    changed = replace(given, eps=settings.eps, unit_offset=given.unit_offset or settings.unit_offset)
    return changed, notes(settings.assumed)


def counted(typed: Sequence[str], as_family: str | None, context: str | None, dtype: str | None) -> Outcome:
    """The counts of one or several models side by side."""
    from dense_cli.derive.params_models import models

    return Outcome(models(*_counts(typed, as_family, context, dtype)), Exit.DONE)


def _counts(
    typed: Sequence[str], as_family: str | None, context: str | None, dtype: str | None
) -> tuple[tuple[Count, ...], int | None]:
    """What each config counts to, and the number of tokens asked for."""
    from dense_cli.models.counting import count

    tokens = one_whole("--context", context) if context is not None else None
    if tokens is not None and tokens < 0:
        raise DenseError("negative-context", option="--context", typed=context)
    refused: list[DenseError] = []
    counts = []
    for source in typed:
        try:
            counts.append(count(read_config(source, as_family), dtype))
        except DenseError as error:
            refused += error.errors if isinstance(error, DenseErrors) else [error]
    if refused:
        raise DenseErrors(refused)
    return tuple(counts), tokens


def asked_of_models(typed: Sequence[str], as_family: str | None, dtype: str | None) -> Asked:
    """What `--expect` can be about: every count of each model."""
    from dense_cli.cli.expect_topics import asked_of_counts

    return asked_of_counts(_counts(typed, as_family, None, dtype)[0])


def weighed(
    typed: Sequence[str],
    weights: str,
    values: bool,
    say: Say,
    as_family: str | None = None,
    context: str | None = None,
    dtype: str | None = None,
) -> Outcome:
    """The count of one model, and whether a checkpoint's tensors are those of its config."""
    from dense_cli.derive.params_models import models
    from dense_cli.derive.params_weights import with_weights
    from dense_cli.models.checkpoint import checkpoint
    from dense_cli.models.comparison import compare, with_findings
    from dense_cli.models.weight_values import non_finite

    if len(typed) != 1:
        raise DenseError("weights-one-config", option="--weights", typed=len(typed))
    counts, tokens = _counts(typed, as_family, context, dtype)
    found = checkpoint(weights)
    comparison = compare(counts[0].shape, found)
    if values:
        comparison = with_findings(comparison, non_finite(found))
    told = with_weights(models(counts, tokens), comparison, say)
    return Outcome(told, Exit.DONE if comparison.fits else Exit.DIFFERS)


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


def rope_of(
    typed: str, layer_type: str | None = None, seq_len: str | None = None, as_family: str | None = None
) -> ModelRope:
    """The rotation that a config describes."""
    from dense_cli.models.rope_settings import rope_settings

    config = named("--config", lambda: read_config(typed, as_family))
    length = one_whole("--seq-len", seq_len) if seq_len is not None else None
    settings = rope_settings(config, layer_type, length)
    rates = Schedule(
        base=settings.base,
        rotary_dim=settings.rotary_dim,
        width=settings.exponent_width,
        scale=_scaling(settings.unscaled_theta, settings.theta),
    )
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
        rates,
        settings.rotary_dim,
        settings.layout,
        settings.attention_factor,
        settings.head_dim,
        settings.writes,
        told,
        notes(settings.assumed),
        _width(config),
    )


def _scaling(plain: Sequence[float], scaled: Sequence[float]) -> Scaling:
    """What the model's type makes of the plain rates; those it leaves alone stay exact."""

    def scale(rates: tuple[Rate, ...]) -> tuple[Rate, ...]:
        return tuple(
            rate if before == after else Rate.radians(after)
            for rate, before, after in zip(rates, plain, scaled, strict=True)
        )

    return scale


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


def notes(assumed: Sequence[Assumption]) -> tuple[Note, ...]:
    """What a config left open, as sentences."""
    return tuple(
        Note(
            f"models.assumed.{key}",
            {
                name: value if isinstance(value, bool | int | float | str | Fraction) else str(value)
                for name, value in facts.items()
            },
        )
        for key, facts in assumed
    )
