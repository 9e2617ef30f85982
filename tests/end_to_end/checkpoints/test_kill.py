"""kill -9 in the middle of a checkout, of git or of the command: the next command finishes or goes back.

Kills of the commands themselves, at each effect, are in `going_back/combined_kills`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.checkpoints.repo import Folder

COMMAND = [sys.executable, "-m", "holdfast.cli.main", "checkpoint"]


# A git that writes some of the files of a checkout, cuts one short, and then kills itself or the command, once.
_ASSASSIN = """#!/bin/sh
case "$*" in *"read-tree -m -u"*)
  if [ ! -e {once} ]; then
    touch {once}
    for tree; do :; done
    number=0
    for file in many/*.dat; do
      number=$((number + 1))
      if [ $number -eq {at} ]; then
        {git} cat-file blob "$tree:$file" | head -c 3 > "$file"
        {kill}
        break
      fi
      {git} cat-file blob "$tree:$file" > "$file"
    done
  fi;;
esac
exec {git} "$@"
"""


def _assassin(tmp_path: Path, at: int, kill: str) -> dict[str, str]:
    """Give the environment with such a git."""
    git = shutil.which("git")
    script = tmp_path / "bin" / "git"
    script.parent.mkdir()
    script.write_text(_ASSASSIN.format(once=tmp_path / "once", at=at, kill=kill, git=git))
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{script.parent}:{os.environ['PATH']}"}


def _need_git(repo: Folder) -> None:
    """Put a directory in the place of a file: git restores that."""
    repo.path("notes.txt").unlink()
    repo.write("notes.txt/inner.txt", "agent\n")


# A command that cuts a file of the checkout short, and then kills itself.
_SUICIDE = """
import os, signal, sys
from holdfast.adapters.git.objects.file_writer import FileWriter
from holdfast.cli.app import app
write, calls = FileWriter.write, []
def write_or_die(self, file):
    calls.append(file)
    if len(calls) < int(sys.argv[1]):
        return write(self, file)
    with open(self._root + b"/" + file.path, "wb") as cut:
        cut.write(file.content[:3])
    os.kill(os.getpid(), signal.SIGKILL)
FileWriter.write = write_or_die
app(sys.argv[2:])
"""


@pytest.mark.e2e
@pytest.mark.parametrize("at", [1, 4, 8])
def test_a_kill_while_the_command_writes_files_is_exact_after_a_rerun_and_an_undo(
    repo: Folder, at: int
) -> None:
    for number in range(8):
        repo.write(f"many/{number}.dat", f"{number}\n" * 1000)
    taken, then = repo.checkpoint(), repo.tree()
    for number in range(8):
        repo.write(f"many/{number}.dat", f"agent {number}\n")
    repo.write("many/new.txt", "new\n")
    repo.path("notes.txt").unlink()
    now, users = repo.tree(), repo.users()
    words = ["checkpoint", "restore", taken, "--json", "--root", str(repo.root)]
    killed = subprocess.run([sys.executable, "-c", _SUICIDE, str(at), *words], check=False)
    assert killed.returncode == -9
    assert repo.tree() not in (now, then)
    repo.restore(taken)
    assert repo.tree() == then
    repo.undo()
    assert (repo.tree(), repo.users()) == (now, users)


@pytest.mark.e2e
@pytest.mark.parametrize("killed", ["command, then git", "git", "command"])
@pytest.mark.parametrize("at", [1, 4, 8])
def test_a_kill_in_the_middle_of_the_checkout_is_exact_after_a_rerun_and_an_undo(
    repo: Folder, tmp_path: Path, killed: str, at: int
) -> None:
    for number in range(8):
        repo.write(f"many/{number}.dat", f"{number}\n" * 1000)
    taken, then = repo.checkpoint(), repo.tree()
    for number in range(8):
        repo.write(f"many/{number}.dat", f"agent {number}\n")
    repo.write("many/new.txt", "new\n")
    _need_git(repo)
    now, users = repo.tree(), repo.users()
    kill = {"git": "kill -9 $$", "command": "kill -9 $PPID"}.get(
        killed, "kill -9 $PPID; kill -9 $$"
    )
    ran = subprocess.run(
        [*COMMAND, "restore", taken, "--json", "--root", str(repo.root)],
        capture_output=True,
        check=False,
        env=_assassin(tmp_path, at, kill),
    )
    if killed == "git":
        # The command noticed, and went back by itself.
        assert ran.returncode == 1
        assert repo.tree() == now
    else:
        assert ran.returncode == -9
    repo.restore(taken)
    assert (tmp_path / "once").exists()
    assert repo.tree() == then
    repo.undo()
    assert repo.tree() == now
    assert repo.users() == users


@pytest.mark.e2e
def test_an_edit_after_a_crash_is_not_lost_by_the_command_that_finishes(
    repo: Folder, tmp_path: Path
) -> None:
    for number in range(4):
        repo.write(f"many/{number}.dat", f"{number}\n")
    taken, then = repo.checkpoint(), repo.tree()
    for number in range(4):
        repo.write(f"many/{number}.dat", f"agent {number}\n")
    _need_git(repo)
    subprocess.run(
        [*COMMAND, "restore", taken, "--root", str(repo.root)],
        capture_output=True,
        check=False,
        env=_assassin(tmp_path, 2, "kill -9 $PPID; kill -9 $$"),
    )
    repo.write("many/3.dat", "by hand, after the crash\n")
    halfway = repo.tree()
    ran = repo.run("list", "--json")
    assert "was interrupted; the next command that writes settles it" in ran.err
    assert [each["kind"] for each in ran.told["open"]] == ["restore"]
    assert repo.tree() == halfway
    ran = repo.run("prune", "--keep", "200", "--json")
    assert "stopped halfway: it is now finished" in ran.err
    assert [each["outcome"] for each in ran.told["recovered"]] == ["finished"]
    assert repo.tree() == then
    ran = repo.run("list", "--json")
    assert (ran.err, "open" in ran.told) == ("", False)
    point = next(each for each in ran.told["checkpoints"] if each["kind"] == "interrupted")
    assert repo.private("show", f"{point['commit']}:many/3.dat") == "by hand, after the crash\n"
