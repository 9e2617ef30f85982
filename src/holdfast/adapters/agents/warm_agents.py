"""The agents of this process that stay warm between turns (port `WarmAgents`)."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdfast.usecases.agents.ports import ReservationCancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.usecases.agents.ports import ChatMemory, ExternalAgent
    from holdfast.vocab.cancellation import Cancel

MOST_WARM = 8
IDLE_SECONDS = 15 * 60.0
_TICK = 0.1


class WarmAgent:
    """The agent of one chat, and what it remembers (port `ReservedAgent`)."""

    def __init__(self, chat: str, name: str) -> None:
        self.chat = chat
        self.name = name
        self.lock = threading.Lock()
        self.used_at = 0.0
        self.make: Callable[[], ExternalAgent] | None = None
        self._agent: ExternalAgent | None = None
        self._memory: ChatMemory | None = None

    @property
    def is_warm(self) -> bool:
        """Whether there is an agent to be ended."""
        return self._agent is not None

    def take(self, memory: ChatMemory) -> ExternalAgent:
        """Return the warm agent if it remembers just this; else end it, and return a new one."""
        agent = self._agent
        if agent is not None and agent.alive and self._memory == memory:
            self._memory = None
            return agent

        self.close()
        assert self.make is not None  # noqa: S101 - `reserve` has set it
        self._agent = self.make()
        return self._agent

    def keep(self, memory: ChatMemory) -> None:
        """Leave the agent warm for the next turn."""
        self._memory = memory

    def leave(self) -> None:
        """End the agent unless it is kept."""
        if self._memory is None:
            self.close()

    def close(self) -> None:
        """End the agent, if there is one."""
        agent, self._agent, self._memory = self._agent, None, None
        if agent is not None:
            agent.close()


class WarmAgentPool:
    """At most so many warm agents; one that is not used for a while is ended.

    `on_close` is called with the chat and the name of a warm agent that was ended.
    """

    def __init__(
        self,
        on_close: Callable[[str, str], None] = lambda _chat, _name: None,
        *,
        most: int = MOST_WARM,
        idle: float = IDLE_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep no agent yet."""
        self.most = most
        self._on_close = on_close
        self._idle = idle
        self._now = now
        self._lock = threading.Lock()
        self._agents: dict[tuple[str, str], WarmAgent] = {}
        self._timer: threading.Timer | None = None

    @contextmanager
    def reserve(
        self, chat: str, agent: str, make: Callable[[], ExternalAgent], cancel: Cancel
    ) -> Iterator[WarmAgent]:
        """Wait until no other turn uses the agent of this chat, and reserve it."""
        with self._lock:
            entry = self._agents.setdefault((chat, agent), WarmAgent(chat, agent))

        while not entry.lock.acquire(timeout=_TICK):
            if cancel.is_set():
                raise ReservationCancelled

        try:
            entry.make = make
            yield entry
        finally:
            entry.leave()
            entry.used_at = self._now()
            entry.lock.release()

        self.trim()

    def trim(self) -> None:
        """End the agents that were not used for long, and the least used if there are too many."""
        with self._lock:
            entries = sorted(self._agents.values(), key=lambda each: each.used_at)
            warm = [each for each in entries if each.is_warm]
            too_many = len(warm) - self.most
            due = [
                each
                for number, each in enumerate(warm)
                if number < too_many or self._now() - each.used_at >= self._idle
            ]
            self._watch(has_more=len(warm) > len(due))

        for each in due:
            self._close(each)

    def close(self) -> None:
        """End all agents; one at work is left to its turn."""
        with self._lock:
            entries = list(self._agents.values())
            self._watch(has_more=False)
        for each in entries:
            self._close(each)

    def _close(self, entry: WarmAgent) -> None:
        # An agent at work is not idle.
        if not entry.lock.acquire(blocking=False):
            return

        try:
            if entry.is_warm:
                entry.close()
                self._on_close(entry.chat, entry.name)
        finally:
            entry.lock.release()

    def _watch(self, *, has_more: bool) -> None:
        """Look again after a while, as long as an agent is warm."""
        if self._timer is not None:
            self._timer.cancel()

        self._timer = None
        if has_more:
            self._timer = threading.Timer(self._idle, self.trim)
            self._timer.daemon = True
            self._timer.start()
