"""JSON-RPC messages as lines of a process: the transport that the SDK's connection uses."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from holdfast.adapters.agents.agent_process import read_line

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from holdfast.adapters.agents.agent_process import AgentProcess

_SHOWN = 2_000
"""Characters of a line that is not a message."""


class JsonRpcTransport:
    """The messages on the pipes of a process (the SDK's protocol `Transport`).

    What is not a message is passed to `on_junk` and skipped: agents print warnings to their output.
    `until_room` is awaited before each message, so that an agent that sends more than we handle
    has to wait.
    """

    def __init__(
        self,
        process: AgentProcess,
        on_junk: Callable[[str], None],
        until_room: Callable[[], Awaitable[None]],
    ) -> None:
        self._process = process
        self._on_junk = on_junk
        self._until_room = until_room

    async def send(self, message: dict[str, Any]) -> None:
        """Write one message."""
        await self._process.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message; None at the end of the output."""
        while True:
            # Messages that wait in the buffer must not keep the tasks of earlier ones from running.
            await asyncio.sleep(0)
            await self._until_room()
            line = await read_line(self._process.output)
            if line is None:
                return None
            message = _parse(line)
            if message is not None:
                return message
            if line.strip():
                self._on_junk(_shown(line))

    async def close(self) -> None:
        """Do nothing: whoever owns the process ends it."""


def _parse(line: bytes) -> dict[str, Any] | None:
    """Return the message in a line, or None if the SDK's connection could not handle it."""
    try:
        message = json.loads(line)
        if b"\\ud" in line.lower():
            # Half of a surrogate pair is valid JSON, and nothing that can be stored as text.
            message = json.loads(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None

    if not isinstance(message, dict):
        return None
    if not isinstance(message.get("id"), int | str | None):
        return None
    if not isinstance(message.get("error"), dict | None):
        return None
    if "method" in message:
        return message if isinstance(message["method"], str) else None

    return message if "id" in message else None


def _shown(line: bytes) -> str:
    text = line[: 4 * _SHOWN].decode("utf-8", "replace").strip()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
