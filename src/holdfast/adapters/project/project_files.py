"""The files of a project: those that git tracks or would add; without git, all but caches."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.processes.git_environment import environment, options_of, variables_of
from holdfast.tools.ports import FileNames

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE_LIMIT = 50_000
_GIT_TIMEOUT = 10.0
CACHES = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        "node_modules",
        "__pycache__",
        ".venv",
        "venv",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        ".gradle",
        ".next",
        ".cache",
        "target",
    }
)
"""Directories that tools fill with generated files."""


def list_files(root: str, under: str = "") -> FileNames:
    """List the files below `under`, sorted, as paths from the root."""
    names = _list_with_git(root, under)
    if not names:
        # There is no git, or git ignores the whole directory. In both cases, list everything.
        return list_without_git(root, under)
    return FileNames(tuple(names[:FILE_LIMIT]), more=len(names) > FILE_LIMIT)


def git(root: str, *words: str, settings: Sequence[str] = ()) -> bytes | None:
    """Return the output of a git command, run with more settings.

    Return None if there is no git, no repository, or no answer in time.
    """
    try:
        done = subprocess.run(  # noqa: S603 - a list of words, no shell
            ["git", *options_of(settings), *words],  # noqa: S607 - the user's git, as the user would find it
            cwd=root,
            env=environment(variables_of(settings), Path(root)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=_GIT_TIMEOUT,
        )
    except (FileNotFoundError, NotADirectoryError, subprocess.TimeoutExpired):
        return None

    if done.returncode != 0:
        return None

    return done.stdout


def list_without_git(root: str, under: str = "", limit: int = FILE_LIMIT) -> FileNames:
    """List the files below a directory that are in no cache, sorted. No symlink is followed."""
    found: list[str] = []
    queue = [under]
    while queue:
        files, directories = _entries(root, queue.pop())
        found += files
        queue += directories
        if len(found) > limit:
            return FileNames(tuple(sorted(found)[:limit]), more=True)

    return FileNames(tuple(sorted(found)))


def _entries(root: str, directory: str) -> tuple[list[str], list[str]]:
    """Return the files and the directories in a directory, as paths from the root."""
    files: list[str] = []
    directories: list[str] = []
    place = os.path.join(root, directory)  # noqa: PTH118 - Path is slower than the system call
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                path = f"{directory}/{entry.name}" if directory else entry.name
                if entry.is_file(follow_symlinks=False):
                    files.append(path)
                elif entry.is_dir(follow_symlinks=False) and entry.name not in CACHES:
                    directories.append(path)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        # Removed meanwhile, or not readable: return what was found so far.
        return files, directories

    return files, directories


def _list_with_git(root: str, under: str) -> list[str]:
    pathspec = f":(literal){under or '.'}"
    listed = git(
        root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", pathspec
    )
    if listed is None:
        return []

    names: set[str] = set()
    for name in listed.split(b"\0"):
        # git lists a repository inside this one as its directory.
        if name and not name.endswith(b"/"):
            names.add(name.decode("utf-8", "surrogateescape"))

    return sorted(names)
