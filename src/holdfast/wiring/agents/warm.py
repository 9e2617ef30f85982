"""The agents of this process, and how one is made for its transport."""

from __future__ import annotations

import atexit
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.agents.acp_agent import AcpAgent
from holdfast.adapters.agents.dialects.registry import DIALECTS
from holdfast.adapters.agents.oneshot import OneshotAgent
from holdfast.adapters.agents.opencode_server import OpencodeServerAgent
from holdfast.adapters.agents.warm_agents import WarmAgentPool
from holdfast.wiring.agents.confined_agent import ConfinedAgent
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.sandboxes import sandbox_at
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.adapters.agents.launch import AgentLaunch
    from holdfast.config.settings import Settings
    from holdfast.usecases.agents.ports import ExternalAgent
    from holdfast.wiring.agents.choice import ChosenAgent


def make_agent(
    chosen: ChosenAgent,
    root: Path,
    settings: Settings,
    on_step: Callable[[str], None] = lambda _: None,
) -> ExternalAgent:
    """Return an agent that works in a directory, in the sandbox; it is not started yet.

    `on_step` is called with "started", "initialized" and "session".
    """
    confinement = None
    if chosen.is_confined:
        confinement = sandbox_at(root, settings).agent_confinement(chosen.name, root)

    launch = chosen.launch(root, sandbox=confinement is not None)
    if confinement is None:
        return _make(chosen, launch, on_step)

    launch = replace(launch, confine=confinement.confine)
    return ConfinedAgent(_make(chosen, launch, on_step), confinement)


def _make(
    chosen: ChosenAgent, launch: AgentLaunch, on_step: Callable[[str], None]
) -> ExternalAgent:
    if chosen.transport == "oneshot":
        return OneshotAgent(launch, _dialect(chosen))
    if chosen.transport == "server":
        return OpencodeServerAgent(launch, on_step)
    return AcpAgent(launch, on_step)


def _dialect(chosen: ChosenAgent) -> str:
    """Return the name of what a one-shot agent prints: by its name, or that of its program."""
    for name in (chosen.name, Path(chosen.command[0]).name):
        if name in DIALECTS:
            return name
    return "text"


def close_agents() -> None:
    """End the warm agents of this process."""
    WARM_AGENTS.close()


def _record_closed(chat: str, agent: str) -> None:
    with LateStore(state_directory()) as store:
        store.close_agent(chat, agent)


WARM_AGENTS = WarmAgentPool(_record_closed)
"""The warm agents of this process, whatever project they work for."""

atexit.register(close_agents)
