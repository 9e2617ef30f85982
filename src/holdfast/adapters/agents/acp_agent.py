"""An external agent over ACP: one warm process for a chat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.adapters.agents.resident_agent import ResidentAgent

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from holdfast.adapters.agents.acp_session import AcpSession
    from holdfast.adapters.agents.event_loop import AgentLoop
    from holdfast.adapters.agents.launch import AgentLaunch
    from holdfast.vocab.agent_events import Transport


class AcpAgent(ResidentAgent):
    """An agent that speaks ACP."""

    @property
    def transport(self) -> Transport:
        """How the agent is reached."""
        return "acp"

    def _launch_session(
        self, launch: AgentLaunch, loop: AgentLoop
    ) -> Coroutine[Any, Any, AcpSession]:
        from holdfast.adapters.agents.acp_session import (  # noqa: PLC0415 - the SDK takes a second to import
            AcpSession,
        )

        return AcpSession.launch(launch, loop)
