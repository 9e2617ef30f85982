"""Run two commands at once on one worktree, each in a process that dies somewhere, and look what the next one makes of it.

Run as a program: `python -m tests.end_to_end.going_back.combined_kills PLACE SEED STEPS`. Each step takes two of the
verbs, and plays them without a kill in every order to know which trees somebody has asked for. Then it forks a process
for each, kills both (or one) at a random effect, and settles what they left. The tree must be one of those that were
asked for, with the log that belongs to it; the tables must be what the log leads to; nothing may be left open. The next
step goes on from there. It prints one JSON object: how many kills of each kind, and every failure.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from holdfast.adapters.git import git_command
from holdfast.adapters.places.places import find_place
from holdfast.adapters.store.event_log import StoredEventLog
from holdfast.adapters.store.store import open_store
from holdfast.usecases.changes.apply import ReplyText, apply_reply
from holdfast.usecases.changes.list_changes import list_changes
from holdfast.usecases.changes.undo import undo_last
from holdfast.usecases.checkpoints.checkpoint import Listed, list_checkpoints
from holdfast.usecases.events.fold import fold
from holdfast.usecases.locked_workspace import settle_first
from holdfast.usecases.redo import redo_last
from holdfast.wiring.journals import open_entries_at
from holdfast.wiring.workspaces import open_workspace
from holdfast.wiring.worktrees import open_worktrees
from tests.end_to_end import effects
from tests.end_to_end.checkpoints.kills import Stage, wait_for_lock
from tests.end_to_end.checkpoints.repo import Tree
from tests.end_to_end.effects import When
from tests.usecases.test_event_fold import tables

Act: TypeAlias = Callable[[], object]
Found: TypeAlias = tuple[Tree, tuple[str, ...]]
"""The files, and the states of the changes that count: what is rejected was never there."""

_FILES = ("a.txt", "b.txt", "c/d.txt")
_CHILD_SECONDS = 300


class Combination(Stage):
    """A repository on which commands are run two at a time."""

    def __init__(self, place: Path, seed: int) -> None:
        super().__init__(place, plain=False)
        self.chance = random.Random(seed)
        self.number = 0
        self.repo.init()
        for name in _FILES:
            self.repo.write(name, f"{name} zero\n")
        self.repo.commit()
        self.repo.write("untracked.txt", "untracked\n")
        self.create()
        self.apply("first")
        self.create()

    # The verbs: each returns what one process does. To add one, add it to VERBS.

    def applying(self) -> Act:
        self.number += 1
        text = f"text {self.number}"
        return lambda: self.apply(text)

    def undoing(self) -> Act:
        return self.undo_change

    def creating(self) -> Act:
        return self.create

    def restoring(self) -> Act:
        wanted = self.chance.choice(self.checkpoints())
        return lambda: self.restore(wanted)

    def undoing_a_restore(self) -> Act:
        return self.undo

    def redoing(self) -> Act:
        return self.redo

    # What they do.

    def apply(self, text: str) -> object:
        chosen = random.Random(text).sample(_FILES, 2)
        edits = [{"path": name, "content": f"{name} {text}\n"} for name in chosen]
        edits.append({"path": f"new/{text.replace(' ', '-')}.txt", "content": f"{text}\n"})
        with open_workspace(self.repo.root) as workspace:
            return apply_reply(ReplyText(json.dumps(edits)), workspace)

    def undo_change(self) -> object:
        with open_workspace(self.repo.root) as workspace:
            return undo_last(workspace)

    def redo(self) -> object:
        with open_workspace(self.repo.root) as workspace:
            return redo_last(workspace, open_worktrees(self.repo.root))

    def settle(self) -> None:
        with open_workspace(self.repo.root) as workspace:
            settle_first(workspace)

    # What there is.

    def checkpoints(self) -> list[str]:
        listed = list_checkpoints(open_worktrees(self.repo.root))
        assert isinstance(listed, Listed), listed
        return [each.id for each in listed.checkpoints if each.draft.kind == "manual"]

    def found(self) -> Found:
        with open_workspace(self.repo.root) as workspace:
            states = [change.state for change in list_changes(workspace)]
        return self.repo.tree(), tuple(sorted(state for state in states if state != "rejected"))

    # One step.

    def step(self) -> None:
        names = self.chance.choices(list(VERBS), k=2)
        acts = [VERBS[name](self) for name in names]
        self.keep("now")
        allowed = [self.found()]
        for order in ((0,), (1,), (0, 1), (1, 0)):
            self.bring_back("now")
            for which in order:
                acts[which]()
            allowed.append(self.found())
        traces = [self.trace(act) for act in acts]
        self.bring_back("now")
        self.kill_both(names, acts, traces)
        self.judge_step(" and ".join(names), allowed)

    def trace(self, act: Act) -> int:
        """Return how many effects an act has."""
        self.bring_back("now")
        effects.watch()
        act()
        effects.stop()
        return len(effects.seen)

    def kill_both(self, names: Sequence[str], acts: Sequence[Act], traces: Sequence[int]) -> None:
        children = []
        for place, (name, act, length) in enumerate(zip(names, acts, traces, strict=True)):
            lives = place == 1 and self.chance.random() < 0.3
            point = self.chance.randrange(max(length, 1))
            when: When = self.chance.choice(["before", "after"])
            child = os.fork()
            if child == 0:
                self.run_child(act, None if lives else (point, when))
            children.append(child)
            if not lives:
                self.kills[name] = self.kills.get(name, 0) + 1
        for child in children:
            os.waitpid(child, 0)
        # A git that outlived its command may still be at work.
        wait_for_lock(self)

    def run_child(self, act: Act, death: tuple[int, When] | None) -> None:
        signal.alarm(_CHILD_SECONDS)
        try:
            if death is not None:
                effects.die_at(*death)
            act()
        finally:
            os._exit(3)

    def judge_step(self, where: str, allowed: Sequence[Found]) -> None:
        self.settle()
        tree, states = self.found()
        trees = [each for each, _ in allowed]
        self.must(f"{where}: nobody asked for this tree: {_odd(tree, trees)}", tree in trees)
        agreeing = [known for each, known in allowed if each == tree]
        self.must(f"{where}: the log says {states}, and could say {agreeing}", states in agreeing)
        state = Path(os.environ["HOLDFAST_STATE_DIR"])
        left = open_entries_at(state, self.repo.root)
        self.must(f"{where}: this is open: {left}", not left)
        place = find_place(self.repo.root, state)
        with open_store(str(state / "holdfast.sqlite3")) as store:
            read = store.query(lambda connection: tables(connection, self.repo.root))
            log = fold(StoredEventLog(lambda: store, place).after(0))
        self.must(f"{where}: the log leads to {log}, the tables have {read}", log == read)


def _odd(tree: Tree, trees: Sequence[Tree]) -> str:
    """Name the files of a tree that none of the others has so."""
    odd = []
    for path, entry in tree.items():
        if all(each.get(path) != entry for each in trees):
            odd.append(f"{path!r} {entry[1][:40]!r}")
    return ", ".join(odd) or "a mix"


VERBS: dict[str, Callable[[Combination], Act]] = {
    "apply": Combination.applying,
    "undo": Combination.undoing,
    "create": Combination.creating,
    "restore": Combination.restoring,
    "checkpoint undo": Combination.undoing_a_restore,
    "redo": Combination.redoing,
}


def main() -> None:
    """Take all steps below the directory that is named, and print what came of them."""
    effects.install()
    counted: Any = effects._counting("git", git_command.Git.start)
    git_command.Git.start = counted  # type: ignore[method-assign]
    stage = Combination(Path(sys.argv[1]), int(sys.argv[2]))
    for _ in range(int(sys.argv[3])):
        stage.step()
    print(json.dumps({"kills": stage.kills, "failures": stage.failures}))


if __name__ == "__main__":
    main()
