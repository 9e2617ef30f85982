"""The refs of checkpoints, in the private repository.

A checkpoint is `refs/holdfast/checkpoints/<id>`, in the trash `refs/holdfast/trash/<undo id>/<id>`.
They are read without git: a process for each look would be most of the cost.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.git_command import Git, GitFailed, to_bytes, to_text
from holdfast.checkpoints import commit_message, retention

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from holdfast.adapters.git.objects.object_store import ObjectStore
    from holdfast.checkpoints.checkpoint import Checkpoint

LIVE = "refs/holdfast/checkpoints/"
TRASH = "refs/holdfast/trash/"


class Refs:
    """The refs of one private repository."""

    def __init__(self, git: Git, git_dir: Path, objects: ObjectStore) -> None:
        """Use the refs and the shadow commits of a git directory."""
        self._git = git
        self._git_dir = git_dir
        self._objects = objects
        self._commits: dict[str, Checkpoint | None] = {}

    def checkpoints(self, beginning: str = "") -> tuple[Checkpoint, ...]:
        """Return the checkpoints whose ids start with `beginning`, the latest first."""
        unordered = self._read_below(LIVE, beginning).values()
        return tuple(sorted(unordered, key=lambda each: each.seq, reverse=True))

    def at(self, commit: str) -> Checkpoint | None:
        """Return the checkpoint of a shadow commit, or None if the commit is gone."""
        if commit not in self._commits:
            self._commits[commit] = self._read(commit)
        return self._commits[commit]

    def _read(self, commit: str) -> Checkpoint | None:
        body = self._objects.read(commit)
        if body is None:
            try:
                body = self._git.run("cat-file", "commit", commit)
            except GitFailed:
                return None

        header, _, message = to_text(body).partition("\n\n")
        tree = header.partition("\n")[0].removeprefix("tree ")
        return commit_message.read(commit, tree, message.partition("\n\n")[2])

    def create(self, checkpoint_id: str, commit: str) -> None:
        """Create the ref of a checkpoint durably."""
        file = self._git_dir / f"{LIVE}{checkpoint_id}"
        file.parent.mkdir(0o700, parents=True, exist_ok=True)
        # Not beside the ref: git takes every file below `refs` for one.
        draft = self._git_dir / "ref.draft"
        atomic_write.put(file, f"{commit}\n".encode("ascii"), sync=True, draft=draft)

    def move_to_trash(self, ids: Sequence[str], undo_id: str) -> None:
        """Move checkpoints to the trash of an undo checkpoint, all at once."""
        if not ids:
            return
        values = self._values(LIVE)
        self._move([(f"{LIVE}{each}", f"{TRASH}{undo_id}/{each}") for each in ids], values)

    def restore_from_trash(self, undo_id: str) -> None:
        """Move the checkpoints in the trash of an undo checkpoint back, all at once."""
        values = self._values(f"{TRASH}{undo_id}/")
        self._move([(name, f"{LIVE}{name.rpartition('/')[2]}") for name in values], values)

    def remove(self, ids: Iterable[str]) -> None:
        """Remove checkpoints."""
        self._delete(f"{LIVE}{each}" for each in ids)

    def trash(self) -> dict[str, tuple[str, ...]]:
        """Return the ids of the checkpoints in the trash, by the ids of their undo checkpoints."""
        found: dict[str, tuple[str, ...]] = {}
        for name in self._values(TRASH):
            undo_id, _, checkpoint_id = name.removeprefix(TRASH).partition("/")
            found[undo_id] = (*found.get(undo_id, ()), checkpoint_id)
        return found

    def empty_trash(self, undo_ids: Iterable[str] | None = None) -> tuple[str, ...]:
        """Remove the trash of these undo checkpoints, or all; return the ids of these."""
        trash = self.trash()
        emptied = tuple(trash) if undo_ids is None else tuple(undo_ids)
        names: list[str] = []
        for undo_id in emptied:
            names += [f"{TRASH}{undo_id}/{each}" for each in trash.get(undo_id, ())]

        self._delete(names)
        return emptied

    def leftovers(self, sessions: Collection[str]) -> tuple[str, ...]:
        """Return the names of the refs that nothing leads to.

        Those of these sessions, and those in the trash of an undo checkpoint that is gone.
        """
        live = self._read_below(LIVE)
        trash = self._read_below(TRASH)
        ids = [name.removeprefix(LIVE) for name in live]
        unreachable = retention.unreachable_trash(ids, self.trash())
        left = []
        for name, checkpoint in (live | trash).items():
            undo_id = name.removeprefix(TRASH).partition("/")[0]
            gone = name.startswith(TRASH) and undo_id in unreachable
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

    def _read_below(self, prefix: str, beginning: str = "") -> dict[str, Checkpoint]:
        """Return the checkpoints whose refs start with a prefix, by the names of their refs."""
        found: dict[str, Checkpoint] = {}
        for name, commit in self._values(prefix, beginning).items():
            checkpoint = self.at(commit)
            if checkpoint is not None:
                found[name] = checkpoint
        return found

    def _values(self, prefix: str, beginning: str = "") -> dict[str, str]:
        """Return the commits of the refs that start with a prefix, by the names of the refs."""
        values = self._packed(f"{prefix}{beginning}")
        for directory, _, files in os.walk(self._git_dir / prefix):
            below = to_text(os.fsencode(os.path.relpath(directory, self._git_dir)))
            for name in files:
                if name.endswith((".lock", ".draft")) or not name.startswith(beginning):
                    continue
                value = (self._git_dir / below / name).read_text(encoding="ascii").strip()
                if value:
                    values[f"{below}/{name}"] = value

        return values

    def _packed(self, prefix: str) -> dict[str, str]:
        try:
            lines = (self._git_dir / "packed-refs").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return {}

        values: dict[str, str] = {}
        for line in lines:
            commit, _, name = line.partition(" ")
            if name.startswith(prefix):
                values[name] = commit

        return values

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
        if not steps:
            return

        # Left by a git that was killed. No other git can be at work: it would have the lock.
        atomic_write.drop(self._git_dir / "packed-refs.lock")
        for lock in (self._git_dir / "refs").rglob("*.lock"):
            atomic_write.drop(lock)

        self._git.run("update-ref", "--stdin", stdin=to_bytes("".join(steps)))
