"""`holdfast sessions`: what there is, and a session that is deleted is gone altogether."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing import ScriptedServer, call, hang, say
from tests.end_to_end.run.in_process import QuickProject
from tests.end_to_end.run.project import Project
from tests.waiting import LONGEST

pytestmark = pytest.mark.e2e

EDIT = call("edit_file", path="a.py", old="x = 1", new="x = 10")
TABLES = ("sessions", "chats", "messages", "message_parts", "turns", "checkpoints", "changes")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return QuickProject(tmp_path)


def counts(project: Project) -> dict[str, int]:
    return {
        table: project.query(f"select count(*) from {table}")[0][0]  # noqa: S608 - the names are above
        for table in TABLES
    }


def checkpoints(project: Project) -> list[dict[str, Any]]:
    listed = project.holdfast("checkpoint", "list", "--json")
    found: list[dict[str, Any]] = json.loads(listed.out)["checkpoints"]
    return found


def sessions(project: Project) -> list[dict[str, Any]]:
    listed = project.holdfast("sessions", "list", "--json")
    assert listed.code == 0, listed.err
    found: list[dict[str, Any]] = json.loads(listed.out)["sessions"]
    return found


def test_a_project_without_a_store_has_no_sessions_and_gets_no_store(project: Project) -> None:
    assert sessions(project) == []
    assert project.holdfast("sessions", "list").out == "There are no sessions in this project.\n"
    refused = project.holdfast("sessions", "delete", "abc", "--yes", "--json")
    assert (refused.code, json.loads(refused.out)) == (
        1,
        {
            "outcome": "refused",
            "problems": [
                (
                    "abc: there is no such session in this project; `holdfast sessions list` shows "
                    "those that there are."
                )
            ],
        },
    )
    assert not project.state.exists()


def test_sessions_are_listed_newest_first(project: Project) -> None:
    with ScriptedServer([], otherwise=say("Done.")) as server:
        first = project.run("First things first.", server=server).session
        second = project.run("Then the second.", server=server).session
        project.run("And more.", "--continue", first, server=server)
    listed = sessions(project)
    assert [(each["id"], each["title"], each["turns"], each["messages"]) for each in listed] == [
        (second, "Then the second.", 1, 2),
        (first, "First things first.", 2, 4),
    ]
    assert {(each["agent"], each["last_turn"]) for each in listed} == {("holdfast", "done")}
    lines = project.holdfast("sessions", "list", "-n", "1").out.splitlines()
    assert [line.split("  ")[0] for line in lines] == [second]


def test_a_deleted_session_is_gone_and_the_other_one_is_not(project: Project) -> None:
    with ScriptedServer([say("Hello.")], otherwise=say("Done.")) as server:
        stays = project.run("Stay.", server=server).session
        before = counts(project), len(checkpoints(project)), project.texts()
    with ScriptedServer([EDIT], otherwise=say("Done.")) as server:
        goes = project.run("Edit.", server=server).session
        project.run("More.", "--continue", goes, server=server)
    there = project.texts()
    assert counts(project)["changes"] == 1

    deleted = project.holdfast("sessions", "delete", goes[:6], "--yes", "--json")
    assert deleted.code == 0, deleted.err
    told = json.loads(deleted.out)
    assert (told["outcome"], told["session"], len(told["turns"]), len(told["changes"])) == (
        "deleted",
        goes,
        2,
        1,
    )
    assert told["refs"] == 2
    assert (counts(project), len(checkpoints(project))) == before[:2]
    assert project.texts() == there
    assert [each["id"] for each in sessions(project)] == [stays]

    events = project.holdfast("events", "--session", goes, "--json").events
    last = events[-1]
    assert (last["kind"], last["session_id"], last["change_ids"], last["seq"]) == (
        "session_deleted",
        goes,
        told["changes"],
        told["seq"],
    )
    assert events[0]["kind"] == "turn_started"


def test_proposed_changes_of_a_deleted_session_stay(project: Project) -> None:
    with ScriptedServer([EDIT], otherwise=say("Done.")) as server:
        session = project.run("Edit.", "--approve", "review", server=server).session
    deleted = project.holdfast("sessions", "delete", session, "--yes", "--json")
    assert (deleted.code, json.loads(deleted.out)["changes"]) == (0, [])
    (left,) = json.loads(project.holdfast("changes", "list", "--json").out)["changes"]
    assert (left["state"], left["session"]) == ("proposed", None)
    assert project.holdfast("changes", "apply", left["id"]).code == 0
    assert project.texts()["a.py"] == "x = 10\ny = 2\n"


def test_a_session_whose_turn_is_running_is_not_deleted(project: Project) -> None:
    asked = threading.Event()
    with (
        ScriptedServer([hang(threading.Event())], on_request=lambda _: asked.set()) as server,
        project.running("Do it.", server=server) as process,
    ):
        assert asked.wait(LONGEST)
        (session,) = (each["id"] for each in sessions(project))
        refused = project.holdfast("sessions", "delete", session, "--yes", "--json")
        (turn,) = (row[0] for row in project.query("select id from turns"))
        assert (refused.code, json.loads(refused.out)["problems"]) == (
            1,
            [
                (
                    f"session {session}: turn {turn} is running; wait for its end, or stop it with "
                    f"`holdfast cancel {session}`."
                )
            ],
        )
        process.kill()
        process.wait()
    assert counts(project)["sessions"] == 1
    # Its process is dead, so nothing is running.
    assert project.holdfast("sessions", "delete", session, "--yes").code == 0
    assert counts(project) == dict.fromkeys(TABLES, 0)


def test_nobody_is_asked_without_a_terminal(project: Project) -> None:
    with ScriptedServer([], otherwise=say("Done.")) as server:
        session = project.run("Hello.", server=server).session
    refused = project.holdfast("sessions", "delete", session)
    sentence = f"holdfast: session {session}: not deleted; pass --yes to delete it.\n"
    assert (refused.code, refused.err) == (1, sentence)
    assert counts(project)["sessions"] == 1
