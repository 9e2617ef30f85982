"""Seed the private index from the user's, so that nothing that is committed is hashed again."""

from __future__ import annotations

import os
import stat
import time
from collections import defaultdict
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import GitFailed, join_names, to_text
from holdfast.adapters.git.objects.object_links import (
    find_object_directories,
    link_objects,
    write_alternates,
)
from holdfast.adapters.git.private_index import PrivateIndex, SeededUserIndex
from holdfast.adapters.git.repository import set_head
from holdfast.adapters.git.worktree_files import is_named
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from holdfast.adapters.git.index_state import FileSignature
    from holdfast.adapters.git.objects.index_file import IndexFile
    from holdfast.adapters.git.repository import PrivateRepository
    from holdfast.adapters.git.user_repository import UserRepository
    from holdfast.adapters.git.worktree_files import WorktreeFiles

_ATTRIBUTES = ("text", "eol", "crlf", "ident", "filter", "working-tree-encoding")
# The values of attributes that leave the bytes as they are.
_RAW = frozenset({"unspecified", "unset"})
# After a conversion by one of these, the file on the disk may still have the size of the blob.
_MAY_KEEP_SIZE = frozenset({"filter", "working-tree-encoding"})
_ATTRIBUTES_FILE = ".gitattributes"
_SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SeededIndex:
    """What is on the disk of the files in the user's index: paths by their permissions.

    `recent` are those that changed in the second of the snapshot.
    """

    by_permissions: Mapping[int, Sequence[bytes]]
    recent: Sequence[str]


NOTHING_SEEDED = SeededIndex({}, ())


def link_user_objects(repository: PrivateRepository) -> None:
    """Link the user's objects into the private repository; borrow those that cannot be linked."""
    if repository.user is None or not repository.shares_objects():
        return
    if repository.borrows_objects:
        return

    sources = find_object_directories(repository.user.common_dir)
    newer_than = time.time_ns() - 2 * _SECOND
    linked = link_objects(sources, repository.objects, {}, newer_than)
    write_alternates(repository.objects, sources, needed=not linked.complete)


def seed_index(repository: PrivateRepository, index: PrivateIndex) -> SeededIndex:
    """Make the private index a copy of the user's, or an empty one; return what is in it.

    Files that a sparse checkout keeps off the disk are not in it.
    """
    index.forget()
    user_signature = index.user_signature()
    copy = index.copy_user_index("index.draft")
    if copy is None:
        return _seed_nothing(repository, index)

    # After the copy: what the copy refers to exists by now.
    link_user_objects(repository)
    copy.replace(index.file)
    set_head(repository, index.existing(repository.head.commit))
    if not index.is_complete():
        return _seed_nothing(repository, index)

    try:
        entries = _clean(repository, index, user_signature)
    except GitFailed:
        # Git cannot read the user's index.
        return _seed_nothing(repository, index)

    gitlinks = [to_text(entries.path_at(position)) for position in entries.gitlinks()]
    index.note(index=index.signature(), gitlinks=gitlinks)
    return _inspect_files(repository, index, entries)


def _seed_nothing(repository: PrivateRepository, index: PrivateIndex) -> SeededIndex:
    index.forget()
    set_head(repository, None)
    index.note(index=[])
    return NOTHING_SEEDED


def _clean(
    repository: PrivateRepository, index: PrivateIndex, user_signature: FileSignature | None
) -> IndexFile:
    """Clear the flags that keep git from comparing files; return the index.

    Files that are off the disk, and trees that were never written, are removed. The time stays that
    of the user's index: git compares the content of files that changed in its last second.
    """
    written_at = index.signature()[0]
    entries = index.load()
    trees = index.existing_trees(entries.trees)
    if trees.is_complete:
        intended = [to_text(path) for path in entries.intended()]
        index.seeded = SeededUserIndex(user_signature, trees.root_id(), intended)

    flagged = entries.flagged()
    if flagged:
        root = os.fsencode(repository.root)
        skipped = [entries.path_at(each) for each in flagged if entries.is_skipped(each)]
        absent = [path for path in skipped if not os.path.lexists(root + b"/" + path)]
        entries = entries.with_trees(trees).without_flags().with_entries(dict.fromkeys(absent))
    elif trees is not entries.trees:
        entries = entries.with_trees(trees)

    if entries is not index.load():
        index.write(entries, written_at)

    return entries


def _inspect_files(
    repository: PrivateRepository, index: PrivateIndex, entries: IndexFile
) -> SeededIndex:
    """Return the permissions of all files: git's index has only whether a file can be run."""
    second = index.newer_than() // _SECOND
    by_mode: dict[int, list[bytes]] = defaultdict(list)
    recent: list[str] = []
    # Below an open directory the system has fewer names to look up than from the root.
    root = os.open(repository.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for path in entries.paths():
            # No call but this one: there may be a hundred thousand files.
            try:
                status = os.lstat(path, dir_fd=root)
            except OSError:
                # It is gone, or lies beyond what is no directory any more: git lists it as deleted.
                continue
            by_mode[status.st_mode].append(path)
            if status.st_ctime >= second:
                recent.append(to_text(path))
    finally:
        os.close(root)

    files = {stat.S_IMODE(mode): by_mode[mode] for mode in by_mode if stat.S_ISREG(mode)}
    return SeededIndex(files, recent)


def find_converted(
    repository: PrivateRepository,
    index: PrivateIndex,
    disk: WorktreeFiles,
    new_paths: Iterable[str],
    deadline: float,
) -> tuple[str, ...]:
    """Return the files whose blob in the index may differ from the bytes on the disk.

    Git has converted these: line ends, `$Id$`, encodings, filters.
    """
    user = repository.user
    if user is None or not _may_convert(user, index, new_paths):
        return ()

    entries = index.load()
    paths = [to_text(path) for path in entries.paths()]
    converted, compared = _query_attributes(user, paths, deadline)
    oids = {path: entries.oid_at(position).hex() for position, path in enumerate(paths)}
    for path in _of_other_size(index, disk, {path: oids[path] for path in compared}):
        converted[path] = None

    return tuple(converted)


def _may_convert(user: UserRepository, index: PrivateIndex, new_paths: Iterable[str]) -> bool:
    """Return whether there are attributes or settings that change the bytes of files."""
    if user.converts():
        return True
    if any(file.exists() for file in user.attribute_files()):
        return True
    if any(is_named(path, _ATTRIBUTES_FILE) for path in new_paths):
        return True

    # The name at its end is followed by a zero in the index.
    return index.has_bytes(f"{_ATTRIBUTES_FILE}\0".encode("ascii"))


def _query_attributes(
    user: UserRepository, paths: Sequence[str], deadline: float
) -> tuple[dict[str, None], list[str]]:
    """Return the files that are converted, and those that are if their size differs."""
    always_text = user.settings.get("core.autocrlf", "false").lower() != "false"
    query = ("check-attr", "-z", "--stdin", *_ATTRIBUTES)
    output = user.git(deadline).run(*query, stdin=join_names(paths))
    # Not `split_names`: a value may be empty.
    fields = [to_text(field) for field in output.split(b"\0")[:-1]]
    converted: dict[str, None] = {}
    compared: dict[str, None] = {}
    for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=True):
        is_raw = value in _RAW
        if name == "text" and always_text:
            is_raw = value == "unset"
        if is_raw:
            continue
        if name in _MAY_KEEP_SIZE:
            converted[path] = None
        else:
            compared[path] = None

    return converted, list(compared)


def _of_other_size(
    index: PrivateIndex, disk: WorktreeFiles, oids: Mapping[str, str]
) -> Iterator[str]:
    """Yield the files whose size on the disk is not that of the blob.

    A change of line ends, or of `$Id$`, changes the size.
    """
    if not oids:
        return

    stdin = "".join(f"{oid}\n" for oid in oids.values())
    query = ("cat-file", "--batch-check=%(objectsize)")
    lines = index.git.run(*query, stdin=stdin.encode("ascii")).decode("ascii").splitlines()
    for path, line in zip(oids, lines, strict=True):
        info = disk.inspect(path)
        if info.shape == "file" and line != str(info.size):
            yield path
