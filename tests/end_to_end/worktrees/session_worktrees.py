"""A project of the user, and the commands for worktrees of sessions run on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.cli.app import app
from holdfast.usecases.turns.ports import TurnBegun, TurnRequest
from holdfast.vocab.events import TurnEnded
from holdfast.wiring.late_store import LateStore, StoreProblem
from holdfast.wiring.places import find_place
from tests.end_to_end.checkpoints.repo import Folder, Ran


@dataclass(frozen=True, slots=True)
class Project:
    """The user's repository."""

    user: Folder

    @property
    def root(self) -> Path:
        return self.user.root

    def run(self, *words: str) -> Ran:
        """Run a command on the project, with JSON."""
        ran = CliRunner().invoke(app, [*words, "--json", "--root", str(self.root)])
        assert ran.exception is None or isinstance(ran.exception, SystemExit), ran.exception
        return Ran(ran.exit_code, ran.stdout, ran.stderr)

    def run_here(self, *words: str) -> Ran:
        """Run a command in the project's directory, without `--root`."""
        with chdir(self.root):
            ran = CliRunner().invoke(app, [*words, "--json"])
        return Ran(ran.exit_code, ran.stdout, ran.stderr)

    @contextmanager
    def running_turn(self, session: str, root: Path) -> Iterator[None]:
        """Run a turn of a session in this process, without a model."""
        state = self.state()
        with LateStore(state) as store:
            turns = store.turn_log(find_place(root), TurnLocks(state))
            assert not isinstance(turns, StoreProblem)
            begun = turns.begin(TurnRequest("Go.", "m", "s", "t", session), lambda _: ())
            assert isinstance(begun, TurnBegun)
            try:
                yield
            finally:
                turns.end(begun, (), TurnEnded("done", "", 0, 0, 0))

    def worktree(self, *words: str) -> dict[str, Any]:
        """Run a command of worktrees that succeeds, and return what it told."""
        ran = self.run("worktree", *words)
        assert ran.code == 0, (ran.out, ran.err)
        return ran.told

    def refused(self, *words: str) -> str:
        """Run a command of worktrees that is refused, and return why."""
        ran = self.run("worktree", *words)
        assert ran.code == 1, (ran.out, ran.err)
        assert ran.told["outcome"] == "refused"
        return " ".join(ran.told["problems"])

    def new(self, *words: str) -> tuple[str, Folder]:
        """Make a worktree; return its session and its folder."""
        made = self.worktree("new", *words)
        return made["session"], Folder(Path(made["path"]))

    def users(self) -> dict[str, object]:
        """Return all that is the user's, byte for byte, but for the refs of worktrees."""
        kept = self.user.users()
        refs = [each for each in kept["refs"] if "/holdfast/" not in each]  # type: ignore[attr-defined]
        times = {
            str(file): file.lstat().st_mtime_ns
            for file in self.root.rglob("*")
            if ".git" not in file.relative_to(self.root).parts and not file.is_dir()
        }
        return {**kept, "refs": refs, "files": self.user.tree(), "times": times}

    def session_refs(self) -> list[str]:
        told = self.user.git(
            "for-each-ref", "--format=%(refname)", "refs/heads/holdfast", "refs/holdfast"
        )
        return told.split()

    def state(self) -> Path:
        return Path(os.environ["HOLDFAST_STATE_DIR"])

    def sessions(self) -> dict[str, str]:
        """Return the state of each worktree on record."""
        return {each["session"]: each["state"] for each in self.worktree("list")["worktrees"]}
