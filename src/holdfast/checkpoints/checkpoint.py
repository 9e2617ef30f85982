"""A checkpoint: the tree before a turn, what it left out, and whom it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

CheckpointKind: TypeAlias = Literal["manual", "turn", "undo", "undone", "interrupted"]
"""Why it was taken: by hand, before a turn, before a restore, before an undo, before one was finished for the dead."""

SkipReason: TypeAlias = Literal["nested repository", "too large", "unreadable", "not a file"]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that a snapshot left out, and that no restore of it may remove. A directory stands for all below it."""

    path: str
    why: SkipReason


@dataclass(frozen=True, slots=True)
class WorktreeState:
    """The files as they are now. `modes` are the permissions of files that are more private than new ones."""

    tree: str
    head: str | None = None
    branch: str | None = None
    staged: str | None = None
    skipped: tuple[Skipped, ...] = ()
    modes: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class CheckpointDraft:
    """What is known of a checkpoint before it is taken. `message` is the one that it precedes.

    Of a point that was taken before a restore or an undo: `toward` is where that led, `files` whether the files went
    there too, `message` where the transcript was cut (None if it was not), and `since` the place in the order from
    which on the chat's checkpoints went with it.
    """

    id: str
    kind: CheckpointKind
    created_at: str
    label: str = ""
    session: str | None = None
    chat: str | None = None
    message: str | None = None
    toward: str | None = None
    files: bool = True
    since: int | None = None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A draft that was taken: `seq` is its place in the order of its worktree, `commit` its shadow commit."""

    draft: CheckpointDraft
    present: WorktreeState
    seq: int
    commit: str
    worktree: str

    @property
    def id(self) -> str:
        """Its name."""
        return self.draft.id

    @property
    def since(self) -> int:
        """The place from which on other checkpoints of the chat come later than this one's state."""
        return self.seq if self.draft.since is None else self.draft.since

    @property
    def is_point(self) -> bool:
        """Whether it was taken to go back to once: before a restore, or before an undo."""
        return self.draft.kind in {"undo", "undone"}


@dataclass(frozen=True, slots=True)
class AmbiguousCheckpoint:
    """A shortened id that several checkpoints have."""

    ids: tuple[str, ...]


def find(wanted: str, checkpoints: Iterable[Checkpoint]) -> Checkpoint | AmbiguousCheckpoint | None:
    """Give the checkpoint with this id, or the only one whose id begins so."""
    matching = [each for each in checkpoints if wanted and each.id.startswith(wanted)]
    for each in matching:
        if each.id == wanted:
            return each
    if len(matching) > 1:
        return AmbiguousCheckpoint(tuple(each.id for each in matching))
    return matching[0] if matching else None


def last_undo_point(checkpoints: Iterable[Checkpoint]) -> Checkpoint | None:
    """Give the undo point of the latest restore that was not undone."""
    points = [each for each in checkpoints if each.draft.kind == "undo"]
    return max(points, key=lambda each: each.seq, default=None)


def orphans_of(target: Checkpoint, checkpoints: Iterable[Checkpoint]) -> tuple[str, ...]:
    """Name the later checkpoints of the same chat: once the conversation ends before them, they precede nothing.

    Undo points are among them: what they lead to begins with messages that are leaving.
    """
    chat = target.draft.chat
    if chat is None:
        return ()
    later = [each for each in checkpoints if each.draft.chat == chat and each.seq > target.since]
    return tuple(each.id for each in later if each.id != target.id)
