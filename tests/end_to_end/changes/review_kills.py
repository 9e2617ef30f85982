"""Kill a proposal, an apply, an apply of some hunks, a reject and a rewind at every effect they have.

Run as a program, as `tests.end_to_end.kills`. After each kill the next command must find files and log that agree: all
old, or all new; and to run the killed act again must finish it, or say that it is done.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from holdfast.usecases.changes.apply import AppliedReply, ReplyText, apply_reply
from holdfast.usecases.changes.list_changes import list_changes
from holdfast.usecases.changes.propose import Proposed, propose_reply
from holdfast.usecases.changes.review import apply_change, reject_change
from holdfast.usecases.changes.rewind import rewind_change
from holdfast.usecases.locked_workspace import settle_first
from holdfast.usecases.workspace import NothingDone
from holdfast.wiring.workspaces import DiskWorkspace, open_workspace
from tests.end_to_end import effects
from tests.end_to_end.effects import When
from tests.end_to_end.fifty_files import Snapshot, restore, snapshot
from tests.end_to_end.kills import points

Act: TypeAlias = Callable[[DiskWorkspace], object]
States: TypeAlias = tuple[str, ...]

_TEXT = "".join(f"line {number}\n" for number in range(1, 21))
_EDITED = _TEXT.replace("line 1\n", "LINE 1\n").replace("line 20\n", "LINE 20\n")
_MANY = json.dumps(
    [
        {"path": "a.txt", "content": _EDITED},
        {"path": "d/new.txt", "content": "new\n"},
        {"path": "b.txt", "to": "e/f/c.txt"},
        {"path": "gone.txt", "delete": True},
    ]
)


@dataclass(frozen=True)
class Scene:
    """What comes before the act, the act, and what the log says before and after."""

    name: str
    set_up: Act
    act: Callable[[str], Act]
    old: States
    new: States


class Stage:
    """One place on the disk where the scenes are set again and again."""

    def __init__(self, place: Path) -> None:
        self.root = place / "root"
        self.state = place / "state"
        os.environ["HOLDFAST_STATE_DIR"] = str(self.state)
        self.failures: list[str] = []
        self.kills: dict[str, int] = {}
        (self.root / "d").mkdir(parents=True)
        for name, text in {"a.txt": _TEXT, "b.txt": "b\n", "gone.txt": "gone\n"}.items():
            (self.root / name).write_text(text)
        (self.root / "gone.txt").chmod(0o640)
        self.start = snapshot(self.root)
        self.run(lambda workspace: workspace.log.ids())
        # Where the root is, is on record before anything is counted.
        self.run(lambda workspace: workspace.claim())
        self.fresh = snapshot(self.state)

    def run(self, act: Act) -> object:
        with open_workspace(self.root) as workspace:
            return act(workspace)

    def must(self, what: str, holds: bool) -> None:
        if not holds:
            self.failures.append(what)

    def states(self) -> States:
        """Ask the log, with the next command: newest change first."""
        self.run(settle_first)
        with open_workspace(self.root) as workspace:
            return tuple(change.state for change in list_changes(workspace))

    def play(self, scene: Scene) -> None:
        """Set the scene, see what the act does when nobody dies, and then kill it everywhere."""
        restore(self.root, self.start)
        restore(self.state, self.fresh)
        made = self.run(scene.set_up)
        act = scene.act(str(made))
        kept = snapshot(self.root), snapshot(self.state)
        self.must(f"{scene.name}: the scene is set: {self.states()}", self.states() == scene.old)
        effects.watch()
        done = self.run(act)
        effects.stop()
        self.must(f"{scene.name}: it is done: {done}", not isinstance(done, NothingDone))
        self.must(
            f"{scene.name}: every effect is counted: {effects.escaped[:3]}", not effects.escaped
        )
        trace = list(effects.seen)
        new = snapshot(self.root)
        self.must(f"{scene.name}: the log says {self.states()}", self.states() == scene.new)
        for point, when in points(trace, 16):
            restore(self.root, kept[0])
            restore(self.state, kept[1])
            self.kill(scene, act, point, when)
            self.judge(
                f"{scene.name} killed {when} {point} ({trace[point]})", scene, act, kept[0], new
            )

    def kill(self, scene: Scene, act: Act, point: int, when: When) -> None:
        self.kills[scene.name] = self.kills.get(scene.name, 0) + 1
        child = os.fork()
        if child == 0:
            try:
                effects.die_at(point, when)
                self.run(act)
            finally:
                os._exit(3)
        status = os.waitpid(child, 0)[1]
        self.must(
            f"{scene.name} {point} {when}: the child dies by its own hand", status == signal.SIGKILL
        )

    def judge(self, where: str, scene: Scene, act: Act, old: Snapshot, new: Snapshot) -> None:
        states, now = self.states(), snapshot(self.root)
        allowed = [(scene.old, old), (scene.new, new)]
        self.must(
            f"{where}: log and files do not agree: {states}, new {now == new}",
            (states, now) in allowed,
        )
        again = self.run(act) if states == scene.old else None
        self.must(f"{where}: it cannot be done again: {again}", not isinstance(again, NothingDone))
        self.must(f"{where}, and again: not new", snapshot(self.root) == new)
        self.must(f"{where}, and again: the log says {self.states()}", self.states() == scene.new)
        left = {
            path.name
            for path in self.state.rglob("*")
            if path.is_file() and "sqlite3" not in path.name
        }
        self.must(f"{where}: left behind: {left}", left == {"lock", "place.json"})


def _propose(workspace: DiskWorkspace) -> str:
    proposed = propose_reply(ReplyText(_MANY), workspace)
    assert isinstance(proposed, Proposed), proposed
    return proposed.change.id


def _propose_and_move_on(workspace: DiskWorkspace) -> str:
    """The file moves on, so that the change has to land again and is revised on record."""
    change_id = _propose(workspace)
    moved = _TEXT.replace("line 10\n", "line ten\n")
    (workspace.files.root / "a.txt").write_text(moved)
    return change_id


def _apply(workspace: DiskWorkspace) -> str:
    applied = apply_reply(ReplyText(_MANY), workspace)
    assert isinstance(applied, AppliedReply), applied
    return str(applied.change_id)


def _apply_and_edit(workspace: DiskWorkspace) -> str:
    """A later change touches the file, so that the first is taken out of it by projection."""
    change_id = _apply(workspace)
    later = apply_reply(
        ReplyText(json.dumps({"path": "a.txt", "old": "line 10\n", "new": "line ten\n"})), workspace
    )
    assert isinstance(later, AppliedReply), later
    return change_id


def _nothing(workspace: DiskWorkspace) -> str:
    return "" if workspace.log.ids() == () else "not fresh"


SCENES = (
    Scene(
        "propose",
        _nothing,
        lambda _: lambda w: propose_reply(ReplyText(_MANY), w),
        (),
        ("proposed",),
    ),
    Scene(
        "apply", _propose, lambda made: lambda w: apply_change(made, w), ("proposed",), ("applied",)
    ),
    Scene(
        "land again",
        _propose_and_move_on,
        lambda made: lambda w: apply_change(made, w),
        ("proposed",),
        ("applied",),
    ),
    Scene(
        "hunks",
        _propose,
        lambda made: lambda w: apply_change(made, w, hunks={1, 3}),
        ("proposed",),
        ("applied", "rejected", "proposed"),
    ),
    Scene(
        "reject",
        _propose,
        lambda made: lambda w: reject_change(made, w),
        ("proposed",),
        ("rejected",),
    ),
    Scene(
        "rewind", _apply, lambda made: lambda w: rewind_change(made, w), ("applied",), ("rewound",)
    ),
    Scene(
        "project back",
        _apply_and_edit,
        lambda made: lambda w: rewind_change(made, w),
        ("applied", "applied"),
        ("applied", "rewound"),
    ),
)


def main() -> None:
    """Play all scenes below the directory that is named, and print what came of them."""
    effects.install()
    stage = Stage(Path(sys.argv[1]))
    for scene in SCENES:
        stage.play(scene)
    print(json.dumps({"kills": stage.kills, "failures": stage.failures}))


if __name__ == "__main__":
    main()
