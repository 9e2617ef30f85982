"""The arguments of a call, as a model wrote them, read on a ladder: strict JSON first, small repairs last.

No rung closes a string, chooses among objects, or supplies a bracket: that text is `Cut`, and what a call may do with
the part that can be read is for the caller to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from holdfast.loop.parse_reply.loose_json import Loose, LooseJsonEnd, read_loose
from holdfast.loop.parse_reply.strict_json import DecodedJson, NotJson, decode, require_sound, same

_WRAPPINGS: Final = 3


@dataclass(frozen=True, slots=True)
class Read:
    """The whole value, most often an object. `doubtful` is one that a changing call must not be made of."""

    value: Any
    note: str | None = None
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """The text ended in the middle; `value` has the fields that had ended before."""

    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SeveralReadings:
    """So many objects stand side by side, and they differ."""

    count: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """No rung takes it; `why` is for the model."""

    why: str


ReadArguments: TypeAlias = Read | Cut | SeveralReadings | Unreadable

_EMPTY: Final = frozenset(("", "null", "None", '""', "''"))
_LEADING = re.compile(r"(?:\s|\ufeff|<\|[^|<>]{0,40}\|>|`{3,}[A-Za-z_]*|=|json(?=\s*\{))*+")
# Tags, tokens and brackets that were left over; and a few letters of another alphabet, which some models end on.
_TRAILING = re.compile(
    r"(?:\s|`{3,}|</?[\w:|｜‖▁=. \"'-]{0,80}>?|<\|[^<>]{0,40}\|>|\[/?[A-Z_]{1,20}\]|[;,}\])])*+[^\W\d_a-zA-Z]{0,40}\s*"
)
_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+("?)|[{}\[\]]', re.DOTALL)
_AFTER_VALUE = re.compile(r"[\s,;]*+")


def read_arguments(raw: str) -> ReadArguments:
    r"""Read the arguments of one call.

    >>> read_arguments('{"path": "a.py"}')
    Read(value={'path': 'a.py'}, note=None, doubtful=False)
    >>> read_arguments('"{\\"path\\": \\"a.py\\"}"')
    Read(value={'path': 'a.py'}, note='arguments were encoded twice', doubtful=False)
    >>> read_arguments('{"path": "a.py", "text": "hel')
    Cut(value={'path': 'a.py'})
    >>> read_arguments('{"query": "A"}{"query": "B"}')
    SeveralReadings(count=2)
    """
    return _read(raw, _WRAPPINGS)


def _read(raw: str, wrappings: int) -> ReadArguments:
    text = raw.strip("\ufeff \t\r\n")
    if text in _EMPTY:
        return Read({})
    strict = decode(text)
    if isinstance(strict, DecodedJson) and strict.end == len(text):
        return _unwrap(strict.value, None, wrappings)
    spread = decode(text, raw_controls=True)
    if isinstance(spread, DecodedJson) and spread.end == len(text):
        return _unwrap(spread.value, "line breaks inside strings", wrappings)
    found = _read_side_by_side(text, wrappings) or _read_prefix(text) or _repair(text, wrappings)
    return found or Unreadable(_why(strict))


def _why(strict: DecodedJson | NotJson) -> str:
    return (
        strict.why
        if isinstance(strict, NotJson)
        else f"something stands after character {strict.end}"
    )


def _unwrap(value: Any, note: str | None, wrappings: int) -> ReadArguments:
    """Read what is encoded twice, and take a lone object out of its list."""
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "[", '"'} and wrappings:
        inner = _read(value, wrappings - 1)
        if isinstance(inner, Read):
            return Read(
                inner.value, _join("arguments were encoded twice", inner.note), inner.doubtful
            )
        return inner
    return Read({} if value is None else value, note)


def _read_side_by_side(text: str, wrappings: int) -> ReadArguments | None:
    """Read objects that follow each other, up to what is not JSON: one if they are equal, never one of several."""
    at = _LEADING.match(text).end()  # type: ignore[union-attr] # it matches nothing, too
    values: list[Any] = []
    while at < len(text) and text[at] in '{["':
        found = decode(text, at, raw_controls=True)
        if isinstance(found, NotJson):
            break
        values.append(found.value)
        at = _AFTER_VALUE.match(text, found.end).end()  # type: ignore[union-attr] # as above
    # `{}` before the object is a server's placeholder; it says nothing that could be chosen.
    said = [value for value in values if value not in ({}, "")] or values[:1]
    if any(not same(value, said[0]) for value in said[1:]):
        return SeveralReadings(len(said))
    if not said or not _TRAILING.fullmatch(text, at):
        return None
    note = (
        "equal arguments were given more than once"
        if len(said) > 1
        else "something beside the arguments was cut off"
    )
    return _unwrap(said[0], note, wrappings)


def _read_prefix(text: str) -> Cut | None:
    """Read the fields that had ended, if this is the beginning of a JSON object."""
    import jiter  # noqa: PLC0415 - compiled, and needed for broken replies only

    at = _LEADING.match(text).end()  # type: ignore[union-attr] # it matches nothing, too
    if text[at : at + 1] != "{" or not _ends_inside(text, at):
        return None
    # A number at the very end may have lost digits: `"start": 1` was perhaps 120.
    rest = text[at:].rstrip("0123456789+-.eE")
    try:
        value = jiter.from_json(
            rest.encode("utf-8", "replace"), partial_mode="on", allow_inf_nan=False
        )
        require_sound(value)
    except ValueError:
        return None
    return Cut(value) if isinstance(value, dict) else None


def _ends_inside(text: str, at: int) -> bool:
    """Whether the text is over before the bracket at `at` is closed."""
    depth = 0
    for found in _BRACKET.finditer(text, at):
        mark = found.group()[0]
        if mark == '"':
            if not found.group(1):
                return True
            continue
        depth += 1 if mark in "{[" else -1
        if not depth:
            return False
    return True


def _repair(text: str, wrappings: int) -> ReadArguments | None:
    at = _LEADING.match(text).end()  # type: ignore[union-attr] # it matches nothing, too
    if text[at : at + 1] not in {"{", "["}:
        return None
    found = read_loose(text, at)
    if isinstance(found, LooseJsonEnd):
        return Cut({})
    if not isinstance(found, Loose) or not _TRAILING.fullmatch(text, found.end):
        return None
    read = _unwrap(found.value, "arguments were almost JSON", wrappings)
    return (
        Read(read.value, read.note, found.doubtful or read.doubtful)
        if isinstance(read, Read)
        else read
    )


def _join(*notes: str | None) -> str | None:
    return "; ".join(note for note in notes if note) or None
