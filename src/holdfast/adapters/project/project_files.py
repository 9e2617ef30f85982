"""The files of a project that matter: what git knows or would take in, else all but caches."""

from __future__ import annotations

import os
import subprocess

from holdfast.adapters.git.git_command import SETTINGS, environment
from holdfast.tools.ports import FileNames

MOST_FILES = 50_000
_PATIENCE = 10.0
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
"""Directories that programs fill by themselves."""


def list_files(root: str, under: str = "") -> FileNames:
    """List the files below `under`, sorted, as paths from the root."""
    names = _ask_git(root, under)
    # Nothing at all is what git says of a directory that it ignores as a whole: then it is no judge here.
    return _cut(names) if names else walk(root, under)


def git(root: str, *words: str) -> bytes | None:
    """Ask git a question; None if there is no git, no repository, or no answer in time."""
    options = [word for setting in SETTINGS for word in ("-c", setting)]
    try:
        asked = subprocess.run(  # noqa: S603 - a list of words, no shell
            ["git", *options, *words],  # noqa: S607 - the user's git, as the user would find it
            cwd=root,
            env=environment({}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
        )
    except (FileNotFoundError, NotADirectoryError, subprocess.TimeoutExpired):
        return None
    return asked.stdout if asked.returncode == 0 else None


def walk(root: str, under: str = "", most: int = MOST_FILES) -> FileNames:
    """List the files below a directory without git: all that are in no cache. No symlink is followed."""
    found: list[str] = []
    queue = [under]
    while queue:
        directory = queue.pop()
        try:
            with os.scandir(os.path.join(root, directory)) as entries:  # noqa: PTH118 - Path costs more than the look
                for entry in entries:
                    path = f"{directory}/{entry.name}" if directory else entry.name
                    if entry.is_dir(follow_symlinks=False):
                        queue += [] if entry.name in CACHES else [path]
                    elif entry.is_file(follow_symlinks=False):
                        found.append(path)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        if len(found) > most:
            return FileNames(tuple(sorted(found)[:most]), more=True)
    return FileNames(tuple(sorted(found)))


def _ask_git(root: str, under: str) -> list[str]:
    words = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
        f":(literal){under or '.'}",
    ]
    listed = git(root, *words)
    if listed is None:
        return []
    names = {name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0") if name}
    # A whole repository inside this one is listed as its directory.
    return sorted(name for name in names if not name.endswith("/"))


def _cut(names: list[str]) -> FileNames:
    return FileNames(tuple(names[:MOST_FILES]), more=len(names) > MOST_FILES)
