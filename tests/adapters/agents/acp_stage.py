"""An ACP agent on stage: the scripted agent in a folder, what it told, and which processes are left."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.adapters.agents.acp_agent import AcpAgent
from holdfast.adapters.agents.launch import AgentLaunch
from holdfast.adapters.processes.turn_processes import find_marked
from holdfast.adapters.processes.watchdog import MARK
from holdfast.testing import ScriptedAgent
from holdfast.usecases.agents.ports import (
    AgentPrompt,
    AgentTurnResult,
    AgentUpdate,
    PermissionAnswer,
    PermissionRequest,
)
from holdfast.vocab.agent_events import AgentCall, AgentNote
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import TextArrived


class Stage:
    """One agent, with what it told and asked in all its turns."""

    def __init__(self, root: Path, fault: Any = "none", **settings: Any) -> None:
        self.root = root
        self.updates: list[AgentUpdate] = []
        self.asked: list[PermissionRequest] = []
        self.steps: list[str] = []
        command = ScriptedAgent(fault).command
        settings = {"start_timeout": 600.0} | settings
        launch = AgentLaunch("scripted", command, str(root), **settings)
        self.agent = AcpAgent(launch, self.steps.append)

    def turn(
        self, *lines: str, transcript: str = "", answer: PermissionAnswer = "deny"
    ) -> AgentTurnResult:
        """Run a turn in which each permission request gets this answer."""
        return self.agent.turn(
            AgentPrompt("\n".join(lines), transcript), self.updates.append, self.answering(answer)
        )

    def answering(
        self, answer: PermissionAnswer
    ) -> Callable[[PermissionRequest, Cancel], PermissionAnswer]:
        def decide(request: PermissionRequest, _withdrawn: Cancel) -> PermissionAnswer:
            self.asked.append(request)
            return answer

        return decide

    def in_thread(self, *lines: str) -> TurnInThread:
        """Begin a turn in a thread of its own."""
        return TurnInThread(lambda: self.turn(*lines))

    @property
    def said(self) -> str:
        return "".join(each.text for each in self.updates if isinstance(each, TextArrived))

    @property
    def calls(self) -> list[AgentCall]:
        return [each for each in self.updates if isinstance(each, AgentCall)]

    @property
    def notes(self) -> list[AgentNote]:
        return [each for each in self.updates if isinstance(each, AgentNote)]


class TurnInThread:
    """A turn that runs while the test does something else."""

    def __init__(self, run: Callable[[], AgentTurnResult]) -> None:
        self._run = run
        self._end: AgentTurnResult | Exception | None = None
        self._thread = threading.Thread(target=self._keep_end)
        self._thread.start()

    def end(self) -> AgentTurnResult | Exception:
        """Wait for the end; return the result, or the error that was raised."""
        self._thread.join()
        assert self._end is not None
        return self._end

    def _keep_end(self) -> None:
        try:
            self._end = self._run()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            self._end = error


def marked_processes(holdfast: int | None = None) -> list[int]:
    """Return the processes that this process, or another Holdfast, has started as an agent's."""
    prefix = f"{holdfast or os.getpid()}-"
    return [each.pid for each in find_marked(MARK) if each.turn.startswith(prefix)]
