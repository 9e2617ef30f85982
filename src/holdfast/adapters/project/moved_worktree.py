"""A repository whose files are elsewhere: its setting `core.worktree` leads out of the project."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.adapters.places.main_worktree import git_directory, is_worktree, read_beginning


def find_moved_worktree(root: Path) -> tuple[Path, Path] | None:
    """Return the folder of the repository around a root and where its files are, if elsewhere.

    Git would read and write those files, which are not the project's. A submodule has the setting
    too, and there it leads to the folder itself. None if nothing is wrong.
    """
    start = Path(os.path.realpath(root))
    for folder in (start, *start.parents):
        if is_worktree(folder):
            return _moved(folder)
    return None


def _moved(folder: Path) -> tuple[Path, Path] | None:
    if not _may_be_set(git_directory(folder)):
        return None

    # Few repositories get here, and the modules of git take long to import.
    from holdfast.adapters.project.project_files import git  # noqa: PLC0415 - see above

    found = git(str(folder), "rev-parse", "--show-toplevel")
    if found is None:
        # Git refuses the repository, and so does every command that needs it.
        return None

    top = Path(os.fsdecode(found.removesuffix(b"\n")))
    if top == folder or (top.exists() and top.samefile(folder)):
        return None

    return folder, top


def _may_be_set(git_dir: Path) -> bool:
    """Return whether the settings may have `core.worktree`, which git reads of no included file."""
    files = [git_dir / "config", git_dir / "config.worktree"]
    shared = read_beginning(git_dir / "commondir").strip()
    if shared:
        files.append(git_dir / os.fsdecode(shared) / "config")
    return any(b"worktree" in read_beginning(file).lower() for file in files)
