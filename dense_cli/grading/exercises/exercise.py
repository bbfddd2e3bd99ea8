"""Exercises as data: what is asked, what the right answer is computed from, and how it is marked."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass, field
from dense_cli.lang import LANGUAGES

KINDS = ("vector", "number", "whole", "yes-no", "choice", "text")
NUMERIC = ("vector", "number", "whole")

Words = Mapping[str, str]
"""One text by language; English is always there."""


def in_language(words: Words, language: str) -> str:
    """A text in one language, in English where the language has none.

    >>> in_language({"en": "the output", "zh": "输出"}, "zh"), in_language({"en": "the output"}, "zh")
    ('输出', 'the output')
    """
    return words.get(language) or words["en"]


@dataclass(frozen=True, slots=True)
class Follow:
    """An answer that follows from the student's earlier ones by a rule of ours, with its share of points."""

    rule: str
    sources: tuple[str, ...]
    credit: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that is asked.

    `answer` is written by hand, `quantity` of `calculation` is computed: two witnesses that `lint`
    compares. `decimals` is how many digits the question asks for, `imprecise` the share of the points for a
    value that was rounded too early, `options` the choices by id with the other words that mean them.
    """

    exercise: str
    name: str
    kind: str
    points: Fraction
    ask: Words
    answer: str | None = None
    calculation: str | None = None
    quantity: str | None = None
    decimals: int | None = None
    imprecise: Fraction = Fraction(1, 2)
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    follows: Follow | None = None

    @property
    def key(self) -> str:
        """The name of the field in tables and flat sheets, as ``1.query``."""
        return f"{self.exercise}.{self.name}"


@dataclass(frozen=True, slots=True)
class OwnMistake:
    """A mistake of this exercise alone: the right calculation on other given numbers.

    Its words stand here, or in `lang` under `mistakes.exercises` where `title` is empty.
    """

    id: str
    given: Mapping[str, str]
    title: Words = field(default_factory=dict)
    explanation: Words = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Variation:
    """How an exercise gets other numbers, and its texts with the places where they go.

    `numbers` has what each drawn number can be, as text; `given` writes the exercise's given numbers with
    ``{name}`` for a drawn one. `title`, `text`, `asks` (by field) and `remarks` have ``{name}`` for a given
    one. `phrases` says given values in words. `unseen` are mistakes that no numbers of this question show.
    """

    numbers: Mapping[str, tuple[str, ...]]
    given: Mapping[str, str]
    title: Words
    text: Words
    asks: Mapping[str, Words]
    remarks: Words = field(default_factory=dict)
    phrases: Mapping[str, Mapping[str, Words]] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise with its fields in the order of the answer sheet; `source` is its file.

    Where it has a `variation`, its texts are already filled with the numbers of `given`.
    """

    id: str
    title: Words
    text: Words
    fields: tuple[Field, ...]
    given: Mapping[str, str] = field(default_factory=dict)
    mistakes: tuple[OwnMistake, ...] = ()
    remarks: Words = field(default_factory=dict)
    source: str = ""
    variation: Variation | None = None

    @property
    def points(self) -> Fraction:
        """What all its fields are worth."""
        return sum((one.points for one in self.fields), Fraction(0))


@dataclass(frozen=True, slots=True)
class ExerciseSet:
    """A set of exercises, the unit that is handed out and marked; `folder` is empty for one of our own."""

    id: str
    title: Words
    exercises: tuple[Exercise, ...]
    folder: str = ""

    @property
    def fields(self) -> tuple[Field, ...]:
        """Every field of the set, in order."""
        return tuple(one for exercise in self.exercises for one in exercise.fields)

    def exercise(self, name: str) -> Exercise:
        """The exercise with this id, also as ``chapter-25.4``. Raises DenseError `unknown-exercise`."""
        wanted = name.strip().casefold().removeprefix(f"{self.id.casefold()}.")
        for one in self.exercises:
            if one.id.casefold() == wanted:
                return one
        raise DenseError("unknown-exercise", typed=name, known=tuple(one.id for one in self.exercises))


def choice_word(field: Field, choice: str, language: str) -> str:
    """What a choice is called in a language: the first of its words in other than Latin letters, else its id.

    The ids are English, and the words beside them belong to no language by name.

    >>> zero = Field("2", "row", "choice", Fraction(1), {}, options={"zero": ("0", "零")})
    >>> choice_word(zero, "zero", "zh"), choice_word(zero, "zero", "en")
    ('零', 'zero')
    """
    if language == LANGUAGES[0]:
        return choice
    foreign = (word for word in field.options.get(choice, ()) if any(map(_is_foreign_letter, word)))
    return next(foreign, choice)


def _is_foreign_letter(mark: str) -> bool:
    return mark.isalpha() and not mark.isascii()
