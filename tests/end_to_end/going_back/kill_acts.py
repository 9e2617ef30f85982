"""What processes do on one worktree, and how far each may come when it is killed: the acts of the kill program."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from sqlalchemy import select

from holdfast.adapters.store.store import open_store
from holdfast.adapters.store.tables import sessions
from holdfast.config.settings import Settings
from holdfast.testing import RecordedRequest, Reply, ScriptedServer, call, say
from holdfast.usecases.changes.apply import ReplyText, apply_reply
from holdfast.usecases.changes.observe import observe_difference
from holdfast.usecases.changes.undo import undo_last
from holdfast.usecases.checkpoints.checkpoint import (
    Listed,
    create_checkpoint,
    list_checkpoints,
    prune_checkpoints,
)
from holdfast.usecases.checkpoints.restore import restore, undo_restore
from holdfast.usecases.checkpoints.restore_ports import RestoreScope
from holdfast.usecases.garbage.collect import Collected, GarbageRequest, collect_garbage
from holdfast.usecases.garbage.delete_session import delete_session
from holdfast.usecases.redo import redo_last
from holdfast.usecases.turns.send_message import UserMessage
from holdfast.wiring.garbage import garbage_places
from holdfast.wiring.sessions import open_sessions
from holdfast.wiring.settings import settings_at
from holdfast.wiring.turns import run_turn_at
from holdfast.wiring.workspaces import open_workspace
from holdfast.wiring.worktrees import open_worktrees
from tests.end_to_end.checkpoints.repo import Folder

Part: TypeAlias = Callable[[], object]
"""Something that is done as a whole or not at all."""

FILES = ("a.txt", "b.txt", "c/d.txt")
COMMAND_TEXT = b"command "
"""What the text of each file begins with that a command of a turn has written."""
_PROMPT = re.compile(r"turn (\d+): ([a-z/]+\.txt)")


@dataclass(frozen=True)
class Act:
    """What one process does, and the ways in which it may have been done when the process is dead.

    Each way is a list of parts; to have done nothing is always one of them.
    """

    name: str
    run: Callable[[], object]
    ways: tuple[tuple[Part, ...], ...]

    @property
    def is_turn(self) -> bool:
        return self.name == "turn"


class Acts:
    """All that is done on the worktree of one root. `base_url` is where the model is."""

    def __init__(self, repo: Folder, chance: random.Random, base_url: str) -> None:
        self.repo = repo
        self.chance = chance
        self.base_url = base_url
        self.number = 0

    def draw(self, name: str) -> Act:
        """Return an act of this name; what it is about is drawn."""
        return _DRAWN[name](self)

    # Each returns what one process does. To add one, add it to `_DRAWN`.

    def applying(self) -> Act:
        text = f"text {self._next()}"
        chosen = self.chance.sample(FILES, 2)
        texts = {name: f"{name} {text}\n" for name in chosen}
        texts[f"new/{text.replace(' ', '-')}.txt"] = f"{text}\n"
        return _whole("apply", lambda: self.apply(texts))

    def taking_a_turn(self) -> Act:
        number, file = self._next(), self.chance.choice(FILES)
        session = self.chance.choice([None, *self.sessions()])
        edit = {f"turn/{number}.txt": f"turn {number}\n"}

        def run() -> object:
            return self.turn(f"turn {number}: {file}", session)

        def edited() -> object:
            return self.apply(edit)

        def commanded() -> object:
            return self.shell(number, file)

        def observed() -> object:
            return self.observe(number, file)

        ways = ((edited,), (edited, commanded), (edited, observed))
        return Act("turn", run, ways)

    def restoring(self) -> Act:
        wanted = self.chance.choice(self.checkpoints())
        scope: RestoreScope = self.chance.choice(["both", "files"])
        return _whole("restore", lambda: self.restore(wanted, scope))

    def collecting(self) -> Act:
        self.leave_a_repository()
        return _whole("gc", self.collect)

    def deleting_a_session(self) -> Act:
        there = self.sessions()
        if not there:
            return self.collecting()
        session = self.chance.choice(there)
        return _whole("sessions delete", lambda: self.delete(session))

    def pruning(self) -> Act:
        keep = self.chance.randrange(3, 9)
        return _whole("checkpoint prune", lambda: self.prune(keep))

    # What they do.

    def apply(self, texts: dict[str, str]) -> object:
        edits = [{"path": name, "content": text} for name, text in texts.items()]
        with open_workspace(self.repo.root) as workspace:
            return apply_reply(ReplyText(json.dumps(edits)), workspace)

    def turn(self, prompt: str, session: str | None) -> object:
        flags = {"base_url": self.base_url, "model": "scripted", "approve": "auto"}
        settings = settings_at(self.repo.root, flags)
        assert isinstance(settings, Settings), settings
        return run_turn_at(
            self.repo.root,
            settings,
            UserMessage(prompt, session),
            show=lambda *_: None,
            say=lambda _: None,
            asker=None,
            cancel=threading.Event(),
        )

    def shell(self, number: int, file: str) -> object:
        """Do what the command of a turn does, behind everybody's back."""
        return subprocess.run(["sh", "-c", _line(number, file)], cwd=self.repo.root, check=False)

    def observe(self, number: int, file: str) -> object:
        """Do what the command of a turn does, and record it as the turn does."""
        before = self._contents(file)
        self.shell(number, file)
        with open_workspace(self.repo.root) as workspace:
            return observe_difference(before, self._contents(file), workspace)

    def undo(self) -> object:
        with open_workspace(self.repo.root) as workspace:
            return undo_last(workspace)

    def redo(self) -> object:
        with open_workspace(self.repo.root) as workspace:
            return redo_last(workspace, open_worktrees(self.repo.root))

    def create(self) -> object:
        return create_checkpoint(open_worktrees(self.repo.root), "by hand")

    def restore(self, wanted: str, scope: RestoreScope) -> object:
        return restore(wanted, open_worktrees(self.repo.root), scope=scope)

    def undo_restore(self) -> object:
        return undo_restore(open_worktrees(self.repo.root))

    def prune(self, keep: int) -> object:
        return prune_checkpoints(open_worktrees(self.repo.root), keep)

    def collect(self, *, dry_run: bool = False) -> Collected:
        with garbage_places() as places:
            return collect_garbage(GarbageRequest(dry_run, now=True), places)

    def delete(self, session: str) -> object:
        with open_sessions(self.repo.root) as records:
            return delete_session(session, records, records.open_worktrees)

    def leave_a_repository(self) -> None:
        """Leave a private repository whose folder is gone."""
        folder = self.repo.root.with_name(f"gone-{self._next()}")
        folder.mkdir()
        (folder / "file").touch()
        create_checkpoint(open_worktrees(folder), "of a folder that goes")
        shutil.rmtree(folder)

    # What there is.

    def checkpoints(self) -> list[str]:
        """Return the ids of the checkpoints by hand and before turns; take one if there is none."""
        found = self._listed()
        if not found:
            self.create()
            found = self._listed()
        return found

    def _listed(self) -> list[str]:
        listed = list_checkpoints(open_worktrees(self.repo.root))
        assert isinstance(listed, Listed), listed
        wanted = {"manual", "turn"}
        return [each.id for each in listed.checkpoints if each.draft.kind in wanted]

    def sessions(self) -> list[str]:
        state = Path(os.environ["HOLDFAST_STATE_DIR"])
        with open_store(str(state / "holdfast.sqlite3")) as store:
            ids = store.query(lambda connection: connection.execute(select(sessions.c.id)).all())
        return sorted(row.id for row in ids)

    def _contents(self, file: str) -> dict[str, tuple[bytes, int]]:
        place = self.repo.path(file)
        if not place.exists():
            return {}
        return {file: (place.read_bytes(), place.stat().st_mode & 0o777)}

    def _next(self) -> int:
        self.number += 1
        return self.number


def _whole(name: str, run: Part) -> Act:
    """Return an act that is done as a whole or not at all."""
    return Act(name, run, ((run,),))


def _line(number: int, file: str) -> str:
    return f"mkdir -p c; printf 'command {number}\\n' > {file}"


_DRAWN: dict[str, Callable[[Acts], Act]] = {
    "apply": Acts.applying,
    "turn": Acts.taking_a_turn,
    "undo": lambda acts: _whole("undo", acts.undo),
    "redo": lambda acts: _whole("redo", acts.redo),
    "checkpoint create": lambda acts: _whole("checkpoint create", acts.create),
    "restore": Acts.restoring,
    "checkpoint undo": lambda acts: _whole("checkpoint undo", acts.undo_restore),
    "checkpoint prune": Acts.pruning,
    "gc": Acts.collecting,
    "sessions delete": Acts.deleting_a_session,
}
NAMES = tuple(_DRAWN)


def serve_model() -> str:
    """Start a process with the scripted model, which ends with this one; return its address."""
    read, write = os.pipe()
    parent = os.getpid()
    if os.fork() == 0:
        try:
            _serve(write, parent)
        finally:
            os._exit(0)
    os.close(write)
    address = os.read(read, 1000).decode()
    os.close(read)
    return address


def _serve(write: int, parent: int) -> None:
    with ScriptedServer(_answer) as server:
        os.write(write, server.base_url.encode())
        os.close(write)
        while os.getppid() == parent:
            time.sleep(0.2)


def _answer(request: RecordedRequest) -> Reply:
    """Edit a file of the turn's own, run the command, and be done."""
    done = 0
    prompts: list[tuple[str, str]] = []
    for message in request.messages:
        # The prompt of a turn that was killed is in one message with the next.
        found = _PROMPT.findall(_text(message))
        if found:
            done, prompts = 0, found
        if message["role"] == "tool":
            done += 1
    number, file = int(prompts[-1][0]), prompts[-1][1]
    if done == 0:
        return call("write_file", path=f"turn/{number}.txt", text=f"turn {number}\n")
    if done == 1:
        return call("run_command", command=_line(number, file))
    return say("Done.")


def _text(message: dict[str, Any]) -> str:
    if message["role"] != "user":
        return ""
    return json.dumps(message["content"])
