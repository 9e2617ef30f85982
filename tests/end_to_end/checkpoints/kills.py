"""Kill a checkpoint, restore, undo and prune at every effect they have, and look what the next command makes of it.

Run as a program, in a process of its own: it forks a child for every kill. An effect is a change that our process makes
on the disk, or a call of git; a child that dies right after it has called git leaves a git at work, which must not be
in the way of the next command. It prints one JSON object: how many kills of each kind, and every failure.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.adapters.git import git_command
from holdfast.usecases.checkpoints.checkpoint import Created, create_checkpoint, prune_checkpoints
from holdfast.usecases.checkpoints.restore import restore, undo_restore
from holdfast.usecases.settled import Restored
from holdfast.usecases.workspace import NothingDone
from holdfast.wiring.worktrees import open_worktrees
from tests.end_to_end import effects
from tests.end_to_end.checkpoints.repo import Folder, Tree, bring_back, ravage, standard
from tests.end_to_end.effects import When


class Stage:
    """Scenes that are kept, and brought back before every kill."""

    def __init__(self, place: Path, *, plain: bool) -> None:
        self.place = place
        self.repo = Folder(place / "scene" / "root")
        os.environ["HOLDFAST_STATE_DIR"] = str(place / "scene" / "state")
        self.plain = plain
        self.failures: list[str] = []
        self.kills: dict[str, int] = {}

    # The acts.

    def create(self) -> object:
        return create_checkpoint(open_worktrees(self.repo.root), "killed")

    def restore(self, wanted: str) -> object:
        return restore(wanted, open_worktrees(self.repo.root))

    def undo(self) -> object:
        return undo_restore(open_worktrees(self.repo.root))

    def prune(self) -> object:
        return prune_checkpoints(open_worktrees(self.repo.root), keep=0)

    # The scenes.

    def keep(self, name: str) -> None:
        shutil.rmtree(self.place / name, ignore_errors=True)
        shutil.copytree(self.place / "scene", self.place / name, symlinks=True)

    def bring_back(self, name: str) -> None:
        bring_back(self.place / name, self.place / "scene")

    # The judgement.

    def must(self, what: str, holds: bool) -> None:
        if not holds:
            self.failures.append(what)

    def users(self) -> dict[str, Any]:
        if self.plain:
            return {}
        told = self.repo.users()
        return {name: value for name, value in told.items() if name != "index time"}

    def judge(self, where: str, allowed: Tree, users: dict[str, Any]) -> None:
        now = self.repo.tree()
        odd = sorted(path for path in {**allowed, **now} if now.get(path) != allowed.get(path))
        self.must(f"{where}: not the tree it must be: {odd[:5]}", not odd)
        self.must(f"{where}: something of the user's has changed", self.users() == users)

    def traced(self, scene: str, act: Callable[[], object]) -> list[str]:
        self.bring_back(scene)
        effects.watch()
        outcome = act()
        effects.stop()
        self.must(f"{scene}: the act is done: {outcome}", not isinstance(outcome, NothingDone))
        return list(effects.seen)

    def kill(
        self, kind: str, scene: str, act: Callable[[], object], point: int, when: When
    ) -> None:
        self.bring_back(scene)
        self.kills[kind] = self.kills.get(kind, 0) + 1
        child = os.fork()
        if child == 0:
            try:
                effects.die_at(point, when)
                act()
            finally:
                os._exit(3)
        status = os.waitpid(child, 0)[1]
        self.must(
            f"{kind} {point} {when}: the child dies by its own hand", status == signal.SIGKILL
        )


def moments(trace: list[str], *, thin: bool) -> list[tuple[int, When]]:
    """Before every effect; right after every call of git, which then is still at work; and after the last one."""
    before: list[tuple[int, When]] = [(point, "before") for point in range(len(trace))]
    orphans: list[tuple[int, When]] = [
        (point, "after") for point, effect in enumerate(trace) if effect.startswith("git ")
    ]
    chosen = [*before, *orphans]
    return [*(chosen[::3] if thin else chosen), (len(trace) - 1, "after")]


def set_scene(stage: Stage) -> tuple[str, Tree, Tree, dict[str, Any]]:
    """Take a checkpoint, ravage the files, and keep that; gives the id, the tree to go back to, and the one now."""
    if stage.plain:
        stage.repo.write("src/app.py", "print('one')\n")
        stage.repo.write("src/util.py", "x = 1\n")
        stage.repo.write("docs/a.md", "a\n")
        stage.repo.write("run.sh", "#!/bin/sh\n", 0o755)
        stage.repo.write("notes.txt", "notes\n")
        stage.repo.write(".gitignore", "*.log\n.env\n")
        stage.repo.write("debug.log", "log\n")
        stage.repo.write(".env", "SECRET=1\n", 0o600)
    else:
        standard(stage.repo)
    stage.keep("before")
    then = stage.repo.tree()
    taken = stage.create()
    assert isinstance(taken, Created), taken
    ravage(stage.repo)
    # In the way: ignored now, and in the checkpoint. And rules that shrank: what was ignored is captured.
    stage.repo.write(".gitignore", ".env\ncache/\nnotes.txt\n")
    stage.repo.write("docs.txt", "d\n")
    stage.keep("ravaged")
    now = stage.repo.tree()
    return taken.checkpoint.id, then, now, stage.users()


def kill_creates(stage: Stage, *, thin: bool) -> None:
    """After a kill anywhere nothing has moved, and the next checkpoint holds everything."""
    for scene in ("before", "ravaged"):
        stage.bring_back(scene)
        tree, users = stage.repo.tree(), stage.users()
        trace = stage.traced(scene, stage.create)
        whole = stage.create()
        assert isinstance(whole, Created)
        for point, when in moments(trace, thin=thin):
            where = f"create ({scene}) killed {when} {point} ({trace[point]})"
            stage.kill("create", scene, stage.create, point, when)
            stage.judge(where, tree, users)
            again = stage.create()
            stage.must(f"{where}: the next one is taken: {again}", isinstance(again, Created))
            if isinstance(again, Created):
                stage.must(
                    f"{where}: it holds the same",
                    again.checkpoint.present.tree == whole.checkpoint.present.tree,
                )
            stage.judge(f"{where}, then again", tree, users)


def kill_restores(stage: Stage, *, thin: bool) -> None:
    """After a kill anywhere a rerun gives the checkpoint's tree, and an undo, then or at once, the one before."""
    stage.bring_back("ravaged")
    trace = stage.traced("ravaged", lambda: stage.restore(ID[0]))
    stage.judge("restore, not killed", THEN[0], USERS[0])
    for point, when in moments(trace, thin=thin):
        where = f"restore killed {when} {point} ({trace[point]})"
        stage.kill("restore", "ravaged", lambda: stage.restore(ID[0]), point, when)
        stage.must(f"{where}: something of the user's has changed", stage.users() == USERS[0])
        # A git that outlived the child may still be at work; to copy before it has ended would copy a moving thing.
        wait_for_lock(stage)
        stage.keep("killed")
        again = stage.restore(ID[0])
        stage.must(f"{where}: the rerun is done: {again}", isinstance(again, Restored))
        stage.judge(f"{where}, then again", THEN[0], USERS[0])
        undone = stage.undo()
        stage.must(f"{where}: then undo is done: {undone}", isinstance(undone, Restored))
        stage.judge(f"{where}, then again, then undo", NOW[0], USERS[0])
        stage.bring_back("killed")
        stage.undo()
        stage.judge(f"{where}, then undo", NOW[0], USERS[0])


def kill_undos(stage: Stage, *, thin: bool) -> None:
    """After a kill anywhere a rerun gives the tree before the restore."""
    stage.bring_back("ravaged")
    stage.restore(ID[0])
    stage.keep("restored")
    trace = stage.traced("restored", stage.undo)
    stage.judge("undo, not killed", NOW[0], USERS[0])
    for point, when in moments(trace, thin=thin):
        where = f"undo killed {when} {point} ({trace[point]})"
        stage.kill("undo", "restored", stage.undo, point, when)
        stage.undo()
        stage.judge(f"{where}, then again", NOW[0], USERS[0])


def kill_prunes(stage: Stage, *, thin: bool) -> None:
    """After a kill anywhere nothing has moved, a rerun removes all, and the next checkpoint can be gone back to."""
    stage.bring_back("restored")
    tree, users = stage.repo.tree(), stage.users()
    for point, when in moments(stage.traced("restored", stage.prune), thin=thin):
        where = f"prune killed {when} {point}"
        stage.kill("prune", "restored", stage.prune, point, when)
        stage.judge(where, tree, users)
        again = stage.prune()
        stage.must(f"{where}: the rerun is done: {again}", not isinstance(again, NothingDone))
        stage.judge(f"{where}, then again", tree, users)
        taken = stage.create()
        assert isinstance(taken, Created), (where, taken)
        stage.repo.write("src/app.py", "later\n")
        stage.restore(taken.checkpoint.id)
        stage.judge(f"{where}, then a checkpoint and back", tree, users)


def kill_recoveries(stage: Stage, *, thin: bool) -> None:
    """Kill a restore in the middle of its checkout, then its recovery anywhere: the next one still gets there."""
    stage.bring_back("ravaged")
    trace = stage.traced("ravaged", lambda: stage.restore(ID[0]))
    checkout = (
        next(
            at
            for at, effect in enumerate(trace)
            if effect.startswith("replace") and ".restore" in effect
        )
        + 1
    )
    stage.kill(
        "restore, to recover from", "ravaged", lambda: stage.restore(ID[0]), checkout + 1, "before"
    )
    # Half of the checkout, by hand: one file is there, one is cut short, one is gone.
    stage.repo.write("src/app.py", THEN[0][b"src/app.py"][1])
    stage.repo.write("src/util.py", THEN[0][b"src/util.py"][1][:3])
    stage.repo.path("docs/b.md").unlink()
    stage.keep("halfway")
    recovery = stage.traced("halfway", lambda: stage.restore(ID[0]))
    stage.judge("recovery, not killed", THEN[0], USERS[0])
    for point, when in moments(recovery, thin=thin):
        where = f"recovery killed {when} {point} ({recovery[point]})"
        stage.kill("recovery", "halfway", lambda: stage.restore(ID[0]), point, when)
        again = stage.restore(ID[0])
        stage.must(f"{where}: the rerun is done: {again}", isinstance(again, Restored))
        stage.judge(f"{where}, then again", THEN[0], USERS[0])
        stage.undo()
        stage.judge(f"{where}, then undo", NOW[0], USERS[0])


def wait_for_lock(stage: Stage) -> None:
    with open_worktrees(stage.repo.root).hold(make=True):
        pass


ID: list[str] = []
THEN: list[Tree] = []
NOW: list[Tree] = []
USERS: list[dict[str, Any]] = []


def main() -> None:
    """Do all kills below the directory that is named, and print what came of them."""
    thin = "--thin" in sys.argv
    effects.install()
    counted: Any = effects._counting("git", git_command.Git.start)
    git_command.Git.start = counted  # type: ignore[method-assign]
    stage = Stage(Path(sys.argv[1]), plain="--plain" in sys.argv)
    taken, then, now, users = set_scene(stage)
    ID.append(taken)
    THEN.append(then)
    NOW.append(now)
    USERS.append(users)
    kill_creates(stage, thin=thin)
    kill_restores(stage, thin=thin)
    # An undo and a recovery go the same way as a restore.
    kill_undos(stage, thin="--all" not in sys.argv)
    kill_prunes(stage, thin="--all" not in sys.argv)
    kill_recoveries(stage, thin="--all" not in sys.argv)
    print(json.dumps({"kills": stage.kills, "failures": stage.failures}))


if __name__ == "__main__":
    main()
