"""A parser of server-sent events."""

from __future__ import annotations

import codecs
import json

LARGEST_EVENT = 4_000_000
"""Characters of one event. The largest that a model needs is a call with a whole file in it."""
_MOST_LINES = 1_000
"""Lines of one event; servers send one or two."""


class Events:
    """An incremental parser: bytes in, the data of complete events out. Other fields are dropped.

    An event that is larger than any reply sets `too_large`, and nothing is read after it.

    >>> events = Events()
    >>> events.feed(b'data: {"a"'), events.feed(b": 1}" + bytes([13, 10, 13, 10]))
    ([], ['{"a": 1}'])
    >>> events.finish()
    []
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        # The parts of an incomplete line; joined once, so that many parts cost linear time.
        self._line: list[str] = []
        self._after_cr = False
        self._data: list[str] = []
        self._line_size = 0
        self._data_size = 0
        self.too_large = False

    def feed(self, data: bytes) -> list[str]:
        """Parse more bytes; return the data of the events that are complete now."""
        if self.too_large:
            return []
        return self._read(self._decoder.decode(data))

    def finish(self) -> list[str]:
        """Return the last event, which may lack the empty line after it."""
        found = self._read(self._decoder.decode(b"", final=True))
        if self._line:
            self._end_line(found)
        self._end_event(found)
        return found

    def _read(self, text: str) -> list[str]:
        found: list[str] = []
        if not text:
            return found

        if self._after_cr:
            # The second half of a CRLF that was split between two reads.
            text = text.removeprefix("\n")

        self._after_cr = text.endswith("\r")
        # Not str.splitlines: JSON may contain a raw U+2028, which does not end a line here.
        *whole, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in whole:
            self._line.append(line)
            self._end_line(found)

        if rest:
            self._line.append(rest)
            self._line_size += len(rest)
            self._limit_size()

        return found

    def _limit_size(self) -> None:
        """Drop an event that is too large."""
        size = self._line_size + self._data_size
        if size > LARGEST_EVENT or len(self._data) > _MOST_LINES:
            self.too_large = True
            self._line.clear()
            self._data.clear()

    def _end_line(self, found: list[str]) -> None:
        line = "".join(self._line)
        self._line.clear()
        self._line_size = 0
        if not line:
            self._end_event(found)
            return

        field, _, value = line.partition(":")
        if field != "data":
            return

        if self._data and _is_complete("\n".join(self._data)):
            # The server leaves out the empty lines between events.
            self._end_event(found)

        self._data.append(value.removeprefix(" "))
        self._data_size += len(value)
        self._limit_size()

    def _end_event(self, found: list[str]) -> None:
        data = "\n".join(self._data).strip()
        self._data.clear()
        self._data_size = 0
        if data:
            found.append(data)


def _is_complete(data: str) -> bool:
    if data.strip() == "[DONE]":
        return True

    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False

    return True
