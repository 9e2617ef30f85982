"""Seed the private index from the user's, so that nothing that is committed is hashed again."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import GitFailed, join_names, to_text
from holdfast.adapters.git.object_links import (
    find_object_directories,
    link_objects,
    write_alternates,
)
from holdfast.adapters.git.repository import set_head
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.adapters.git.private_index import PrivateIndex
    from holdfast.adapters.git.repository import PrivateRepository
    from holdfast.adapters.git.worktree_files import WorktreeFiles

_ATTRIBUTES = ("text", "eol", "crlf", "ident", "filter", "working-tree-encoding")
# The values of attributes that leave the bytes as they are.
_RAW = frozenset({"unspecified", "unset"})
# After a conversion by one of these, the file on the disk may still have the size of the blob.
_MAY_KEEP_SIZE = frozenset({"filter", "working-tree-encoding"})
_GITLINK = b"160000"
_SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SeededFile:
    """A file that the seeded index has, and that is on the disk."""

    oid: str
    size: int
    mode: int
    changed_at: int


@dataclass(frozen=True, slots=True)
class SeededIndex:
    """What the user's index had: files by their paths, and the paths of submodules."""

    files: Mapping[str, SeededFile]
    gitlinks: tuple[str, ...]


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


def seed_index(
    repository: PrivateRepository, index: PrivateIndex, disk: WorktreeFiles
) -> SeededIndex:
    """Make the private index a copy of the user's, or an empty one; return what is in it.

    Files that a sparse checkout keeps off the disk are not in it.
    """
    index.forget()
    copy = index.copy_user_index("index.draft")
    if copy is None:
        return _seed_nothing(repository, index)
    # After the copy: what the copy refers to exists by now.
    link_user_objects(repository)
    copy.replace(index.file)
    set_head(repository, repository.head.commit)
    try:
        seeded = _clear_flags(index, disk)
    except GitFailed:
        # Git cannot read the user's index.
        index.forget()
        return _seed_nothing(repository, index)
    index.save(index=index.signature(), gitlinks=list(seeded.gitlinks))
    return seeded


def _seed_nothing(repository: PrivateRepository, index: PrivateIndex) -> SeededIndex:
    set_head(repository, None)
    index.save(index=[])
    return SeededIndex({}, ())


def _clear_flags(index: PrivateIndex, disk: WorktreeFiles) -> SeededIndex:
    """Clear the flags that keep git from comparing files; remove files that are off the disk."""
    files: dict[str, SeededFile] = {}
    gitlinks: list[str] = []
    assumed: list[str] = []
    skipped: list[str] = []
    absent: list[str] = []
    for entry in index.git.run("ls-files", "-s", "-v", "-z").split(b"\0"):
        head, _, name = entry.partition(b"\t")
        if not name:
            continue
        tag, mode, oid, _ = head.split(b" ")
        path = to_text(name)
        if mode == _GITLINK:
            gitlinks.append(path)
            continue
        info = disk.inspect(path)
        if tag.islower():
            assumed.append(path)
        # Not `else`: `s` is both, a path to skip and assumed unchanged.
        if tag.upper() == b"S":
            (absent if info.shape == "absent" else skipped).append(path)
        if info.shape == "file":
            files[path] = SeededFile(oid.decode("ascii"), info.size, info.mode, info.changed_at)
    _update(index, "--no-assume-unchanged", assumed)
    _update(index, "--no-skip-worktree", skipped)
    _update(index, "--force-remove", absent)
    return SeededIndex(files, tuple(gitlinks))


def _update(index: PrivateIndex, option: str, paths: Sequence[str]) -> None:
    if paths:
        index.git.run("update-index", option, "-z", "--stdin", stdin=join_names(paths))


def find_converted(
    repository: PrivateRepository,
    index: PrivateIndex,
    seeded: SeededIndex,
    new_paths: Iterable[str],
    deadline: float,
) -> tuple[str, ...]:
    """Return the files whose blob in the index may differ from the bytes on the disk.

    Git has converted these: line ends, `$Id$`, encodings, filters.
    """
    user = repository.user
    if user is None or not seeded.files:
        return ()
    names = [*seeded.files, *new_paths]
    has_attributes = any(name.rpartition("/")[2] == ".gitattributes" for name in names)
    has_files = any(file.exists() for file in user.attribute_files())
    if not has_attributes and not has_files and not user.converts():
        return ()
    always_text = user.settings.get("core.autocrlf", "false").lower() != "false"
    query = ("check-attr", "-z", "--stdin", *_ATTRIBUTES)
    git = user.git(deadline)
    output = git.run(*query, stdin=join_names(list(seeded.files)))
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
        (converted if name in _MAY_KEEP_SIZE else compared)[path] = None
    for path in _of_other_size(index, seeded, list(compared)):
        converted[path] = None
    return tuple(converted)


def _of_other_size(index: PrivateIndex, seeded: SeededIndex, paths: Sequence[str]) -> list[str]:
    """Return the files whose size on the disk is not that of the blob.

    A change of line ends, or of `$Id$`, changes the size.
    """
    if not paths:
        return []
    oids = "".join(f"{seeded.files[path].oid}\n" for path in paths)
    query = ("cat-file", "--batch-check=%(objectsize)")
    lines = index.git.run(*query, stdin=oids.encode("ascii")).decode("ascii").splitlines()
    found: list[str] = []
    for path, line in zip(paths, lines, strict=True):
        if line != str(seeded.files[path].size):
            found.append(path)
    return found
