"""`dense rope` on whole arrays: which convention does an implementation follow? It imports NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dense_cli.cli.array_values import array_of
from dense_cli.cli.exits import Exit
from dense_cli.cli.expect import Expected
from dense_cli.cli.expect_asked import Asked, name_and_value
from dense_cli.cli.expect_models import rope_mistakes
from dense_cli.cli.expect_words import told as in_words
from dense_cli.cli.options import Outcome, required
from dense_cli.cli.rope_call import turning_of
from dense_cli.cli.values import one_whole
from dense_cli.core.kernels.walking import Array
from dense_cli.core.rope import Rope, rope
from dense_cli.derivation import Note, Say
from dense_cli.derive.rope import assumptions
from dense_cli.derive.rope_arrays import Compared, rope_arrays
from dense_cli.errors import DenseError
from dense_cli.frozen import replace
from dense_cli.mistakes.array_comparison import Rotated, rotation_comparison
from dense_cli.mistakes.asking import Claim, Question
from dense_cli.reading.characters import fold

if TYPE_CHECKING:
    from dense_cli.cli.config_rope import ModelRope

FARTHEST = 1 << 53
"""Beyond it float64 does not hold every position."""


def array_comparison(
    inputs: Mapping[str, str | None],
    pos_range: str | None,
    typed: Mapping[str, str | bool],
    model: ModelRope | None,
    wanted: Expected,
    say: Say,
) -> Outcome:
    """Compare arrays of rotated queries, keys or both with what the inputs (`q`, `k`) should become."""
    claims = _claims(wanted.typed)
    required("rope", **{name[0]: inputs[name[0]] for name in claims})
    arrays = {name: array_of(f"--{name[0]}", inputs[name[0]] or "") for name in claims}
    tokens = {name: _tokens(name, array) for name, array in arrays.items()}
    positions = _positions(pos_range, next(iter(tokens.values())))
    found: dict[str, Rotated] = {}
    given = Rope((), (), (), (), 0)
    mistakes = rope_mistakes(typed, model)
    for name, x in arrays.items():
        if len(positions) != tokens[name]:
            raise DenseError(
                "pos-range-tokens",
                option=f"--{name[0]}",
                typed=f"{positions.start}:{positions.stop}",
                positions=len(positions),
                tokens=tokens[name],
                shape=str(list(x.shape)),
            )
        given = _rotation(typed, model, x.shape[-1])
        y = array_of("--expect", claims[name])
        tolerances = wanted.atol, wanted.rtol
        found[name] = rotation_comparison(name, given, x, y, positions.start, *tolerances, mistakes)
    echoed = {name: text for name, text in {**inputs, "pos-range": pos_range}.items() if text is not None}
    derivation = rope_arrays(
        given,
        positions,
        [_compared(name, one) for name, one in found.items()],
        (*(model.assumed if model else ()), *_assumed(given, typed, positions, pos_range)),
        {**echoed, **typed},
    )
    answers = [(0, Claim(()), one.comparison) for one in found.values()]
    about = _about(given, positions)
    right = all(one.comparison.matches for one in found.values())
    return Outcome(
        in_words(derivation, wanted.typed, answers, about, say), Exit.DONE if right else Exit.DIFFERS
    )


def _claims(typed: tuple[str, ...]) -> dict[str, str]:
    """What was typed for the query, the key or both, in the order of typing."""
    claims: dict[str, str] = {}
    for text in typed:
        name, value = name_and_value(text, ASKED)
        if name in claims:
            raise DenseError("expect-too-many", option="--expect", typed=name, count=2, most=1)
        claims[name] = value
    return claims


def _tokens(name: str, array: Array) -> int:
    if array.ndim < 2:
        raise DenseError("array-one-axis", option=f"--{name[0]}", shape=str(list(array.shape)))
    return int(array.shape[-2])


def _positions(typed: str | None, tokens: int) -> range:
    """The positions START:STOP, or all from 0 on where nothing was typed."""
    if typed is None:
        return range(tokens)
    ends = fold(typed).split(":")
    if len(ends) != 2:
        raise DenseError("pos-range", option="--pos-range", typed=typed)
    start, stop = (one_whole("--pos-range", end) for end in ends)
    if stop <= start:
        raise DenseError("pos-range", option="--pos-range", typed=typed)
    if max(abs(start), abs(stop)) > FARTHEST:
        raise DenseError("pos-range-too-far", option="--pos-range", typed=typed, most=FARTHEST)
    return range(start, stop)


def _rotation(typed: Mapping[str, str | bool], model: ModelRope | None, width: int) -> Rope:
    turning = turning_of(typed, model, width)
    writes = model.writes if model and "layout" not in typed and model.writes != model.layout else None
    given = Rope(
        query=(0.0,) * width,
        key=(0.0,) * width,
        positions=(),
        rates=turning.rates,
        rotary_dim=turning.rotary_dim,
        layout=turning.layout,
        attention_factor=model.attention_factor if model else 1.0,
        output_layout=writes,
    )
    rope(given)  # refuses what cannot turn
    return given


def _assumed(
    given: Rope, typed: Mapping[str, str | bool], positions: range, pos_range: str | None
) -> tuple[Note, ...]:
    first = () if pos_range else (Note("expect.array.assumed-range", {"stop": positions.stop}),)
    told = tuple(note for note in assumptions(given, typed) if note.key != "rope.assume-from-zero")
    return (*told, *first, Note("expect.array.assumed-axes"))


def _compared(name: str, found: Rotated) -> Compared:
    comparison, report = found.comparison, found.report
    plain_facts = Compared(name, found.shape, found.dtype, comparison.matches, comparison.max_abs_error)
    if report is None:
        return plain_facts
    return replace(
        plain_facts,
        close=report.close,
        lengths_kept=report.lengths_kept,
        rows_beyond=report.rows_beyond,
    )


def _about(given: Rope, positions: range) -> Asked:
    reasons = [
        *(["position-zero"] if positions == range(1) else []),
        *(["one-pair"] if given.rotary_dim == len(given.query) == 2 else []),
    ]
    return replace(ASKED, why=lambda name, place: reasons)


def _no_question(name: str, place: int) -> Question:
    raise NotImplementedError  # the comparison is made with the arrays


ASKED = Asked(
    {"query": "rows", "key": "rows"},
    _no_question,
    aliases={"q": "query", "k": "key"},
    whole_arrays=True,
)
