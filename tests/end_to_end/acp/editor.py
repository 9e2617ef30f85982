"""An editor: the SDK's client, with `holdfast acp` as a process of its own behind it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from acp import PROTOCOL_VERSION, connect_to_agent, text_block
from acp.client.connection import ClientSideConnection
from acp.schema import (
    AllowedOutcome,
    DeniedOutcome,
    NewSessionResponse,
    PermissionOption,
    PromptResponse,
    RequestPermissionResponse,
    ToolCallUpdate,
)

from holdfast.testing import RecordedRequest, Reply, ScriptedServer, fail
from tests.end_to_end.run.project import COMMAND, Project
from tests.waiting import LONGEST

T = TypeVar("T")
Answer = Callable[[ToolCallUpdate, list[PermissionOption]], str | None]


class Editor:
    """The client: it keeps the updates, and answers questions with the option that `answer` returns (None: cancelled)."""

    def __init__(self, answer: Answer = lambda call, options: "once") -> None:
        self.answer = answer
        self.updates: list[tuple[str, Any]] = []
        self.asked: list[tuple[ToolCallUpdate, list[PermissionOption]]] = []
        self.changed = asyncio.Event()
        self.agent: ClientSideConnection
        self.process: asyncio.subprocess.Process

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates.append((session_id, update))
        self.changed.set()

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        self.asked.append((tool_call, options))
        self.changed.set()
        chosen = self.answer(tool_call, options)
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(
            outcome=AllowedOutcome(outcome="selected", option_id=chosen)
        )

    def on_connect(self, conn: Any) -> None:
        """Nothing to do."""

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for an update after which the condition is true."""
        async with asyncio.timeout(LONGEST):
            while not condition():
                self.changed.clear()
                await self.changed.wait()

    def of(self, kind: str, session: str | None = None) -> list[Any]:
        """Return the updates of a kind, in order."""
        return [
            update
            for at, update in self.updates
            if update.session_update == kind and session in {None, at}
        ]

    def text(self, session: str | None = None) -> str:
        return "".join(each.content.text for each in self.of("agent_message_chunk", session))

    async def new(self, project: Project) -> NewSessionResponse:
        return await self.agent.new_session(cwd=str(project.root), mcp_servers=[])

    async def say(self, session: str, words: str) -> PromptResponse:
        return await self.agent.prompt(session_id=session, prompt=[text_block(words)])


@asynccontextmanager
async def editor_of(
    project: Project,
    server: ScriptedServer,
    *words: str,
    answer: Answer = lambda call, options: "once",
) -> AsyncIterator[Editor]:
    """Start `holdfast acp`, and initialize it; at the end it has to end by itself, with 0."""
    editor = Editor(answer)
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        "acp",
        "--base-url",
        server.base_url,
        "--model",
        "scripted",
        *words,
        env=project.environment(),
        cwd=project.place,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    editor.process = process
    editor.agent = connect_to_agent(editor, process.stdin, process.stdout)  # type: ignore[arg-type]  # no files, no terminals
    try:
        await editor.agent.initialize(protocol_version=PROTOCOL_VERSION)
        yield editor
        process.stdin.close()
        async with asyncio.timeout(LONGEST):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await editor.agent.close()


class Desk:
    """One `holdfast acp` for many tests, each with a project and a script of its own: the start takes long."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._projects = 0
        self._script: Callable[[RecordedRequest], Reply] = _nothing_more
        self.server = ScriptedServer(self._reply)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._context = editor_of(self.project(), self.server)
        self.editor = self.run(self._context.__aenter__())

    def _reply(self, request: RecordedRequest) -> Reply:
        return self._script(request)

    def project(self) -> Project:
        """Return a new project; all have one store."""
        self._projects += 1
        return Project(self._place, f"root{self._projects}")

    def begin(
        self,
        script: Sequence[Reply] | Callable[[RecordedRequest], Reply],
        answer: str | None = "once",
    ) -> Editor:
        """Return the editor, as new; the model answers from the script, the user always so."""
        self._script = script if callable(script) else _Sequence(script)
        self.server.requests.clear()
        self.editor.updates.clear()
        self.editor.asked.clear()
        self.editor.answer = lambda call, options: answer
        return self.editor

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(LONGEST)

    def close(self) -> None:
        self.run(self._context.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self.server.close()


class _Sequence:
    def __init__(self, replies: Sequence[Reply]) -> None:
        self._left = list(replies)

    def __call__(self, request: RecordedRequest) -> Reply:
        return self._left.pop(0) if self._left else fail(410)


def _nothing_more(request: RecordedRequest) -> Reply:
    return fail(410)
