"""Kill an apply, an undo and a recovery at effects they have, and look what the next command makes of it.

All effects with HOLDFAST_ALL_KILLS=1, else a sample.

Run as a program, in a process of its own with one thread: it warms up, then forks a child for every kill, so that no
child pays for an interpreter. It prints one JSON object: how many kills of each kind, and every failure.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.changes import plan_requests as plan_module
from holdfast.changes.change_log import LogUnavailable
from holdfast.usecases.changes.apply import AppliedReply, ReplyText, apply_reply
from holdfast.usecases.changes.list_changes import list_changes
from holdfast.usecases.changes.undo import Undone, undo_last
from holdfast.usecases.locked_workspace import settle_first
from holdfast.usecases.workspace import NothingDone
from holdfast.wiring.workspaces import open_workspace
from tests.end_to_end import effects, fifty_files
from tests.end_to_end.effects import When
from tests.end_to_end.fifty_files import Snapshot, restore, snapshot
from tests.samples import sample

_NO_SUCH_FILE = ReplyText('{"path": "no/such/file.py", "old": "a", "new": "b"}')
_FOREIGN = b"# somebody else was here\n"


class Stage:
    """One place on the disk where the same scene is set again and again."""

    def __init__(self, place: Path) -> None:
        """Set the scene once, and see what the reply makes of it when nobody dies."""
        self.root = place / "root"
        self.state = place / "state"
        os.environ["HOLDFAST_STATE_DIR"] = str(self.state)
        self.reply = ReplyText(fifty_files.reply())
        self.failures: list[str] = []
        self.kills: dict[str, int] = {}
        self.refusals = 0
        self.kept: tuple[Snapshot, Snapshot] = ({}, {})
        fifty_files.build(self.root)
        with open_workspace(self.root) as workspace:
            self.must("the store begins empty", workspace.log.ids() == ())
            # Where the root is, is on record before anything is counted.
            workspace.claim()
        # With a store in it that is made: that it is made well is another test's business.
        self.fresh = snapshot(self.state)
        self.old = snapshot(self.root)
        self.apply_effects = self.traced(self.apply)
        self.reset()
        _plan_once()
        self.must("a plan has no effects", len(self.traced(self.apply)) == len(self.apply_effects))
        self.new = snapshot(self.root)
        self.keep()
        self.undo_effects = self.traced(self.undo)
        self.must("an undo gives the old files back", snapshot(self.root) == self.old)

    # The acts.

    def apply(self) -> None:
        with open_workspace(self.root) as workspace:
            outcome = apply_reply(self.reply, workspace)
        self.must(f"the reply lands: {outcome}", isinstance(outcome, AppliedReply))

    def undo(self) -> None:
        with open_workspace(self.root) as workspace:
            outcome = undo_last(workspace)
        self.must(f"the apply can be undone: {outcome}", isinstance(outcome, Undone))

    def next_command(self) -> None:
        with open_workspace(self.root) as workspace:
            outcome = apply_reply(_NO_SUCH_FILE, workspace)
        self.must("the next command itself is refused", isinstance(outcome, NothingDone))

    # The scene.

    def reset(self) -> None:
        restore(self.root, self.old)
        restore(self.state, self.fresh)

    def keep(self) -> None:
        self.kept = (snapshot(self.root), snapshot(self.state))

    def bring_back(self) -> None:
        restore(self.root, self.kept[0])
        restore(self.state, self.kept[1])

    # The judgement.

    def must(self, what: str, holds: bool) -> None:
        if not holds:
            self.failures.append(what)

    def traced(self, act: Callable[[], None]) -> list[str]:
        """Run an act to its end and give its effects; one that the counter missed is a failure."""
        effects.watch()
        act()
        effects.stop()
        self.must(f"every effect is counted; missed: {effects.escaped[:3]}", not effects.escaped)
        return list(effects.seen)

    def kill(self, kind: str, act: Callable[[], None], point: int, when: When) -> None:
        """Run an act in a child that dies at one of its effects."""
        self.kills[kind] = self.kills.get(kind, 0) + 1
        child = os.fork()
        if child == 0:
            try:
                effects.die_at(point, when)
                act()
            finally:
                os._exit(3)
        status = os.waitpid(child, 0)[1]
        self.must(
            f"{kind} {point} {when}: the child dies by its own hand", status == signal.SIGKILL
        )

    def left(self) -> list[str]:
        """Name the files in the state directory, but for the store's own."""
        names = [
            path.rpartition("/")[2]
            for path, entry in snapshot(self.state).items()
            if entry[0] == "file"
        ]
        return sorted(name for name in names if not name.startswith("holdfast.sqlite3"))

    def states(self) -> list[str]:
        """Say what the log knows of the changes, newest first."""
        with open_workspace(self.root) as workspace:
            settle_first(workspace)
            return [change.state for change in list_changes(workspace)]

    def judge(self, where: str, *allowed: Snapshot) -> bool:
        """Check that the tree is one of those, that the log agrees, and that the journal is empty."""
        now = snapshot(self.root)
        if now not in allowed:
            odd = [path for path in {**allowed[0], **now} if now.get(path) != allowed[0].get(path)]
            self.failures.append(f"{where}: a mix; unlike the first that is allowed: {odd[:5]}")
        left = self.left()
        self.must(f"{where}: left behind: {left}", set(left) <= {"lock", "place.json"})
        states = self.states()
        self.must(f"{where}: the log says {states}", ("applied" in states) == (now == self.new))
        self.must(f"{where}: the log says {states}", "proposed" not in states)
        return now == self.new


def _plan_once() -> None:
    """Remember plans from here on: they are the same for every child, and most of the work."""
    # The use case imports it when it needs it.
    names = vars(plan_module)
    real = names["plan_requests"]
    plans: dict[object, object] = {}

    def remembered(requests: tuple[object, ...], *args: Any, **options: Any) -> object:
        if requests not in plans:
            plans[requests] = real(requests, *args, **options)
        return plans[requests]

    names["plan_requests"] = remembered


_MOST = 16
"""How many moments of one act a sample has."""


def points(trace: list[str], most: int = _MOST) -> list[tuple[int, When]]:
    """Give the moments to die at, or a sample of them: before each effect, in the middle of each write, and after the last.

    After any other effect the disk is as it is before the next one.
    """
    moments: list[tuple[int, When]] = [(point, "before") for point in range(len(trace))]
    moments += [(point, "half") for point, effect in enumerate(trace) if effect.startswith("write")]
    # The last effects are those that make the act known as done.
    return sample([*moments, (len(trace) - 1, "after")], most, last=8)


def kill_applies(stage: Stage) -> None:
    """After a kill anywhere, the next command leaves all old or all new; and undo then goes back to the old."""
    outcomes = set()
    for point, when in points(stage.apply_effects):
        where = f"apply killed {when} {point} ({stage.apply_effects[point]})"
        stage.reset()
        stage.kill("apply", stage.apply, point, when)
        stage.next_command()
        outcomes.add(new := stage.judge(where, stage.old, stage.new))
        with open_workspace(stage.root) as workspace:
            stage.must(
                f"{where}: undo fits",
                isinstance(undo_last(workspace), Undone if new else NothingDone),
            )
        stage.judge(f"{where}, then undo", stage.old)
    stage.must("some kills end old and some new", outcomes == {True, False})


def kill_undos(stage: Stage) -> None:
    """The same for an undo."""
    stage.reset()
    stage.apply()
    stage.keep()
    for point, when in points(stage.undo_effects):
        stage.bring_back()
        stage.kill("undo", stage.undo, point, when)
        stage.next_command()
        stage.judge(
            f"undo killed {when} {point} ({stage.undo_effects[point]})", stage.old, stage.new
        )


def kill_recoveries(stage: Stage, *, foreign: bool) -> None:
    """Kill an apply, then kill its recovery anywhere: the recovery after that still leaves all old or all new.

    With `foreign`, somebody has changed one of the files in between: that file stays, and all others are old.
    """
    trace = stage.apply_effects
    committed = next(n for n, effect in enumerate(trace) if effect.endswith(".batch"))
    finished = max(n for n, effect in enumerate(trace) if effect == "commit")
    kind = "recovery after a foreign change" if foreign else "recovery"
    crashes = (
        (finished - 1,) if foreign else (committed // 2, committed, (committed + finished) // 2)
    )
    for crash in crashes:
        stage.reset()
        stage.kill("apply, to recover from", stage.apply, crash, "after")
        if foreign:
            (stage.root / "edit/3.py").write_bytes(_FOREIGN)
        stage.keep()
        recovery = stage.traced(stage.next_command)
        for point, when in points(recovery):
            stage.bring_back()
            stage.kill(kind, stage.next_command, point, when)
            stage.next_command()
            where = (
                f"apply killed after {crash}, recovery killed {when} {point} ({recovery[point]})"
            )
            if foreign:
                judge_foreign(stage, where)
            else:
                stage.judge(where, stage.old, stage.new)


def refuse_everywhere(stage: Stage, *, for_good: bool) -> None:
    """Have the disk refuse each effect once: the apply says so and every file is old, or it was done already."""
    for point, effect in sample(list(enumerate(stage.apply_effects)), _MOST, last=8):
        if for_good and effect.split()[0] not in effects.NEED_ROOM:
            continue
        where = f"disk full {'for good' if for_good else 'once'} at {point} ({effect})"
        stage.reset()
        effects.refuse_at(point, for_good=for_good)
        outcome: object
        try:
            with open_workspace(stage.root) as workspace:
                outcome = apply_reply(stage.reply, workspace)
        except (OSError, LogUnavailable) as error:
            # Without a state directory there is no lock, and without a store no record; the command line says so.
            outcome = error
        effects.stop()
        stage.refusals += 1
        allowed = stage.new if isinstance(outcome, AppliedReply) else stage.old
        stage.must(f"{where}: a mix, after {outcome}", snapshot(stage.root) == allowed)
        stage.next_command()
        stage.judge(f"{where}, and the next command", allowed)


def judge_foreign(stage: Stage, where: str) -> None:
    """Check that the foreign file is kept, the others are old, and its texts are kept where they were said to be."""
    expected = stage.old | {"edit/3.py": ("file", _FOREIGN, 0o644)}
    stage.must(f"{where}: not the old files with the foreign one", snapshot(stage.root) == expected)
    left = stage.left()
    stage.must(
        f"{where}: left behind: {left}", left == ["1.new.3.py", "1.old.3.py", "lock", "place.json"]
    )


def main() -> None:
    """Do all kills below the directory that is named, and print what came of them."""
    effects.install()
    place = Path(sys.argv[1])
    stage = Stage(place)
    effects.watch()
    (place / "uncounted").write_text("a file object, which no function of os opens")
    effects.stop()
    stage.must("an effect that goes another way is noticed", len(effects.escaped) == 1)
    kill_applies(stage)
    kill_undos(stage)
    kill_recoveries(stage, foreign=False)
    kill_recoveries(stage, foreign=True)
    refuse_everywhere(stage, for_good=False)
    refuse_everywhere(stage, for_good=True)
    summary = {
        "effects": stage.apply_effects,
        "kills": stage.kills,
        "refusals": stage.refusals,
        "failures": stage.failures,
    }
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
