"""What `dense rope` calculates: a rotation from typed options, a model, or the defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from dense_cli.cli.options import required
from dense_cli.cli.values import floats, named, numbers, one_number, one_whole
from dense_cli.core import rope as core
from dense_cli.core.angles import Position, Rate
from dense_cli.core.schedule import Schedule, check_width, default_rates
from dense_cli.derivation import Derivation
from dense_cli.derive import rope as story
from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass
from dense_cli.reading.angles import angles

if TYPE_CHECKING:
    from dense_cli.cli.config_rope import ModelRope
    from dense_cli.cli.expect_asked import Asked


@dataclass(frozen=True, slots=True)
class Turning:
    """How the coordinates turn: the typed options where they speak, else the model, else the defaults."""

    rates: Sequence[Rate]
    rotary_dim: int
    layout: str


def model_of(
    config: str | None, layer_type: str | None, seq_len: str | None, as_family: str | None
) -> ModelRope | None:
    if config is not None:
        from dense_cli.cli.config_rope import rope_of

        return rope_of(config, layer_type, seq_len, as_family)
    for name, typed in (("--layer-type", layer_type), ("--seq-len", seq_len), ("--as", as_family)):
        if typed is not None:
            raise DenseError("needs-config", option=name, typed=typed)
    return None


def turning_of(typed: Mapping[str, str | bool], model: ModelRope | None, width: int) -> Turning:
    angle, base = _text(typed, "angle"), _text(typed, "rope-theta")
    turned = one_whole("--rotary-dim", str(typed["rotary-dim"])) if "rotary-dim" in typed else None
    if model is None:
        rotary_dim = width if turned is None else turned
        return Turning(_rates(angle, base, rotary_dim, width), rotary_dim, _layout(_text(typed, "layout")))
    if model.head_dim != width:
        raise DenseError("config-width", option="--q", width=width, head_dim=model.head_dim)
    rates, rotary_dim = model.rates, model.rotary_dim
    if turned is not None or angle is not None or base is not None:
        rotary_dim = rotary_dim if turned is None else turned
        rates = _rates(angle, base or str(model.frequencies.base), rotary_dim, width)
    layout = _layout(_text(typed, "layout")) if "layout" in typed else model.layout
    return Turning(rates, rotary_dim, layout)


def rotated(
    q: str | None,
    k: str | None,
    pos: Sequence[str],
    dtype: str | None,
    typed: Mapping[str, str | bool],
    model: ModelRope | None,
) -> tuple[Derivation, core.Rope]:
    """The comparison of a rotated query and key, and the rotation itself."""
    query, key = floats("--q", q), floats("--k", k)
    turning = turning_of(typed, model, len(query))
    given = core.Rope(
        query=query,
        key=key,
        positions=tuple(_positions(each) for each in pos),
        rates=turning.rates,
        rotary_dim=turning.rotary_dim,
        layout=turning.layout,
        attention_factor=model.attention_factor if model else 1.0,
        output_layout=model.writes if model and model.writes != model.layout else None,
    )
    assumed = (*(model.assumed if model else ()), *story.assumptions(given, typed))
    told = story.rope(given, core.rope(given), assumed, typed)
    return told if dtype is None else _in_dtype(told, given, dtype), given


def _in_dtype(told: Derivation, given: core.Rope, dtype: str) -> Derivation:
    """The same with the angles that result where positions or frequencies are held in few bits."""
    from dense_cli.core.precision import number_format
    from dense_cli.derive.rope_precision import rope_in

    return rope_in(told, given, named("--dtype", lambda: number_format(dtype)))


def _text(typed: Mapping[str, str | bool], name: str) -> str | None:
    value = typed.get(name)
    return value if isinstance(value, str) else None


def asked(given: core.Rope, model: ModelRope | None, typed: Mapping[str, str | bool | None]) -> Asked:
    from dense_cli.cli.expect_topics import asked_of_rope

    return asked_of_rope(given, typed, model)


def speeds(typed: Mapping[str, str | bool], model: ModelRope | None) -> tuple[Derivation, core.Rope]:
    """The speeds of a model's pairs, or of a base and a width; and a rotation that turns so."""
    from dense_cli.derive import rope_frequencies as table

    if model is not None:
        told = table.frequencies(model.frequencies, model.assumed, typed)
        factor = model.attention_factor
        still = Turning(model.rates, model.rotary_dim, model.layout)
        return told, _turning_nothing(still, model.head_dim, factor)
    required("rope", head_dim=_text(typed, "head-dim"))
    width = one_whole("--head-dim", str(typed["head-dim"]))
    if width < 1:
        raise DenseError("not-positive", name="--head-dim", value=width)
    check_width(width)
    turning = turning_of(typed, None, width)
    thetas = tuple(rate.theta for rate in turning.rates)
    given = table.Frequencies(
        theta=thetas,
        unscaled_theta=thetas,
        rotary_dim=turning.rotary_dim,
        layout=turning.layout,
        base=turning.rates.base if isinstance(turning.rates, Schedule) else None,
    )
    told = table.frequencies(given, table.assumptions(given, typed), typed)
    return told, _turning_nothing(turning, width)


def _turning_nothing(turning: Turning, width: int, factor: float = 1.0) -> core.Rope:
    """A rotation of which only the speeds matter."""
    row = (0.0,) * width
    return core.Rope(row, row, (), turning.rates, turning.rotary_dim, turning.layout, factor)


def _positions(typed: str) -> tuple[Position, Position]:
    values = numbers("--pos", typed)
    if len(values) != 2:
        raise DenseError("two-positions", option="--pos", typed=typed, count=len(values))
    query_position, key_position = (_position(typed, value) for value in values)
    return query_position, key_position


def _position(typed: str, value: Fraction | float) -> Position:
    if not isinstance(value, Fraction):
        # √2 is no position: the angle would be off by the rounding of the float.
        raise DenseError("position-not-rational", option="--pos", typed=typed)
    return int(value) if value.denominator == 1 else value


def _layout(typed: str | None) -> str:
    if typed is None:
        return core.LAYOUTS[0]
    if typed not in core.LAYOUTS:
        close = nearest(typed, core.LAYOUTS) or core.LAYOUTS
        raise DenseError("unknown-layout", option="--layout", typed=typed, known=close)
    return typed


def _rates(angle: str | None, base: str | None, width: int, whole_width: int) -> Sequence[Rate]:
    """The angle per position of each pair: as given, from a base, or by default."""
    pairs = width // 2
    if angle is not None and base is not None:
        raise DenseError("angle-and-base", option="--angle", typed=angle, base=base)
    if angle is not None:
        found = _angles(angle)
        return found * pairs if len(found) == 1 else found
    if base is not None:
        value = one_number("--rope-theta", base)
        if value <= 0:
            raise DenseError("base-not-positive", option="--rope-theta", typed=base, base=base)
        return Schedule(value, width)
    # A partial rotation of two coordinates is a model's, so it takes the base and no quarter turn.
    return default_rates(width) if width == whole_width else Schedule(Fraction(10000), width)


def _angles(typed: str) -> tuple[Rate, ...]:
    try:
        found = angles(typed)
    except DenseError as error:
        raise error.about(option="--angle") from error
    return tuple(
        Rate.turns(Fraction(amount)) if unit == "turn" else Rate.radians(amount) for unit, amount in found
    )
