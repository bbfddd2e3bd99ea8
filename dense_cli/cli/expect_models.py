"""What a config adds to the mistakes of a rotation: another kind of layer, another length, another base."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dense_cli.mistakes import Catalogue, catalogue

if TYPE_CHECKING:
    from dense_cli.cli.config_rope import ModelRope

OF_THEIR_OWN = ("angle", "rope-theta", "rotary-dim")
"""Options that turn otherwise than the config says."""


def rope_mistakes(typed: Mapping[str, str | bool | None], model: ModelRope | None) -> Catalogue:
    """The mistakes of a rotation with these options; those of the config's settings where it has one."""
    every = catalogue("rope")
    if model is None or model.asked is None or any(name in typed for name in OF_THEIR_OWN):
        return every
    from dense_cli.mistakes.rope_models import of_model

    own = of_model(*model.asked)
    ids = {mistake.id for mistake in own}
    return (*own, *(mistake for mistake in every if mistake.id not in ids))
