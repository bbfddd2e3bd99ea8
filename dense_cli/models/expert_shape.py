"""What takes the place of a plain FFN or of plain attention: experts and latent ranks, from a config."""

from __future__ import annotations

from dense_cli.frozen import dataclass
from dense_cli.models.family import Experts
from dense_cli.models.fields import Fields


@dataclass(frozen=True, slots=True)
class ExpertShape:
    """A mixture of experts: `layers` of the blocks have one, each token passes `per_token` of `number`.

    Those are the blocks from `first`, every `step`-th, without those listed as `dense`."""

    number: int
    per_token: int
    width: int
    layers: int
    shared_width: int = 0
    shared_gate: bool = False
    biases: bool = False
    first: int = 0
    step: int = 1
    dense: frozenset[int] = frozenset()

    def has(self, layer: int) -> bool:
        """Whether this layer, counted from 0, has experts."""
        return layer >= self.first and (layer + 1) % self.step == 0 and layer not in self.dense


@dataclass(frozen=True, slots=True)
class LatentShape:
    """Latent attention (DeepSeek-V2, section 2.1): ranks, and head widths without and with rotation."""

    kv_rank: int
    query_rank: int | None
    unturned: int
    turned: int
    value_dim: int


def expert_shape(fields: Fields) -> ExpertShape | None:
    """The experts of a model; None where no layer has any."""
    row = fields.family.experts
    if row is None:
        return None
    first, step, dense = _placed(fields, row)
    layers = _expert_layers(fields, first, step, dense)
    number = fields.whole("experts", least=0)
    if layers == 0 or number == 0:
        if row.layers == "all" and fields.whole("layers", least=0):
            fields.whole("experts")
        return None
    per_token, width = fields.whole("experts_per_token"), fields.whole(row.width)
    if per_token > number and fields.sound("experts", "experts_per_token"):
        fields.refuse("config-too-many-experts", per_token=per_token, number=number)
    shared = 0
    if row.shared == "width":
        shared = fields.whole("shared_width", least=0)
    elif row.shared == "number":
        shared = width * fields.whole("shared_experts", least=0)
    return ExpertShape(
        number, per_token, width, layers, shared, row.shared_gate, row.biases, first, step, dense
    )


def _placed(fields: Fields, row: Experts) -> tuple[int, int, frozenset[int]]:
    """The first layer with experts, every how many layers there are some, and which are left out."""
    if row.layers == "all":
        return 0, 1, frozenset()
    if row.layers == "after-first":
        return fields.whole("first_sparse", least=0), 1, frozenset()
    listed = fields.config.data.get("mlp_only_layers") or []
    if not isinstance(listed, list) or any(isinstance(i, bool) or not isinstance(i, int) for i in listed):
        fields.refuse("config-wrong-type", field="mlp_only_layers", value="list", wanted="[0, 1, …]")
        listed = []
    return 0, fields.whole("sparse_step"), frozenset(listed)


def _expert_layers(fields: Fields, first: int, step: int, dense: frozenset[int]) -> int:
    """How many layers have experts; counted, never listed, for a config may say a trillion."""
    layers = fields.whole("layers", least=0)
    every = range(step - 1, layers, step)  # as long as layers // step; len() of so many would fail
    return max(0, layers // step - first) - len([layer for layer in dense if layer in every])


def latent_shape(fields: Fields) -> LatentShape | None:
    """The ranks of latent attention; None where attention keeps its keys and values."""
    if not fields.family.attention.latent:
        return None
    return LatentShape(
        kv_rank=fields.whole("kv_rank"),
        query_rank=fields.maybe_whole("query_rank"),
        unturned=fields.whole("unturned"),
        turned=fields.whole("turned"),
        value_dim=fields.whole("value_dim"),
    )
