"""A checkpoint: the files before a turn, the paths it skipped, and the session it belongs to."""

from __future__ import annotations

from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CheckpointKind: TypeAlias = Literal["manual", "turn", "undo", "undone", "interrupted"]
"""Why a checkpoint was taken.

`manual`: by a command. `turn`: before a turn. `undo`: before a restore. `undone`: before an undo.
`interrupted`: before an unfinished restore of a dead process was finished.
"""

SkipReason: TypeAlias = Literal[
    "nested repository",
    "submodule",
    "too large",
    "unreadable",
    "not a file",
    "not a name for git",
    "ignored, in a build folder",
    "ignored, too large",
    "ignored, over the budget",
]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that a snapshot skipped; no restore of that snapshot removes it.

    The path of a directory means everything below it. One with a slash at the end means some of the
    files in it. `stamp` is another one if the file has changed; a directory has none. `files` is
    how many files an ignored directory had at the time `counted_at`, in nanoseconds; -1 if there
    were too many to count.
    """

    path: str
    why: SkipReason
    stamp: str = field(default="", compare=False)
    files: int = field(default=0, compare=False)
    counted_at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class WorktreeState:
    """The files of a working tree at one time.

    `staged_tree` is what is staged; None during a merge. `staged` is a commit of it, if it is
    neither committed nor on the disk. `intended` are the files of `git add -N`.
    `usual` are the usual permissions of files, of executable files and of directories; they are
    unknown for a checkpoint of release 0.1. `modes` and `directories` have the permissions that
    differ from them, and those of the root, whose path is "". `empty` are the empty directories.
    `inner` has a digest of each repository inside. `keeps_ignored` says that small ignored files
    are in the tree too. `sparse` says that a sparse checkout kept files off the disk.
    """

    tree: str
    head: str | None = None
    branch: str | None = None
    staged: str | None = None
    skipped: tuple[Skipped, ...] = ()
    modes: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    usual: tuple[int, ...] = ()
    directories: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    empty: tuple[str, ...] = ()
    inner: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    keeps_ignored: bool = False
    sparse: bool = False
    staged_tree: str | None = None
    intended: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckpointDraft:
    """What is known of a checkpoint before it is taken.

    `message` is the message that the checkpoint precedes. `logged` is the number of the last event
    of the project then, None if the store could not be read.

    The rest describes an undo checkpoint. `target` is the checkpoint that the restore or undo went
    to. `files` is True if it restored the files, `index` if it restored the user's index. `message`
    is where it cut the transcript, or None
    if it did not. `state_sequence` is the sequence number from which on it removed the
    checkpoints of the chat.
    """

    id: str
    kind: CheckpointKind
    created_at: str
    label: str = ""
    session: str | None = None
    chat: str | None = None
    message: str | None = None
    target: str | None = None
    files: bool = True
    state_sequence: int | None = None
    index: bool = False
    logged: int | None = None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint as recorded.

    `seq` is its sequence number in its worktree, `commit` its shadow commit.
    """

    draft: CheckpointDraft
    present: WorktreeState
    seq: int
    commit: str
    worktree: str

    @property
    def id(self) -> str:
        """The id of the checkpoint."""
        return self.draft.id

    @property
    def state_sequence(self) -> int:
        """Sequence number after which checkpoints of this chat are newer than this state."""
        if self.draft.state_sequence is None:
            return self.seq
        return self.draft.state_sequence

    @property
    def is_undo_checkpoint(self) -> bool:
        """Whether the checkpoint was taken before a restore or an undo, to be restored once."""
        return self.draft.kind in {"undo", "undone"}


@dataclass(frozen=True, slots=True)
class AmbiguousCheckpoint:
    """A shortened id that matches several checkpoints."""

    ids: tuple[str, ...]


def find(wanted: str, checkpoints: Iterable[Checkpoint]) -> Checkpoint | AmbiguousCheckpoint | None:
    """Return the checkpoint with this id, or the only one whose id starts with `wanted`."""
    if not wanted:
        return None

    matching = {each.id: each for each in checkpoints if each.id.startswith(wanted)}
    if wanted in matching:
        return matching[wanted]
    if len(matching) > 1:
        return AmbiguousCheckpoint(tuple(matching))

    return next(iter(matching.values()), None)


def last_undo_checkpoint(checkpoints: Iterable[Checkpoint]) -> Checkpoint | None:
    """Return the undo checkpoint of the latest restore that was not undone, or None."""
    candidates = [each for each in checkpoints if each.draft.kind == "undo"]
    return max(candidates, key=lambda each: each.seq, default=None)


def orphans_of(target: Checkpoint, checkpoints: Iterable[Checkpoint]) -> tuple[str, ...]:
    """Return the ids of the later checkpoints of the target's chat.

    A restore of the target removes the messages that these checkpoints precede. Undo checkpoints
    are among them: the messages they bring back follow messages that the restore removes.
    """
    chat = target.draft.chat
    if chat is None:
        return ()

    orphans = []
    for each in checkpoints:
        is_later = each.draft.chat == chat and each.seq > target.state_sequence
        if is_later and each.id != target.id:
            orphans.append(each.id)

    return tuple(orphans)
