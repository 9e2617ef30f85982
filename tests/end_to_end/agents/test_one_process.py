"""Several turns of agents in one process, as in a server: warm agents, queued turns, restores."""

from __future__ import annotations

import threading

import pytest

from holdfast.config.settings import Settings
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.vocab.events import TurnEnded
from holdfast.wiring.agents.warm import close_agents
from tests.end_to_end.agents.agent_project import AgentProject
from tests.end_to_end.agents.agent_turn import AgentTurn, in_another_process
from tests.end_to_end.agents.test_two_processes import stays
from tests.end_to_end.run.project import TEXT
from tests.samples import WHOLE
from tests.waiting import wait_until

pytestmark = pytest.mark.e2e

SCOPES = {"acp": None, "server": "--files", "oneshot": "--conversation"}
"""What is restored beside an agent of each transport; `make soak` restores each beside each."""


class WatchedCancel(threading.Event):
    """Counts how often a turn has looked whether it is cancelled, as one does that waits for its agent."""

    looks = 0

    def is_set(self) -> bool:
        self.looks += 1
        return super().is_set()


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


@pytest.mark.parametrize("scope", SCOPES.values())
def test_a_warm_agent_is_not_used_after_a_restore_by_another_process(
    project: AgentProject, transport: str, settings: Settings, scope: str | None
) -> None:
    if not WHOLE and scope != SCOPES[transport]:
        pytest.skip("another scope runs with this transport: `make soak` runs each with each")
    lines = ("remember blue", "write b.txt new", "escape noise.txt")
    first = AgentTurn(project.root, settings, *lines).finished()
    session = first.session
    is_warm = transport != "oneshot"
    # What the agent has started writes on between turns, as long as the agent lives.
    assert bool(project.marked()) == is_warm
    before = project.files(session)
    words = ("checkpoint", "restore", first.checkpoint, *filter(None, [scope]))
    told = in_another_process(project, session, *words)
    assert project.marked() == []
    assert (told["checkpoint_id"], told["backend_reset"]) == (first.checkpoint, is_warm)
    assert told["messages_deleted"] == (0 if scope == "--files" else 1)
    assert told["worktree_reset"] == (scope != "--conversation")
    kept = before.keys() if scope == "--conversation" else {"a.py"}
    assert project.files(session).keys() == kept
    assert scope == "--conversation" or stays(project, session, {"a.py": TEXT})
    undone = in_another_process(project, session, "checkpoint", "undo")
    assert undone["messages_brought_back"] == told["messages_deleted"]
    assert project.files(session).keys() == before.keys()
    in_another_process(project, session, *words)
    second = AgentTurn(project.root, settings, "recall", session=session).finished()
    assert second.text == "Remembered: nothing\n"
    assert second.states[:2] == ["starting", "busy"]


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
    project: AgentProject, transport: str, settings: Settings
) -> None:
    running = AgentTurn(project.root, settings, "write b.txt new", "hang")
    running.start()
    assert wait_until(lambda: any(each == "busy" for each in running.states))
    session = running.session
    assert wait_until(lambda: "b.txt" in project.files(session))
    waiting = AgentTurn(project.root, settings, "write c.txt no", session=session)
    waiting.cancel = cancel = WatchedCancel()
    waiting.start()
    before = project.query("select count(*) from agent_sessions")
    assert before == [(1,)]
    assert wait_until(lambda: cancel.looks > 2)
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
