"""The second half of a block: norm, gate and up, activation, product, down, second residual."""

from __future__ import annotations

from dense_cli.derivation import Note, Step
from dense_cli.derive import symbols
from dense_cli.derive.activations import FORMS
from dense_cli.derive.block_row import Followed, bound, norm_step, residual_step
from dense_cli.expression import product


def network_steps(followed: Followed) -> tuple[Step, ...]:
    """From the first residual to the output."""
    return (
        norm_step(followed, "norm2", (symbols.RESIDUAL, "residual"), symbols.SECOND_NORM),
        _branches(followed),
        _product(followed),
        _down(followed),
        residual_step(followed, "output", (symbols.RESIDUAL, "residual"), (symbols.DOWN, "down"), symbols.Y),
    )


def _branches(followed: Followed) -> Step:
    notes = [Note("block.branches-alike")]
    if followed.given.weights.gate.bias is not None:
        notes.append(Note("block.with-bias"))
    return Step(
        "gate-up",
        Note("block.gate-up"),
        formula=(symbols.GATE, product(symbols.SECOND_NORM, symbols.GATE_WEIGHT)),
        lines=(followed.vector(symbols.GATE, "gate"), followed.vector(symbols.UP, "up")),
        notes=(*notes, *followed.shape("gate", "up")),
    )


def _product(followed: Followed) -> Step:
    form = FORMS[followed.given.activation]
    gate = bound(symbols.GATE, followed.row("gate"))
    up = bound(symbols.UP, followed.row("up"))
    activated = bound(symbols.ACTIVATED, followed.row("activated"))
    return Step(
        "product",
        Note("block.product", {"activation": Note(f"block.activation.{followed.given.activation}")}),
        formula=(symbols.PRODUCT.at("i"), product(form(symbols.GATE.at("i")), symbols.UP.at("i"))),
        lines=(
            *followed.coordinates(symbols.ACTIVATED, "activated", lambda place: form(gate[place])),
            *followed.coordinates(
                symbols.PRODUCT, "product", lambda place: product(activated[place], up[place])
            ),
            followed.vector(symbols.PRODUCT, "product"),
        ),
        notes=(Note("block.entrywise"), *followed.shape("activated", "product")),
    )


def _down(followed: Followed) -> Step:
    return Step(
        "down",
        Note("block.down"),
        formula=(symbols.DOWN, product(symbols.PRODUCT, symbols.DOWN_WEIGHT)),
        lines=(followed.vector(symbols.DOWN, "down"),),
        notes=followed.shape("down"),
    )
