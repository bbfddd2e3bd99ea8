"""What `dense block` reads and checks before the core calculates. It imports NumPy: import it when called."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np

from dense_cli.cli.block_expect import against_block, claims_of
from dense_cli.cli.exits import Exit
from dense_cli.cli.expect import Expected
from dense_cli.cli.options import Outcome
from dense_cli.cli.values import named, one_whole
from dense_cli.core.attention import Array
from dense_cli.core.block import Block, BlockWeights, Trace, block
from dense_cli.core.rope import LAYOUTS
from dense_cli.derivation import Data, Note, Say
from dense_cli.derive.assumptions import notes
from dense_cli.derive.block import MOST_VALUES
from dense_cli.derive.block import block as story
from dense_cli.errors import DenseError, nearest
from dense_cli.frozen import dataclass, replace
from dense_cli.models.block_layer import LayerSettings, block_shape, layer_settings
from dense_cli.models.block_weights import seeded_rows, seeded_weights, stored_layer, stored_weights
from dense_cli.models.config import read_config
from dense_cli.models.shape import ModelShape
from dense_cli.models.tensor_file import tensor_file
from dense_cli.reading.files import source
from dense_cli.reading.given import is_source, load

USUAL_TOKENS = 4
USUAL_SEED = 0
MOST_TOKENS = 1 << 16
MOST_HELD = 1 << 28
"""Numbers of all tensors together that are held at once: two gibibytes."""

MOST_POSITION = 10**18


@dataclass(frozen=True, slots=True)
class Call:
    """The options as typed."""

    config: str
    weights: str | None = None
    seed: str | None = None
    layer: str | None = None
    x: str | None = None
    tokens: str | None = None
    start: str | None = None
    layout: str | None = None
    save: str | None = None
    as_family: str | None = None


def told(call: Call, typed: Mapping[str, Data], wanted: Expected | None, say: Say) -> Outcome:
    """Calculate the block that was asked for, save its tensors where that was asked for, and tell it; beside
    it the comparison with what is `wanted`, if anything is."""
    config = named("--config", lambda: read_config(call.config, call.as_family))
    layout, start = _layout(call.layout), _whole("--start", call.start, 0, MOST_POSITION)
    _check_save(call.save)
    shape = named("--config", lambda: block_shape(config))
    layer, weights, assumed = _weights(call, shape)
    sequences, drawn = _rows(call, shape)
    tokens = sequences.shape[1]
    settings = named("--config", lambda: layer_settings(config, shape, layer, start + tokens, layout))
    claims = claims_of(wanted.typed) if wanted else None
    scores = call.save is not None or (claims is not None and claims.of_scores)
    keep = scores or shape.heads * tokens * tokens <= MOST_VALUES
    _check_size(shape, sequences.shape, keep)
    given = _block(sequences[0], weights, shape, settings, start)
    blocks = [replace(given, x=x) for x in sequences]
    traces = [block(one, keep) for one in blocks]
    if call.save is not None:
        _save(call.save, traces)
    derivation = story(
        given,
        traces[0],
        told=typed,
        assumed=(*assumed, *drawn, *_chosen(call, settings)),
        cautions=() if call.weights else (Note("block.drawn-weights"),),
        beside=traces[1:],
    )
    outcome = Outcome(derivation, Exit.DONE)
    if wanted is None or claims is None:
        return outcome
    return against_block(outcome, blocks, traces, claims, wanted, say)


def _block(x: Array, weights: BlockWeights, shape: ModelShape, settings: LayerSettings, start: int) -> Block:
    return Block(
        x=x,
        weights=weights,
        heads=shape.heads,
        kv_heads=shape.kv_heads,
        rates=settings.rates,
        rotary_dim=settings.rotary_dim,
        layout=settings.layout,
        attention_factor=settings.attention_factor,
        start=start,
        eps=settings.eps,
        unit_offset=settings.unit_offset,
        activation=shape.activation,
        window=settings.window,
    )


def _weights(call: Call, shape: ModelShape) -> tuple[int, BlockWeights, tuple[Note, ...]]:
    """The layer that is meant, its weights, and what was assumed about them."""
    layer = None if call.layer is None else _whole("--layer", call.layer, 0, MOST_POSITION)
    if call.weights is None:
        found = layer or 0
        if found >= shape.layers:
            last = shape.layers - 1
            raise DenseError("block-layer-range", option="--layer", typed=found, layers=last + 1, last=last)
        seed = _whole("--seed", call.seed, USUAL_SEED, MOST_POSITION)
        weights = named("--config", lambda: seeded_weights(shape, seed))
        return found, weights, (Note("block.assumed.weights", {"seed": seed}),)
    path = call.weights
    file = named("--weights", lambda: tensor_file(path))
    found, prefix = named("--weights", lambda: stored_layer(shape, file, layer))
    weights = named("--weights", lambda: stored_weights(shape, file, prefix))
    told = () if call.layer is not None else (Note("block.assumed.layer", {"layer": found}),)
    return found, weights, told


def _rows(call: Call, shape: ModelShape) -> tuple[Array, tuple[Note, ...]]:
    """The token rows [B, T, C], typed, read or drawn."""
    if call.x is None:
        tokens = _whole("--tokens", call.tokens, USUAL_TOKENS, MOST_TOKENS, least=1)
        seed = _whole("--seed", call.seed, USUAL_SEED, MOST_POSITION)
        if tokens * shape.hidden > MOST_HELD:
            raise DenseError("block-too-large", typed=tokens, values=tokens * shape.hidden, most=MOST_HELD)
        note = Note("block.assumed.rows", {"tokens": tokens, "seed": seed})
        return seeded_rows(tokens, shape.hidden, seed)[None], (note,)
    typed = call.x
    rows = named("--x", lambda: source(typed).array() if is_source(typed) else np.array(load(typed, "array")))
    while rows.ndim < 3:
        rows = rows[None]
    if rows.ndim > 3:
        raise DenseError("block-x-axes", option="--x", typed=typed, axes=rows.ndim)
    if rows.shape[2] != shape.hidden:
        raise DenseError("block-x-width", option="--x", width=rows.shape[2], hidden=shape.hidden)
    if rows.shape[1] > MOST_TOKENS:
        raise DenseError("block-number-range", option="--x", typed=rows.shape[1], least=1, most=MOST_TOKENS)
    return rows, ()


def _chosen(call: Call, settings: LayerSettings) -> tuple[Note, ...]:
    """What the config left to its family, and what was not typed."""
    told = [
        replace(note, key=note.key.replace("models.assumed.block-", "block.assumed."))
        for note in notes(settings.assumed)
    ]
    if call.layout is None and settings.rates is not None:
        told.append(Note("block.assumed.layout", {"layout": Note(f"block.layout.{settings.layout}")}))
    if call.start is None:
        told.append(Note("block.assumed.start"))
    return tuple(told)


def _layout(typed: str | None) -> str | None:
    if typed is not None and typed not in LAYOUTS:
        close = nearest(typed, LAYOUTS)
        known = tuple(LAYOUTS)
        raise DenseError("unknown-layout", option="--layout", typed=typed, nearest=close, known=known)
    return typed


def _whole(option: str, typed: str | None, usual: int, most: int, least: int = 0) -> int:
    if typed is None:
        return usual
    value = one_whole(option, typed)
    if not least <= value <= most:
        raise DenseError("block-number-range", option=option, typed=typed, least=least, most=most)
    return value


def _check_size(shape: ModelShape, rows: tuple[int, ...], keep: bool) -> None:
    """Refuse what would not fit into memory before it is tried."""
    sequences, tokens, _ = rows
    width, heads = shape.heads * shape.head_dim, shape.heads
    values = tokens * (8 * shape.hidden + 4 * shape.ffn + 7 * width) + (2 * heads * tokens**2 if keep else 0)
    if sequences * values > MOST_HELD:
        raise DenseError("block-too-large", typed=tokens, values=sequences * values, most=MOST_HELD)


def _check_save(path: str | None) -> None:
    if path is not None and not path.lower().endswith(".npz"):
        raise DenseError("block-save-suffix", option="--save", typed=path)


def _save(path: str, traces: list[Trace]) -> None:
    """Write every tensor to one archive that is either the old one or the whole new one."""
    arrays = {
        name: array if len(traces) == 1 else np.stack([trace[name] for trace in traces])
        for name, array in traces[0].tensors.items()
    }
    aside = f"{path}.{os.getpid()}.part"
    try:
        try:
            with open(aside, "xb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]
            os.replace(aside, path)
        except BaseException:
            if os.path.exists(aside):
                os.unlink(aside)
            raise
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "?"
        raise DenseError("block-save", option="--save", typed=path, reason=reason) from error
