"""Whole numbers drawn from a seed: the same for the same seed on every machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from unicodedata import normalize

from dense_cli.errors import DenseError

SCHEME = "dense variants 1"
"""Part of every draw. Another way of drawing needs another name: sheets are already handed out."""

WORD = 8
"""Bytes of one drawn word."""

LONGEST_SEED = 200

OWN = "student"
"""In place of a seed: each student's own numbers."""


def seed_of(typed: str) -> str:
    """A seed as it is drawn from: without blanks at its ends. Raises DenseError where it can be none."""
    seed = normalize("NFC", typed.strip())
    if not seed or len(seed) > LONGEST_SEED or not seed.isprintable():
        raise DenseError("variant-seed", typed=typed, most=LONGEST_SEED)
    return seed


def student_seed(set_id: str, student: str) -> str:
    """The seed of one student's own variant of a set, whether the name is in capitals or not.

    >>> student_seed("chapter-25", " S01 ")
    'chapter-25:s01'

    Raises DenseError for a name that no seed can hold.
    """
    try:
        return seed_of(f"{set_id}:{normalize('NFC', student.strip()).casefold()}")
    except DenseError as error:
        raise DenseError("variant-student", student=student, most=LONGEST_SEED - len(set_id) - 1) from error


def seed_for(wanted: str, set_id: str, student: str) -> str:
    """The seed that is meant: `wanted` itself, or the student's own. Empty: the printed numbers.

    >>> seed_for("7", "chapter-25", "s01"), seed_for("student", "chapter-25", "s01")
    ('7', 'chapter-25:s01')
    """
    return student_seed(set_id, student) if wanted.casefold() == OWN else wanted


def words(*seed: str) -> Iterator[int]:
    """Endlessly many whole numbers below 2^64, from SHA-256 of the seed and a counter.

    >>> next(words("7", "1")) == next(words("7", "1")) != next(words("71", ""))
    True
    """
    from hashlib import sha256  # costs start-up time, and most calls draw nothing

    key = "".join(f"{len(part)}:{part}" for part in (SCHEME, *seed)).encode()
    counter = 0
    while True:
        block = sha256(key + counter.to_bytes(8, "big")).digest()
        yield from (int.from_bytes(block[at : at + WORD], "big") for at in range(0, len(block), WORD))
        counter += 1


def below(drawn: Iterator[int], count: int) -> int:
    """A whole number from 0 to `count` − 1, each as likely as the others."""
    span = 1 << (8 * WORD)
    fair = span - span % count  # words above would make the first numbers more likely
    return next(word for word in drawn if word < fair) % count


def drawn_numbers(choices: Mapping[str, tuple[str, ...]], drawn: Iterator[int]) -> dict[str, str]:
    """One of the choices for each name, in the order of the names.

    >>> drawn_numbers({"a": ("1",), "b": ("2", "2")}, words("any"))
    {'a': '1', 'b': '2'}
    """
    return {name: options[below(drawn, len(options))] for name, options in choices.items()}
