"""A model server that floods, trickles, hangs, closes or redirects, over a plain socket."""

from __future__ import annotations

import json
import random
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeAlias

LIST = json.dumps({"object": "list", "data": [{"id": "scripted", "object": "model"}]}).encode()
EVENTS = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
DONE = b"data: [DONE]\n\n"
_BLOCK = 1 << 20
_CALM = 8


@dataclass
class BadServer:
    """What a behaviour needs: how often it was asked, how much was sent in all, and when to stop."""

    port: int
    asked: int = 0
    sent: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def send(self, client: socket.socket, data: bytes) -> None:
        client.sendall(data)
        self.sent += len(data)


Behaviour: TypeAlias = Callable[[socket.socket, BadServer], None]


def event(text: str) -> bytes:
    chunk = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def floods_a_line(client: socket.socket, server: BadServer) -> None:
    """One line of 1 GB."""
    client.sendall(EVENTS)
    server.send(client, b'data: {"choices": [{"delta": {"content": "')
    for _ in range(1024):
        server.send(client, b"x" * _BLOCK)


def floods_an_object(client: socket.socket, server: BadServer) -> None:
    """One JSON object of 1 GB."""
    client.sendall(EVENTS)
    server.send(client, b'{"choices": [{"message": {"content": "')
    for _ in range(1024):
        server.send(client, b"x" * _BLOCK)


def floods_events(client: socket.socket, server: BadServer) -> None:
    """Good events without an end; no two alike, or they would be cut as a repetition.

    Only to the last requests of a turn: to read two million characters takes seconds, and the turn ends at the twelfth.
    """
    if server.asked <= _CALM:
        closes(client, server)
        return
    client.sendall(EVENTS)
    lots = random.Random(1)
    while not server.over.is_set():
        server.send(client, event(lots.randbytes(20_000).hex()))


def nests(client: socket.socket, server: BadServer) -> None:
    """JSON that is nested deeper than any parser follows."""
    client.sendall(EVENTS)
    server.send(client, b"data: " + b"[" * 200_000 + b"]" * 200_000 + b"\n\n")


def trickles(client: socket.socket, server: BadServer) -> None:
    """A whole reply, a byte at a time."""
    client.sendall(EVENTS)
    for byte in event("Slowly but surely.") + DONE:
        server.send(client, bytes([byte]))
        server.over.wait(0.01)


def hangs(client: socket.socket, server: BadServer) -> None:
    """Nothing at all."""
    server.over.wait()


def closes(client: socket.socket, server: BadServer) -> None:
    """The beginning of a reply, and the end of the connection."""
    client.sendall(EVENTS)
    server.send(client, event("I will now")[:40])


def redirects(client: socket.socket, server: BadServer) -> None:
    """To itself, for ever."""
    head = f"HTTP/1.1 307 Temporary Redirect\r\nlocation: {server.base_url}/chat/completions\r\n"
    server.send(client, f"{head}content-length: 0\r\nconnection: close\r\n\r\n".encode())


@contextmanager
def serving(behaviour: Behaviour) -> Iterator[BadServer]:
    """Serve a list of models, and this to whoever asks a model."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = BadServer(listening.getsockname()[1])
        accepting = threading.Thread(target=_accept, args=(listening, server, behaviour))
        accepting.start()
        try:
            yield server
        finally:
            server.over.set()
            listening.shutdown(socket.SHUT_RDWR)
            accepting.join()


def _accept(listening: socket.socket, server: BadServer, behaviour: Behaviour) -> None:
    with suppress(OSError):
        while True:
            client, _ = listening.accept()
            threading.Thread(target=_answer, args=(client, server, behaviour), daemon=True).start()


def _answer(client: socket.socket, server: BadServer, behaviour: Behaviour) -> None:
    with client, suppress(OSError):
        request = b""
        while b"\r\n\r\n" not in request:
            request += client.recv(_BLOCK)
        if request.startswith(b"POST") and b"/chat/completions" in request.split(b"\r\n")[0]:
            server.asked += 1
            behaviour(client, server)
            return
        head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(LIST)}\r\nconnection: close\r\n\r\n"
        client.sendall(head.encode() + LIST)
