"""A place: the project and the worktree that a command works in."""

from __future__ import annotations

from holdfast.vocab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A project and one of its worktrees, each with the id of its folder and its real path.

    The id of a folder stays when the folder is moved. The project is the main worktree of the
    repository; for a folder without git, and for the main worktree itself, both are the same.
    """

    project_id: str
    project_root: str
    worktree_id: str
    worktree_root: str

    @property
    def is_main(self) -> bool:
        """Whether the worktree is the project's main one."""
        return self.project_id == self.worktree_id
