"""The numbers of one set of RoPE parameters, checked as they are asked for, and kept for whoever tells the
steps.
"""

from __future__ import annotations

from dense_cli.models.config import kind
from dense_cli.models.fields import Fields
from dense_cli.models.rope_parameters import Parameters


class Numbers:
    """`used` holds every number asked for; what is wrong is noted with the fields' other problems."""

    def __init__(self, fields: Fields, parameters: Parameters, seq_len: int | None) -> None:
        self._fields = fields
        self._parameters = parameters
        self._seq_len = seq_len
        self.used: dict[str, object] = {}

    @property
    def broken(self) -> bool:
        """Whether anything was refused so far."""
        return bool(self._fields.problems)

    @property
    def base(self) -> float:
        """theta, the base; checked when the parameters were put together."""
        value = self._parameters["rope_theta"]
        return float(value) if isinstance(value, int | float) else 1.0

    def refuse(self, key: str, /, **facts: object) -> None:
        """Note a refusal of the type's own."""
        self._fields.refuse(key, **facts)

    def positive(self, name: str) -> float:
        """A number above 0 that must be there."""
        value = self.maybe(name)
        if value is None and not self._noted(name):
            self._fields.refuse("rope-number-missing", field=name, rope_type=self._parameters["rope_type"])
        return value or 1.0

    def or_else(self, name: str, default: float) -> float:
        """A number above 0; the default where it is left out or 0, as model code reads it."""
        return self.maybe(name) or default

    def maybe(self, name: str) -> float | None:
        """A number above 0, or None where it is left out, null or (what model code takes for left out) 0."""
        value = self._parameters.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._fields.refuse("config-not-a-number", field=name, value=kind(value))
            return None
        if value < 0 or (value == 0 and name in ("factor", "low_freq_factor", "high_freq_factor")):
            self._fields.refuse("config-not-positive", field=name, value=value)
            return None
        self.used[name] = value
        return float(value)

    def truth(self, name: str, default: bool) -> bool:
        """Yes or no."""
        value = self._parameters.get(name)
        if value is not None and not isinstance(value, bool):
            self._fields.refuse("config-wrong-type", field=name, value=kind(value), wanted="true, false")
        self.used[name] = default if not isinstance(value, bool) else value
        return bool(self.used[name])

    def listed(self, name: str, length: int) -> tuple[float, ...]:
        """A list of so many numbers above 0."""
        value = self._parameters.get(name)
        if value is None:
            self._fields.refuse("rope-number-missing", field=name, rope_type=self._parameters["rope_type"])
        elif not isinstance(value, list):
            self._fields.refuse("config-wrong-type", field=name, value=kind(value), wanted="list")
        elif any(isinstance(item, bool) or not isinstance(item, int | float) or item <= 0 for item in value):
            self._fields.refuse("rope-list-numbers", field=name)
        elif len(value) != length:
            self._fields.refuse("rope-list-length", field=name, found=len(value), wanted=length)
        else:
            self.used[name] = tuple(float(item) for item in value)
            return tuple(float(item) for item in value)
        return (1.0,) * length

    def positions(self) -> int:
        """max_position_embeddings: how far the config says that the model goes."""
        found = self._fields.whole("positions")
        self.used["max_position_embeddings"] = found
        return found

    def trained(self) -> int:
        """The length the model was trained on before it was stretched: beside the parameters or in them, else
        all positions.
        """
        name = "original_max_position_embeddings"
        if self._fields.config.data.get(name) is not None:
            found = self._fields.whole(name)
        elif self._parameters.get(name) is not None:
            value = self._parameters[name]
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                shown = value if isinstance(value, int | float) else kind(value)
                self._fields.refuse("config-not-whole", field=name, value=shown)
                return 1
            found = value
        else:
            of = "phi3" if self._fields.family.model_type == "phi3" else ""
            found = 4096 if of else self._fields.whole("positions")
            self._fields.assumes("rope-trained-length", field=name, value=found)
        self.used[name] = found
        return found

    def length(self, otherwise: int) -> int:
        """The sequence length asked about; said where it was not given and the type depends on it."""
        if self._seq_len is None:
            self._fields.assumes("rope-seq-len", value=otherwise)
        found = self._seq_len or otherwise
        self.used["seq_len"] = found
        return found

    def longer_than(self, trained: int) -> bool:
        """Whether the sequence goes beyond the trained length; without a length it does not."""
        return self.length(trained) > trained

    @property
    def has_mscale(self) -> bool:
        """Phi-3.5-MoE gives the attention factor for short and long sequences itself."""
        return self._fields.family.model_type == "phimoe"

    def _noted(self, name: str) -> bool:
        return any(error.facts.get("field") == name for error in self._fields.problems)
