"""What changes behind the tools of a turn, where snapshots fail or are too large."""

from __future__ import annotations

import subprocess

import pytest

from holdfast.adapters.project.worktree_digest import DiskWorktreeDigests
from holdfast.changes.change import NO_OWNER, RequestedEdits
from holdfast.changes.swaps import Content, Swap
from holdfast.checkpoints.checkpoint import WorktreeState
from holdfast.tools.digest_observer import DigestObserver
from holdfast.usecases.changes.apply import AppliedReply, apply_reply
from holdfast.usecases.turns import observed_files
from holdfast.usecases.turns.turn_observer import TurnObserver
from holdfast.usecases.workspace import Workspace
from holdfast.vocab.requests import FileRequest, Replace
from holdfast.wiring.worktrees import open_worktrees
from tests.usecases.world import World


def observer_of(world: World, workspace: Workspace) -> TurnObserver:
    digests = DigestObserver(DiskWorktreeDigests(str(world.root)))
    worktrees = open_worktrees(world.root)
    return TurnObserver(worktrees, workspace, NO_OWNER, digests, is_cache=lambda _: False)


def begin(world: World, observer: TurnObserver) -> None:
    with open_worktrees(world.root).hold(make=True) as worktree:
        observer.begin(worktree.capture())


def test_after_a_snapshot_that_fails_digests_are_compared(world: World) -> None:
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    world.write(a="one\n")
    with world.workspace() as workspace:
        observer = observer_of(world, workspace)
        observer.begin(WorktreeState("0" * 40))
        world.write(a="two\n")
        assert observer.look("command").files == ()
        assert "diff-tree" in observer.problem
        world.write(a="three\n")
        assert observer.look("command").files == ("a.py",)
        [change] = workspace.log.list(state="applied")
        assert [file.diff for file in change.plan.files] == [
            "There is no checkpoint of this folder, so its content is not kept."
        ]


def test_of_more_files_than_a_change_may_have_none_is_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(observed_files, "MOST_FILES", 2)
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    with world.workspace() as workspace:
        observer = observer_of(world, workspace)
        begin(world, observer)
        world.write(a="1\n", b="2\n", c="3\n")
        assert observer.look("command").files == ("a.py", "b.py", "c.py")
        [change] = workspace.log.list(state="applied")
        assert (change.plan.swaps, len(change.plan.files)) == ((), 3)
        why = "3 files with 6 bytes changed at once, so its content is not kept."
        assert {file.diff for file in change.plan.files} == {why}


def test_what_is_written_by_a_tool_and_reverted_by_others_is_found(world: World) -> None:
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    world.write(a="one\n")
    with world.workspace() as workspace:
        observer = observer_of(world, workspace)
        begin(world, observer)
        world.write(a="by a tool\n")
        observer.know("a.py")
        world.write(a="one\n")
        assert observer.look("outside").files == ("a.py",)
        [change] = workspace.log.list(state="applied")
        [swap] = change.plan.swaps
        assert swap.before is not None
        assert swap.after is not None
        assert (swap.before.data, swap.after.data) == (b"by a tool\n", b"one\n")


def test_what_only_a_tool_has_written_is_not_observed(world: World) -> None:
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    world.write(a="one\n", b="gone\n")
    with world.workspace() as workspace:
        observer = observer_of(world, workspace)
        begin(world, observer)
        world.write(a="by a tool\n")
        (world.root / "b.py").unlink()
        edited = Swap("a.py", Content(b"one\n"), Content(b"by a tool\n"))
        deleted = Swap("b.py", Content(b"gone\n"), None)
        observer.wrote([edited, deleted])
        assert observer.look("outside").files == ()
        assert workspace.log.list(state="applied") == ()


def test_a_file_that_a_tool_deleted_and_others_made_again_is_observed(world: World) -> None:
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    world.write(a="one\n")
    with world.workspace() as workspace:
        observer = observer_of(world, workspace)
        begin(world, observer)
        observer.wrote([Swap("a.py", Content(b"one\n"), None)])
        assert observer.look("outside").files == ("a.py",)
        [change] = workspace.log.list(state="applied")
        assert [(swap.before, swap.path) for swap in change.plan.swaps] == [(None, "a.py")]


def test_what_another_command_of_holdfast_recorded_is_not_observed_from_outside(
    world: World,
) -> None:
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    world.write(a="one\n", b="one\n")
    with world.workspace() as workspace:
        observer = observer_of(world, workspace)
        begin(world, observer)
        edit = RequestedEdits((FileRequest("a.py", "edit", Replace("one", "two")),))
        applied = apply_reply(edit, workspace)
        assert isinstance(applied, AppliedReply)
        world.write(b="two\n")
        assert observer.look("outside").files == ("b.py",)
        assert len(workspace.log.list(state="applied")) == 2
