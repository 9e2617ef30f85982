"""Checkpoints and restores are on record and published, in a session or outside of any; also after a kill."""

from __future__ import annotations

import subprocess
from functools import partial
from typing import Any

import pytest

from holdfast.adapters.git.worktree import GitWorktree
from holdfast.adapters.store.queries.checkpoints import checkpoint_by_id
from holdfast.adapters.store.queries.turns import begin_turn
from holdfast.adapters.store.store import open_store
from holdfast.adapters.store.transcript import StoredTranscript
from holdfast.usecases.checkpoints.checkpoint import (
    CheckpointOwner,
    CheckpointsPruned,
    Created,
    create_checkpoint,
    list_checkpoints,
    prune_checkpoints,
)
from holdfast.usecases.checkpoints.restore import restore, undo_restore
from holdfast.usecases.settle_outcome import Restored
from holdfast.wiring.worktrees import GitWorktrees, open_worktrees
from tests.adapters.store.talk import say
from tests.adapters.store.world import new_world
from tests.usecases.world import World

pytestmark = pytest.mark.integration


@pytest.fixture
def worktrees(world: World) -> GitWorktrees:
    world.write(a="x = 1\n")
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    return open_worktrees(world.root)


def create(worktrees: GitWorktrees, owner: CheckpointOwner | None = None) -> Created:
    created = create_checkpoint(worktrees, "label", owner=owner)
    assert isinstance(created, Created), created
    assert created.unrecorded is None
    return created


def kinds(world: World) -> list[str]:
    return [event.kind for event in world.events()]


def test_a_checkpoint_outside_of_a_session_has_a_row_and_an_event(
    world: World, worktrees: GitWorktrees
) -> None:
    (world.root / "nested" / ".git").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(world.root / "nested")], check=True)
    created = create(worktrees)
    (event,) = world.events()
    assert (event.session, event.turn, event.seq) == (None, None, created.seq)
    assert event.body == {
        "checkpoint_id": created.checkpoint.id,
        "skipped": [{"path": "nested", "why": "nested repository"}],
        "message_id": None,
        "label": "label",
        "checkpoint_kind": "manual",
        "chat_id": None,
        "kind": "checkpoint_taken",
    }
    with open_store(str(world.state / "holdfast.sqlite3")) as store:
        row = store.query(checkpoint_by_id, created.checkpoint.id)
    assert row is not None
    assert (row.chat_id, row.seq, row.label) == (None, 1, "label")


def test_a_restore_of_files_and_its_undo_are_published_with_their_points(
    world: World, worktrees: GitWorktrees
) -> None:
    taken = create(worktrees)
    world.write(a="x = 2\n")
    done = restore(taken.checkpoint.id, worktrees)
    undone = undo_restore(worktrees)
    assert isinstance(done, Restored)
    assert isinstance(undone, Restored)
    first, second = world.events()[1:]
    assert (first.seq, second.seq) == (done.seq, undone.seq)
    named = ("verb", "scope", "checkpoint_id", "undo_checkpoint_id", "checkpoint_ids_removed")
    assert [first.body[name] for name in named] == [
        "restore",
        "files",
        taken.checkpoint.id,
        done.undo_checkpoint_id,
        [],
    ]
    assert [second.body[name] for name in named] == [
        "undo",
        "files",
        done.undo_checkpoint_id,
        undone.undo_checkpoint_id,
        [done.undo_checkpoint_id],
    ]


def test_a_restore_in_a_session_ends_its_turn_and_names_what_it_moved(
    world: World, worktrees: GitWorktrees
) -> None:
    with open_store(str(world.state / "holdfast.sqlite3")) as store:
        made = store.run(new_world, world.root)
        prompt = store.run(say, made.chat.id, "user", "do it")
        answer = store.run(say, made.chat.id, "assistant", "on it")
        turn = store.run(begin_turn, made.chat.id).id
    owner = CheckpointOwner(made.session.id, made.chat.id, answer, turn)
    taken = create(worktrees, owner)
    later = create(worktrees, owner)
    done = restore(taken.checkpoint.id, worktrees)
    assert isinstance(done, Restored)
    first, second, ended, restored = world.events()
    assert {(event.session, event.turn) for event in (first, second, ended)} == {
        (made.session.id, turn)
    }
    assert (ended.kind, ended.body["stop_reason"], ended.body["ended_by"]) == (
        "turn_ended",
        "cancelled",
        "stop",
    )
    body: Any = restored.body
    assert (restored.session, body["chat_id"], body["scope"]) == (
        made.session.id,
        made.chat.id,
        "both",
    )
    assert (body["messages_deleted"], body["message_ids_deleted"]) == (1, [answer])
    assert body["checkpoint_ids_removed"] == [later.checkpoint.id]
    # No process ran the turn: nothing was really stopped.
    assert body["backend_reset"] is False
    back = undo_restore(worktrees)
    assert isinstance(back, Restored)
    body = world.events()[-1].body
    assert body["message_ids_brought_back"] == [answer]
    assert body["checkpoint_ids_brought_back"] == [later.checkpoint.id]
    assert prompt not in body["message_ids_brought_back"]


def test_pruned_checkpoints_are_published(world: World, worktrees: GitWorktrees) -> None:
    first = create(worktrees)
    world.write(a="x = 2\n")
    create(worktrees)
    pruned = prune_checkpoints(worktrees, 1)
    assert isinstance(pruned, CheckpointsPruned)
    last = world.events()[-1]
    assert (last.kind, last.body["checkpoint_ids"]) == (
        "checkpoints_removed",
        [first.checkpoint.id],
    )
    assert (pruned.left, pruned.seq) == (1, last.seq)


def test_a_restore_that_removes_old_checkpoints_has_the_number_of_that_event(
    world: World, worktrees: GitWorktrees, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(str(world.state / "holdfast.sqlite3")) as store:
        made = store.run(new_world, world.root)
        answer = store.run(say, made.chat.id, "assistant", "on it")
    old = create(worktrees).checkpoint
    taken = create(worktrees, CheckpointOwner(made.session.id, made.chat.id, answer))
    # As if `old` had been removed because there were too many.
    monkeypatch.setattr(GitWorktree, "pruned", lambda _: (old,))
    done = restore(taken.checkpoint.id, worktrees)
    assert isinstance(done, Restored)
    last = world.events()[-1]
    assert (last.kind, last.body["checkpoint_ids"]) == ("checkpoints_removed", [old.id])
    assert done.seq == last.seq


class Killed(BaseException):
    """Nothing after this happens."""


def die(*_: object, **__: object) -> None:
    raise Killed


@pytest.mark.parametrize("where", ["before the record", "after the record"])
def test_a_restore_that_is_killed_is_published_once(
    world: World, worktrees: GitWorktrees, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    taken = create(worktrees)
    world.write(a="x = 2\n")
    with monkeypatch.context() as patch:
        if where == "before the record":
            patch.setattr(StoredTranscript, "exchange", die)
        else:
            patch.setattr(GitWorktree, "finish", die)
        with pytest.raises(Killed):
            restore(taken.checkpoint.id, worktrees)
    list_checkpoints(worktrees)
    seen = len(kinds(world))
    create(worktrees)
    assert (world.root / "a.py").read_text() == "x = 1\n"
    assert kinds(world) == ["checkpoint_taken", "restored", "recovered", "checkpoint_taken"]
    assert seen == kinds(world).index("restored") + (where == "after the record")
    recovered = world.events()[2].body
    assert (recovered["what"], recovered["id"], recovered["outcome"]) == (
        "restore",
        taken.checkpoint.id,
        "finished",
    )


def test_an_undo_and_a_restore_that_were_killed_are_named_in_the_message(
    world: World, worktrees: GitWorktrees, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = create(worktrees).checkpoint.id
    world.write(a="x = 2\n")
    messages = []
    for go_back in (partial(restore, taken), undo_restore):
        with monkeypatch.context() as patch:
            patch.setattr(GitWorktree, "finish", die)
            with pytest.raises(Killed):
                go_back(worktrees)
        [recovered] = create(worktrees).recovered.recovered
        messages.append(recovered.message)
    assert messages == [
        f"an earlier restore of {taken} was stopped halfway: it is now finished.",
        "an earlier undo was stopped halfway: it is now finished.",
    ]
    assert (world.root / "a.py").read_text() == "x = 2\n"
