"""Kill a restore and an undo of a session at every step, and look whether files and transcript agree afterwards.

Run as a program, as `kills` is, whose machinery this uses; the commit of a transaction in the store is an effect too.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast.adapters.git import git_command
from holdfast.adapters.store.store import open_store
from holdfast.usecases.checkpoints.checkpoint import Listed, list_checkpoints
from holdfast.usecases.locked_workspace import settle_first
from holdfast.usecases.settled import Restored
from holdfast.wiring.workspaces import open_workspace
from holdfast.wiring.worktrees import open_worktrees
from tests.adapters.store.talk import Talk, new_talk
from tests.adapters.store.world import World
from tests.end_to_end import effects
from tests.end_to_end.checkpoints.kills import Stage, moments, wait_for_lock
from tests.end_to_end.checkpoints.repo import Tree, ravage, standard


@dataclass(frozen=True)
class State:
    """The files, all rows but those of undo points, and the refs but theirs."""

    tree: Tree
    rows: dict[str, list[dict[str, Any]]]
    refs: list[str]


@dataclass(frozen=True)
class Scene:
    """A session after two turns, and once more after it was restored to the first."""

    world: World
    first: str
    now: State
    then: State
    users: dict[str, Any]


def look(stage: Stage, world: World) -> State:
    # Any command that writes first finishes what was begun.
    with open_workspace(stage.repo.root) as workspace:
        settle_first(workspace)
    listed = list_checkpoints(open_worktrees(stage.repo.root))
    assert isinstance(listed, Listed), listed
    with open_store(_store_of(stage)) as store:
        rows = Talk(stage.repo, store, world).rows()
    points = {row["id"] for row in rows["checkpoints"] if row["kind"] in {"undo", "undone"}}
    rows["checkpoints"] = [row for row in rows["checkpoints"] if row["id"] not in points]
    refs = sorted(each.id for each in listed.checkpoints if each.draft.kind == "turn")
    return State(stage.repo.tree(), rows, refs)


def agents(stage: Stage, world: World) -> list[str]:
    with open_store(_store_of(stage)) as store:
        return Talk(stage.repo, store, world).at_work()


def _store_of(stage: Stage) -> str:
    return str(stage.place / "scene" / "state" / "holdfast.sqlite3")


def set_scene(stage: Stage) -> Scene:
    standard(stage.repo)
    with open_store(_store_of(stage)) as store:
        talk = new_talk(stage.repo, store)
        first = talk.turn("one")
        ravage(stage.repo)
        talk.turn("two")
        stage.repo.write("src/app.py", "after two\n")
        talk.hire()
    stage.keep("worked")
    now, users = look(stage, talk.world), stage.users()
    stage.restore(first)
    stage.keep("restored")
    then = look(stage, talk.world)
    return Scene(talk.world, first, now, then, users)


def kill_all(
    stage: Stage, scene: Scene, kind: str, start: str, act: Callable[[], object], *, thin: bool
) -> None:
    """After a kill anywhere: any command leaves files and transcript in one state; the same again does it; undo undoes."""
    trace = stage.traced(start, act)
    for point, when in moments(trace, thin=thin):
        where = f"{kind} killed {when} {point} ({trace[point]})"
        stage.kill(kind, start, act, point, when)
        wait_for_lock(stage)
        stage.keep("killed")
        found = look(stage, scene.world)
        stage.must(f"{where}: neither before nor after", found in (scene.now, scene.then))
        if kind == "restore" and found.tree != scene.now.tree:
            evicted = agents(stage, scene.world) == ["cancelled", "crashed"]
            stage.must(f"{where}: the agent was there when the files went", evicted)
        stage.bring_back("killed")
        again = act()
        if kind == "restore":
            stage.must(f"{where}: the rerun is done: {again}", isinstance(again, Restored))
            judge(stage, scene, f"{where}, then again", scene.then)
            stage.undo()
        judge(stage, scene, f"{where}, then again and undone", scene.now)
        stage.bring_back("killed")
        stage.undo()
        judge(stage, scene, f"{where}, then undone", scene.now)


def judge(stage: Stage, scene: Scene, where: str, wanted: State) -> None:
    found = look(stage, scene.world)
    for name in ("tree", "rows", "refs"):
        stage.must(
            f"{where}: the {name} are not what they must be",
            getattr(found, name) == getattr(wanted, name),
        )
    stage.must(f"{where}: something of the user's has changed", stage.users() == scene.users)


def main() -> None:
    """Do all kills below the directory that is named, and print what came of them."""
    effects.install()
    counted: Any = effects._counting("git", git_command.Git.start)
    git_command.Git.start = counted  # type: ignore[method-assign]
    stage = Stage(Path(sys.argv[1]), plain=False)
    scene = set_scene(stage)
    thin = "--all" not in sys.argv
    kill_all(stage, scene, "restore", "worked", lambda: stage.restore(scene.first), thin=thin)
    kill_all(stage, scene, "undo", "restored", stage.undo, thin=thin)
    print(json.dumps({"kills": stage.kills, "failures": stage.failures}))


if __name__ == "__main__":
    main()
