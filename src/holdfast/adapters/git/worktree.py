"""One worktree and its checkpoints in git (port `Worktree`)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

from holdfast.adapters.git.checkout import TreeCheckout
from holdfast.adapters.git.git_command import Git, GitFailed, Running, text
from holdfast.adapters.git.lock import hold
from holdfast.adapters.git.private_index import PrivateIndex
from holdfast.adapters.git.refs import Refs
from holdfast.adapters.git.repository import Repository, locate, make_private, remove_private
from holdfast.adapters.git.restore_journal import RestoreJournal
from holdfast.adapters.git.snapshot import Say, Snapshot, ask_settings
from holdfast.checkpoints import commit_message, retention
from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft, WorktreeState
from holdfast.checkpoints.limits import SnapshotLimits
from holdfast.checkpoints.ports import (
    Blocked,
    CheckpointFailed,
    FileDifference,
    NoCheckpoints,
    PreparedRestore,
    RestoreDone,
    RestoreFailed,
    UnfinishedRestore,
)

# How often old checkpoints are looked for: to list them takes a process, and one too many does no harm.
_PRUNED_EVERY = 20
_COMMITS_TOLD = 100
_STATUS: dict[str, Literal["added", "deleted", "modified", "retyped"]] = {
    "A": "added",
    "D": "deleted",
    "M": "modified",
    "T": "retyped",
}


@contextmanager
def _telling_disk() -> Iterator[None]:
    """Say what the disk refused as every other failure is said."""
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise CheckpointFailed(
            f"the disk refused: {error.strerror}{where}; mend what is wrong there."
        ) from error


class GitWorktree:
    """One worktree, locked; made by `hold_worktree`."""

    def __init__(
        self,
        place: Repository,
        lock: int,
        budget: SnapshotLimits,
        say: Say,
        deadline: float,
        *,
        asked: Running | None,
    ) -> None:
        """Take a place whose lock is held."""
        variables = {"GIT_DIR": str(place.git_dir), "GIT_WORK_TREE": str(place.root)}
        self._place = place
        self._budget = budget
        self._git = Git(place.root, variables, lock, deadline)
        self._index = PrivateIndex(place, self._git)
        self._snapshot = Snapshot(place, self._git, self._index, budget, say, asked=asked)
        self._back = TreeCheckout(place, self._git, self._index, budget.reserve)
        self._refs = Refs(self._git, place.worktree)
        self._restores = RestoreJournal(place.ours / "restores")
        self._pruned: tuple[Checkpoint, ...] = ()

    @property
    def root(self) -> Path:
        """The worktree's root, which may be above the directory that was named."""
        return self._place.root

    # --------------------------------------------------------------------------------------------------------- taking

    @_telling_disk()
    def capture(self) -> WorktreeState:
        """Read what has changed since the last time, and give the tree of all."""
        return self._snapshot.take()

    @_telling_disk()
    def record(self, draft: CheckpointDraft, present: WorktreeState) -> Checkpoint:
        """Make a checkpoint of it; now and then remove old ones."""
        seq = self._next_seq()
        try:
            kept, commit = self._commit(draft, present, seq)
        except GitFailed:
            # Objects of an earlier snapshot can be gone, with the checkpoints that were pruned.
            kept, commit = self._commit(draft, self._renewed(present), seq)
        self._refs.create(draft.id, commit)
        self._index.save(held=True)
        if seq % _PRUNED_EVERY == 0:
            self._prune()
        return Checkpoint(draft, kept, seq, commit, self._place.worktree)

    def _next_seq(self) -> int:
        """Give the next number. It is taken before it is used: a process that dies leaves a gap and no twin."""
        last = self._index.state.seq
        if last is None:
            last = max((each.seq for each in self.checkpoints()), default=0)
        self._index.save(seq=last + 1)
        return last + 1

    def _commit(
        self, draft: CheckpointDraft, present: WorktreeState, seq: int
    ) -> tuple[WorktreeState, str]:
        present = replace(present, staged=self._commit_staged(present))
        message = commit_message.write(draft, present, seq, self._place.worktree)
        parents = [
            word for parent in (present.head, present.staged) if parent for word in ("-p", parent)
        ]
        return present, self._git.line(
            "commit-tree", present.tree, *parents, "-F", "-", given=message.encode("ascii")
        )

    def _renewed(self, present: WorktreeState) -> WorktreeState:
        try:
            self._git.run("cat-file", "-e", present.tree)
        except GitFailed:
            self._index.forget()
            return self.capture()
        self._index.save(staged_commit=[])
        return replace(present, staged=self._index.staged_tree())

    def _commit_staged(self, present: WorktreeState) -> str | None:
        """Keep what is staged alive too, if it is neither the last commit nor what the disk has."""
        head = self._place.head
        if present.staged is None or present.staged in {head.tree, present.tree}:
            return None
        known = self._index.state.staged_commit
        if known[:2] == [present.staged, head.commit]:
            return known[2]
        parents = ["-p", head.commit] if head.commit else []
        commit = self._git.line(
            "commit-tree", present.staged, *parents, "-m", "holdfast: what was staged"
        )
        self._index.save(staged_commit=[present.staged, head.commit, commit])
        return commit

    # -------------------------------------------------------------------------------------------------------- looking

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Give this worktree's checkpoints, the latest first."""
        return self._refs.checkpoints()

    def at(self, commit: str) -> Checkpoint | None:
        """Give the checkpoint of a shadow commit; None if the commit is gone."""
        return self._refs.at(commit)

    def compare(self, before: str, after: str) -> tuple[FileDifference, ...]:
        """Say which paths two trees do not agree on."""
        asked = ("diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv")
        numbers = self._git.start(*asked, "--numstat", before, after).in_background()
        statuses = self._git.run(*asked, "--name-status", before, after).split(b"\0")
        counts = dict(_count(line) for line in numbers.finish().split(b"\0") if line)
        return tuple(
            FileDifference(
                text(path),
                _STATUS.get(status.decode("ascii"), "modified"),
                *counts.get(path, (None, None)),
            )
            for status, path in zip(statuses[::2], statuses[1::2], strict=False)
        )

    def empty_tree(self) -> str:
        """Give a tree without files."""
        return self._git.line("hash-object", "-t", "tree", "-w", "--stdin")

    def diff(self, before: str, after: str) -> str:
        """Give the difference of two trees as a patch."""
        asked = (
            "diff-tree",
            "-r",
            "-p",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
        )
        return text(self._git.run(*asked, before, after))

    def commits_since(self, head: str | None) -> tuple[str, ...]:
        """Name the commits that HEAD has and this commit has not, the latest first."""
        now = self._place.head.commit
        if now is None or now == head:
            return ()
        without = [f"^{head}"] if head else []
        try:
            told = self._git.run("rev-list", f"--max-count={_COMMITS_TOLD}", now, *without)
        except GitFailed:
            # The old HEAD is gone from the repository.
            return (now,)
        return tuple(told.decode("ascii").split())

    # ----------------------------------------------------------------------------------------------------- going back

    @_telling_disk()
    def prepare_restore(
        self, present: WorktreeState, target: WorktreeState
    ) -> PreparedRestore | Blocked:
        """Compare, and capture what lies in the way."""
        try:
            return self._back.find(present, target)
        except GitFailed:
            # As in `record`: objects that only the private index knew can be gone.
            self._index.forget()
        return self._back.find(self.capture(), target)

    @_telling_disk()
    def apply_restore(self, prepared: PreparedRestore) -> RestoreDone | RestoreFailed:
        """Give the files their target's content."""
        return self._back.walk(prepared)

    def unfinished(self) -> tuple[UnfinishedRestore, ...]:
        """Give what dead processes left, the oldest first."""
        return self._restores.all()

    @_telling_disk()
    def begin(self, unfinished: UnfinishedRestore) -> None:
        """Write it down, or the phase that it has reached, durably."""
        self._restores.write(unfinished)

    @_telling_disk()
    def finish(self, unfinished: UnfinishedRestore) -> None:
        """Forget it."""
        self._restores.clear(unfinished)

    # ----------------------------------------------------------------------------------------------------- tidying up

    def move_to_trash(self, ids: Sequence[str], undo_id: str) -> None:
        """Hide checkpoints under an undo point, all at once."""
        self._refs.hide(ids, undo_id)

    def restore_from_trash(self, undo_id: str) -> None:
        """Bring the checkpoints back that were hidden under an undo point, all at once."""
        self._refs.bring_back(undo_id)

    @_telling_disk()
    def remove(self, ids: Sequence[str]) -> None:
        """Remove checkpoints for good."""
        self._index.save(held=False)
        self._refs.remove(ids)

    def pruned(self) -> tuple[Checkpoint, ...]:
        """Give the checkpoints that `record` has removed, for they were too old."""
        return self._pruned

    def _prune(self) -> None:
        there = self.checkpoints()
        old = retention.outdated(there, self._budget.keep)
        self.remove(old)
        self._pruned += tuple(each for each in there if each.id in old)

    @_telling_disk()
    def empty_trash(self) -> tuple[str, ...]:
        """Remove all that is hidden, for good."""
        self._index.save(held=False)
        return self._refs.empty_trash()

    @_telling_disk()
    def reclaim_space(self) -> None:
        """Give back the room in a private repository; in the user's own, their git does it when it is due."""
        if not self._place.private:
            return
        if self._refs.checkpoints():
            self._git.run("gc", "-q", "--prune=now")
        else:
            remove_private(self._place)


@contextmanager
def hold_worktree(
    root: Path, state: Path, budget: SnapshotLimits, say: Say, *, make: bool
) -> Iterator[GitWorktree]:
    """Find the worktree of a root and wait for its lock.

    Without git a private repository is made; or, if nothing is to be made, `NoCheckpoints` is raised.
    """
    deadline = time.monotonic() + budget.seconds
    with _telling_disk():
        # While git looks for the repository: on a small one, every process in a row is felt.
        asked: Running | None = ask_settings(Git(root, deadline=deadline)) if make else None
        place = locate(root, state, deadline, make=make)
        if place.private and not make and not place.git_dir.is_dir():
            raise NoCheckpoints(f"{place.root}: no checkpoint was ever taken here.")
        place.lock.parent.mkdir(0o700, parents=place.private, exist_ok=True)
        with hold(place.lock, deadline) as (lock, waited):
            if waited:
                # Whoever was before us may have committed.
                place, asked = locate(root, state, deadline, make=make), None
            if place.private:
                make_private(place, lock, deadline)
            place.ours.mkdir(0o700, exist_ok=True)
            yield GitWorktree(place, lock, budget, say, deadline, asked=asked)


def _count(line: bytes) -> tuple[bytes, tuple[int | None, int | None]]:
    added, removed, path = line.split(b"\t", 2)
    return path, (None, None) if added == b"-" else (int(added), int(removed))
