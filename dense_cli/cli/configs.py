"""What a config brings to a command: counts, and the settings of its norms (its rotation: `config_rope`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dense_cli.cli.exits import Exit
from dense_cli.cli.options import Outcome
from dense_cli.cli.values import named, one_whole
from dense_cli.derive.assumptions import notes
from dense_cli.errors import DenseError, DenseErrors
from dense_cli.frozen import replace
from dense_cli.models.config import read_config

if TYPE_CHECKING:
    from dense_cli.cli.expect_asked import Asked
    from dense_cli.core.norms import Norm
    from dense_cli.derivation import Note, Say
    from dense_cli.models.counting import Count


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
