"""One worktree and its checkpoints in git (port `Worktree`)."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.adapters.filesystem.worktree_lock import LockTimeout
from holdfast.adapters.git.checkout import TreeCheckout
from holdfast.adapters.git.file_versions import VersionReader
from holdfast.adapters.git.git_command import Git, GitFailed, GitProcess, to_text
from holdfast.adapters.git.private_index import PrivateIndex
from holdfast.adapters.git.refs import Refs
from holdfast.adapters.git.repository import (
    GitRepository,
    create_private,
    find_repository,
    remove_private,
)
from holdfast.adapters.git.snapshot import ReportProgress, Snapshot, start_settings_query
from holdfast.adapters.git.worktree_files import WorktreeFiles
from holdfast.changes.ports import JournalDamaged
from holdfast.checkpoints import commit_message, retention
from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft, WorktreeState
from holdfast.checkpoints.ports import (
    Blocked,
    CheckpointFailed,
    FileDifference,
    FileVersions,
    Leftovers,
    NoCheckpoints,
    PreparedRestore,
    RestoreDone,
    RestoreFailed,
    UnfinishedRestore,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from holdfast.adapters.filesystem.journal import DiskJournal
    from holdfast.checkpoints.limits import SnapshotLimits

# After how many checkpoints old ones are looked for: listing takes a process, and a few more than
# the limit do no harm.
_PRUNE_INTERVAL = 20
_MAX_COMMITS = 100
_DIFF_TREE = ("diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv")
_STATUS: dict[str, Literal["added", "deleted", "modified", "retyped"]] = {
    "A": "added",
    "D": "deleted",
    "M": "modified",
    "T": "retyped",
}
LockJournal: TypeAlias = "Callable[[Path, float], AbstractContextManager[DiskJournal]]"
"""Waits until a deadline for the lock of the worktree at a root, and returns its journal."""
LineCounts: TypeAlias = tuple[int | None, int | None]
"""Added and removed lines; None for a binary file."""


@contextmanager
def _disk_errors_as_failures() -> Iterator[None]:
    """Raise `CheckpointFailed` for an error of the disk, and if lock or journal cannot be had."""
    try:
        yield
    except (LockTimeout, JournalDamaged) as error:
        raise CheckpointFailed(str(error)) from error
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise CheckpointFailed(
            f"the disk refused: {error.strerror}{where}; fix this, and try again."
        ) from error


class GitWorktree:
    """One worktree, locked; made by `lock_worktree`."""

    def __init__(
        self,
        repository: GitRepository,
        lock: int | None,
        limits: SnapshotLimits,
        report: ReportProgress,
        deadline: float,
        *,
        settings_query: GitProcess | None,
        journal: DiskJournal,
    ) -> None:
        """Use a repository; `lock` is the lock of the worktree, None only to read checkpoints."""
        variables = {"GIT_DIR": str(repository.git_dir), "GIT_WORK_TREE": str(repository.root)}
        self._repository = repository
        self._limits = limits
        self._git = Git(repository.root, variables, lock, deadline)
        self._index = PrivateIndex(repository, self._git)
        self._snapshot = Snapshot(
            repository, self._git, self._index, limits, report, settings_query=settings_query
        )
        self._checkout = TreeCheckout(repository, self._git, self._index, limits.reserve)
        self._refs = Refs(self._git, repository.worktree)
        self.journal = journal
        self._pruned: tuple[Checkpoint, ...] = ()

    @property
    def root(self) -> Path:
        """The root of the worktree, which may be above the directory that was named."""
        return self._repository.root

    # -------------------------------------------------------------------------------------- take

    @_disk_errors_as_failures()
    def capture(self) -> WorktreeState:
        """Read the files that changed since the last snapshot; return the state of all files."""
        return self._snapshot.take()

    @_disk_errors_as_failures()
    def record(self, draft: CheckpointDraft, present: WorktreeState) -> Checkpoint:
        """Record a checkpoint of a captured state; from time to time remove old checkpoints."""
        seq = self._next_seq()
        try:
            recorded, commit = self._commit(draft, present, seq)
        except GitFailed:
            # Objects of an earlier snapshot can be gone, with the checkpoints that were pruned.
            recorded, commit = self._commit(draft, self._capture_again(present), seq)
        self._refs.create(draft.id, commit)
        self._index.save(held=True)
        if seq % _PRUNE_INTERVAL == 0:
            self._prune()
        return Checkpoint(draft, recorded, seq, commit, self._repository.worktree)

    def _next_seq(self) -> int:
        """Return the next sequence number.

        It is stored before its use: a process that dies leaves a gap, and no number is used twice.
        """
        last = self._index.state.seq
        if last is None:
            last = max((each.seq for each in self.checkpoints()), default=0)
        self._index.save(seq=last + 1)
        return last + 1

    def _commit(
        self, draft: CheckpointDraft, present: WorktreeState, seq: int
    ) -> tuple[WorktreeState, str]:
        """Write the shadow commit; return the state with the staged commit, and the commit."""
        present = replace(present, staged=self._commit_staged(present))
        message = commit_message.write(draft, present, seq, self._repository.worktree)
        parents: list[str] = []
        for parent in (present.head, present.staged):
            if parent:
                parents += ["-p", parent]
        command = ("commit-tree", present.tree, *parents, "-F", "-")
        return present, self._git.read_line(*command, stdin=message.encode("ascii"))

    def _capture_again(self, present: WorktreeState) -> WorktreeState:
        """Return the state with objects that exist."""
        try:
            self._git.run("cat-file", "-e", present.tree)
        except GitFailed:
            self._index.forget()
            return self.capture()
        self._index.save(staged_commit=[])
        return replace(present, staged=self._index.staged_tree())

    def _commit_staged(self, present: WorktreeState) -> str | None:
        """Return a commit of the staged files, or None if HEAD or the disk has the same files."""
        head = self._repository.head
        if present.staged is None or present.staged in {head.tree, present.tree}:
            return None
        known = self._index.state.staged_commit
        if known[:2] == [present.staged, head.commit]:
            return known[2]
        parents = ["-p", head.commit] if head.commit else []
        message = "holdfast: what was staged"
        commit = self._git.read_line("commit-tree", present.staged, *parents, "-m", message)
        self._index.save(staged_commit=[present.staged, head.commit, commit])
        return commit

    # -------------------------------------------------------------------------------------- read

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Return the checkpoints of this worktree, the latest first."""
        return self._refs.checkpoints()

    def at(self, commit: str) -> Checkpoint | None:
        """Return the checkpoint of a shadow commit, or None if the commit is gone."""
        return self._refs.at(commit)

    def compare(self, before: str, after: str) -> tuple[FileDifference, ...]:
        """Return the paths that differ between two trees."""
        count_query = self._git.start(*_DIFF_TREE, "-z", "--numstat", before, after).in_background()
        fields = self._git.run(*_DIFF_TREE, "-z", "--name-status", before, after).split(b"\0")
        counts = _parse_counts(count_query.finish())
        differences: list[FileDifference] = []
        for letter, path in zip(fields[::2], fields[1::2], strict=False):
            status = _STATUS.get(letter.decode("ascii"), "modified")
            added, removed = counts.get(path, (None, None))
            differences.append(FileDifference(to_text(path), status, added, removed))
        return tuple(differences)

    @_disk_errors_as_failures()
    def versions(
        self, before: WorktreeState, after: WorktreeState, largest: int
    ) -> tuple[FileVersions, ...]:
        """Return both versions of each file that differs between two snapshots."""
        reader = VersionReader(self._git, WorktreeFiles(self._repository.root))
        return reader.read(before, after, largest)

    def empty_tree(self) -> str:
        """Return the id of a tree without files."""
        return self._git.read_line("hash-object", "-t", "tree", "-w", "--stdin")

    def diff(self, before: str, after: str) -> str:
        """Return the difference of two trees as a patch."""
        return to_text(self._git.run(*_DIFF_TREE, "-p", "--no-color", before, after))

    def commits_since(self, head: str | None) -> tuple[str, ...]:
        """Return the commits that HEAD has and this commit has not, the latest first."""
        now = self._repository.head.commit
        if now is None or now == head:
            return ()
        excluded = [f"^{head}"] if head else []
        try:
            output = self._git.run("rev-list", f"--max-count={_MAX_COMMITS}", now, *excluded)
        except GitFailed:
            # The old HEAD is gone from the repository.
            return (now,)
        return tuple(output.decode("ascii").split())

    # ----------------------------------------------------------------------------------- restore

    @_disk_errors_as_failures()
    def prepare_restore(
        self, present: WorktreeState, target: WorktreeState
    ) -> PreparedRestore | Blocked:
        """Plan a restore, and capture the files that it would overwrite."""
        try:
            return self._checkout.prepare(present, target)
        except GitFailed:
            # As in `record`: objects that only the private index referred to can be gone.
            self._index.forget()
        return self._checkout.prepare(self.capture(), target)

    @_disk_errors_as_failures()
    def apply_restore(self, prepared: PreparedRestore) -> RestoreDone | RestoreFailed:
        """Write the files of a prepared restore."""
        return self._checkout.apply(prepared)

    @_disk_errors_as_failures()
    def begin(self, unfinished: UnfinishedRestore) -> None:
        """Write a journal entry, or the phase that it has reached, durably."""
        self.journal.write_restore(unfinished)

    @_disk_errors_as_failures()
    def finish(self, unfinished: UnfinishedRestore) -> None:
        """Remove a journal entry; one whose files are restored stays as the last restore."""
        self.journal.remove_restore(unfinished)

    # ------------------------------------------------------------------------------------ remove

    def move_to_trash(self, ids: Sequence[str], undo_id: str) -> None:
        """Move checkpoints to the trash of an undo checkpoint, all at once."""
        self._refs.move_to_trash(ids, undo_id)

    def restore_from_trash(self, undo_id: str) -> None:
        """Move the checkpoints in the trash of an undo checkpoint back, all at once."""
        self._refs.restore_from_trash(undo_id)

    @_disk_errors_as_failures()
    def remove(self, ids: Sequence[str]) -> None:
        """Remove checkpoints for good."""
        self._index.save(held=False)
        self._refs.remove(ids)

    def pruned(self) -> tuple[Checkpoint, ...]:
        """Return the checkpoints that `record` has removed because there were too many."""
        return self._pruned

    def _prune(self) -> None:
        checkpoints = self.checkpoints()
        outdated = retention.outdated(checkpoints, self._limits.keep)
        self.remove(outdated)
        self._pruned += tuple(each for each in checkpoints if each.id in outdated)

    @_disk_errors_as_failures()
    def empty_trash(self) -> tuple[str, ...]:
        """Remove all checkpoints in the trash; return the ids of their undo checkpoints."""
        self._index.save(held=False)
        return self._refs.empty_trash()

    def leftovers(self, sessions: Collection[str]) -> Leftovers:
        """Return the refs that nothing leads to, those of these sessions included."""
        names = self._refs.leftovers(sessions)
        return Leftovers(names, self._refs.size_of(names))

    @_disk_errors_as_failures()
    def remove_leftovers(self, leftovers: Leftovers) -> None:
        """Remove these refs, and free their disk space where git would not do so later."""
        if not leftovers.refs:
            return
        self._index.save(held=False)
        self._refs.remove_refs(leftovers.refs)
        self.reclaim_space()

    @_disk_errors_as_failures()
    def reclaim_space(self) -> None:
        """Free the disk space of a private repository; in the user's, their git does it later."""
        if not self._repository.private:
            return
        if self._refs.checkpoints():
            self._git.run("gc", "-q", "--prune=now")
        else:
            remove_private(self._repository)


@contextmanager
def lock_worktree(
    root: Path,
    state: Path,
    limits: SnapshotLimits,
    report: ReportProgress,
    lock: LockJournal,
    *,
    create: bool,
) -> Iterator[GitWorktree]:
    """Find the worktree of a root, wait for its lock, and yield the worktree.

    A root without git gets a private repository. Without `create` it gets none: `NoCheckpoints` is
    raised instead.
    """
    deadline = time.monotonic() + limits.seconds
    with _disk_errors_as_failures():
        settings_query = None
        if create:
            # At the same time as the search for the repository: in a small one, each process more
            # in a row is noticeable.
            settings_query = start_settings_query(Git(root, deadline=deadline))
        repository = _find(root, state, deadline, create=create)
        with lock(repository.root, deadline) as journal:
            if journal.lock.waited:
                # The command that had the lock may have committed.
                repository = _find(root, state, deadline, create=create)
                settings_query = None
            handle = journal.lock.handle
            if repository.private:
                repository.git_dir.parent.mkdir(0o700, parents=True, exist_ok=True)
                create_private(repository, handle, deadline)
            repository.holdfast_dir.mkdir(0o700, exist_ok=True)
            yield GitWorktree(
                repository,
                handle,
                limits,
                report,
                deadline,
                settings_query=settings_query,
                journal=journal,
            )


def look_at_worktree(
    root: Path, state: Path, limits: SnapshotLimits, journal: DiskJournal
) -> GitWorktree:
    """Return the worktree of a root, without its lock, to read its checkpoints.

    Raise `NoCheckpoints` if there is no repository for them.
    """
    deadline = time.monotonic() + limits.seconds
    repository = _find(root, state, deadline, create=False)
    return GitWorktree(
        repository,
        None,
        limits,
        lambda _: None,
        deadline,
        settings_query=None,
        journal=journal,
    )


def _find(root: Path, state: Path, deadline: float, *, create: bool) -> GitRepository:
    repository = find_repository(root, state, deadline, for_new_checkpoint=create)
    if repository.private and not create and not repository.git_dir.is_dir():
        raise NoCheckpoints(f"{repository.root}: no checkpoint was ever taken here.")
    return repository


def _parse_counts(numstat: bytes) -> dict[bytes, LineCounts]:
    """Parse the output of `diff-tree --numstat -z`: counts of lines by path."""
    counts: dict[bytes, LineCounts] = {}
    for line in numstat.split(b"\0"):
        if not line:
            continue
        added, removed, path = line.split(b"\t", 2)
        if added == b"-":
            counts[path] = (None, None)
        else:
            counts[path] = (int(added), int(removed))
    return counts
