"""`holdfast gc`: what nothing leads to goes, with the figures of a dry run, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
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
LONG_AGO = 31 * 24 * 60 * 60
NOTHING = {"refs": 0, "changes": 0, "events": 0, "repositories": 0, "files": 0}


def gc(project: Project, *words: str) -> dict[str, Any]:
    ran = project.holdfast("gc", *words, "--json")
    assert ran.code == 0, ran.err
    told: dict[str, Any] = json.loads(ran.out)
    return told


@pytest.fixture
def project(tmp_path: Path) -> QuickProject:
    return QuickProject(tmp_path)


def state_of(project: Project) -> dict[str, bytes]:
    """Return the files of the state directory, but for what SQLite writes when it only reads."""
    files = [path for path in project.state.rglob("*") if path.is_file()]
    return {str(path): path.read_bytes() for path in files if path.suffix != ".sqlite3-shm"}


def events_of(project: Project, session: str) -> list[str]:
    events = project.holdfast("events", "--session", session, "--json").events
    return [event["kind"] for event in events]


def test_without_a_state_directory_there_is_nothing_to_do_and_none_is_made(
    project: Project,
) -> None:
    told = gc(project)
    assert (told["removed"], told["bytes"], told["kept"]) == (NOTHING, 0, [])
    assert project.holdfast("gc").out == "0 bytes are free.\n"
    assert not project.state.exists()


def test_the_events_of_a_deleted_session_go_and_the_dry_run_says_the_same(
    project: Project,
) -> None:
    with ScriptedServer([EDIT], otherwise=say("Done.")) as server:
        goes = project.run("Edit.", server=server).session
        stays = project.run("Hello.", server=server).session
    project.holdfast("sessions", "delete", goes, "--yes")
    kept = events_of(project, stays)
    gone = events_of(project, goes)

    before = state_of(project)
    planned = gc(project, "--dry-run")
    assert state_of(project) == before
    told = gc(project)
    assert {**told, "dry_run": True} == planned
    left = ["change_moved", "change_moved", "session_deleted"]
    assert told["removed"] == {**NOTHING, "events": len(gone) - len(left)}
    assert told["freed"]["events"] > 500
    assert told["bytes"] == sum(told["freed"].values())

    assert events_of(project, goes) == left
    assert events_of(project, stays) == kept
    last = project.holdfast("events", "--json").events[-1]
    assert (last["kind"], last["events_removed"]) == (
        "garbage_collected",
        told["removed"]["events"],
    )
    assert gc(project)["removed"] == NOTHING
    assert project.query("PRAGMA freelist_count") == [(0,)]


def test_refs_that_a_killed_delete_left_and_trash_without_its_undo_point_go(
    project: QuickProject,
) -> None:
    with ScriptedServer([], otherwise=say("Done.")) as server:
        goes = project.run("Hello.", server=server).session
        stays = project.run("Hello again.", server=server).session
    listed = project.holdfast("checkpoint", "list", "--json")
    by_session = {each["session"]: each["id"] for each in json.loads(listed.out)["checkpoints"]}
    refs = project.refs()
    live = {session: f"refs/holdfast/checkpoints/{by_session[session]}" for session in by_session}
    left = {live[goes]: refs[live[goes]]}
    # A trash to which no undo leads.
    left["refs/holdfast/trash/0123456789ab/ba9876543210"] = refs[live[stays]]
    project.put_back(left, lambda: project.holdfast("sessions", "delete", goes, "--yes"))

    planned = gc(project, "--dry-run")
    assert (planned["removed"]["refs"], len(project.refs())) == (2, 3)
    told = gc(project)
    assert {**told, "dry_run": True} == planned
    assert set(project.refs()) == {live[stays]}


def test_a_private_repository_goes_when_its_folder_has_been_gone_for_long(tmp_path: Path) -> None:
    project = QuickProject(tmp_path, git=False)
    assert project.holdfast("checkpoint", "create").code == 0
    (marked,) = (project.state / "worktrees").iterdir()

    def of(told: dict[str, Any]) -> tuple[int, list[dict[str, str]]]:
        return told["removed"]["repositories"], told["kept"]

    assert of(gc(project)) == (0, [])
    elsewhere = tmp_path / "elsewhere"
    project.root.rename(elsewhere)
    fresh = {
        "path": str(project.root),
        "reason": "gone for 0 of 30 days that it stays; pass --now to remove it",
    }
    assert of(gc(project, "--dry-run")) == (0, [fresh])
    assert not (marked / "gone-since").exists()
    assert of(gc(project)) == (0, [fresh])

    # It is back: the count begins anew.
    elsewhere.rename(project.root)
    assert of(gc(project)) == (0, [])
    assert not (marked / "gone-since").exists()

    project.root.rename(elsewhere)
    gc(project)
    then = (marked / "gone-since").stat().st_mtime - LONG_AGO
    os.utime(marked / "gone-since", (then, then))
    planned = gc(project, "--dry-run")
    assert of(planned) == (1, [])
    assert planned["freed"]["repositories"] > 1_000
    assert marked.exists()
    assert {**gc(project), "dry_run": True} == planned
    assert not marked.exists()


def test_a_folder_that_may_be_on_a_disk_that_is_not_mounted_keeps_its_repository(
    tmp_path: Path,
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    project = QuickProject(tmp_path, "disk/root", git=False)
    assert project.holdfast("checkpoint", "create").code == 0
    reason = "the folder above it is missing or empty too, as when a disk is not mounted"
    kept = [{"path": str(project.root), "reason": reason}]
    shutil.rmtree(project.root)
    assert gc(project, "--now")["kept"] == kept
    disk.rmdir()
    assert gc(project, "--now")["kept"] == kept
    disk.mkdir()
    (disk / "other").touch()
    told = gc(project, "--now")
    assert (told["kept"], told["removed"]["repositories"]) == ([], 1)


def test_saved_texts_and_locks_of_dead_turns_go_when_they_are_old(project: Project) -> None:
    project.holdfast("checkpoint", "create")
    saved = project.state / "roots" / "abc" / "saved"
    turns = project.state / "turns"
    names = [saved / "old", saved / "new", turns / "old.lock", turns / "new.lock"]
    for name in names[:2]:
        name.mkdir(parents=True)
        (name / "1.old.a.py").write_text("text\n")
    turns.mkdir(exist_ok=True)
    for name in names[2:]:
        name.touch()
    for name in (names[0], names[2]):
        then = name.stat().st_mtime - LONG_AGO
        os.utime(name, (then, then))
    told = gc(project)
    assert (told["removed"]["files"], told["freed"]["files"]) == (2, 5)
    assert [name.exists() for name in names] == [False, True, False, True]


def test_while_a_turn_runs_the_store_is_not_written_anew_and_the_turn_goes_on(
    project: Project,
) -> None:
    asked, go_on = threading.Event(), threading.Event()
    with ScriptedServer([], otherwise=say("Done.")) as server:
        goes = project.run("Hello.", server=server).session
    project.holdfast("sessions", "delete", goes, "--yes")
    with (
        ScriptedServer(
            [hang(go_on)], otherwise=say("Done."), on_request=lambda _: asked.set()
        ) as server,
        project.running("Do it.", server=server) as process,
    ):
        assert asked.wait(LONGEST)
        told = gc(project)
        (turn,) = (row[0] for row in project.query("select id from turns"))
        reason = f"turn {turn} is running, and would have to wait while the file is rewritten"
        assert told["kept"] == [{"path": "the store", "reason": reason}]
        assert "vacuum" not in told["freed"]
        assert told["removed"]["events"] > 0
        assert process.poll() is None


def test_only_one_project_can_be_collected(project: Project) -> None:
    with ScriptedServer([], otherwise=say("Done.")) as server:
        goes = project.run("Hello.", server=server).session
    project.holdfast("sessions", "delete", goes, "--yes")
    other = project.place / "other"
    other.mkdir()
    assert gc(project, "--root", str(other))["removed"] == NOTHING
    assert gc(project, "--root", str(project.root))["removed"]["events"] > 0


def test_a_store_that_cannot_be_read_is_said(project: Project) -> None:
    project.state.mkdir()
    (project.state / "holdfast.sqlite3").write_text(
        "this is no database, but a text of its own\n" * 40
    )
    ran = project.holdfast("gc", "--json")
    assert ran.code == 1
    (problem,) = json.loads(ran.out)["problems"]
    assert problem.startswith(f"{project.state}/holdfast.sqlite3: ")
