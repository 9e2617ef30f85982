"""A session with an ACP agent: its process, its connection, its turns.

Everything here runs in the thread of the event loop. The SDK handles JSON-RPC; what the agent says
is translated in `acp_updates`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from acp import PROTOCOL_VERSION, RequestError
from acp.connection import Connection

from holdfast import __version__
from holdfast.adapters.agents.acp_errors import (
    error_in,
    error_text,
    is_login_missing,
    session_modes,
)
from holdfast.adapters.agents.acp_updates import AcpUpdates, usage_of
from holdfast.adapters.agents.agent_process import AgentProcess
from holdfast.adapters.agents.json_rpc import JsonRpcTransport
from holdfast.adapters.agents.turn_queue import AgentQuestion
from holdfast.usecases.agents.ports import (
    AgentCrashed,
    AgentLoginNeeded,
    AgentStartError,
    AgentTurnResult,
)
from holdfast.vocab.agent_events import AgentNote
from holdfast.vocab.events import TextArrived

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.adapters.agents.event_loop import AgentLoop
    from holdfast.adapters.agents.launch import AgentLaunch
    from holdfast.adapters.agents.turn_queue import TurnQueue
    from holdfast.usecases.agents.ports import AgentStop, AgentUpdate, PermissionAnswer

_EXIT = 1.0
"""Seconds that an agent has to end after its output has ended, before it is ended."""
_TAIL = 4_000
"""Characters of the end of a turn's text, in which an error is looked for."""
_NOTES_KEPT = 100
_STOPS: dict[str, AgentStop] = {
    "end_turn": "done",
    "max_tokens": "max_tokens",
    "refusal": "refused",
    "max_turn_requests": "cap",
    "cancelled": "cancelled",
}
# Holdfast itself remembers what is allowed for the session: an agent's own `allow_always` may
# allow more than was asked for, and be kept in a file.
_OPTIONS: dict[PermissionAnswer, tuple[str, ...]] = {
    "once": ("allow_once",),
    "session": ("allow_once", "allow_always"),
    "deny": ("reject_once", "reject_always"),
    "cancelled": (),
}
_CANCELLED = {"outcome": {"outcome": "cancelled"}}


class AcpSession:
    """One session of an agent that runs. `remembers` says whether it has seen a prompt."""

    def __init__(self, launch: AgentLaunch, process: AgentProcess) -> None:
        self.remembers = False
        self._launch = launch
        self._process = process
        self._id: str | None = None
        self._updates = AcpUpdates(launch.directory)
        self._turn: TurnQueue | None = None
        self._turn_over = asyncio.Event()
        self._tail = ""
        self._cancelled = False
        self._is_open = False
        self._closed = False
        self._exit_code: int | None = None
        self._notes: deque[AgentNote] = deque(maxlen=_NOTES_KEPT)
        self._questions: set[AgentQuestion] = set()
        lines = JsonRpcTransport(process, self._take_junk, self._until_room)
        self._connection = Connection(self._handle, lines)

    @classmethod
    async def launch(cls, launch: AgentLaunch, loop: AgentLoop) -> Self:
        """Start the process of an agent; raise `AgentStartError` if that is not possible."""
        session = cls(launch, await AgentProcess.start(launch))
        loop.close_at_exit(session, session.close)
        return session

    async def open(self, on_step: Callable[[str], None]) -> None:
        """Make a session; `on_step` is called as each step is done.

        Raise `AgentStartError` or `AgentLoginNeeded`; then no process is left.
        """
        try:
            async with asyncio.timeout(self._launch.start_timeout):
                await self._initialize(on_step)
        except BaseException as error:
            was_closed = self._closed
            await self.close()
            raise self._start_error(error, was_closed=was_closed) from error

    @property
    def alive(self) -> bool:
        """Whether the agent can take a turn."""
        return self._is_open and self._process.is_running and not self._closed

    async def prompt(self, text: str, turn: TurnQueue) -> None:
        """Run a turn; its updates, and at last its result or its error, go into the queue."""
        self._tail = ""
        self._cancelled = False
        self._turn_over.clear()
        self._turn = turn
        while self._notes:
            turn.put(self._notes.popleft())

        try:
            end = await self._run(text)
        finally:
            self._turn = None
            self._turn_over.set()
            self._withdraw_questions()

        if isinstance(end, AgentTurnResult) and end.stop_reason == "done":
            self._updates.forget_calls()

        for call in self._updates.end_open_calls():
            turn.put(call)

        turn.put(end)

    async def cancel(self) -> None:
        """Ask the running turn to end; end the process if that takes too long."""
        if self._turn is None or self._cancelled:
            return

        self._cancelled = True
        self._withdraw_questions()
        grace = self._launch.cancel_grace
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(grace):
                await self._connection.send_notification("session/cancel", {"sessionId": self._id})
                await self._turn_over.wait()

        if not self._turn_over.is_set():
            await self._process.end()

    async def close(self) -> None:
        """End the agent and all that it started."""
        self._closed = True
        self._withdraw_questions()
        await self._process.end()
        await self._connection.close()

    async def _initialize(self, on_step: Callable[[str], None]) -> None:
        # Without the fs capability an agent writes the worktree itself; gemini fails with it.
        files = {"readTextFile": False, "writeTextFile": False}
        answer = await self._request(
            "initialize",
            {
                "protocolVersion": PROTOCOL_VERSION,
                "clientCapabilities": {"fs": files, "terminal": False},
                "clientInfo": {"name": "holdfast", "version": __version__},
            },
        )
        version = answer.get("protocolVersion")
        if version != PROTOCOL_VERSION:
            raise AgentStartError(
                f"{self._launch.name} speaks version {version} of ACP; Holdfast speaks "
                f"{PROTOCOL_VERSION}."
            )

        on_step("initialized")
        where = {"cwd": self._launch.directory, "mcpServers": []}
        answer = await self._request("session/new", where)
        self._id = str(answer.get("sessionId"))
        await self._set_mode(session_modes(answer))
        self._is_open = True
        on_step("session")

    async def _set_mode(self, offered: list[str]) -> None:
        mode = self._launch.mode
        if mode is None:
            return
        if mode not in offered:
            name = self._launch.name
            known = ", ".join(offered) or "none"
            raise AgentStartError(
                f"{name} has no mode {mode!r}; there are: {known}. Change `mode` of "
                f"[agents.{name}] in your configuration file."
            )

        await self._request("session/set_mode", {"sessionId": self._id, "modeId": mode})

    def _start_error(self, error: BaseException, *, was_closed: bool) -> BaseException:
        """Return the error to raise for one that ended the start."""
        name, stderr = self._launch.name, self._process.stderr_end()
        match error:
            case ConnectionError() if was_closed:
                return AgentStartError(f"{name} was ended while it was started.", stderr)
            case AgentStartError():
                error.stderr = stderr
                return error
            case RequestError():
                return self._refusal(error)
            case TimeoutError():
                seconds = f"{self._launch.start_timeout:g} seconds"
                return AgentStartError(
                    f"{name} did not answer within {seconds}, and was ended.", stderr
                )
            case ConnectionError():
                return AgentStartError(f"{name} {self._ended()} when it was started.", stderr)

        return error

    def _refusal(self, error: RequestError) -> AgentStartError:
        text = error_text(error.code, str(error), error.data)
        name, stderr = self._launch.name, self._process.stderr_end()
        if not is_login_missing(error.code, text):
            return AgentStartError(f"{name} reports an error: {text}", stderr)
        cure = f" Run `{self._launch.login}` first." if self._launch.login else ""
        return AgentLoginNeeded(f"{name} needs a login ({text}).{cure}", stderr)

    async def _run(self, text: str) -> AgentTurnResult | Exception:
        """Send a prompt; return how the turn ends."""
        prompt = [{"type": "text", "text": text}]
        try:
            body = await self._request("session/prompt", {"sessionId": self._id, "prompt": prompt})
        except RequestError as error:
            if self._cancelled:
                return _CANCELLED_TURN
            if is_login_missing(error.code, text := error_text(error.code, str(error), error.data)):
                return self._refusal(error)
            return AgentTurnResult("failed", message=text)
        except ConnectionError:
            # The end of its standard error is there only when all that it started has ended.
            await self._process.end()
            return self._crash()

        self.remembers = True
        result = self._result(body)
        return replace(result, usage=usage_of(body))

    def _result(self, body: Mapping[str, Any]) -> AgentTurnResult:
        if self._cancelled:
            # Agents end a cancelled turn with any stop reason.
            return _CANCELLED_TURN

        reason = str(body.get("stopReason"))
        stop = _STOPS.get(reason)
        if stop is None:
            return AgentTurnResult("failed", message=f"the turn ended with {reason!r}.")

        error = error_in(self._tail) if stop == "done" else ""
        if error:
            return AgentTurnResult("failed", message=error)

        return AgentTurnResult(stop)

    def _crash(self) -> AgentTurnResult | Exception:
        """Return what it means that the agent has ended in a turn."""
        if self._cancelled:
            return _CANCELLED_TURN
        name, stderr = self._launch.name, self._process.stderr_end()
        if self._closed:
            return AgentCrashed(f"{name} was ended while its turn ran.", stderr)
        return AgentCrashed(f"{name} {self._ended()} in the middle of the turn.", stderr)

    def _ended(self) -> str:
        """Return how the process ended, as a predicate."""
        code = self._exit_code
        if code is None:
            return "closed its output"
        return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"

    async def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request; raise `ConnectionError` if the process or its output ends first.

        A process that ends is swept, which ends its output, too.
        """
        try:
            body = await self._connection.send_request(method, params)
        except ConnectionError:
            # The output may end a moment before the process does.
            await asyncio.wait({self._process.ended}, timeout=_EXIT)
            if self._process.ended.done():
                self._exit_code = self._process.ended.result()
            raise

        return body if isinstance(body, dict) else {}

    async def _handle(self, method: str, params: Any, is_notification: bool) -> Any:  # noqa: FBT001 - the SDK calls it so
        """Handle what the agent sends; the SDK calls this."""
        body = params if isinstance(params, dict) else {}
        update = body.get("update")
        is_ours = self._id in {None, body.get("sessionId")}
        if method == "session/update" and is_ours and isinstance(update, dict):
            self._tell(self._updates.translate(update))
            return None
        if method == "session/request_permission":
            return await self._ask(body)

        self._tell(AgentNote(method, body))
        if not is_notification:
            raise RequestError.method_not_found(method)

        return None

    async def _ask(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Pass a permission request to the turn; return the option for the answer."""
        turn = self._turn
        if turn is None or self._cancelled:
            return _CANCELLED

        call = body.get("toolCall")
        event, request = self._updates.permission(call if isinstance(call, dict) else {})
        self._tell(event)
        question = AgentQuestion(request)
        self._questions.add(question)
        turn.put(question)
        answer = await question.wait()
        self._questions.discard(question)
        offered = body.get("options")
        options = [each for each in offered or () if isinstance(each, dict)]
        for kind in _OPTIONS[answer]:
            for option in options:
                if option.get("kind") == kind:
                    chosen = {"outcome": "selected", "optionId": option.get("optionId")}
                    return {"outcome": chosen}

        if answer != "cancelled":
            self._tell(AgentNote("permission_without_option", {"answer": answer}))

        return _CANCELLED

    def _tell(self, update: AgentUpdate | None) -> None:
        """Pass an update to the turn. Between turns only notes are kept."""
        if isinstance(update, TextArrived):
            self._tail = (self._tail + update.text)[-_TAIL:]

        if update is None:
            return

        if self._turn is not None:
            self._turn.put(update)
        elif isinstance(update, AgentNote):
            self._notes.append(update)

    def _take_junk(self, text: str) -> None:
        self._tell(AgentNote("output", {"text": text}))

    async def _until_room(self) -> None:
        if self._turn is not None:
            await self._turn.until_room()

    def _withdraw_questions(self) -> None:
        for question in self._questions:
            question.withdraw()
        self._questions.clear()


_CANCELLED_TURN = AgentTurnResult("cancelled", cancelled=True)
