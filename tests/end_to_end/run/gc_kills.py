"""Kill `holdfast gc` and `holdfast sessions delete` at effects they have, and look what the next gc makes of it.

Run as a program, in a process of its own with one thread: it forks a child for every kill. It prints one JSON object:
how many kills of each kind, and every failure.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from holdfast.adapters.places.places import find_place
from holdfast.adapters.store.event_log import StoredEventLog
from holdfast.adapters.store.store import open_store
from holdfast.testing import ScriptedServer, call, say
from holdfast.usecases.events.fold import fold
from holdfast.usecases.events.follow import read_events
from tests.end_to_end import effects
from tests.end_to_end.run.in_process import QuickProject
from tests.usecases.test_event_fold import tables

_EDIT = call("edit_file", path="a.py", old="x = 1", new="x = 10")
_NOTHING = {"refs": 0, "changes": 0, "events": 0, "repositories": 0, "files": 0}


class Stage:
    """Two sessions, one of them deleted but for its refs, and a private repository whose folder is gone."""

    def __init__(self, place: Path) -> None:
        self.failures: list[str] = []
        self.kills: dict[str, int] = {}
        self.place = place
        self.project = QuickProject(place / "scene")
        with ScriptedServer([_EDIT], otherwise=say("Done.")) as server:
            self.goes = self.project.run("Edit.", server=server).session
            self.stays = self.project.run("Hello.", server=server).session
        self.shown = self.project.holdfast("events", "--session", self.stays, "--json").out
        self.plain = place / "scene" / "plain"
        self.plain.mkdir()
        (self.plain / "file").touch()
        os.environ.update(self.project.environment())
        self.command("checkpoint", "create", "--root", str(self.plain))
        shutil.rmtree(self.plain)
        self.whole = self.keep("whole")
        self.project.put_back(self.project.refs(), self.delete)
        self.deleted = self.keep("deleted")

    def command(self, *words: str) -> None:
        ran = self.project.plain_command(*words)
        self.must(f"{words}: {ran.err}", ran.code == 0)

    def delete(self) -> None:
        self.command("sessions", "delete", self.goes, "--yes", "--root", str(self.project.root))

    def collect(self) -> None:
        self.command("gc", "--now")

    def keep(self, name: str) -> Path:
        kept = self.place / name
        shutil.copytree(self.project.place, kept, symlinks=True)
        return kept

    def bring_back(self, kept: Path) -> None:
        """Put the files of a scene back; the root stays the folder that it is, for it is known by that."""
        root = self.project.root
        for entry in (*self.project.place.iterdir(), *root.iterdir()):
            if entry.is_file():
                entry.unlink()
            elif entry != root:
                shutil.rmtree(entry)
        shutil.copytree(kept, self.project.place, symlinks=True, dirs_exist_ok=True)

    def must(self, what: str, holds: bool) -> None:
        if not holds:
            self.failures.append(what)

    def traced(self, act: Callable[[], None]) -> list[str]:
        effects.watch()
        act()
        effects.stop()
        return list(effects.seen)

    def kill(self, kind: str, act: Callable[[], None], point: int) -> None:
        self.kills[kind] = self.kills.get(kind, 0) + 1
        child = os.fork()
        if child == 0:
            try:
                effects.die_at(point, "before")
                act()
            finally:
                os._exit(3)
        status = os.waitpid(child, 0)[1]
        self.must(f"{kind} {point}: the child dies by its own hand", status == signal.SIGKILL)

    def judge(self, where: str, *, is_deleted: bool) -> None:
        """Check that one more gc leaves nothing to collect, and that the log and the tables agree."""
        self.collect()
        left = json.loads(self.project.plain_command("gc", "--now", "--dry-run", "--json").out)
        self.must(f"{where}: left {left['removed']}", left["removed"] == _NOTHING)
        shown = self.project.holdfast("events", "--session", self.stays, "--json").out
        self.must(f"{where}: the other session has lost events", shown == self.shown)
        listed = json.loads(self.project.holdfast("sessions", "list", "--json").out)["sessions"]
        ids = {each["id"] for each in listed}
        expected = {self.stays} if is_deleted else {self.stays, self.goes}
        self.must(f"{where}: the sessions are {ids}", ids == expected)
        refs = len(self.project.refs())
        self.must(f"{where}: {refs} refs for {ids}", refs == len(ids))
        with open_store(str(self.project.state / "holdfast.sqlite3")) as store:
            place = find_place(self.project.root, self.project.state)
            log = StoredEventLog(lambda: store, place)
            folded = fold(read_events(log))
            there = store.query(tables, self.project.root)
        self.must(f"{where}: the log says {folded}, the tables {there}", folded == there)
        self.must(f"{where}: a.py", self.project.texts()["a.py"] == "x = 10\ny = 2\n")

    def is_deleted(self) -> bool:
        rows = self.project.query("select id from sessions where id = ?", self.goes)
        return not rows


def _sample(trace: list[str], at_most: int | None) -> list[int]:
    points = list(range(len(trace)))
    if at_most is None or at_most >= len(points):
        return points
    # The commits are where it matters most.
    commits = [point for point in points if trace[point].startswith("commit")]
    others = [point for point in points if point not in commits]
    chosen = random.Random(7).sample(others, max(0, at_most - len(commits)))
    return sorted([*commits, *chosen])


def main() -> None:
    place = Path(sys.argv[1])
    at_most = int(sys.argv[2]) if len(sys.argv) > 2 else None
    (place / "scene").mkdir()
    stage = Stage(place)
    effects.install()
    scenes: list[tuple[str, Path, Callable[[], None]]] = [
        ("gc", stage.deleted, stage.collect),
        ("delete", stage.whole, stage.delete),
    ]
    for kind, kept, act in scenes:
        stage.bring_back(kept)
        trace = stage.traced(act)
        stage.judge(f"{kind}, not killed", is_deleted=True)
        for point in _sample(trace, at_most):
            stage.bring_back(kept)
            stage.kill(kind, act, point)
            where = f"{kind} killed before {point} ({trace[point]})"
            stage.judge(where, is_deleted=kind == "gc" or stage.is_deleted())
    print(json.dumps({"kills": stage.kills, "failures": stage.failures}))


if __name__ == "__main__":
    main()
