"""Folders of a project that git takes for a repository, under whatever name."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.places.main_worktree import git_directory, read_beginning
from holdfast.guards.paths import Barred, folded_name, judge_path
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_NAMES = ("HEAD", "objects", "refs", "commondir")
_IS_BARE = lazy_pattern(
    rb"^\s*bare\s*(?:=\s*\"?(?:true|yes|on|1)\b.*)?$", re.MULTILINE | re.IGNORECASE
)


def why_barred(root: Path, path: str, at: str) -> str | None:
    """Return why the real path `at` that a path leads to may not be used, or None."""
    judged = judge_path(at)
    if isinstance(judged, Barred):
        return f"{path}: a symlink on this path leads to {judged.message}"

    folder = git_folder_around(root, at)
    if folder is not None:
        return f"{path}: {folder} belongs to git itself; edit the project's files instead."

    return None


def git_folder_around(root: Path, path: str) -> str | None:
    """Return the git directory of a worktree that a real path below the root is in, or None.

    `git init --separate-git-dir` gives it any name. A bare repository, such as one among the
    fixtures of a test, is none.
    """
    # Every git directory has a HEAD, and most folders have none.
    folders = [each for each in _folders_above(path) if os.path.lexists(f"{root}/{each}/HEAD")]
    if not folders:
        return None

    own = [os.path.relpath(each, root) for each in _directories_of(root)]
    for folder in folders:
        if folder in own:
            return folder
        # A project that is itself a repository without worktree is edited as any other.
        if folder != "." and _is_repository(root / folder) and not _is_bare(root / folder):
            return folder

    return None


def changed_repositories(root: Path, paths: Collection[str]) -> dict[str, str]:
    """Return the repository that each of these paths is in, once all of them have been written.

    Only paths in a repository are in the result. A folder without a `.git` is one for git if it
    has some names, so ordinary files make a repository.
    """
    names: dict[str, set[str]] = {}
    for path in paths:
        for folder in _folders_above(path):
            first = PurePosixPath(path).relative_to(folder).parts[0]
            names.setdefault(folder, set()).add(folded_name(first))

    found = {folder for folder in names if _is_repository(root / folder, names[folder])}
    changed: dict[str, str] = {}
    for path in paths:
        for folder in found.intersection(_folders_above(path)):
            changed[path] = folder
    return changed


def _folders_above(path: str) -> Iterator[str]:
    """Yield the folders that a path is in; the root has the name "."."""
    while path != ".":
        path = path.rpartition("/")[0] or "."
        yield path


def _directories_of(root: Path) -> Iterator[str]:
    """Yield the git directory of a worktree, and the one that it shares with others."""
    directory = git_directory(root)
    yield os.path.realpath(directory)
    shared = os.fsdecode(read_beginning(directory / "commondir").strip())
    yield os.path.realpath(directory / shared)


def _is_repository(folder: Path, added: Iterable[str] = ()) -> bool:
    """Return whether git takes a folder for a repository; names in it may yet be added."""
    new = frozenset(added)
    has = {name: name.lower() in new or os.path.lexists(folder / name) for name in _NAMES}
    return has["HEAD"] and (has["commondir"] or (has["objects"] and has["refs"]))


def _is_bare(folder: Path) -> bool:
    return _IS_BARE.search(read_beginning(folder / "config")) is not None
