"""The first tokens of a block, on which a wrong way is tried before all of it is calculated.

Later tokens change nothing in earlier ones where the mask is causal, so a few rows rule nearly all ways out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from dense_cli.core.attention import Array
from dense_cli.core.block import Block, Trace, block
from dense_cli.frozen import dataclass, replace
from dense_cli.mistakes.block_near import Near
from dense_cli.mistakes.pairing import FAILURES

SAMPLE = 3
"""Tokens on which a way is tried first."""

SQUARES = ("scores", "probabilities")


def traces(given: Sequence[Block], keep: bool) -> list[Trace] | None:
    """What the block makes of each sequence; None where it refuses one."""
    try:
        return [block(one, keep) for one in given]
    except FAILURES:
        return None


@dataclass(frozen=True, slots=True)
class Start:
    """The first tokens of each claimed tensor, of the first sequence, and what counts as the same of them."""

    parts: Mapping[str, tuple[Array, Near]]

    @classmethod
    def of(cls, claims: Mapping[str, Array], nears: Mapping[str, Near], batch: bool) -> Start:
        """Of claimed tensors, with a batch axis where there are several sequences."""
        parts = {}
        for name, claim in claims.items():
            one = claim[0] if batch else claim
            if one.ndim > 1:  # no tensor of a block is a row
                first = one[..., :SAMPLE, :SAMPLE] if name in SQUARES else one[..., :SAMPLE, :]
                parts[name] = first, nears[name].loosened(first)
        return cls(parts)

    def like(self, made: Block, names: Collection[str]) -> list[str]:
        """Those of the tensors that begin as this block makes them; without a causal mask, all may."""
        if not made.causal:
            return list(names)
        keep = any(name in SQUARES for name in names)
        found = traces((replace(made, x=made.x[:SAMPLE]),), keep) if names else None
        if found is None:
            return []
        return [
            name
            for name, (claim, near) in self.parts.items()
            if name in names and name in found[0].tensors and near.error(claim, found[0][name]) is not None
        ]
