"""JSON that is safe in a history: finite numbers, whole characters, unique keys, bounded depth."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

_DEEPEST: Final = 64
"""The deepest nesting: beyond this a reader of the history runs out of stack."""
_HALF_PAIR = lazy_pattern("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class DecodedJson:
    """One JSON value, and the position after it."""

    value: Any
    end: int


@dataclass(frozen=True, slots=True)
class NotJson:
    """No sound JSON value; `why` names the error and its character."""

    why: str


class UnsoundError(ValueError):
    """The value is valid JSON but cannot be used."""


def decode(text: str, at: int = 0, *, raw_controls: bool = False) -> DecodedJson | NotJson:
    r"""Decode the value that begins at `at`.

    `raw_controls` allows line breaks and tabs inside strings.

    >>> decode('{"a": 1} and so on')
    DecodedJson(value={'a': 1}, end=8)
    >>> decode('{"a": 1, "a": 2}')
    NotJson(why='`a` occurs twice, with two values')
    >>> decode('{"a": 1')
    NotJson(why="Expecting ',' delimiter at character 8")
    """
    decoder = _DECODERS[raw_controls]
    try:
        value, end = decoder.raw_decode(text, at)
        require_sound(value)
    except json.JSONDecodeError as error:
        # Some of the messages end with "at" themselves.
        why = error.msg.removesuffix(" at")
        return NotJson(f"{why} at character {error.pos - at + 1}")
    except UnsoundError as error:
        return NotJson(str(error))
    except RecursionError:
        return NotJson(f"it is nested more than {_DEEPEST} deep")
    except ValueError:  # an integer of more digits than Python converts
        return NotJson("a number in it is too long")

    return DecodedJson(value, end)


def pair_up(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these pairs. Raise `UnsoundError` for a key with two values."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and not same(found[key], value):
            raise UnsoundError(f"`{key[:80]}` occurs twice, with two values")
        found[key] = value
    return found


def same(one: Any, other: Any) -> bool:
    """Return whether both are the same JSON; `1` and `true` differ, unlike in Python."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def require_sound(value: Any) -> None:
    """Raise `UnsoundError` for a value that strict JSON or UTF-8 cannot represent."""
    layer = [value]
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for item in layer:
            match item:
                case str() if _HALF_PAIR.search(item):
                    raise UnsoundError("half of a surrogate pair is not a character")
                case float() if not math.isfinite(item):
                    raise UnsoundError("a number in it is not finite")
                case dict():
                    below.extend(item.keys())
                    below.extend(item.values())
                case list():
                    below.extend(item)
        if not below:
            return
        layer = below

    raise UnsoundError(f"it is nested more than {_DEEPEST} deep")


def repair_surrogates(text: str) -> str:
    r"""Return the text with surrogate pairs joined, and U+FFFD for a lone surrogate.

    >>> repair_surrogates("\ud83d\ude00 \ud83d") == "\U0001f600 \ufffd"
    True
    """
    if not _HALF_PAIR.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _refuse_constant(name: str) -> Any:
    raise UnsoundError(f"{name} is not JSON")


_STRICT = json.JSONDecoder(object_pairs_hook=pair_up, parse_constant=_refuse_constant)
_LOOSE = json.JSONDecoder(object_pairs_hook=pair_up, parse_constant=_refuse_constant, strict=False)
_DECODERS = {False: _STRICT, True: _LOOSE}
"""The decoders, by whether they allow raw control characters."""
