"""A real server in a thread of this process: uvicorn on a free port, SQLite, git, a scripted model."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from holdfast.server.project_list import ProjectRegistry
from holdfast.server.serve import ServerOptions, open_socket, serve_until
from holdfast.server.token import AccessToken
from tests.waiting import LONGEST, wait_until

TOKEN = "a-token-of-the-tests-0123456789"


class RunningServer:
    """A server and a client of it, which knows the token."""

    def __init__(self, roots: list[Path], **options: Any) -> None:
        self.projects = ProjectRegistry(roots)
        self.socket: socket.socket = open_socket("127.0.0.1", 0)
        self.port: int = self.socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._options = ServerOptions(AccessToken(TOKEN), **options)
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(LONGEST)
        self.client = httpx.Client(
            base_url=self.url,
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=LONGEST,
            trust_env=False,
        )

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        await serve_until(self._stop, self.projects, self._options, self.socket, self._ready.set)

    @property
    def project(self) -> str:
        return self.projects.all()[0].id

    def stop(self) -> None:
        assert self._loop is not None
        assert self._stop is not None
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(LONGEST)
        assert not self._thread.is_alive()
        self.client.close()
        self.projects.close()

    # ------------------------------------------------------------------------------------ requests

    def get(self, path: str, status: int = 200, /, **params: Any) -> Any:
        return self._checked(self.client.get(f"/api{path}", params=params), status)

    def post(self, path: str, body: Any = None, status: int = 200, **params: Any) -> Any:
        answer = (
            self.client.post(f"/api{path}", json=body, params=params)
            if body is not None
            else (self.client.post(f"/api{path}", params=params))
        )
        return self._checked(answer, status)

    def patch(self, path: str, body: Any, status: int = 200) -> Any:
        return self._checked(self.client.patch(f"/api{path}", json=body), status)

    def delete(self, path: str, status: int = 200, **params: Any) -> Any:
        return self._checked(self.client.delete(f"/api{path}", params=params), status)

    @staticmethod
    def _checked(answer: httpx.Response, status: int) -> Any:
        assert answer.status_code == status, (answer.status_code, answer.text)
        return answer.json()

    def new_session(self, **body: Any) -> str:
        return str(self.post("/sessions", {"mode": "auto", **body}, 201)["id"])

    def send(self, session: str, text: str, **body: Any) -> dict[str, Any]:
        sent = {"text": text, "client_id": uuid.uuid4().hex, **body}
        told: dict[str, Any] = self.post(f"/sessions/{session}/messages", sent, 202)
        return told

    def state(self, session: str) -> str:
        return str(self.get(f"/sessions/{session}")["state"])

    def wait_for(self, session: str, *states: str) -> dict[str, Any]:
        """Wait until a session is in one of these states and nothing of it waits in the queue."""
        found: dict[str, Any] = {}

        def reached() -> bool:
            found.update(self.get(f"/sessions/{session}"))
            return found["state"] in states and (found["state"] != "done" or not found["queued"])

        assert wait_until(reached), found
        return found

    def turn(self, session: str, text: str, **body: Any) -> dict[str, Any]:
        """Send a message and wait for the end of its turn."""
        sent = self.send(session, text, **body)

        def is_over() -> bool:
            events = self.events(session=session)
            return any(
                each["kind"] == "turn_ended" and each["turn"] == sent["turn_id"] for each in events
            )

        assert wait_until(is_over)
        self.wait_for(session, "done", "stopped")
        return sent

    def events(self, session: str | None = None, after: int = 0) -> list[dict[str, Any]]:
        """Return the events of the log, as the stream has them."""
        last = self.get(f"/projects/{self.project}")["last_seq"]
        found: list[dict[str, Any]] = []
        if last <= after:
            return found
        with self.follow(after=after) as stream:
            for event in stream:
                if session is None or event["session"] == session:
                    found.append(event)
                if event["seq"] >= last:
                    return found
        return found

    @contextmanager
    def follow(self, **params: Any) -> Iterator[Iterator[dict[str, Any]]]:
        with self.client.stream(
            "GET", f"/api/projects/{self.project}/events", params=params
        ) as answer:
            assert answer.status_code == 200
            yield read_stream(answer)


def read_stream(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    """Yield the events of a stream; check that id and event agree with the data."""
    fields: dict[str, str] = {}
    for line in answer.iter_lines():
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
            continue
        if "data" in fields:
            data = json.loads(fields["data"])
            if "id" in fields:
                assert int(fields["id"]) == data["seq"]
            assert fields["event"] == data["kind"]
            yield data
        fields = {}


class Follower(threading.Thread):
    """Follows a project in a thread of its own until it is closed."""

    def __init__(self, server: RunningServer, **params: Any) -> None:
        super().__init__(daemon=True)
        self.seen: list[dict[str, Any]] = []
        self.ended = False
        self._server, self._params = server, params
        self.start()

    def run(self) -> None:
        # A server that ends in the middle of a test is reported by the test.
        with suppress(httpx.HTTPError), self._server.follow(**self._params) as stream:
            for event in stream:
                self.seen.append(event)
        self.ended = True

    def wait_for(self, condition: Callable[[list[dict[str, Any]]], bool]) -> None:
        assert wait_until(lambda: condition(self.seen)), [each["kind"] for each in self.seen]
