"""What there is to say about one marked answer, as sentences for a page and as text for a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from dense_cli.derivation import Fact, Listed, Note, Prose, Say
from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass
from dense_cli.grading.exercises.exercise import (
    NUMERIC,
    ExerciseSet,
    Field,
    OwnMistake,
    choice_word,
    in_language,
)
from dense_cli.grading.marks.marking import WRONG, Mark
from dense_cli.lang import is_said, say_in
from dense_cli.lang.refusal import hint, message
from dense_cli.mistakes import Mistake
from dense_cli.mistakes.diagnosis import Found

MISTAKE_WORDS = ("title", "explanation", "tell", "users")
"""What is said of a mistake; who uses it stands with conventions only."""


@dataclass(frozen=True)
class Teller:
    """Speaks one language about the answers to one set."""

    set: ExerciseSet
    language: str

    @cached_property
    def say(self) -> Say:
        return say_in(self.language)

    @cached_property
    def _own(self) -> Mapping[str, OwnMistake]:
        return {mistake.id: mistake for one in self.set.exercises for mistake in one.mistakes}

    def message(self, mark: Mark) -> str | None:
        """What a student should read about an answer, in one line; None where there is nothing to say."""
        told = [self.text(note) for note in self.notes(mark)]
        return self.say("check.blank").join(told) or None

    def notes(self, mark: Mark) -> tuple[Note, ...]:
        """The reason or remark, then each mistake that makes the answer."""
        return tuple(self._notes(mark))

    def _notes(self, mark: Mark) -> Iterator[Note]:
        if isinstance(mark.message, DenseError):
            yield self.refusal(self.refused(mark.field, mark.message))
            return
        if mark.assumed and mark.read_as is not None:
            yield Note("check.read-as", {"read": mark.read_as})
        if mark.message is not None:
            yield mark.message
        if len(mark.mistakes) > 1:
            yield Note("check.several", {"count": len(mark.mistakes)})
        for found in mark.mistakes:
            yield from self._found(found)
        if mark.verdict == WRONG and mark.field.kind in NUMERIC and not mark.message and not mark.mistakes:
            yield Note("check.unexplained")

    def _found(self, found: Found) -> Iterator[Note]:
        if len(found.mistakes) > 1:
            yield Note("check.together", {"count": len(found.mistakes)})
        for mistake in found.mistakes:
            found_words = {name: self._words(mistake, name) for name in MISTAKE_WORDS}
            facts = {name: words for name, words in found_words.items() if words is not None}
            told = "convention" if "users" in facts else "mistake"
            yield Note(f"check.{told}" if "tell" in facts else f"check.{told}-brief", facts)

    def title(self, found: Found) -> Fact:
        """What a mistake is called; two together by what each is called."""
        if len(found.mistakes) > 1:
            return Prose(" + ".join(map(self._fact, map(self._title, found.mistakes))))
        return self._title(found.mistakes[0])

    def _title(self, mistake: Mistake) -> Fact:
        return self._words(mistake, "title") or mistake.id

    def name(self, found: Found) -> str:
        """The title as plain text."""
        return self._fact(self.title(found))

    def about(self, found: Found) -> str:
        """All there is to say of a mistake, as plain text."""
        return self.say("check.blank").join(self.text(note) for note in self._found(found))

    def _words(self, mistake: Mistake, name: str) -> Fact:
        """Words of a mistake: from the exercise that brings it, else from `lang`; None if there are none."""
        own = self._own.get(mistake.id) if mistake.topic == "exercises" else None
        if own is not None and own.title:
            texts = {"title": own.title, "explanation": own.explanation}
            return Prose(in_language(texts[name], self.language)) if name in texts else None
        key = mistake.words(name)
        return Note(key) if is_said(self.language, key) else None

    def refused(self, field: Field, error: DenseError) -> DenseError:
        """Why an answer could not be read, with the choices as they are called in this language."""
        choices = {
            fact: tuple(self.choice(field, name) for name in names)
            for fact in ("choices", "near")
            if field.kind == "choice" and isinstance(names := error.facts.get(fact), tuple)
        }
        return error.about(**choices)

    def choice(self, field: Field, name: str) -> str:
        """A choice as it is called in this language, with its id where that is another word."""
        word = choice_word(field, name, self.language)
        return name if word == name else self.say("check.choice", word=word, id=name)

    def refusal(self, error: DenseError) -> Note:
        """Why something could not be read, and what to write instead."""
        facts = {"reason": Prose(message(error, self.say)), "hint": Prose(hint(error, self.say))}
        return Note("check.refusal", facts)

    def text(self, note: Note) -> str:
        """A sentence as plain text."""
        return self.say(note.key, **{name: self._fact(fact) for name, fact in note.facts.items()})

    def _fact(self, fact: Fact) -> str:
        if isinstance(fact, Listed):
            return self.say("common.list").join(fact)
        return self.text(fact) if isinstance(fact, Note) else str(fact)
