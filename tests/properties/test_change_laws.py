"""Laws of changes: any sequence of propose, apply, reject, rewind and undo does exactly what each of them says.

Every line of every file is unlike any other there ever is, and an edit replaces one line. So what a change may do to the
files can be said without the code under test: put its new line where its old line is, or take it away again; make,
remove or rename a file. Whatever is refused changes nothing. The files are real ones; the log is one in memory, and then
the one of the commands, in SQLite.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Literal, TypeAlias

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.adapters.store.change_log import StoredChanges
from holdfast.adapters.store.store import open_store
from holdfast.changes.change_log import ChangeLog
from holdfast.changes.plan import FileRefused
from holdfast.changes.ports import FileFound
from holdfast.usecases.changes.apply import AppliedReply, ReplyText, apply_reply
from holdfast.usecases.changes.propose import Proposed, overlay_of, propose_reply
from holdfast.usecases.changes.review import Accepted, Rejected, apply_change, reject_change
from holdfast.usecases.changes.rewind import Rewound, rewind_change
from holdfast.usecases.changes.undo import Undone, undo_last
from holdfast.usecases.workspace import NothingDone
from holdfast.vocab.outcomes import Refused
from holdfast.wiring.workspaces import DiskWorkspace
from tests.changes.memory_log import MemoryLog
from tests.places import place_of

NAMES = ("a.txt", "d/b.txt", "c.txt")
Files: TypeAlias = dict[str, bytes]
LogAt: TypeAlias = Callable[[Path], ChangeLog]
Kind: TypeAlias = Literal["edit", "create", "delete", "rename"]


@dataclass(frozen=True)
class Step:
    """One thing to do; the numbers pick a file, a line or a change among those there are."""

    verb: Literal["propose", "at once", "apply", "reject", "rewind", "undo", "by hand"]
    kind: Kind
    name: int
    number: int


verbs = st.sampled_from(
    [
        "propose",
        "propose",
        "at once",
        "at once",
        "apply",
        "apply",
        "reject",
        "rewind",
        "rewind",
        "undo",
    ]
)
kinds = st.sampled_from(["edit", "edit", "edit", "create", "delete", "rename"])
steps = st.builds(Step, verbs, kinds, st.integers(0, 2), st.integers(0, 11))
with_hands = steps | st.builds(
    Step, st.just("by hand"), kinds, st.integers(0, 2), st.integers(0, 11)
)


@dataclass(frozen=True)
class Meant:
    """What a change does, in our own words."""

    kind: Kind
    path: str
    old: bytes = b""
    new: bytes = b""
    to: str = ""


@dataclass
class Trial:
    """A root on the disk, and what every change was meant to do."""

    root: Path
    workspace: DiskWorkspace
    fresh: count[int] = field(default_factory=count)
    meant: dict[str, Meant] = field(default_factory=dict)

    def files(self) -> Files:
        found = [path for path in self.root.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found}

    def line(self) -> str:
        return f"line {next(self.fresh)} of them"

    def text(self) -> str:
        return "".join(f"{self.line()}\n" for _ in range(12))

    def ask(self, step: Step, *, seen: Files) -> tuple[str, Meant] | None:
        """Write a reply that fits what is seen; None if nothing does."""
        path = NAMES[step.name]
        if step.kind == "create":
            if path in seen:
                return None
            text = self.text()
            return json.dumps({"path": path, "content": text}), Meant(
                "create", path, new=text.encode()
            )
        if path not in seen:
            return None
        if step.kind == "delete":
            return json.dumps({"path": path, "delete": True}), Meant("delete", path, old=seen[path])
        if step.kind == "rename":
            to = NAMES[(step.name + 1 + step.number % 2) % 3]
            return (
                None
                if to in seen
                else (json.dumps({"path": path, "to": to}), Meant("rename", path, to=to))
            )
        old, new = seen[path].decode().splitlines()[step.number], self.line()
        return json.dumps({"path": path, "old": old, "new": new}), Meant(
            "edit", path, old.encode(), new.encode()
        )

    def seen(self) -> Files:
        """Read the files through the overlay, as a later edit in review mode does."""
        over = overlay_of(self.workspace)
        looks = {name: over.look(name) for name in NAMES}
        return {
            name: looked.data for name, looked in looks.items() if isinstance(looked, FileFound)
        }


def does(meant: Meant, before: Files, after: Files) -> bool:
    """Whether `after` is what the change makes of `before`, and nothing else."""
    rest = {name: data for name, data in before.items() if name not in {meant.path, meant.to}}
    there = before.get(meant.path)
    if meant.kind == "create":
        return there is None and after == rest | {meant.path: meant.new}
    if there is None:
        return False
    if meant.kind == "delete":
        return after == rest
    if meant.kind == "rename":
        return meant.to not in before and after == rest | {meant.to: there}
    return there.count(meant.old) == 1 and after == rest | {
        meant.path: there.replace(meant.old, meant.new)
    }


def in_memory(_: Path) -> ChangeLog:
    return MemoryLog()


def pick(trial: Trial, number: int) -> str | None:
    ids = sorted(trial.meant, key=list(trial.meant).index)
    return ids[number % len(ids)] if ids else None


def take(trial: Trial, step: Step) -> None:
    """Do one step, and judge what became of the files."""
    before = trial.files()
    workspace = trial.workspace
    if step.verb == "by hand":
        edit_by_hand(trial, step, before)
        return
    if step.verb in {"propose", "at once"}:
        asked = trial.ask(step, seen=trial.seen() if step.verb == "propose" else before)
        if asked is None:
            return
        reply, meant = asked
        if step.verb == "propose":
            proposed = propose_reply(ReplyText(reply), workspace)
            assert isinstance(proposed, Proposed), proposed
            trial.meant[proposed.change.id] = meant
            assert trial.files() == before
            return
        applied = apply_reply(ReplyText(reply), workspace)
        assert isinstance(applied, AppliedReply), applied
        assert applied.change_id
        trial.meant[applied.change_id] = meant
        assert does(meant, before, trial.files())
        return
    if step.verb == "undo":
        last = workspace.log.list(state="applied", limit=1)
        judge(
            trial,
            undo_last(workspace),
            trial.meant[last[0].id] if last else None,
            before,
            back=True,
        )
        return
    change_id = pick(trial, step.number)
    if change_id is None:
        return
    meant = trial.meant[change_id]
    if step.verb == "apply":
        judge(trial, apply_change(change_id, workspace), meant, before, back=False)
    elif step.verb == "reject":
        assert isinstance(reject_change(change_id, workspace), Rejected | NothingDone)
        assert trial.files() == before
    else:
        judge(trial, rewind_change(change_id, workspace), meant, before, back=True)


def edit_by_hand(trial: Trial, step: Step, before: Files) -> None:
    path = NAMES[step.name]
    if path in before:
        lines = before[path].splitlines(keepends=True)
        lines[step.number] = f"{trial.line()}\n".encode()
        (trial.root / path).write_bytes(b"".join(lines))


def judge(trial: Trial, outcome: object, meant: Meant | None, before: Files, *, back: bool) -> None:
    after = trial.files()
    event(f"{'back' if back else 'forth'}: {type(outcome).__name__}")
    if isinstance(outcome, NothingDone):
        assert after == before
        return
    assert isinstance(outcome, Accepted | Rewound | Undone), outcome
    assert meant
    assert does(meant, after, before) if back else does(meant, before, after)


@pytest.fixture(scope="module")
def log_in_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LogAt]:
    """One store for all examples: each has a root of its own, and so a project of its own."""
    with open_store(str(tmp_path_factory.mktemp("laws") / "store.sqlite3")) as store:
        yield lambda root: StoredChanges(store, place_of(root))


@contextmanager
def set_up(log_at: LogAt) -> Iterator[Trial]:
    with tempfile.TemporaryDirectory(
        dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    ) as place:
        root = Path(place) / "root"
        (root / "d").mkdir(parents=True)
        with DiskWorkspace(DiskFiles(str(root)), Path(place) / "state") as workspace:
            workspace._log = log_at(root)
            trial = Trial(root, workspace)
            (root / "a.txt").write_text(trial.text())
            (root / "d/b.txt").write_text(trial.text())
            yield trial


def there_and_back(sequence: list[Step], log_at: LogAt) -> None:
    with set_up(log_at) as trial:
        start = trial.files()
        for step in sequence:
            take(trial, step)
        while trial.workspace.log.list(state="applied", limit=1):
            assert isinstance(undone := undo_last(trial.workspace), Undone), undone
        assert trial.files() == start
        nothing = Refused(
            "not_found", "there is nothing to undo: no apply below this root is on record."
        )
        assert undo_last(trial.workspace) == NothingDone((FileRefused("", nothing),))


def in_between(sequence: list[Step], log_at: LogAt) -> None:
    with set_up(log_at) as trial:
        for step in sequence:
            take(trial, step)


@given(st.lists(steps, max_size=20))
def test_any_sequence_does_what_it_says_and_undo_gives_back_the_exact_bytes(
    sequence: list[Step],
) -> None:
    there_and_back(sequence, in_memory)


@pytest.mark.slow
@given(st.lists(steps, max_size=20))
def test_the_same_with_the_log_in_sqlite(log_in_sqlite: LogAt, sequence: list[Step]) -> None:
    there_and_back(sequence, log_in_sqlite)


@given(st.lists(with_hands, max_size=20))
def test_what_is_edited_by_hand_in_between_stays_whatever_is_applied_and_taken_back(
    sequence: list[Step],
) -> None:
    in_between(sequence, in_memory)


@pytest.mark.slow
@given(st.lists(with_hands, max_size=20))
def test_it_stays_with_the_log_in_sqlite_too(log_in_sqlite: LogAt, sequence: list[Step]) -> None:
    in_between(sequence, log_in_sqlite)
