"""A session's checkpoints through the command alone: the store is found by itself, and words say what came of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.adapters.store.store import open_store
from tests.adapters.store.talk import Talk, new_talk
from tests.end_to_end.checkpoints.repo import Folder, standard

COMMAND = [sys.executable, "-m", "holdfast.cli.main", "checkpoint"]


@pytest.fixture
def talk(folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Talk]:
    """Two turns in the store that a user has who has set nothing."""
    monkeypatch.delenv("HOLDFAST_DATABASE_URL", raising=False)
    repo = standard(folder)
    with open_store(str(tmp_path / "state" / "holdfast.sqlite3")) as store:
        talk = new_talk(repo, store)
        talk.turn("one")
        repo.write("src/app.py", "after one\n")
        talk.turn("two")
        repo.write("src/app.py", "after two\n")
        talk.hire()
        yield talk


def run(talk: Talk, *words: str, code: int = 0) -> str:
    """Run the command in a subdirectory, as a process, and give what it printed."""
    # NO_COLOR is not set: what is no terminal gets no colours anyway.
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    command = [*COMMAND, *words]
    ran = subprocess.run(
        command,
        cwd=talk.repo.root / "src",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == code, (ran.stdout, ran.stderr)
    assert "Traceback" not in ran.stderr
    return ran.stdout


def told(talk: Talk, *words: str) -> Any:
    return json.loads(run(talk, *words, "--json"))


@pytest.mark.e2e
def test_a_session_goes_back_and_forth_with_the_commands_alone(talk: Talk) -> None:
    second, first = (each["id"] for each in told(talk, "list")["checkpoints"])
    rows = talk.rows()
    assert told(talk, "show", first)["session"] == talk.session
    assert (
        "-after two\n" in told(talk, "diff", first)["diff"]
        or "+after two\n" in told(talk, "diff", first)["diff"]
    )

    restored = told(talk, "restore", first[:8])
    assert restored["checkpoint_id"] == first
    assert (
        restored["messages_deleted"],
        restored["worktree_reset"],
        restored["backend_reset"],
    ) == (3, True, True)
    assert talk.said() == ["do one"]
    assert talk.repo.path("src/app.py").read_text() == "print('unstaged')\n"
    assert {each["id"] for each in told(talk, "list")["checkpoints"]} == {
        first,
        restored["undo_checkpoint_id"],
    }

    words = run(talk, "undo").splitlines()
    point = next(
        each["id"] for each in told(talk, "list")["checkpoints"] if each["kind"] == "undone"
    )
    assert words == [
        f"undone: back at {restored['undo_checkpoint_id']}",
        "Brought 3 messages back to the conversation.",
        f"Undo this with `holdfast checkpoint restore {point}`.",
    ]
    assert talk.rows(point) == rows
    assert talk.repo.path("src/app.py").read_text() == "after two\n"

    assert run(talk, "restore", second, "--conversation").splitlines() == [
        f"restored {second} (conversation only; no file was touched)",
        "Removed 1 message from the conversation.",
        "Undo this with `holdfast checkpoint undo`.",
    ]
    assert talk.said() == ["do one", "on one", "do two"]
    assert talk.repo.path("src/app.py").read_text() == "after two\n"

    pruned = told(talk, "prune", "--keep", "0")
    assert pruned["left"] == 0
    assert talk.trash() == set()
    assert talk.rows()["checkpoints"] == []
    assert told(talk, "list") == {"checkpoints": []}


@pytest.mark.e2e
def test_files_alone_can_be_restored_when_the_store_is_not_a_store(
    talk: Talk, tmp_path: Path
) -> None:
    first = told(talk, "list")["checkpoints"][-1]["id"]
    for file in (tmp_path / "state").glob("holdfast.sqlite3*"):
        file.unlink()
    (tmp_path / "state" / "holdfast.sqlite3").write_text(
        "this is no database, and long enough to be looked at\n" * 40
    )
    words = run(talk, "restore", first, code=1)
    assert "holdfast.sqlite3" in words
    assert "--files" in words
    assert words.endswith("No file was changed.\n")
    assert talk.repo.path("src/app.py").read_text() == "after two\n"
    assert run(talk, "restore", first, "--files").startswith(f"restored {first}\n")
    assert talk.repo.path("src/app.py").read_text() == "print('unstaged')\n"


def test_checkpoints_without_a_session_do_without_a_store_that_cannot_be_used(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", str(tmp_path))
    repo = standard(folder)
    created = repo.run("create", "--json")
    assert created.code == 0
    assert "the store does not know of this" in created.err
    now = repo.tree()
    repo.write("src/app.py", "x\n")
    restored = repo.run("restore", created.told["id"], "--json")
    assert restored.code == 0
    assert "the store does not know of this" in restored.err
    assert repo.tree() == now
    repo.undo()
    assert repo.run("prune", "--keep", "0").code == 0
    assert repo.ids() == []
