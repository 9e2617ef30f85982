"""Many followers of a server, in one event loop: each notes the number and the delay of every event."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from contextlib import suppress
from datetime import datetime


class Followers:
    """Follows sessions of a project in a thread of its own."""

    def __init__(
        self, port: int, token: str, project: str, sessions: list[str], after: int
    ) -> None:
        self.seen: list[list[int]] = [[] for _ in sessions]
        self.delays: list[float] = []
        self.connected = 0
        self._port, self._token, self._project, self._after = port, token, project, after
        self._sessions = sessions
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        tasks = [
            self._loop.create_task(self._follow(number)) for number in range(len(self._sessions))
        ]
        self._all = asyncio.gather(*tasks, return_exceptions=True)
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._all)
        # Each has yet to close its connection.
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    async def _follow(self, number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**24)
        path = f"/api/projects/{self._project}/events?after={self._after}"
        if self._sessions[number]:
            path += f"&session={self._sessions[number]}"
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nAuthorization: Bearer {self._token}\r\n\r\n"
        try:
            writer.write(head.encode())
            await self._read(reader, number)
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader, number: int) -> None:
        status = await reader.readline()
        assert b"200" in status, status
        self.connected += 1
        while line := await reader.readline():
            # The lines that say how long a chunk is have no colon.
            if line.startswith(b"data: ") and b'"seq"' in line:
                now = time.time()
                event = json.loads(line[6:])
                self.seen[number].append(event["seq"])
                self.delays.append(now - datetime.fromisoformat(event["at"]).timestamp())

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._all.cancel)
        self._thread.join(10)
