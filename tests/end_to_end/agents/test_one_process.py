"""Several turns of agents in one process, as in a server: warm agents, queued turns, restores."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.config.settings import Settings
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.vocab.agent_events import AgentStateChanged
from holdfast.vocab.events import Event, TextArrived, TurnEnded, TurnStarted
from holdfast.wiring.agents.requests import AgentTurnRequest
from holdfast.wiring.agents.turns import run_agent_turn_at
from holdfast.wiring.agents.warm import close_agents
from holdfast.wiring.settings import settings_at
from tests.end_to_end.agents.agent_project import AgentProject
from tests.end_to_end.run.project import COMMAND, TEXT
from tests.waiting import wait_until

pytestmark = pytest.mark.e2e


@pytest.fixture
def settings(project: AgentProject, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    for name, value in project.environment().items():
        monkeypatch.setenv(name, value)
    found = settings_at(project.root, {"approve": "auto"})
    assert isinstance(found, Settings)
    yield found
    close_agents()


class AgentTurn(threading.Thread):
    """A turn in a thread of its own."""

    def __init__(self, root: Path, settings: Settings, *lines: str, session: str | None = None):
        super().__init__()
        self.root, self.settings = root, settings
        self.request = AgentTurnRequest("\n".join(lines), "scripted", session=session)
        self.events: list[Event] = []
        self.ended: TurnEnded | NotSent | None = None

    def run(self) -> None:
        self.ended = run_agent_turn_at(
            self.root,
            self.settings,
            self.request,
            show=lambda event, _: self.events.append(event),
            say=lambda _: None,
            asker=None,
            cancel=threading.Event(),
        )

    def finished(self) -> AgentTurn:
        self.start()
        self.join()
        return self

    @property
    def session(self) -> str:
        (started,) = [event for event in self.events if isinstance(event, TurnStarted)]
        return started.session

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


def test_a_second_turn_finds_the_agent_warm(project: AgentProject, settings: Settings) -> None:
    first = AgentTurn(project.root, settings, "remember blue", "pid").finished()
    assert first.states == ["starting", "busy", "warm"]
    assert project.agent_states() == [("warm", 0)]
    second = AgentTurn(
        project.root, settings, "recall", "transcript", session=first.session
    ).finished()
    assert second.states == ["busy", "warm"]
    assert second.text == "Remembered: blue\nTranscript: none\n"
    close_agents()
    assert project.agent_states() == [("closed", 0)]


@pytest.mark.parametrize("scope", ["--files", "--conversation", None])
def test_a_warm_agent_is_not_used_after_a_restore_by_another_process(
    project: AgentProject, settings: Settings, scope: str | None
) -> None:
    first = AgentTurn(project.root, settings, "remember blue", "write b.txt new").finished()
    session = first.session
    (checkpoint,) = project.query("select id from checkpoints")[0]
    words = ("checkpoint", "restore", checkpoint, *filter(None, [scope]))
    told = in_another_process(project, session, *words)
    assert told["backend_reset"] is True
    assert project.agent_states() == [("crashed", 1)]
    kept = {"a.py": TEXT, "b.txt": "new\n"} if scope == "--conversation" else {"a.py": TEXT}
    assert project.files(session) == kept
    second = AgentTurn(project.root, settings, "recall", session=session).finished()
    assert second.text == "Remembered: nothing\n"
    assert second.states == ["starting", "busy", "warm"]


def test_a_warm_agent_that_missed_a_turn_of_another_is_not_used(
    project: AgentProject, settings: Settings
) -> None:
    first = AgentTurn(project.root, settings, "remember blue").finished()
    between = project.go_on(first.session, "say Between.")
    assert between.code == 0, between
    second = AgentTurn(project.root, settings, "recall", "transcript", session=first.session)
    second.finished()
    assert "Remembered: nothing\n" in second.text
    assert "Assistant: Between." in second.text


def test_a_turn_that_waits_is_refused_after_a_restore(
    project: AgentProject, settings: Settings
) -> None:
    running = AgentTurn(project.root, settings, "write b.txt new", "hang")
    running.start()
    assert wait_until(lambda: any(each == "busy" for each in running.states))
    session = running.session
    assert wait_until(lambda: "b.txt" in project.files(session))
    waiting = AgentTurn(project.root, settings, "write c.txt no", session=session)
    waiting.start()
    before = project.query("select count(*) from agent_sessions")
    assert before == [(1,)]
    waiting.join(1.0)
    assert waiting.is_alive()
    (checkpoint,) = project.query("select id from checkpoints")[0]
    told = in_another_process(project, session, "checkpoint", "restore", checkpoint)
    running.join()
    waiting.join()
    assert (told["worktree_reset"], told["backend_reset"]) == (True, True)
    assert isinstance(running.ended, TurnEnded)
    assert running.ended.stop_reason == "cancelled"
    assert waiting.ended == NotSent(
        f"session {session} was restored after this turn was asked for, so it did not begin; look "
        "at the files, and send the message again."
    )
    assert project.files(session) == {"a.py": TEXT}


def test_a_turn_that_waits_begins_when_the_one_before_it_has_ended(
    project: AgentProject, settings: Settings
) -> None:
    running = AgentTurn(project.root, settings, "remember blue", "slow 10 0.1")
    running.start()
    assert wait_until(lambda: any(each == "busy" for each in running.states))
    waiting = AgentTurn(project.root, settings, "recall", session=running.session).finished()
    running.join()
    assert waiting.text == "Remembered: blue\n"
