"""Who a file belongs to, by a pattern for its path.

File names come from students and the pattern from the call, and Python's own matching can take for ever
over the wrong pair. So a pattern has few places where it can go on in two ways, and a path is short.
"""

from __future__ import annotations

import re

from dense_cli.errors import DenseError
from dense_cli.frozen import dataclass

LONGEST_PATTERN = 200
LONGEST_PATH = 160
MOST_REPEATS = 3
"""Quantifiers ``*``, ``+``, ``{m,n}``; a path of n letters takes about n**4 / 24 steps with three of them."""
MOST_CHOICES = 4
"""``?``, ``|`` and the quantifiers together."""

_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?P<\w+>|\(\?:|\(\?.?|.", re.DOTALL)
_COUNT = re.compile(r"\{[0-9]*,?[0-9]*\}")


@dataclass(frozen=True, slots=True)
class StudentPattern:
    """A pattern whose first group, or else its whole match, is the student."""

    pattern: re.Pattern[str]

    @classmethod
    def of(cls, typed: str) -> StudentPattern:
        """The pattern. Raises DenseError for one that is none, or that could take for ever.

        >>> StudentPattern.of("([a-z]+)_[0-9]+").student("week1/ann_17/answers.toml")
        'ann'
        """
        if len(typed) > LONGEST_PATTERN:
            raise DenseError(
                "student-pattern-long", option="--student-from", typed=typed, most=LONGEST_PATTERN
            )
        _refuse_endless(typed)
        try:
            return cls(re.compile(typed))
        except (re.error, OverflowError, RecursionError) as error:
            raise DenseError(
                "student-pattern", option="--student-from", typed=typed, reason=str(error)
            ) from error

    def student(self, path: str) -> str:
        """Who a file at this path belongs to. Raises DenseError where the pattern finds nobody."""
        if len(path) > LONGEST_PATH:
            raise DenseError("student-path-long", source=path, most=LONGEST_PATH)
        found = self.pattern.search(path)
        named = "" if found is None else (found[1] if self.pattern.groups else found[0]) or ""
        if not named.strip():
            raise DenseError("student-not-found", source=path, typed=self.pattern.pattern)
        return named.strip()


def _refuse_endless(typed: str) -> None:
    """Refuse a repeated group, looking around and back, and more choices than can be tried."""
    repeats = choices = 0
    before, place = "", 0
    while place < len(typed):
        count = _COUNT.match(typed, place)
        found = count or _TOKEN.match(typed, place)
        assert found is not None
        token, place = found[0], found.end()
        repeated = count is not None or token in ("*", "+")
        if (token.startswith("(?") and token != "(?:" and not token.startswith("(?P<")) or re.match(
            r"\\[1-9]", token
        ):
            raise DenseError("student-pattern-endless", option="--student-from", typed=typed, part=token)
        if before == ")" and (repeated or token == "?"):
            raise DenseError(
                "student-pattern-endless", option="--student-from", typed=typed, part=before + token
            )
        repeats += repeated
        choices += repeated or token in ("?", "|")
        if repeats > MOST_REPEATS or choices > MOST_CHOICES:
            raise DenseError("student-pattern-endless", option="--student-from", typed=typed, part=token)
        before = token
