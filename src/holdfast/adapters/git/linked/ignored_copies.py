"""Copies of ignored files that a project needs in a new worktree, such as `.env`."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import join_names, split_names, to_bytes
from holdfast.adapters.git.linked.file_reader import FileReader
from holdfast.usecases.worktrees.ports import CopiedFiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.adapters.git.git_command import Git

INCLUDE_FILE = ".worktreeinclude"
"""The file of a project with patterns of ignored files, in the syntax of `.gitignore`."""


def copy_ignored(git: Git, root: Path, worktree: Path, patterns: Sequence[str]) -> CopiedFiles:
    """Copy the ignored files of `root` that match, never over another file and never as a link."""
    rules = _rules(root, patterns)
    if not rules:
        return CopiedFiles()

    copied: list[str] = []
    left: list[str] = []
    with FileReader(root) as reader:
        for name in _matching(git, rules):
            why = _why_left(reader, root, worktree, name)
            if why is None and not reader.copy(name, worktree / os.fsdecode(to_bytes(name))):
                why = "it is gone"
            if why is None:
                copied.append(name)
            else:
                left.append(f"{name}: not copied into the worktree: {why}.")

    return CopiedFiles(tuple(copied), tuple(left))


def _rules(root: Path, patterns: Sequence[str]) -> bytes:
    file = root / INCLUDE_FILE
    try:
        # To read a named pipe would take for ever.
        rules = file.read_bytes() if file.is_file() else b""
    except OSError:
        rules = b""
    lines = "".join(f"{pattern}\n" for pattern in patterns)
    return rules + b"\n" + to_bytes(lines) if rules or lines else b""


def _matching(git: Git, rules: bytes) -> tuple[str, ...]:
    """Return the files that match the rules and that git ignores."""
    with tempfile.NamedTemporaryFile(prefix="holdfast-include-") as file:
        file.write(rules)
        file.flush()
        words = ("ls-files", "-z", "--others", "--ignored", f"--exclude-from={file.name}")
        found = split_names(git.run(*words))

    if not found:
        return ()

    ignored = git.run("check-ignore", "-z", "--stdin", stdin=join_names(found), ok_codes=(0, 1))
    return split_names(ignored)


def _why_left(reader: FileReader, root: Path, worktree: Path, name: str) -> str | None:
    """Return why a file is not copied, or None."""
    target = worktree / name
    if os.path.lexists(target):
        return "there is a file already"

    for parent in target.relative_to(worktree).parents:
        if (worktree / parent).is_symlink() or (worktree / parent).is_file():
            return f"{parent} is not a directory there"

    try:
        mode = reader.status(name).st_mode
    except FileNotFoundError:
        return "it is gone"
    if stat.S_ISLNK(mode):
        return _why_link_left(Path(os.fsdecode(reader.read_link(name))), root / name, root)
    if not stat.S_ISREG(mode):
        return "it is not a file"

    return None


def _why_link_left(target: Path, link: Path, root: Path) -> str | None:
    """Return why a link is not copied, or None: a write through it must not reach the project."""
    if target.is_absolute():
        return "it is a link with an absolute path"
    if not Path(os.path.realpath(link.parent / target)).is_relative_to(root):
        return "it is a link that leads out of the project"
    return None
