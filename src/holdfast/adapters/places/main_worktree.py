"""The main worktree of a linked one, read from git's own files without a git process."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.plain_file import open_plain
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

_GIT_FILE = lazy_pattern(rb"gitdir: ([^\n\r]+)")
_CORE = lazy_pattern(
    rb"^\s*\[core\]\s*$(.*?)(?=^\s*\[|\Z)", re.MULTILINE | re.DOTALL | re.IGNORECASE
)
_WORKTREE = lazy_pattern(rb'^\s*worktree\s*=\s*"?([^"\n\r]+?)"?\s*$', re.MULTILINE | re.IGNORECASE)
_LARGEST = 1_000_000


def is_worktree(folder: Path) -> bool:
    """Return whether a folder has a `.git` that makes it a worktree: not an empty directory."""
    git = folder / ".git"
    try:
        with os.scandir(git) as entries:
            return any(entries)
    except NotADirectoryError:
        return _GIT_FILE.match(read_beginning(git)) is not None
    except OSError:
        return False


def main_worktree(folder: Path) -> Path | None:
    """Return the main worktree of a linked one: its folder, or that of a bare repository.

    None for a folder that is no linked worktree, or whose repository is gone.
    """
    git = git_directory(folder)
    shared = read_beginning(git / "commondir").strip()
    if not shared:
        return None

    common = Path(os.path.realpath(git / os.fsdecode(shared)))
    if not common.is_dir():
        return None
    if common.name == ".git":
        return common.parent

    return _configured_worktree(common) or common


def linked_worktrees(project: Path) -> Iterator[Path]:
    """Yield the linked worktrees of a project where git knows them; `project` may be bare."""
    git = project
    if (project / ".git").exists():
        git = git_directory(project)
    for entry in sorted(git.glob("worktrees/*/gitdir")):
        named = os.fsdecode(read_beginning(entry).strip())
        yield (entry.parent / named).parent


def is_own_repository(folder: Path) -> bool:
    """Return whether the repository that the `.git` of a folder leads to belongs to the folder.

    As `is_inside_or_named`; or it is one of `git init --separate-git-dir`, which names no folder
    and is in none.
    """
    if is_inside_or_named(folder):
        return True
    git = Path(os.path.realpath(git_directory(folder)))
    has_other = read_beginning(git / "commondir").strip() or _configured_worktree(git) is not None
    return not has_other and git.name != ".git"


def is_inside_or_named(folder: Path) -> bool:
    """Return whether the repository of a folder is inside of the folder, or names the folder.

    A `.git` that a stranger has made may lead to any repository; git follows it. That of a linked
    worktree or of a submodule names the folder, too.
    """
    real = Path(os.path.realpath(folder))
    git = common = Path(os.path.realpath(git_directory(real)))
    shared = read_beginning(git / "commondir").strip()
    if shared:
        common = Path(os.path.realpath(git / os.fsdecode(shared)))
    if git.is_relative_to(real) and common.is_relative_to(real):
        return True
    if not shared:
        return _configured_worktree(git) == real

    named = git / os.fsdecode(read_beginning(git / "gitdir").strip())
    return git.parent == common / "worktrees" and Path(os.path.realpath(named)) == real / ".git"


def git_directory(folder: Path) -> Path:
    """Return the git directory of a worktree: its `.git`, or the directory that this file names."""
    git = folder / ".git"
    named = _GIT_FILE.match(read_beginning(git))
    if named is None:
        return git
    return folder / os.fsdecode(named[1])


def settings_files(folder: Path) -> tuple[Path, ...]:
    """Return the files that the settings of a repository are in, and those that lead to them."""
    git = git_directory(folder)
    common = git / os.fsdecode(read_beginning(git / "commondir").strip())
    return (folder / ".git", git / "commondir", common / "config", git / "config.worktree")


def _configured_worktree(common: Path) -> Path | None:
    """Return the worktree that the configuration of a repository names, as a submodule's does."""
    core = _CORE.search(read_beginning(common / "config"))
    if core is None:
        return None

    named = _WORKTREE.search(core[1])
    if named is None:
        return None

    folder = Path(os.path.realpath(common / os.fsdecode(named[1])))
    if not folder.is_dir():
        return None

    return folder


def read_beginning(file: Path) -> bytes:
    """Return the beginning of a file; nothing if it cannot be read."""
    try:
        with open_plain(file) as opened:
            return opened.read(_LARGEST)
    except OSError:
        return b""
