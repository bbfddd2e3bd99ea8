"""Every family, one row each, found by its ``model_type``."""

from __future__ import annotations

from collections.abc import Mapping

from dense_cli.models.families import gemma, gpt_like, llama_like, mixtures, other_norms
from dense_cli.models.family import Family

FAMILIES: Mapping[str, Family] = {
    row.model_type: row
    for row in (*llama_like.ROWS, *gemma.ROWS, *other_norms.ROWS, *gpt_like.ROWS, *mixtures.ROWS)
}
"""By ``model_type``, in the order in which they are told."""

CHAPTER = mixtures.CHAPTER

BY_ANY_NAME: Mapping[str, Family] = {
    **FAMILIES,
    **{other: row for row in FAMILIES.values() for other in row.also_called},
}
"""Also by older and outer names, such as ``gemma3`` for the text part of Gemma 3."""
