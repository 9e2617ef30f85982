"""The private index of a worktree: what the last snapshot held, and the stat data that make the next one quick.

holdfast/lock      held (flock) by whoever works here, and by their git processes
holdfast/index     the index; seeded from the user's, never written back
holdfast/state     what is known about it; worth nothing if it does not fit the index
holdfast/restores  journals of restores under way
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git import index_state
from holdfast.adapters.git.git_command import (
    Git,
    GitFailed,
    lines,
    names,
    packing,
    raw,
    text,
    version,
)
from holdfast.adapters.git.index_state import IndexSignature
from holdfast.adapters.git.repository import Repository

# Within this span an edit can leave a file's time as it was: clocks of file systems are up to two seconds coarse.
_COARSE = 2_000_000_000
# From so many files on, one pack is several times faster to write than a file for each; and since which git
# `update-index` writes one for all of them. An older one would write one for each, which is worse than either.
_MANY = 100
_PACKS = (2, 37)


class PrivateIndex:
    """The private index of one place, under its lock."""

    def __init__(self, place: Repository, git: Git) -> None:
        """Take a git that holds the lock."""
        self.file = place.ours / "index"
        self.git = git.having(index_file=self.file)
        self._real = place.git_dir / "index"
        self._place = place
        self.read_at = 0
        self._state_file = place.ours / "state"
        # Left by a git that was killed; no git of ours can be at work, for it would hold the lock that we have.
        atomic_write.drop(place.ours / "index.lock")
        self.state = index_state.read(self._state_file)

    # ------------------------------------------------------------------------------------------------------ the state

    def save(self, **changes: Any) -> None:
        """Write down what is known now."""
        self.state = replace(self.state, **changes)
        index_state.write(self._state_file, self.state)

    def fits(self) -> bool:
        """Whether the index is still the one that the state is about."""
        return self.state.index is not None and self.state.index == signature(self.file)

    def forget(self) -> None:
        """Let the next `prepare` seed anew; numbers go on."""
        self.save(
            index=None,
            tree=None,
            held=False,
            real=None,
            staged_commit=[],
            rules=[],
            settled=False,
            modes={},
        )
        atomic_write.drop(self.file)
        atomic_write.drop(self.file.with_name("index.lock"))

    # ------------------------------------------------------------------------------------------------------- the seed

    def prepare(self, *, sparse: bool) -> bool:
        """Have an index that can be worked with: the last one, or (then this is True) a copy of the user's."""
        real = self.real_signature()
        resettled = sparse != self.state.sparse or (sparse and real != self.state.real)
        if self.state.index is not None and not resettled:
            if self.fits():
                return False
            if self._is_whole():
                # Somebody died before they could date it back, or say that it holds ignored files that were in the way.
                self._date(self.state.index[0] if self.state.index else 0)
                self.save(settled=False)
                return False
        self.forget()
        self._seed()
        staged = self._clear_flags() if self.file.exists() else None
        self.save(
            index=signature(self.file) or [], real=real, staged=staged, sparse=sparse, settled=True
        )
        return True

    def _seed(self) -> None:
        try:
            source = os.open(self._real, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        draft = self.file.with_name("index.draft")
        copy_with_times(source, draft)
        draft.replace(self.file)

    def _clear_flags(self) -> str | None:
        """Look again at every file that the user told git not to look at, if it is there; gives what is staged."""
        listed = self.git.start("ls-files", "-v", "-z").in_background()
        staged = self.tree_or_none()
        tagged = [entry for entry in listed.finish().split(b"\0") if entry and entry[:2] != b"H "]
        assumed = [text(entry[2:]) for entry in tagged if entry[:1].islower()]
        absent = [text(entry[2:]) for entry in tagged if entry[:1] in b"sS"]
        there = [
            path for path in absent if os.path.lexists(self._place.root / os.fsdecode(raw(path)))
        ]
        if assumed:
            self.git.run(
                "update-index", "--no-assume-unchanged", "-z", "--stdin", given=lines(assumed)
            )
        if there:
            self.git.run("update-index", "--no-skip-worktree", "-z", "--stdin", given=lines(there))
        return staged

    def _is_whole(self) -> bool:
        """Whether the index ends in its own checksum; somebody may have damaged it."""
        try:
            data = self.file.read_bytes()
        except FileNotFoundError:
            return self.state.index == []
        for algorithm, size in ((hashlib.sha1, 20), (hashlib.sha256, 32)):
            if len(data) > size and data[-size:] in {algorithm(data[:-size]).digest(), bytes(size)}:
                return True
        return False

    # ------------------------------------------------------------------------------------------------------ the paths

    def update(self, drop: Sequence[str], take: Sequence[str]) -> None:
        """Take paths out, then read others from the disk; those that are gone leave."""
        if drop:
            self.git.run("update-index", "--force-remove", "-z", "--stdin", given=lines(drop))
        if take:
            git = (
                packing(self.git)
                if len(take) >= _MANY and version(self.git) >= _PACKS
                else self.git
            )
            git.run(
                "update-index", "--add", "--remove", "--replace", "-z", "--stdin", given=lines(take)
            )

    def tree(self) -> str:
        """Write the index as a tree."""
        return self.git.line("write-tree")

    def tree_or_none(self) -> str | None:
        """The same; None in the middle of a merge."""
        try:
            return self.tree()
        except GitFailed:
            return None

    def absent(self) -> frozenset[str]:
        """Name the paths that a sparse checkout keeps off the disk."""
        if not self.state.sparse:
            return frozenset()
        tagged = self.git.run("ls-files", "-t", "-z").split(b"\0")
        return frozenset(text(entry[2:]) for entry in tagged if entry[:2] == b"S ")

    def set_back(self) -> None:
        """Date the index back to before its files were read, so that an edit in between is seen next time.

        Git compares a file's content only if the file is not older than the index.
        """
        self._date(self.read_at - _COARSE)

    def _date(self, time: int) -> None:
        with suppress(FileNotFoundError):
            os.utime(self.file, ns=(time, time))

    # ------------------------------------------------------------------------------------------------ the user's index

    def real_signature(self) -> IndexSignature | None:
        """Tell one state of the user's index from another."""
        return signature(self._real)

    def staged_tree(self) -> str | None:
        """Give the tree that the user has staged; None in the middle of a merge, or if there is no index.

        From a copy: `write-tree` writes to the index it reads.
        """
        copy = self._copy_of_real()
        if copy is None:
            return None
        try:
            return self.git.having(index_file=copy).line("write-tree")
        except GitFailed:
            return None
        finally:
            atomic_write.drop(copy)
            atomic_write.drop(copy.with_name(f"{copy.name}.lock"))

    def ignored(self) -> tuple[frozenset[str], frozenset[str]]:
        """Name the paths that the rules ignore: those in the user's index, and those in this one."""
        asked = ("ls-files", "-c", "-i", "--exclude-standard", "-z")
        theirs = self.git.having(index_file=self._real).start(*asked).in_background()
        ours = frozenset(names(self.git.run(*asked)))
        return frozenset(names(theirs.finish())), ours

    def tracked(self, paths: Iterable[str]) -> frozenset[str]:
        """Name those of the paths that are in the user's index."""
        wanted = tuple(paths)
        if not wanted:
            return frozenset()
        git = self.git.having(index_file=self._real, literal_pathspecs="1")
        return frozenset(names(git.run("ls-files", "-c", "-z", "--", *wanted)))

    def _copy_of_real(self) -> Path | None:
        try:
            source = os.open(self._real, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        copy = self.file.with_name("staged")
        copy_with_times(source, copy)
        return copy


def signature(file: Path) -> IndexSignature | None:
    """Tell one state of a file from another; None if it is not there."""
    try:
        there = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return [there.st_mtime_ns, there.st_ctime_ns, there.st_size, there.st_ino]


def copy_with_times(source: int, to: Path) -> None:
    """Copy an open file and close it. With its times: a copy that looks younger would hide edits of its last second."""
    try:
        times = os.fstat(source)
        handle = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            while chunk := os.read(source, 1 << 20):
                rest = memoryview(chunk)
                while rest:
                    rest = rest[os.write(handle, rest) :]
            os.utime(handle, ns=(times.st_atime_ns, times.st_mtime_ns))
        finally:
            os.close(handle)
    finally:
        os.close(source)
