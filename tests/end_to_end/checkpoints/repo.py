"""A real repository (or plain folder) for the tests of checkpoints, and the commands run on it in this process."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from typer.testing import CliRunner

from holdfast.adapters.places.worktree_folder import worktree_folder
from holdfast.cli.app import app

Entry: TypeAlias = tuple[str, bytes, int]
Tree: TypeAlias = dict[bytes, Entry]

_QUIET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "User",
    "GIT_AUTHOR_EMAIL": "user@example.com",
    "GIT_COMMITTER_NAME": "User",
    "GIT_COMMITTER_EMAIL": "user@example.com",
}


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> dict[str, Any]:
        """The JSON object that is all of standard output."""
        told = json.loads(self.out)
        assert isinstance(told, dict)
        return told

    @property
    def why(self) -> str:
        """The words of a refusal."""
        assert self.code == 1, (self.out, self.err)
        return " ".join(each["message"] for each in self.told["refusals"])


def bring_back(kept: Path, scene: Path) -> None:
    """Make a scene as the kept one is. Its root stays the same folder: another one would be another project."""
    for part in scene.iterdir():
        if part.name != "root":
            shutil.rmtree(part)
            continue
        for entry in part.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
    shutil.copytree(kept, scene, symlinks=True, dirs_exist_ok=True)


class Folder:
    """A directory with files; not a repository unless `init` was called."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def init(self) -> Folder:
        self.git("init", "-q", "-b", "main")
        return self

    # Files.

    def path(self, name: str | bytes) -> Path:
        return self.root / os.fsdecode(name)

    def write(self, name: str | bytes, data: bytes | str = b"", mode: int | None = None) -> Path:
        file = self.path(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode() if isinstance(data, str) else data)
        if mode is not None:
            file.chmod(mode)
        return file

    def link(self, name: str, to: str) -> None:
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).symlink_to(to)

    def tree(self) -> Tree:
        """Give all that is below the root but its own `.git`."""
        found: Tree = {}
        for directory, names, files in os.walk(self.root):
            here = Path(directory)
            if here == self.root and ".git" in names + files:
                (names if ".git" in names else files).remove(".git")
            for place in (
                *(here / name for name in files),
                *(here / name for name in names if (here / name).is_symlink()),
            ):
                found[os.fsencode(place.relative_to(self.root))] = entry_of(place)
        return found

    # Git.

    def git(
        self, *words: str, check: bool = True, given: bytes | None = None, **variables: str
    ) -> str:
        ran = subprocess.run(
            ["git", "-c", "commit.gpgSign=false", *words],
            cwd=self.root,
            env={**clean_environment(), **_QUIET, **variables},
            capture_output=True,
            input=given,
            check=False,
        )
        assert not check or ran.returncode == 0, ran.stderr.decode()
        return ran.stdout.decode("utf-8", "surrogateescape")

    def commit(self, message: str = "commit") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message, "--no-verify", "--allow-empty")
        return self.git("rev-parse", "HEAD").strip()

    def git_dir(self) -> Path:
        return Path(self.git("rev-parse", "--absolute-git-dir").strip())

    def users(self) -> dict[str, object]:
        """Give what is the user's in git, byte for byte: HEAD, index, merge state, refs, stash and its log."""
        git_dir = self.git_dir()
        common = self.root / self.git("rev-parse", "--git-common-dir").strip()
        files = [
            git_dir / name
            for name in ("HEAD", "index", "MERGE_HEAD", "MERGE_MSG", "ORIG_HEAD", "logs/HEAD")
        ]
        files += [common / name for name in ("config", "logs/refs/stash", "info/exclude")]
        refs = self.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return {
            **{str(file): file.read_bytes() if file.exists() else None for file in files},
            "index time": (git_dir / "index").stat().st_mtime_ns
            if (git_dir / "index").exists()
            else None,
            "refs": refs,
        }

    # The private repository.

    def private_dir(self) -> Path:
        """Give the private repository of this root in the state directory, which need not exist."""
        folder = worktree_folder(Path(os.environ["HOLDFAST_STATE_DIR"]), self.root.resolve())
        return folder / "checkpoints.git"

    def private(self, *words: str, check: bool = True) -> str:
        return self.git(*words, check=check, GIT_DIR=str(self.private_dir()))

    def names_in(self, checkpoint: str) -> list[str]:
        told = self.private("ls-tree", "-r", "-z", "--name-only", ref_of(checkpoint))
        return told.split("\0")[:-1]

    def ids(self) -> list[str]:
        if not self.private_dir().is_dir():
            return []
        told = self.private("for-each-ref", "--format=%(refname)", "refs/holdfast/checkpoints/")
        return [line.rpartition("/")[2] for line in told.splitlines()]

    # The commands.

    def run(self, *words: str, root: Path | None = None) -> Ran:
        words = ("checkpoint", *words, "--root", str(root or self.root))
        ran = CliRunner().invoke(app, list(words), env={"NO_COLOR": "1"})
        assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
        return Ran(ran.exit_code, ran.stdout, ran.stderr)

    def run_bound(self, *words: str) -> Ran:
        """Run a command in a process that permissions hold for, whoever runs the tests."""
        command = [
            sys.executable,
            "-m",
            "holdfast.cli.main",
            "checkpoint",
            *words,
            "--root",
            str(self.root),
        ]
        if os.getuid() == 0:
            setpriv = shutil.which("setpriv")
            if setpriv is None:
                pytest.skip("root may write everywhere, and there is no setpriv to change that")
            command = [setpriv, "--bounding-set=-dac_override,-dac_read_search,-fowner", *command]
        ran = subprocess.run(command, capture_output=True, check=False)
        return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    def create(self, *words: str) -> dict[str, Any]:
        ran = self.run("create", "--json", *words)
        assert ran.code == 0, (ran.out, ran.err)
        return ran.told

    def checkpoint(self) -> str:
        return str(self.create()["id"])

    def restore(self, wanted: str, *words: str) -> dict[str, Any]:
        ran = self.run("restore", wanted, "--json", *words)
        assert ran.code == 0, (ran.out, ran.err)
        return ran.told

    def undo(self) -> dict[str, Any]:
        ran = self.run("undo", "--json")
        assert ran.code == 0, (ran.out, ran.err)
        return ran.told


def ref_of(checkpoint: str) -> str:
    return f"refs/holdfast/checkpoints/{checkpoint}"


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def entry_of(place: Path) -> Entry:
    there = place.lstat()
    mode = stat.S_IMODE(there.st_mode)
    if stat.S_ISLNK(there.st_mode):
        return "link", os.fsencode(place.readlink()), 0
    if not stat.S_ISREG(there.st_mode):
        return "other", b"", mode
    return "file", place.read_bytes(), mode


def standard(repo: Folder) -> Folder:
    """Have one of each: committed, staged, unstaged, untracked and ignored files, a stash, modes."""
    repo.init()
    repo.write("src/app.py", "print('one')\n")
    repo.write("src/util.py", "x = 1\n")
    repo.write("run.sh", "#!/bin/sh\n", 0o755)
    repo.write("docs/a.md", "a\n")
    repo.write(".gitignore", "*.log\n.env\ncache/\n")
    repo.commit()
    repo.write("src/util.py", "x = 'stashed'\n")
    repo.git("stash", "-q")
    repo.write("src/app.py", "print('staged')\n")
    repo.git("add", "src/app.py")
    repo.write("src/app.py", "print('unstaged')\n")
    repo.write("notes.txt", "untracked\n")
    repo.write(".env", "SECRET=1\n", 0o600)
    repo.write("debug.log", "log\n")
    repo.write("cache/big.bin", "cached\n")
    return repo


def ravage(repo: Folder) -> None:
    """Do to the standard files what an agent may do."""
    repo.write("src/app.py", "print('agent')\n")
    repo.path("src/util.py").unlink()
    repo.path("run.sh").chmod(0o644)
    repo.path("docs/a.md").rename(repo.path("docs/b.md"))
    repo.write("notes.txt", "agent\n")
    repo.write("new/deep/file.txt", "new\n")
    repo.write("debug.log", "agent's log\n")
