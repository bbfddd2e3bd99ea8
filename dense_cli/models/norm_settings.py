"""The norm of a config: which kind, which epsilon, and what its gain does."""

from __future__ import annotations

from dense_cli.frozen import dataclass
from dense_cli.models.config import Assumption, Config
from dense_cli.models.fields import Fields


@dataclass(frozen=True, slots=True)
class NormSettings:
    """`kind`: "rms" or "layer". `unit_offset`: the stored gain g acts as 1 + g. `affine`: whether there is a
    gain at all; `bias`: and a shift. `cast`: half precision is reached "before-gain" or "after-gain".
    """

    kind: str
    eps: float
    unit_offset: bool
    affine: bool
    bias: bool
    cast: str
    hidden: int | None
    assumed: tuple[Assumption, ...]


def norm_settings(config: Config) -> NormSettings:
    """What `rmsnorm --config` needs, and no more: width and heads of the config are not asked for.

    >>> from dense_cli.models.config import read_config
    >>> norm_settings(read_config('{"model_type": "llama", "rms_norm_eps": 1e-05}')).eps
    1e-05
    """
    fields = Fields(config)
    norms = config.family.norms
    if norms.fixed_eps is None:
        default = config.family.defaults.get("eps")
        eps = fields.number(
            "eps", float(default) if isinstance(default, int | float) else None, open_end=False
        )
    else:
        eps = norms.fixed_eps
        fields.assumes("norm-fixed-eps", value=eps, family=config.family.model_type)
    hidden = fields.whole("hidden") if fields.named("hidden")[1] is not None else None
    settings = NormSettings(
        kind=norms.kind,
        eps=eps,
        unit_offset=norms.unit_offset,
        affine=fields.switch(norms.affine),
        bias=fields.switch(norms.bias),
        cast=norms.cast,
        hidden=hidden,
        assumed=tuple(fields.assumed),
    )
    fields.check()
    return settings
