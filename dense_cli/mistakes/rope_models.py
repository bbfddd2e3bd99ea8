"""What is done otherwise with the rotation that a model's config describes: another kind of layer, another
length, another base, a field of its scaling left out.

Nothing is scaled here: each is the config's own calculation, with one thing in the config changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import log

from dense_cli.core.rope import Rope
from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass, replace
from dense_cli.mistakes import Catalogue, Change, Kind, Mistake
from dense_cli.mistakes.rope import BASES
from dense_cli.models import rope_scaling as scaling
from dense_cli.models.config import Config
from dense_cli.models.fields import Fields
from dense_cli.models.rope_parameters import ALL_LAYERS, Parameters, rope_by_type, turns
from dense_cli.models.rope_rates import schedule_of
from dense_cli.models.rope_settings import RopeSettings, rope_settings

KEPT = ("rope_theta", "partial_rotary_factor")
"""What says how layers turn before anything is scaled."""

SCALES = ("mscale", "mscale_all_dim")


@dataclass(frozen=True)
class Model:
    """A config, and which of its rotations is asked about."""

    config: Config
    layer_type: str | None = None
    seq_len: int | None = None

    @cached_property
    def right(self) -> RopeSettings:
        return rope_settings(self.config, self.layer_type, self.seq_len)

    @cached_property
    def parameters(self) -> Mapping[str, Parameters]:
        """What the config says of each kind of layer, completed."""
        fields = Fields(self.config)
        rope = turns(fields)
        return {} if rope is None else rope_by_type(fields, rope)

    @property
    def own(self) -> Parameters:
        return self.parameters[self.right.layer_type or ALL_LAYERS]

    def number(self, name: str) -> float | None:
        """A number that the scaling used."""
        return _number(self.right.parameters, name)

    def at(self, seq_len: int) -> Iterator[RopeSettings]:
        """The same at another length."""
        return _settled(self.config, self.layer_type, seq_len)

    def of_kind(self, layer_type: str) -> Iterator[RopeSettings]:
        return _settled(self.config, layer_type, self.seq_len)

    def saying(self, own: Parameters) -> Iterator[RopeSettings]:
        """The same where the config says this of the layers asked about."""
        if not self.parameters:
            return iter(())
        kind = self.right.layer_type
        said: object = own if kind is None else {**self.parameters, kind: own}
        data = {name: value for name, value in self.config.data.items() if name != "rope_scaling"}
        other = replace(self.config, data={**data, "rope_parameters": said})
        return _settled(other, self.layer_type, self.seq_len)


def _settled(config: Config, layer_type: str | None, seq_len: int | None) -> Iterator[RopeSettings]:
    try:
        yield rope_settings(config, layer_type, seq_len)
    except (DenseError, ArithmeticError):
        return


def _number(said: Mapping[str, object], name: str) -> float | None:
    value = said.get(name)
    return value if isinstance(value, int | float) else None


Otherwise = Callable[[Model], Iterator[RopeSettings]]


# Kinds of layers


def other_kinds(model: Model) -> tuple[str, ...]:
    return tuple(kind for kind in model.right.layer_types if kind != model.right.layer_type)


def other_layer_type(model: Model) -> Iterator[RopeSettings]:
    if model.right.layer_type is not None:
        for kind in other_kinds(model):
            yield from model.of_kind(kind)


def scaling_of_other_layers(model: Model) -> Iterator[RopeSettings]:
    """The base of these layers with the scaling of others, where those are scaled."""
    if model.right.layer_type is None:
        return
    for kind in other_kinds(model):
        theirs: Parameters = model.parameters.get(kind, {})
        kept: Parameters = {name: value for name, value in model.own.items() if name in KEPT}
        if theirs.get("rope_type", "default") != "default" and {**theirs, **kept} != theirs:
            yield from model.saying({**theirs, **kept})


# Lengths


def dynamic_length_fixed(model: Model) -> Iterator[RopeSettings]:
    """The base as at the factor times the trained length, whatever the length is."""
    factor, trained = model.number("factor"), model.number("max_position_embeddings")
    if model.right.rope_type == "dynamic" and factor and trained and factor > 1:
        yield from model.at(int(factor * trained))


def dynamic_below_trained(model: Model) -> Iterator[RopeSettings]:
    """The rule for longer sequences on a shorter one; where its bracket is not above 0 it gives no number."""
    right, length = model.right, model.number("seq_len")
    factor, trained = model.number("factor"), model.number("max_position_embeddings")
    if right.rope_type != "dynamic" or not factor or not trained or length is None or length >= trained:
        return
    growth = factor * length / trained - (factor - 1)
    if growth > 0:
        width = right.exponent_width
        base = right.base * growth ** (width / (width - 2))
        yield replace(right, theta=scaling.unscaled(base, width))


def longrope_other_list(model: Model) -> Iterator[RopeSettings]:
    trained = model.number("original_max_position_embeddings")
    if model.right.rope_type == "longrope" and trained:
        long = model.right.parameters.get("factors_used") == "long"
        yield from model.at(int(trained) + (not long))


# Fields of a scaling


def ramp_rounding(model: Model) -> Iterator[RopeSettings]:
    if model.right.rope_type == "yarn":
        yield from model.saying({**model.own, "truncate": model.right.parameters.get("truncate") is False})


def yarn_scales_ignored(model: Model) -> Iterator[RopeSettings]:
    if model.right.rope_type == "yarn" and any(model.own.get(name) for name in SCALES):
        yield from model.saying({name: value for name, value in model.own.items() if name not in SCALES})


def other_base(base: int) -> Otherwise:
    def said(model: Model) -> Iterator[RopeSettings]:
        if base != model.right.base:
            yield from model.saying({**model.own, "rope_theta": float(base)})

    return said


# Scores


def multiplied_score(scale: str) -> Callable[[Model], Change]:
    """The score times (0.1 · scale · ln(factor) + 1)², as where YaRN's factor is not on cosine and sine."""

    def change_of(model: Model) -> Change:
        def changed(given: Rope) -> Iterator[Rope]:
            factor, weight, other = (_number(model.own, name) for name in ("factor", scale, _other(scale)))
            if model.right.rope_type != "yarn" or not factor or factor <= 1 or not weight:
                return
            if scale == "mscale_all_dim" or other:
                multiplier = 0.1 * weight * log(factor) + 1
                # The score is the product over the root of this number, which need not be whole.
                width = (given.score_width or len(given.query)) / multiplier**4
                yield replace(given, score_width=width)  # type: ignore[arg-type]

        return changed

    return change_of


def _other(scale: str) -> str:
    return SCALES[1 - SCALES.index(scale)]


# The catalogue of one model


def settled(model: Model, otherwise: Otherwise) -> Change:
    """The rotation by other settings, where they are others."""

    def changed(given: Rope) -> Iterator[Rope]:
        right = model.right.theta, model.right.attention_factor, model.right.rotary_dim
        for other in otherwise(model):
            turning = other.theta, other.attention_factor, other.rotary_dim
            if turning != right and other.rotary_dim <= len(given.query):
                yield replace(
                    given,
                    rates=schedule_of(other),
                    rotary_dim=other.rotary_dim,
                    attention_factor=other.attention_factor,
                )

    return changed


SETTINGS: Iterable[tuple[str, Kind, Otherwise]] = (
    ("other-layer-type", "slip", other_layer_type),
    ("scaling-of-other-layers", "slip", scaling_of_other_layers),
    ("dynamic-length-fixed", "slip", dynamic_length_fixed),
    ("dynamic-below-trained", "slip", dynamic_below_trained),
    ("longrope-other-list", "slip", longrope_other_list),
    ("ramp-rounding", "slip", ramp_rounding),
    ("yarn-scales-ignored", "convention", yarn_scales_ignored),
    *((f"base-{base}", "choice", other_base(base)) for base in BASES),
)
SCORES: Sequence[tuple[str, Kind, Callable[[Model], Change]]] = (
    ("softmax-multiplier", "convention", multiplied_score("mscale_all_dim")),
    ("multiplier-from-mscale", "slip", multiplied_score("mscale")),
)


def of_model(config: Config, layer_type: str | None = None, seq_len: int | None = None) -> Catalogue:
    """What can be done otherwise with this config's rotation, beside the mistakes in any rotation.

    >>> from dense_cli.core.schedule import Schedule
    >>> from dense_cli.models.config import read_config
    >>> config = read_config('{"model_type": "llama", "hidden_size": 8, "num_attention_heads": 1}')
    >>> given = Rope((1.0,) * 8, (1.0,) * 8, ((1, 1),), Schedule(10000, 8), rotary_dim=8)
    >>> [mistake.id for mistake in of_model(config) if list(mistake.change(given))]
    ['base-500000', 'base-1000000']
    """
    model = Model(config, layer_type, seq_len)
    return (
        *(Mistake(id, "rope", kind, settled(model, otherwise)) for id, kind, otherwise in SETTINGS),
        *(Mistake(id, "rope", kind, change_of(model)) for id, kind, change_of in SCORES),
    )
