"""A worktree with its checkpoints, its journal and its conversations, in memory; anything in it can fail."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft, WorktreeState
from holdfast.checkpoints.difference import Difference, TreeEntry
from holdfast.checkpoints.ports import (
    Blocked,
    FileDifference,
    FileVersion,
    FileVersions,
    NoCheckpoints,
    PendingRestore,
    PreparedRestore,
    RestoreDone,
    RestoreFailed,
    UnfinishedRestore,
)
from holdfast.usecases.checkpoints.ports import Worktrees
from holdfast.usecases.checkpoints.restore_ports import (
    AnnounceExchange,
    AnnounceIds,
    CheckpointElsewhere,
    ConversationFailed,
    Conversations,
    Exchanged,
    RestoreScope,
)
from holdfast.usecases.sessions.ports import RunningTurn, StopScope
from holdfast.vocab.owned_event import OwnedEvent


def tree_of(files: Mapping[str, str]) -> str:
    """Return the id of a tree; here it says what is in it."""
    return ",".join(f"{name}={text}" for name, text in sorted(files.items()))


def files_of(tree: str) -> dict[str, str]:
    return dict(each.split("=", 1) for each in tree.split(",") if each)


@dataclass
class MemoryTranscript:
    """The record of checkpoints and messages (port `Transcript`)."""

    log: list[OwnedEvent]
    failing: str = ""
    count: int | None = 0
    differ: bool = False
    exchanged: Exchanged = field(default_factory=Exchanged)
    exchanges: list[tuple[str, str, tuple[str, ...], RestoreScope, bool]] = field(
        default_factory=list
    )
    forgotten: list[tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=list)
    others: tuple[CheckpointElsewhere, ...] = ()

    def _try(self) -> None:
        if self.failing:
            raise ConversationFailed(self.failing)

    def publish(self, events: Sequence[OwnedEvent]) -> int:
        self._try()
        self.log.extend(events)
        return len(self.log)

    def record(
        self,
        checkpoint: Checkpoint,
        events: Sequence[OwnedEvent],
        gone: Collection[str] = (),
        announce: AnnounceIds = lambda _: (),
    ) -> int | None:
        return self.publish([*events, *(announce(list(gone)) if gone else ())])

    def last_event(self) -> int:
        self._try()
        return len(self.log)

    def elsewhere(self) -> tuple[CheckpointElsewhere, ...]:
        self._try()
        return self.others

    def following(self, checkpoint: Checkpoint) -> int | None:
        self._try()
        return self.count

    def changes_differ(self, target: Checkpoint, scope: RestoreScope) -> bool:
        self._try()
        return self.differ

    def exchange(
        self,
        target: Checkpoint,
        undo_checkpoint: Checkpoint,
        orphans: Collection[str],
        announce: AnnounceExchange,
        *,
        scope: RestoreScope = "both",
        uses_up_target: bool = False,
    ) -> Exchanged:
        self._try()
        self.exchanges.append(
            (target.id, undo_checkpoint.id, tuple(orphans), scope, uses_up_target)
        )
        self.publish(announce(self.exchanged))
        return self.exchanged

    def forget(
        self, ids: Collection[str], emptied: Collection[str], announce: AnnounceIds
    ) -> int | None:
        self._try()
        self.forgotten.append((tuple(ids), tuple(emptied)))
        return self.publish(announce(list(ids))) if ids else None


@dataclass
class MemoryBackend:
    """The running agents (port `Backend`)."""

    failing: str = ""
    warm: bool = False
    evicted: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def refuse_waiting(self, session: str) -> None:
        if self.failing:
            raise ConversationFailed(self.failing)
        self.refused.append(session)

    def evict(self, session: str, announce: AnnounceIds) -> bool:
        if self.failing:
            raise ConversationFailed(self.failing)
        self.evicted.append(session)
        return self.warm


@dataclass
class MemoryTurns:
    """The running turns (part of the port `RunningTurns`): each ends when asked."""

    running: list[RunningTurn] = field(default_factory=list)
    failing: str = ""
    left_behind: tuple[int, ...] = ()
    agents: tuple[int, ...] = ()
    scopes: list[StopScope] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    stubborn: bool = False
    ends: Callable[[], object] = lambda: None

    def at_work(self, scope: StopScope) -> tuple[RunningTurn, ...]:
        if self.failing:
            raise ConversationFailed(self.failing)
        self.scopes.append(scope)
        return tuple(self.running)

    def ask_to_stop(self, turns: Sequence[RunningTurn], sentence: str) -> None:
        self.asked.append(sentence)
        if not self.stubborn:
            self.running = [turn for turn in self.running if turn not in turns]
            self.ends()

    def withdraw(self, turns: Sequence[RunningTurn]) -> None:
        pass

    def wait(self, turns: Sequence[RunningTurn], seconds: float) -> tuple[RunningTurn, ...]:
        return tuple(turn for turn in turns if turn in self.running)

    def end(self, turn: RunningTurn, ended: object) -> bool:
        return False

    def end_processes(self, turns: Sequence[RunningTurn]) -> tuple[int, ...]:
        return ()

    def end_left_processes(self, scope: StopScope) -> tuple[int, ...]:
        if self.failing:
            raise ConversationFailed(self.failing)
        return self.left_behind if scope.worktree else self.agents

    def end_owner(self, turn: RunningTurn) -> None:
        pass


@dataclass
class MemoryJournal:
    """The journal of the worktree, of restores only (port `WorktreeJournal`)."""

    open: dict[str, UnfinishedRestore] = field(default_factory=dict)
    nested: bool = False
    last: int = 0
    error: Exception | None = None

    def batches(self) -> tuple[()]:
        if self.error is not None:
            raise self.error
        return ()

    def restores(self) -> tuple[PendingRestore, ...]:
        numbered = enumerate(self.open.values(), start=1)
        return tuple(PendingRestore(number, "now", each) for number, each in numbered)

    def last_restore(self) -> int:
        return self.last


class MemoryWorktrees:
    """One worktree (ports `Worktrees` and `Worktree`): `files` are what is on the disk."""

    def __init__(self, **files: str) -> None:
        self.files = files
        self.kept: list[Checkpoint] = []
        self.trash: dict[str, list[Checkpoint]] = {}
        self.commits: dict[str, Checkpoint] = {}
        self.log: list[OwnedEvent] = []
        self.transcript = MemoryTranscript(self.log)
        self.backend = MemoryBackend()
        self.turns = MemoryTurns()
        self.journal = MemoryJournal()
        self.batch_roots = self
        self.prefix = ""
        self.none: NoCheckpoints | None = None
        self.adoptable: set[str] = set()
        self.stays: dict[str, str] = {}
        self.blocked: Blocked | None = None
        self.failures: list[RestoreFailed | Exception] = []
        self.staged_differs = False
        self.staging_problem: str | None = None
        self.staged: list[str] = []
        self.too_old: tuple[Checkpoint, ...] = ()
        self.notes_given: tuple[str, ...] = ()
        self.attributes_differ = False
        self.exact: list[bool] = []
        self.ids = iter(f"u{number}" for number in range(1, 100))
        self.seq = 0
        self.gone_here: tuple[Checkpoint, ...] = ()
        self.done: list[UnfinishedRestore] = []
        self.captured: WorktreeState | None = None
        self.changed: tuple[FileVersions, ...] = ()

    def port(self) -> Worktrees:
        return cast("Worktrees", self)

    # ---- Worktrees

    @contextmanager
    def hold(self, *, make: bool) -> Iterator[MemoryWorktrees]:
        if self.none is not None and not make:
            raise self.none
        yield self

    @contextmanager
    def look(self, *, files: bool = False) -> Iterator[MemoryWorktrees]:
        if self.none is not None:
            raise self.none
        yield self

    @property
    def conversations(self) -> Conversations:
        return Conversations(self.transcript, self.backend)

    def elsewhere(self) -> tuple[CheckpointElsewhere, ...]:
        return self.transcript.elsewhere()

    def adopt(self, wanted: str) -> bool:
        if wanted not in self.adoptable:
            return False
        self.none = None
        self.take(wanted)
        return True

    def gone(self) -> tuple[Checkpoint, ...]:
        return self.gone_here

    @contextmanager
    def running_turns(self) -> Iterator[Any]:
        yield self.turns

    def new_id(self) -> str:
        return next(self.ids)

    def now(self) -> str:
        return "now"

    def publish(self, events: Sequence[OwnedEvent]) -> None:
        self.log.extend(events)

    # ---- Worktree

    def take(self, name: str, **draft: Any) -> Checkpoint:
        """Take a checkpoint of the files as they are."""
        kind = draft.pop("kind", "manual")
        return self.record(CheckpointDraft(name, kind, "now", **draft), self.capture())

    def capture(self) -> WorktreeState:
        if self.captured is not None:
            return self.captured
        return WorktreeState(tree_of(self.files))

    def record(self, draft: CheckpointDraft, present: WorktreeState) -> Checkpoint:
        self.seq += 1
        taken = Checkpoint(draft, present, self.seq, f"commit of {draft.id}", "w")
        self.kept.insert(0, taken)
        self.commits[taken.commit] = taken
        return taken

    def checkpoints(self, beginning: str = "") -> tuple[Checkpoint, ...]:
        return tuple(each for each in self.kept if each.id.startswith(beginning))

    def at(self, commit: str) -> Checkpoint | None:
        return self.commits.get(commit)

    def prepare_restore(
        self,
        present: WorktreeState,
        target: WorktreeState,
        *,
        exact: bool,
        keep: Collection[str] = (),
    ) -> PreparedRestore | Blocked:
        if self.blocked is not None:
            return self.blocked
        self.exact.append(exact)
        now, then = files_of(present.tree), files_of(target.tree)
        stays = self.stays | dict.fromkeys(keep, "you asked to keep it")
        kept = {path: why for path, why in stays.items() if now.get(path) != then.get(path)}
        goal = {path: text for path, text in then.items() if path not in stays}
        goal |= {path: text for path, text in now.items() if path in stays}
        changes = [
            Difference(path, entry(now.get(path)), entry(goal.get(path)))
            for path in sorted(now.keys() | goal.keys())
            if now.get(path) != goal.get(path)
        ]
        return PreparedRestore(
            present,
            target,
            tree_of(goal),
            tuple(changes),
            kept,
            {},
            changes_attributes=self.attributes_differ,
        )

    def apply_restore(self, prepared: PreparedRestore) -> RestoreDone | RestoreFailed:
        if self.failures:
            failure = self.failures.pop(0)
            if isinstance(failure, Exception):
                raise failure
            return failure
        self.files = files_of(prepared.tree)
        return RestoreDone()

    def index_lock(self) -> str | None:
        return None

    def restore_index(self, present: WorktreeState, target: WorktreeState) -> str | None:
        if self.staging_problem is None and self.differs_from_index(present, target):
            self.staged.append(target.tree)
        return self.staging_problem

    def differs_from_index(self, present: WorktreeState, target: WorktreeState) -> bool:
        return self.staged_differs

    def compare(self, before: str, after: str) -> tuple[FileDifference, ...]:
        old, new = files_of(before), files_of(after)
        paths = sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
        return tuple(FileDifference(path, "modified", 1, 1) for path in paths)

    def versions(
        self, before: WorktreeState, after: WorktreeState, largest: int
    ) -> tuple[FileVersions, ...]:
        return self.changed

    def file_at(self, tree: str, path: str, largest: int) -> FileVersion | None:
        text = files_of(tree).get(path)
        return None if text is None else FileVersion("file", 0o644, len(text), text.encode())

    def empty_tree(self) -> str:
        return ""

    def diff(self, before: str, after: str) -> str:
        return f"{before} -> {after}"

    def commits_since(self, head: str | None) -> tuple[str, ...]:
        return ()

    def move_to_trash(self, ids: Sequence[str], undo_id: str) -> None:
        moved = [each for each in self.kept if each.id in ids]
        self.trash.setdefault(undo_id, []).extend(moved)
        self.remove(ids)

    def restore_from_trash(self, undo_id: str) -> None:
        self.kept = [*self.trash.pop(undo_id, []), *self.kept]

    def remove(self, ids: Sequence[str]) -> None:
        self.kept = [each for each in self.kept if each.id not in ids]

    def pruned(self) -> tuple[Checkpoint, ...]:
        return self.too_old

    def notes(self) -> tuple[str, ...]:
        return self.notes_given

    def empty_trash(self) -> tuple[str, ...]:
        emptied = tuple(self.trash)
        self.trash = {}
        return emptied

    def reclaim_space(self) -> None:
        pass

    def begin(self, unfinished: UnfinishedRestore) -> None:
        self.journal.open[unfinished.undo_id] = unfinished

    def finish(self, unfinished: UnfinishedRestore) -> None:
        self.done.append(self.journal.open.pop(unfinished.undo_id, unfinished))


def entry(text: str | None) -> TreeEntry | None:
    return None if text is None else TreeEntry("100644", text)
