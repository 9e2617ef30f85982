"""The decorator `dataclass` of this package: as in `dataclasses`, but with methods compiled late.

`dataclasses.dataclass` compiles up to six methods while a module is imported. A command imports a
hundred classes or more and uses few of them, so that this took up to half of its start-up time.
This decorator registers the fields only; `dataclasses` compiles the methods of a class when the
first of them is used.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["dataclass"]

_Class = TypeVar("_Class")
# What a compiled method refers to: its module and name, and a method that `__init__` calls.
_COPIED = ("__doc__", "__module__", "__qualname__", "__post_init__")
# The options of `dataclasses.make_dataclass` by which it compiles one method.
_OPTIONS = {
    "__init__": {"init": True},
    "__repr__": {"repr": True},
    "__eq__": {"eq": True},
    "__hash__": {"unsafe_hash": True},
}


class LateMethod:
    """A method that is not compiled yet. Its first use compiles it and replaces this object."""

    def __init__(self, owner: type, name: str, *, frozen: bool) -> None:
        self._owner = owner
        self._name = name
        self._frozen = frozen

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        method = self._compile()
        setattr(self._owner, self._name, method)
        return method.__get__(instance, owner)

    def _compile(self) -> Any:
        """Let `dataclasses` compile the method for a class with the same fields."""
        cls = self._owner
        fields = [(field.name, field.type, field) for field in dataclasses.fields(cls)]
        namespace: dict[str, Any] = {}
        for name in _COPIED:
            if hasattr(cls, name):
                namespace[name] = getattr(cls, name)
        options: dict[str, Any] = {"init": False, "repr": False, "eq": False}
        options |= _OPTIONS[self._name]
        if self._name == "__init__":
            # It cannot assign to the fields of a frozen class in the ordinary way.
            options["frozen"] = self._frozen
        template = dataclasses.make_dataclass(cls.__name__, fields, namespace=namespace, **options)
        return vars(template)[self._name]


def lazy_dataclass(
    *,
    frozen: bool = False,
    slots: bool = False,
    repr: bool = True,  # noqa: A002 - the names of `dataclasses.dataclass`
    eq: bool = True,
) -> Callable[[type[_Class]], type[_Class]]:
    """Return a decorator with these options of `dataclasses.dataclass`.

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
        register: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)
        cls: type[_Class] = register(plain)
        own = vars(cls)
        missing = [name for name in names if name not in own]
        # A class that defines `__eq__` has the hash None, unless it defines `__hash__` too.
        if eq and own.get("__hash__") is None:
            if frozen:
                missing.append("__hash__")
            else:
                cls.__hash__ = None  # type: ignore[assignment]
        for name in missing:
            setattr(cls, name, LateMethod(cls, name, frozen=frozen))
        if frozen:
            _freeze(cls)
        return cls

    return decorate


def _freeze(cls: Any) -> None:
    cls.__setattr__ = _refuse_assignment
    cls.__delattr__ = _refuse_deletion
    # Without these, `copy` and `pickle` would assign the fields of a class with slots.
    cls.__getstate__ = _get_state
    cls.__setstate__ = _set_state


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
