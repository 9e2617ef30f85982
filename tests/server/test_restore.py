"""The restore route: the five facts are true on the disk and in the store, whoever did the work."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoints.limits import SnapshotLimits
from holdfast.testing import ScriptedAgent, ScriptedServer, call, hang, say
from holdfast.usecases.checkpoints.checkpoint import prune_checkpoints
from holdfast.wiring import worktrees
from tests.server.conftest import make_root
from tests.server.harness import RunningServer
from tests.waiting import wait_until

pytestmark = pytest.mark.slow  # each starts a server and runs turns: `make quick` does without

FACTS = (
    "checkpoint_id",
    "messages_deleted",
    "worktree_reset",
    "backend_reset",
    "undo_checkpoint_id",
)
TRANSPORTS = ("acp", "server", "oneshot")


@pytest.fixture
def gate() -> threading.Event:
    return threading.Event()


@pytest.fixture
def script(gate: threading.Event) -> Any:
    def answer(request: Any) -> Any:
        last = request.messages[-1]
        words = str(last.get("content")).strip().splitlines()[-1]
        if last["role"] == "tool" or words == "say":
            return say("Done.")
        if words == "hang":
            return hang(gate, say("Late."))
        return call("write_file", path=words, content="new\n")

    return answer


def files_of(folder: Path) -> dict[str, str]:
    found = [each for each in folder.rglob("*") if each.is_file() and ".git" not in each.parts]
    return {
        str(each.relative_to(folder)): each.read_text() for each in found if each.name != ".git"
    }


def checkpoint_of(server: RunningServer, session: str) -> str:
    """Return the checkpoint before the last turn."""
    page = server.get(f"/sessions/{session}/messages")
    return str(page["messages"][0]["checkpoint_id"])


def texts(server: RunningServer, session: str) -> list[str]:
    return [each["text"] for each in server.get(f"/sessions/{session}/messages")["messages"]]


def restore(server: RunningServer, session: str, checkpoint: str, **body: Any) -> Any:
    return server.post(f"/sessions/{session}/checkpoints/{checkpoint}/restore", body)


def configure(transport: str, place: Path) -> None:
    """Let `scripted` be an agent of this transport."""
    command = list(ScriptedAgent().command)
    if transport == "server":
        command = [sys.executable, "-m", "holdfast.testing.scripted_opencode"]
    if transport == "oneshot":
        program = place / "claude"
        program.write_text(
            f'#!/bin/sh\nexec {sys.executable} -m holdfast.testing.scripted_oneshot "$@"\n'
        )
        program.chmod(0o755)
        command = [str(program), "-p"]
    text = f'[agents.scripted]\ncommand = {json.dumps(command)}\ntransport = "{transport}"\n'
    (place / "config.toml").write_text(text)


def test_a_native_turn_is_restored_and_the_restore_undone(
    server: RunningServer, root: Path
) -> None:
    session = server.new_session()
    server.turn(session, "b.txt")
    server.turn(session, "c.txt")
    before = files_of(root)
    checkpoint = checkpoint_of(server, session)
    preview = server.get(f"/sessions/{session}/checkpoints/{checkpoint}/preview")
    assert preview == {
        "files": [{"path": "c.txt", "status": "deleted", "by": "session"}],
        "messages": 1,
        "will_stop_turn": False,
        "kept": {},
    }
    done = restore(server, session, checkpoint)
    assert {fact: done[fact] for fact in FACTS[:4]} == {
        "checkpoint_id": checkpoint,
        "messages_deleted": 1,
        "worktree_reset": True,
        "backend_reset": False,
    }
    assert done["prompt"] == "c.txt"
    assert set(files_of(root)) == {"a.py", "b.txt"}
    assert texts(server, session)[0] == "c.txt"
    undone = server.post(f"/sessions/{session}/undo")
    assert (undone["checkpoint_id"], undone["messages_brought_back"]) == (
        done["undo_checkpoint_id"],
        1,
    )
    assert files_of(root) == before
    assert texts(server, session)[:2] == ["Done.", "c.txt"]


@pytest.mark.parametrize("scope", ["files", "conversation"])
def test_one_half_alone_is_restored(server: RunningServer, root: Path, scope: str) -> None:
    session = server.new_session()
    server.turn(session, "b.txt")
    done = restore(server, session, checkpoint_of(server, session), scope=scope)
    is_files = scope == "files"
    assert (done["worktree_reset"], done["messages_deleted"]) == (is_files, 0 if is_files else 1)
    assert (root / "b.txt").exists() != is_files


def test_files_that_somebody_else_changed_can_be_kept(server: RunningServer, root: Path) -> None:
    session = server.new_session()
    server.turn(session, "b.txt")
    (root / "a.py").write_text("mine\n")
    checkpoint = checkpoint_of(server, session)
    preview = server.get(f"/sessions/{session}/checkpoints/{checkpoint}/preview")
    assert {each["path"]: each["by"] for each in preview["files"]} == {
        "a.py": "other",
        "b.txt": "session",
    }
    restore(server, session, checkpoint, keep=["a.py"])
    assert files_of(root) == {"a.py": "mine\n"}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_turn_of_an_agent_is_restored_and_its_memory_is_gone(
    start: Callable[..., RunningServer], root: Path, transport: str
) -> None:
    configure(transport, root.parent)
    server = start()
    session = server.new_session(agent="scripted")
    folder = Path(server.get(f"/sessions/{session}")["root"])
    assert folder != root
    server.turn(session, "write b.txt one\nsay One.")
    server.turn(session, "write c.txt two\nsay Two.")
    before = files_of(folder)
    assert set(before) == {"a.py", "b.txt", "c.txt"}
    checkpoint = checkpoint_of(server, session)
    done = restore(server, session, checkpoint)
    assert {fact: done[fact] for fact in FACTS[:4]} == {
        "checkpoint_id": checkpoint,
        "messages_deleted": 1,
        "worktree_reset": True,
        # A one-shot agent that has ended has no memory to reset.
        "backend_reset": transport != "oneshot",
    }
    assert set(files_of(folder)) == {"a.py", "b.txt"}
    assert texts(server, session)[0].startswith("write c.txt")
    server.post(f"/sessions/{session}/undo")
    assert files_of(folder) == before


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_restore_during_a_turn_of_an_agent_stops_the_turn(
    start: Callable[..., RunningServer], root: Path, transport: str
) -> None:
    configure(transport, root.parent)
    server = start()
    session = server.new_session(agent="scripted")
    folder = Path(server.get(f"/sessions/{session}")["root"])
    server.send(session, "rewrite a.py")
    assert wait_until(lambda: (folder / "a.py").read_text() != "x = 1\n")
    checkpoint = checkpoint_of(server, session)
    preview = server.get(f"/sessions/{session}/checkpoints/{checkpoint}/preview")
    assert preview["will_stop_turn"] is True
    done = restore(server, session, checkpoint)
    assert (done["worktree_reset"], done["backend_reset"]) == (True, True)
    assert files_of(folder) == {"a.py": "x = 1\n"}
    assert server.wait_for(session, "stopped", "done")["turn_id"] is None
    assert files_of(folder) == {"a.py": "x = 1\n"}


def test_a_restore_during_a_native_turn_stops_the_turn(
    server: RunningServer, root: Path, model: ScriptedServer
) -> None:
    session = server.new_session()
    server.turn(session, "b.txt")
    checkpoint = checkpoint_of(server, session)
    server.send(session, "hang")
    assert wait_until(lambda: len(model.requests) == 3)
    done = restore(server, session, checkpoint)
    assert done["messages_deleted"] == 3
    assert files_of(root) == {"a.py": "x = 1\n"}
    server.wait_for(session, "stopped", "done")


def test_of_two_restores_at_once_one_is_done_and_the_other_is_told(
    server: RunningServer, root: Path
) -> None:
    session = server.new_session()
    server.turn(session, "b.txt")
    checkpoint = checkpoint_of(server, session)
    url = f"/api/sessions/{session}/checkpoints/{checkpoint}/restore"
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda: answers.append(server.client.post(url, json={})))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    codes = sorted(each.status_code for each in answers)
    assert codes in ([200, 200], [200, 404], [200, 409])
    assert sum(each.json().get("messages_deleted", 0) for each in answers) == 1
    assert files_of(root) == {"a.py": "x = 1\n"}


def test_a_checkpoint_of_another_session_is_not_found(server: RunningServer, root: Path) -> None:
    one, other = server.new_session(), server.new_session()
    server.turn(one, "b.txt")
    server.turn(other, "c.txt")
    checkpoint = checkpoint_of(server, one)
    before = files_of(root)
    for path in ("preview", "restore"):
        url = f"/sessions/{other}/checkpoints/{checkpoint}/{path}"
        told = server.get(url, 404) if path == "preview" else server.post(url, {}, 404)
        assert told["code"] == "not_found"
    assert files_of(root) == before


def test_a_checkpoint_that_was_pruned_is_not_found(server: RunningServer, root: Path) -> None:
    session = server.new_session()
    server.turn(session, "b.txt")
    checkpoint = checkpoint_of(server, session)
    project = server.projects.all()[0]
    prune_checkpoints(project.checkpoints_at(root), 0)
    told = server.post(f"/sessions/{session}/checkpoints/{checkpoint}/restore", {}, 404)
    assert told["code"] == "not_found"
    assert texts(server, session)[:2] == ["Done.", "b.txt"]
    assert checkpoint_of(server, session) == "None"


@pytest.fixture
def disk() -> Iterator[Path]:
    """Yield a disk of 24 megabytes."""
    place = Path(tempfile.mkdtemp(prefix="holdfast-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        place.rmdir()
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)
        place.rmdir()


def _fill(file: Path) -> None:
    """Write a file until the disk is full."""
    with file.open("wb", buffering=0) as opened, suppress(OSError):
        while opened.write(b"x" * 4096):
            pass


def test_a_restore_on_a_full_disk_is_refused_and_works_when_there_is_room(
    disk: Path, model: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The budget would refuse a checkpoint on so small a disk.
    monkeypatch.setattr(worktrees, "SnapshotLimits", partial(SnapshotLimits, reserve=0))
    root = make_root(disk, monkeypatch)
    server = RunningServer([root])
    try:
        session = server.new_session()
        server.turn(session, "b.txt")
        checkpoint = checkpoint_of(server, session)
        before = files_of(root)
        full = disk / "full"
        _fill(full)
        url = f"/api/sessions/{session}/checkpoints/{checkpoint}/restore"
        answer = server.client.post(url, json={})
        assert answer.status_code in {409, 503, 507}, answer.text
        assert answer.json()["code"] in {"refused", "disk_full", "unavailable"}
        assert files_of(root) | {"../full": ""} == before | {"../full": ""}
        full.unlink()
        done = restore(server, session, checkpoint)
        assert (done["worktree_reset"], done["messages_deleted"]) == (True, 1)
        assert files_of(root) == {"a.py": "x = 1\n"}
    finally:
        server.stop()
        shutil.rmtree(disk / "state", ignore_errors=True)
