"""The law of the event log: after any sequence of use cases, a fold of the log alone is what the tables have."""

from __future__ import annotations

import random
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from holdfast.adapters.store.event_log import StoredEventLog
from holdfast.adapters.store.queries.projects import find_project
from holdfast.adapters.store.store import open_store
from holdfast.adapters.store.tables import (
    changes,
    chats,
    checkpoints,
    messages,
    sessions,
    turns,
)
from holdfast.config.settings import Settings
from holdfast.testing import RecordedRequest, Reply, ScriptedServer, call, say
from holdfast.usecases.changes.apply import ReplyText, apply_reply
from holdfast.usecases.changes.observe import observe_difference
from holdfast.usecases.changes.propose import propose_reply
from holdfast.usecases.changes.prune import prune_changes
from holdfast.usecases.changes.review import apply_change, reject_change
from holdfast.usecases.changes.rewind import rewind_change
from holdfast.usecases.changes.undo import undo_last, undo_turn
from holdfast.usecases.checkpoints.checkpoint import create_checkpoint, prune_checkpoints
from holdfast.usecases.checkpoints.restore import restore, undo_restore
from holdfast.usecases.events.fold import LogState, fold
from holdfast.usecases.garbage.collect import GarbageRequest, collect_garbage
from holdfast.usecases.garbage.delete_session import delete_session
from holdfast.usecases.redo import redo_last
from holdfast.usecases.turns.send_message import UserMessage
from holdfast.vocab.events import TurnEnded
from holdfast.wiring.garbage import garbage_places
from holdfast.wiring.places import find_place
from holdfast.wiring.sessions import open_sessions
from holdfast.wiring.settings import settings_at
from holdfast.wiring.turns import run_turn_at
from holdfast.wiring.workspaces import open_workspace
from holdfast.wiring.worktrees import open_worktrees
from tests.usecases.test_owner import whole
from tests.usecases.world import World

pytestmark = pytest.mark.slow

NAMES = ("a.txt", "b.txt", "c.txt")
LINES = [f"line {number}\n" for number in range(30)]


def tables(connection: Connection, root: Path) -> LogState:
    """Return what the tables have for a project."""
    project = find_project(connection, find_place(root))
    if project is None:
        return LogState((), {}, {}, {})
    here = chats.c.session_id.in_(select(sessions.c.id).where(sessions.c.project_id == project.id))
    our_chats = select(chats.c.id).where(here)
    by_chat: dict[str, list[str]] = {}
    rows = select(messages.c.chat_id, messages.c.id).where(
        messages.c.chat_id.in_(our_chats), messages.c.left_with.is_(None)
    )
    for chat, message in connection.execute(rows.order_by(messages.c.seq)):
        by_chat.setdefault(chat, []).append(message)
    taken: dict[str | None, list[str]] = {}
    points = select(checkpoints.c.chat_id, checkpoints.c.id)
    points = points.where(checkpoints.c.project_id == project.id, checkpoints.c.left_with.is_(None))
    for chat, checkpoint in connection.execute(points.order_by(checkpoints.c.seq)):
        taken.setdefault(chat, []).append(checkpoint)
    states = select(changes.c.id, changes.c.state).where(
        changes.c.project_id == project.id, changes.c.left_with.is_(None)
    )
    ended = select(turns.c.id, turns.c.status).where(
        turns.c.chat_id.in_(our_chats), turns.c.left_with.is_(None)
    )
    return LogState(
        tuple(
            (change, state) for change, state in connection.execute(states.order_by(changes.c.seq))
        ),
        {chat: tuple(ids) for chat, ids in by_chat.items()},
        {chat: tuple(ids) for chat, ids in taken.items()},
        {row.id: row.status for row in connection.execute(ended)},
    )


class Walk:
    """Random use cases on one root."""

    def __init__(self, world: World, seed: int, base_url: str) -> None:
        self.world = world
        self.chance = random.Random(seed)
        self.base_url = base_url
        for name in NAMES:
            (world.root / name).write_text("".join(LINES))
        self.done: list[str] = []
        self.steps: list[Callable[[], object]] = [
            self.apply,
            self.propose,
            self.propose,
            self.propose,
            self.accept,
            self.accept_hunks,
            self.reject,
            self.rewind,
            self.undo,
            self.undo_turn,
            self.redo,
            self.redo,
            self.prune,
            self.observe,
            self.edit_by_hand,
            self.checkpoint,
            self.turn,
            self.turn,
            self.review_turn,
            self.restore,
            self.restore,
            self.undo_restore,
            self.prune_checkpoints,
            self.delete_session,
            self.collect,
        ]
        self.collected: set[int] = set()

    def step(self) -> None:
        act = self.chance.choice(self.steps)
        self.done.append(f"{act.__name__}: {type(act()).__name__}")

    def edited(self) -> ReplyText:
        name = self.chance.choice(NAMES)
        place = self.world.root / name
        lines = place.read_text().splitlines(keepends=True) if place.exists() else list(LINES)
        for at in self.chance.sample(range(max(1, len(lines))), min(len(lines), 2)):
            lines[at] = f"edit {self.chance.randrange(10_000)}\n"
        return whole(name, "".join(lines))

    def apply(self) -> object:
        with open_workspace(self.world.root) as workspace:
            return apply_reply(self.edited(), workspace)

    def propose(self) -> object:
        with open_workspace(self.world.root) as workspace:
            return propose_reply(self.edited(), workspace)

    def accept(self, *hunks: int) -> object:
        with open_workspace(self.world.root) as workspace:
            waiting = workspace.log.list(state="proposed")
            if not waiting:
                return None
            return apply_change(self.chance.choice(waiting).id, workspace, hunks=hunks)

    def accept_hunks(self) -> object:
        return self.accept(1)

    def reject(self) -> object:
        with open_workspace(self.world.root) as workspace:
            waiting = workspace.log.list(state="proposed")
            return reject_change(self.chance.choice(waiting).id, workspace) if waiting else None

    def rewind(self) -> object:
        with open_workspace(self.world.root) as workspace:
            there = workspace.log.list(state="applied")
            return rewind_change(self.chance.choice(there).id, workspace) if there else None

    def undo(self) -> object:
        with open_workspace(self.world.root) as workspace:
            return undo_last(workspace)

    def undo_turn(self) -> object:
        with open_workspace(self.world.root) as workspace:
            return undo_turn(workspace)

    def redo(self) -> object:
        with open_workspace(self.world.root) as workspace:
            return redo_last(workspace, open_worktrees(self.world.root))

    def prune(self) -> object:
        with open_workspace(self.world.root) as workspace:
            return prune_changes(workspace, keep=self.chance.randrange(5))

    def observe(self) -> object:
        name = self.chance.choice(NAMES)
        before = {name: (b"", 0o644)}
        with open_workspace(self.world.root) as workspace:
            return observe_difference(before, {name: (b"seen\n", 0o644)}, workspace)

    def edit_by_hand(self) -> object:
        (self.world.root / self.chance.choice(NAMES)).write_text("".join(LINES))
        return None

    def checkpoint(self) -> object:
        return create_checkpoint(open_worktrees(self.world.root), "by hand")

    def turn(self, approve: str = "auto") -> object:
        flags = {"base_url": self.base_url, "model": "scripted", "approve": approve}
        settings = settings_at(self.world.root, flags)
        assert isinstance(settings, Settings)
        session = self._session() if self.chance.random() < 0.6 else None
        ended = run_turn_at(
            self.world.root,
            settings,
            UserMessage("Go on.", session),
            show=lambda *_: None,
            say=lambda _: None,
            asker=None,
            cancel=threading.Event(),
        )
        assert isinstance(ended, TurnEnded), ended
        return ended

    def review_turn(self) -> object:
        return self.turn("review")

    def restore(self) -> object:
        worktrees = open_worktrees(self.world.root)
        with worktrees.hold(make=True) as worktree:
            there = worktree.checkpoints()
        if not there:
            return None
        wanted = self.chance.choice(there).id
        scope = self.chance.choice(["both", "files", "conversation"])
        return restore(wanted, worktrees, scope=scope)  # type: ignore[arg-type]

    def undo_restore(self) -> object:
        return undo_restore(open_worktrees(self.world.root))

    def prune_checkpoints(self) -> object:
        return prune_checkpoints(open_worktrees(self.world.root), self.chance.randrange(2, 8))

    def delete_session(self) -> object:
        session = self._session()
        if session is None:
            return None
        with open_sessions(self.world.root) as records:
            return delete_session(session, records, records.open_worktrees)

    def collect(self) -> object:
        before = self.numbers()
        with garbage_places() as places:
            collected = collect_garbage(GarbageRequest(), places)
        self.collected |= before - self.numbers()
        return collected

    def numbers(self) -> set[int]:
        """Return the numbers of the events in the log."""
        with open_store(str(self.world.state / "holdfast.sqlite3")) as store:
            logged = StoredEventLog(lambda: store, find_place(self.world.root)).after(0)
        return {event.seq for event in logged}

    def _session(self) -> str | None:
        with open_store(str(self.world.state / "holdfast.sqlite3")) as store:
            return store.query(_any_session)


def _any_session(connection: Connection) -> str | None:
    return connection.execute(select(sessions.c.id).order_by(sessions.c.id).limit(1)).scalar()


@pytest.fixture
def base_url(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A model that writes a file and is done; no settings of anybody's."""
    home = world.root.parent / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HOLDFAST_CONFIG_FILE", str(home / "config.toml"))
    asked = 0

    def answer(_: RecordedRequest) -> Reply:
        nonlocal asked
        asked += 1
        if asked % 2:
            return call("write_file", path=NAMES[asked % 3], text=f"turn {asked}\n")
        return say("Done.")

    with ScriptedServer(answer) as server:
        yield server.base_url


@pytest.mark.parametrize("seed", range(6))
def test_a_fold_of_the_log_is_what_the_tables_have(
    world: World, base_url: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.adapters.store.change_log.KEPT", 8)
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    walk = Walk(world, seed, base_url)
    for _ in range(30):
        walk.step()
        with open_store(str(world.state / "holdfast.sqlite3")) as store:
            logged = StoredEventLog(lambda: store, find_place(world.root)).after(0)
            expected = store.query(tables, world.root)
        numbers = [event.seq for event in logged]
        # Only a gc leaves gaps, and no number is used again.
        assert walk.collected.isdisjoint(numbers)
        assert sorted([*numbers, *walk.collected]) == list(
            range(1, len(numbers) + len(walk.collected) + 1)
        )
        assert fold(logged) == expected, walk.done
