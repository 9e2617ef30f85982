"""One worktree and its checkpoints in git (port `Worktree`)."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.adapters.filesystem.worktree_lock import LockTimeout
from holdfast.adapters.git.checkout import TreeCheckout
from holdfast.adapters.git.file_versions import VersionReader
from holdfast.adapters.git.git_command import Git, GitFailed, case_setting, to_text
from holdfast.adapters.git.index_seed import link_user_objects
from holdfast.adapters.git.objects.object_links import (
    find_object_directories,
    keep_packs,
    link_objects,
)
from holdfast.adapters.git.objects.object_store import ObjectStore, commit_body
from holdfast.adapters.git.old_layout import has_old_layout, move_private_folder, move_user_refs
from holdfast.adapters.git.private_index import PrivateIndex
from holdfast.adapters.git.refs import Refs
from holdfast.adapters.git.repository import (
    PrivateRepository,
    create_private,
    find_repository,
    remove_private,
    set_head,
)
from holdfast.adapters.git.scratch_copy import scratch_copy
from holdfast.adapters.git.snapshot import ReportProgress, Snapshot
from holdfast.adapters.git.user_index import restore_staged
from holdfast.adapters.git.user_repository import UserRepository, write_cached
from holdfast.adapters.git.worktree_files import WorktreeFiles
from holdfast.changes.ports import JournalDamaged
from holdfast.checkpoints import commit_message, retention
from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft, WorktreeState
from holdfast.checkpoints.ports import (
    Blocked,
    CheckpointFailed,
    CheckpointsLost,
    FileDifference,
    FileVersion,
    FileVersions,
    Leftovers,
    NoCheckpoints,
    PreparedRestore,
    RestoreDone,
    RestoreFailed,
    UnfinishedRestore,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from holdfast.adapters.filesystem.journal import DiskJournal
    from holdfast.adapters.git.gone_checkpoints import GoneCheckpoint
    from holdfast.checkpoints.limits import SnapshotLimits

# After how many checkpoints old ones are looked for: listing takes a process, and a few more than
# the limit do no harm.
_PRUNE_INTERVAL = 20
# After how many checkpoints git packs all objects anew: without those of checkpoints that are gone,
# and each as a difference to another one.
_REPACK_INTERVAL = 200
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
        repository: PrivateRepository,
        lock: int | None,
        limits: SnapshotLimits,
        report: ReportProgress,
        deadline: float,
        *,
        journal: DiskJournal,
        excluded: Iterable[str] = (),
    ) -> None:
        """Use a repository; `lock` is the lock of the worktree, None only to read checkpoints."""
        variables = {"GIT_DIR": str(repository.git_dir), "GIT_WORK_TREE": str(repository.root)}
        settings = [case_setting(repository.root)]
        if repository.user is not None:
            settings.append(f"core.excludesFile={repository.user.excludes_file}")

        self._repository = repository
        self._limits = limits
        self._git = Git(repository.root, variables, lock, deadline, tuple(settings))
        self._objects = ObjectStore(repository.git_dir, repository.object_format())
        self._index = PrivateIndex(repository, self._git, self._objects)
        self._snapshot = Snapshot(
            repository, self._git, self._index, limits, report, excluded=excluded
        )
        self._checkout = TreeCheckout(
            repository,
            self._git,
            self._index,
            self._objects,
            limits.reserve,
            kept_from_commands=journal.kept_from_commands,
        )
        self._refs = Refs(self._git, repository.git_dir, self._objects)
        self.journal = journal
        self._pruned: tuple[Checkpoint, ...] = ()

    @property
    def objects(self) -> Path:
        """The directory with the objects of its checkpoints."""
        return self._repository.objects

    @property
    def root(self) -> Path:
        """The root of the worktree, which may be above the directory that was named."""
        return self._repository.root

    @_disk_errors_as_failures()
    def move_old_layout(self) -> None:
        """Move checkpoints of release 0.1 here."""
        move_user_refs(self._repository, self._index, self._git)

    # -------------------------------------------------------------------------------------- take

    @_disk_errors_as_failures()
    def capture(self) -> WorktreeState:
        """Read the files that changed since the last snapshot; return the state of all files."""
        return self._snapshot.take()

    @_disk_errors_as_failures()
    def record(self, draft: CheckpointDraft, present: WorktreeState) -> Checkpoint:
        """Record a checkpoint of a captured state; from time to time remove old checkpoints."""
        seq = self._next_seq()
        if not self._index.state.held and not self._has(present.tree):
            # Objects of an earlier snapshot can be gone, with the checkpoints that were pruned.
            self._index.forget()
            present = self.capture()

        recorded, commit = self._commit(draft, present, seq)
        self._refs.create(draft.id, commit)
        set_head(self._repository, commit)
        self._index.save(held=True)
        if seq % _PRUNE_INTERVAL == 0:
            self._prune()
            self._compact(seq)

        return Checkpoint(draft, recorded, seq, commit, self._repository.worktree)

    @_disk_errors_as_failures()
    def adopt(self, gone: GoneCheckpoint, new_id: str | None = None) -> None:
        """Record a checkpoint of another worktree here, under its id or a new one.

        Its files only: a conversation belongs to the project that it was in.
        """
        link_objects([gone.objects], self._repository.objects, {}, 0)
        link_user_objects(self._repository)
        there = gone.checkpoint.draft
        draft = CheckpointDraft(new_id or there.id, "manual", there.created_at, there.label)
        _, commit = self._commit(draft, gone.checkpoint.present, self._next_seq())
        self._refs.create(draft.id, commit)

    def _has(self, tree: str) -> bool:
        """Return whether the private repository has a tree."""
        return self._objects.batch().exists(bytes.fromhex(tree))

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
        now = int(time.time())
        parents: tuple[str, ...] = ()
        if self._keeps_staged(present):
            body = commit_body(str(present.staged_tree), (), now, "holdfast: what was staged\n")
            parents = (self._objects.write("commit", body),)

        present = replace(present, staged=parents[0] if parents else None)
        message = commit_message.write(draft, present, seq, self._repository.worktree)
        body = commit_body(present.tree, parents, now, message)
        return present, self._objects.write("commit", body)

    def _keeps_staged(self, present: WorktreeState) -> bool:
        """Return whether what is staged is neither committed nor on the disk."""
        if present.staged_tree is None or present.staged_tree == present.tree:
            return False
        return present.sparse or present.staged_tree != self._head_tree()

    def _head_tree(self) -> str | None:
        """Return the tree of the user's HEAD."""
        commit = self._repository.head.commit
        if commit is None:
            return None

        known = self._index.state.head
        if known[:1] == [commit]:
            return known[1]

        tree = self._tree_of(commit)
        if tree is not None:
            self._index.note(head=[commit, tree])

        return tree

    def _tree_of(self, commit: str) -> str | None:
        body = self._objects.batch().read(bytes.fromhex(commit))
        if body is None:
            try:
                body = self._git.run("cat-file", "commit", commit)
            except GitFailed:
                return None

        return body.partition(b"\n")[0].decode("ascii").removeprefix("tree ")

    # -------------------------------------------------------------------------------------- read

    def checkpoints(self, beginning: str = "") -> tuple[Checkpoint, ...]:
        """Return the checkpoints whose ids start with `beginning`, the latest first."""
        return self._refs.checkpoints(beginning)

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
        disk = WorktreeFiles(self._repository.root)
        reader = VersionReader(self._git, disk, self._index.tracked)
        return reader.read(before, after, largest)

    @_disk_errors_as_failures()
    def file_at(self, tree: str, path: str, largest: int) -> FileVersion | None:
        """Return the file at a path of a tree or a commit; None if there is none."""
        if any(part in {"", ".", ".."} for part in path.split("/")) or "\0" in path:
            return None

        options = ("-z", "-l", "--full-tree", tree, "--", f":(literal){path}")
        line = self._git.run("ls-tree", *options).rstrip(b"\0")
        head, _, name = line.partition(b"\t")
        if to_text(name) != path or b"\0" in name:
            return None

        mode, kind, object_id, size = head.decode("ascii").split()
        if kind != "blob":
            return None

        data = None
        if int(size) <= largest:
            data = self._git.run("cat-file", "blob", object_id)

        shape: Literal["file", "link"] = "link" if mode == "120000" else "file"
        return FileVersion(shape, int(mode, 8) & 0o777, int(size), data)

    def empty_tree(self) -> str:
        """Return the id of a tree without files."""
        return self._git.read_line("hash-object", "-t", "tree", "-w", "--stdin")

    def diff(self, before: str, after: str) -> str:
        """Return the difference of two trees as a patch."""
        return to_text(self._git.run(*_DIFF_TREE, "-p", "--no-color", before, after))

    def commits_since(self, head: str | None) -> tuple[str, ...]:
        """Return the commits that HEAD has and this commit has not, the latest first."""
        user, now = self._repository.user, self._repository.head.commit
        if user is None or now is None or now == head:
            return ()

        excluded = [f"^{head}"] if head else []
        git = user.git(self._git.deadline)
        try:
            output = git.run("rev-list", f"--max-count={_MAX_COMMITS}", now, *excluded)
        except GitFailed:
            # The old HEAD is gone from the repository.
            return (now,)

        return tuple(output.decode("ascii").split())

    def describe_commits(self, commits: Sequence[str]) -> tuple[tuple[str, str, str], ...]:
        """Return the id, the time in ISO format and the title of each of these commits."""
        user = self._repository.user
        if user is None or not commits:
            return ()

        git = user.git(self._git.deadline)
        lines = git.run("log", "--no-walk=unsorted", "-z", "--format=%H%n%cI%n%s", *commits)
        found = []
        for entry in lines.decode("utf-8", "replace").split("\0"):
            commit, _, rest = entry.strip("\n").partition("\n")
            at, _, title = rest.partition("\n")
            if commit:
                found.append((commit, at, title))

        return tuple(found)

    # ----------------------------------------------------------------------------------- restore

    @_disk_errors_as_failures()
    def prepare_restore(
        self,
        present: WorktreeState,
        target: WorktreeState,
        *,
        exact: bool,
        keep: Collection[str] = (),
    ) -> PreparedRestore | Blocked:
        """Plan a restore, and capture the files that it would overwrite."""
        try:
            return self._checkout.prepare(present, target, exact=exact, keep=keep)
        except GitFailed:
            # As in `record`: objects that only the private index referred to can be gone.
            self._index.forget()
        return self._checkout.prepare(self.capture(), target, exact=exact, keep=keep)

    @_disk_errors_as_failures()
    def apply_restore(self, prepared: PreparedRestore) -> RestoreDone | RestoreFailed:
        """Write the files of a prepared restore."""
        return self._checkout.apply(prepared)

    @_disk_errors_as_failures()
    def restore_index(self, present: WorktreeState, target: WorktreeState) -> str | None:
        """Restore what was staged in the user's index; return why that could not be done."""
        tree = self._staged_in(target)
        if tree is None:
            return "the checkpoint has no staged files: there was a merge, or no index"
        if self.differs_from_index(present, target) or self._repository.user is None:
            return restore_staged(self._repository, self._git, tree, target.intended)
        if present.staged_tree is None:
            return "a merge is under way, and its entries stay"
        return None

    def index_lock(self) -> str | None:
        """Return the lock of the user's index, if another program has it; else None."""
        user = self._repository.user
        if user is None:
            return None
        lock = user.git_dir / "index.lock"
        if not os.path.lexists(lock):
            return None
        return str(lock)

    def differs_from_index(self, present: WorktreeState, target: WorktreeState) -> bool:
        """Return whether something else is staged now than in the target."""
        tree = self._staged_in(target)
        if tree is None or self._repository.user is None:
            return False
        if present.staged_tree is None:
            # The index was removed; or there is a merge, whose entries stay.
            return self._index.user_signature() is None

        return present.staged_tree != tree or present.intended != target.intended

    def _staged_in(self, target: WorktreeState) -> str | None:
        """Return the tree that was staged when a checkpoint was taken; None if not known."""
        if target.staged_tree is not None or target.staged is None:
            return target.staged_tree
        return self._tree_of(target.staged)

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
        outdated = retention.over_limit(checkpoints, self._limits.keep)
        if outdated:
            self.remove(outdated)

        self._pruned += tuple(each for each in checkpoints if each.id in outdated)
        live = [each.id for each in checkpoints if each.id not in outdated]
        unreachable = retention.unreachable_trash(live, self._refs.trash())
        if unreachable:
            self._refs.empty_trash(unreachable)

    def _compact(self, seq: int) -> None:
        """Put small packs together; from time to time pack all objects anew."""
        if seq % _REPACK_INTERVAL:
            self._objects.merge_packs()
            return
        # Where that fails (a full disk) the checkpoint is good all the same.
        with suppress(CheckpointFailed):
            self.reclaim_space()

    def notes(self) -> tuple[str, ...]:
        """Return what a reader of any outcome should know: the user's repository is not there."""
        if not self._repository.user_is_gone:
            return ()

        there = self.checkpoints()
        count = len(retention.taken_before_work(there))
        held = f"the repository that held {count} checkpoints"
        if count == 1:
            held = "the repository that held 1 checkpoint"

        if self._repository.refused:
            return (f"git refuses {held}: {self._repository.refused}.",)

        what = f"{held} is gone"
        if there and not self._has_all(there[0].present.tree):
            cure = "clone it again to this place, and the checkpoints can be restored there"
            return (f"{what}, and with it committed files that only it had; {cure}.",)

        return (f"{what}; the checkpoints have its files, and can be restored.",)

    def _has_all(self, tree: str) -> bool:
        """Return whether no object of a tree is missing."""
        try:
            self._git.run("rev-list", "--objects", "--quiet", tree)
        except GitFailed:
            return False
        return True

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
        """Free the disk space of what no checkpoint refers to."""
        if not self._refs.checkpoints():
            remove_private(self._repository)
            return

        user = self._repository.user
        sources: tuple[Path, ...] = ()
        if user is not None:
            sources = find_object_directories(user.common_dir)
            link_user_objects(self._repository)

        keep_packs(self._repository.objects, sources)
        self._index.save(held=False)
        self._git.run("repack", "-q", "-a", "-d")
        self._git.run("prune", "--expire=now")


@contextmanager
def lock_worktree(
    root: Path,
    state: Path,
    limits: SnapshotLimits,
    report: ReportProgress,
    lock: LockJournal,
    *,
    create: bool,
    excluded: Iterable[Path] = (),
) -> Iterator[GitWorktree]:
    """Find the worktree of a root, wait for its lock, and yield the worktree.

    Without `create` no private repository is created: `NoCheckpoints` is raised instead. Files in
    `excluded` belong to Holdfast.
    """
    deadline = time.monotonic() + limits.seconds
    with _disk_errors_as_failures():
        repository = _find(root, state, deadline, create=create)
        with lock(repository.root, deadline) as journal:
            if journal.lock.waited:
                # The command that had the lock may have committed.
                repository = _find(root, state, deadline, create=create)
            is_old = has_old_layout(repository, state)
            repository.folder.mkdir(0o700, parents=True, exist_ok=True)
            move_private_folder(repository, state)
            create_private(repository)
            if repository.user is not None:
                _remember(repository, repository.user)
            worktree = GitWorktree(
                repository,
                journal.lock.handle,
                limits,
                report,
                deadline,
                journal=journal,
                excluded=_paths_below(repository.root, (state, *excluded)),
            )
            if is_old:
                worktree.move_old_layout()
            yield worktree


def _remember(repository: PrivateRepository, user: UserRepository) -> None:
    """Remember the user's repository: where it is, and that there is one."""
    if not repository.cache.exists() and (repository.root / ".git").exists():
        write_cached(repository.cache, repository.root, user)


def _paths_below(root: Path, places: Iterable[Path]) -> list[str]:
    """Return the paths in the worktree of those of the places that are in it."""
    paths: list[str] = []
    for place in places:
        real = Path(os.path.realpath(place))
        if root in real.parents:
            paths.append(to_text(os.fsencode(real.relative_to(root))))
    return paths


@contextmanager
def look_at_worktree(
    root: Path,
    state: Path,
    limits: SnapshotLimits,
    journal: DiskJournal,
    *,
    files: bool = False,
    excluded: Iterable[Path] = (),
) -> Iterator[GitWorktree]:
    """Yield the worktree of a root, without its lock, to read its checkpoints.

    With `files`, what is captured goes to a copy that is removed. Raise `NoCheckpoints` if there is
    no repository for checkpoints.
    """
    deadline = time.monotonic() + limits.seconds
    repository = _find(root, state, deadline, create=False)
    if not repository.git_dir.is_dir():
        raise _no_checkpoints(repository)

    with _disk_errors_as_failures(), ExitStack() as opened:
        if files:
            repository = opened.enter_context(scratch_copy(repository))
        yield GitWorktree(
            repository,
            None,
            limits,
            lambda _: None,
            deadline,
            journal=journal,
            excluded=_paths_below(repository.root, (state, *excluded)),
        )


def has_old_checkpoints(root: Path, state: Path, limits: SnapshotLimits) -> bool:
    """Return whether there are checkpoints of release 0.1, which the next lock moves."""
    deadline = time.monotonic() + limits.seconds
    repository = find_repository(root, state, deadline, for_new_checkpoint=False)
    return has_old_layout(repository, state)


def _find(root: Path, state: Path, deadline: float, *, create: bool) -> PrivateRepository:
    repository = find_repository(root, state, deadline, for_new_checkpoint=create)
    if create or repository.git_dir.is_dir() or has_old_layout(repository, state):
        return repository
    raise _no_checkpoints(repository)


def _no_checkpoints(repository: PrivateRepository) -> NoCheckpoints:
    if repository.was_here.exists():
        return CheckpointsLost(
            f"{repository.root}: the repository with the checkpoints of this folder is gone "
            f"({repository.git_dir}), so none of them can be restored."
        )
    return NoCheckpoints(f"{repository.root}: no checkpoint was ever taken here.")


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
