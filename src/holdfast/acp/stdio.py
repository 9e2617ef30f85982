"""The protocol on standard input and output: one JSON message a line, and nothing else."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import queue
import sys
import threading
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from acp import RequestError

if TYPE_CHECKING:
    from collections.abc import Mapping

_LARGEST_LINE = 64 * 1024 * 1024
_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""What some readers of lines take for the end of one, as JSON escapes."""
_Sent: TypeAlias = "tuple[bytes, asyncio.Future[None]]"
_log = logging.getLogger(__name__)


def claim_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Return standard input and output for the protocol alone.

    From now on whatever this process or one of its children prints to standard output goes to
    standard error, and standard input is empty.
    """
    sys.stdout.flush()
    received, sent = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return received, sent


class StdioTransport:
    """Messages as lines of JSON (the SDK's `Transport`).

    Two threads read and write, so that neither a slow client nor a file as standard input blocks
    the event loop. What is no message is answered with an error, and the next line is read.
    """

    def __init__(self, received: BinaryIO, sent: BinaryIO) -> None:
        """Start to read; only in a running event loop."""
        self._loop = asyncio.get_running_loop()
        self._received = received
        self._sent = sent
        self._inbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._outbox: queue.SimpleQueue[_Sent | None] = queue.SimpleQueue()
        self._waiting: set[asyncio.Future[None]] = set()
        self._closed = False
        self._unanswered: set[str | int | None] = set()
        self._answered = asyncio.Event()
        threading.Thread(target=self._read_lines, name="acp-input", daemon=True).start()
        self._writer = threading.Thread(target=self._write_lines, name="acp-output", daemon=True)
        self._writer.start()

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message; None at the end of the input."""
        while True:
            line = await self._inbox.get()
            if line is None:
                return None
            if not line.strip():
                continue
            message = parse_message(line)
            if isinstance(message, dict):
                if "method" in message and "id" in message:
                    self._unanswered.add(message["id"])
                return message
            _log.warning("%s: %.200r", message, line)
            await self.send({"jsonrpc": "2.0", "id": None, "error": message.to_error_obj()})

    async def send(self, message: Mapping[str, Any]) -> None:
        """Write a message, and return when it is written."""
        if self._closed:
            raise ConnectionError("the connection is closed")

        written = self._loop.create_future()
        self._waiting.add(written)
        self._outbox.put((to_line(message), written))
        try:
            await written
        finally:
            self._waiting.discard(written)
            if "method" not in message:
                self._unanswered.discard(message.get("id"))
                self._answered.set()

    async def wait_for_answers(self) -> None:
        """Wait until each request that was received is answered."""
        while self._unanswered:
            self._answered.clear()
            await self._answered.wait()

    async def close(self) -> None:
        """Write nothing more. What a client does not read is lost."""
        if self._closed:
            return
        self._closed = True
        self._outbox.put(None)
        for written in tuple(self._waiting):
            self._settle(written, ConnectionError("the connection is closed"))

    def end_input(self) -> None:
        """Return None from `receive` from now on, as at the end of the input."""
        self._inbox.put_nowait(None)

    def _read_lines(self) -> None:
        while True:
            try:
                line = self._received.readline(_LARGEST_LINE)
            except OSError:
                line = b""
            self._call(self._inbox.put_nowait, line or None)
            if not line:
                return

    def _write_lines(self) -> None:
        while True:
            item = self._outbox.get()
            if item is None:
                return
            data, written = item
            problem: ConnectionError | None = None
            try:
                _write_all(self._sent, data)
            except OSError as error:
                problem = ConnectionError(error.strerror)
            self._call(self._settle, written, problem)

    def _settle(self, written: asyncio.Future[None], problem: ConnectionError | None) -> None:
        if written.done():
            return
        if problem is None:
            written.set_result(None)
        else:
            written.set_exception(problem)

    def _call(self, function: Any, *values: Any) -> None:
        """Call a function in the event loop; do nothing if that has ended."""
        try:
            self._loop.call_soon_threadsafe(function, *values)
        except RuntimeError:
            _log.debug("the event loop has ended")


def parse_message(line: bytes) -> dict[str, Any] | RequestError:
    """Return the message of a line, or the error to answer with.

    >>> parse_message(b'{"method": "initialize", "id": 1}')
    {'method': 'initialize', 'id': 1}
    >>> str(parse_message(b"[]"))
    'a message is one JSON object with a method or an id'
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return RequestError(-32700, "this line is not JSON; a message is one JSON object a line")

    if not _is_message(message):
        return RequestError(-32600, "a message is one JSON object with a method or an id")

    found: dict[str, Any] = message
    return found


def _is_message(message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    if not isinstance(message.get("id"), str | int | None):
        return False
    if "method" in message:
        return isinstance(message["method"], str)

    return "id" in message


def to_line(message: Mapping[str, Any]) -> bytes:
    """Return a message as one line for any reader of lines; half a surrogate pair becomes `?`."""
    text = json.dumps(message, separators=(",", ":"), ensure_ascii=False, default=str)
    return text.translate(_BREAKS).encode("utf-8", "replace") + b"\n"


def _write_all(stream: BinaryIO, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[stream.write(left) :]
