"""A full disk and a read-only one, below the root and below the state directory: said, and nothing changed."""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import pytest

from tests.cli.project import Project, Ran
from tests.end_to_end.fifty_files import Snapshot, restore, snapshot
from tests.samples import WHOLE

pytestmark = pytest.mark.slow  # seconds together: `make quick` does without

PAGE = os.sysconf("SC_PAGE_SIZE")
OLD = "".join(f"line {number}\n" for number in range(2000))
NEW = OLD.replace("line 7\n", "line seven\n")
REPLY = json.dumps(
    [
        {"path": "a.py", "content": NEW},
        {"path": "new/b.py", "content": OLD},
        {"path": "c.py", "to": "d.py"},
    ]
)
Command: TypeAlias = Literal["apply", "changes apply", "changes rewind", "undo"]
COMMANDS: tuple[Command, ...] = ("apply", "changes apply", "changes rewind", "undo")
STEP = 1 if WHOLE else 3
"""How many pages more of room each try has."""


@pytest.fixture
def disk() -> Iterator[Path]:
    """A disk of one megabyte."""
    # Not below pytest's directory: a disk that could not be taken away would be in the way of every later run.
    place = Path(tempfile.mkdtemp(prefix="holdfast-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(
                f"no small disk can be mounted here: {done.stderr.partition(chr(10))[0] or done.returncode}"
            )
        yield place
        # SQLite keeps a file open until Python has forgotten the statement that failed.
        gc.collect()
        subprocess.run(["umount", place], check=True)
    finally:
        if place.is_mount():
            subprocess.run(["umount", "-l", place], check=True)
        place.rmdir()


@dataclass(frozen=True)
class Scene:
    """A project in which a command is about to be run."""

    project: Project
    words: tuple[str, ...]
    reply: str
    old: Snapshot
    states: list[str]

    def run(self) -> Ran:
        return self.project.run(
            *self.words, "--root", str(self.project.root), "--json", reply=self.reply
        )

    def now(self) -> tuple[Snapshot, list[str]]:
        return snapshot(self.project.root), states_of(self.project)


def states_of(project: Project) -> list[str]:
    """Return the states of the changes, once a command that writes has settled what was left."""
    project.run("changes", "reject", "none", "--root", str(project.root))
    listed = project.run("changes", "list", "--root", str(project.root), "--json").told
    return [change["state"] for change in listed["changes"]]


def set_scene(root: Path, state: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Make a project, and all that comes before the command."""
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(state))
    project = Project(root)
    project.write("a.py", OLD.encode())
    project.write("c.py", b"c\n")
    here = ("--root", str(root), "--json")
    words: tuple[str, ...] = (command,)
    # Something is on record already: else the store would have to be made first.
    assert (
        project.run("changes", "propose", *here, reply='{"path": "e.py", "content": ""}').code == 0
    )
    if command == "changes apply":
        words = (
            "changes",
            "apply",
            project.run("changes", "propose", *here, reply=REPLY).told["id"],
        )
    elif command != "apply":
        assert project.apply(REPLY).code == 0
    if command == "changes rewind":
        words = (
            "changes",
            "rewind",
            project.run("changes", "list", *here).told["changes"][0]["id"],
        )
    reply = REPLY if command == "apply" else ""
    return Scene(project, words, reply, snapshot(root), states_of(project))


def fill(disk: Path, pages_left: int = 0) -> Path:
    """Leave only so many pages."""
    ballast = disk / "ballast"
    size = shutil.disk_usage(disk).free - pages_left * PAGE
    with ballast.open("wb") as filler:
        os.posix_fallocate(filler.fileno(), 0, max(size, PAGE))
    return ballast


def refusal(ran: Ran) -> str:
    answer = ran.told
    assert (ran.code, answer["outcome"], answer["files"], len(answer["refusals"])) == (
        1,
        "refused",
        [],
        1,
    ), ran
    return str(answer["refusals"][0]["message"])


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_below_the_root(
    disk: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = set_scene(disk / "root", tmp_path / "state", command, monkeypatch)
    ballast = fill(disk)
    message = refusal(scene.run())
    assert message.startswith("the disk refused: No space left on device (")
    assert message.endswith("; make room, or fix what is wrong there, and run this again.")
    states = scene.states if command != "apply" else ["rejected", *scene.states]
    assert scene.now() == (scene.old, states)
    ballast.unlink()
    assert scene.run().code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_below_the_state_directory(
    disk: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = set_scene(tmp_path / "root", disk / "state", command, monkeypatch)
    ballast = fill(disk)
    store = disk / "state" / "holdfast.sqlite3"
    assert (
        refusal(scene.run())
        == f"{store}: the disk is full, nothing was recorded; free some space and run it again."
    )
    ballast.unlink()
    assert scene.now() == (scene.old, scene.states)
    assert scene.run().code == 0


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_however_little_room_the_state_directory_has_all_is_done_or_nothing(
    disk: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = set_scene(tmp_path / "root", disk / "state", command, monkeypatch)
    kept = snapshot(disk / "state")
    full: set[str] = set()
    for pages in range(0, 64, STEP):
        restore(disk / "state", kept)
        restore(scene.project.root, scene.old)
        ballast = fill(disk, pages)
        ran = scene.run()
        ballast.unlink()
        files, states = scene.now()
        where = f"{pages} pages left: {ran}"
        assert (ran.code == 1) == (files == scene.old), where
        if ran.code == 1:
            full.add(refusal(ran))
            assert states in (scene.states, ["rejected", *scene.states]), where
        else:
            assert ran.code == 0, where
            assert states[0] in {"applied", "rewound"}, where
            break
    assert ran.code == 0
    # First there was no room for the store, and at the end none for the journal.
    assert {f"{disk}/state/" in message for message in full} == {True}
    assert {"the disk is full" in message for message in full} == {True, False}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("below", ["root", "state"])
def test_a_read_only_disk(
    disk: Path, tmp_path: Path, command: Command, below: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {"root": tmp_path / "root", "state": tmp_path / "state", below: disk / below}
    scene = set_scene(places["root"], places["state"], command, monkeypatch)
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True, capture_output=True)
    message = refusal(scene.run())
    cure = "make it writable, or name another place with HOLDFAST_STATE_DIR, and run this again."
    if below == "root":
        cure = "make room, or fix what is wrong there, and run this again."
    assert "Read-only file system" in message
    assert message.endswith(cure)
    assert snapshot(places["root"]) == scene.old
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True, capture_output=True)
    states = scene.states if (command, below) != ("apply", "root") else ["rejected", *scene.states]
    assert scene.now() == (scene.old, states)
    assert scene.run().code == 0
