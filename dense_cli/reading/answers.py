"""A student's answer, read as what was asked for; whether it is right is judged elsewhere.

Every reader takes text, or a value as a JSON or TOML document gives it (numbers with a point as their own
text), and returns None for a blank. What cannot be read as an answer raises DenseError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass
from dense_cli.reading.characters import fold
from dense_cli.reading.documents import scalar_text, shown
from dense_cli.reading.grouping import Entry, plain_entry, single_entry, whole_entry
from dense_cli.reading.notation import plain_notation, refuse_spreadsheet
from dense_cli.reading.numbers import Number
from dense_cli.reading.vectors import vector_entries

MAX_WORD = 200  # characters of an answer that is one word
MAX_ENTRIES = 1000  # of an answer that is a vector
YES = frozenset(("yes", "y", "true", "是", "是的", "能", "可以", "会", "对", "对的"))
NO = frozenset(("no", "n", "false", "否", "不", "不是", "不能", "不可以", "不会", "不对", "错", "错的"))
_EMPTY = " \t\r\n\u00a0\u3000\u200b\ufeff"
_QUOTES = "\"'“”‘’"
_POINTS = " .,;:!?…"


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer was read as.

    `value`: a number, a tuple of numbers, a truth value, or the id of a choice. `read_as`: the same as short
    canonical text. `decimals`: for every number how many places behind the point were written; None for an
    expression such as ``√2``, which has all. `notes`: what was assumed on the way ("decimal-comma",
    "grouped-thousands").
    """

    value: Number | tuple[Number, ...] | bool | str
    read_as: str
    decimals: tuple[int | None, ...] = ()
    notes: tuple[str, ...] = ()


def read_number(given: object) -> Reading | None:
    """One number; a comma or blanks in it group thousands or are a decimal sign, where only one can be.

    >>> read_number("0,5").read_as, read_number("1/2").value, read_number("64.0").decimals
    ('0.5', Fraction(1, 2), (1,))
    """
    return _single(given, single_entry)


def read_whole(given: object) -> Reading | None:
    """One number where a whole one is asked: of several readings, the one that is whole.

    >>> read_whole("4,608").value, read_whole("4608.00001").read_as
    (Fraction(4608, 1), '4608.00001')
    """
    return _single(given, whole_entry)


def read_vector(given: object, width: int) -> Reading | None:
    """A vector; `width`, the number of entries asked for, only helps to recognise decimal commas.

    >>> read_vector("[1.462117，-0.806824]", 2).read_as
    '[1.462117, -0.806824]'
    """
    if is_blank(given):
        return None
    typed = _typed(given)
    notes: tuple[str, ...] = ()
    texts: Sequence[str]
    if isinstance(given, list | tuple):
        texts = tuple(_text(value, typed) for value in _one_row(given, typed))
        entries = [_read(plain_notation(text), typed, single_entry) for text in texts]
        unclear = _are_halves(texts, width)
    else:
        written = plain_notation(_text(given, typed))
        texts = _entries(written, typed)
        unclear = "," in written and _have_commas(written, texts, width)
        entries = [] if unclear else [_read(text, typed, plain_entry) for text in texts]
        notes = ("decimal-comma",) if "," in written and ";" in written else ()
    if unclear:
        found = sum(len(text.split()) for text in texts)
        raise DenseError("decimal-commas", typed=typed, entries=found, width=width)
    values = tuple(entry.value for entry in entries)
    notes += tuple(dict.fromkeys(entry.note for entry in entries if entry.note))
    return Reading(values, told(values), tuple(entry.decimals for entry in entries), notes)


def read_yes_no(given: object) -> Reading | None:
    """A yes or a no, in English or Chinese; points at the end do not matter. 0 and 1 are neither.

    >>> read_yes_no("不能。").value
    False
    """
    word = ("true" if given else "false") if isinstance(given, bool) else _word(given)
    if word is None:
        return None
    if word not in YES and word not in NO:
        raise DenseError("not-yes-or-no", typed=_typed(given))
    return Reading(word in YES, "yes" if word in YES else "no")


def read_choice(given: object, options: Mapping[str, Iterable[str]]) -> Reading | None:
    """The id of one of `options`, each with the other words that mean it.

    >>> read_choice("Undefined.", {"undefined": ("无定义",), "zero": ("0",)}).value
    'undefined'
    """
    word = _word(given)
    if word is None:
        return None
    meant = {_folded_word(name): id_ for id_, aliases in options.items() for name in (id_, *aliases)}
    if word in meant:
        return Reading(meant[word], meant[word])
    near = tuple(dict.fromkeys(meant[name] for name in nearest(word, list(meant))))
    hint = "not-a-choice-near" if near else None
    raise DenseError("not-a-choice", hint=hint, typed=_typed(given), choices=tuple(options), near=near)


def told(value: Number | tuple[Number, ...]) -> str:
    """A number or vector as short text that reads back as the same value, to the last digit of float64.

    >>> told((Fraction(-1), Fraction(1, 3), 2**0.5))
    '[-1, 1/3, 1.4142135623730951]'
    """
    if isinstance(value, tuple):
        return "[" + ", ".join(map(told, value)) + "]"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if value.denominator == 1 and abs(value) < 10**24:
        return str(value.numerator)
    short, ratio = repr(float(value)), str(value)
    if float(value) == 0:
        return f"{Decimal(value.numerator) / value.denominator:e}"
    many = len(ratio) > 40 and value.denominator > 1
    return short if many or Fraction(short) == value else ratio


def is_blank(given: object) -> bool:
    """Whether nothing was answered."""
    return given is None or (isinstance(given, str) and not given.strip(_EMPTY))


def _single(given: object, read: Callable[[str], Entry]) -> Reading | None:
    if is_blank(given):
        return None
    typed = _typed(given)
    if isinstance(given, list | tuple) and len(given) == 1:
        given = given[0]
    written = plain_notation(_text(given, typed))
    if written.startswith("[") and written.endswith("]"):
        written = written[1:-1].strip()
    entry = _read(written, typed, read)
    return Reading(entry.value, told(entry.value), (entry.decimals,), (entry.note,) if entry.note else ())


def _read(written: str, typed: str, read: Callable[[str], Entry]) -> Entry:
    try:
        return read(written)
    except DenseError as error:
        raise error.about(**{"part": written, **error.facts, "typed": typed}) from None


def _text(value: object, typed: str) -> str:
    if hasattr(value, "isoformat"):  # a date of a TOML document
        raise DenseError("spreadsheet-date", typed=typed, part=str(value))
    return scalar_text(value, typed)


def _entries(written: str, typed: str) -> Sequence[str]:
    try:
        entries = vector_entries(written)
    except DenseError as error:
        raise error.about(typed=typed) from None
    if len(entries) > MAX_ENTRIES:
        raise DenseError("answer-too-long", typed=typed, length=len(entries), limit=MAX_ENTRIES)
    return entries


def _one_row(given: Sequence[object], typed: str) -> Sequence[object]:
    if len(given) > MAX_ENTRIES:
        raise DenseError("answer-too-long", typed=typed, length=len(given), limit=MAX_ENTRIES)
    lists = [row for row in given if isinstance(row, list | tuple)]
    if lists and len(lists) == len(given):
        if len(lists) > 1 and any(len(row) != 1 for row in lists):
            raise DenseError("vector-has-rows", typed=typed, rows=len(lists))
        given = lists[0] if len(lists) == 1 else [row[0] for row in lists]
    if not given:
        raise DenseError("vector-empty", typed=typed)
    return given


def _have_commas(written: str, texts: Sequence[str], width: int) -> bool:
    """Whether commas were meant as decimal signs: only then there are as many numbers as asked for."""
    if len(texts) == width and not any(" " in text for text in texts):
        return False
    parts = [part.removesuffix(",") for part in written.strip("[]() ").split(" ")]
    apart = len(parts) == width and all(re.fullmatch(r"[+-]?[0-9]*(?:,[0-9]+)?", part) for part in parts)
    return apart or _are_halves(texts, width)


def _are_halves(texts: Sequence[str], width: int) -> bool:
    """Whether ``1,46,-0,81`` was meant as two numbers: every second entry is the digits behind a comma."""
    return (
        len(texts) == 2 * width
        and all(re.fullmatch(r"\s*[+-]?\s*[0-9]+\s*", text) for text in texts[::2])
        and all(re.fullmatch(r"\s*[0-9]+\s*", text) for text in texts[1::2])
    )


def _typed(given: object) -> str:
    """What was given, for a message: a date as TOML has it, without quotes."""
    if isinstance(given, str) or hasattr(given, "isoformat"):
        return str(given)
    return shown(given)


def _word(given: object) -> str | None:
    """One word or short phrase, folded for comparison; None for a blank."""
    if is_blank(given):
        return None
    if not isinstance(given, str | int) or isinstance(given, bool):
        raise DenseError("not-a-word", typed=_typed(given))
    text = _typed(given)
    if len(text) > MAX_WORD:
        raise DenseError("answer-too-long", typed=text, length=len(text), limit=MAX_WORD)
    refuse_spreadsheet(text.strip(), text)
    return _folded_word(text)


def _folded_word(text: str) -> str:
    return " ".join(fold(text).split()).removeprefix("=").strip(_QUOTES).rstrip(_POINTS).casefold()
