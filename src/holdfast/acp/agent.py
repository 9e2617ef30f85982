"""The agent of the protocol: each method, for several sessions at once."""

from __future__ import annotations

import asyncio
import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from acp import (
    PROTOCOL_VERSION,
    InitializeResponse,
    LoadSessionResponse,
    NewSessionResponse,
    RequestError,
    SetSessionModeResponse,
)
from acp.helpers import update_available_commands
from acp.schema import (
    AgentCapabilities,
    Implementation,
    ListSessionsResponse,
    PromptCapabilities,
    SessionCapabilities,
    SessionInfo,
    SessionListCapabilities,
)

from holdfast import __version__
from holdfast.acp.client_link import ClientLink
from holdfast.acp.modes import mode_state, parse_mode
from holdfast.acp.prompt_text import prompt_text
from holdfast.acp.replay import replay
from holdfast.acp.session import EditorSession, read_settings
from holdfast.acp.slash_commands import AVAILABLE
from holdfast.usecases.events.ports import EventsUnavailable
from holdfast.usecases.sessions.session_records import SessionsUnavailable
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.wiring.places import why_moved
from holdfast.wiring.sessions import list_placed_sessions, new_session_id, open_sessions
from holdfast.wiring.state_directory import why_state_refused
from holdfast.wiring.turns import root_of_session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from acp import PromptResponse
    from acp.interfaces import Client

    from holdfast.acp.modes import Mode
    from holdfast.acp.prompt_text import PromptBlock
    from holdfast.acp.session import Flags

_Result = TypeVar("_Result")

_PAGE = 100
_LONGEST_END = 30.0
"""Seconds that turns have to end when the client has gone."""
_UNUSED = "the connection is not made yet"
_log = logging.getLogger(__name__)


class HoldfastAgent:
    """Holdfast's own model with its tools, behind the protocol (the SDK's `Agent`)."""

    def __init__(self, flags: Flags) -> None:
        """Use these settings of the command line in every session."""
        self._flags = flags
        self._sessions: dict[str, EditorSession] = {}
        self._turns: set[asyncio.Future[Any]] = set()
        self._notices: set[asyncio.Task[None]] = set()
        self._client: Client | None = None
        self._is_ending = False

    def on_connect(self, conn: Client) -> None:
        """Keep the connection, to send updates and questions."""
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        """Return what this agent can do. There is one version of the protocol."""
        if protocol_version != PROTOCOL_VERSION:
            _log.warning("the client offers protocol version %s", protocol_version)

        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_capabilities=AgentCapabilities(
                load_session=True,
                prompt_capabilities=PromptCapabilities(
                    image=False, audio=False, embedded_context=True
                ),
                session_capabilities=SessionCapabilities(list=SessionListCapabilities()),
            ),
            auth_methods=[],
            agent_info=Implementation(name="holdfast", title="Holdfast", version=__version__),
        )

    async def new_session(
        self, cwd: str, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> NewSessionResponse:
        """Begin a session in a project; the store has it from its first prompt on."""
        mode = await asyncio.to_thread(self._check_root, cwd, mcp_servers)
        session = EditorSession(new_session_id(), Path(cwd), mode, self._flags, on_record=False)
        self._add(session)
        return NewSessionResponse(session_id=session.id, modes=mode_state(mode))

    async def load_session(
        self, cwd: str, session_id: str, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> LoadSessionResponse:
        """Open a session of the store again, and send its transcript."""
        mode = await asyncio.to_thread(self._check_root, cwd, mcp_servers)
        open_already = self._sessions.get(session_id)
        if open_already is not None and open_already.is_running:
            raise RequestError(-32600, f"session {session_id}: a turn of it is running; cancel it")

        root = await asyncio.to_thread(_find_session, Path(cwd), session_id)
        link = self._link(session_id)
        await asyncio.to_thread(_send_transcript, link, root, session_id)
        self._add(EditorSession(session_id, root, mode, self._flags, on_record=True))
        return LoadSessionResponse(modes=mode_state(mode))

    async def list_sessions(
        self, cwd: str | None = None, cursor: str | None = None, **_: Any
    ) -> ListSessionsResponse:
        """Return sessions of a project, or of all, a page at a time."""
        offset = _offset(cursor)
        root = None
        if cwd is not None:
            root = _existing_root(cwd)

        try:
            found = await asyncio.to_thread(list_placed_sessions, root, offset, _PAGE + 1)
        except SessionsUnavailable as error:
            raise RequestError(-32603, str(error)) from error

        listed = [
            SessionInfo(
                session_id=each.id, cwd=each.path, title=each.title, updated_at=each.updated_at
            )
            for each in found[:_PAGE]
        ]
        more = None
        if len(found) > _PAGE:
            more = str(offset + _PAGE)

        return ListSessionsResponse(sessions=listed, next_cursor=more)

    async def set_session_mode(
        self, mode_id: str, session_id: str, **_: Any
    ) -> SetSessionModeResponse:
        """Set the mode of the next turn."""
        session = self._find(session_id)
        mode = parse_mode(mode_id)
        if mode is None:
            raise RequestError(-32602, f"{mode_id}: there is no such mode")
        session.mode = mode
        return SetSessionModeResponse()

    async def prompt(
        self, session_id: str, prompt: Sequence[PromptBlock], **_: Any
    ) -> PromptResponse:
        """Run one turn, and return how it ended."""
        session = self._find(session_id)
        if session.is_running:
            raise RequestError(-32600, f"session {session_id}: a turn of it is running; cancel it")

        words = prompt_text(prompt, session.root)
        link = self._link(session_id)
        # No await before: a cancel that follows at once has to find the turn.
        with session.begun() as cancel:
            if self._is_ending:
                cancel.set()
            return await self._in_thread(lambda: session.answer(words, link, cancel))

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Ask the running turn of a session to end."""
        session = self._sessions.get(session_id)
        if session is not None:
            session.cancel()

    async def end(self) -> None:
        """Cancel every turn, and wait until all have ended."""
        self._is_ending = True
        for session in self._sessions.values():
            session.cancel()

        if self._turns:
            _, left = await asyncio.wait(self._turns, timeout=_LONGEST_END)
            if left:
                _log.error("%s turns have not ended in %s s", len(left), _LONGEST_END)

    # ------------------------------------------------------------------------------------ helpers

    def _check_root(self, cwd: str, mcp_servers: Sequence[Any] | None) -> Mode:
        """Return the mode that a project starts with. Raise `RequestError` for a bad folder."""
        root = _existing_root(cwd)
        refused = why_moved(root) or why_state_refused(root)
        if refused is not None:
            raise RequestError(-32602, refused)

        if mcp_servers:
            _log.warning("%s MCP servers of the client are not used", len(mcp_servers))

        mode = parse_mode(read_settings(root, self._flags)["approve"])
        return mode or "ask"

    def _find(self, session_id: str) -> EditorSession:
        session = self._sessions.get(session_id)
        if session is None:
            message = f"session {session_id} is not open; use session/new or session/load"
            raise RequestError(-32602, message)
        return session

    def _add(self, session: EditorSession) -> None:
        """Open a session, and announce its commands after the response."""
        self._sessions[session.id] = session
        client = self._connected()
        notice = client.session_update(session.id, update_available_commands(AVAILABLE))
        task = asyncio.get_running_loop().create_task(notice)
        self._notices.add(task)
        task.add_done_callback(self._notices.discard)

    def _link(self, session_id: str) -> ClientLink:
        return ClientLink(self._connected(), session_id, asyncio.get_running_loop())

    def _connected(self) -> Client:
        if self._client is None:
            raise RequestError(-32603, _UNUSED)
        return self._client

    async def _in_thread(self, work: Callable[[], _Result]) -> _Result:
        """Return what a function returns in a thread of its own.

        Not in the loop's executor: that has few threads, and a turn may take an hour.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[_Result] = loop.create_future()
        self._turns.add(done)
        done.add_done_callback(self._turns.discard)

        def settle(result: _Result | None, error: BaseException | None) -> None:
            if done.done():
                return
            if error is not None:
                done.set_exception(error)
            else:
                done.set_result(result)  # type: ignore[arg-type]  # without an error there is one

        def run() -> None:
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
                loop.call_soon_threadsafe(settle, None, error)
            else:
                loop.call_soon_threadsafe(settle, result, None)

        threading.Thread(target=run, name="acp-turn", daemon=True).start()
        # Shielded: when the connection ends, the turn has to end first, by its own cancel.
        return await asyncio.shield(done)


def _existing_root(cwd: str) -> Path:
    root = Path(cwd)
    if not root.is_absolute():
        raise RequestError(-32602, f"{cwd}: cwd must be an absolute path")
    if not root.is_dir():
        raise RequestError(-32602, f"{cwd}: this is not a directory")
    return root


def _find_session(root: Path, session_id: str) -> Path:
    """Return the folder in which a session of the project at a root works."""
    try:
        with open_sessions(root) as sessions:
            found = sessions.find(session_id)
    except SessionsUnavailable as error:
        raise RequestError(-32603, str(error)) from error

    if session_id not in found:
        message = f"session {session_id}: there is no such session in {root}; see session/list"
        raise RequestError(-32002, message)

    place = root_of_session(root, session_id, lambda note: _log.info("%s", note))
    if isinstance(place, NotSent):
        raise RequestError(-32002, place.message)

    return place


def _send_transcript(link: ClientLink, root: Path, session_id: str) -> None:
    try:
        link.update(replay(root, session_id))
    except EventsUnavailable as error:
        raise RequestError(-32603, str(error)) from error


def _offset(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not cursor.isdecimal():
        raise RequestError(-32602, f"{cursor}: this is no cursor of session/list")
    return int(cursor)
