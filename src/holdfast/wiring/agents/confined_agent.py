"""An agent in the sandbox: after each turn its git objects are brought over to the repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.vocab.agent_events import AgentNote

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.adapters.processes.sandbox.agent_confinement import AgentConfinement
    from holdfast.usecases.agents.ports import (
        AgentPrompt,
        AgentTurnResult,
        AgentUpdate,
        Decide,
        ExternalAgent,
    )
    from holdfast.vocab.agent_events import Transport


class ConfinedAgent:
    """An agent and its confinement (port `ExternalAgent`)."""

    def __init__(self, agent: ExternalAgent, confinement: AgentConfinement) -> None:
        """Join an agent and what its processes are confined by."""
        self._agent = agent
        self._confinement = confinement

    @property
    def transport(self) -> Transport:
        """How the agent is reached."""
        return self._agent.transport

    @property
    def alive(self) -> bool:
        """Whether the agent can take a turn with what it remembers."""
        return self._agent.alive

    def start(self) -> None:
        """Start the agent if it is not running."""
        self._agent.start()

    def turn(
        self, prompt: AgentPrompt, sink: Callable[[AgentUpdate], None], decide: Decide
    ) -> AgentTurnResult:
        """Run one turn to its end, then bring the agent's git objects over."""
        try:
            return self._agent.turn(prompt, sink, decide)
        finally:
            problem = self._confinement.bring_objects_over()
            if problem:
                sink(AgentNote("git_objects", {"message": problem}))

    def cancel(self) -> None:
        """Ask the running turn to end."""
        self._agent.cancel()

    def close(self) -> None:
        """End the agent and every process that it has started."""
        self._agent.close()
