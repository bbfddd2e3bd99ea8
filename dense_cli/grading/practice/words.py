"""Which words are commands while practising: those of every language at once."""

from __future__ import annotations

from functools import cache
from unicodedata import normalize

from dense_cli.grading.exercises.exercise import Field
from dense_cli.lang import LANGUAGES, topic_texts

COMMANDS = ("hint", "key", "skip", "again", "task", "list", "help", "quit")

LONGEST = 100
"""Characters of a line that can be a command."""


@cache
def command_words(language: str, command: str) -> tuple[str, ...]:
    """How a command can be called, in this language first and in English.

    >>> command_words("zh", "key")
    ('答案', 'key')
    """
    spoken = dict.fromkeys((language, LANGUAGES[0]))
    texts = (topic_texts(code, "practice")[f"command-{command}"] for code in spoken)
    return tuple(word for text in texts for word in text.split())


def command_of(line: str, asked: Field | None) -> tuple[str | None, str]:
    """The command that a line is, and what stands behind its word; None where the line is an answer.

    >>> command_of("again 2", None), command_of("[-1, 0]", None)
    (('again', '2'), (None, ''))
    """
    folded = normalize("NFKC", line[: LONGEST + 1]).strip(" \t\"'“”‘’。.!").casefold()
    if len(line) > LONGEST or not folded or (asked is not None and _is_option(folded, asked)):
        return None, ""
    if folded in _known():
        return _known()[folded], ""
    for word, command in _known().items():
        rest = folded.removeprefix(word)
        if command == "again" and rest != folded and (rest[0] == " " or not word.isascii()):
            return command, rest.strip()
    return None, ""


def _is_option(folded: str, asked: Field) -> bool:
    """Whether a choice is called like a command: then it is the answer."""
    return any(folded in (id.casefold(), *map(str.casefold, others)) for id, others in asked.options.items())


@cache
def _known() -> dict[str, str]:
    return {
        word.casefold(): command
        for command in COMMANDS
        for language in LANGUAGES
        for word in command_words(language, command)
    }
