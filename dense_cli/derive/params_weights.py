"""The story of a checkpoint held against a config: what differs, what else was noticed, what it means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dense_cli.derivation import Data, Derivation, Fact, Line, Note, Say, Step, Table
from dense_cli.frozen import replace
from dense_cli.models.checkpoint import Finding
from dense_cli.models.comparison import Comparison, Mismatch
from dense_cli.models.weight_meanings import Meaning, hidden_from_headers, meanings
from dense_cli.models.weight_names import folded
from dense_cli.reading.characters import visible

MOST_ROWS = 40
"""Rows of the table of mismatches; the data have all."""

MOST_FINDINGS = 4
"""Notes of one kind that are told one by one."""

LONGEST_NAME = 120


def with_weights(derivation: Derivation, comparison: Comparison, say: Say) -> Derivation:
    """The story of one model's count, and before it that of its weights.

    `say` words the texts of the notes in the data; everything else is worded where it is shown.
    """
    models = derivation.result["models"]
    if not isinstance(models, list) or not isinstance(models[0], dict):
        raise ValueError("no model")
    told = models[0] | {"weights": _data(comparison, say)}
    return replace(
        derivation,
        given={**derivation.given, "weights": comparison.checkpoint.name},
        result={**derivation.result, "models": [told, *models[1:]]},
        answer=(*derivation.answer, *_answer(comparison)),
        steps=(_step(comparison), *derivation.steps),
        cautions=(*map(_meaning, hidden_from_headers(comparison.shape)), *derivation.cautions),
    )


def _data(comparison: Comparison, say: Say) -> dict[str, Data]:
    return {
        "fits": comparison.fits,
        "mismatches": [_mismatch(one) for one in comparison.mismatches],
        "notes": [
            {"id": one.id, "name": one.name, "text": _said(_finding(one), say)} for one in comparison.findings
        ],
    }


def _mismatch(one: Mismatch) -> Data:
    told: dict[str, Data] = {"kind": one.kind, "name": one.name}
    for key, shape in (("expected_shape", one.expected), ("found_shape", one.found)):
        if shape is not None:
            told[key] = list(shape)
    return told


def _said(note: Note, say: Say) -> str:
    facts = {
        name: _said(fact, say) if isinstance(fact, Note) else visible(str(fact), LONGEST_NAME)
        for name, fact in note.facts.items()
    }
    return say(note.key, **facts)


def _answer(comparison: Comparison) -> Iterator[Line]:
    yield Line(Note("weights.fits"), None, comparison.fits)
    if not comparison.fits:
        yield Line(Note("weights.differing"), None, len(comparison.mismatches))


def _step(comparison: Comparison) -> Step:
    """The table of mismatches, and below it what was noticed and what it means."""
    tensors = comparison.checkpoint.tensors
    found, expected = Note("weights.found-tensors"), Note("weights.expected-tensors")
    groups = _groups(comparison.mismatches)
    notes = [Note("weights.all-fit")] if comparison.fits else []
    if len(groups) > MOST_ROWS:
        notes.append(Note("weights.more-rows", {"count": len(groups) - MOST_ROWS}))
    below = (
        Step("weights-notes", Note("weights.notes"), notes=tuple(_findings(comparison.findings))),
        Step("weights-meaning", Note("weights.meaning-title"), notes=(*map(_meaning, meanings(comparison)),)),
    )
    return Step(
        "weights",
        Note("weights.title"),
        lines=(Line(expected, None, comparison.expected), Line(found, None, len(tensors))),
        table=_table(groups[:MOST_ROWS]) if groups else None,
        notes=tuple(notes),
        steps=tuple(step for step in below if step.notes),
    )


def _table(groups: Sequence[tuple[Mismatch, int]]) -> Table:
    """Tensor, what the config says, what the file has; how many, where some rows stand for several."""
    columns = [Note(f"weights.column.{name}") for name in ("tensor", "config", "file", "count")]
    several = any(count > 1 for _, count in groups)
    rows = tuple(_row(first, count) if several else _row(first, count)[:-1] for first, count in groups)
    return Table(tuple(columns if several else columns[:-1]), rows)


def _row(first: Mismatch, count: int) -> tuple[Note | str | tuple[int, ...] | int, ...]:
    return (
        first.name if count == 1 else folded(first.name).replace("{}", "*"),
        Note("weights.not-there") if first.expected is None else first.expected,
        Note("weights.missing") if first.found is None else first.found,
        count,
    )


def _groups(mismatches: tuple[Mismatch, ...]) -> list[tuple[Mismatch, int]]:
    """The first of those that are the same in several layers, and how many they are."""
    groups: dict[tuple[object, ...], list[Mismatch]] = {}
    for one in mismatches:
        groups.setdefault((one.kind, folded(one.name), one.expected, one.found), []).append(one)
    return [(group[0], len(group)) for group in groups.values()]


def _findings(findings: tuple[Finding, ...]) -> Iterator[Note]:
    """Each kind of note a few times, then how many more there are."""
    kinds: dict[str, list[Finding]] = {}
    for one in findings:
        kinds.setdefault(one.id, []).append(one)
    for same in kinds.values():
        yield from map(_finding, same[:MOST_FINDINGS])
        if len(same) > MOST_FINDINGS:
            yield Note("weights.more-notes", {"count": len(same) - MOST_FINDINGS})


def _finding(one: Finding) -> Note:
    facts: dict[str, Fact] = {"name": one.name, **one.facts}
    key = one.id
    if key == "wrong_shard" and not one.facts.get("found"):
        key = "no_shard"
    if key == "non_finite" and "more" in one.facts:
        key = "non_finite_more"
    return Note(f"weights.note.{key}", facts)


def _meaning(one: Meaning) -> Note:
    return Note(f"weights.meaning.{one.key}", dict(one.facts))
