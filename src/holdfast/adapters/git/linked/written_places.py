"""The places in a user's repository that git of ours writes for the worktree of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.usecases.worktrees.session_worktree import base_ref_of, branch_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def refuse_links(common: Path, session: str) -> None:
    """Raise `CheckpointFailed` if a link in the git directory leads git elsewhere for a session.

    Git that is not in the sandbox would write and delete there, outside of the repository.
    """
    for path in _written_places(common, session):
        if path.is_symlink():
            raise CheckpointFailed(
                f"{path} is a symbolic link, and git would write where it leads; work in place, or "
                "put what it leads to there."
            )


def _written_places(common: Path, session: str) -> Iterator[Path]:
    """Yield what git writes, and all folders on the way to it."""
    refs = (f"refs/heads/{branch_of(session)}", base_ref_of(session))
    logs = (*(f"logs/{ref}" for ref in refs), f"worktrees/{session}/logs/HEAD")
    for path in (*refs, *logs, "objects"):
        place = common / path
        while place != common:
            yield place
            place = place.parent

    yield from (common / "objects").iterdir()
