"""Files that mounts protect, and that another program replaces while a command runs: the kernel removes the mount then."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.adapters.running_commands import RunningCommands
from holdfast.changes.ports import FileInUse
from holdfast.tools.ports import CommandDone
from holdfast.vocab.sandbox import GitAccess, SandboxLevel
from tests.adapters.sandbox.attempt import attempt

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("bubblewrap")]

# The limit is there to end a command that is not stopped.
WAIT = "i=0; while [ $i -lt 400 ]; do i=$((i+1)); {}; sleep 0.05; done; echo whole"
READ_SECRET = WAIT.format("if [ -s .env ]; then cat .env; cp .env copy.txt; sleep 8; break; fi")
WRITE_SETTINGS = "touch started; " + WAIT.format("echo '[x]' >> .git/config && sleep 8 && break")
SHORT = "touch started; sleep 3; echo whole"


def replace(path: Path, text: str) -> None:
    """Write a file as an editor does: a new one, in the place of the old one."""
    draft = path.with_name("draft")
    draft.write_text(text)
    draft.rename(path)


def run(
    place: Path,
    command: str,
    level: SandboxLevel,
    meanwhile: Callable[[], object],
    git: GitAccess = "read",
) -> CommandDone:
    """Run a command, and something else once it has started."""

    def act() -> None:
        started = place / "root/started"
        until = time.monotonic() + (1.5 if level == "read" else 60)
        while not started.exists() and time.monotonic() < until:
            time.sleep(0.02)
        meanwhile()

    other = threading.Thread(target=act)
    other.start()
    try:
        return attempt("bubblewrap", place, command, level, git=git)
    finally:
        other.join()


@pytest.mark.parametrize("level", ["read", "write"])
def test_a_secret_that_is_replaced_is_not_shown_and_stops_the_command(
    place: Path, level: SandboxLevel
) -> None:
    secret = place / "root/.env"
    command = READ_SECRET if level == "read" else f"touch started; {READ_SECRET}"
    done = run(place, command, level, lambda: replace(secret, "KEY=hunter3\n"))
    assert "hunter3" not in done.output
    assert (done.exit_code, done.signal) == (None, "SIGKILL")
    assert done.blocked == (
        ".env was replaced by another program while the command ran, and was no longer kept from "
        "it. So the command was stopped; run it again."
    )


def test_a_secret_that_is_changed_in_its_place_or_removed_stops_nothing(place: Path) -> None:
    root = place / "root"

    def change() -> None:
        (root / ".env").write_text("KEY=hunter3\n")
        (root / "sub/.env").unlink()

    done = run(place, f"{SHORT}; cat .env", "write", change)
    assert (done.exit_code, done.output) == (0, "whole\n")


def test_git_replaces_no_settings_while_a_git_command_may_write_beside_them(place: Path) -> None:
    root = place / "root"
    before = (root / ".git/config").read_text()
    tried: list[subprocess.CompletedProcess[bytes]] = []

    def configure() -> None:
        words = ["git", "config", "foo.bar", "1"]
        tried.append(subprocess.run(words, cwd=root, check=False, capture_output=True))

    done = run(place, SHORT, "write", configure, git="write")
    assert done.exit_code == 0
    assert b"could not lock config file" in tried[0].stderr
    assert (root / ".git/config").read_text() == before
    configure()
    assert tried[1].returncode == 0


def test_settings_that_are_replaced_nevertheless_are_put_back(place: Path) -> None:
    config = place / "root/.git/config"
    before = config.read_text()
    config.chmod(0o600)
    done = run(
        place, WRITE_SETTINGS, "write", lambda: replace(config, f"{before}[y]\n"), git="write"
    )
    assert config.read_text() == before
    assert config.stat().st_mode & 0o777 == 0o600
    assert config.with_name("config.replaced").read_text().startswith(f"{before}[y]\n")
    assert "stopped" in done.blocked
    assert ".git/config was put back" in done.blocked


def test_the_settings_stay_locked_until_the_last_command_in_any_worktree_ends(place: Path) -> None:
    root = place / "root"
    lock = root / ".git/config.lock"
    words = ["git", "worktree", "add", "-q", str(place / "linked/root")]
    subprocess.run(words, cwd=root, check=True)
    seen: list[bool] = []

    def run_other() -> None:
        (place / "linked/state").symlink_to(place / "state")
        attempt("bubblewrap", place / "linked", "git status", "write", git="write")
        seen.append(lock.is_dir())

    assert run(place, SHORT, "write", run_other, git="write").exit_code == 0
    assert seen == [True]
    assert not lock.exists()


def test_no_file_that_a_running_command_must_not_read_is_written_by_holdfast(place: Path) -> None:
    root = place / "root"
    (root / "plain.txt").hardlink_to(root / ".env")
    running = RunningCommands(place / "state")
    seen: dict[str, bool] = {}

    def write() -> None:
        for name in ("a.txt", ".env", "sub/new/.env", "plain.txt"):
            try:
                with running.kept_from([str(root / name)]):
                    seen[name] = True
            except FileInUse:
                seen[name] = False

    assert run(place, SHORT, "write", write).exit_code == 0
    assert seen == {"a.txt": True, ".env": False, "sub/new/.env": False, "plain.txt": False}
    write()
    assert set(seen.values()) == {True}


def test_a_command_that_was_killed_keeps_nobody_from_writing(place: Path) -> None:
    running = RunningCommands(place / "state")
    with running.record([str(place / "root")]):
        records = list((place / "state/sandbox/running").iterdir())
    left = next(path for path in records if path.name != "lock")
    left.write_text(f"root {place / 'root'}\0")
    with running.kept_from([str(place / "root/.env")]):
        assert not left.exists()
