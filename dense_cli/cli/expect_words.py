"""A comparison in the reader's language: the data that scripts get, and the sentences that stand below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dense_cli.cli.expect_asked import Asked
from dense_cli.cli.expect_terms import sentence, written
from dense_cli.derivation import Data, Derivation, Note, Prose, Say, Step, Table, Value
from dense_cli.frozen import replace
from dense_cli.mistakes import Mistake
from dense_cli.mistakes.asking import Claim, Comparison
from dense_cli.mistakes.diagnosis import Found
from dense_cli.mistakes.measuring import plain

Answer = tuple[int, Claim, Comparison]
"""Which place it is about, what was claimed, and how that compares."""

MOST_NAMED = 5
"""Mistakes that a sentence lists by their titles; the data has all."""

MOST_ENTRIES = 8
"""Numbers of a vector that a table of several comparisons shows."""


def told(
    before: Derivation, typed: Sequence[str], answers: Sequence[Answer], about: Asked, say: Say
) -> Derivation:
    """`before` with the comparison in it: the first that fails, or all where all hold."""
    place, claim, chief = next((one for one in answers if not one[2].matches), answers[0])
    data = _data(place, claim, chief, about, say)
    cannot_tell = chief.cannot_tell
    if chief.matches:
        cannot_tell = _in_none([comparison for _, _, comparison in answers])
        errors = [comparison.max_abs_error for _, _, comparison in answers]
        data["max_abs_error"] = max((error for error in errors if error is not None), default=None)
    data["cannot_tell"] = [mistake.id for mistake in cannot_tell]
    needed = _several_told_apart(chief) or (cannot_tell and not chief.mistakes)
    data["try"] = about.call if needed else None
    steps = before.steps
    if about.whole_arrays or not chief.matches:
        data["pairs_tried"] = chief.pairs_tried
    if len(answers) > 1:
        data["comparisons"] = [_data(*one, about, say) for one in answers]
        steps = (*steps, _table(answers, about)) if not about.whole_arrays else steps
    return replace(
        before,
        given={**before.given, "expect": list(typed) if len(typed) > 1 else typed[0]},
        comparison=data,
        steps=steps,
        cautions=(*_notes(place, claim, chief, cannot_tell, about), *before.cautions),
    )


def _in_none(comparisons: Sequence[Comparison]) -> tuple[Mistake, ...]:
    """The mistakes that none of several right values rules out."""
    some = [mistake for one in comparisons for mistake in (*one.cannot_tell, *one.never_shown)]
    if len(comparisons) == 1:
        some = list(comparisons[0].cannot_tell)
    kept = [mistake for mistake in some if all(mistake in one.unseen for one in comparisons)]
    return tuple(dict.fromkeys(kept))


def _data(place: int, claim: Claim, comparison: Comparison, about: Asked, say: Say) -> dict[str, Data]:
    mistakes: list[Data] = [
        _mistake(found, place, claim, comparison, about, say) for found in comparison.mistakes
    ]
    at: dict[str, Data] = {"place": place + 1} if about.places > 1 else {}
    return {
        "name": comparison.name,
        **at,
        "matches": comparison.matches,
        "max_abs_error": comparison.max_abs_error,
        "first_difference": comparison.first_difference,
        "mistakes": mistakes,
        "convention": _convention(comparison, say),
    }


def _mistake(
    found: Found, place: int, claim: Claim, comparison: Comparison, about: Asked, say: Say
) -> dict[str, Data]:
    sentences = [sentence for one in found.mistakes for sentence in _explained(one, found.settings, say)]
    if about.terms is not None:
        terms = about.terms(comparison.name, place, claim, found)
        if terms:
            sentences.append(written(terms, about.symbols[place], found.ids, say))
    return {
        "id": found.id,
        "kind": found.kind,
        "title": _begun(_joined("both", [say(one.words("title")) for one in found.mistakes], say)),
        "explanation": _joined("sentences", sentences, say),
        "max_abs_error": found.max_abs_error,
    }


def _explained(mistake: Mistake, settings: Sequence[float], say: Say) -> Iterator[str]:
    """What was done, which of a family of settings it was, and how to check it."""
    yield say(mistake.words("explanation"))
    if mistake.setting and settings:
        key = "setting" if len(settings) == 1 else "settings"
        values = say("common.list").join(f"{value:g}".replace("e-0", "e-") for value in sorted(settings))
        yield say(mistake.words(key), **{mistake.setting: values})
    yield say(mistake.words("tell"))


def _begun(title: str) -> str:
    """A title as a sentence begins."""
    return title[:1].upper() + title[1:]


def _convention(comparison: Comparison, say: Say) -> dict[str, Data] | None:
    for found in comparison.mistakes:
        if found.kind == "convention":
            titles, users = (
                [say(one.words(name)) for one in found.mistakes if _has(one, name, say)]
                for name in ("title", "users")
            )
            users_told = _joined("sentences", users, say) if users else None
            return {"id": found.id, "title": _joined("both", titles, say), "users": users_told}
    return None


def _has(mistake: Mistake, name: str, say: Say) -> bool:
    try:
        say(mistake.words(name))
    except KeyError:
        return False
    return True


def _joined(how: str, texts: Sequence[str], say: Say) -> str:
    joined = texts[0]
    for text in texts[1:]:
        joined = say(f"expect.{how}", first=joined, second=text)
    return joined


# Sentences below the comparison


def _notes(
    place: int, claim: Claim, comparison: Comparison, cannot_tell: Sequence[Mistake], about: Asked
) -> Iterator[Note]:
    yield from about.notes(comparison, claim)
    if claim.slack is not None and comparison.matches and comparison.max_abs_error:
        yield Note("expect.rounded-count", {"digits": claim.digits, "error": comparison.max_abs_error})
    yield from _convention_notes(comparison)
    for seen in comparison.seen:
        yield Note(f"expect.{seen.id}", seen.facts)
    yield from comparison.notes
    if not comparison.matches and not comparison.mistakes:
        yield from _unexplained(place, claim, comparison, about)
    yield from _cannot_tell(place, comparison, cannot_tell, about)


def _unexplained(place: int, claim: Claim, comparison: Comparison, about: Asked) -> Iterator[Note]:
    """Of a count: the whole layers or the terms that make the difference, or that none does."""
    own = tuple(about.unexplained(comparison.name, place, claim))
    yield from own
    if own or about.terms is None or claim.slack is not None:
        return
    terms = about.terms(comparison.name, place, claim, None)
    if terms:
        yield sentence(terms, about.symbols[place])
    elif not comparison.seen and comparison.max_abs_error:
        yield Note("expect.no-term", {"difference": comparison.max_abs_error})


def _convention_notes(comparison: Comparison) -> Iterator[Note]:
    """What a convention does; its title and users stand in the comparison."""
    for found in comparison.mistakes[:MOST_NAMED]:
        if found.kind == "convention":
            for mistake in found.mistakes:
                facts = {name: Note(mistake.words(name)) for name in ("explanation", "tell", "users")}
                yield Note("expect.convention", facts)


def _cannot_tell(
    place: int, comparison: Comparison, cannot_tell: Sequence[Mistake], about: Asked
) -> Iterator[Note]:
    several = len(comparison.mistakes) > 1 and len(comparison.mistakes[0].mistakes) == 1
    if several:
        yield Note("expect.several", {"count": len(comparison.mistakes)})
    untold = cannot_tell if comparison.matches or not comparison.mistakes else ()
    if untold:
        for reason in about.why(comparison.name, place):
            yield Note(f"expect.why.{reason}")
        key = "expect.cannot-tell" if comparison.matches else "expect.cannot-tell-either"
        yield Note(key, {"mistakes": _listed(untold)})
    if comparison.matches and comparison.never_shown:
        yield Note("expect.never-shown", {"mistakes": _listed(comparison.never_shown)})
    if (untold or _several_told_apart(comparison)) and about.call is not None:
        yield Note("expect.try", {"call": Prose(about.call)})


def _several_told_apart(comparison: Comparison) -> bool:
    """Whether the offered input would tell which of several mistakes it was."""
    return len(comparison.mistakes) > 1 and (
        comparison.told_apart or len(comparison.mistakes[0].mistakes) > 1
    )


def _listed(mistakes: Sequence[Mistake]) -> Note:
    """The titles, with how many more there are."""
    titles = [Note(mistake.words("title")) for mistake in mistakes[:MOST_NAMED]]
    listed = titles[0]
    for title in titles[1:]:
        listed = Note("expect.list", {"first": listed, "second": title})
    if len(mistakes) > MOST_NAMED:
        return Note("expect.and-more", {"first": listed, "count": len(mistakes) - MOST_NAMED})
    return listed


def _table(answers: Sequence[Answer], about: Asked) -> Step:
    """All comparisons side by side."""
    places = about.places > 1
    names = (*(("place",) if places else ()), "quantity", "yours", "right", "is-right")
    rows: list[tuple[Value | Note, ...]] = []
    for place, claim, comparison in answers:
        question = about.question(comparison.name, place)
        cells = (_name(comparison.name), _shown(claim.value), _shown(question.right), comparison.matches)
        rows.append((*((place + 1,) if places else ()), *cells))
    table = Table(tuple(Note(f"expect.column.{name}") for name in names), tuple(rows))
    return Step("expect", Note("expect.title"), table=table)


def _name(name: str) -> Note:
    return Note(f"expect.name.{name}")


def _shown(value: Any) -> Value | Note:
    if isinstance(value, tuple):
        if len(value) > MOST_ENTRIES or any(isinstance(entry, tuple) for entry in value):
            return Note("expect.many")
        return tuple(_shown(entry) for entry in value)  # type: ignore[misc]
    told = plain(value)
    return told if not isinstance(told, list | dict) else None
