"""A walk of kills on one worktree: two processes at a time, each killed somewhere, and what the next command makes of it.

Each step draws two acts and forks a process for each, which is killed at one of its effects (or one of the two is left
alive). Sometimes the command that settles what they left is killed too. Then the tree must be one that somebody has
asked for: one that the acts lead to if they are done in some order, each of them as a whole or in part as far as its
parts go. The log, the tables and the tree must agree, and nothing may be left open. The next step goes on from there.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.adapters.places.place_records import find_place
from holdfast.adapters.processes.turn_processes import TurnProcesses
from holdfast.adapters.store.event_log import StoredEventLog
from holdfast.adapters.store.store import open_store
from holdfast.usecases.events.fold import LogState, fold
from holdfast.usecases.locked_workspace import settle_first
from holdfast.wiring.journals import open_entries_at
from holdfast.wiring.workspaces import open_workspace
from holdfast.wiring.worktrees import open_worktrees
from tests.end_to_end import effects
from tests.end_to_end.checkpoints.repo import Folder, Tree, bring_back, ravage, standard
from tests.end_to_end.effects import When
from tests.end_to_end.going_back.kill_acts import COMMAND_TEXT, FILES, NAMES, Act, Acts, Part
from tests.usecases.test_event_fold import tables

_CHILD_SECONDS = 300
_LIVES = 0.2
"""How often the second process is left alive."""
_RECOVERIES = 0.3
"""How often the command that settles is killed too."""
_TRACED_AGAIN = 6
"""After how many kills an act is traced again: what it does depends on what it finds."""


@dataclass(frozen=True)
class Found:
    """The files, the states of the changes that count, and the messages of each chat."""

    tree: Tree
    states: tuple[str, ...]
    messages: Mapping[str, tuple[str, ...]]


@dataclass
class Trace:
    """The effects of an act, and how often it was killed at each kind of effect."""

    effects: list[str] = field(default_factory=list)
    kills: Counter[str] = field(default_factory=Counter)
    age: int = 0


class Walk:
    """Steps on one worktree; `kills` and `failures` are what came of them."""

    def __init__(self, place: Path, seed: int, base_url: str) -> None:
        self.place = place
        self.repo = Folder(place / "scene" / "root")
        self.state = place / "scene" / "state"
        os.environ["HOLDFAST_STATE_DIR"] = str(self.state)
        self.chance = random.Random(seed)
        self.acts = Acts(self.repo, self.chance, base_url)
        self.plain = seed % 4 == 3
        self.kills: Counter[str] = Counter()
        self.failures: list[tuple[list[str], str]] = []
        self.traces: dict[str, Trace] = {}
        self.wrong: set[str] = set()
        self._set_scene()
        self.users = self.look_at_users()

    def _set_scene(self) -> None:
        if self.plain:
            self.repo.write("src/app.py", "print('one')\n")
            self.repo.write("src/util.py", "x = 1\n")
            self.repo.write("docs/a.md", "a\n")
            self.repo.write("run.sh", "#!/bin/sh\n", 0o755)
            self.repo.write(".gitignore", "*.log\n.env\n")
            self.repo.write(".env", "SECRET=1\n", 0o600)
        else:
            standard(self.repo)
        for name in FILES:
            self.repo.write(name, f"{name} zero\n")
        self.acts.create()
        ravage(self.repo)
        # In the way: ignored now, and in the checkpoint. What was ignored is captured.
        self.repo.write(".gitignore", ".env\ncache/\nnotes.txt\n")
        self.acts.draw("apply").run()
        self.acts.create()
        self.acts.draw("turn").run()

    # One step.

    def step(self) -> None:
        drawn = [self.acts.draw(name) for name in self.chance.choices(NAMES, k=2)]
        self.keep("now")
        before = self.found()
        for act in drawn:
            self.trace(act)
        self.bring_back("now")
        names = self.kill_both(drawn)
        self.settle_with_kills(names)
        self.judge(names, drawn, before)

    def trace(self, act: Act) -> None:
        """Note the effects of an act, if they are not known or were noted long ago."""
        trace = self.traces.setdefault(act.name, Trace())
        trace.age -= 1
        if trace.age > 0:
            return
        self.bring_back("now")
        effects.watch()
        act.run()
        effects.stop()
        trace.effects = list(effects.seen)
        trace.age = _TRACED_AGAIN

    def kill_both(self, acts: Sequence[Act]) -> list[str]:
        """Run both at once and kill them; return what was killed."""
        children = []
        for number, act in enumerate(acts):
            lives = number == 1 and self.chance.random() < _LIVES
            death = None if lives else self.draw_death(act.name)
            children.append((act.name, self.fork(act.run, death)))
        killed = [name for name, child in children if self.was_killed(child)]
        self.kills.update(killed)
        self.wait_for_rest()
        return killed

    def draw_death(self, name: str) -> tuple[int, When]:
        """Draw an effect, of a kind at which this act was killed least often."""
        trace = self.traces[name]
        if not trace.effects:
            return 0, "before"
        kinds = [_kind(effect) for effect in trace.effects]
        least = min(trace.kills[kind] for kind in kinds)
        points = [at for at, kind in enumerate(kinds) if trace.kills[kind] == least]
        point = self.chance.choice(points)
        trace.kills[kinds[point]] += 1
        moments: list[When] = ["before", "after"]
        if kinds[point].startswith("write"):
            moments.append("half")
        return point, self.chance.choice(moments)

    def fork(self, run: Part, death: tuple[int, When] | None) -> int:
        child = os.fork()
        if child:
            return child
        signal.alarm(_CHILD_SECONDS)
        try:
            if death is not None:
                effects.die_at(*death)
            run()
        finally:
            os._exit(3)

    def was_killed(self, child: int) -> bool:
        status = os.waitpid(child, 0)[1]
        killer = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if killer == signal.SIGALRM:
            self.failures.append(([], "a process hangs"))
        return killer == signal.SIGKILL

    def wait_for_rest(self) -> None:
        """Wait for a git, or the command of a turn, that has outlived its process."""
        with open_worktrees(self.repo.root).hold(make=True):
            pass
        until = time.monotonic() + _CHILD_SECONDS
        ours = str(self.repo.root)
        while time.monotonic() < until:
            left = [each for each in TurnProcesses(self.state).found() if _is_at(each.pid, ours)]
            if not left:
                return
            time.sleep(0.02)

    def settle_with_kills(self, names: list[str]) -> None:
        """Settle what dead processes left; sometimes the first that does so is killed too."""
        if self.chance.random() < _RECOVERIES:
            self.keep("dead")
            effects.watch()
            self.settle()
            effects.stop()
            point = self.chance.randrange(max(1, len(effects.seen)))
            self.bring_back("dead")
            if self.was_killed(self.fork(self.settle, (point, "before"))):
                self.kills["recovery"] += 1
                names.append("recovery")
            self.wait_for_rest()
        self.settle()

    def settle(self) -> None:
        with open_workspace(self.repo.root) as workspace:
            settle_first(workspace)

    # The scenes.

    def keep(self, name: str) -> None:
        shutil.rmtree(self.place / name, ignore_errors=True)
        shutil.copytree(self.place / "scene", self.place / name, symlinks=True)

    def bring_back(self, name: str) -> None:
        bring_back(self.place / name, self.place / "scene")

    # The judgement.

    def judge(self, names: list[str], acts: Sequence[Act], before: Found) -> None:
        found = self.found()
        self.keep("after")
        was = "killed " + " and ".join(names) + " of " + " and ".join(act.name for act in acts)

        def must(what: str, holds: bool) -> None:
            if not holds:
                self.failures.append((names, f"{was}: {what}"))

        problem = self.compare(found, acts, before)
        self.bring_back("after")
        must(problem, not problem)
        left = open_entries_at(self.state, self.repo.root)
        must(f"this is open: {left}", not left)
        log, read = self.log_and_tables()
        must(f"the log leads to {log}, the tables have {read}", log == read)
        wrong = self.disagreements(found.tree)
        must(f"the log has other texts than the files: {wrong}", set(wrong) <= self.wrong)
        self.wrong = set(wrong)
        must("something of the user's has changed", self.look_at_users() == self.users)
        must("an undo does not bring back what was", self.undo_leads_back(acts, found, before))
        if {"gc", "sessions delete"} & set(names):
            self.acts.collect()
            rest = self.acts.collect(dry_run=True).removed
            must(f"a gc leaves {rest}", not any(rest.values()))

    def compare(self, found: Found, acts: Sequence[Act], before: Found) -> str:
        """Return "" if what is found is what the acts lead to, in some order and as far as they came."""
        if found == before:
            return ""
        has_turn = any(act.is_turn for act in acts)
        trees = []
        outcomes = []
        for parts in _plays(acts):
            self.bring_back("now")
            outcomes.append([type(part()).__name__ for part in parts])
            played = self.found()
            trees.append(played.tree)
            if found == played:
                return ""
            # A turn records more than the play does: its messages, and what it sees of others.
            if has_turn and _with_cut_command(found.tree, played.tree) == played.tree:
                return ""
        if found.tree in trees:
            return f"the log has {found.states} and {found.messages} for this tree"
        return f"nobody asked for this tree: {_odd(found.tree, trees)}; the acts were {outcomes}"

    def found(self) -> Found:
        with open_workspace(self.repo.root) as workspace:
            states = [change.state for change in workspace.log.list()]
        counting = sorted(state for state in states if state != "rejected")
        return Found(self.repo.tree(), tuple(counting), self.log_and_tables()[1].messages)

    def log_and_tables(self) -> tuple[LogState, LogState]:
        place = find_place(self.repo.root, self.state)
        with open_store(str(self.state / "holdfast.sqlite3")) as store:
            read = store.query(lambda connection: tables(connection, self.repo.root))
            log = fold(StoredEventLog(lambda: store, place).after(0))
        return log, read

    def disagreements(self, tree: Tree) -> list[str]:
        """Name the files that are not what the last applied change has made of them.

        A command whose turn was killed before it could look has changed a file without a record.
        """
        with open_workspace(self.repo.root) as workspace:
            waiting = workspace.log.list(state="proposed")
            applied = workspace.log.list(state="applied")
        wrong = [f"{change.id} is proposed" for change in waiting]
        seen: set[str] = set()
        for change in applied:
            for swap in change.plan.swaps:
                if swap.path in seen:
                    continue
                seen.add(swap.path)
                entry = tree.get(os.fsencode(swap.path))
                data = None if entry is None else entry[1]
                expected = None if swap.after is None else swap.after.data
                if data != expected and not _is_by_command(swap.path, data):
                    wrong.append(f"{swap.path} is {data!r}, the log has {expected!r}")
        return wrong

    def undo_leads_back(self, acts: Sequence[Act], found: Found, before: Found) -> bool:
        """Return whether the undo of a restore, whoever finished it, brings back the tree before it."""
        names = sorted(act.name for act in acts)
        others = {"gc", "checkpoint create", "sessions delete"}
        if "restore" not in names or not set(names) - {"restore"} <= others:
            return True
        if names == ["restore", "restore"] or found.tree == before.tree:
            return True
        if "sessions delete" in names:
            return True
        self.acts.undo_restore()
        led_back = self.repo.tree() == before.tree
        self.bring_back("after")
        return led_back

    def look_at_users(self) -> dict[str, object]:
        if self.plain:
            return {}
        users = self.repo.users()
        return {name: value for name, value in users.items() if name != "index time"}


def _plays(acts: Sequence[Act]) -> Iterator[tuple[Part, ...]]:
    """Return in which orders the parts of two acts may have been done, the likely ones first."""
    first, second = acts
    for one in ((), *first.ways):
        for other in ((), *second.ways):
            yield from _merged(one, other)


def _merged(one: tuple[Part, ...], other: tuple[Part, ...]) -> Iterator[tuple[Part, ...]]:
    if not one or not other:
        yield one + other
        return
    for rest in _merged(one[1:], other):
        yield (one[0], *rest)
    for rest in _merged(one, other[1:]):
        yield (other[0], *rest)


def _kind(effect: str) -> str:
    """Return an effect without what differs from one run to the next."""
    return re.sub(r"[0-9a-f]{6,}|\d+", "#", effect)


def _is_at(pid: int, root: str) -> bool:
    try:
        return str(Path(f"/proc/{pid}/cwd").readlink()).startswith(root)
    except OSError:
        return False


def _is_by_command(path: str, data: bytes | None) -> bool:
    if path not in FILES or data is None:
        return False
    # A shell makes the file empty first.
    return not data or data.startswith(COMMAND_TEXT)


def _with_cut_command(tree: Tree, played: Tree) -> Tree:
    """Return the tree, with the text of a command where it was killed between two of its writes."""
    whole = dict(tree)
    for name in map(os.fsencode, FILES):
        if name not in tree or name not in played:
            continue
        if not tree[name][1] and played[name][1].startswith(COMMAND_TEXT):
            whole[name] = played[name]
    return whole


def _odd(tree: Tree, trees: Sequence[Tree]) -> str:
    """Name the files of a tree that none of the others has so."""
    odd = []
    for path, entry in tree.items():
        if all(each.get(path) != entry for each in trees):
            others = sorted({str(each.get(path)) for each in trees})
            odd.append(f"{path!r} {entry[1][:40]!r} {entry[2]:o}, not {others}")
    return ", ".join(odd) or "a mix"
