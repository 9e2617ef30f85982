"""Any turns, applies, restores, undos and redos: each way back gives the exact files, transcript and changes."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select

from holdfast.adapters.store.queries.turns import begin_turn, end_turn
from holdfast.adapters.store.store import Store
from holdfast.adapters.store.tables import changes, messages, turns
from holdfast.changes.change import ChangeOwner
from holdfast.changes.change_log import ChangesUndone, RestoreUndone
from holdfast.usecases.changes.apply import apply_reply
from holdfast.usecases.changes.propose import propose_reply
from holdfast.usecases.changes.review import apply_change, reject_change
from holdfast.usecases.changes.undo import Undone, undo_last, undo_turn
from holdfast.usecases.checkpoints.checkpoint import Created, create_checkpoint
from holdfast.usecases.checkpoints.restore import restore, undo_restore
from holdfast.usecases.checkpoints.restore_ports import RestoreScope
from holdfast.usecases.redo import ChangesRedone, redo_last
from holdfast.usecases.settle_outcome import Restored
from holdfast.wiring.workspaces import open_workspace
from holdfast.wiring.worktrees import open_worktrees
from tests.adapters.store.queries import last_message
from tests.adapters.store.talk import Talk, new_talk
from tests.end_to_end.checkpoints.repo import Folder
from tests.samples import sample
from tests.usecases.test_owner import whole

pytestmark = pytest.mark.slow

NAMES = ("a.txt", "b.txt")
SCOPES: tuple[RestoreScope, ...] = ("both", "files", "conversation")


@dataclass(frozen=True, slots=True)
class State:
    """What a way back has to give: files, messages with their turns, and changes with their states."""

    files: dict[str, str]
    conversation: tuple[Any, ...]
    changes: tuple[tuple[str, str], ...]


@dataclass
class Walk:
    """Random steps in one chat. `snapshots` are the states before each restore and undo of one."""

    talk: Talk
    chance: random.Random
    snapshots: dict[str, tuple[RestoreScope, State]] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return self.talk.repo.root

    def state(self) -> State:
        files = {name: (self.root / name).read_text() for name in NAMES if self._has(name)}
        conversation, listed = self.talk.store.query(_rows, self.talk.world.chat.id)
        return State(files, conversation, listed)

    def _has(self, name: str) -> bool:
        return (self.root / name).exists()

    def step(self) -> None:
        steps: list[Callable[[], object]] = [
            self.turn,
            self.turn,
            self.apply,
            self.propose,
            self.accept,
            self.reject,
            self.checkpoint,
            self.restore,
            self.restore,
            self.undo_restore,
            self.undo_restore,
            self.undo,
            self.undo_turn,
            self.redo,
            self.redo,
        ]
        act = self.chance.choice(steps)
        self.done.append(act.__name__)
        act()

    def turn(self) -> None:
        self.talk.turn("go on")
        answer = self.talk.store.query(last_message, self.talk.world.chat.id)
        chat = self.talk.world.chat.id
        turn = self.talk.store.run(begin_turn, chat, message_id=answer.id).id
        owner = ChangeOwner(self.talk.session, turn)
        for _ in range(self.chance.randrange(3)):
            self.chance.choice([self.apply, self.propose])(owner)
        self.talk.store.run(end_turn, turn, status="done")

    def apply(self, owner: ChangeOwner | None = None) -> None:
        with open_workspace(self.root) as workspace:
            apply_reply(self._edited(), workspace, owner=owner or ChangeOwner())

    def propose(self, owner: ChangeOwner | None = None) -> None:
        with open_workspace(self.root) as workspace:
            propose_reply(self._edited(), workspace, owner=owner or ChangeOwner())

    def _edited(self) -> Any:
        text = f"text {self.chance.randrange(10_000)}\n"
        return whole(self.chance.choice(NAMES), text)

    def accept(self) -> None:
        with open_workspace(self.root) as workspace:
            waiting = workspace.log.list(state="proposed")
            if waiting:
                apply_change(self.chance.choice(waiting).id, workspace)

    def reject(self) -> None:
        with open_workspace(self.root) as workspace:
            waiting = workspace.log.list(state="proposed")
            if waiting:
                reject_change(self.chance.choice(waiting).id, workspace)

    def checkpoint(self) -> None:
        created = create_checkpoint(open_worktrees(self.root), "by hand")
        assert isinstance(created, Created)

    def restore(self) -> None:
        worktrees = open_worktrees(self.root)
        with worktrees.hold(make=True) as worktree:
            there = [each for each in worktree.checkpoints() if not each.is_undo_checkpoint]
        if not there:
            return
        target = self.chance.choice(there)
        scope = self.chance.choice(SCOPES)
        if target.draft.session is None:
            scope = "files"
        before = self.state()
        restored = restore(target.id, worktrees, scope=scope)
        assert isinstance(restored, Restored), restored
        if restored.undo_checkpoint_id not in self.snapshots:
            self.snapshots[restored.undo_checkpoint_id] = (scope, before)

    def undo_restore(self) -> None:
        before = self.state()
        undone = undo_restore(open_worktrees(self.root))
        if not isinstance(undone, Restored):
            return
        scope, expected = self.snapshots[undone.checkpoint_id]
        self._check(scope, expected)
        self.snapshots[undone.undo_checkpoint_id] = (scope, before)

    def undo(self) -> None:
        with open_workspace(self.root) as workspace:
            undo_last(workspace)

    def undo_turn(self) -> None:
        before = self.state()
        with open_workspace(self.root) as workspace:
            undone = undo_turn(workspace)
        if isinstance(undone, Undone):
            self._redo_and_undo_again(before)

    def _redo_and_undo_again(self, before: State) -> None:
        """What was undone right now comes back exactly by a redo, and goes again."""
        after = self.state()
        with open_workspace(self.root) as workspace:
            redone = redo_last(workspace, open_worktrees(self.root))
            assert isinstance(redone, ChangesRedone), redone
            assert self.state().files == before.files
            assert set(self.state().changes) == set(before.changes)
            assert isinstance(undo_turn(workspace), Undone)
        assert self.state().files == after.files

    def redo(self) -> None:
        before = self.state()
        with open_workspace(self.root) as workspace:
            undone = workspace.log.last_undo()
            redone = redo_last(workspace, open_worktrees(self.root))
        if isinstance(redone, Restored):
            assert isinstance(undone, RestoreUndone)
            scope, expected = self.snapshots[undone.checkpoint_id]
            self._check(scope, expected)
            self.snapshots[redone.undo_checkpoint_id] = (scope, before)
        elif isinstance(redone, ChangesRedone):
            assert isinstance(undone, ChangesUndone)
            states = dict(self.state().changes)
            assert {states[each] for each in undone.change_ids} == {"applied"}

    def _check(self, scope: RestoreScope, expected: State) -> None:
        now = self.state()
        if scope != "files":
            assert now.conversation == expected.conversation, self.done
        if scope != "conversation":
            assert now.files == expected.files, self.done
            assert now.changes == expected.changes, self.done


def _rows(connection: Connection, chat_id: str) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    said = select(messages.c.id).where(
        messages.c.chat_id == chat_id, messages.c.left_with.is_(None)
    )
    run = select(turns.c.id, turns.c.status).where(
        turns.c.chat_id == chat_id, turns.c.left_with.is_(None)
    )
    listed = select(changes.c.id, changes.c.state).where(changes.c.left_with.is_(None))
    conversation = (
        tuple(connection.execute(said.order_by(messages.c.seq)).scalars()),
        frozenset(map(tuple, connection.execute(run))),
    )
    return conversation, tuple(map(tuple, connection.execute(listed.order_by(changes.c.seq))))


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> Folder:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HOLDFAST_DATABASE_URL", url)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    folder = Folder(tmp_path / "root")
    subprocess.run(["git", "init", "-q", str(folder.root)], check=True)
    for name in NAMES:
        folder.write(name, "one\n")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample(range(4), 2))
def test_any_way_back_gives_what_was_there(repo: Folder, store: Store, seed: int) -> None:
    walk = Walk(new_talk(repo, store), random.Random(seed))
    walk.turn()
    for _ in range(30):
        walk.step()
    while True:
        count = len(walk.snapshots)
        walk.undo_restore()
        if len(walk.snapshots) == count:
            break
    while True:
        with open_workspace(walk.root) as workspace:
            if not isinstance(workspace.log.last_undo(), RestoreUndone):
                break
        walk.redo()
