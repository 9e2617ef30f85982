"""An external agent whose process stays for later turns of its chat (port `ExternalAgent`)."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from holdfast.adapters.agents.event_loop import AGENT_LOOP
from holdfast.adapters.agents.follow_turn import follow_turn, pass_error
from holdfast.adapters.agents.turn_queue import TurnQueue
from holdfast.usecases.agents.ports import AgentTurnResult

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from holdfast.adapters.agents.event_loop import AgentLoop
    from holdfast.adapters.agents.launch import AgentLaunch
    from holdfast.usecases.agents.ports import AgentPrompt, AgentUpdate, Decide
    from holdfast.vocab.agent_events import Transport


class AgentSession(Protocol):
    """The conversation with a running agent; its methods run in the loop of agents."""

    @property
    def alive(self) -> bool:
        """Whether the agent still runs."""

    @property
    def remembers(self) -> bool:
        """Whether the agent has had a prompt of this chat."""

    async def open(self, on_step: Callable[[str], None]) -> None:
        """Prepare the agent for its first prompt; call `on_step` with what is done."""

    async def prompt(self, text: str, turn: TurnQueue) -> None:
        """Run one turn, and put what the agent tells into the queue."""

    async def cancel(self) -> None:
        """Ask the running turn to end; end the agent if it does not."""

    async def close(self) -> None:
        """End the agent and every process that it has started."""


class ResidentAgent(ABC):
    """An agent that stays warm. Its process starts with the first turn, or with `start`."""

    def __init__(
        self,
        launch: AgentLaunch,
        on_step: Callable[[str], None] = lambda _step: None,
        loop: AgentLoop = AGENT_LOOP,
    ) -> None:
        """Set how the agent is started.

        `on_step` is called with "started", "initialized" and "session", as each is done.
        """
        self._launch = launch
        self._on_step = on_step
        self._loop = loop
        self._starting = threading.Lock()
        self._lock = threading.Lock()
        self._session: AgentSession | None = None
        self._in_turn = False
        self._cancelled = False

    @property
    @abstractmethod
    def transport(self) -> Transport:
        """How the agent is reached."""

    @abstractmethod
    def _launch_session(
        self, launch: AgentLaunch, loop: AgentLoop
    ) -> Coroutine[Any, Any, AgentSession]:
        """Return what starts the process of the agent, in the loop.

        Imports that take long belong here: in the loop they would hold up every other agent.
        """

    @property
    def alive(self) -> bool:
        """Whether the agent can take a turn with what it remembers."""
        session = self._session
        return session is not None and session.alive

    def start(self) -> None:
        """Start the agent if it is not running."""
        self._started()

    def turn(
        self, prompt: AgentPrompt, sink: Callable[[AgentUpdate], None], decide: Decide
    ) -> AgentTurnResult:
        """Run one turn to its end; start the agent first if it is not running."""
        with self._lock:
            self._in_turn, self._cancelled = True, False
        try:
            return self._turn(prompt, sink, decide)
        finally:
            self._in_turn = False

    def _turn(
        self, prompt: AgentPrompt, sink: Callable[[AgentUpdate], None], decide: Decide
    ) -> AgentTurnResult:
        session = self._started()
        fresh = not session.remembers
        text = prompt.for_fresh_agent() if fresh else prompt.text
        turn = TurnQueue()
        # In one step with the look at the flag: a cancel is seen here, or finds the prompt sent.
        with self._lock:
            if self._cancelled:
                return AgentTurnResult("cancelled", cancelled=True, fresh=fresh)
            running = self._loop.start(session.prompt(text, turn))

        running.add_done_callback(partial(pass_error, turn))
        try:
            result = follow_turn(turn, self._launch, sink, decide, self._loop)
        except BaseException:
            # Nobody follows this turn any more, so the agent must not go on with it.
            self.close()
            raise
        finally:
            running.cancel()

        if isinstance(result, Exception):
            self.close()
            raise result

        return replace(result, fresh=fresh)

    def cancel(self) -> None:
        """Ask the running turn to end; end the agent's processes if it does not."""
        with self._lock:
            self._cancelled = self._in_turn
            if self._session is not None:
                self._loop.start(self._session.cancel())

    def close(self) -> None:
        """End the agent and every process that it has started, also while it is started."""
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            self._loop.forget(session)
            self._loop.run(session.close())

    def _started(self) -> AgentSession:
        """Return the session of the running agent; start one if there is none."""
        with self._starting:
            before = self._session
            if before is not None and before.alive:
                return before
            self.close()
            session = self._loop.run(self._launch_session(self._launch, self._loop))
            with self._lock:
                self._session = session
            self._on_step("started")
            try:
                self._loop.run(session.open(self._on_step))
            except BaseException:
                self.close()
                raise
            return session
