"""The state that is stored about a folder, given to the folder that was made in its place."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.adapters.places.place_records import PLACE_FILE, read_root
from holdfast.adapters.places.worktree_folder import worktree_folder

if TYPE_CHECKING:
    from pathlib import Path

_REPOSITORY = "checkpoints.git"


def adopt_state(state: Path, old_id: str, root: Path) -> None:
    """Make what is stored about a folder that is gone what is stored about `root`.

    Its checkpoints are then those of `root`. A process may have died after it had done this for an
    earlier folder at the same path: that one's state is found by the path.
    """
    target = worktree_folder(state, root)
    if (target / _REPOSITORY).exists():
        return

    source = _find(state, old_id, str(root))
    if source is None:
        return

    # Only the record of where it is, and a lock that nobody has.
    for name in (PLACE_FILE, "lock"):
        (target / name).unlink(missing_ok=True)

    with suppress(FileNotFoundError):
        target.rmdir()

    # What git and we know of the old files by their times and numbers.
    (source / _REPOSITORY / "index").unlink(missing_ok=True)
    source.rename(target)


def _find(state: Path, old_id: str, root: str) -> Path | None:
    """Return the folder with the state to adopt, or None if there is none."""
    named = state / "worktrees" / old_id
    if old_id and (named / _REPOSITORY).is_dir():
        return named

    for file in sorted(state.glob(f"worktrees/*/{PLACE_FILE}")):
        if (file.parent / _REPOSITORY).is_dir() and read_root(file) == root:
            return file.parent

    return None
