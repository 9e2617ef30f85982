"""Followers of event logs: one thread reads for all of them, none of them slows another.

A follower first reads what it has missed from the store, and joins the others at the number that
they have reached. That is decided in the event loop, where frames are handed out too, so that no
event is lost in between and none comes twice.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from typing import TYPE_CHECKING, Protocol

from starlette.responses import Response, StreamingResponse

from holdfast.server.event_frames import BEAT, STOPPING, Frame, frame_of
from holdfast.usecases.events.ports import EventsUnavailable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from starlette.types import Receive, Scope, Send

    from holdfast.server.project_list import ProjectRegistry, ServedProject

BEAT_SECONDS = 15.0
MOST_WAITING = 2_000
"""How many frames may wait for a follower before it is cut off."""
_PAGE = 500
_PATIENCE = 0.25
_log = logging.getLogger(__name__)


class LogWatch(Protocol):
    """Notices that an event log may have grown, in this process or another."""

    def wait(self, seconds: float) -> None:
        """Return when something may have been published, or after these seconds."""


class Follower:
    """One client that follows the events of a project, or of one session of it."""

    def __init__(self, project: str, session: str | None) -> None:
        """Begin without frames."""
        self.project = project
        self.is_cut_off = False
        self._session = session
        self._waiting: deque[bytes] = deque()
        self._woken = asyncio.Event()
        self._is_over = False

    def offer(self, frames: Sequence[Frame]) -> None:
        """Take frames that are for this follower; with too many it is cut off."""
        mine = [frame.data for frame in frames if self.wants(frame)]
        if not mine or self.is_cut_off:
            return
        self._waiting.extend(mine)
        if len(self._waiting) > MOST_WAITING:
            # It comes back by its last id.
            self.is_cut_off = True
            self._waiting.clear()
        self._woken.set()

    def wants(self, frame: Frame) -> bool:
        """Return whether a frame is of the session that is followed."""
        return self._session is None or frame.session == self._session

    def end(self) -> None:
        """Let the stream end with a word, after what waits."""
        self._is_over = True
        self._woken.set()

    async def next(self) -> bytes | None:
        """Return what waits, at the latest a beat after 15 seconds; None at the end."""
        while True:
            if self._waiting:
                data = b"".join(self._waiting)
                self._waiting.clear()
                return data
            if self._is_over or self.is_cut_off:
                return None
            self._woken.clear()
            try:
                async with asyncio.timeout(BEAT_SECONDS):
                    await self._woken.wait()
            except TimeoutError:
                return BEAT


class EventHub:
    """All followers of a server."""

    def __init__(self, projects: ProjectRegistry, watch: LogWatch) -> None:
        """Read the logs of these projects whenever `watch` returns."""
        self._projects = projects
        self._watch = watch
        self._followers: dict[str, set[Follower]] = {}
        self._reached: dict[str, int] = {}
        """The number up to which the followers of a project have the events; of the loop."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, name="event-hub", daemon=True)
        self._listeners: list[Callable[[str, Frame], None]] = []

    @property
    def count(self) -> int:
        """How many follow."""
        return sum(len(each) for each in self._followers.values())

    def start(self) -> None:
        """Begin to read; called in the event loop."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    def stop(self) -> None:
        """Tell every follower that the server stops, and end the thread."""
        self._stop.set()
        for followers in self._followers.values():
            for each in followers:
                each.end()

    async def stream(self, project_id: str, after: int | None, session: str | None) -> Response:
        """Return the response that follows a project."""
        project = self._projects.get(project_id)
        if after is None:
            after = await asyncio.to_thread(project.events.last)
        return EventStream(self._frames(project, after, session))

    async def _frames(
        self, project: ServedProject, after: int, session: str | None
    ) -> AsyncIterator[bytes]:
        yield b"retry: 1000\n\n"
        follower = Follower(project.id, session)
        if project.id not in self._reached:
            last = await asyncio.to_thread(project.events.last)
            self._reached.setdefault(project.id, last)
        while after < self._reached[project.id]:
            page = await asyncio.to_thread(self._page, project, after)
            if not page:
                break
            data = b"".join(frame.data for frame in page if follower.wants(frame))
            after = page[-1].seq
            if data:
                yield data
        # No await since the last look at `_reached`: nothing was handed out in between. A client
        # that names a number which is not there yet gets the events after that number only.
        followers = self._followers.setdefault(project.id, set())
        followers.add(follower)
        try:
            while (data_or_end := await follower.next()) is not None:
                yield data_or_end
            if not follower.is_cut_off:
                yield STOPPING
        finally:
            followers.discard(follower)

    def _page(self, project: ServedProject, after: int) -> list[Frame]:
        return [frame_of(each) for each in project.events.after(after, limit=_PAGE)]

    def _read(self) -> None:
        """Read what is new for the projects that somebody follows, until the end."""
        reached: dict[str, int] = {}
        while not self._stop.is_set():
            self._watch.wait(_PATIENCE)
            for project_id in list(self._followers):
                try:
                    self._read_project(project_id, reached)
                except EventsUnavailable as error:
                    # The store may come back; followers wait.
                    _log.warning("%s", error)

    def _read_project(self, project_id: str, reached: dict[str, int]) -> None:
        project = self._projects.find(project_id)
        if project is None or self._loop is None:
            return
        after = reached.get(project_id, self._reached[project_id])
        while frames := self._page(project, after):
            after = reached[project_id] = frames[-1].seq
            self._loop.call_soon_threadsafe(self._hand_out, project_id, frames)

    def _hand_out(self, project_id: str, frames: list[Frame]) -> None:
        self._reached[project_id] = frames[-1].seq
        for follower in tuple(self._followers.get(project_id, ())):
            follower.offer(frames)


class EventStream(StreamingResponse):
    """A stream of events: no client may keep it for a write that does not end."""

    media_type = "text/event-stream"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the client or the stream ends."""
        self.headers["x-accel-buffering"] = "no"
        await super().__call__(scope, receive, send)
