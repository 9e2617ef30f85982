"""The refs: a checkpoint is `refs/holdfast/checkpoints/<id>`, and in the trash `refs/holdfast/trash/<undo id>/<id>`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from holdfast.adapters.git.git_command import Git, GitFailed, raw, text
from holdfast.checkpoints import commit_message
from holdfast.checkpoints.checkpoint import Checkpoint

LIVE = "refs/holdfast/checkpoints/"
TRASH = "refs/holdfast/trash/"
_FORMAT = "%(refname)%00%(objectname)%00%(tree)%00%(contents:body)%00"


class Refs:
    """The refs of one repository; its worktrees share them."""

    def __init__(self, git: Git, worktree: str) -> None:
        """Look at the checkpoints of this worktree."""
        self._git = git
        self._worktree = worktree

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Give this worktree's checkpoints, the latest first."""
        ours = self._ours(LIVE).values()
        return tuple(sorted(ours, key=lambda each: each.seq, reverse=True))

    def at(self, commit: str) -> Checkpoint | None:
        """Give the checkpoint of a shadow commit; None if it is gone."""
        try:
            head, _, message = text(self._git.run("cat-file", "commit", commit)).partition("\n\n")
        except GitFailed:
            return None
        tree = head.partition("\n")[0].removeprefix("tree ")
        return commit_message.read(commit, tree, message.partition("\n\n")[2])

    def create(self, checkpoint_id: str, commit: str) -> None:
        """Make the ref; raises if there is one of that name."""
        self._git.run("update-ref", f"{LIVE}{checkpoint_id}", commit, "0" * len(commit))

    def hide(self, ids: Sequence[str], undo_id: str) -> None:
        """Move checkpoints into the trash, all at once."""
        if not ids:
            return
        there = self._values(LIVE)
        self._move([(f"{LIVE}{each}", f"{TRASH}{undo_id}/{each}") for each in ids], there)

    def bring_back(self, undo_id: str) -> None:
        """Move checkpoints out of the trash, all at once."""
        there = self._values(f"{TRASH}{undo_id}/")
        self._move([(name, f"{LIVE}{name.rpartition('/')[2]}") for name in there], there)

    def remove(self, ids: Iterable[str]) -> None:
        """Remove checkpoints."""
        self._delete(f"{LIVE}{each}" for each in ids)

    def empty_trash(self) -> tuple[str, ...]:
        """Remove all of this worktree's trash; gives the ids that it was hidden under."""
        there = self._ours(TRASH)
        self._delete(there)
        return tuple(dict.fromkeys(name.removeprefix(TRASH).partition("/")[0] for name in there))

    def _ours(self, prefix: str) -> dict[str, Checkpoint]:
        """Give this worktree's checkpoints below a prefix, by the names of their refs."""
        fields = self._git.run("for-each-ref", f"--format={_FORMAT}", prefix).split(b"\0")
        records = zip(*(iter(fields),) * 4, strict=False)
        read = {
            text(name).strip(): commit_message.read(commit.decode(), tree.decode(), text(body))
            for name, commit, tree, body in records
        }
        return {
            name: each
            for name, each in read.items()
            if each is not None and each.worktree == self._worktree
        }

    def _values(self, prefix: str) -> dict[str, str]:
        told = self._git.run("for-each-ref", "--format=%(refname) %(objectname)", prefix).decode()
        return dict(line.split(" ", 1) for line in told.splitlines())

    def _move(self, moves: Sequence[tuple[str, str]], there: dict[str, str]) -> None:
        steps = [
            f"update {new} {there[old]}\ndelete {old} {there[old]}\n"
            for old, new in moves
            if old in there and old != new
        ]
        if steps:
            self._git.run("update-ref", "--stdin", given=raw("".join(steps)))

    def _delete(self, refs: Iterable[str]) -> None:
        steps = [f"delete {name}\n" for name in refs]
        if steps:
            self._git.run("update-ref", "--stdin", given=raw("".join(steps)))
