"""A clear TypeError for a caller who passes a value of the wrong type."""

from __future__ import annotations


def check_type(
    function: str, parameter: str, value: object, wanted: type | tuple[type, ...]
) -> None:
    """Raise TypeError, unless the value is an instance of a wanted type.

    >>> check_type("land", "text", b"a", str)
    Traceback (most recent call last):
    ...
    TypeError: land: text must be str, not bytes
    """
    if isinstance(value, wanted):
        return
    types = wanted if isinstance(wanted, tuple) else (wanted,)
    names = ", ".join(each.__name__ for each in types)
    message = f"{function}: {parameter} must be {names}, not {type(value).__name__}"
    raise TypeError(message)
