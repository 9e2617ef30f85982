"""Ways to take a snapshot and to go back to it: ours, the naive one, and the git sequences of other tools.

The sequences are written from what the tools are publicly known to run; nothing of theirs is copied. Only git is
measured, and for cline the search for nested repositories: what their own processes add is not.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from bench.checkpoints.scene import Scene, environment, nested_repositories
from holdfast.adapters.processes.turn_processes import TurnProcesses
from holdfast.adapters.store.running_turns import StoredRunningTurns
from holdfast.usecases.checkpoints.checkpoint import Created, create_checkpoint
from holdfast.usecases.checkpoints.restore import restore
from holdfast.usecases.checkpoints.restore_ports import (
    CheckpointElsewhere,
    Conversations,
    Exchanged,
)
from holdfast.usecases.sessions.ports import RunningTurn, RunningTurns
from holdfast.usecases.workspace import NothingDone
from holdfast.wiring.state_directory import state_directory
from holdfast.wiring.worktrees import GitWorktrees, open_worktrees


class Recipe(Protocol):
    """One way. `restores_undo` says whether a restore of it can itself be undone."""

    name: str
    restores_undo: bool

    def forget(self) -> None:
        """Leave nothing behind: the next snapshot is the first."""
        ...

    def keep_ignored(self, *, on: bool) -> bool:
        """Keep ignored files too, or not; return whether the recipe can."""
        ...

    def snapshot(self) -> str:
        """Take one; gives what `restore` needs."""
        ...

    def restore(self, taken: str) -> None:
        """Go back to one."""
        ...

    def settle(self) -> None:
        """Undo what a restore has done to the user's own HEAD and index, so that the next measurement begins alike."""
        ...


class NoTranscript:
    """A store that records nothing."""

    def record(self, *_: object) -> None:
        """Record nothing."""

    def following(self, _: object) -> None:
        """Know no place."""

    def exchange(self, *_: object, **__: object) -> Exchanged:
        """Exchange nothing."""
        return Exchanged()

    def forget(self, *_: object) -> None:
        """Forget nothing."""

    def changes_differ(self, *_: object) -> bool:
        """Know no changes."""
        return False

    def elsewhere(self) -> tuple[CheckpointElsewhere, ...]:
        """Know no others."""
        return ()

    def last_event(self) -> int:
        """Know no events."""
        return 0


class NoBackend:
    """No agents."""

    def refuse_waiting(self, session: str) -> None:
        """Refuse nothing."""

    def evict(self, *_: object) -> bool:
        """Evict nobody."""
        return False


class NoTurns(StoredRunningTurns):
    """No turns on record; their processes are looked for all the same."""

    def __init__(self) -> None:
        self._processes = TurnProcesses(state_directory())

    def at_work(self, _: object) -> tuple[RunningTurn, ...]:
        """Know of no turn."""
        return ()

    def end_processes(self, *_: object, **__: object) -> tuple[int, ...]:
        """End none: there is no turn."""
        return ()

    def end_left_processes(self, *_: object, **__: object) -> tuple[int, ...]:
        """End none: those that are found belong to no turn on record."""
        self._processes.found()
        return ()


class UnrecordedWorktrees(GitWorktrees):
    """Checkpoints without the store, whose cost `bench.store` measures."""

    @property
    def conversations(self) -> Conversations:
        """No conversations."""
        return Conversations(NoTranscript(), NoBackend())

    @contextmanager
    def running_turns(self) -> Iterator[RunningTurns]:
        """No turns on record."""
        yield NoTurns()


class Ours:
    """Our own, called as a library, without the record in the store."""

    name = "holdfast"
    restores_undo = True

    def __init__(self, scene: Scene, _: Path) -> None:
        self.scene = scene
        self.worktrees: GitWorktrees = UnrecordedWorktrees(
            scene.root, state_directory(), lambda _: None
        )

    def forget(self) -> None:
        shutil.rmtree(state_directory() / "worktrees", ignore_errors=True)

    def keep_ignored(self, *, on: bool) -> bool:
        os.environ.pop("HOLDFAST_IGNORED_FILES", None)
        if not on:
            # The least that the setting can be: the folder of ignored files is over the budget.
            os.environ["HOLDFAST_IGNORED_FILES"] = "1"
        return True

    def snapshot(self) -> str:
        taken = create_checkpoint(self.worktrees)
        assert isinstance(taken, Created), taken
        return taken.checkpoint.id

    def restore(self, taken: str) -> None:
        done = restore(taken, self.worktrees)
        assert not isinstance(done, NothingDone), done

    def settle(self) -> None:
        pass


class Recorded(Ours):
    """Our own, called as a library, with the record in the store."""

    name = "holdfast, on record"

    def __init__(self, scene: Scene, place: Path) -> None:
        super().__init__(scene, place)
        self.worktrees = open_worktrees(scene.root)


class OurCommand(Ours):
    """Our own, as the command: with the start of Python."""

    name = "holdfast, the command"

    def snapshot(self) -> str:
        return str(self._run("create")["id"])

    def restore(self, taken: str) -> None:
        self._run("restore", taken)

    def _run(self, *words: str) -> dict[str, object]:
        command = [sys.executable, "-m", "holdfast.cli.main", "checkpoint", *words, "--json"]
        ran = subprocess.run(
            [*command, "--root", str(self.scene.root)], check=True, stdout=subprocess.PIPE
        )
        told = json.loads(ran.stdout)
        assert isinstance(told, dict)
        return told


class Naive:
    """An empty index each time; back by `reset --hard` and `clean -fd`, which moves the user's branch."""

    name = "naive"
    restores_undo = False

    def __init__(self, scene: Scene, place: Path) -> None:
        self.scene = scene
        self.index = place / "naive-index"
        self.taken = 0

    def forget(self) -> None:
        forget_refs(self.scene, "refs/naive/")
        self.scene.git("prune", "--expire=now")

    def keep_ignored(self, *, on: bool) -> bool:
        return not on

    def snapshot(self) -> str:
        self.index.unlink(missing_ok=True)
        self.taken += 1
        self._git("read-tree", "HEAD")
        self._git("add", "-A")
        commit = self._git("commit-tree", self._git("write-tree"), "-p", "HEAD", "-m", "snapshot")
        self._git("update-ref", f"refs/naive/{self.taken}", commit)
        return commit

    def restore(self, taken: str) -> None:
        self.scene.git("reset", "-q", "--hard", taken)
        self.scene.git("clean", "-q", "-f", "-d")

    def settle(self) -> None:
        self.scene.git("reset", "-q", "--mixed", self.scene.base)

    def _git(self, *words: str) -> str:
        return self.scene.git(*words, GIT_INDEX_FILE=str(self.index))


class Shadow:
    """A repository of the tool's own, whose worktree is the user's."""

    name = ""
    restores_undo = False

    def __init__(self, scene: Scene, place: Path) -> None:
        self.scene = scene
        self.git_dir = place / f"{self.name}.git"

    def forget(self) -> None:
        shutil.rmtree(self.git_dir, ignore_errors=True)

    def settle(self) -> None:
        pass

    def keep_ignored(self, *, on: bool) -> bool:
        return not on

    def snapshot(self) -> str:
        raise NotImplementedError

    def restore(self, taken: str) -> None:
        raise NotImplementedError

    def begin(self, *options: str) -> bool:
        """Make the repository; whether it was not there."""
        if self.git_dir.exists():
            return False
        self.git("init", "-q", *options)
        return True

    def git(self, *words: str) -> str:
        return self.scene.git(*words, GIT_DIR=str(self.git_dir), GIT_WORK_TREE=str(self.scene.root))

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        env = {**environment(), "GIT_DIR": str(self.git_dir), "GIT_WORK_TREE": str(self.scene.root)}
        return subprocess.Popen(
            ["git", *words], cwd=self.scene.root, env=env, stdout=subprocess.PIPE
        )


class Opencode(Shadow):
    """Looks first, adds everything if anything differs, and keeps a tree without a commit."""

    name = "opencode"

    def snapshot(self) -> str:
        if self.begin():
            for name, value in (
                ("core.autocrlf", "false"),
                ("core.longpaths", "true"),
                ("core.symlinks", "true"),
            ):
                self.git("config", name, value)
            self.git("config", "core.fsmonitor", "false")
        self.scene.git("rev-parse", "--path-format=absolute", "--git-path", "info/exclude")
        looking = [
            self.start("diff-files", "--name-only", "-z", "--", "."),
            self.start("ls-files", "--others", "--exclude-standard", "-z", "--", "."),
        ]
        found = [child.communicate()[0] for child in looking]
        for path in b"".join(found).split(b"\0"):
            # Large files are left out; so each is looked at.
            (self.scene.root / os.fsdecode(path)).stat()
        if any(found):
            self.git("add", "--sparse", ".")
        return self.git("write-tree")

    def restore(self, taken: str) -> None:
        self.git("read-tree", taken)
        self.git("checkout-index", "-a", "-f")


class Roo(Shadow):
    """Adds everything and commits each time; back by `clean` and `reset --hard`."""

    name = "Roo"

    def snapshot(self) -> str:
        if self.begin("--template="):
            for name, value in (
                ("commit.gpgSign", "false"),
                ("user.name", "x"),
                ("user.email", "x@localhost"),
            ):
                self.git("config", name, value)
            self.git("add", ".", "--ignore-errors")
            self.git("commit", "-q", "-m", "initial commit", "--allow-empty")
        self.git("add", ".", "--ignore-errors")
        self.git("commit", "-q", "-m", "checkpoint", "--allow-empty")
        return self.git("rev-parse", "HEAD")

    def restore(self, taken: str) -> None:
        self.git("clean", "-q", "-f", "-d", "-f")
        self.git("reset", "-q", "--hard", taken)


class Cline(Shadow):
    """As Roo, and every nested repository is out of the way while files are added."""

    name = "cline"

    def snapshot(self) -> str:
        if self.begin():
            for name, value in (
                ("commit.gpgSign", "false"),
                ("user.name", "x"),
                ("user.email", "x@localhost"),
            ):
                self.git("config", name, value)
            self._add()
            self.git("commit", "-q", "-m", "initial commit", "--allow-empty")
        self._add()
        self.git("commit", "-q", "-m", "checkpoint", "--allow-empty", "--no-verify")
        return self.git("rev-parse", "HEAD")

    def restore(self, taken: str) -> None:
        self.git("reset", "-q", "--hard", taken)

    def _add(self) -> None:
        moved = [
            place.rename(place.with_name(".git_disabled"))
            for place in list(nested_repositories(self.scene.root))
        ]
        self.git("add", ".", "--ignore-errors")
        # The tool does not remember which: it searches for them again.
        found = sum(1 for _, names, _ in os.walk(self.scene.root) if ".git_disabled" in names)
        assert found == len(moved)
        for place in moved:
            place.rename(place.with_name(".git"))


RECIPES: dict[str, Callable[[Scene, Path], Recipe]] = {
    "ours": Ours,
    "recorded": Recorded,
    "command": OurCommand,
    "naive": Naive,
    "opencode": Opencode,
    "roo": Roo,
    "cline": Cline,
}


def forget_refs(scene: Scene, prefix: str) -> None:
    names: Sequence[str] = scene.git("for-each-ref", "--format=%(refname)", prefix).split()
    for name in names:
        scene.git("update-ref", "-d", name)
