"""`dataclass` of `holdfast.vocab` does what that of `dataclasses` does, and compiles later."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import InitVar, field
from types import FunctionType
from typing import Any, ClassVar

import pytest

from holdfast.vocab.lazy_dataclass import LateFields, LateMethod, dataclass, lazy_dataclass

DECORATORS = (dataclasses.dataclass, lazy_dataclass)


@dataclass(frozen=True, slots=True)
class Pickled:
    """A class that `pickle` finds by its name."""

    a: int
    b: tuple[str, ...] = ()


def declare(decorator: Any) -> dict[str, type]:
    """Return classes of each shape, made by this decorator."""

    @decorator(frozen=True, slots=True)
    class Frozen:
        """Frozen."""

        kind: ClassVar[str] = "frozen"
        a: int
        b: str = "b"
        c: list[int] = field(default_factory=list, compare=False)
        d: str = field(default="secret", repr=False)

    @decorator(frozen=True, slots=True)
    class Derived(Frozen):
        """Derived."""

        e: int = 5

    @decorator(slots=True)
    class Open:
        """Open."""

        a: int
        b: dict[str, int] = field(default_factory=dict)

    @decorator(slots=True, eq=False)
    class ByIdentity:
        """By identity."""

        a: int

    @decorator(frozen=True, repr=False)
    class OwnMethods:
        """Own methods, and no slots."""

        a: int

        def __repr__(self) -> str:
            return f"<{self.a}>"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, OwnMethods)

        def __hash__(self) -> int:
            return 7

    @decorator(frozen=True)
    class OwnEquality:  # noqa: PLW1641 - the case to test
        """An `__eq__`, but no `__hash__`."""

        a: int

        def __eq__(self, other: object) -> bool:
            return True

    @decorator(slots=True)
    class Checked:
        """Checked after it was made."""

        a: int

        def __post_init__(self) -> None:
            self.a += 1

    return {
        each.__name__: each
        for each in (Frozen, Derived, Open, ByIdentity, OwnMethods, OwnEquality, Checked)
    }


NAMES = tuple(declare(dataclasses.dataclass))


def answer_of(call: Callable[[], object]) -> object:
    """Return what a call returns, or the type and the message of what it raises."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - compared with the original's
        return type(error), str(error)


@pytest.fixture(params=NAMES)
def pair(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    """Return the class as `dataclasses` makes it, and as Holdfast does."""
    original, lazy = map(declare, DECORATORS)
    return original[request.param], lazy[request.param]


QUESTIONS: dict[str, Callable[[Any], object]] = {
    "repr": lambda cls: repr(cls(1)),
    "repr of all": lambda cls: repr(cls(1, 2)),
    "equal": lambda cls: cls(1) == cls(1),
    "differs": lambda cls: cls(1) == cls(2),
    "another type": lambda cls: cls(1) == 1,
    "uncompared field": lambda cls: cls(1, "b", [1]) == cls(1, "b", [2]),
    "hash of equal ones": lambda cls: len({cls(1), cls(1)}),
    "hash of others": lambda cls: len({cls(1), cls(2)}),
    "signature": lambda cls: str(inspect.signature(cls)),
    "missing argument": lambda cls: cls(),
    "unknown argument": lambda cls: cls(1, z=2),
    "fields": lambda cls: [
        (each.name, each.type, each.default) for each in dataclasses.fields(cls)
    ],
    "match": lambda cls: cls.__match_args__,
    "slots": lambda cls: getattr(cls, "__slots__", None),
    "asdict": lambda cls: dataclasses.asdict(cls(1)),
    "replace": lambda cls: repr(dataclasses.replace(cls(1), a=2)),
    "assign": lambda cls: setattr(cls(1), "a", 2),
    "delete": lambda cls: delattr(cls(1), "a"),
    "copy": lambda cls: repr(copy.copy(cls(1))),
    "deep copy": lambda cls: repr(copy.deepcopy(cls(1))),
    "doc": lambda cls: cls.__doc__,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_class_answers_as_one_of_dataclasses_does(pair: tuple[Any, Any], question: str) -> None:
    original, lazy = pair
    ask = QUESTIONS[question]
    expected, answer = answer_of(lambda: ask(original)), answer_of(lambda: ask(lazy))
    assert answer == expected


def test_a_method_is_compiled_when_it_is_first_used() -> None:
    cls: Any = declare(lazy_dataclass)["Frozen"]
    names = ("__init__", "__repr__", "__eq__", "__hash__")
    assert {type(vars(cls)[name]) for name in names} == {LateMethod}
    cls(1)
    kinds = [type(vars(cls)[name]) for name in names]
    assert kinds == [FunctionType, LateMethod, LateMethod, LateMethod]


def test_a_frozen_class_with_slots_is_pickled() -> None:
    value = Pickled(1, ("x",))
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - its own bytes


def test_the_methods_that_a_class_defines_stay() -> None:
    cls: Any = declare(lazy_dataclass)["OwnMethods"]
    assert (repr(cls(3)), cls(3) == cls(4), hash(cls(3))) == ("<3>", True, 7)


def test_fields_are_read_when_they_are_first_asked_for() -> None:
    cls: Any = declare(lazy_dataclass)["Derived"]
    assert type(vars(cls)["__dataclass_fields__"]) is LateFields
    assert [each.name for each in dataclasses.fields(cls)] == ["a", "b", "c", "d", "e"]
    assert type(vars(cls)["__dataclass_fields__"]) is dict


def test_threads_that_use_a_class_first_at_once_get_the_same_fields() -> None:
    for _ in range(20):
        cls: Any = declare(lazy_dataclass)["Derived"]
        start = threading.Barrier(4)

        def make(cls: Any = cls, start: threading.Barrier = start) -> Any:
            start.wait()
            return dataclasses.replace(cls(1), a=2).c

        with ThreadPoolExecutor(4) as pool:
            made = [pool.submit(make) for _ in range(4)]
            assert [each.result() for each in made] == [[]] * 4


def test_a_class_with_a_field_that_is_only_an_argument_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Counted: use `dataclasses.dataclass` for InitVar"):

        @lazy_dataclass(slots=True)
        class Counted:
            start: InitVar[int]
