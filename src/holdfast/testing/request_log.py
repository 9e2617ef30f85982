"""The requests to a scripted server, and the choice of replies."""

from __future__ import annotations

import select
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.testing.replies import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_OVER = "the script has no more replies"
_POLL = 0.01


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A received request: its bytes (`raw`), their JSON (`body`), headers with lower-case names."""

    path: str
    raw: bytes
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(repr=False, default_factory=dict)

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages of the request."""
        return list(self.body.get("messages", []))


class RequestLog:
    """The received requests, and the reply to each, in their order. Safe for many threads."""

    def __init__(
        self,
        script: Sequence[Reply] | Callable[[RecordedRequest], Reply],
        otherwise: Reply | None,
        key: str | None,
        answers: Mapping[str, Any],
        on_request: Callable[[RecordedRequest], None] | None,
    ) -> None:
        self.answers = answers
        self.requests: list[RecordedRequest] = []
        self.closing = threading.Event()
        self.left = threading.Semaphore(0)
        self._script, self._otherwise = script, otherwise
        self._key, self._on_request = key, on_request
        self._lock = threading.Lock()

    def allows(self, headers: Mapping[str, str]) -> bool:
        """Return whether the headers have the required key."""
        return self._key is None or headers.get("authorization") == f"Bearer {self._key}"

    def choose(self, request: RecordedRequest) -> tuple[int, Reply]:
        """Return the number of earlier requests, and the reply to this request."""
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            if self._on_request is not None:
                self._on_request(request)
            if callable(self._script):
                return number, self._script(request)
            if number < len(self._script):
                return number, self._script[number]
            return number, self._otherwise or Reply(status=410, message=_OVER)

    def wait(self, gate: threading.Event | None, client: socket.socket) -> bool:
        """Wait for the gate; return False if the client disconnects or the server is closed."""
        while gate is not None and not gate.wait(_POLL):
            if self.closing.is_set():
                return False
            if select.select([client], [], [], 0)[0] and not client.recv(1, socket.MSG_PEEK):
                self.left.release()
                return False
        return True
