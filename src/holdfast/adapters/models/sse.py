"""Server-sent events: bytes as they come, the data of whole events out."""

from __future__ import annotations

import codecs
import json


class Events:
    """Reads a stream of events. Only `data` matters here; comments, keep-alives and other fields are dropped.

    >>> events = Events()
    >>> events.feed(b'data: {"a"'), events.feed(b": 1}" + bytes([13, 10, 13, 10])), events.finish()
    ([], ['{"a": 1}'], [])
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._line: list[
            str
        ] = []  # parts of a line whose end has not come: joined once, however many they are
        self._after_cr = False
        self._data: list[str] = []

    def feed(self, data: bytes) -> list[str]:
        """Take what came; give the data of the events that it makes whole."""
        return self._read(self._decoder.decode(data))

    def finish(self) -> list[str]:
        """Give what is left when nothing more comes: a last event may lack the empty line after it."""
        found = self._read(self._decoder.decode(b"", final=True))
        if self._line:
            self._end_line(found)
        self._end_event(found)
        return found

    def _read(self, text: str) -> list[str]:
        found: list[str] = []
        if not text:
            return found
        if self._after_cr and text[0] == "\n":  # the second half of a CRLF that two reads share
            text = text[1:]
        self._after_cr = text.endswith("\r")
        # Not str.splitlines: JSON may hold U+2028 as it is, and that ends no line here.
        *whole, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in whole:
            self._line.append(line)
            self._end_line(found)
        if rest:
            self._line.append(rest)
        return found

    def _end_line(self, found: list[str]) -> None:
        line = "".join(self._line)
        self._line.clear()
        if not line:
            self._end_event(found)
            return
        field, _, value = line.partition(":")
        if field != "data":
            return
        if self._data and _is_whole(
            "\n".join(self._data)
        ):  # a server that leaves out the empty lines
            self._end_event(found)
        self._data.append(value.removeprefix(" "))

    def _end_event(self, found: list[str]) -> None:
        data = "\n".join(self._data).strip()
        self._data.clear()
        if data:
            found.append(data)


def _is_whole(data: str) -> bool:
    if data.strip() == "[DONE]":
        return True
    try:
        json.loads(data)
    except ValueError:
        return False
    return True
