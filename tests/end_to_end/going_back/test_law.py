"""The law of going back, on a real repository: any history gives back the exact tree and the exact transcript.

A history has edits by hand, `apply`, turns with edits and commands, ignored files, modes, commits, resets and cleans, in
any order with checkpoints, restores, undos and redos. Nothing of what an edit does is predicted: the files and the
transcript are read when a checkpoint is taken, and compared when somebody goes back to it.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select

from holdfast.adapters.store.store import open_store
from holdfast.adapters.store.tables import events, message_parts, messages, sessions
from holdfast.changes.change_log import RestoreUndone
from holdfast.config.settings import Settings
from holdfast.testing import RecordedRequest, Reply, ScriptedServer, call, say
from holdfast.usecases.changes.apply import ReplyText, apply_reply
from holdfast.usecases.checkpoints.checkpoint import (
    Created,
    Listed,
    create_checkpoint,
    list_checkpoints,
)
from holdfast.usecases.checkpoints.restore import restore, undo_restore
from holdfast.usecases.checkpoints.restore_ports import RestoreScope
from holdfast.usecases.redo import redo_last
from holdfast.usecases.settle_outcome import Restored
from holdfast.usecases.turns.send_message import UserMessage
from holdfast.vocab.events import TurnEnded
from holdfast.wiring.settings import settings_at
from holdfast.wiring.turns import run_turn_at
from holdfast.wiring.workspaces import open_workspace
from holdfast.wiring.worktrees import open_worktrees
from tests.end_to_end.checkpoints.repo import Folder, Tree

pytestmark = pytest.mark.slow

Said: TypeAlias = tuple[tuple[str, str, str], ...]
Step: TypeAlias = tuple[Any, ...]

NAMES = ["a", "d", "d/a", "d/b", "d/e", "d/e/f", "x y", "é", ":(top)x", "s.log", "d/t.log", ".env"]
TEXTS = ["", "1\n", "2\n", "one\r\ntwo\n", "\1\n"]
IGNORED_SINCE = "it is ignored, and newer than the checkpoint"

name = st.sampled_from(NAMES)
text = st.sampled_from(TEXTS)
line = st.one_of(
    st.tuples(name, text).map(lambda drawn: _write(*drawn)),
    name.map(lambda drawn: f"rm -rf -- {shlex.quote(drawn)}"),
    st.tuples(name, name).map(lambda drawn: f"mv -T -- {shlex.join(drawn)}"),
    st.tuples(name, st.sampled_from(["644", "755", "600"])).map(
        lambda drawn: f"chmod {drawn[1]} -- {shlex.quote(drawn[0])}"
    ),
    st.sampled_from(["700", "755"]).map(lambda drawn: f"chmod {drawn} d"),
    name.map(lambda drawn: f"ln -sfn nowhere {shlex.quote('./' + drawn)}"),
    st.just("mkdir -p empty/inside"),
    st.just("rm -rf d"),
    st.just("git add -A"),
    st.just("git commit -q --allow-empty -am more"),
    st.just("git reset -q --hard"),
    st.just("git reset -q HEAD~1"),
    st.just("git clean -qfdx"),
    st.just("git stash -qu"),
)
lines = st.lists(line, min_size=1, max_size=4)
step: st.SearchStrategy[Step] = st.one_of(
    st.tuples(st.just("edit"), lines),
    st.tuples(st.just("turn"), lines, name),
    st.tuples(st.just("apply"), name),
    st.tuples(st.just("checkpoint")),
    st.tuples(
        st.just("restore"), st.integers(0, 9), st.sampled_from(["both", "files", "conversation"])
    ),
    st.tuples(st.just("undo")),
    st.tuples(st.just("redo")),
)


def _write(path: str, content: str) -> str:
    """Return the shell lines that write a file; what is in the way of it and of its directories goes."""
    words = []
    parts = path.split("/")
    for depth in range(1, len(parts)):
        parent = shlex.quote("./" + "/".join(parts[:depth]))
        words.append(f"[ -d {parent} ] || rm -f {parent}; mkdir -p {parent}")
    file = shlex.quote(f"./{path}")
    words.append(f"[ -d {file} ] && rm -rf {file}; printf %s {shlex.quote(content)} > {file}")
    return "; ".join(words)


@dataclass(frozen=True)
class State:
    """What a way back has to give: files, directories with their modes, and what was said."""

    tree: Tree
    directories: dict[str, int]
    said: Said


@dataclass
class History:
    """One history. `known` has the state at each checkpoint, and the scope of the restore that took it."""

    repo: Folder
    base_url: str
    replies: list[Reply]
    known: dict[str, tuple[RestoreScope, State]] = field(default_factory=dict)

    # What there is.

    def state(self) -> State:
        directories = {}
        for place in sorted(self.repo.root.rglob("*")):
            name = str(place.relative_to(self.repo.root))
            is_git = name.split("/", maxsplit=1)[0] == ".git"
            if place.is_dir() and not place.is_symlink() and not is_git:
                directories[name] = stat.S_IMODE(place.stat().st_mode)
        return State(self.repo.tree(), directories, self.said())

    def said(self) -> Said:
        file = Path(os.environ["HOLDFAST_STATE_DIR"]) / "holdfast.sqlite3"
        if not file.exists():
            return ()
        with open_store(str(file)) as store:
            return store.query(_said)

    def session(self) -> str | None:
        file = Path(os.environ["HOLDFAST_STATE_DIR"]) / "holdfast.sqlite3"
        with open_store(str(file)) as store:
            return store.query(lambda on: on.execute(select(sessions.c.id).limit(1)).scalar())

    def there(self) -> list[str]:
        """Return the ids of the checkpoints that are there now, but those before a restore."""
        listed = list_checkpoints(open_worktrees(self.repo.root))
        assert isinstance(listed, Listed), listed
        wanted = {"manual", "turn"}
        return [each.id for each in listed.checkpoints if each.draft.kind in wanted]

    # What is done.

    def do(self, what: str, *words: Any) -> None:
        users = self.repo.users()
        getattr(self, f"do_{what}")(*words)
        if what in {"checkpoint", "restore", "undo", "redo"}:
            assert self.repo.users() == users

    def do_edit(self, commands: list[str]) -> None:
        command = ["sh", "-c", "\n".join(commands)]
        subprocess.run(command, cwd=self.repo.root, check=False, capture_output=True)

    def do_apply(self, path: str) -> None:
        reply = ReplyText(json.dumps([{"path": path, "content": "applied\n"}]))
        with open_workspace(self.repo.root) as workspace:
            apply_reply(reply, workspace)

    def do_turn(self, commands: list[str], path: str) -> None:
        """Take a turn in the one session; its checkpoint precedes all but the prompt."""
        before = self.state()
        had = set(self.there())
        self.replies[:] = [
            call("write_file", path=path, text="turn\n"),
            *[call("run_command", command=each) for each in commands],
        ]
        flags = {"base_url": self.base_url, "model": "scripted", "approve": "auto"}
        found = settings_at(self.repo.root, flags)
        assert isinstance(found, Settings), found
        ended = run_turn_at(
            self.repo.root,
            found,
            UserMessage("Go on.", self.session()),
            show=lambda *_: None,
            say=lambda _: None,
            asker=None,
            cancel=threading.Event(),
        )
        assert isinstance(ended, TurnEnded), ended
        (taken,) = set(self.there()) - had
        prompt = self.said()[len(before.said)]
        assert prompt[0] == "user"
        then = State(before.tree, before.directories, (*before.said, prompt))
        self.known[taken] = ("both", then)

    def do_checkpoint(self) -> None:
        state = self.state()
        created = create_checkpoint(open_worktrees(self.repo.root))
        assert isinstance(created, Created), created
        assert self.state() == state
        self.known[created.checkpoint.id] = ("files", state)

    def do_restore(self, number: int, scope: RestoreScope) -> None:
        there = self.there()
        if not there:
            return
        wanted = there[number % len(there)]
        if self.known[wanted][0] == "files":
            scope = "files"
        before = self.state()
        restored = restore(wanted, open_worktrees(self.repo.root), scope=scope)
        assert isinstance(restored, Restored), restored
        self.compare(scope, self.known[wanted][1], before, restored)
        # The same restore once more changes nothing, and has the undo checkpoint of the first.
        self.known.setdefault(restored.undo_checkpoint_id, (scope, before))

    def do_undo(self) -> bool:
        before = self.state()
        undone = undo_restore(open_worktrees(self.repo.root))
        if not isinstance(undone, Restored):
            assert self.state() == before
            return False
        scope, expected = self.known[undone.checkpoint_id]
        self.compare(scope, expected, before, undone)
        assert not undone.kept
        self.known[undone.undo_checkpoint_id] = (scope, before)
        return True

    def do_redo(self) -> bool:
        before = self.state()
        with open_workspace(self.repo.root) as workspace:
            undone = workspace.log.last_undo()
            redone = redo_last(workspace, open_worktrees(self.repo.root))
        if undone is None:
            assert self.state() == before
            return False
        assert isinstance(undone, RestoreUndone)
        assert isinstance(redone, Restored), redone
        scope, expected = self.known[undone.checkpoint_id]
        self.compare(scope, expected, before, redone)
        assert not redone.kept
        self.known[redone.undo_checkpoint_id] = (scope, before)
        return True

    # The law.

    def compare(
        self, scope: RestoreScope, expected: State, before: State, restored: Restored
    ) -> None:
        """Compare what is there with a state; of the files only what is named with its reason may be as before."""
        now = self.state()
        assert now.said == (before.said if scope == "files" else expected.said)
        if scope == "conversation":
            assert (now.tree, now.directories) == (before.tree, before.directories)
            return
        assert set(restored.kept_why.values()) <= {IGNORED_SINCE}
        assert restored.lost == ()
        kept = {os.fsencode(path): before.tree[os.fsencode(path)] for path in restored.kept}
        assert now.tree == expected.tree | kept
        if not kept:
            assert now.directories == expected.directories


def _said(connection: Connection) -> Said:
    """Return role, kind and body of every part of the messages that have not left."""
    query = (
        select(messages.c.role, message_parts.c.kind, message_parts.c.body, events.c.body)
        .join(message_parts, message_parts.c.message_id == messages.c.id)
        .outerjoin(events, events.c.part_id == message_parts.c.id)
        .where(messages.c.left_with.is_(None))
        .order_by(messages.c.seq, message_parts.c.seq)
    )
    rows = connection.execute(query)
    return tuple((role, kind, json.dumps(shared or own)) for role, kind, own, shared in rows)


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with TemporaryDirectory(dir=memory) as directory, pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", directory)
        patch.setenv("HOLDFAST_STATE_DIR", f"{directory}/scene/state")
        patch.setenv("HOLDFAST_CONFIG_FILE", f"{directory}/config.toml")
        for variable in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{variable}_NAME", "User")
            patch.setenv(f"GIT_{variable}_EMAIL", "user@example.com")
        patch.delenv("HOLDFAST_DATABASE_URL", raising=False)
        repo = Folder(Path(directory) / "template").init()
        for path in ("a", "d/a", "d/e/f", "x y"):
            repo.write(path, f"{path}\n")
        repo.commit()
        repo.write(".git/info/exclude", "*.log\n.env\n")
        repo.commit("second")
        repo.write("s.log", "ignored\n")
        repo.write(".env", "SECRET=1\n", 0o600)
        yield Path(directory)


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, list[Reply]]]:
    """A model that answers with the replies in a list, then that it is done."""
    replies: list[Reply] = []

    def answer(_: RecordedRequest) -> Reply:
        if replies:
            return replies.pop(0)
        return say("Done.")

    with ScriptedServer(answer) as running:
        yield running.base_url, replies


# A turn takes as long as ten restores.
@settings(max_examples=max(1, settings().max_examples // 8))
@given(st.lists(step, min_size=2, max_size=9))
def test_any_history_gives_back_the_exact_tree_and_transcript(
    place: Path, server: tuple[str, list[Reply]], steps: list[Step]
) -> None:
    scene = place / "scene"
    shutil.rmtree(scene, ignore_errors=True)
    shutil.copytree(place / "template", scene / "root", symlinks=True)
    history = History(Folder(scene / "root"), *server)
    history.do("checkpoint")
    for each in steps:
        history.do(*each)
    history.do("checkpoint")
    for number in range(len(history.there())):
        history.do("restore", number, "both")
    undone = 0
    while history.do_undo():
        undone += 1
    redone = 0
    while history.do_redo():
        redone += 1
    assert redone == undone
