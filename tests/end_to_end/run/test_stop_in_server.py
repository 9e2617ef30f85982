"""Several turns in threads of one process, as in a server: one of them is stopped, the others go on."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from holdfast.config.settings import Settings
from holdfast.testing import ScriptedServer, hang, say
from holdfast.usecases.sessions.cancel import SENTENCE, SessionCancelled, cancel_session
from holdfast.usecases.turns.send_message import UserMessage
from holdfast.vocab.events import Event, TurnEnded, TurnStarted
from holdfast.wiring.settings import settings_at
from holdfast.wiring.turns import run_turn_at
from holdfast.wiring.worktrees import open_running_turns
from tests.end_to_end.run.project import Project
from tests.waiting import wait_until

pytestmark = pytest.mark.e2e
COUNT = 8


@pytest.fixture
def settings(project: Project, monkeypatch: pytest.MonkeyPatch, server: ScriptedServer) -> Settings:
    for name, value in project.environment().items():
        monkeypatch.setenv(name, value)
    flags = {"base_url": server.base_url, "model": "scripted", "approve": "auto"}
    found = settings_at(project.root, flags)
    assert isinstance(found, Settings)
    return found


@pytest.fixture
def gate() -> threading.Event:
    return threading.Event()


@pytest.fixture
def server(gate: threading.Event) -> ScriptedServer:
    return ScriptedServer([hang(gate, say("Done."))] * COUNT)


class Turn(threading.Thread):
    """A turn in a thread of its own."""

    def __init__(self, root: Path, settings: Settings) -> None:
        super().__init__()
        self.root, self.settings = root, settings
        self.session: str | None = None
        self.ended: object = None

    def run(self) -> None:
        self.ended = run_turn_at(
            self.root,
            self.settings,
            UserMessage("Do it."),
            show=self._see,
            say=lambda _: None,
            asker=None,
            cancel=threading.Event(),
        )

    def _see(self, event: Event, _seq: int | None) -> None:
        if isinstance(event, TurnStarted):
            self.session = event.session


def test_one_of_eight_turns_is_stopped_and_seven_are_done(
    project: Project, settings: Settings, server: ScriptedServer, gate: threading.Event
) -> None:
    with server:
        turns = [Turn(project.root, settings) for _ in range(COUNT)]
        for turn in turns:
            turn.start()
        assert wait_until(lambda: len(server.requests) == COUNT)
        chosen = turns[3]
        assert chosen.session is not None
        with open_running_turns(project.root) as running:
            outcome = cancel_session(chosen.session, running)
        assert isinstance(outcome, SessionCancelled)
        assert len(outcome.turns) == 1
        chosen.join()
        assert all(turn.is_alive() for turn in turns if turn is not chosen)
        gate.set()
        for turn in turns:
            turn.join()
    reasons = []
    for turn in turns:
        assert isinstance(turn.ended, TurnEnded), turn.ended
        reasons.append((turn.ended.stop_reason, turn is chosen))
    assert sorted(reasons) == [("cancelled", True)] + [("done", False)] * (COUNT - 1)
    assert isinstance(chosen.ended, TurnEnded)
    assert chosen.ended.message == SENTENCE
