"""An agent at work in one process, and a command in another: restore, cancel, answer, kill."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import pytest

from holdfast.usecases.sessions.cancel import SENTENCE
from tests.end_to_end.agents.agent_project import AgentProject
from tests.end_to_end.run.project import TEXT, finish, read_until
from tests.samples import WHOLE
from tests.waiting import has_text, wait_until

pytestmark = pytest.mark.e2e

QUIET_SECONDS = float(os.environ.get("HOLDFAST_TEST_QUIET_SECONDS", "1.5"))
"""How long the restored files are watched; `make soak` watches longer."""
FACTS = (
    "checkpoint_id",
    "messages_deleted",
    "worktree_reset",
    "backend_reset",
    "undo_checkpoint_id",
)


def stays(project: AgentProject, session: str, files: dict[str, str]) -> bool:
    """Return whether the files are so, and stay so for a while."""
    until = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < until:
        if project.files(session) != files:
            return False
        time.sleep(0.02)
    return True


def facts(told: dict[str, Any]) -> dict[str, Any]:
    return {name: told[name] for name in FACTS}


@pytest.mark.parametrize("scope", [("--files",), ()])
@pytest.mark.parametrize("heeds", [True, False])
def test_a_restore_while_the_agent_writes(
    project: AgentProject, transport: str, scope: tuple[str, ...], heeds: bool
) -> None:
    if not WHOLE and bool(scope) is not (heeds is (transport == "server")):
        pytest.skip("another scope runs with this transport: `make soak` runs both")
    lines = ["write b.txt new", "escape noise.txt", "rewrite a.py"]
    if not heeds:
        lines.insert(0, "ignore-cancel")
    with project.agent_at_work(*lines) as running:
        session = running.session
        assert wait_until(lambda: has_text(project.worktree(session) / "noise.txt"))
        restore = ("checkpoint", "restore", running.checkpoint, *scope)
        told = project.at_worktree(session, *restore)
        stopped = finish(running.process)
    assert stays(project, session, {"a.py": TEXT})
    assert facts(told) == {
        "checkpoint_id": running.checkpoint,
        "messages_deleted": 0 if scope else 1,
        "worktree_reset": True,
        "backend_reset": True,
        "undo_checkpoint_id": told["undo_checkpoint_id"],
    }
    assert stopped.code == 130, stopped
    sentence = f"Stopped: a restore of checkpoint {running.checkpoint} was asked for."
    assert (stopped.ended["message"], stopped.ended["ended_by"]) == (sentence, "stop")
    assert project.turns() == [("cancelled", "cancelled")]
    # One while the turn is stopped, one with the restore.
    assert [generation for _, generation in project.agent_states()] == [2]
    undone = project.at_worktree(session, "checkpoint", "undo")
    assert undone["messages_brought_back"] == (0 if scope else 1)
    brought = project.files(session)
    assert set(brought) == {"a.py", "b.txt", "noise.txt"}
    assert brought["b.txt"] == "new\n"
    assert brought["a.py"] != TEXT


def test_cancel_by_another_command_ends_the_turn_and_the_agent(project: AgentProject) -> None:
    with project.agent_at_work("write b.txt new", "hang") as running:
        assert wait_until(lambda: "b.txt" in project.files(running.session))
        assert project.holdfast("cancel", running.session).code == 0
        stopped = finish(running.process)
    assert (stopped.code, stopped.ended["message"]) == (130, SENTENCE)
    assert stopped.ended["files"] == ["b.txt"]


@pytest.mark.parametrize("heeds", [True, False])
def test_an_interrupt_ends_the_turn_with_what_was_changed(
    project: AgentProject, heeds: bool
) -> None:
    lines = ["write b.txt new", "hang"]
    if not heeds:
        lines.insert(0, "ignore-cancel")
    with project.agent_at_work(*lines) as running:
        assert wait_until(lambda: "b.txt" in project.files(running.session))
        running.process.send_signal(signal.SIGINT)
        stopped = finish(running.process)
    assert (stopped.code, stopped.ended["stop_reason"]) == (130, "cancelled")
    assert stopped.ended["files"] == ["b.txt"]
    assert project.go_on(running.session, "say On.").code == 0


@pytest.mark.parametrize("answer", ["once", "deny"])
def test_a_question_is_answered_by_its_id_in_another_process(
    project: AgentProject, answer: str
) -> None:
    lines = ("ask touch c.txt", "say On.")
    with project.agent_at_work(*lines, words=("--wait-for-approval",)) as running:
        asked = read_until(running.process.stdout, "approval_asked")[-1]
        assert (asked["what"], asked["subject"]) == ("command", "touch c.txt")
        given = project.holdfast("approvals", "answer", asked["approval_id"], answer)
        assert given.code == 0, given
        done = finish(running.process)
    assert done.code == 0, done
    assert ("c.txt" in project.files(running.session)) == (answer == "once")
    assert project.query("select answer from approvals") == [(answer,)]


def test_a_question_that_is_never_answered_ends_with_its_turn(project: AgentProject) -> None:
    words = ("--wait-for-approval",)
    with project.agent_at_work("ask touch c.txt", words=words) as running:
        read_until(running.process.stdout, "approval_asked")
        running.process.send_signal(signal.SIGINT)
        done = finish(running.process)
    assert done.code == 130, done
    assert project.query("select answer from approvals") == [("cancelled",)]
    assert "c.txt" not in project.files(running.session)


def test_a_killed_holdfast_leaves_no_process_and_the_session_goes_on(
    project: AgentProject, transport: str
) -> None:
    with project.agent_at_work("escape noise.txt", "hang") as running:
        session = running.session
        assert wait_until(lambda: has_text(project.worktree(session) / "noise.txt"))
        assert len(project.marked()) >= 2
        running.process.kill()
        running.process.wait()
    assert wait_until(lambda: project.marked() == [])
    ran = project.go_on(session, "transcript")
    assert ran.code == 0, ran
    assert project.turns() == [("interrupted", "interrupted"), ("done", "done")]
    told = project.at_worktree(session, "checkpoint", "restore", running.checkpoint)
    assert told["backend_reset"] is False
    assert project.files(session) == {"a.py": TEXT}
