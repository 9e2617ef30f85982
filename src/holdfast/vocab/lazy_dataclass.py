"""The decorator `dataclass` of this package: as in `dataclasses`, but made late.

`dataclasses.dataclass` reads the fields of a class and compiles up to six methods while a module is
imported. A command imports several hundred classes and uses few of them, so that this took up to
half of its start-up time. This decorator makes the slots only. `dataclasses` reads the fields when
somebody asks for them, and a method is made when it is first used.
"""

from __future__ import annotations

import dataclasses
from itertools import filterfalse
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["dataclass"]

_Class = TypeVar("_Class")
# What `dataclasses` sets when it reads the fields of a class.
_REGISTERED = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")


class LateMethod:
    """A method that is not made yet. Its first use makes it and replaces this object."""

    def __init__(self, name: str, *, frozen: bool) -> None:
        self._name = name
        self._frozen = frozen
        self.owner: Any = None

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """Make the method."""
        method = _MAKERS[self._name](self.owner, frozen=self._frozen)
        method.__name__ = self._name
        method.__qualname__ = f"{self.owner.__qualname__}.{self._name}"
        setattr(self.owner, self._name, method)
        return method.__get__(instance, owner)


class LateFields:
    """What `dataclasses` knows of a class. The first question lets `dataclasses` read the class."""

    def __init__(self, name: str, plain: type) -> None:
        self._name = name
        self._plain = plain
        self.owner: Any = None

    def __get__(self, _: object, __: type | None = None) -> Any:
        """Let `dataclasses` read a copy of the class, and return what was asked for.

        A copy, because `dataclasses` removes the factories of fields from a class that it reads:
        two threads may come here at once.
        """
        namespace = dict(vars(self._plain))
        for name in ("__dict__", "__weakref__"):
            namespace.pop(name, None)

        plain = self._plain
        copy = type(plain)(plain.__name__, plain.__bases__, namespace)
        _register(copy)
        for name in _REGISTERED:
            setattr(self.owner, name, vars(copy)[name])

        return vars(self.owner)[self._name]

    def has_dataclass_base(self) -> bool:
        """Return whether fields may be inherited."""
        return any("__dataclass_fields__" in vars(base) for base in self._plain.__mro__[1:])

    def read(self) -> Iterator[tuple[str, Any]]:
        """Yield the fields of a class that inherits none, and that `dataclasses` has not read."""
        own = vars(self._plain)
        for name in _field_names(self._plain):
            field = own.get(name, dataclasses.MISSING)
            if not isinstance(field, dataclasses.Field):
                field = dataclasses.field(default=field)
            field.type = own["__annotations__"][name]
            yield name, field


def lazy_dataclass(
    *,
    frozen: bool = False,
    slots: bool = False,
    repr: bool = True,  # noqa: A002 - the names of `dataclasses.dataclass`
    eq: bool = True,
) -> Callable[[type[_Class]], type[_Class]]:
    """Return a decorator with these options of `dataclasses.dataclass`.

    The annotations are strings (`from __future__ import annotations`), and `InitVar` and `KW_ONLY`
    are not among them.

    >>> @lazy_dataclass(frozen=True, slots=True)
    ... class Point:
    ...     '''A place in a plane.'''
    ...     x: int
    ...     y: int = 0
    >>> Point(3)
    Point(x=3, y=0)
    """
    names = ["__init__"]
    if repr:
        names.append("__repr__")

    if eq:
        names.append("__eq__")

    def decorate(plain: type[_Class]) -> type[_Class]:
        own = vars(plain)
        added: dict[str, Any] = {"__replace__": dataclasses.replace}
        for name in names:
            if name not in own:
                added[name] = LateMethod(name, frozen=frozen)

        # A class that defines `__eq__` has the hash None, unless it defines `__hash__` too.
        if eq and own.get("__hash__") is None:
            added["__hash__"] = None
            if frozen:
                added["__hash__"] = LateMethod("__hash__", frozen=frozen)

        if frozen:
            added["__setattr__"] = _refuse_assignment
            added["__delattr__"] = _refuse_deletion
            # Without these, `copy` and `pickle` would assign the fields of a class with slots.
            added["__getstate__"] = _get_state
            added["__setstate__"] = _set_state

        return cast("type[_Class]", _with(plain, added, slots=slots))

    return decorate


def _register(plain: type) -> None:
    """Let `dataclasses` read the fields of a class."""
    dataclasses.dataclass(init=False, repr=False, eq=False)(plain)


def _with(plain: type, added: dict[str, Any], *, slots: bool) -> type:
    """Return the class with these attributes; with slots it is another class."""
    cls = plain
    if slots:
        added |= {name: LateFields(name, plain) for name in _REGISTERED}
        cls = _with_slots(plain, added)
    else:
        _register(cls)
        for name, value in added.items():
            setattr(cls, name, value)

    for value in added.values():
        if isinstance(value, LateMethod | LateFields):
            value.owner = cls

    return cls


def _with_slots(plain: type, added: dict[str, Any]) -> type:
    """Return a class like this one with a slot for each field, as `dataclasses` does it."""
    names = list(_field_names(plain))
    inherited: set[str] = set()
    for base in plain.__mro__[1:-1]:
        inherited.update(getattr(base, "__slots__", ()))

    namespace = {**vars(plain), **added}
    namespace["__slots__"] = tuple(filterfalse(inherited.__contains__, names))
    # A default is no attribute of the class: there, the slot has its name.
    for name in (*names, "__dict__", "__weakref__"):
        namespace.pop(name, None)

    cls = type(plain)(plain.__name__, plain.__bases__, namespace)
    cls.__qualname__ = plain.__qualname__
    return cls


def _field_names(plain: type) -> Iterator[str]:
    for name, annotation in vars(plain).get("__annotations__", {}).items():
        if annotation.startswith(("InitVar", "KW_ONLY")):
            raise TypeError(f"{plain.__qualname__}: use `dataclasses.dataclass` for {annotation}.")
        if not annotation.startswith("ClassVar"):
            yield name


# ---------------------------------------------------------------------------------------- methods


class _Factory:
    """The default of an argument whose field has a factory."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _make_init(cls: Any, *, frozen: bool) -> Any:
    names: dict[str, Any] = {"__name__": cls.__module__, "__FACTORY": _FACTORY, "__SET": _SET}
    types: dict[str, Any] = {}
    arguments, lines = ["self"], []
    for name, field in _read_fields(cls):
        types[name] = field.type
        argument = value = name
        if field.default is not dataclasses.MISSING:
            names[f"__default_{name}"] = field.default
            argument = f"{name}=__default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            names[f"__make_{name}"] = field.default_factory
            argument = f"{name}=__FACTORY"
            value = f"__make_{name}() if {name} is __FACTORY else {name}"

        arguments.append(argument)
        if frozen:
            # Its own `__setattr__` refuses.
            lines.append(f"  __SET(self, {name!r}, {value})")
        else:
            lines.append(f"  self.{name} = {value}")

    if hasattr(cls, "__post_init__"):
        lines.append("  self.__post_init__()")

    body = "\n".join(lines) or "  pass"
    exec(f"def __init__({', '.join(arguments)}):\n{body}", names)  # noqa: S102 - names of fields only
    init = names["__init__"]
    init.__annotations__ = types | {"return": None}
    return init


def _read_fields(cls: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a class; to let `dataclasses` read it takes longer than all the rest."""
    late = vars(cls).get("__dataclass_fields__")
    if not isinstance(late, LateFields) or late.has_dataclass_base():
        fields = {field.name: field for field in dataclasses.fields(cls)}
    else:
        fields = dict(late.read())

    for name, field in fields.items():
        if not field.init or field.kw_only is True:
            raise TypeError(f"{cls.__qualname__}.{name}: use `dataclasses.dataclass` for this.")
        yield name, field


def _make_repr(cls: Any, *, frozen: bool) -> Any:  # noqa: ARG001 - as the others
    names = _names_of(cls, attrgetter("repr"))

    @recursive_repr("...")
    def __repr__(self: Any) -> str:  # noqa: N807 - the name of the method
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({values})"

    return __repr__


def _make_eq(cls: Any, *, frozen: bool) -> Any:  # noqa: ARG001 - as the others
    values = _values_of(_names_of(cls, attrgetter("compare")))

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807 - the name of the method
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return __eq__


def _make_hash(cls: Any, *, frozen: bool) -> Any:  # noqa: ARG001 - as the others
    values = _values_of(_names_of(cls, _is_hashed))

    def __hash__(self: Any) -> int:  # noqa: N807 - the name of the method
        return hash(values(self))

    return __hash__


def _names_of(cls: Any, is_wanted: Callable[[Any], bool]) -> list[str]:
    """Return the names of the fields for which the question is answered with yes."""
    return [field.name for field in filter(is_wanted, dataclasses.fields(cls))]


def _is_hashed(field: dataclasses.Field[Any]) -> bool:
    if field.hash is None:
        return field.compare
    return field.hash


def _values_of(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that returns the values of these attributes."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda instance: tuple(getattr(instance, name) for name in names)


_SET = object.__setattr__
_MAKERS: dict[str, Callable[..., Any]] = {
    "__init__": _make_init,
    "__repr__": _make_repr,
    "__eq__": _make_eq,
    "__hash__": _make_hash,
}


def _refuse_assignment(_: object, name: str, __: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(_: object, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(instance: Any) -> list[Any]:
    return [getattr(instance, field.name) for field in dataclasses.fields(instance)]


def _set_state(instance: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(instance), state, strict=True):
        object.__setattr__(instance, field.name, value)


if TYPE_CHECKING:
    # A type checker knows the original, and what `dataclasses.replace` accepts.
    from dataclasses import dataclass
else:
    dataclass = lazy_dataclass
