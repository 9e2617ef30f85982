"""opencode over its server: one `opencode serve` for a worktree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.adapters.agents.resident_agent import ResidentAgent

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from holdfast.adapters.agents.event_loop import AgentLoop
    from holdfast.adapters.agents.launch import AgentLaunch
    from holdfast.adapters.agents.opencode_session import OpencodeSession
    from holdfast.vocab.agent_events import Transport


class OpencodeServerAgent(ResidentAgent):
    """opencode as a server that stays warm."""

    @property
    def transport(self) -> Transport:
        """How the agent is reached."""
        return "server"

    def _launch_session(
        self, launch: AgentLaunch, loop: AgentLoop
    ) -> Coroutine[Any, Any, OpencodeSession]:
        from holdfast.adapters.agents.opencode_session import (  # noqa: PLC0415 - the HTTP client takes a while to import
            OpencodeSession,
        )

        return OpencodeSession.launch(launch, loop)
