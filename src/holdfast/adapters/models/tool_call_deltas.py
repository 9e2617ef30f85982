"""The calls of one reply, put together from deltas that name them by index, by id, or not at all."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from holdfast.loop.ports import CallPiece

_MARKS = re.compile(r'\\.|["{}]', re.DOTALL)


class _Braces:
    """Counts the braces of a JSON object as it comes, so that each character is looked at once."""

    def __init__(self) -> None:
        self.closed = False
        self._depth = 0
        self._in_string = False
        self._carried = ""

    def feed(self, text: str) -> None:
        text = self._carried + text
        # A backslash at the end belongs to what comes next; two of them belong to each other.
        odd = (len(text) - len(text.rstrip("\\"))) % 2
        text, self._carried = (text[:-1], "\\") if odd else (text, "")
        for found in _MARKS.finditer(text):
            mark = found[0]
            if mark == '"':
                self._in_string = not self._in_string
            elif not self._in_string and mark in "{}":
                self._depth += 1 if mark == "{" else -1
                self.closed = self._depth == 0


@dataclass(slots=True)
class _Slot:
    place: int
    index: int | None
    id: str = ""
    name: str = ""
    begun: bool = False
    unread: list[str] = field(
        default_factory=list
    )  # what `braces` has not read: most servers never make us look
    braces: _Braces = field(default_factory=_Braces)
    empty_object: bool = False

    def add(self, arguments: str) -> None:
        self.begun = True
        self.unread.append(arguments)

    @property
    def is_whole(self) -> bool:
        """Whether the arguments so far are an object to its last brace."""
        self.braces.feed("".join(self.unread))
        self.unread.clear()
        return self.braces.closed


class ToolCallDeltas:
    """Gives for each delta the piece of the call that it belongs to.

    >>> slots = ToolCallDeltas()
    >>> slots.take([{"index": 0, "id": "a", "function": {"name": "read", "arguments": ""}}])
    [CallPiece(index=0, id='a', name='read', arguments='')]
    >>> slots.take([{"index": 0, "function": {"name": "_file", "arguments": "{}"}}])
    [CallPiece(index=0, id='a', name='read_file', arguments='{}')]
    """

    def __init__(self) -> None:
        self._slots: list[_Slot] = []

    def __len__(self) -> int:
        return len(self._slots)

    def take(self, deltas: object) -> list[CallPiece]:
        """Take the `tool_calls` of a delta or of a whole message: a list, or one call that is in none."""
        entries = [
            entry
            for entry in (deltas if isinstance(deltas, list) else [deltas])
            if isinstance(entry, Mapping)
        ]
        return [
            self._take(entry, position if len(entries) > 1 else None)
            for position, entry in enumerate(entries)
        ]

    def finish(self) -> list[CallPiece]:
        """Give what was held back: an empty object may be the arguments, or a place for those that follow."""
        return [
            CallPiece(slot.place, slot.id, slot.name, "{}")
            for slot in self._slots
            if slot.empty_object and not slot.begun
        ]

    def _take(self, entry: Mapping[str, Any], position: int | None) -> CallPiece:
        function = entry.get("function")
        inner: Mapping[str, Any] = function if isinstance(function, Mapping) else entry
        index, call_id, name = entry.get("index"), _text(entry.get("id")), _text(inner.get("name"))
        # A list of several without an index: their places in the list are what an index would say.
        slot = self._find(
            index if isinstance(index, int) else position, call_id, name, inner.get("arguments")
        )
        slot.id = slot.id or call_id
        _add_name(slot, name)
        added = _add_arguments(slot, inner.get("arguments"))
        return CallPiece(slot.place, slot.id, slot.name, added)

    def _find(self, index: int | None, call_id: str, name: str, arguments: object) -> _Slot:
        if index is None:
            slot = self._without_index(call_id, name)
        else:
            slot = next((slot for slot in reversed(self._slots) if slot.index == index), None)
            # Two calls under one index differ in their ids. A server that makes up an id for each delta gives no name.
            if slot is not None and call_id and slot.id and call_id != slot.id and name:
                slot = next((slot for slot in self._slots if slot.id == call_id), None)
        if slot is not None and not call_id and _starts_anew(slot, name, arguments):
            slot = None
        if slot is None:
            slot = _Slot(len(self._slots), index)
            self._slots.append(slot)
        return slot

    def _without_index(self, call_id: str, name: str) -> _Slot | None:
        if call_id:
            known = next((slot for slot in self._slots if slot.id == call_id), None)
            if known is not None or name or not self._slots:
                return known
        return self._slots[-1] if self._slots else None


def _starts_anew(slot: _Slot, name: str, arguments: object) -> bool:
    """Whether a delta without an id is another call than the one before it: that one is whole, and this has a name."""
    if not name or not (slot.begun or slot.empty_object):
        return False
    if name == slot.name and not (arguments.strip() if isinstance(arguments, str) else arguments):
        return False
    return slot.is_whole if slot.begun else True


def _add_name(slot: _Slot, name: str) -> None:
    if not name or name == slot.name:  # repeated in every delta
        return
    if name.startswith(slot.name):  # the first, or all of it so far
        slot.name = name
    elif not slot.begun:  # a piece; once the arguments have begun the name is whole
        slot.name += name


def _add_arguments(slot: _Slot, arguments: object) -> str:
    if arguments is None or arguments == "":
        return ""
    if isinstance(arguments, str):
        slot.add(arguments)
        return arguments
    if not arguments and isinstance(arguments, Mapping):
        slot.empty_object = True
        return ""
    text = json.dumps(arguments, ensure_ascii=False)
    if slot.begun:  # an object is whole: if it comes again, it is the same one
        return ""
    slot.add(text)
    return text


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
