"""The agents of this process, and how one is made for its transport."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING

from holdfast.adapters.agents.warm_agents import WarmAgentPool
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from holdfast.usecases.agents.ports import ExternalAgent
    from holdfast.wiring.agents.choice import ChosenAgent


def make_agent(
    chosen: ChosenAgent, root: Path, on_step: Callable[[str], None] = lambda _: None
) -> ExternalAgent:
    """Return an agent that works in a directory; it is not started yet.

    `on_step` is called with "started", "initialized" and "session".
    """
    from holdfast.adapters.agents.acp_agent import AcpAgent  # noqa: PLC0415 - only turns with agents need it

    return AcpAgent(chosen.launch(root), on_step)


def close_agents() -> None:
    """End the warm agents of this process."""
    WARM_AGENTS.close()


def _record_closed(chat: str, agent: str) -> None:
    with LateStore(state_directory()) as store:
        store.close_agent(chat, agent)


WARM_AGENTS = WarmAgentPool(_record_closed)
"""The warm agents of this process, whatever project they work for."""

atexit.register(close_agents)
