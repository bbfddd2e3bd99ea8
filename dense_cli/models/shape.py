"""`ModelShape`: every number that decides what a model is made of, from a config and its family."""

from __future__ import annotations

from dense_cli.errors import nearest
from dense_cli.frozen import dataclass
from dense_cli.models.config import Assumption, Config
from dense_cli.models.expert_shape import ExpertShape, LatentShape, expert_shape, latent_shape
from dense_cli.models.families import CHAPTER
from dense_cli.models.family import Family, Flag
from dense_cli.models.fields import Fields
from dense_cli.models.foreign import refuse_foreign_blocks
from dense_cli.models.rope_parameters import check_turning

ACTIVATIONS = {
    "silu": "silu",
    "swish": "silu",
    "relu": "relu",
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu-tanh",
    "gelu_fast": "gelu-tanh",
    "gelu_pytorch_tanh": "gelu-tanh",
    "gelu_accurate": "gelu-tanh",
    "quick_gelu": "quick-gelu",
    "relu2": "relu2",
    "xielu": "xielu",
    "sigmoid": "sigmoid",
    "linear": "identity",
}
"""What configs call an activation, and what it is called here."""


MULTI_QUERY = Flag(("multi_query",), True)
NEW_DECODER = Flag(("new_decoder_architecture",), False)
PARALLEL_ATTENTION = Flag(("parallel_attn",), True)
NORM_BEFORE = Flag(("do_layer_norm_before",), True)
NO_FINAL_NORM = Flag(("_remove_final_layer_norm",), False)

DTYPE_TAKEN = ("config-dtype", "config-dtype-unknown")
"""What is assumed where a config does not say how its numbers are stored, or not so that it is known."""

BYTES = {
    "float64": 8,
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "int8": 1,
}
"""Bytes of one number of a dtype."""


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What a model is made of. Widths count coordinates; `tied` is None for one block, which has no head."""

    name: str
    family: Family
    vocabulary: int
    embedding_width: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    positions: int
    activation: str
    tied: bool | None
    qkv_bias: bool
    output_bias: bool
    query_key_norm: bool
    ffn_bias: bool
    head_bias: bool
    norm_affine: bool
    norm_bias: bool
    layer_norms: tuple[str, ...]
    final_norm: bool
    activation_scalars: int
    experts: ExpertShape | None
    latent: LatentShape | None
    dtype: str
    assumed: tuple[Assumption, ...]

    @property
    def model_type(self) -> str | None:
        """The family's name; None for the chapter's one block."""
        return self.family.model_type if self.family.embedding.present else None


def model_shape(config: Config) -> ModelShape:
    """The shape of a whole model, or of the chapter's one block.

    Raises every violation together (DenseErrors): types, signs, heads that do not divide, more key/value
    heads than heads, an odd head_dim where RoPE turns all of it, a base that is not positive, an unknown
    activation, a kind of block that the family does not have.
    """
    fields = Fields(config)
    family = config.family
    if not family.counted:
        fields.refuse("config-rope-only", family=family.model_type)
        fields.check()
    refuse_foreign_blocks(fields)
    hidden, heads, kv_heads, head_dim = _heads(fields)
    embedding = family.embedding
    activation = _activation(fields)
    experts = expert_shape(fields)
    layers = fields.whole("layers", least=0)
    return ModelShape(
        name=config.name,
        family=family,
        vocabulary=fields.whole("vocabulary") if embedding.present else 0,
        embedding_width=_embedding_width(fields, hidden),
        hidden=hidden,
        layers=layers,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        ffn=_ffn(fields, hidden, experts),
        positions=fields.whole("positions") if embedding.positions else 0,
        activation=activation,
        tied=_tied(fields) if embedding.present else None,
        qkv_bias=fields.switch(family.attention.qkv_bias),
        output_bias=fields.switch(family.attention.output_bias),
        query_key_norm=family.attention.query_key_norm is not None
        and fields.switch(family.attention.query_key_norm.when),
        ffn_bias=fields.switch(family.ffn.bias),
        head_bias=fields.switch(embedding.head_bias),
        norm_affine=fields.switch(family.norms.affine),
        norm_bias=fields.switch(family.norms.bias),
        layer_norms=_layer_norms(fields),
        final_norm=_final_norm(fields),
        activation_scalars=family.ffn.scalars.get(activation, 0),
        experts=experts,
        latent=latent_shape(fields),
        dtype=_dtype(fields),
        assumed=_checked(fields, head_dim),
    )


def _checked(fields: Fields, head_dim: int) -> tuple[Assumption, ...]:
    """What was assumed, after all else has been read and nothing was wrong."""
    check_turning(fields, head_dim)
    fields.check()
    return tuple(fields.assumed)


def _heads(fields: Fields) -> tuple[int, int, int, int]:
    """Width, query heads, key/value heads, head_dim; and whether they go together."""
    attention = fields.family.attention
    hidden, heads = fields.whole("hidden"), fields.whole("heads")
    kv_heads = _kv_heads(fields, heads)
    if attention.head_dim == "quotient":
        head_dim = fields.quotient("head_dim", "hidden", "heads")
    else:
        head_dim = fields.whole("head_dim")
    if not attention.latent and fields.sound("heads", "kv_heads"):
        if kv_heads > heads:
            fields.refuse("config-more-kv-heads", heads=heads, kv_heads=kv_heads)
        elif heads % kv_heads:
            fields.refuse("config-kv-heads-do-not-divide", heads=heads, kv_heads=kv_heads)
    if (
        attention.out_of == "hidden"
        and fields.sound("hidden", "heads", "head_dim")
        and heads * head_dim != hidden
    ):
        fields.refuse("config-heads-not-hidden", hidden=hidden, heads=heads, head_dim=head_dim)
    if fields.family is CHAPTER and heads * head_dim != hidden:
        fields.assumes("config-departs", hidden=hidden, heads=heads, head_dim=head_dim)
    return hidden, heads, kv_heads, head_dim


def _kv_heads(fields: Fields, heads: int) -> int:
    match fields.family.attention.kv_rule:
        case "all":
            return heads
        case "bigcode":
            return 1 if fields.switch(MULTI_QUERY) else heads
        case "falcon":
            if fields.switch(NEW_DECODER):
                return fields.whole("kv_heads")
            return 1 if fields.switch(MULTI_QUERY) else heads
        case _:
            return fields.whole("kv_heads")


def _activation(fields: Fields) -> str:
    typed = fields.word("activation")
    if typed not in ACTIVATIONS:
        near = nearest(typed, list(ACTIVATIONS))
        fields.refuse(
            "config-unknown-activation",
            field=fields.named("activation")[0],
            value=typed[:60],
            known=near or ("silu", "gelu", "gelu_pytorch_tanh"),
        )
        return "silu"
    if fields.family.model_type == "gemma" and typed == "gelu":
        fields.assumes("config-gelu-tanh", field=fields.named("activation")[0])
        return "gelu-tanh"
    return ACTIVATIONS[typed]


def _ffn(fields: Fields, hidden: int, experts: ExpertShape | None) -> int:
    """The FFN's hidden width; not asked for where every layer has experts of a width of their own."""
    if "expansion_ratio" in fields.family.defaults:
        return hidden * fields.whole("expansion_ratio")
    if experts is not None and fields.family.experts is not None and fields.family.experts.width != "ffn":
        layers = fields.whole("layers", least=0)
        if experts.layers == layers:
            return 0
    return fields.whole("ffn")


def _embedding_width(fields: Fields, hidden: int) -> int:
    if not fields.family.embedding.projected or fields.config.data.get("word_embed_proj_dim") is None:
        return hidden
    return fields.whole("word_embed_proj_dim")


def _tied(fields: Fields) -> bool:
    return fields.flag(fields.family.fields["tied"], bool(fields.family.defaults["tied"]))


def _layer_norms(fields: Fields) -> tuple[str, ...]:
    norms = fields.family.norms
    if norms.rule == "second-if-sequential":
        return norms.layer[:1] if fields.switch(fields.family.block.parallel) else norms.layer
    if norms.rule == "falcon" and fields.switch(PARALLEL_ATTENTION):
        number = fields.config.data.get("num_ln_in_parallel_attn")
        if number == 2 or (number is None and fields.switch(NEW_DECODER)):
            return ("attention", "mlp")
        return norms.layer[:1]
    return norms.layer


def _final_norm(fields: Fields) -> bool:
    final = fields.family.norms.final
    if final == "opt":
        return fields.switch(NORM_BEFORE) and not fields.switch(NO_FINAL_NORM)
    return final == "yes"


def _dtype(fields: Fields) -> str:
    """What the config says the numbers are stored as, else bfloat16."""
    said = [fields.config.data.get(name) for name in ("dtype", "torch_dtype")]
    typed = [str(value).removeprefix("torch.") for value in said if value is not None]
    known = [name for name in typed if name in BYTES]
    if known:
        return known[0]
    if typed:
        fields.assumes("config-dtype-unknown", typed=typed[0][:60], dtype="bfloat16")
    else:
        fields.assumes("config-dtype", dtype="bfloat16")
    return "bfloat16"
