"""The warm agents of a process: one turn at a time, at most so many, not for ever."""

from __future__ import annotations

import threading

import pytest

from holdfast.adapters.agents.warm_agents import WarmAgentPool
from holdfast.usecases.agents.ports import (
    AgentPrompt,
    AgentTurnResult,
    ChatMemory,
    ReservationCancelled,
)
from holdfast.vocab.agent_events import Transport

NEVER = threading.Event()
FIRST = ChatMemory(0, None)
SECOND = ChatMemory(0, "turn 1")


class QuietAgent:
    """An agent that does nothing (port `ExternalAgent`)."""

    def __init__(self) -> None:
        self.alive = False
        self.closed = False

    @property
    def transport(self) -> Transport:
        return "acp"

    def start(self) -> None:
        self.alive = True

    def turn(self, prompt: AgentPrompt, *_: object) -> AgentTurnResult:
        return AgentTurnResult("done", message=prompt.text)

    def cancel(self) -> None: ...

    def close(self) -> None:
        self.alive, self.closed = False, True


class Pool:
    """A pool with a clock that stands still, and the agents that it has made."""

    def __init__(self, **options: float) -> None:
        self.clock = 0.0
        self.closed: list[tuple[str, str]] = []
        self.pool = WarmAgentPool(
            lambda *key: self.closed.append(key),
            now=lambda: self.clock,
            **options,  # type: ignore[arg-type]
        )

    def turn(
        self, chat: str, memory: ChatMemory = FIRST, after: ChatMemory | None = SECOND
    ) -> QuietAgent:
        """Run one turn; without `after` the agent is not kept."""
        self.clock += 1
        with self.pool.reserve(chat, "a", QuietAgent, NEVER) as reserved:
            agent = reserved.take(memory)
            assert isinstance(agent, QuietAgent)
            agent.start()
            if after is not None:
                reserved.keep(after)
        return agent


def test_an_agent_that_remembers_the_last_turn_is_used_again() -> None:
    pool = Pool()
    first = pool.turn("c1")
    assert pool.turn("c1", SECOND) is first
    assert pool.turn("c2") is not first


@pytest.mark.parametrize("memory", [ChatMemory(1, "turn 1"), ChatMemory(0, "another turn")])
def test_an_agent_that_remembers_something_else_is_ended(memory: ChatMemory) -> None:
    pool = Pool()
    first = pool.turn("c1")
    assert pool.turn("c1", memory) is not first
    assert first.closed


def test_an_agent_that_has_ended_or_is_not_kept_is_not_used_again() -> None:
    pool = Pool()
    first = pool.turn("c1", after=None)
    assert first.closed
    second = pool.turn("c1")
    second.alive = False
    assert pool.turn("c1", SECOND) is not second


def test_the_agent_that_was_used_least_recently_is_ended_if_there_are_too_many() -> None:
    pool = Pool(most=2)
    agents = [pool.turn("c1"), pool.turn("c2")]
    pool.turn("c1", SECOND)
    pool.turn("c3")
    assert [agent.closed for agent in agents] == [False, True]
    assert pool.closed == [("c2", "a")]


def test_an_idle_agent_is_ended() -> None:
    pool = Pool(idle=100.0)
    agent = pool.turn("c1")
    pool.clock += 99
    pool.pool.trim()
    assert not agent.closed
    pool.clock += 1
    pool.pool.trim()
    assert agent.closed
    pool.pool.close()


def test_an_agent_at_work_is_neither_ended_nor_reserved_twice() -> None:
    pool = Pool(most=1, idle=1.0)
    cancelled = threading.Event()
    cancelled.set()
    with pool.pool.reserve("c1", "a", QuietAgent, NEVER) as reserved:
        agent = reserved.take(FIRST)
        pool.clock += 100
        pool.turn("c2")
        pool.pool.close()
        assert not agent.closed  # type: ignore[attr-defined]
        waiting = pool.pool.reserve("c1", "a", QuietAgent, cancelled)
        with pytest.raises(ReservationCancelled), waiting:
            pass
