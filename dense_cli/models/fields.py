"""Reading fields of a config by idea: names, types, signs, defaults; everything wrong is kept and told
together.
"""

from __future__ import annotations

from dense_cli.errors import DenseError, DenseErrors
from dense_cli.models.config import Assumption, Config, kind
from dense_cli.models.family import Derived, Switch

SHOWN = 60
"""Characters of a wrong value that a refusal repeats."""


class Fields:
    """What one question reads from a config: it collects `problems` and `assumed` as it goes.

    A value that cannot be used is noted and stands as a harmless one, so that the rest is looked at too;
    `sound` tells whether values may be compared with each other.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.family = config.family
        self.problems: list[DenseError] = []
        self.assumed: list[Assumption] = list(config.assumed)
        self._unsound: set[str] = set()

    def named(self, idea: str) -> tuple[str, object]:
        """The field that holds an idea, and its value; None where there is none. Two that disagree are
        refused.
        """
        names = self.family.fields.get(idea, (idea,))
        if len(names) == 1:
            return names[0], self.config.data.get(names[0])
        found = [(name, self.config.data[name]) for name in names if self.config.data.get(name) is not None]
        if len({repr(value) for _, value in found}) > 1 and isinstance(found[0][1], int):
            self._refuse(idea, "config-two-names", fields=tuple(f"{n}: {_shown(v)}" for n, v in found))
        if found:
            return found[0]
        return (names[0] if names else idea), None

    def whole(self, idea: str, least: int = 1) -> int:
        """A whole number, at least `least`; the family's default where the config says nothing."""
        name, value = self.named(idea)
        if value is None:
            return self._default_whole(idea, name)
        if isinstance(value, bool) or not isinstance(value, int):
            self._refuse(idea, "config-not-whole", field=name, value=_shown(value))
            return max(least, 1)
        if value < least:
            self._refuse(idea, "config-too-small", field=name, value=value, least=least)
            return max(least, 1)
        return value

    def maybe_whole(self, idea: str) -> int | None:
        """A whole number, or none where an explicit null says that there is none."""
        names = self.family.fields.get(idea, (idea,))
        if any(name in self.config.data and self.config.data[name] is None for name in names):
            return None
        return self.whole(idea)

    def number(self, idea: str, default: float | None, least: float = 0.0, open_end: bool = True) -> float:
        """A number above `least` (or at it, with `open_end` false)."""
        name, value = self.named(idea)
        if value is None:
            if default is None:
                self._refuse(idea, "config-field-missing", field=name)
                return 1.0
            self.assumes("config-default", field=name, value=default, family=self.family.model_type)
            return default
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._refuse(idea, "config-not-a-number", field=name, value=_shown(value))
            return default or 1.0
        if value < least or (open_end and value == least):
            key = "config-not-positive" if open_end else "config-negative"
            self._refuse(idea, key, field=name, value=value)
            return default or 1.0
        return float(value)

    def word(self, idea: str) -> str:
        """A word; the family's default where the config says nothing."""
        name, value = self.named(idea)
        if value is None:
            default = self.family.defaults[idea]
            self._takes(idea, name, default)
            return str(default)
        if not isinstance(value, str):
            self._refuse(idea, "config-wrong-type", field=name, value=_shown(value), wanted="string")
            return str(self.family.defaults[idea])
        return value

    def switch(self, switch: Switch) -> bool:
        """A constant of the family, or what a field says."""
        return switch if isinstance(switch, bool) else self.flag(switch.fields, switch.default)

    def flag(self, names: tuple[str, ...], default: bool) -> bool:
        """What the first of these fields says that is there."""
        for name in names:
            value = self.config.data.get(name)
            if value is None:
                continue
            if isinstance(value, bool):
                return value
            self._refuse(name, "config-wrong-type", field=name, value=_shown(value), wanted=("true", "false"))
            return default
        value = "true" if default else "false"
        self.assumes("config-default", field=names[0], value=value, family=self.family.model_type)
        return default

    def sound(self, *ideas: str) -> bool:
        """Whether all of these could be read."""
        return not self._unsound.intersection(ideas)

    def refuse(self, key: str, /, **facts: object) -> None:
        """Note what is wrong with fields taken together."""
        self.problems.append(DenseError(key, hint=None, typed=self.config.name, **facts))

    def assumes(self, key: str, /, **facts: object) -> None:
        """Note what was taken to be so; once is enough."""
        if (key, facts) not in self.assumed:
            self.assumed.append((key, facts))

    def check(self) -> None:
        """Raise everything that was wrong, together."""
        if len(self.problems) == 1:
            raise self.problems[0]
        if self.problems:
            raise DenseErrors(self.problems)

    def _refuse(self, idea: str, key: str, /, **facts: object) -> None:
        self._unsound.add(idea)
        error = DenseError(key, hint=None, typed=self.config.name, **facts)
        if str(error) not in {str(known) for known in self.problems}:
            self.problems.append(error)

    def _default_whole(self, idea: str, name: str) -> int:
        default = self.family.defaults.get(idea)
        if idea in ("kv_heads", "head_dim") and name in self.config.data:
            # an explicit null: what follows from the other fields
            default = Derived("heads") if idea == "kv_heads" else Derived("hidden", over="heads")
        if isinstance(default, Derived):
            return self._derived(idea, name, default)
        if default is None:
            self._refuse(idea, "config-field-missing", field=name)
            return 1
        self._takes(idea, name, default)
        return int(default)

    def _takes(self, idea: str, name: str, default: object) -> None:
        """Note a default; what no config of the family can say is no assumption."""
        if self.family.fields.get(idea) != ():
            self.assumes("config-default", field=name, value=default, family=self.family.model_type)

    def quotient(self, idea: str, of: str, over: str) -> int:
        """One idea as another divided by a third, which must go in without a rest."""
        value, divisor = self.whole(of), self.whole(over)
        of_name, over_name = self.named(of)[0], self.named(over)[0]
        if not self.sound(of, over):
            self._unsound.add(idea)
        elif value % divisor:
            key = "config-heads-do-not-divide"
            self._refuse(idea, key, hidden=value, heads=divisor, of=of_name, over=over_name)
            return 2
        else:
            name = self.named(idea)[0]
            self.assumes("config-quotient", field=name, of=of_name, over=over_name, value=value // divisor)
        return max(value // divisor, 1)

    def _derived(self, idea: str, name: str, default: Derived) -> int:
        if default.over is not None:
            return self.quotient(idea, default.of, default.over)
        value = self.whole(default.of) * default.times
        if not self.sound(default.of):
            self._unsound.add(idea)
        key = "config-times" if default.times > 1 else "config-same"
        self.assumes(key, field=name, of=self.named(default.of)[0], times=default.times, value=value)
        return value


def _shown(value: object) -> str:
    """A wrong value, short; the command line makes it harmless."""
    text = repr(value) if isinstance(value, str | int | float) else kind(value)
    if isinstance(value, bool):
        text = "true" if value else "false"
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
