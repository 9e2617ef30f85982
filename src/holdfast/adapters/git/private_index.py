"""The private index of a worktree: the last snapshot, and the stat data that make the next quick.

It is the index of the private repository; seeded from the user's once, and never written back.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git import index_state
from holdfast.adapters.git.git_command import (
    Git,
    GitFailed,
    split_names,
    to_bytes,
    to_text,
)
from holdfast.adapters.git.objects.file_capture import CapturedFile, FileCapture
from holdfast.adapters.git.objects.index_file import (
    IndexFile,
    UnknownIndexError,
    empty_index,
    is_whole,
    parse_index,
)
from holdfast.adapters.git.objects.tree_cache import CachedTrees, complete_trees
from holdfast.adapters.git.user_repository import signature
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from holdfast.adapters.git.index_state import FileSignature
    from holdfast.adapters.git.objects.object_store import ObjectBatch, ObjectStore
    from holdfast.adapters.git.repository import PrivateRepository

# Within this span an edit can leave the time of a file unchanged: the clocks of some file systems
# have a resolution of two seconds, and the clock of the kernel ticks every few milliseconds.
_COARSE = 2_000_000_000
_FINE = 50_000_000
# Later versions of the index have flags for `git add -N`.
_PLAIN_VERSION = 2


@dataclass(frozen=True, slots=True)
class SeededUserIndex:
    """The user's index that this one was seeded from: its tree, and the files of `git add -N`."""

    signature: FileSignature | None
    tree: str
    intended: list[str]


@dataclass(frozen=True, slots=True)
class UpdatedIndex:
    """The tree of the index after an update, and the files that were read for it."""

    tree: str
    files: Mapping[str, CapturedFile]


class PrivateIndex:
    """The private index of one worktree, under its lock."""

    def __init__(self, repository: PrivateRepository, git: Git, objects: ObjectStore) -> None:
        """Read the state of the index; `git` inherits the lock."""
        self._objects = objects
        self.file = repository.git_dir / "index"
        self.git = git
        self.read_at = 0
        self._loaded: tuple[FileSignature, IndexFile] | None = None
        self._parsed: tuple[bytes, IndexFile] | None = None
        self.seeded: SeededUserIndex | None = None
        self._repository = repository
        self._state_file = repository.git_dir / "holdfast-state"
        # Left by a git that was killed. No other git can be at work: it would have the lock.
        if git.lock is not None:
            atomic_write.drop(self.file.with_name("index.lock"))

        self.state = self._written = index_state.read(self._state_file)

    # ------------------------------------------------------------------------------------- state

    def save(self, **changes: Any) -> None:
        """Change the state and write it."""
        self.note(**changes)
        if self.state != self._written:
            index_state.write(self._state_file, self.state)
            self._written = self.state

    def note(self, **changes: Any) -> None:
        """Change the state; it is written with the next change that `save` makes."""
        self.state = replace(self.state, **changes)

    def matches_state(self) -> bool:
        """Return whether the index is still the one that the state describes."""
        return self.state.index is not None and self.state.index == self.signature()

    def signature(self) -> FileSignature:
        """Return the signature of the index; empty without an index."""
        return signature(self.file) or []

    def forget(self) -> None:
        """Remove the index, so that the next snapshot seeds it again.

        Sequence numbers go on, and pipes stay known: git does not list them again.
        """
        kept = index_state.IndexState(seq=self.state.seq, pipes=self.state.pipes)
        self.save(**asdict(kept))
        atomic_write.drop(self.file)
        atomic_write.drop(self.file.with_name("index.lock"))

    def can_reuse(self) -> bool:
        """Return whether the last index can be used; repair its date if a command died."""
        known = self.state.index
        if known is None:
            return False
        if self.matches_state():
            return True
        if not self.is_complete():
            return False

        # A command died before it set the date back, or before it recorded what is ignored.
        self._set_time(known[0] if known else 0)
        self.save(settled=False)
        return True

    def is_complete(self) -> bool:
        """Return whether the index ends in its own checksum, so that it is not damaged."""
        try:
            data = self.file.read_bytes()
        except FileNotFoundError:
            return self.state.index == []
        return is_whole(data, self._objects.hash_size)

    def existing(self, commit: str | None) -> str | None:
        """Return a commit if the private repository has it, else None."""
        if commit is None or not self._objects.batch().exists(bytes.fromhex(commit)):
            return None
        return commit

    # ------------------------------------------------------------------------------------- paths

    def load(self) -> IndexFile:
        """Return the index; git converts one of a version that this process does not read."""
        if self._loaded is None or self._loaded[0] != self._content_signature():
            index = self._parse()
            self._loaded = (self._content_signature(), index)
        return self._loaded[1]

    def _parse(self) -> IndexFile:
        hash_size = self._objects.hash_size
        try:
            data = self.file.read_bytes()
        except FileNotFoundError:
            return empty_index(hash_size)

        try:
            return self._parse_bytes(data)
        except UnknownIndexError:
            self.git.run("update-index", "--index-version", "2", "--force-write-index")

        try:
            return parse_index(self.file.read_bytes(), hash_size)
        except UnknownIndexError as error:
            raise GitFailed(("update-index",), 0, f"cannot read the index: {error}") from error

    def _parse_bytes(self, data: bytes) -> IndexFile:
        """Parse an index, unless it is the last one: at first the user's and this are the same."""
        if self._parsed is None or self._parsed[0] != data:
            self._parsed = (data, parse_index(data, self._objects.hash_size))
        return self._parsed[1]

    def _content_signature(self) -> FileSignature:
        """Return the signature of the index without the time that a link to it changes."""
        return [number for place, number in enumerate(self.signature()) if place != 1]

    def has_bytes(self, data: bytes) -> bool:
        """Return whether these bytes occur in the file of the index."""
        try:
            return data in self.file.read_bytes()
        except FileNotFoundError:
            return False

    def existing_trees(self, trees: CachedTrees) -> CachedTrees:
        """Return the trees that the repository has; the same object, if it has them all."""
        batch = self._objects.batch()
        missing = [tree for tree in trees.topmost() if not batch.exists(tree.oid)]
        if not missing:
            return trees
        return CachedTrees({})

    def write(self, index: IndexFile, time: int) -> None:
        """Replace the index, and set its time: see `set_back`."""
        atomic_write.put(self.file, index.encode(), sync=False)
        self._set_time(time)
        self._loaded = (self._content_signature(), index)

    def update(self, drop: Iterable[str], take: Iterable[str]) -> UpdatedIndex:
        """Remove paths, read others from the disk, and write the tree of all.

        Of the paths to read, those that are gone are removed too. Objects come before the index
        that refers to them.
        """
        batch = self._objects.batch()
        with FileCapture(self._repository.root, batch, self.git.deadline) as capture:
            files = {path: capture.read(to_bytes(path)) for path in take}
        changes: dict[bytes, bytes | None] = dict.fromkeys(map(to_bytes, drop))
        for path, file in files.items():
            changes[to_bytes(path)] = file.entry

        return UpdatedIndex(self._change(changes, batch), files)

    def change(self, changes: Mapping[bytes, bytes | None]) -> str:
        """Put these entries into the index, whose objects exist; None removes a path.

        Return the tree of all entries.
        """
        return self._change(changes, self._objects.batch())

    def _change(self, changes: Mapping[bytes, bytes | None], batch: ObjectBatch) -> str:
        before = self.load()
        index = before
        if changes:
            index = before.with_entries(changes)

        trees = complete_trees(index, index.trees, lambda body: batch.add("tree", body))
        batch.flush()
        if index is not before or trees is not index.trees:
            self.write(index.with_trees(trees), self.newer_than())

        return trees.root_id()

    def set_back(self) -> None:
        """Set the time of the index to before its files were read.

        Git compares the content of a file only if the file is not older than the index. So an edit
        between the reading of the file and the writing of the index is found the next time.
        """
        self._set_time(self.newer_than())

    def newer_than(self) -> int:
        """Return the time from which on a file may change without a change of its time."""
        return self.read_at - self.resolution()

    def resolution(self) -> int:
        """Return within which span a file may change without a change of its time."""
        status = self._repository.root.stat()
        return _resolution_of((status.st_mtime_ns, status.st_ctime_ns))

    def _set_time(self, time: int) -> None:
        with suppress(FileNotFoundError):
            os.utime(self.file, ns=(time, time))

    # ------------------------------------------------------------------------------ user's index

    @property
    def user_index(self) -> Path | None:
        """The user's index; None without a repository of the user, or with another hash."""
        user = self._repository.user
        if user is None or not self._repository.shares_objects():
            return None
        return user.git_dir / "index"

    def user_signature(self) -> FileSignature | None:
        """Return the signature of the user's index, or None without one."""
        if self.user_index is None:
            return None
        return signature(self.user_index)

    def copy_user_index(self, name: str) -> Path | None:
        """Copy the user's index with its times; return the copy, or None without an index."""
        if self.user_index is None:
            return None

        try:
            source = os.open(self.user_index, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None

        self._link_shared_indexes(self.user_index.parent)
        copy = self.file.with_name(name)
        copy_with_times(source, copy)
        return copy

    def _link_shared_indexes(self, git_dir: Path) -> None:
        """Link the other halves of a split index: git looks for them in the git directory."""
        for shared in git_dir.glob("sharedindex.*"):
            own = self.file.with_name(shared.name)
            if own.exists():
                continue
            try:
                os.link(shared, own)
            except OSError:
                atomic_write.put(own, shared.read_bytes(), sync=False)

    def staged(self) -> tuple[str | None, list[str]]:
        """Return the tree that the user has staged, and the files of `git add -N`.

        The tree is None during a merge, or without an index.
        """
        if self.user_index is None:
            return None, []
        if self.seeded is not None and self.seeded.signature == self.user_signature():
            return self.seeded.tree, self.seeded.intended

        hash_size = self._objects.hash_size
        try:
            data = self.user_index.read_bytes()
            index = self._parse_bytes(data)
        except FileNotFoundError:
            return None, []
        except UnknownIndexError:
            return self._query_staged()

        if index.is_merging() or not is_whole(data, hash_size):
            return None, []

        batch = self._objects.batch()
        known = self.existing_trees(index.trees)
        trees = complete_trees(index, known, lambda body: batch.add("tree", body))
        batch.flush()
        return trees.root_id(), [to_text(path) for path in index.intended()]

    def _query_staged(self) -> tuple[str | None, list[str]]:
        """Return what is staged in an index that only git can read.

        `write-tree` writes to the index that it reads, so it runs on a copy.
        """
        copy = self.copy_user_index("staged")
        if copy is None:
            return None, []

        try:
            git = self.git.with_variables(index_file=copy)
            # An object that a partial clone has not downloaded is missing, and that is no fault.
            tree = git.read_line("write-tree", "--missing-ok")
            return tree, intended_files(git, copy, tree)
        except GitFailed:
            return None, []
        finally:
            atomic_write.drop(copy)
            atomic_write.drop(copy.with_name(f"{copy.name}.lock"))

    def ignored(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the ignored paths in the user's index, and those in this one."""
        query = ("ls-files", "-c", "-i", "--exclude-standard", "-z")
        copy = self.copy_user_index("tracked")
        private = frozenset(split_names(self.git.run(*query)))
        if copy is None:
            return frozenset(), private

        try:
            users = self.git.with_variables(index_file=copy).run(*query)
        finally:
            atomic_write.drop(copy)

        return frozenset(split_names(users)), private

    def tracked(self, paths: Iterable[str]) -> frozenset[str]:
        """Return those of the paths that the user's index has."""
        wanted = tuple(paths)
        if not wanted or self.user_index is None:
            return frozenset()
        git = self.git.with_variables(index_file=self.user_index, literal_pathspecs="1")
        return frozenset(split_names(git.run("ls-files", "-c", "-z", "--", *wanted)))


def intended_files(git: Git, index: Path, tree: str) -> list[str]:
    """Return the files of `git add -N` in the index that git uses, of which `tree` was written.

    They are in the index and not in the tree. An index of version 2 has none.
    """
    with index.open("rb") as file:
        header = file.read(8)
    if int.from_bytes(header[4:], "big") <= _PLAIN_VERSION:
        return []
    options = ("--cached", "--ita-visible-in-index", "--diff-filter=A", "--no-renames")
    return list(split_names(git.run("diff-index", *options, "--name-only", "-z", tree)))


def _resolution_of(times: Iterable[int]) -> int:
    """Return within which span two edits may leave a file with the same time.

    A file system that has no time below the second has times of whole seconds only.
    """
    for time in times:
        if time % 1_000_000_000:
            return _FINE
    return _COARSE


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
