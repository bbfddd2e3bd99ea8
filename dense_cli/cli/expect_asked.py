"""What a command can be asked about, and the values typed behind `--expect` as claims about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dense_cli.cli.values import named
from dense_cli.derivation import Note
from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass
from dense_cli.mistakes.asking import Claim, Comparison, Question
from dense_cli.reading import claims

if TYPE_CHECKING:
    from dense_cli.mistakes.counts import Term
    from dense_cli.mistakes.diagnosis import Found
    from dense_cli.models.counting import Count

Kinds = Mapping[str, str]
"""The names that a command knows, and how a value of each is typed (`mistakes.quantities.Kind`)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command can be asked about, and how it answers.

    `places` is how many things the command tells of side by side (positions, models): a name may be given
    once for each. `bare` is the name that a value without one stands for. `call` is a call whose input tells
    mistakes apart, `why` what hides them on this input, `terms` what a mistake adds to a count.
    """

    kinds: Kinds
    question: Callable[[str, int], Question]
    bare: str | None = None
    places: int = 1
    aliases: Mapping[str, str] | None = None
    call: str | None = None
    why: Callable[[str, int], Iterable[str]] = lambda name, place: ()
    terms: Callable[[str, int, Claim, Found | None], tuple[Term, ...]] | None = None
    notes: Callable[[Comparison, Claim], Iterable[Note]] = lambda comparison, claim: ()
    unexplained: Callable[[str, int, Claim], Iterable[Note]] = lambda name, place, claim: ()
    """What the topic alone can say of a value that no mistake makes."""
    symbols: Sequence[Count] = ()
    """The models in whose letters the terms are written."""
    whole_arrays: bool = False
    """Arrays of any size: the command has its own table of them."""


def claims_of(typed: Sequence[str], about: Asked) -> list[tuple[str, int, Claim]]:
    """Name, place and claim of each value; values of one name stand for the places in turn."""
    by_name: dict[str, list[str]] = {}
    for text in typed:
        name, value = name_and_value(text, about)
        by_name.setdefault(name, []).append(value)
    claims = []
    for name, values in by_name.items():
        if len(values) > about.places or (len(values) > 1 and not _by_place(name)):
            most = about.places if _by_place(name) else 1
            raise DenseError("expect-too-many", option="--expect", typed=name, count=len(values), most=most)
        whole_page = _by_place(name) and len(values) == 1 < about.places
        read = [_read(about.kinds[name], value, about.places if whole_page else 1) for value in values]
        claims += [(name, place, claim) for place, claim in enumerate(one for many in read for one in many)]
    return claims


def _by_place(name: str) -> bool:
    return name not in ("theta", "wavelength", "attention_factor")


def name_and_value(text: str, about: Asked) -> tuple[str, str]:
    """The name and the value of ``NAME=VALUE``; a file's name may hold an equals sign."""
    before, sign, after = text.partition("=")
    if not sign or before.lstrip()[:1] in ("@", "＠"):
        if about.bare is None:
            example, *others = (f"{name}=" for name in about.kinds)
            raise DenseError("expect-without-name", option="--expect", typed=text, known=(example, *others))
        return about.bare, text
    name = before.strip().casefold().replace("-", "_")
    name = (about.aliases or {}).get(name, name)
    if name not in about.kinds:
        close = nearest(name, list(about.kinds)) or tuple(about.kinds)
        raise DenseError("expect-unknown-name", option="--expect", typed=before.strip(), known=close)
    if not after.strip():
        raise DenseError("expect-without-value", option="--expect", typed=text, name=name)
    return name, after


def _read(kind: str, text: str, places: int) -> tuple[Claim, ...]:
    """One claim, or one for each place where the value has as many rows (or numbers)."""
    reading = claims.SEVERAL[kind] if places > 1 and kind in claims.SEVERAL else claims.ONE[kind]
    return named("--expect", lambda: tuple(_claim(one) for one in reading(text, places)))


def _claim(read: Any) -> Claim:
    return Claim(read.value, read.decimals, read.slack, read.digits)
