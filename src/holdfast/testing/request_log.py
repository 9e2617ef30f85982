"""The requests to a scripted server, and the choice of replies."""

from __future__ import annotations

import select
import socket
import threading
from dataclasses import field
from typing import TYPE_CHECKING, Any

from holdfast.testing.replies import Reply, choose_reply
from holdfast.vocab.lazy_dataclass import dataclass

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
        """The messages of the request, in the shape of its API."""
        for name in ("messages", "input", "contents"):
            found = self.body.get(name)
            # The Responses API also accepts a text.
            if isinstance(found, str):
                return [{"role": "user", "content": found}]
            if found is not None:
                return list(found)

        return []


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
        self._script = script
        self._otherwise = otherwise or Reply(status=410, message=_OVER)
        self.key, self._on_request = key, on_request
        self._lock = threading.Lock()

    def choose(self, request: RecordedRequest) -> tuple[int, Reply]:
        """Return the number of earlier requests, and the reply to this request."""
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
            if self._on_request is not None:
                self._on_request(request)
            return number, choose_reply(self._script, request, number, self._otherwise)

    def wait(self, gate: threading.Event | None, client: socket.socket) -> bool:
        """Wait for the gate; return False if the client disconnects or the server is closed."""
        if gate is None:
            return True

        while not gate.wait(_POLL):
            if self.closing.is_set():
                return False
            readable, _, _ = select.select([client], [], [], 0)
            if readable and not client.recv(1, socket.MSG_PEEK):
                self.left.release()
                return False

        return True
