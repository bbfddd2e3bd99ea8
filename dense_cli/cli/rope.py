"""`dense rope`: options in, the comparison of a rotated query and key out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import typer

from dense_cli.cli.exits import Exit
from dense_cli.cli.expect import Asked, AtolOption, ExpectOption, RtolOption, against, expected
from dense_cli.cli.options import (
    DigitsOption,
    Example,
    ExampleOption,
    FormatOption,
    JsonOption,
    LangOption,
    Outcome,
    OutputOption,
    joined,
    option,
    required,
    typed_options,
)
from dense_cli.cli.values import floats, named, numbers, one_number, one_whole
from dense_cli.core import rope as core
from dense_cli.core.angles import Position, Rate
from dense_cli.core.schedule import Schedule, default_rates
from dense_cli.derivation import Derivation
from dense_cli.derive import rope as story
from dense_cli.errors import DenseError, nearest
from dense_cli.reading.angles import angles

if TYPE_CHECKING:
    from dense_cli.cli.configs import ModelRope

EXAMPLES = {
    "rope": (
        Example("first", "rope --q 1,0 --k 1,0 --pos 1 2"),
        Example("table", "rope --q 1,0 --k 1,0 --pos 0 0 --pos 0 1 --pos 1 2 --pos 0 2"),
        Example("wide", "rope --q 1,2,3,4 --k 1,2,3,4 --pos 3 5 --layout half"),
    )
}
WORKED = "--q 1,0 --k 1,0 --pos 0 0 --pos 0 1 --pos 1 2 --pos 0 2"
"""Table 25.1."""


def arrange(arguments: Sequence[str]) -> list[str]:
    """`--pos M N` as one word, as Typer wants it."""
    return joined(arguments, "--pos", 2)


def rope(
    ctx: typer.Context,
    q: Annotated[str | None, option("--q", metavar="VEC")] = None,
    k: Annotated[str | None, option("--k", metavar="VEC")] = None,
    pos: Annotated[list[str] | None, option("--pos", metavar="M N")] = None,
    angle: Annotated[str | None, option("--angle", metavar="A")] = None,
    rope_theta: Annotated[str | None, option("--rope-theta", metavar="B")] = None,
    layout: Annotated[str | None, option("--layout", metavar="LAYOUT")] = None,
    rotary_dim: Annotated[str | None, option("--rotary-dim", metavar="R")] = None,
    config: Annotated[str | None, option("--config", metavar="CONFIG")] = None,
    layer_type: Annotated[str | None, option("--layer-type", metavar="T")] = None,
    seq_len: Annotated[str | None, option("--seq-len", metavar="N")] = None,
    as_: Annotated[str | None, option("--as", metavar="FAMILY")] = None,
    frequencies: Annotated[bool, option("--frequencies")] = False,
    head_dim: Annotated[str | None, option("--head-dim", metavar="D")] = None,
    dtype: Annotated[str | None, option("--dtype", metavar="T")] = None,
    expect: ExpectOption = None,
    atol: AtolOption = None,
    rtol: RtolOption = None,
    example: ExampleOption = False,
    format: FormatOption = None,
    json_: JsonOption = False,
    output: OutputOption = None,
    digits: DigitsOption = None,
    lang: LangOption = None,
) -> Outcome:
    """Rotate a query and a key by their positions and compare them."""
    typed = typed_options(
        angle=angle,
        rope_theta=rope_theta,
        layout=layout,
        rotary_dim=rotary_dim,
        config=config,
        layer_type=layer_type,
        seq_len=seq_len,
        head_dim=head_dim,
    )
    model = _model(config, layer_type, seq_len, as_)
    wanted = expected(expect, atol, rtol)
    if frequencies:
        found, speeds = _frequencies(typed, model)
        return against(found, wanted, lambda: _asked(speeds, model, typed), ctx.obj.say)
    required("rope", q=q, k=k, pos=pos)
    query, key = floats("--q", q), floats("--k", k)
    turning = _turning(typed, model, len(query))
    given = core.Rope(
        query=query,
        key=key,
        positions=tuple(_positions(each) for each in pos or ()),
        rates=turning.rates,
        rotary_dim=turning.rotary_dim,
        layout=turning.layout,
        attention_factor=model.attention_factor if model else 1.0,
        output_layout=model.writes if model and model.writes != model.layout else None,
    )
    assumed = (*(model.assumed if model else ()), *story.assumptions(given, typed))
    told = story.rope(given, core.rope(given), assumed, typed)
    outcome = Outcome(told if dtype is None else _in_dtype(told, given, dtype), Exit.DONE)
    return against(outcome, wanted, lambda: _asked(given, model, {"q": q, "k": k, **typed}), ctx.obj.say)


@dataclass(frozen=True, slots=True)
class Turning:
    """How the coordinates turn: the typed options where they speak, else the model, else the defaults."""

    rates: Sequence[Rate]
    rotary_dim: int
    layout: str


def _model(
    config: str | None, layer_type: str | None, seq_len: str | None, as_family: str | None
) -> ModelRope | None:
    if config is not None:
        from dense_cli.cli.configs import rope_of

        return rope_of(config, layer_type, seq_len, as_family)
    for name, typed in (("--layer-type", layer_type), ("--seq-len", seq_len), ("--as", as_family)):
        if typed is not None:
            raise DenseError("needs-config", option=name, typed=typed)
    return None


def _turning(typed: Mapping[str, str | bool], model: ModelRope | None, width: int) -> Turning:
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


def _in_dtype(told: Derivation, given: core.Rope, dtype: str) -> Derivation:
    """The same with the angles that result where positions or frequencies are held in few bits."""
    from dense_cli.core.precision import number_format
    from dense_cli.derive.rope_precision import rope_in

    return rope_in(told, given, named("--dtype", lambda: number_format(dtype)))


def _text(typed: Mapping[str, str | bool], name: str) -> str | None:
    value = typed.get(name)
    return value if isinstance(value, str) else None


def _asked(given: core.Rope, model: ModelRope | None, typed: Mapping[str, str | bool | None]) -> Asked:
    from dense_cli.cli.expect_topics import asked_of_rope

    return asked_of_rope(given, typed, model.model_width if model else None)


def _frequencies(typed: Mapping[str, str | bool], model: ModelRope | None) -> tuple[Outcome, core.Rope]:
    """The speeds of a model's pairs, or of a base and a width; and a rotation that turns so."""
    from dense_cli.derive import rope_frequencies as table

    if model is not None:
        told = table.frequencies(model.frequencies, model.assumed, typed)
        factor = model.attention_factor
        still = Turning(model.rates, model.rotary_dim, model.layout)
        return Outcome(told, Exit.DONE), _turning_nothing(still, model.head_dim, factor)
    required("rope --frequencies", head_dim=_text(typed, "head-dim"))
    width = one_whole("--head-dim", str(typed["head-dim"]))
    if width < 1:
        raise DenseError("no-coordinates", option="--head-dim", typed=typed["head-dim"])
    turning = _turning(typed, None, width)
    thetas = tuple(rate.theta for rate in turning.rates)
    given = table.Frequencies(
        theta=thetas,
        unscaled_theta=thetas,
        rotary_dim=turning.rotary_dim,
        layout=turning.layout,
        base=turning.rates.base if isinstance(turning.rates, Schedule) else None,
    )
    told = table.frequencies(given, table.assumptions(given, typed), typed)
    return Outcome(told, Exit.DONE), _turning_nothing(turning, width)


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
