"""Value classes from `dense_cli.frozen` are what `dataclasses` makes, which is the witness here."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Mapping
from typing import ClassVar

import pytest

from dense_cli import frozen


@frozen.dataclass(frozen=True, slots=True)
class Travelling:
    name: str
    values: tuple[int, ...] = ()


@frozen.dataclass(frozen=True, slots=True)
class ByName:
    name: str

    def __reduce__(self):
        return by_name, (self.name,)


def by_name(name):
    return ByName(f"{name} again")


def pair_of(make):
    """The same class declared with both."""
    return make(frozen), make(dataclasses)


def slotted(origin):
    @origin.dataclass(frozen=True, slots=True)
    class Plain:
        """A value."""

        name: str
        size: int = 2
        facts: Mapping[str, int] = origin.field(default_factory=dict)

        def twice(self):
            return self.size * 2

    return Plain


def derived(origin):
    @origin.dataclass(frozen=True, slots=True)
    class Base:
        first: int

    @origin.dataclass(frozen=True, slots=True)
    class Plain(Base):
        second: float = 1.5

    return Plain


def one_field(origin):
    @origin.dataclass(frozen=True, slots=True)
    class Plain:
        value: float

    return Plain


def no_field(origin):
    @origin.dataclass(frozen=True, slots=True)
    class Plain:
        pass

    return Plain


def partly(origin):
    @origin.dataclass(frozen=True, slots=True)
    class Plain:
        base: int
        silent: int = origin.field(repr=False, compare=False, default_factory=int)
        made: int = origin.field(init=False, repr=False, compare=False)

        def __post_init__(self):
            object.__setattr__(self, "made", self.base + 1)

    return Plain


def open_class(origin):
    @origin.dataclass(frozen=True)
    class Plain:
        times: ClassVar[str] = "·"
        digits: int = 6
        exact: bool = False

    return Plain


def by_identity(origin):
    @origin.dataclass(frozen=True, slots=True, eq=False)
    class Plain:
        value: list[int]

    return Plain


def own_words(origin):
    @origin.dataclass(frozen=True, slots=True, repr=False)
    class Plain:
        value: int

        def __repr__(self):
            return "mine"

        def __eq__(self, other):
            return True

        def __hash__(self):
            return 7

    return Plain


CASES = [
    (slotted, ("a",), {}),
    (slotted, ("a", 3), {"facts": {"b": 1}}),
    (slotted, (), {"size": 1, "name": "b"}),
    (derived, (1,), {}),
    (derived, (1,), {"second": 2.0}),
    (one_field, (0.5,), {}),
    (no_field, (), {}),
    (partly, (4,), {}),
    (partly, (4, 5), {}),
    (open_class, (), {"exact": True}),
    (own_words, (3,), {}),
]
each_case = pytest.mark.parametrize(("make", "values", "named"), CASES)


@each_case
def test_it_is_made_and_shown_alike(make, values, named):
    ours, theirs = (kind(*values, **named) for kind in pair_of(make))
    assert repr(ours) == repr(theirs)
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert type(ours).__match_args__ == type(theirs).__match_args__
    assert type(ours).__doc__ == type(theirs).__doc__ or not type(ours).__doc__
    assert hasattr(ours, "__dict__") == hasattr(theirs, "__dict__")


@each_case
def test_it_is_equal_and_hashed_alike(make, values, named):
    for kind in pair_of(make):
        one, same = kind(*values, **named), kind(*values, **named)
        assert one == same
        assert (one == "other") == (make is own_words)
        try:
            assert hash(one) == hash(same)
        except TypeError:  # holds a dict
            assert make is slotted
    ours, theirs = pair_of(make)
    assert make is own_words or ours(*values, **named) != theirs(*values, **named)


def test_hashes_are_those_of_the_standard_class():
    ours, theirs = pair_of(derived)
    assert hash(ours(1, 2.5)) == hash(theirs(1, 2.5))


@pytest.mark.parametrize(
    ("make", "one", "other"),
    [(slotted, ("a",), ("b",)), (derived, (1,), (2,)), (derived, (1, 2.0), (1, 2.5)), (partly, (1,), (2,))],
)
def test_another_field_makes_another_value(make, one, other):
    for kind in pair_of(make):
        assert kind(*one) != kind(*other)


def test_a_field_that_is_not_compared_does_not_count():
    for kind in pair_of(partly):
        assert kind(1, 2) == kind(1, 3)


def test_without_eq_only_the_same_object_is_equal():
    for kind in pair_of(by_identity):
        one = kind([1])
        assert one == one
        assert one != kind([1])
        assert len({one, kind([1])}) == 2


@each_case
def test_nothing_can_be_changed(make, values, named):
    for kind in pair_of(make):
        value = kind(*values, **named)
        for name in [*(one.name for one in dataclasses.fields(value)), "new"]:
            with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
                setattr(value, name, 1)
            with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
                delattr(value, name)


@pytest.mark.parametrize(
    ("values", "named"),
    [((), {}), (("a", 1, {}, 4), {}), (("a",), {"name": "b"}), (("a",), {"unknown": 1})],
    ids=["missing", "too many", "twice", "unknown"],
)
def test_a_wrong_call_is_refused(values, named):
    for kind in pair_of(slotted):
        with pytest.raises(TypeError):
            kind(*values, **named)


@pytest.mark.parametrize("replace", [frozen.replace, dataclasses.replace])
def test_replace_changes_only_what_is_named(replace):
    for kind in pair_of(slotted):
        before = kind("a", 3, {"b": 1})
        after = replace(before, size=4)
        assert (after.name, after.size, after.facts) == ("a", 4, {"b": 1})
        assert before.size == 3
        assert replace(after, size=3) == before
        with pytest.raises(TypeError):
            replace(before, unknown=1)


def test_replace_works_out_again_what_is_no_parameter():
    for origin in (frozen, dataclasses):
        assert origin.replace(partly(origin)(1), base=5).made == 6


def test_each_value_has_its_own_default():
    for kind in pair_of(slotted):
        assert kind("a").facts is not kind("b").facts


@pytest.mark.parametrize("make", [slotted, derived, partly, open_class, no_field])
def test_the_standard_functions_take_it(make):
    ours, theirs = pair_of(make)
    assert dataclasses.is_dataclass(ours)
    assert described(ours) == described(theirs)
    assert inspect.signature(ours) == inspect.signature(theirs)


def described(kind):
    facts = ("name", "type", "default", "default_factory", "init", "repr", "compare")
    return [[getattr(one, fact) for fact in facts] for one in dataclasses.fields(kind)]


def test_a_match_takes_it_apart():
    kind = derived(frozen)
    match kind(1):
        case kind(first, second):
            assert (first, second) == (1, 1.5)


def test_it_travels_and_is_copied():
    value = Travelling("a", (1, 2))
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == value


def test_a_class_that_says_how_it_travels_is_heard():
    assert pickle.loads(pickle.dumps(ByName("a"))) == ByName("a again")
