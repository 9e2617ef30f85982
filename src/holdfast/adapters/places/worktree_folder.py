"""The folder in the state directory for everything that is stored about a worktree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.places.folder_id import folder_id

if TYPE_CHECKING:
    from pathlib import Path


def worktree_folder(state: Path, root: Path) -> Path:
    """Return the folder of a worktree, which need not exist; raise OSError if the root does not.

    It stays the same when the worktree is moved, and another folder at its path has another one.
    """
    return state / "worktrees" / folder_id(root)
