"""A one-shot agent: one process for each turn (port `ExternalAgent`).

The prompt is the last argument of the command. The agent has no memory, so the transcript always
goes with the prompt.
"""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from holdfast.adapters.agents.agent_process import AgentProcess, exit_text, read_line
from holdfast.adapters.agents.dialects.registry import DIALECTS
from holdfast.adapters.agents.event_loop import AGENT_LOOP
from holdfast.adapters.agents.follow_turn import follow_turn, pass_error
from holdfast.adapters.agents.turn_queue import TurnQueue
from holdfast.usecases.agents.ports import AgentCrashed, AgentTurnResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.adapters.agents.dialects.dialect import Dialect
    from holdfast.adapters.agents.event_loop import AgentLoop
    from holdfast.adapters.agents.launch import AgentLaunch
    from holdfast.usecases.agents.ports import AgentPrompt, AgentUpdate, Decide
    from holdfast.vocab.agent_events import Transport

_LONGEST_PROMPT = 120_000
"""Bytes of a prompt; Linux refuses an argument of 131,072."""
_EXIT = 5.0
"""Seconds that an agent has to end after its output has ended."""


class OneshotAgent:
    """An agent with one process for each turn. `dialect` is the name of what it prints."""

    def __init__(self, launch: AgentLaunch, dialect: str, loop: AgentLoop = AGENT_LOOP) -> None:
        """Set how the agent is started."""
        self._launch = launch
        self._dialect = DIALECTS[dialect]
        self._loop = loop
        self._lock = threading.Lock()
        self._turn: _OneshotTurn | None = None

    @property
    def transport(self) -> Transport:
        """How the agent is reached."""
        return "oneshot"

    @property
    def alive(self) -> bool:
        """Whether the agent remembers the chat: never."""
        return False

    def start(self) -> None:
        """Check that the program is there; raise `AgentStartError` if it is not."""
        self._launch.argv(self._launch.variables())

    def turn(
        self, prompt: AgentPrompt, sink: Callable[[AgentUpdate], None], decide: Decide
    ) -> AgentTurnResult:
        """Run one process to its end."""
        command = (*self._launch.command, prompt_argument(prompt))
        turn = _OneshotTurn(replace(self._launch, command=command), self._dialect(), self._loop)
        with self._lock:
            self._turn = turn

        running = self._loop.start(turn.run())
        running.add_done_callback(partial(pass_error, turn.queue))
        try:
            result = follow_turn(turn.queue, self._launch, sink, decide, self._loop)
        finally:
            # Also if nobody follows the turn any more: the agent must not go on with it.
            self.close()
            running.cancel()

        if isinstance(result, Exception):
            raise result

        return result

    def cancel(self) -> None:
        """Interrupt the running turn; end its processes if it does not end."""
        with self._lock:
            turn = self._turn
        if turn is not None:
            self._loop.start(turn.cancel())

    def close(self) -> None:
        """End the running turn and every process that it has started."""
        with self._lock:
            turn, self._turn = self._turn, None
        if turn is not None:
            self._loop.run(turn.close())


class _OneshotTurn:
    """One turn. All but the constructor runs in the thread of the event loop."""

    def __init__(self, launch: AgentLaunch, dialect: Dialect, loop: AgentLoop) -> None:
        self.queue = TurnQueue()
        self._launch = launch
        self._dialect = dialect
        dialect.directory = launch.directory
        self._loop = loop
        self._process: AgentProcess | None = None
        self._cancelled = False
        self._closed = False

    async def run(self) -> None:
        """Run the process; its updates, and at last the result or the error, go into the queue."""
        self._loop.close_at_exit(self, self.close)
        process = await AgentProcess.start(self._launch)
        self._process = process
        if self._closed:
            await process.end()

        if self._cancelled:
            process.interrupt()

        process.close_input()
        while (line := await read_line(process.output)) is not None:
            for update in self._dialect.read(line.decode("utf-8", "replace").rstrip("\r\n")):
                self.queue.put(update)
            await self.queue.until_room()

        await asyncio.wait({process.ended}, timeout=_EXIT)
        was_running = process.is_running
        await process.end()
        for call in self._dialect.end_open_calls():
            self.queue.put(call)

        code = 0 if was_running else process.ended.result()
        self.queue.put(self._result(code, process.stderr_end()))

    async def cancel(self) -> None:
        """Interrupt the process; end it, and all that it started, after the grace."""
        if self._cancelled:
            return

        self._cancelled = True
        if self._process is None:
            return

        self._process.interrupt()
        await asyncio.wait({self._process.ended}, timeout=self._launch.cancel_grace)
        await self._process.end()

    async def close(self) -> None:
        """End the process and all that it started."""
        self._closed = True
        self._loop.forget(self)
        if self._process is not None:
            await self._process.end()

    def _result(self, code: int, stderr: str) -> AgentTurnResult | AgentCrashed:
        """Return how the turn ended: a success counts only if the exit code agrees."""
        usage = self._dialect.usage
        end = self._dialect.end
        if self._cancelled:
            return AgentTurnResult("cancelled", cancelled=True, usage=usage, fresh=True)
        if end is None and not (self._dialect.is_silent and code >= 0):
            name = self._launch.name
            return AgentCrashed(f"{name} ended without a result ({exit_text(code)}).", stderr)

        stop = end.stop_reason if end else "done"
        message = end.message if end else ""
        if stop == "done" and code != 0:
            stop = "failed"
            message = stderr.rpartition("\n")[2] or f"{self._launch.name}: {exit_text(code)}."

        return AgentTurnResult(
            stop, cancelled=stop == "cancelled", usage=usage, fresh=True, message=message
        )


def prompt_argument(prompt: AgentPrompt) -> str:
    """Return the prompt as an argument: not too long, and no option.

    What is too long loses the beginning of the transcript.
    """
    text = prompt.for_fresh_agent().replace("\0", "")
    data = text.encode("utf-8", "replace")
    if len(data) > _LONGEST_PROMPT:
        room = max(_LONGEST_PROMPT, len(prompt.text.encode("utf-8", "replace")))
        text = data[-room:].decode("utf-8", "ignore")
    return f"\n{text}" if text.startswith("-") else text
