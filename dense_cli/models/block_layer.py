"""One layer of a model, resolved for `block`: its norm, rotation and window; or why it is no such block."""

from __future__ import annotations

from collections.abc import Mapping

from dense_cli.core.schedule import Schedule
from dense_cli.errors import DenseError, DenseErrors
from dense_cli.frozen import dataclass
from dense_cli.models.block_settings import block_settings
from dense_cli.models.config import Assumption, Config, kind
from dense_cli.models.norm_settings import norm_settings
from dense_cli.models.rope_rates import schedule_of
from dense_cli.models.rope_settings import rope_settings
from dense_cli.models.shape import DTYPE_TAKEN, ModelShape

ALWAYS_SLIDING = ("mistral", "ministral3", "phi3")
"""Families whose every layer slides where ``sliding_window`` is a number; others say so by another field."""

DEFAULT_WINDOW: Mapping[str, int] = {"mistral": 4096}
"""What a family takes for ``sliding_window`` where the config does not name it."""

BESIDE_THE_POINT = (*DTYPE_TAKEN, "rope-some-layers", "rope-marked-layers", "rope-seq-len")
"""What was assumed about bytes, other layers and lengths decides nothing here."""

EVERY_FOURTH = 4
"""SmolLM 3 turns nothing in every so many layers, unless ``no_rope_layer_interval`` says otherwise."""


@dataclass(frozen=True, slots=True)
class LayerSettings:
    """What layer `layer` (from 0) does beside its weights.

    `rates` has one angle per position for each pair of the first `rotary_dim` coordinates of a head; None
    where nothing turns. `window`: how many keys a query sees, its own included; None for all before it.
    """

    layer: int
    layer_type: str | None
    eps: float
    unit_offset: bool
    rates: Schedule | None
    rotary_dim: int
    layout: str
    attention_factor: float
    window: int | None
    assumed: tuple[Assumption, ...]


def block_shape(config: Config) -> ModelShape:
    """The shape of a model whose block is the one of figure 25.1.

    Raises what `model_shape` raises; further every departure by its name: "block-" and one of the ids of
    `block_settings`; "block-no-layers".
    """
    settings = block_settings(config)
    family = config.family.model_type
    found = [
        DenseError(
            f"block-{departure}", hint="block-departure", typed=config.name, family=family, field=field
        )
        for departure, field in settings.departures
    ]
    if len(found) > 1:
        raise DenseErrors(found)
    if found:
        raise found[0]
    if not settings.shape.layers:
        raise DenseError("block-no-layers", typed=config.name)
    return settings.shape


def layer_settings(
    config: Config, shape: ModelShape, layer: int, length: int, layout: str | None = None
) -> LayerSettings:
    """What one layer does with a sequence that ends at position `length` − 1; `layout` beats the config's.

    Raises DenseError "block-layer-range", "block-chunked", "block-layer-types", and what `rope_settings` and
    `norm_settings` raise.

    >>> from dense_cli.models.config import read_config
    >>> config = read_config('{"hidden_size": 12, "query_heads": 3, "ffn_hidden_size": 32}')
    >>> found = layer_settings(config, block_shape(config), layer=0, length=5)
    >>> found.layout, [rate.theta for rate in found.rates]
    ('interleaved', [1.0, 0.01])
    """
    if not 0 <= layer < shape.layers:
        raise DenseError("block-layer-range", typed=layer, layers=shape.layers, last=shape.layers - 1)
    norm = norm_settings(config)
    layer_type = _layer_type(config, layer)
    rope = rope_settings(config, layer_type, length) if _turns(config, layer) else None
    window = _window(config, layer, layer_type)
    read = (*shape.assumed, *norm.assumed, *(rope.assumed if rope else ()))
    assumed = [one for one in read if one[0] not in BESIDE_THE_POINT]
    if rope is None:
        assumed.append(("block-still-layer", {"layer": layer}))
    if window is not None and length > window:
        assumed.append(("block-window", {"window": window}))
    return LayerSettings(
        layer=layer,
        layer_type=layer_type,
        eps=norm.eps,
        unit_offset=norm.unit_offset,
        rates=None if rope is None else schedule_of(rope),
        rotary_dim=rope.rotary_dim if rope else shape.head_dim,
        layout=layout or (rope.layout if rope else "half"),
        attention_factor=rope.attention_factor if rope else 1.0,
        window=window,
        assumed=tuple(one for place, one in enumerate(assumed) if one not in assumed[:place]),
    )


def _layer_type(config: Config, layer: int) -> str | None:
    declared = config.data.get("layer_types")
    if declared is None:
        return None
    if not isinstance(declared, list) or len(declared) <= layer or not isinstance(declared[layer], str):
        raise DenseError("block-layer-types", typed=config.name, layer=layer)
    found = str(declared[layer])
    if found == "chunked_attention":
        raise DenseError("block-chunked", hint="block-departure", typed=config.name, layer=layer)
    return found


def _turns(config: Config, layer: int) -> bool:
    """Whether queries and keys of this layer turn, in a family that leaves some layers alone."""
    rope, data = config.family.rope, config.data
    if rope is None or rope.unless != "no_rope_layers":
        return True
    listed = data.get("no_rope_layers")
    if listed is not None:
        if not isinstance(listed, list) or len(listed) <= layer or listed[layer] not in (0, 1):
            raise DenseError("block-layer-list", typed=config.name, field="no_rope_layers", layer=layer)
        return bool(listed[layer])  # 1 where it turns, whatever the name of the field says
    interval = _whole(config, "no_rope_layer_interval", EVERY_FOURTH)
    return interval is None or (layer + 1) % interval != 0


def _window(config: Config, layer: int, layer_type: str | None) -> int | None:
    data, family = config.data, config.family.model_type
    window = _whole(config, "sliding_window", DEFAULT_WINDOW.get(family))
    if layer_type is not None:
        return window if layer_type == "sliding_attention" else None
    if family in ALWAYS_SLIDING:
        return window
    if data.get("use_sliding_window") is not True:
        return None
    first = _whole(config, "max_window_layers", None)
    if window is not None and first is None:
        raise DenseError("block-layer-list", typed=config.name, field="max_window_layers", layer=layer)
    return window if first is not None and layer >= first else None


def _whole(config: Config, field: str, default: int | None) -> int | None:
    """A positive whole number, or none where an explicit null says so."""
    value = config.data.get(field, default)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise DenseError("config-not-whole", typed=config.name, field=field, value=kind(value))
    if value < (0 if field == "max_window_layers" else 1):
        raise DenseError("config-too-small", typed=config.name, field=field, value=value, least=1)
    return value
