"""Streams of events: what is on record first, then what comes; none of them slows another.

One thread for each project reads the log for all its followers (`LogWatch`). Here, in the event
loop, each event is made into bytes once.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.responses import Response, StreamingResponse

from holdfast.server.event_frames import BEAT, STOPPING, frame_of
from holdfast.server.problems import ApiError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterable

    from starlette.types import Receive, Scope, Send

    from holdfast.server.project_list import ProjectRegistry, ServedProject
    from holdfast.usecases.events.log_watch import LogFollower
    from holdfast.usecases.events.ports import LoggedEvent

BEAT_SECONDS = 15.0
_MOST_FRAMES = 4_000
"""How many events are kept as bytes; followers are seldom further apart."""


class EventStream(StreamingResponse):
    """A response of events, whose follower is closed when the client goes."""

    media_type = "text/event-stream"

    def __init__(self, frames: AsyncGenerator[bytes, None]) -> None:
        """Send these frames."""
        super().__init__(frames)
        self._frames = frames

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the client or the server ends."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._frames.aclose()


async def _replay(follower: LogFollower) -> tuple[LoggedEvent, ...] | None:
    """Return the next events on record, read in a thread.

    The thread cannot be cancelled, and its last act is to join the others: whoever leaves meanwhile
    has to be taken out after that.
    """
    reading = asyncio.ensure_future(asyncio.to_thread(follower.replay))
    try:
        return await asyncio.shield(reading)
    except asyncio.CancelledError:
        reading.add_done_callback(lambda _: follower.close())
        raise


class EventHub:
    """All streams of a server."""

    def __init__(self, projects: ProjectRegistry) -> None:
        """Follow these projects."""
        self._projects = projects
        self._streams: set[asyncio.Event] = set()
        self._frames: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._is_over = False

    @property
    def count(self) -> int:
        """How many follow."""
        return len(self._streams)

    def stop(self) -> None:
        """Let every stream end with a word."""
        self._is_over = True
        for woken in self._streams:
            woken.set()

    async def stream(self, project_id: str, after: int | None, session: str | None) -> Response:
        """Return the response that follows a project.

        Raise `ApiError` if there is none, or if its log does not have the number `after` yet:
        whoever has such a number has it from another log, and would wait for events that have come
        already.
        """
        project = self._projects.get(project_id)
        last = await asyncio.to_thread(project.events.last)
        if after is None:
            after = last
        if after > last:
            raise ApiError(
                409,
                "conflict",
                f"The log ends at event {last}; event {after} is of another log.",
                "Load the lists anew, and follow from `last_seq` of the project.",
            )
        return EventStream(self._follow(project, after, session))

    async def _follow(
        self, project: ServedProject, after: int, session: str | None
    ) -> AsyncGenerator[bytes, None]:
        loop, woken = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            # The loop of a server that has ended is closed.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(woken.set)

        self._streams.add(woken)
        try:
            yield b"retry: 1000\n\n"
            with project.watch.follow(wake, after=after, session=session) as follower:
                while not self._is_over:
                    page = await _replay(follower)
                    if page is None:
                        break
                    yield self._encode(project.id, page)
                async for data in self._live(project, follower, woken):
                    yield data
        finally:
            self._streams.discard(woken)

    async def _live(
        self, project: ServedProject, follower: LogFollower, woken: asyncio.Event
    ) -> AsyncIterator[bytes]:
        """Yield what comes, and a beat when nothing does, until the server stops.

        A follower that is too slow is cut off: its stream ends, and it comes back by its last id.
        """
        while True:
            woken.clear()
            taken = follower.take()
            if taken.events:
                yield self._encode(project.id, taken.events)
                continue
            if self._is_over:
                # The ends of the turns may not have been handed out yet.
                left = await asyncio.to_thread(
                    project.events.after, follower.last, session=follower.session
                )
                yield self._encode(project.id, left) + STOPPING
                return
            if taken.cut_off:
                return
            try:
                async with asyncio.timeout(BEAT_SECONDS):
                    await woken.wait()
            except TimeoutError:
                yield BEAT

    def _encode(self, project_id: str, events: Iterable[LoggedEvent]) -> bytes:
        """Return events as frames; each is made once for all followers."""
        found = []
        for event in events:
            key = (project_id, event.seq)
            frame = self._frames.get(key)
            if frame is None:
                frame = self._frames[key] = frame_of(event)
                if len(self._frames) > _MOST_FRAMES:
                    self._frames.popitem(last=False)
            found.append(frame)

        return b"".join(found)
