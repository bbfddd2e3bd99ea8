"""The one reader of configs: a path, a folder, or JSON typed in place, in any dialect, into `Config`.

What it does not do is ask for fields: each question (`shape`, `norm_settings`, `rope_settings`) reads what it
needs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass
from dense_cli.models.families import BY_ANY_NAME, CHAPTER, FAMILIES
from dense_cli.models.family import Family
from dense_cli.models.json_text import bytes_of, decoded, parsed

Assumption = tuple[str, dict[str, object]]
"""A key and its facts: something that the config does not say and that was taken to be so."""

TEXT_PARTS = ("text_config", "llm_config", "language_config")
OF_THE_WHOLE = ("torch_dtype", "dtype", "tie_word_embeddings")
"""Fields that a config with a nested text part says once, outside."""


@dataclass(frozen=True, slots=True)
class Config:
    """A config as read: `name` is what was typed, `data` its fields, `family` the row that explains them."""

    name: str
    data: Mapping[str, object]
    family: Family
    assumed: tuple[Assumption, ...] = ()

    @property
    def model_type(self) -> str | None:
        """The family's name; the chapter's one block has none."""
        return None if self.family is CHAPTER else self.family.model_type


def read_config(source: str, as_family: str | None = None) -> Config:
    """Read a ``config.json``, a folder that holds one, or inline JSON (it starts with ``{``).

    `as_family` reads it as another ``model_type`` than its own. Raises DenseError where it cannot be read or
    its family is unknown; its numbers are looked at by whoever needs them.

    >>> read_config('{"model_type": "llama", "hidden_size": 12}').family.model_type
    'llama'
    """
    inline = source.lstrip("\ufeff \t\r\n").startswith("{")
    name = "{…}" if inline else source
    text = source.lstrip("\ufeff") if inline else decoded(bytes_of(_file(source)), source)
    data = parsed(text, name)
    if not isinstance(data, dict):
        raise DenseError("config-not-an-object", typed=name, found=kind(data))
    return config_of(data, name, as_family)


def config_of(data: Mapping[str, object], name: str, as_family: str | None = None) -> Config:
    """The same from fields already read, such as the metadata of a checkpoint."""
    assumed: list[Assumption] = []
    inner = _text_part(data)
    if inner is not None:
        field, part = inner
        outer = {key: data[key] for key in OF_THE_WHOLE if key in data}
        model_type = part.get("model_type", data.get("model_type"))
        data = {**outer, **part, "model_type": model_type}
        assumed.append(("config-text-part", {"field": field}))
    family = _family(data, name, as_family)
    if as_family is not None and data.get("model_type") not in (None, family.model_type):
        found = data.get("model_type")
        assumed.append(("config-read-as", {"typed": str(found), "family": family.model_type}))
    return Config(name, data, family, tuple(assumed))


def kind(value: object) -> str:
    """What JSON calls a value: null, boolean, number, string, list or object."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "list" if isinstance(value, list) else "object"


def _file(source: str) -> str:
    try:
        folder = os.path.isdir(source)
    except ValueError:  # a NUL in the path
        raise DenseError("config-unreadable", typed=source, reason="?") from None
    if not folder:
        return source
    path = os.path.join(source, "config.json")
    if not os.path.exists(path):
        raise DenseError("config-not-in-folder", typed=source)
    return path


def _text_part(data: Mapping[str, object]) -> tuple[str, Mapping[str, object]] | None:
    """The nested text part, unless the outer fields are a model of a known family by themselves."""
    own = BY_ANY_NAME.get(str(data.get("model_type")))
    if own is not None and any(name in data for name in own.fields["hidden"]):
        return None
    for field in TEXT_PARTS:
        part = data.get(field)
        if isinstance(part, dict):
            return field, part
    return None


def _family(data: Mapping[str, object], name: str, as_family: str | None) -> Family:
    if as_family is not None:
        if as_family not in BY_ANY_NAME:
            raise DenseError(
                "config-unknown-family",
                typed=as_family,
                nearest=nearest(as_family, list(FAMILIES)) or ("llama",),
            )
        return BY_ANY_NAME[as_family]
    model_type = data.get("model_type")
    if model_type is None:
        if "query_heads" in data:
            return CHAPTER
        raise DenseError("config-no-model-type", typed=name)
    if not isinstance(model_type, str):
        raise DenseError(
            "config-wrong-type", typed=name, field="model_type", value=kind(model_type), wanted="string"
        )
    if model_type not in BY_ANY_NAME:
        near = nearest(model_type, list(FAMILIES))
        hint = "config-model-type-near" if near else None
        raise DenseError(
            "config-unknown-model-type", hint=hint, typed=model_type, nearest=near[:1], example="llama"
        )
    return BY_ANY_NAME[model_type]
