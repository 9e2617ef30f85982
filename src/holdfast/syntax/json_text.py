"""Read JSON as a model wrote it: strict JSON first, small repairs last.

It is the arguments of a call, or the edits of a reply.

No rung closes a string, chooses among objects, or adds a bracket. Such a text is `Cut`, and the
caller decides what a call may do with the readable part. Only a caller that knows that nothing was
cut off may ask for the missing brackets (`read_unclosed`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final, TypeAlias

from holdfast.syntax.loose_json import Loose, LooseJsonEnd, mixes_line_breaks, read_loose
from holdfast.syntax.spans import find_or_end, skip
from holdfast.syntax.strict_json import DecodedJson, NotJson, decode, require_sound, same
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

_WRAPPINGS: Final = 3


@dataclass(frozen=True, slots=True)
class Read:
    """The whole value, usually an object. A changing call must not be run on a `doubtful` one."""

    value: Any
    note: str | None = None
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """The text ends in the middle; `value` has the fields that were complete."""

    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unclosed:
    """The whole value, but for closing brackets at its end. A changing call must not be run on it.

    The missing bracket may belong elsewhere, so that a field would be in another object.
    """

    value: Any


@dataclass(frozen=True, slots=True)
class SeveralReadings:
    """The text contains `count` objects side by side that differ."""

    count: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """No rung can read the text; `why` explains it to the model."""

    why: str


JsonReading: TypeAlias = Read | Cut | Unclosed | SeveralReadings | Unreadable

_EMPTY: Final = frozenset(("", "null", "None", '""', "''"))
_LEADING = lazy_pattern(r"(?:\s|\ufeff|<\|[^|<>]{0,40}\|>|`{3,}[A-Za-z_]*|=|json(?=\s*\{))*+")
# Leftover tags, tokens and brackets; and a few letters of another alphabet, which some models
# append.
_TRAILING = lazy_pattern(
    r"(?:\s|`{3,}|</?[\w:|｜‖▁=. \"'-]{0,80}>?|<\|[^<>]{0,40}\|>|\[/?[A-Z_]{1,20}\]|[;,}\])])*+"
    r"[^\W\d_a-zA-Z]{0,40}\s*"
)
# A bracket, or a whole string; a string that is not closed extends to the end of the text.
_BRACKET = lazy_pattern(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[{}\[\]]', re.DOTALL)
_DEPTHS: Final = {"{": 1, "[": 1, "}": -1, "]": -1, '"': 0}
"""The change of the depth at each beginning of a match of `_BRACKET`."""
_CLOSING: Final = {"{": "}", "[": "]"}
_AFTER_VALUE = lazy_pattern(r"[\s,;]*+")
_OPENING_LINE = lazy_pattern(r"^[ \t]*(?=[{\[])", re.MULTILINE)


def read_json_text(raw: str) -> JsonReading:
    r"""Read the arguments of one call.

    >>> read_json_text('{"path": "a.py"}')
    Read(value={'path': 'a.py'}, note=None, doubtful=False)
    >>> read_json_text('"{\\"path\\": \\"a.py\\"}"')
    Read(value={'path': 'a.py'}, note='arguments were encoded twice', doubtful=False)
    >>> read_json_text('{"path": "a.py", "text": "hel')
    Cut(value={'path': 'a.py'})
    >>> read_json_text('{"query": "A"}{"query": "B"}')
    SeveralReadings(count=2)
    """
    return _read(raw, _WRAPPINGS)


def read_json_in_prose(text: str) -> JsonReading:
    r"""Read the one value of a text that begins a line, with prose before and behind it.

    >>> read_json_in_prose('Here it is:\n\n{"a": 1}\nDone.')
    Read(value={'a': 1}, note=None, doubtful=False)
    >>> read_json_in_prose('First:\n{"a": 1}\nThen:\n{"a": 2}')
    SeveralReadings(count=2)
    """
    start, stop = value_span(text)
    behind = _OPENING_LINE.findall(text, stop)
    if behind:
        return SeveralReadings(1 + len(behind))
    return read_json_text(text[start:stop])


def value_span(text: str) -> tuple[int, int]:
    """Return where the value that begins a line begins, and where its last line ends.

    All of the text where there is none.
    """
    opening = _OPENING_LINE.search(text)
    if opening is None:
        return 0, len(text)
    return opening.end(), find_or_end(text, "\n", _end_of_value(text, opening.end()))


def _end_of_value(text: str, at: int) -> int:
    """Return the position after the value at `at`; without a whole value, the end of the text."""
    found: object = decode(text, at, raw_controls=True)
    if isinstance(found, NotJson):
        found = read_loose(text, at)
    if isinstance(found, DecodedJson | Loose):
        return found.end
    return len(text)


def fields_read(arguments: JsonReading) -> dict[str, Any] | None:
    """Return the fields of an object, whole or cut; None for any other arguments."""
    value = getattr(arguments, "value", None)
    if not isinstance(value, dict):
        return None
    return value


def _read(raw: str, wrappings: int) -> JsonReading:
    text = raw.strip("\ufeff \t\r\n")
    if text in _EMPTY:
        return Read({})

    strict = _decode_whole(text)
    if isinstance(strict, DecodedJson):
        return _unwrap(strict.value, None, wrappings)

    spread = _decode_whole(text, raw_controls=True)
    if isinstance(spread, DecodedJson):
        doubtful = mixes_line_breaks(text)
        return _unwrap(spread.value, "line breaks inside strings", wrappings, doubtful=doubtful)

    found = _read_side_by_side(text, wrappings) or _read_prefix(text) or _repair(text, wrappings)
    if found is None:
        return Unreadable(strict.why)

    return found


def _decode_whole(text: str, *, raw_controls: bool = False) -> DecodedJson | NotJson:
    """Decode a text that is one JSON value and nothing else."""
    found = decode(text, raw_controls=raw_controls)
    if isinstance(found, NotJson):
        return found
    if found.end != len(text):
        return NotJson(f"unexpected text after character {found.end}")
    return found


def _unwrap(value: Any, note: str | None, wrappings: int, *, doubtful: bool = False) -> JsonReading:
    """Read a value that is JSON inside a string; return any other value as it is."""
    if value is None:
        return Read({}, note)

    plain = Read(value, note, doubtful)
    if not isinstance(value, str):
        return plain
    if not wrappings:
        return plain
    if value.lstrip()[:1] not in {"{", "[", '"'}:
        return plain

    inner = _read(value, wrappings - 1)
    if not isinstance(inner, Read):
        return inner

    notes = ["arguments were encoded twice", inner.note]
    return replace(inner, note="; ".join(filter(None, notes)), doubtful=doubtful or inner.doubtful)


def _read_side_by_side(text: str, wrappings: int) -> JsonReading | None:
    """Read objects that follow each other: one value if all are equal, never one of several."""
    at = skip(_LEADING, text, 0)
    values: list[Any] = []
    placeholders: list[Any] = []
    while text[at : at + 1] in {"{", "[", '"'}:
        found = decode(text, at, raw_controls=True)
        if isinstance(found, NotJson):
            break
        # `{}` before the object is a placeholder of some servers, not a second reading.
        if found.value in ({}, ""):
            placeholders.append(found.value)
        else:
            values.append(found.value)
        at = skip(_AFTER_VALUE, text, found.end)

    readings = values or placeholders[:1]
    if not readings:
        return None

    first, *others = readings
    for other in others:
        if not same(other, first):
            return SeveralReadings(len(readings))

    if not _TRAILING.fullmatch(text, at):
        return None

    note = "text around the arguments was ignored"
    if others:
        note = "equal arguments were sent more than once"

    return _unwrap(first, note, wrappings, doubtful=mixes_line_breaks(text))


def _read_prefix(text: str) -> Cut | None:
    """Read the complete fields, if the text is the beginning of a JSON object."""
    import jiter  # noqa: PLC0415 - compiled, and needed for broken replies only

    at = skip(_LEADING, text, 0)
    if text[at : at + 1] != "{" or not _ends_inside(text, at):
        return None

    # A number at the very end may have lost digits: `"start": 1` was perhaps 120.
    rest = text[at:].rstrip("0123456789+-.eE")
    data = rest.encode("utf-8", "replace")
    try:
        value = jiter.from_json(data, partial_mode="on", allow_inf_nan=False)
        require_sound(value)
    except ValueError:
        return None

    return Cut(value)


def _ends_inside(text: str, at: int) -> bool:
    """Return whether the text ends before the bracket at `at` is closed."""
    depth = 0
    for found in _BRACKET.finditer(text, at):
        mark = found.group()[0]
        depth += _DEPTHS[mark]
        if not depth:
            return False

    return True


def read_unclosed(text: str) -> Unclosed | Unreadable | None:
    """Read an object in a text that marks its end, so that nothing was cut off.

    None if a string is not closed, or no bracket is missing.

    >>> read_unclosed('{"name": "ls", "arguments": {"path": "a"}')
    Unclosed(value={'name': 'ls', 'arguments': {'path': 'a'}})
    >>> read_unclosed('{"path": "a') is read_unclosed('{"path": "a"}') is None
    True
    """
    at = skip(_LEADING, text, 0)
    missing = _missing_brackets(text, at)
    if not missing:
        return None

    found = decode(text.rstrip() + missing, at, raw_controls=True)
    if isinstance(found, NotJson):
        return Unreadable("a closing bracket is missing")

    return Unclosed(found.value)


def _missing_brackets(text: str, at: int) -> str:
    """Return the brackets that close a text which begins at `at`; "" inside a string."""
    open_brackets: list[str] = []
    for found in _BRACKET.finditer(text, at):
        mark = found.group()
        if mark.startswith('"') and not mark.endswith('"', 1):
            return ""
        if mark in _CLOSING:
            open_brackets.append(_CLOSING[mark])
        elif open_brackets and not mark.startswith('"'):
            open_brackets.pop()
        if not open_brackets:
            return ""

    return "".join(reversed(open_brackets))


def _repair(text: str, wrappings: int) -> JsonReading | None:
    """Read a value that is almost JSON."""
    at = skip(_LEADING, text, 0)
    if text[at : at + 1] not in {"{", "["}:
        return None

    match read_loose(text, at):
        case LooseJsonEnd():
            return Cut({})
        case Loose(value, end, doubtful) if _TRAILING.fullmatch(text, end):
            return _unwrap(value, "arguments were almost JSON", wrappings, doubtful=doubtful)

    return None
