"""The project and the worktree that a command works in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.places import place_records
from holdfast.adapters.project.moved_worktree import find_moved_worktree
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from holdfast.vocab.place import Place


def root_here() -> Path:
    """Return the root of the project that the current directory is in; `.` if that is the root."""
    here = Path.cwd()
    root = place_records.find_root(here, state_directory())
    if root == here.resolve():
        return Path()
    return root


def why_moved(root: Path) -> str | None:
    """Return why no command works on a root whose repository has its files elsewhere, or None."""
    found = find_moved_worktree(root)
    if found is None:
        return None

    folder, top = found
    return (
        f"{folder}: core.worktree in its git settings leads to {top}, which is not this project; "
        "remove it with `git config --unset core.worktree`."
    )


def find_place(root: Path) -> Place:
    """Return the place of exactly this root. Raise OSError if there is no such folder."""
    return place_records.find_place(root, state_directory())
