"""Agents that stay warm: how many, how long, for whom. Each is a scripted agent in a process of its own, over ACP or as a server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.adapters.agents.acp_agent import AcpAgent
from holdfast.adapters.agents.launch import AgentLaunch
from holdfast.adapters.agents.opencode_server import OpencodeServerAgent
from holdfast.adapters.agents.warm_agents import WarmAgentPool
from holdfast.testing import FixedClock, ScriptedAgent
from holdfast.usecases.agents.ports import (
    AgentPrompt,
    ChatMemory,
    ExternalAgent,
    ReservationCancelled,
)
from holdfast.vocab.events import TextArrived
from tests.adapters.agents.acp_stage import marked_processes
from tests.adapters.agents.test_opencode_server import STAND_IN
from tests.waiting import wait_until

pytestmark = pytest.mark.slow  # each starts an agent, a process of its own

NEVER = threading.Event()


class Chats:
    """Chats with the scripted agent in one pool, and the chats whose agents were ended."""

    def __init__(self, root: Path, transport: str, **settings: float) -> None:
        self.closed: list[str] = []
        self.clock = FixedClock()
        self.pool = WarmAgentPool(
            lambda chat, _name: self.closed.append(chat),
            now=self.clock,
            **settings,  # type: ignore[arg-type]
        )
        self._transport = transport
        self._command = ScriptedAgent().command if transport == "acp" else STAND_IN
        self._root = root

    def turn(self, chat: str, line: str, *, generation: int = 0) -> str:
        """Run a turn of a chat; return what the agent said."""
        said: list[str] = []

        def sink(update: object) -> None:
            assert isinstance(update, TextArrived)
            said.append(update.text)

        memory = ChatMemory(generation, None)
        with self.pool.reserve(chat, "scripted", self.make, NEVER) as reserved:
            agent = reserved.take(memory)
            agent.turn(AgentPrompt(line), sink, lambda _request, _withdrawn: "deny")
            reserved.keep(memory)
        self.clock.sleep(1.0)
        return "".join(said)

    def make(self) -> ExternalAgent:
        launch = AgentLaunch("scripted", self._command, str(self._root), start_timeout=600.0)
        if self._transport == "acp":
            return AcpAgent(launch)
        return OpencodeServerAgent(launch)


@pytest.fixture(params=["acp", "server"])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def chats(tmp_path: Path, transport: str) -> Iterator[Chats]:
    made = Chats(tmp_path, transport, most=2)
    yield made
    made.pool.close()
    assert marked_processes() == []


def test_the_least_recently_used_agent_makes_room(chats: Chats) -> None:
    first, second = chats.turn("one", "pid"), chats.turn("two", "pid")
    assert chats.turn("one", "pid") == first
    third = chats.turn("three", "pid")
    assert chats.closed == ["two"]
    assert sorted(marked_processes()) == sorted([int(first), int(third)])
    assert chats.turn("two", "pid") != second
    assert chats.closed == ["two", "one"]


def test_an_idle_agent_is_ended(tmp_path: Path, transport: str) -> None:
    chats = Chats(tmp_path, transport, idle=0.5)
    chats.turn("one", "remember blue")
    assert wait_until(lambda: chats.closed == ["one"])
    assert marked_processes() == []
    assert chats.turn("one", "recall") == "Remembered: nothing\n"
    chats.pool.close()


def test_an_agent_that_has_missed_a_restore_is_not_used(chats: Chats) -> None:
    chats.turn("one", "remember blue")
    assert chats.turn("one", "recall", generation=1) == "Remembered: nothing\n"
    assert len(marked_processes()) == 1


def test_an_agent_that_is_not_kept_is_ended(chats: Chats) -> None:
    with chats.pool.reserve("one", "scripted", chats.make, NEVER) as reserved:
        reserved.take(ChatMemory(0, None)).start()
        assert len(marked_processes()) == 1
    assert marked_processes() == []


def test_a_turn_waits_for_the_one_before_it_until_it_is_cancelled(chats: Chats) -> None:
    cancel = threading.Event()
    with chats.pool.reserve("one", "scripted", chats.make, NEVER):
        with chats.pool.reserve("two", "scripted", chats.make, NEVER):
            threading.Timer(0.2, cancel.set).start()
        with (
            pytest.raises(ReservationCancelled),
            chats.pool.reserve("one", "scripted", chats.make, cancel),
        ):
            pass
    assert cancel.is_set()
