"""The refs of checkpoints.

A checkpoint is `refs/holdfast/checkpoints/<id>`, in the trash `refs/holdfast/trash/<undo id>/<id>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git, GitFailed, to_bytes, to_text
from holdfast.checkpoints import commit_message

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from holdfast.checkpoints.checkpoint import Checkpoint

_LIVE = "refs/holdfast/checkpoints/"
_TRASH = "refs/holdfast/trash/"
_FORMAT = "%(refname)%00%(objectname)%00%(tree)%00%(contents:body)%00"


class Refs:
    """The refs of one repository, which its worktrees share."""

    def __init__(self, git: Git, worktree: str) -> None:
        """Use the checkpoints of this worktree."""
        self._git = git
        self._worktree = worktree

    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Return the checkpoints of this worktree, the latest first."""
        unordered = self._read_below(_LIVE).values()
        return tuple(sorted(unordered, key=lambda each: each.seq, reverse=True))

    def at(self, commit: str) -> Checkpoint | None:
        """Return the checkpoint of a shadow commit, or None if the commit is gone."""
        try:
            content = to_text(self._git.run("cat-file", "commit", commit))
        except GitFailed:
            return None
        header, _, message = content.partition("\n\n")
        tree = header.partition("\n")[0].removeprefix("tree ")
        return commit_message.read(commit, tree, message.partition("\n\n")[2])

    def create(self, checkpoint_id: str, commit: str) -> None:
        """Create the ref of a checkpoint; raise `GitFailed` if there is one with that name."""
        self._git.run("update-ref", f"{_LIVE}{checkpoint_id}", commit, "0" * len(commit))

    def move_to_trash(self, ids: Sequence[str], undo_id: str) -> None:
        """Move checkpoints to the trash of an undo checkpoint, all at once."""
        if not ids:
            return
        values = self._values(_LIVE)
        self._move([(f"{_LIVE}{each}", f"{_TRASH}{undo_id}/{each}") for each in ids], values)

    def restore_from_trash(self, undo_id: str) -> None:
        """Move the checkpoints in the trash of an undo checkpoint back, all at once."""
        values = self._values(f"{_TRASH}{undo_id}/")
        self._move([(name, f"{_LIVE}{name.rpartition('/')[2]}") for name in values], values)

    def remove(self, ids: Iterable[str]) -> None:
        """Remove checkpoints."""
        self._delete(f"{_LIVE}{each}" for each in ids)

    def empty_trash(self) -> tuple[str, ...]:
        """Remove the trash of this worktree; return the ids of its undo checkpoints."""
        names = self._read_below(_TRASH)
        self._delete(names)
        return tuple(dict.fromkeys(_undo_id(name) for name in names))

    def leftovers(self, sessions: Collection[str]) -> tuple[str, ...]:
        """Return the names of the refs that nothing leads to.

        Those of these sessions, and those in the trash of an undo checkpoint that is gone.
        """
        live = self._read_below(_LIVE)
        trash = self._read_below(_TRASH)
        reachable = {name.removeprefix(_LIVE) for name in live}
        _add_reachable(reachable, trash)
        left = []
        for name, checkpoint in (live | trash).items():
            gone = name.startswith(_TRASH) and _undo_id(name) not in reachable
            if gone or checkpoint.draft.session in sessions:
                left.append(name)
        return tuple(left)

    def size_of(self, names: Sequence[str]) -> int:
        """Return how many bytes of the disk only these refs need."""
        if not names:
            return 0
        excluded = [f"--exclude={name}" for name in names]
        command = ["rev-list", "--objects", "--disk-usage", *names, "--not", *excluded, "--all"]
        return int(self._git.read_line(*command))

    def remove_refs(self, names: Iterable[str]) -> None:
        """Remove refs by their names."""
        self._delete(names)

    def _read_below(self, prefix: str) -> dict[str, Checkpoint]:
        """Return the checkpoints of this worktree below a prefix, by the names of their refs."""
        fields = self._git.run("for-each-ref", f"--format={_FORMAT}", prefix).split(b"\0")
        records = zip(*(iter(fields),) * 4, strict=False)
        found: dict[str, Checkpoint] = {}
        for name, commit, tree, body in records:
            checkpoint = commit_message.read(commit.decode(), tree.decode(), to_text(body))
            if checkpoint is not None and checkpoint.worktree == self._worktree:
                found[to_text(name).strip()] = checkpoint
        return found

    def _values(self, prefix: str) -> dict[str, str]:
        """Return the commits of the refs below a prefix, by their names."""
        output = self._git.run("for-each-ref", "--format=%(refname) %(objectname)", prefix)
        return dict(line.split(" ", 1) for line in output.decode().splitlines())

    def _move(self, moves: Sequence[tuple[str, str]], values: dict[str, str]) -> None:
        """Rename refs, all at once; a ref without a value does not exist and is ignored."""
        steps: list[str] = []
        for old, new in moves:
            if old in values and old != new:
                steps.append(f"update {new} {values[old]}\ndelete {old} {values[old]}\n")
        self._update(steps)

    def _delete(self, refs: Iterable[str]) -> None:
        self._update([f"delete {name}\n" for name in refs])

    def _update(self, steps: Sequence[str]) -> None:
        if steps:
            self._git.run("update-ref", "--stdin", stdin=to_bytes("".join(steps)))


def _undo_id(name: str) -> str:
    """Return the undo checkpoint of a ref in the trash."""
    return name.removeprefix(_TRASH).partition("/")[0]


def _add_reachable(ids: set[str], trash: Iterable[str]) -> None:
    """Add the checkpoints in the trash that can come back: an undo checkpoint may be one itself."""
    found = len(ids)
    while True:
        for name in trash:
            if _undo_id(name) in ids:
                ids.add(name.rpartition("/")[2])
        if len(ids) == found:
            return
        found = len(ids)
