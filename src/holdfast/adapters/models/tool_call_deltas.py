"""Tool calls of one reply, assembled from deltas that name them by index, by id, or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from holdfast.loop.ports import CallPiece
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

_MARKS = lazy_pattern(r'\\.|["{}]', re.DOTALL)
_LEVELS = {"{": 1, "}": -1}


class _Braces:
    """An incremental count of the braces of a JSON object: each character is read once."""

    def __init__(self) -> None:
        self.closed = False
        self._depth = 0
        self._in_string = False
        self._carried = ""

    def feed(self, text: str) -> None:
        text = self._carried + text
        self._carried = ""
        # A single backslash at the end escapes the next character; two form a pair.
        backslashes = len(text) - len(text.rstrip("\\"))
        if backslashes % 2:
            text, self._carried = text[:-1], "\\"

        for found in _MARKS.finditer(text):
            mark = found[0]
            if mark == '"':
                self._in_string = not self._in_string
                continue
            if self._in_string or mark not in _LEVELS:
                continue
            self._depth += _LEVELS[mark]
            self.closed = self._depth == 0


@dataclass(slots=True)
class _Slot:
    """One call so far. `unread` is what `braces` has not read: most servers make that needless."""

    place: int
    index: int | None
    id: str = ""
    name: str = ""
    begun: bool = False
    unread: list[str] = field(default_factory=list)
    braces: _Braces = field(default_factory=_Braces)
    empty_object: bool = False

    def add(self, arguments: str) -> None:
        self.begun = True
        self.unread.append(arguments)

    @property
    def is_whole(self) -> bool:
        """Whether the arguments so far are an object up to its last brace."""
        self.braces.feed("".join(self.unread))
        self.unread.clear()
        return self.braces.closed


class ToolCallDeltas:
    """The calls so far; each delta becomes the piece of its call.

    >>> deltas = ToolCallDeltas()
    >>> deltas.feed([{"index": 0, "id": "a", "function": {"name": "read", "arguments": ""}}])
    [CallPiece(index=0, id='a', name='read', arguments='')]
    >>> deltas.feed([{"index": 0, "function": {"name": "_file", "arguments": "{}"}}])
    [CallPiece(index=0, id='a', name='read_file', arguments='{}')]
    """

    def __init__(self) -> None:
        self._slots: list[_Slot] = []

    def __len__(self) -> int:
        return len(self._slots)

    def feed(self, deltas: object) -> list[CallPiece]:
        """Return the pieces of the `tool_calls` of a delta or a message: a list, or one call."""
        listed = [deltas]
        if isinstance(deltas, list):
            listed = deltas

        entries = [entry for entry in listed if isinstance(entry, Mapping)]
        if len(entries) == 1:
            return [self._feed_one(entries[0], None)]

        return [self._feed_one(entry, position) for position, entry in enumerate(entries)]

    def finish(self) -> list[CallPiece]:
        """Return the calls without arguments.

        An empty object is not returned at once, because real arguments may follow it.
        """
        pieces: list[CallPiece] = []
        for slot in self._slots:
            if slot.begun or not slot.empty_object:
                continue
            pieces.append(CallPiece(slot.place, slot.id, slot.name, "{}"))
        return pieces

    def _feed_one(self, entry: Mapping[str, Any], position: int | None) -> CallPiece:
        function = entry.get("function")
        inner = entry
        if isinstance(function, Mapping):
            inner = function

        call_id, name = _text(entry.get("id")), _text(inner.get("name"))
        arguments = inner.get("arguments")
        index = entry.get("index")
        if not isinstance(index, int):
            # In a list of several calls without an index, their positions replace it.
            index = position

        slot = self._find(index, call_id, name)
        if slot is None or (not call_id and _starts_call(slot, name, arguments)):
            slot = _Slot(len(self._slots), index)
            self._slots.append(slot)

        if not slot.id:
            slot.id = call_id

        _add_name(slot, name)
        added = _add_arguments(slot, arguments)
        return CallPiece(slot.place, slot.id, slot.name, added)

    def _find(self, index: int | None, call_id: str, name: str) -> _Slot | None:
        if index is None:
            return self._find_without_index(call_id, name)

        for slot in reversed(self._slots):
            if slot.index != index:
                continue
            if _is_other_call(slot, call_id, name):
                return self._with_id(call_id)
            return slot

        return None

    def _find_without_index(self, call_id: str, name: str) -> _Slot | None:
        if not self._slots:
            return None

        if call_id:
            known = self._with_id(call_id)
            if known is not None or name:
                return known

        return self._slots[-1]

    def _with_id(self, call_id: str) -> _Slot | None:
        for slot in self._slots:
            if slot.id == call_id:
                return slot
        return None


def _is_other_call(slot: _Slot, call_id: str, name: str) -> bool:
    """Return whether a delta with the index of a slot is another call, with another id."""
    if not call_id or not slot.id:
        return False
    if not name:
        # A server that invents an id for each delta sends no name with it.
        return False
    return call_id != slot.id


def _starts_call(slot: _Slot, name: str, arguments: object) -> bool:
    """Return whether a delta without an id starts a call: it has a name, and the slot is whole."""
    if not name:
        return False

    has_arguments = slot.begun or slot.empty_object
    if not has_arguments:
        return False

    if isinstance(arguments, str):
        arguments = arguments.strip()

    if name == slot.name and not arguments:
        return False
    if slot.begun:
        return slot.is_whole

    return True


def _add_name(slot: _Slot, name: str) -> None:
    if not name or name == slot.name:
        # Some servers repeat the name in every delta.
        return

    if name.startswith(slot.name):
        # The first delta, or a delta with the whole name so far.
        slot.name = name
    elif not slot.begun:
        # A piece of the name; it is whole when the arguments begin.
        slot.name += name


def _add_arguments(slot: _Slot, arguments: object) -> str:
    """Add the arguments of a delta to the slot; return what is new."""
    if arguments in (None, ""):
        return ""
    if isinstance(arguments, str):
        slot.add(arguments)
        return arguments
    if not arguments and isinstance(arguments, Mapping):
        slot.empty_object = True
        return ""

    text = json.dumps(arguments, ensure_ascii=False)
    if slot.begun:
        # An object is whole, so that a second object is a repetition.
        return ""

    slot.add(text)
    return text


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return ""
