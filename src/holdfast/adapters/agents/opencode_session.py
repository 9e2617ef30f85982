"""A session of an `opencode serve`: its process, its HTTP routes, its events, its turns.

Everything here runs in the thread of the event loop. The end of a turn is the answer to the request
that began it, which has the id of the last message; `session.idle` also comes late, after an abort.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import httpx

from holdfast.adapters.agents.agent_process import AgentProcess, exit_text, read_line
from holdfast.adapters.agents.opencode_events import OpencodeEvents, permission_of, turn_result
from holdfast.adapters.agents.turn_queue import AgentQuestion
from holdfast.usecases.agents.ports import AgentCrashed, AgentStartError
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.adapters.agents.event_loop import AgentLoop
    from holdfast.adapters.agents.launch import AgentLaunch
    from holdfast.adapters.agents.turn_queue import TurnQueue
    from holdfast.usecases.agents.ports import AgentTurnResult, PermissionAnswer

_LISTENING = lazy_pattern(rb"listening on (http://\S+)")
_USER = "opencode"
# Holdfast answers each of them, by its own rules; it also remembers what is allowed for a session.
_RULES = [{"permission": each, "pattern": "*", "action": "ask"} for each in ("edit", "bash")]
_REPLIES: dict[PermissionAnswer, str] = {"once": "once", "session": "once"}
_EXIT = 1.0
"""Seconds that a server has to end after its connection was closed."""
_EVENTS = 2.0
"""Seconds to wait, after the answer, for the events that were sent before it."""


class OpencodeSession:
    """One session of a server that runs. `remembers` says whether it has seen a prompt."""

    def __init__(self, launch: AgentLaunch, process: AgentProcess, password: str) -> None:
        self.remembers = False
        self._launch = launch
        self._process = process
        self._password = password
        self._client: httpx.AsyncClient | None = None
        self._id = ""
        self._closed = False
        self._cancelled = False
        self._turn: TurnQueue | None = None
        self._turn_over = asyncio.Event()
        self._events = OpencodeEvents(launch.directory)
        self._tasks: list[asyncio.Task[None]] = []
        self._questions: dict[str, AgentQuestion] = {}
        self._answering: set[asyncio.Task[None]] = set()

    @classmethod
    async def launch(cls, launch: AgentLaunch, loop: AgentLoop) -> Self:
        """Start a server; raise `AgentStartError` if that is not possible."""
        password = secrets.token_urlsafe(32)
        command = (*launch.command, "--hostname", "127.0.0.1", "--port", "0")
        env = {**launch.env, "OPENCODE_SERVER_PASSWORD": password}
        process = await AgentProcess.start(replace(launch, command=command, env=env))
        session = cls(launch, process, password)
        loop.close_at_exit(session, session.close)
        return session

    async def open(self, on_step: Callable[[str], None]) -> None:
        """Wait for the server and make a session; raise `AgentStartError` if that fails."""
        try:
            async with asyncio.timeout(self._launch.start_timeout):
                url = await self._read_url()
                auth = httpx.BasicAuth(_USER, self._password)
                self._client = httpx.AsyncClient(
                    base_url=url,
                    auth=auth,
                    # A turn takes as long as it takes; the caller has limits.
                    timeout=httpx.Timeout(None),
                    trust_env=False,
                )
                listening = asyncio.Event()
                self._tasks.append(asyncio.create_task(self._listen(self._client, listening)))
                await listening.wait()
                on_step("initialized")
                session = await self._post("/session", {"permission": _RULES})
                self._id = str(session["id"])
                on_step("session")
        except (TimeoutError, httpx.HTTPError, OSError, ValueError, KeyError) as error:
            stderr = self._process.stderr_end()
            raise AgentStartError(
                f"{self._launch.name}: the server did not start ({_reason(error)}).", stderr
            ) from error

    @property
    def alive(self) -> bool:
        """Whether the server can take a turn."""
        if self._closed or not self._id:
            return False
        return self._process.is_running and not any(task.done() for task in self._tasks)

    async def prompt(self, text: str, turn: TurnQueue) -> None:
        """Run a turn; its updates, and at last its result or its error, go into the queue."""
        self._cancelled = False
        self._turn_over.clear()
        self._turn = turn
        self.remembers = True
        self._events.begin_turn()
        try:
            end = await self._run(text)
        finally:
            self._turn = None
            self._turn_over.set()
            self._withdraw_questions()

        for call in self._events.end_open_calls():
            turn.put(call)

        turn.put(end)

    async def cancel(self) -> None:
        """Abort the running turn; end the server if that takes too long."""
        if self._turn is None or self._cancelled:
            return

        self._cancelled = True
        self._withdraw_questions()
        with suppress(TimeoutError, httpx.HTTPError, ValueError):
            async with asyncio.timeout(self._launch.cancel_grace):
                await self._post(f"/session/{self._id}/abort", {})
                await self._turn_over.wait()

        if not self._turn_over.is_set():
            await self._process.end()

    async def close(self) -> None:
        """End the server and all that it started."""
        self._closed = True
        self._withdraw_questions()
        for task in self._tasks:
            task.cancel()

        await self._process.end()
        if self._client is not None:
            await self._client.aclose()

    async def _run(self, text: str) -> AgentTurnResult | Exception:
        body: dict[str, Any] = {"parts": [{"type": "text", "text": text}]}
        if self._launch.mode:
            body["agent"] = self._launch.mode

        posted = asyncio.create_task(self._post(f"/session/{self._id}/message", body))
        await asyncio.wait(
            {posted, self._process.ended, *self._tasks}, return_when=asyncio.FIRST_COMPLETED
        )
        if not posted.done():
            # The server, or the stream of its events, has ended: the answer will not come.
            posted.cancel()

        try:
            answer = await posted
        except (asyncio.CancelledError, httpx.HTTPError, ValueError) as error:
            if self._cancelled:
                return turn_result({}, self._events, cancelled=True)
            reason = _reason(error)
            # The connection of a server that ends is closed a little earlier.
            await asyncio.wait({self._process.ended}, timeout=_EXIT)
            if self._process.ended.done():
                reason = exit_text(self._process.ended.result())
            await self._process.end()
            message = f"{self._launch.name} ended in the middle of a turn ({reason})."
            return AgentCrashed(message, self._process.stderr_end())

        info = answer.get("info") or {}
        with suppress(TimeoutError):
            async with asyncio.timeout(_EVENTS):
                await self._events.until_complete(str(info.get("id")))

        return turn_result(info, self._events, cancelled=self._cancelled)

    async def _read_url(self) -> str:
        """Return where the server listens, as it prints; go on reading what it prints."""
        while (line := await read_line(self._process.output)) is not None:
            found = _LISTENING.search(line)
            if found:
                self._tasks.append(asyncio.create_task(self._drain()))
                return found[1].decode()
        raise OSError("it ended")

    async def _drain(self) -> None:
        while await read_line(self._process.output) is not None:
            continue

    async def _listen(self, client: httpx.AsyncClient, listening: asyncio.Event) -> None:
        """Read the events of the server as long as it runs."""
        async with client.stream("GET", "/event") as stream:
            stream.raise_for_status()
            async for line in stream.aiter_lines():
                listening.set()
                if line.startswith("data:"):
                    await self._take(line.removeprefix("data:"))

    async def _take(self, data: str) -> None:
        try:
            event = json.loads(data)
            properties = event["properties"]
            kind = event["type"]
        except (ValueError, KeyError, TypeError):
            return

        if kind == "permission.asked":
            # Of any session: those of subagents wait for an answer, too.
            await self._ask(properties)
        elif self._turn is not None and properties.get("sessionID") == self._id:
            for update in self._events.read(kind, properties):
                self._turn.put(update)
            await self._turn.until_room()

    async def _ask(self, properties: Mapping[str, Any]) -> None:
        """Ask whether the agent may do this; the answer is sent when it is there."""
        identity = str(properties["id"])
        if self._turn is None or self._cancelled:
            await self._reply(identity, "cancelled")
            return

        question = AgentQuestion(permission_of(properties, self._events))
        self._questions[identity] = question
        self._turn.put(question)
        answering = asyncio.create_task(self._answer(identity, question))
        self._answering.add(answering)
        answering.add_done_callback(self._answering.discard)

    async def _answer(self, identity: str, question: AgentQuestion) -> None:
        answer = await question.wait()
        self._questions.pop(identity, None)
        await self._reply(identity, answer)

    async def _reply(self, identity: str, answer: PermissionAnswer) -> None:
        with suppress(httpx.HTTPError, ValueError):
            body = {"reply": _REPLIES.get(answer, "reject")}
            await self._post(f"/permission/{identity}/reply", body)

    def _withdraw_questions(self) -> None:
        for question in self._questions.values():
            question.withdraw()

    async def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        if self._client is None:
            raise ValueError("the server is not there")
        answer = await self._client.post(path, json=body)
        answer.raise_for_status()
        return answer.json()


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__
