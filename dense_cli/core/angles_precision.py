"""What becomes of a rotary angle when positions, frequencies or their product are held in a short format."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, nan

from dense_cli.core.angles import Position, Rate, angle, cos_sin
from dense_cli.core.exact import rounded
from dense_cli.core.precision import Format
from dense_cli.frozen import dataclass

HELD = ("positions", "frequencies", "product")
"""What is held in the format: one factor of the angle, or both and their product."""


@dataclass(frozen=True, slots=True)
class HeldAngle:
    """An angle in radians and the position and theta it comes from, as the format left them. Cosine and sine
    are those of that angle, right to the last digit; an infinite angle has none: they are NaN.
    """

    held: str
    position: float
    theta: float
    angle: float
    cosine: float
    sine: float


def held_angles(rate: Rate, position: Position, dtype: Format) -> tuple[HeldAngle, ...]:
    """The angle of one pair at one position, three times: one for each of `HELD`.

    What is not held in the format is exact, so only the format is to blame for a difference.

    >>> from dense_cli.core.precision import BFLOAT16
    >>> [held.angle for held in held_angles(Rate.radians(1), 257, BFLOAT16)]
    [256.0, 257.0, 256.0]
    """
    exact = Fraction(position)
    short_position = dtype.rounded(rounded(exact))
    short_theta = dtype.rounded(rate.theta)
    by_position = _turned("positions", rate, rate.theta, short_position)
    short = Rate.radians(short_theta) if isfinite(short_theta) else rate
    by_frequency = _turned("frequencies", short, short_theta, exact)
    both = _turned("product", short, short_theta, short_position)
    radians = dtype.rounded(both.angle)
    directions = cos_sin(Rate.radians(radians), 1) if isfinite(radians) else (nan, nan)
    return by_position, by_frequency, HeldAngle("product", both.position, both.theta, radians, *directions)


def _turned(held: str, rate: Rate, theta: float, position: Fraction | float) -> HeldAngle:
    if not isfinite(theta) or not isfinite(position):
        return HeldAngle(held, float(position), theta, theta * float(position), nan, nan)
    exact = Fraction(position)
    return HeldAngle(held, rounded(exact), theta, angle(rate, exact), *cos_sin(rate, exact))
