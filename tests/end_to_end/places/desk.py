"""Folders, repositories and linked worktrees, and the commands run in any of their directories."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from holdfast.cli.app import app
from holdfast.testing import Reply, ScriptedServer, say
from tests.end_to_end.checkpoints.repo import Ran

_USER = ("-c", "user.name=User", "-c", "user.email=user@example.com")


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that has run: its session, its exit code, what it said besides, and the requests."""

    session: str
    code: int
    err: str
    requests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Desk:
    """The directory that all folders of a test are in."""

    place: Path
    monkeypatch: pytest.MonkeyPatch

    @property
    def state(self) -> Path:
        return self.place / "state"

    def folder(self, name: str, **texts: str) -> Path:
        """Make a folder without git, with `a.txt`."""
        root = self.place / name
        root.mkdir()
        for file, text in {"a": "one\n", **texts}.items():
            (root / f"{file}.txt").write_text(text)
        return root

    def repository(self, name: str, **texts: str) -> Path:
        """Make a repository with one commit."""
        root = self.folder(name, **texts)
        self.git(root, "init", "-q", "-b", "main")
        self.git(root, "add", "-A")
        self.git(root, *_USER, "commit", "-q", "-m", "1")
        return root

    def worktree(self, main: Path, name: str) -> Path:
        """Make a linked worktree of a repository."""
        root = self.place / name
        self.git(main, "worktree", "add", "-q", str(root), "-b", name)
        return root

    def git(self, root: Path, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
        return done.stdout.decode()

    def run(self, here: Path, *words: str, reply: str = "") -> Ran:
        """Run a command in a directory, without `--root` unless the words have it."""
        self.monkeypatch.chdir(here)
        ran = CliRunner().invoke(app, list(words), input=reply, env={"NO_COLOR": "1"})
        assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
        return Ran(ran.exit_code, ran.stdout, ran.stderr)

    def json(self, here: Path, *words: str, reply: str = "") -> dict[str, Any]:
        """Run a command that succeeds, and return what it told."""
        ran = self.run(here, *words, "--json", reply=reply)
        assert ran.code == 0, (ran.out, ran.err)
        return ran.told

    def turn(self, here: Path, *script: Reply, options: tuple[str, ...] = ()) -> Turn:
        """Run a turn in a directory, with a scripted model that says so."""
        with ScriptedServer(script, otherwise=say("Done.")) as server:
            words = ["run", "Do it.", "--json", "--base-url", server.base_url]
            ran = self.run(here, *words, "--approve", "auto", *options)
            requests = tuple(json.dumps(each.body) for each in server.requests)
        last = json.loads(ran.out.splitlines()[-1])
        return Turn(last["session"], ran.code, ran.err, requests)

    def apply(self, here: Path, old: str, new: str, *words: str) -> Ran:
        """Replace a text in `a.txt`."""
        edit = json.dumps({"path": "a.txt", "old": old, "new": new})
        return self.run(here, *(words or ("apply",)), "--json", reply=edit)

    def checkpoint(self, here: Path) -> str:
        """Take a checkpoint, and return its id."""
        taken = self.json(here, "checkpoint", "create")["id"]
        assert isinstance(taken, str)
        return taken

    def checkpoints(self, here: Path) -> dict[str, str]:
        """List the checkpoints: the worktree of each id."""
        listed = self.json(here, "checkpoint", "list")["checkpoints"]
        return {each["id"]: each["worktree"] for each in listed}

    def changes(self, here: Path, *options: str) -> list[dict[str, Any]]:
        """List the changes."""
        listed = self.json(here, "changes", "list", *options)["changes"]
        assert isinstance(listed, list)
        return listed
