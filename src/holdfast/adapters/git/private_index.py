"""The private index of a worktree: the last snapshot, and the stat data that make the next quick.

holdfast/lock      locked (flock) by the command at work here, and by its git processes
holdfast/index     the index; seeded from the user's, never written back
holdfast/state     what is known of the index; ignored if it does not match the index
holdfast/restores  journals of restores under way
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git import index_state
from holdfast.adapters.git.git_command import (
    Git,
    GitFailed,
    join_names,
    read_version,
    split_names,
    to_bytes,
    to_text,
    with_packing,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from holdfast.adapters.git.index_state import IndexSignature
    from holdfast.adapters.git.repository import GitRepository

# Within this span an edit can leave the time of a file unchanged: the clocks of file systems have
# a resolution of up to two seconds.
_CLOCK_RESOLUTION = 2_000_000_000
# From this many files on, one pack is several times faster to write than a file for each.
_MANY_FILES = 100
# The first git whose `update-index` writes one pack for all files. An older git writes a pack for
# each, which is slower than either.
_PACKS_SINCE = (2, 37)


class PrivateIndex:
    """The private index of one worktree, under its lock."""

    def __init__(self, repository: GitRepository, git: Git) -> None:
        """Read the state of the index; `git` inherits the lock."""
        self.file = repository.holdfast_dir / "index"
        self.git = git.with_variables(index_file=self.file)
        self.read_at = 0
        self._repository = repository
        self._user_index = repository.git_dir / "index"
        self._state_file = repository.holdfast_dir / "state"
        # Left by a git that was killed. No other git can be at work: it would have the lock.
        atomic_write.drop(repository.holdfast_dir / "index.lock")
        self.state = index_state.read(self._state_file)

    # ------------------------------------------------------------------------------------- state

    def save(self, **changes: Any) -> None:
        """Change the state and write it."""
        self.state = replace(self.state, **changes)
        index_state.write(self._state_file, self.state)

    def matches_state(self) -> bool:
        """Return whether the index is still the one that the state describes."""
        return self.state.index is not None and self.state.index == signature(self.file)

    def forget(self) -> None:
        """Remove the index, so that the next `prepare` seeds it again; sequence numbers go on."""
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

    # -------------------------------------------------------------------------------------- seed

    def prepare(self, *, sparse: bool) -> bool:
        """Make the index usable; return whether it had to be copied from the user's index."""
        user_signature = self.user_signature()
        if self._can_reuse(user_signature, sparse=sparse):
            return False
        self.forget()
        self._seed()
        staged = None
        if self.file.exists():
            staged = self._clear_flags()
        self.save(
            index=signature(self.file) or [],
            real=user_signature,
            staged=staged,
            sparse=sparse,
            settled=True,
        )
        return True

    def _can_reuse(self, user_signature: IndexSignature | None, *, sparse: bool) -> bool:
        """Return whether the last index can be used; repair its date if a command died."""
        known = self.state.index
        if known is None or sparse != self.state.sparse:
            return False
        if sparse and user_signature != self.state.real:
            return False
        if self.matches_state():
            return True
        if not self._is_complete():
            return False
        # A command died before it set the date back, or before it recorded that the index has
        # ignored files.
        self._set_time(known[0] if known else 0)
        self.save(settled=False)
        return True

    def _seed(self) -> None:
        try:
            source = os.open(self._user_index, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        draft = self.file.with_name("index.draft")
        copy_with_times(source, draft)
        draft.replace(self.file)

    def _clear_flags(self) -> str | None:
        """Clear the flags that keep git from comparing files that exist; return the staged tree."""
        listing = self.git.start("ls-files", "-v", "-z").in_background()
        staged = self.tree_or_none()
        assumed: list[str] = []
        skipped: list[str] = []
        for entry in listing.finish().split(b"\0"):
            tag, path = entry[:1], to_text(entry[2:])
            if tag.islower():
                assumed.append(path)
            # Not `else`: `s` is both, a path to skip and assumed unchanged.
            if tag in {b"s", b"S"} and self._exists(path):
                skipped.append(path)
        self._clear_flag("--no-assume-unchanged", assumed)
        self._clear_flag("--no-skip-worktree", skipped)
        return staged

    def _clear_flag(self, option: str, paths: Sequence[str]) -> None:
        if paths:
            self.git.run("update-index", option, "-z", "--stdin", stdin=join_names(paths))

    def _exists(self, path: str) -> bool:
        return os.path.lexists(self._repository.root / os.fsdecode(to_bytes(path)))

    def _is_complete(self) -> bool:
        """Return whether the index ends in its own checksum, so that it is not damaged."""
        try:
            data = self.file.read_bytes()
        except FileNotFoundError:
            return self.state.index == []
        for algorithm, size in ((hashlib.sha1, 20), (hashlib.sha256, 32)):
            # With `index.skipHash` the checksum is zero.
            checksums = {algorithm(data[:-size]).digest(), bytes(size)}
            if len(data) > size and data[-size:] in checksums:
                return True
        return False

    # ------------------------------------------------------------------------------------- paths

    def update(self, drop: Sequence[str], take: Sequence[str]) -> None:
        """Remove paths, then read others from the disk; those that are gone are removed too."""
        if drop:
            self.git.run("update-index", "--force-remove", "-z", "--stdin", stdin=join_names(drop))
        if not take:
            return
        git = self.git
        if len(take) >= _MANY_FILES and read_version(git) >= _PACKS_SINCE:
            git = with_packing(git)
        options = ("--add", "--remove", "--replace", "-z", "--stdin")
        git.run("update-index", *options, stdin=join_names(take))

    def tree(self) -> str:
        """Write the index as a tree; return its id."""
        return self.git.read_line("write-tree")

    def tree_or_none(self) -> str | None:
        """Write the index as a tree; return its id, or None during a merge."""
        try:
            return self.tree()
        except GitFailed:
            return None

    def absent(self) -> frozenset[str]:
        """Return the paths that a sparse checkout keeps off the disk."""
        if not self.state.sparse:
            return frozenset()
        entries = self.git.run("ls-files", "-t", "-z").split(b"\0")
        return frozenset(to_text(entry[2:]) for entry in entries if entry[:2] == b"S ")

    def set_back(self) -> None:
        """Set the time of the index to before its files were read.

        Git compares the content of a file only if the file is not older than the index. So an edit
        between the reading of the file and the writing of the index is found the next time.
        """
        self._set_time(self.read_at - _CLOCK_RESOLUTION)

    def _set_time(self, time: int) -> None:
        with suppress(FileNotFoundError):
            os.utime(self.file, ns=(time, time))

    # ------------------------------------------------------------------------------ user's index

    def user_signature(self) -> IndexSignature | None:
        """Return the signature of the user's index, or None without one."""
        return signature(self._user_index)

    def staged_tree(self) -> str | None:
        """Return the tree that the user has staged; None during a merge, or without an index.

        `write-tree` writes to the index that it reads, so it runs on a copy.
        """
        copy = self._copy_user_index()
        if copy is None:
            return None
        try:
            return self.git.with_variables(index_file=copy).read_line("write-tree")
        except GitFailed:
            return None
        finally:
            atomic_write.drop(copy)
            atomic_write.drop(copy.with_name(f"{copy.name}.lock"))

    def ignored(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the ignored paths in the user's index, and those in this one."""
        query = ("ls-files", "-c", "-i", "--exclude-standard", "-z")
        user_git = self.git.with_variables(index_file=self._user_index)
        user_listing = user_git.start(*query).in_background()
        private = frozenset(split_names(self.git.run(*query)))
        return frozenset(split_names(user_listing.finish())), private

    def tracked(self, paths: Iterable[str]) -> frozenset[str]:
        """Return those of the paths that the user's index has."""
        wanted = tuple(paths)
        if not wanted:
            return frozenset()
        git = self.git.with_variables(index_file=self._user_index, literal_pathspecs="1")
        return frozenset(split_names(git.run("ls-files", "-c", "-z", "--", *wanted)))

    def _copy_user_index(self) -> Path | None:
        try:
            source = os.open(self._user_index, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        copy = self.file.with_name("staged")
        copy_with_times(source, copy)
        return copy


def signature(file: Path) -> IndexSignature | None:
    """Return numbers that change when the file changes; None if it does not exist."""
    try:
        status = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino]


def copy_with_times(source: int, to: Path) -> None:
    """Copy an open file with its times, and close it.

    A copy of an index with a later time would hide edits of its last second.
    """
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
