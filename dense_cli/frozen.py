"""Frozen value classes that cost little to declare: `dataclass`, `field` and `replace` as in `dataclasses`.

The standard decorator writes source for the methods of each class and compiles it at every start, and its
module imports `inspect`: for the forty value classes of one small calculation that is a third of the whole
process. Here all classes share the same few methods; making and comparing a value takes twice as long, which
no hand-sized input notices. What can be said is the part of `dataclasses` that this program uses. It means
the same, and `dataclasses.fields`, `asdict` and `replace` take the values too. Annotations are text, as
``from __future__ import annotations`` leaves them.

>>> @dataclass(frozen=True, slots=True)
... class Point:
...     x: "int"
...     y: "int" = 0
>>> replace(Point(1), y=2), Point(1) == Point(x=1, y=0), len({Point(1), Point(1, 0)})
(Point(x=1, y=2), True, 1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # to a type checker they are the standard ones
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
    from operator import attrgetter

    class field:  # noqa: N801
        """What is said of a field besides its name and type."""

        __slots__ = ("compare", "default_factory", "init", "repr")

        def __init__(self, *, default_factory=None, init=True, repr=True, compare=True):
            self.default_factory, self.init, self.repr, self.compare = default_factory, init, repr, compare

    def dataclass(*, frozen, slots=False, eq=True, repr=True):
        """The class with the methods of a value; with `slots` a new one, as slots cannot be added later."""
        assert frozen, "a value that changes is a class of its own"

        def declared(cls):
            plan = _Plan(cls)
            if slots:
                cls = _with_slots(cls, plan)
            cls._plan = plan
            cls.__match_args__ = plan.given
            cls.__init__ = _initializer(cls, plan, slots)
            cls.__setattr__ = cls.__delattr__ = _refused
            cls.__dataclass_fields__, cls.__signature__ = _Fields(), _Signature()
            methods = {"__reduce__": _reduced} if slots else {}
            if eq:
                methods |= {"__eq__": _equal, "__hash__": _hashed}
            if repr:
                methods["__repr__"] = _shown
            for name, method in methods.items():
                if cls.__dict__.get(name) is None:  # not what the class says itself
                    setattr(cls, name, method)
            return cls

        return declared

    def replace(value, /, **changes):
        """The same value with other fields; a standard dataclass will do too."""
        if not hasattr(value, "_plan"):
            import dataclasses

            return dataclasses.replace(value, **changes)
        for name in value._plan.given:
            if name not in changes:
                changes[name] = getattr(value, name)
        return value.__class__(**changes)

    class _Plan:
        """The fields of a class by name, inherited ones first: types, what is said of them, defaults."""

        def __init__(self, cls):
            inherited = getattr(cls, "_plan", None)
            self.types = dict(inherited.types) if inherited else {}
            self.said = dict(inherited.said) if inherited else {}
            self.defaults = dict(inherited.defaults) if inherited else {}
            declared, types = cls.__dict__, cls.__annotations__
            self.own = tuple([name for name, kind in types.items() if not kind.startswith("ClassVar")])
            for name in self.own:
                self.types[name] = types[name]
                self.said.pop(name, None)
                self.defaults.pop(name, None)
                if name in declared:
                    default = declared[name]
                    (self.said if isinstance(default, field) else self.defaults)[name] = default
            said = self.said
            self.given = tuple([name for name in self.types if name not in said or said[name].init])
            self.shown = [name for name in self.types if name not in said or said[name].repr]
            self.compared = _reader([name for name in self.types if name not in said or said[name].compare])

        def completed(self, cls, values, named):
            """The values of all fields, in order, from those that were given."""
            result = list(values)
            for name in self.given[len(values) :]:
                if name in named:
                    result.append(named.pop(name))
                elif name in self.defaults:
                    result.append(self.defaults[name])
                elif name in self.said and self.said[name].default_factory:
                    result.append(self.said[name].default_factory())
                else:
                    raise TypeError(f"{cls.__name__}: missing {name}")
            if named or len(result) > len(self.given):
                raise TypeError(f"{cls.__name__}: given {values} and {named} for {', '.join(self.given)}")
            return result

    def _reader(names):
        """A function from a value to the tuple of these attributes."""
        if len(names) > 1:
            return attrgetter(*names)
        return lambda value: tuple([getattr(value, name) for name in names])

    def _with_slots(cls, plan):
        leave = {"__dict__", "__weakref__", *plan.own}
        declared = {name: value for name, value in cls.__dict__.items() if name not in leave}
        declared["__slots__"], declared["__qualname__"] = plan.own, cls.__qualname__
        return type(cls)(cls.__name__, cls.__bases__, declared)

    def _initializer(cls, plan, slots):
        given = plan.given
        count = len(given)
        # Writing through the slot goes past __setattr__, which refuses.
        puts = tuple([getattr(cls, name).__set__ for name in given]) if slots else ()
        finish = getattr(cls, "__post_init__", None)

        def __init__(self, /, *values, **named):  # noqa: N807
            if named or len(values) != count:
                values = plan.completed(cls, values, named)
            if slots:
                for put, value in zip(puts, values, strict=True):
                    put(self, value)
            else:
                self.__dict__.update(zip(given, values, strict=True))
            if finish is not None:
                finish(self)

        return __init__

    def _equal(self, other):
        if other.__class__ is not self.__class__:
            return NotImplemented
        compared = self._plan.compared
        return compared(self) == compared(other)

    def _hashed(self):
        return hash(self._plan.compared(self))

    def _shown(self):
        fields = [f"{name}={getattr(self, name)!r}" for name in self._plan.shown]
        return f"{self.__class__.__qualname__}({', '.join(fields)})"

    def _refused(self, name, value=None):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to or delete field {name!r}")

    def _reduced(self):
        return self.__class__, tuple([getattr(self, name) for name in self._plan.given])

    def _standard(cls):
        """A standard dataclass with the same fields."""
        import dataclasses

        plan, fields = cls._plan, []
        for name, kind in plan.types.items():
            facts = {"default": plan.defaults[name]} if name in plan.defaults else {}
            if name in plan.said:
                said = plan.said[name]
                facts = {"init": said.init, "repr": said.repr, "compare": said.compare}
                if said.default_factory:
                    facts["default_factory"] = said.default_factory
            fields.append((name, kind, dataclasses.field(**facts)))
        return dataclasses.make_dataclass(cls.__name__, fields)

    class _Fields:
        """What the functions of `dataclasses` ask for, made when first asked for."""

        def __get__(self, value, cls):
            cls.__dataclass_fields__ = _standard(cls).__dataclass_fields__
            return cls.__dataclass_fields__

    class _Signature:
        """What `help` and `inspect.signature` ask for."""

        def __get__(self, value, cls):
            from inspect import signature

            return signature(_standard(cls))
