"""One number with commas or blanks in it: thousands grouped, a decimal comma, or not to be told."""

from __future__ import annotations

import re
from fractions import Fraction

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.reading.numbers import Number, number

# what the text looks like; the characters that only group; the decimal comma, if there is one; how it is told
_SEPARATED = (
    (r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]*)?", ",", "", "grouped-thousands"),
    (r"[1-9][0-9]{0,2}(?: [0-9]{3})+(?:\.[0-9]*)?", " ", "", "grouped-thousands"),
    (r"[1-9][0-9]{0,2}(?: [0-9]{3})+,[0-9]+", " ", ",", "grouped-thousands"),
    (r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+,[0-9]+", ".", ",", "grouped-thousands"),
    (r"[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?", "", ",", "decimal-comma"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One number that was read: how many decimals were written (None for an expression), what was assumed."""

    value: Number
    decimals: int | None
    note: str | None = None


def plain_entry(written: str) -> Entry:
    """A number in which a comma has no meaning.

    >>> plain_entry("50%")
    Entry(value=Fraction(1, 2), decimals=2, note=None)
    """
    return Entry(number(written), decimals(written))


def single_entry(written: str) -> Entry:
    """A number that stands alone: separators are read where they can mean one thing only.

    >>> single_entry("0,5").value, single_entry("4 608").value
    (Fraction(1, 2), Fraction(4608, 1))
    """
    found = readings(written)
    if len(found) > 1:
        first, second = (entry.value for entry in found[:2])
        raise DenseError(
            "comma-unclear", part=written, first=f"{float(first):.15g}", second=f"{float(second):.15g}"
        )
    return found[0] if found else plain_entry(written)


def whole_entry(written: str) -> Entry:
    """A number where a whole one is asked for: of two readings, the one that is whole.

    >>> whole_entry("4,608").value
    Fraction(4608, 1)
    """
    whole = [entry for entry in readings(written) if Fraction(entry.value).denominator == 1]
    return whole[0] if len(whole) == 1 else single_entry(written)


def readings(written: str) -> list[Entry]:
    """All ways to read the separators in `written`; none where there are none."""
    parts = re.fullmatch(r"([+-]?) ?([0-9., ]*[0-9.](?:[eE][+-]?[0-9]+)?) ?(%?)", written)
    if parts is None:
        return []
    sign, body, percent = parts.groups()
    found = []
    for pattern, groups, comma, note in _SEPARATED:
        if re.fullmatch(pattern, body):
            plain = body.replace(groups, "") if groups else body
            entry = plain_entry(sign + (plain.replace(",", ".") if comma else plain) + percent)
            found.append(Entry(entry.value, entry.decimals, note))
    return found


def decimals(written: str) -> int | None:
    """How many places behind the point a number was written to; None if it is no plain decimal.

    >>> decimals("1.4140"), decimals("4.608E3"), decimals("√2")
    (4, 0, None)
    """
    plain = re.fullmatch(r"[+-]? ?[0-9]*\.?([0-9]*)(?:[eE]([+-]?[0-9]+))? ?(%?)", written.strip())
    if plain is None:
        return None
    return max(0, len(plain[1]) - int(plain[2] or 0) + (2 if plain[3] else 0))
