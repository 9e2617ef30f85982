"""The project and the worktree that a command works in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.places import places
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from holdfast.vocab.place import Place


def root_here() -> Path:
    """Return the root of the project that the current directory is in; `.` if that is the root."""
    here = Path.cwd()
    root = places.find_root(here, state_directory())
    if root == here.resolve():
        return Path()
    return root


def find_place(root: Path) -> Place:
    """Return the place of exactly this root. Raise OSError if there is no such folder."""
    return places.find_place(root, state_directory())
