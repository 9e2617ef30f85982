"""Turns of agents in this process, as in a server, and commands in another."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path

from holdfast.config.settings import Settings
from holdfast.usecases.turns.approvals import Asker
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.vocab.agent_events import AgentStateChanged
from holdfast.vocab.events import CheckpointTaken, Event, TextArrived, TurnEnded, TurnStarted
from holdfast.wiring.agents.requests import AgentTurnRequest
from holdfast.wiring.agents.turns import run_agent_turn_at
from tests.end_to_end.agents.agent_project import AgentProject
from tests.end_to_end.run.project import COMMAND
from tests.waiting import wait_until


class AgentTurn(threading.Thread):
    """A turn in a thread of its own."""

    def __init__(
        self,
        root: Path,
        settings: Settings,
        *lines: str,
        session: str | None = None,
        asker: Asker | None = None,
    ) -> None:
        super().__init__()
        self.root, self.settings, self.asker = root, settings, asker
        self.request = AgentTurnRequest("\n".join(lines), "scripted", session=session)
        self.events: list[Event] = []
        self.cancel = threading.Event()
        self.ended: TurnEnded | NotSent | None = None

    def run(self) -> None:
        self.ended = run_agent_turn_at(
            self.root,
            self.settings,
            self.request,
            show=lambda event, _: self.events.append(event),
            say=lambda _: None,
            asker=self.asker,
            cancel=self.cancel,
        )

    def finished(self) -> AgentTurn:
        self.start()
        self.join()
        return self

    def cancelled_when_busy(self) -> AgentTurn:
        """Begin the turn, cancel it as soon as `b.txt` is written, and wait for its end."""
        self.start()
        assert wait_until(lambda: "busy" in self.states)
        assert wait_until(self._has_written)
        self.cancel.set()
        self.join()
        return self

    def _has_written(self) -> bool:
        written = self.root.parent.glob("state/worktrees/*/b.txt")
        return any(path.read_text().endswith("\n") for path in written)

    @property
    def session(self) -> str:
        (started,) = [event for event in self.events if isinstance(event, TurnStarted)]
        return started.session

    @property
    def checkpoint(self) -> str:
        (taken,) = [event for event in self.events if isinstance(event, CheckpointTaken)]
        return taken.checkpoint_id

    @property
    def end(self) -> tuple[str, str]:
        """The stop reason and the message."""
        assert isinstance(self.ended, TurnEnded), self.ended
        return self.ended.stop_reason, self.ended.message

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextArrived))

    @property
    def states(self) -> list[str]:
        return [event.status for event in self.events if isinstance(event, AgentStateChanged)]


def in_another_process(project: AgentProject, session: str, *words: str) -> dict[str, object]:
    where = ["--json", "--root", str(project.worktree(session))]
    ran = subprocess.run(
        [*COMMAND, *words, *where], env=project.environment(), check=True, capture_output=True
    )
    told: dict[str, object] = json.loads(ran.stdout)
    return told
