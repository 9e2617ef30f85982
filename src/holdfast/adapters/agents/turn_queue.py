"""The way from the event loop to the thread of a turn."""

from __future__ import annotations

import asyncio
import queue
import threading
from typing import TYPE_CHECKING, TypeAlias

from holdfast.usecases.agents.ports import AgentTurnResult, AgentUpdate

if TYPE_CHECKING:
    from holdfast.usecases.agents.ports import PermissionAnswer, PermissionRequest

_MOST = 1_000
"""Items that wait for the thread before the agent has to wait."""
_TICK = 0.01


class AgentQuestion:
    """A permission request that waits for its answer. `withdrawn` is set if it needs none."""

    def __init__(self, request: PermissionRequest) -> None:
        self.request = request
        self.withdrawn = threading.Event()
        self._answer: asyncio.Future[PermissionAnswer] = asyncio.get_running_loop().create_future()

    async def wait(self) -> PermissionAnswer:
        """Return the answer."""
        return await self._answer

    def answer(self, answer: PermissionAnswer) -> None:
        """Set the answer, if there is none; call this in the loop's thread."""
        if not self._answer.done():
            self._answer.set_result(answer)

    def withdraw(self) -> None:
        """Answer that the turn was cancelled."""
        self.withdrawn.set()
        self.answer("cancelled")


TurnItem: TypeAlias = AgentUpdate | AgentQuestion | AgentTurnResult | Exception
"""What a turn gets: updates and questions, then its result, or the error that ended it."""


class TurnQueue:
    """The items of one turn, in order."""

    def __init__(self) -> None:
        self._items: queue.SimpleQueue[TurnItem] = queue.SimpleQueue()

    def put(self, item: TurnItem) -> None:
        """Add an item."""
        self._items.put(item)

    def get(self, timeout: float) -> TurnItem:
        """Return the next item; raise `queue.Empty` if there is none within so many seconds."""
        return self._items.get(timeout=max(timeout, 0.0))

    async def until_room(self) -> None:
        """Wait in the loop until the thread has handled enough."""
        # The thread that takes the items out cannot set an event of the loop without waking it
        # for each of them.
        while self._items.qsize() >= _MOST:  # noqa: ASYNC110 - see above
            await asyncio.sleep(_TICK)
