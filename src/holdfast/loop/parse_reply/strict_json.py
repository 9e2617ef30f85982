"""JSON that can go back into a history: finite numbers, whole characters, no key given twice, no abyss of brackets."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Final

_DEEPEST: Final = 64
"""Brackets within brackets: beyond this a reader of the history runs out of stack."""
_HALF_PAIR = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class DecodedJson:
    """One JSON value, and where the text goes on after it."""

    value: Any
    end: int


@dataclass(frozen=True, slots=True)
class NotJson:
    """There is no sound JSON value here; `why` says what is wrong and at which character."""

    why: str


class UnsoundError(ValueError):
    """The value is written in JSON, and yet cannot be taken."""


def decode(text: str, at: int = 0, *, raw_controls: bool = False) -> DecodedJson | NotJson:
    r"""Read the value that begins at `at`. `raw_controls` allows line breaks and tabs inside strings.

    >>> decode('{"a": 1} and so on')
    DecodedJson(value={'a': 1}, end=8)
    >>> decode('{"a": 1, "a": 2}')
    NotJson(why='`a` is given twice, with two values')
    >>> decode('{"a": 1')
    NotJson(why="Expecting ',' delimiter at character 8")
    """
    decoder = _LOOSE if raw_controls else _STRICT
    try:
        value, end = decoder.raw_decode(text, at)
        require_sound(value)
    except json.JSONDecodeError as error:
        return NotJson(f"{error.msg} at character {error.pos - at + 1}")
    except UnsoundError as error:
        return NotJson(str(error))
    except RecursionError:
        return NotJson(f"it is nested more than {_DEEPEST} deep")
    except ValueError:  # an integer of more digits than Python converts
        return NotJson("a number in it is too long")
    return DecodedJson(value, end)


def pair_up(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its pairs; a key that is given twice with two values is nobody's to choose."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and not same(found[key], value):
            raise UnsoundError(f"`{key[:80]}` is given twice, with two values")
        found[key] = value
    return found


def same(one: Any, other: Any) -> bool:
    """Whether both are the same JSON; `1` and `true` are not, whatever Python says."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def require_sound(value: Any) -> None:
    """Raise `UnsoundError` for what a strict reader, or the UTF-8 of a request, cannot hold."""
    layer = [value]
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for item in layer:
            if isinstance(item, str):
                _require_whole(item)
            elif isinstance(item, float) and not math.isfinite(item):
                raise UnsoundError("a number in it is not finite")
            elif isinstance(item, dict):
                below.extend(item.keys())
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        if not below:
            return
        layer = below
    raise UnsoundError(f"it is nested more than {_DEEPEST} deep")


def mend_pairs(text: str) -> str:
    r"""Join the halves of characters that stand side by side, and put U+FFFD for a half that is alone.

    >>> mend_pairs("\ud83d\ude00 \ud83d") == "\U0001f600 \ufffd"
    True
    """
    if not _HALF_PAIR.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _require_whole(text: str) -> None:
    if _HALF_PAIR.search(text):
        raise UnsoundError("half of a surrogate pair is no character")


def _refuse_constant(name: str) -> Any:
    raise UnsoundError(f"{name} is no JSON")


_STRICT = json.JSONDecoder(object_pairs_hook=pair_up, parse_constant=_refuse_constant)
_LOOSE = json.JSONDecoder(object_pairs_hook=pair_up, parse_constant=_refuse_constant, strict=False)
